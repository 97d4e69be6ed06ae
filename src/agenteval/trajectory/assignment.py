"""Takers and places: a maximum assignment that grows by one taker at a time, never greedy."""

from __future__ import annotations

from agenteval.trajectory.bitsets import members

__all__ = ["Assignment"]


class Assignment:
    """Takers with a place of their own, as many as possible at any time.

    Takers are served one by one, by augmenting paths (Kuhn 1955): one that was given a place keeps
    some place, so which takers are served depends on their order alone and never on how the places
    are numbered. A search that fails rules out every place that it saw, because no later search
    could get away from there either.

    >>> pairs = Assignment()
    >>> pairs.serve(0, 0b11), pairs.serve(1, 0b01), pairs.serve(2, 0b11)
    (True, True, False)
    >>> pairs.owner
    {0: 1, 1: 0}
    """

    __slots__ = ("_allowed", "_dead", "_held", "_taken", "owner")

    def __init__(self) -> None:
        self.owner: dict[int, int] = {}  # place: taker
        self._held: dict[int, int] = {}  # taker: place
        self._allowed: dict[int, int] = {}
        self._taken = 0
        self._dead = 0

    def serve(self, taker: int, allowed: int) -> bool:
        """Give `taker` one of the places `allowed` (bits), moving others on; say if it worked."""
        self._allowed[taker] = allowed
        reached_by: dict[int, int] = {}
        seen = self._dead
        queue = [taker]
        for asking in queue:
            reach = self._allowed[asking] & ~seen
            free = reach & ~self._taken
            if free:
                place = (free & -free).bit_length() - 1
                self._taken |= 1 << place
                reached_by[place] = asking
                self._move_on(place, taker, reached_by)
                return True
            seen |= reach
            for place in members(reach):
                reached_by[place] = asking
                queue.append(self.owner[place])
        self._dead = seen
        return False

    def _move_on(self, place: int, taker: int, reached_by: dict[int, int]) -> None:
        """Let everyone on the path that ends at `place` take the place that it reached."""
        while True:
            asking = reached_by[place]
            left = self._held.get(asking)
            self.owner[place] = asking
            self._held[asking] = place
            if asking == taker or left is None:
                return
            place = left


class Exchange:
    """Places that the latest takers hold, each new one in place of the earliest that can make room.

    Takers are numbers that go up. Whoever is left out could not be served together with the later
    ones: it is the first of a circuit of the matroid that sets of takers form.

    >>> latest = Exchange(2)
    >>> [latest.serve(taker, 0b11) for taker in (5, 6, 7)], latest.serve(8, 0b10)
    ([-1, -1, 5], 6)
    """

    __slots__ = ("_allowed", "_owners")

    def __init__(self, places: int) -> None:
        self._owners = [-1] * places  # at first somebody who wants nothing
        self._allowed = [0] * places

    def serve(self, taker: int, allowed: int) -> int:
        """Give `taker` one of the places `allowed` (bits); return who has none any more, or -1."""
        owners = self._owners
        first = min(owners)
        place = owners.index(first)
        seen = coming = allowed
        came: list[tuple[int, int]] = []  # places, and the one from which they are reached
        if not allowed >> place & 1:
            first = taker
            while coming:
                lowest = coming & -coming
                coming ^= lowest
                at = lowest.bit_length() - 1
                if owners[at] < first:
                    first, place = owners[at], at
                more = self._allowed[at] & ~seen
                if more:
                    seen |= more
                    coming |= more
                    came.append((more, at))
        while not allowed >> place & 1:
            giver = next(at for more, at in came if more >> place & 1)
            owners[place], self._allowed[place] = owners[giver], self._allowed[giver]
            place = giver
        owners[place], self._allowed[place] = taker, allowed
        return first
