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
        reached_by, seen = self._search(taker, self._dead)
        if reached_by is None:
            return True
        self._dead = seen
        return False

    def serve_instead(self, taker: int, allowed: int) -> int | None:
        """Give `taker` a place, if need be that of the lowest one that can make room for it.

        Returns:
            Who lost its place: `None` where one was free.
        """
        self._allowed[taker] = allowed
        reached_by, _ = self._search(taker, 0)
        if reached_by is None:
            return None
        place = min(reached_by, key=self.owner.__getitem__)
        lowest = self.owner[place]
        del self._held[lowest]
        self._move_on(place, taker, reached_by)
        return lowest

    def _search(self, taker: int, seen: int) -> tuple[dict[int, int] | None, int]:
        """Take the first free place that is reached; else return all that were, and by whom."""
        reached_by: dict[int, int] = {}
        queue = [taker]
        for asking in queue:
            reach = self._allowed[asking] & ~seen
            free = reach & ~self._taken
            if free:
                place = (free & -free).bit_length() - 1
                self._taken |= 1 << place
                reached_by[place] = asking
                self._move_on(place, taker, reached_by)
                return None, seen
            seen |= reach
            for place in members(reach):
                reached_by[place] = asking
                queue.append(self.owner[place])
        return reached_by, seen

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
