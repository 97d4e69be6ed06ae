"""In-order alignment with references that have groups: parallel, optional and alternative steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heapreplace
from itertools import groupby
from math import inf

from agenteval.trajectory import lanes
from agenteval.trajectory.assignment import Assignment
from agenteval.trajectory.bitsets import members
from agenteval.trajectory.fronts import Gains, put_before
from agenteval.trajectory.shares import assign_steps
from agenteval.trajectory.worths import Kept, Worths

__all__ = ["align_blocks"]

# The calls of a block by the steps that accept them; both as bits.
_Kinds = dict[int, int]


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
    full = (1 << len(failed)) - 1
    optional = required.count(False)
    blocks = [
        _Block(list(steps), required, accepted, full, optional)
        for _, steps in groupby(range(len(block_of)), key=block_of.__getitem__)
    ]
    _choose_ways(blocks, len(failed) * (0.5 if optional else 0.05))
    gains = Gains(optional)
    worths = Worths(full)
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
    """Settle which blocks are worked out by subsets of their steps, so that all goes quickest.

    Args:
        blocks: All of them, in order.
        turn: What it costs to turn the numbers of one way into those of the other.
    """
    by_subsets = by_front = 0.0  # the least cost so far, with the last block this way
    turned: list[tuple[bool, bool]] = []  # for every block and either way: was the one before other
    for block in blocks:
        turned.append((by_front + turn < by_subsets, by_subsets + turn < by_front))
        by_subsets, by_front = (
            min(by_subsets, by_front + turn) + block.cost_by_subsets(),
            min(by_front, by_subsets + turn) + block.cost_by_front(),
        )
    way = by_subsets <= by_front
    for block, (before_subsets, before_front) in zip(
        reversed(blocks), reversed(turned), strict=True
    ):
        block.by_subsets = way
        way ^= before_subsets if way else before_front


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
        full: int,
        optional: int,
    ) -> None:
        self.steps = steps
        self.full = full  # all lanes
        self.mask = 0  # the calls that some step accepts
        for step in steps:
            self.mask |= accepted[step]
        self.by_subsets = True
        self._accepted = [accepted[step] for step in steps]
        self._required = [required[step] for step in steps]
        self._more = optional  # that much more than an optional step a required one is worth
        self._taking = full  # lanes from which it may be best to take some of this block's steps
        self._after: Kept  # what the blocks after this one are worth

    def cost_by_subsets(self) -> float:
        """Return how many microseconds that way takes, as measured."""
        steps = len(self.steps)
        return (13 + self.full.bit_length() / 60) * 2 ** (steps - 1) if steps < 16 else inf

    def cost_by_front(self) -> float:
        """Return how many microseconds that way takes, as measured."""
        each = 1.2 if self._more else 0.65
        return each * self.mask.bit_count()

    def put_before(self, after: Worths, gains: Gains) -> Worths:
        """Return what this block and the ones after it are worth, from each call on."""
        self._after = after.kept_changes() if self._by_lanes_alone() else after.kept()
        if not self.mask:
            return after
        if not self.by_subsets:
            added = gains.of(self._kinds(), self._needed())
            return Worths(self.full, rises=put_before(after.rises, added))
        taken = self._taken_by_subsets(after.slices)
        within = self.full & -(self.mask & -self.mask)
        self._taking = within & ~lanes.larger(after.slices, taken, self.full)
        return Worths(self.full, slices=lanes.choose(self._taking, taken, after.slices))

    def _by_lanes_alone(self) -> bool:
        """Say whether `_taking` tells all about where to take this block's only step."""
        return self.by_subsets and len(self.steps) == 1

    def _taken_by_subsets(self, after: list[int]) -> list[int]:
        """Return the worths where the next call of this block is taken, by every set of steps."""
        following = [[piece << 1 for piece in after]]  # for every subset, one call later
        taken: list[int] = []
        values = [1 + self._more if needed else 1 for needed in self._required]
        every = (1 << len(self.steps)) - 1
        for left in range(1, every + 1):
            taken = []
            for place, accepted in enumerate(self._accepted):
                if left >> place & 1 and accepted:
                    worths = lanes.plus(following[left ^ 1 << place], values[place], accepted)
                    worths = lanes.spread(worths, accepted, self.full)
                    taken = lanes.largest(taken, worths, self.full) if taken else worths
            if left < every:
                best = lanes.largest(taken, after, self.full)
                following.append([piece << 1 for piece in best])
        return taken

    def window(self, start: int) -> list[int]:
        """Return the calls, from `start` on, of which this block takes as many as it can."""
        lane = self.full.bit_length() - 1 - start
        first = (self.mask & self.full >> start).bit_length() - 1
        if first < 0 or not self._taking >> lane & 1:
            return []
        last = first
        if not self._by_lanes_alone():
            worth, _, last = max(self._windows(first))
            if worth < self._after.at(lane):
                return []
        # What comes after is worth the same for a while: a later call will do as well.
        end = self._after.room_below(last)
        found = self.mask & (2 << first) - 1 & ~((1 << end) - 1)
        return [self.full.bit_length() - 1 - place for place in members(found)]

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
