"""Maximum assignment of calls to reference steps, never greedy: who takes which step.

Sets are Python integers, one bit a member, so that a search looks at all steps at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

__all__ = ["assign", "members"]


def members(bits: int) -> Iterator[int]:
    """Yield the positions of the bits that are set, lowest first.

    >>> list(members(0b1010))
    [1, 3]
    """
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def assign(allowed: Sequence[int], order: Iterable[int]) -> dict[int, int]:
    """Give as many takers as possible a place of their own.

    Takers are served in the given order, by augmenting paths (Kuhn 1955): a taker that was given a
    place keeps one, so which takers are served depends on their order alone and never on how the
    places are numbered. A search that fails rules out all places it saw for good, because no later
    search can leave them either.

    Args:
        allowed: For every taker the places that it may take, as bits.
        order: The takers, the most preferred first.

    Returns:
        ``{place: taker}``.

    >>> assign([0b01, 0b11], [1, 0])
    {0: 0, 1: 1}
    """
    owner: dict[int, int] = {}
    held: dict[int, int] = {}
    taken = 0
    dead = 0
    for taker in order:
        reached_by: dict[int, int] = {}
        seen = dead
        end = -1
        queue = [taker]
        for asking in queue:
            reach = allowed[asking] & ~seen
            free = reach & ~taken
            if free:
                end = (free & -free).bit_length() - 1
                reached_by[end] = asking
                break
            seen |= reach
            for place in members(reach):
                reached_by[place] = asking
                queue.append(owner[place])
        if end < 0:
            dead = seen
            continue
        taken |= 1 << end
        place = end
        while True:
            asking = reached_by[place]
            left = held.get(asking, -1)
            owner[place] = asking
            held[asking] = place
            if asking == taker:
                break
            place = left
    return dict(sorted(owner.items()))
