"""Maximum assignment of calls to reference steps, never greedy: who takes which step.

Sets are Python integers, one bit a member, so that a search looks at all places at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

__all__ = ["Assignment", "assign_steps", "bits", "members"]

# So many bits are found quicker in the text of a number than one by one.
_MANY = 64


def bits(places: Sequence[int]) -> int:
    """Return the set of `places` as bits.

    >>> bin(bits([1, 3]))
    '0b1010'
    """
    if len(places) < 8:
        return sum(1 << place for place in places)
    filled = bytearray(max(places) // 8 + 1)
    for place in places:
        filled[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(filled, "little")


def members(found: int) -> Iterator[int]:
    """Yield the places of the bits that are set, lowest first.

    >>> list(members(0b1010))
    [1, 3]
    """
    if found.bit_count() > _MANY:
        text = bin(found)[:1:-1]
        place = text.find("1")
        while place >= 0:
            yield place
            place = text.find("1", place + 1)
        return
    while found:
        lowest = found & -found
        yield lowest.bit_length() - 1
        found ^= lowest


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


def assign_steps(
    accepted: Sequence[int],
    steps: Sequence[int],
    calls: Iterable[int],
    failed: Sequence[bool],
    required: Sequence[bool],
) -> dict[int, int]:
    """Give as many of `calls` as possible one of `steps`, and as many required steps a call.

    Args:
        accepted: For every reference step the calls that it accepts, as `align` takes them.
        steps: The steps to be taken.
        calls: The calls that may take them.
        failed: For every call whether its tool reported an error: one that answered is served
            first, then the earlier.
        required: For every step whether it has to be taken.

    Returns:
        ``{step: call}``. Of steps that accept the same calls, the earlier has the earlier call.
    """
    width = len(failed)
    free = bits([width - 1 - call for call in calls])
    alike: dict[int, list[int]] = {}  # steps that accept the same calls
    for step in steps:
        if accepted[step] & free:
            alike.setdefault(accepted[step] & free, []).append(step)
    allowed: dict[int, int] = {}
    for mask, group in alike.items():
        places = bits(group)
        for place in members(mask):
            allowed[width - 1 - place] = allowed.get(width - 1 - place, 0) | places
    pairs = Assignment()
    for call in sorted(allowed, key=lambda call: (failed[call], call)):
        pairs.serve(call, allowed[call])
    owner = pairs.owner
    if not all(required):
        _prefer_required(owner, allowed, required)
    for group in alike.values():
        served = [step for step in group if step in owner]
        owner.update(zip(served, sorted(owner[step] for step in served), strict=True))
    return owner


def _prefer_required(
    owner: dict[int, int], allowed: dict[int, int], required: Sequence[bool]
) -> None:
    """Hand calls on from optional steps to required ones, wherever a chain of calls leads there.

    The calls served stay the same, so afterwards both sides are the best that they can be
    (Mendelsohn and Dulmage 1958).
    """
    taken_by = {call: step for step, call in owner.items()}
    dead = 0  # calls from which no chain leads to an optional step, nor ever will
    wanting: dict[int, int] = {}  # step: the served calls that it accepts, as bits
    for start in range(len(required)):
        if start in owner or not required[start]:
            continue
        if not wanting:
            wanting = _turned(allowed, taken_by)
        came_from: dict[int, int | None] = {start: None}
        queue = [start]
        end: int | None = None
        seen = dead
        for step in queue:
            reach = wanting.get(step, 0) & ~seen
            seen |= reach
            for call in members(reach):
                giver = taken_by[call]
                if giver not in came_from:
                    came_from[giver] = step
                    queue.append(giver)
                    if not required[giver]:
                        end = giver
                        break
            if end is not None:
                break
        if end is None:
            dead = seen
            continue
        chain = [end]
        while (before := came_from[chain[-1]]) is not None:
            chain.append(before)
        chain.reverse()
        for step, giver in pairwise(chain):
            owner[step] = owner[giver]
            taken_by[owner[step]] = step
        del owner[end]


def _turned(allowed: Mapping[int, int], calls: Iterable[int]) -> dict[int, int]:
    """Return for every step the `calls` that it accepts, of the steps that each call may take.

    Calls that may take the same steps are turned together.
    """
    alike: dict[int, list[int]] = {}
    for call in calls:
        alike.setdefault(allowed[call], []).append(call)
    turned: dict[int, int] = {}
    for steps, group in alike.items():
        mask = bits(group)
        for step in members(steps):
            turned[step] = turned.get(step, 0) | mask
    return turned
