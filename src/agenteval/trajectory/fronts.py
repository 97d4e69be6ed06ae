"""What a group of steps makes of a run together with what comes after it, from every call on.

Lanes count calls from the last one of a run, so they are gone through upward, from its end.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import chain, repeat
from operator import itemgetter, or_
from sys import maxsize
from typing import NamedTuple

from agenteval.trajectory.assignment import Exchange
from agenteval.trajectory.bitsets import bits, members

__all__ = ["Gain", "Gains", "Rises", "put_before"]

# A call's lane; what it adds to the windows that begin with it: the lowest end of those that gain
# something, and how much; and the same of those that gain more, for a required step. The end of a
# window is its lowest lane.
Gain = tuple[int, int, int, int, int]

# So many kinds of calls are remembered with what they add.
_REMEMBERED = 32
_NOWHERE = maxsize  # above all lanes


class Rises(NamedTuple):
    """Numbers that grow from lane to lane: the lanes where they do, lowest first, and how much."""

    lanes: list[int]
    amounts: list[int]


class Gains:
    """What each call adds to the windows of a group; remembers kinds that groups have in common.

    The calls that a group can take together are the independent sets of a matroid. So a call in
    front of a window adds to it unless the window reaches down to the last call of the circuit
    that it closes with the best calls below, which are those of the highest lanes. The best are
    kept by exchange: a call comes in for the last one of its circuit.

    A required step is worth more than an optional one. That is the same as two things to gain: 1
    for any step, and the rest for one that is required.

    Args:
        more: How much more than an optional step, which is worth 1, a required one is worth.

    >>> Gains(more=0).of({0b1: 0b1101, 0b10: 0b10}, required=0b11)
    [(0, 0, 1, 0, 0), (1, 0, 1, 0, 0), (2, 1, 1, 0, 0), (3, 3, 1, 0, 0)]
    """

    def __init__(self, more: int) -> None:
        self._more = more
        self._of_one_kind = lru_cache(maxsize=_REMEMBERED)(_gains_of_one_kind)

    def of(self, kinds: Mapping[int, int], required: int) -> list[Gain]:
        """Return what calls add, lowest lane first.

        Args:
            kinds: The calls, as bits, by the steps that accept them, as bits.
            required: The steps that have to be taken.
        """
        apart: list[tuple[int, dict[int, int]]] = []  # kinds that share no step with others
        for steps, calls in kinds.items():
            touching = [part for part in apart if part[0] & steps]
            apart = [part for part in apart if not part[0] & steps]
            everything = steps
            together = {steps: calls}
            for others, part in touching:
                everything |= others
                together |= part
            apart.append((everything, together))
        found = [
            self._by_exchange(part, required)
            if len(part) > 1
            else self._of_one_kind(
                part[steps], steps.bit_count(), (steps & required).bit_count(), self._more
            )
            for steps, part in apart
        ]
        return sorted(chain.from_iterable(found), key=itemgetter(0))

    def _by_exchange(self, kinds: Mapping[int, int], required: int) -> list[Gain]:
        every = _ends(kinds)
        needed: dict[int, int] = {}
        if self._more and required:
            for steps, calls in kinds.items():
                if steps & required:
                    needed[steps & required] = needed.get(steps & required, 0) | calls
        if not needed or needed == kinds:
            worth = 1 + self._more if needed else 1
            return [(lane, end, worth, 0, 0) for lane, end in every]
        last = dict(_ends(needed))
        return [
            (lane, end, 1, last[lane], self._more) if lane in last else (lane, end, 1, 0, 0)
            for lane, end in every
        ]


def _gains_of_one_kind(calls: int, steps: int, required: int, more: int) -> list[Gain]:
    """Return what calls add that all may take the same steps: the last of so many comes out."""
    lanes = list(members(calls))
    above = [lane + 1 for lane in lanes]
    ends = chain(repeat(0, steps), above)
    if required in (0, steps) or not more:
        worth = 1 + more if required else 1
        return list(zip(lanes, ends, repeat(worth), repeat(0), repeat(0), strict=False))
    last = chain(repeat(0, required), above)
    return list(zip(lanes, ends, repeat(1), last, repeat(more), strict=False))


def _ends(kinds: Mapping[int, int]) -> list[tuple[int, int]]:
    """Return the lane of every call with the lowest end of the windows to which it adds a step."""
    places = {step: place for place, step in enumerate(members(reduce(or_, kinds)))}
    calls: list[tuple[int, int]] = []
    for steps, lanes in kinds.items():
        allowed = bits([places[step] for step in members(steps)])
        calls += zip(members(lanes), repeat(allowed), strict=False)
    calls.sort(key=itemgetter(0))
    serve = Exchange(len(places)).serve
    return [(lane, serve(lane, allowed) + 1) for lane, allowed in calls]


def put_before(after: Rises, gains: Sequence[Gain]) -> Rises:
    """Return what the best windows of a group and what comes `after` them are worth together.

    Args:
        after: What comes after the group is worth, by the lane from which it may begin.
        gains: What each call adds to the windows of the group.

    >>> put_before(Rises([1], [1]), [(2, 0, 1, 0, 0), (3, 3, 1, 0, 0)])
    Rises(lanes=[1, 2], amounts=[1, 1])
    """
    front = _Front(after)
    front.begin_with(gains)
    front.rise_to(_NOWHERE)
    return front.found


class _Front:
    """The ends of windows that may yet be best, as the lane where they begin goes up.

    Of two ends of the same worth the higher is kept: whatever comes in front, a shorter window
    gains no less by it. So ends of less and less worth are left, each above the one before; the
    first is the best, and the last is the lane reached, an empty window.
    """

    def __init__(self, after: Rises) -> None:
        self.found = Rises([], [])
        self._lanes = [*after.lanes, _NOWHERE]
        self._amounts = after.amounts
        self._risen = 0  # so many of them are passed
        self._ends = [0]
        self._gaps: list[int] = []  # how much more an end is worth than the next one

    def rise_to(self, lane: int) -> None:
        """Take in what comes after, below `lane`."""
        first, last = self._risen, bisect_left(self._lanes, lane, self._risen)
        while first < last and self._gaps:
            self._add(self._lanes[first], self._amounts[first])
            first += 1
        if first < last:  # nothing but the empty window is left, so nothing is in between
            self.found.lanes.extend(self._lanes[first:last])
            self.found.amounts.extend(self._amounts[first:last])
        self._risen = last

    def begin_with(self, gains: Iterable[Gain]) -> None:
        """Let windows begin with one call after the other."""
        lanes, ends, gaps, found = self._lanes, self._ends, self._gaps, self.found
        for lane, end, worth, last, more in gains:
            if lanes[self._risen] < lane:
                self.rise_to(lane)
            ends[-1] = lane
            best = self._lift(end, worth)
            if more:
                best += self._lift(last, more)
            if lanes[self._risen] == lane:
                self._add(lane, self._amounts[self._risen] - worth - more, best)
                self._risen += 1
                continue
            gaps.append(worth + more)
            ends.append(lane + 1)
            if best:
                found.lanes.append(lane)
                found.amounts.append(best)

    def _lift(self, end: int, worth: int) -> int:
        """Make all from `end` on worth more; return by how much the best one is."""
        ends, gaps = self._ends, self._gaps
        at = bisect_left(ends, end)
        if not at:
            return worth
        at -= 1
        gap = gaps[at] - worth
        while gap <= 0:
            del ends[at], gaps[at]
            if not at:
                return -gap
            at -= 1
            gap += gaps[at]
        gaps[at] = gap
        return 0

    def _add(self, lane: int, more: int, best: int = 0) -> None:
        """Add the end above `lane`, worth `more` than the last; note how the best one rises.

        Args:
            lane: Where a call was put in front.
            more: How much more than the last end it is worth, or less.
            best: How much more the best one is already worth.
        """
        ends, gaps = self._ends, self._gaps
        while more >= 0:
            if not gaps:
                ends[0] = lane + 1
                best += more
                break
            more -= gaps.pop()
            ends.pop()
        else:
            gaps.append(-more)
            ends.append(lane + 1)
        if best:
            self.found.lanes.append(lane)
            self.found.amounts.append(best)
