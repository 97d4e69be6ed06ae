"""In-order alignment with references that have groups: parallel, optional and alternative steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from heapq import heapify, heappop, heapreplace
from itertools import groupby, product
from math import inf, prod
from operator import or_

from agenteval.trajectory import lanes
from agenteval.trajectory.assignment import Assignment
from agenteval.trajectory.bitsets import members
from agenteval.trajectory.fronts import Gains, put_before
from agenteval.trajectory.shares import assign_steps
from agenteval.trajectory.worths import Kept, Worths

__all__ = ["align_blocks"]

# The calls of a block by the steps that accept them; both as bits.
_Kinds = dict[int, int]

# A block is not worked out in lanes for more choices of steps left than this.
_STATES = 4096


def align_blocks(
    block_of: Sequence[int],
    required: Sequence[bool],
    accepted: Sequence[int],
    failed: Sequence[bool],
) -> dict[int, int]:
    """Return ``{step: call}`` where every block's calls come before the next block's.

    As many required steps as possible are taken, then as many optional ones. From the last block
    to the first it is worked out what the blocks from there on can make of the calls from each on;
    a block's own part of it is a maximum assignment within a window of calls. Blocks are then
    walked from the first, each taking as much as the best leaves it.

    Args:
        block_of: For every step its block, in ascending order.
        required: For every step whether it has to be taken.
        accepted: For every step the calls that it accepts, as `align` takes them.
        failed: For every call whether its tool reported an error.
    """
    optional = required.count(False)
    blocks = [
        _Block(list(steps), required, accepted, len(failed), optional)
        for _, steps in groupby(range(len(block_of)), key=block_of.__getitem__)
    ]
    _choose_ways(blocks, len(failed) * (0.5 if optional else 0.05))
    gains = Gains(optional)
    worths = Worths((1 << len(failed)) - 1)
    for block in reversed(blocks):
        worths = block.put_before(worths, gains)

    matched: dict[int, int] = {}
    start = 0
    for block in blocks:
        window = block.window(start)
        if window:
            taken = assign_steps(accepted, block.steps, window, failed, required)
            matched.update(taken)
            start = max(taken.values()) + 1
    return matched


def _choose_ways(blocks: Sequence[_Block], turn: float) -> None:
    """Settle which blocks are worked out in lanes and which by fronts, so that all goes quickest.

    Args:
        blocks: All of them, in order.
        turn: How many microseconds it takes to turn the numbers of one way into those of the other.
    """
    digits = sum(block.worth for block in blocks).bit_length()
    in_lanes = by_front = 0.0  # the least cost so far, with the last block this way
    turned: list[tuple[bool, bool]] = []  # for every block and either way: was the one before other
    for block in blocks:
        turned.append((by_front + turn < in_lanes, in_lanes + turn < by_front))
        in_lanes, by_front = (
            min(in_lanes, by_front + turn) + block.cost_in_lanes(digits),
            min(by_front, in_lanes + turn) + block.cost_by_front(),
        )
    way = in_lanes <= by_front
    for block, (turned_lanes, turned_front) in zip(reversed(blocks), reversed(turned), strict=True):
        block.in_lanes = way
        way ^= turned_lanes if way else turned_front


class _Block:
    """Steps that are taken in any order, and what windows of calls are worth to them.

    A required step is worth more than all optional ones, which are worth 1 each. Lane ``n - 1 - j``
    is about call ``j`` of ``n``, so worths never grow from a lane to the one below.
    """

    def __init__(
        self,
        steps: list[int],
        required: Sequence[bool],
        accepted: Sequence[int],
        width: int,
        optional: int,
    ) -> None:
        self.steps = steps
        self.in_lanes = True
        self._full = (1 << width) - 1  # all lanes
        self._accepted = [accepted[step] for step in steps]
        self._required = [required[step] for step in steps]
        self._more = optional  # that much more than an optional step a required one is worth
        self.worth = len(steps) + self._more * self._required.count(True)
        self._worths: dict[int, list[int]] = {}  # what steps are worth, by the calls they accept
        for step in sorted(steps, key=required.__getitem__, reverse=True):
            if accepted[step]:
                worth = 1 + self._more if required[step] else 1
                self._worths.setdefault(accepted[step], []).append(worth)
        self._mask = reduce(or_, self._worths, 0)  # the calls that some step accepts
        self._taking = self._full  # lanes from which it may be best to take some of these steps
        self._after: Kept  # what the blocks after this one are worth

    def cost_in_lanes(self, digits: int) -> float:
        """Return how many microseconds that way takes, as measured; numbers have `digits` bits."""
        counts = [len(worths) for worths in self._worths.values()]
        states = prod(count + 1 for count in counts)
        looks = states * sum(count / (count + 1) for count in counts)
        return looks * (3 + digits * self._full.bit_length() / 3300) if states <= _STATES else inf

    def cost_by_front(self) -> float:
        """Return how many microseconds that way takes, as measured."""
        calls = self._mask.bit_count()
        each = 1.2 if self._more else 0.65
        if sum(mask.bit_count() for mask in self._worths) > calls:  # shared by steps
            each += 2
        return each * calls

    def put_before(self, after: Worths, gains: Gains) -> Worths:
        """Return what this block and the ones after it are worth, from each call on."""
        self._after = after.kept_changes() if self._told_by_lanes() else after.kept()
        if not self._mask:
            return after
        if not self.in_lanes:
            added = gains.of(self._kinds(), self._needed())
            return Worths(self._full, rises=put_before(after.rises, added))
        taken = self._taken_in_lanes(after.slices)
        within = self._full & -(self._mask & -self._mask)
        self._taking = within & ~lanes.larger(after.slices, taken, self._full)
        return Worths(self._full, slices=lanes.choose(self._taking, taken, after.slices))

    def _told_by_lanes(self) -> bool:
        """Say whether `_taking` tells all about where to take this block's only step."""
        return self.in_lanes and len(self.steps) == 1

    def _taken_in_lanes(self, after: list[int]) -> list[int]:
        """Return the worths where the next call of this block is taken, for all lanes at once.

        They follow from those with one step less to take, for every choice of steps left. Of steps
        that accept the same calls only the number left counts.
        """
        following = [[piece << 1 for piece in after]]  # for every choice, one call later
        taken: list[int] = []
        sizes = [len(worths) + 1 for worths in self._worths.values()]
        strides = [prod(sizes[at + 1 :]) for at in range(len(sizes))]
        for place, left in enumerate(product(*map(range, sizes))):
            if not place:
                continue
            taken = []
            for count, stride, (accepted, worths) in zip(
                left, strides, self._worths.items(), strict=True
            ):
                if count:
                    more = lanes.plus(following[place - stride], worths[-count], accepted)
                    more = lanes.spread(more, accepted, self._full)
                    taken = lanes.largest(taken, more, self._full) if taken else more
            best = lanes.largest(taken, after, self._full)
            following.append([piece << 1 for piece in best])
        return taken

    def window(self, start: int) -> list[int]:
        """Return the calls, from `start` on, of which this block takes as many as it can."""
        lane = self._full.bit_length() - 1 - start
        first = (self._mask & self._full >> start).bit_length() - 1
        if first < 0 or not self._taking >> lane & 1:
            return []
        last = first
        if not self._told_by_lanes():
            worth, _, last = max(self._windows(first))
            if worth < self._after.at(lane):
                return []
        # What comes after is worth the same for a while: a later call will do as well.
        end = self._after.room_below(last)
        found = self._mask & (2 << first) - 1 & ~((1 << end) - 1)
        return [self._full.bit_length() - 1 - place for place in members(found)]

    def _windows(self, start: int) -> Iterator[tuple[int, int, int]]:
        """Yield the windows of lanes from `start` down that are worth more than shorter ones.

        Each with its worth together with what comes after it, its own worth, and its last lane.
        """
        every, needed = Assignment(), Assignment()
        required = self._needed()
        kinds = self._kinds()
        coming = [
            (-lane, steps)
            for steps, places in kinds.items()
            if (lane := (places & (2 << start) - 1).bit_length() - 1) >= 0
        ]
        heapify(coming)
        while coming:
            lane, steps = -coming[0][0], coming[0][1]
            more = every.serve(lane, steps)
            if needed.serve(lane, steps & required) or more:
                own = len(every.owner) + len(needed.owner) * self._more
                yield own + self._after.at(lane - 1), own, lane
                later = kinds[steps] & (1 << lane) - 1
                if later:
                    heapreplace(coming, (1 - later.bit_length(), steps))
                    continue
            heappop(coming)  # where no step is left for a call, none will be for one like it

    def _needed(self) -> int:
        return sum(1 << place for place, one in enumerate(self._required) if one)

    def _kinds(self) -> _Kinds:
        steps_of: dict[int, int] = {}
        for place, accepted in enumerate(self._accepted):
            steps_of[accepted] = steps_of.get(accepted, 0) | 1 << place
        kinds: _Kinds = {}
        seen = 0
        for accepted, steps in steps_of.items():
            for others, places in list(kinds.items()) if accepted & seen else ():
                if both := places & accepted:
                    kinds[others] ^= both
                    kinds[others | steps] = both
            kinds[steps] = accepted & ~seen
            seen |= accepted
        return {steps: calls for steps, calls in kinds.items() if calls}
