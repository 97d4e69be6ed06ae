"""In-order alignment with references that have groups: parallel, optional and alternative steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heapreplace
from itertools import groupby

from agenteval.trajectory import lanes
from agenteval.trajectory.assignment import Assignment
from agenteval.trajectory.bitsets import members
from agenteval.trajectory.shares import assign_steps

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
    blocks = [
        _Block(list(steps), required, accepted, len(failed))
        for _, steps in groupby(range(len(block_of)), key=block_of.__getitem__)
    ]
    _limit_starts(blocks, len(failed))
    worth: list[int] = []
    for block in reversed(blocks):
        worth = block.put_before(worth)

    matched: dict[int, int] = {}
    start = 0
    for block in blocks:
        window = block.window(start)
        if window:
            taken = assign_steps(accepted, block.steps, window, failed, required)
            matched.update(taken)
            start = max(taken.values()) + 1
    return matched


def _limit_starts(blocks: Sequence[_Block], width: int) -> None:
    """Tell groups at which calls a window of theirs can begin: after a call taken ahead."""
    starts = 1 << width  # one lane up, so that the lowest stands for the end
    for block in blocks:
        if not block.by_subsets and starts.bit_count() < block.mask.bit_count():
            block.limit_starts(starts >> 1)
        starts |= block.mask


class _Block:
    """Steps that are taken in any order, and what windows of calls are worth to them.

    A required step is worth more than all optional ones, which are worth 1 each. Lane ``n - 1 - j``
    is about call ``j`` of ``n``, so worths never grow from a lane to the one below.
    """

    def __init__(
        self, steps: list[int], required: Sequence[bool], accepted: Sequence[int], width: int
    ) -> None:
        self.steps = steps
        self.mask = 0  # the calls that some step accepts
        for step in steps:
            self.mask |= accepted[step]
        self._accepted = [accepted[step] for step in steps]
        self._required = [required[step] for step in steps]
        self._values = [required.count(False) + 1 if needed else 1 for needed in self._required]
        self._full = (1 << width) - 1
        self._starts = self.mask
        self.by_subsets = _by_subsets(len(steps), self.mask.bit_count(), width)
        self._taking = 0  # lanes from which it is best to take some of this block's steps
        self._after: list[int] = []  # what the blocks after this one are worth
        self._drops = 0  # lanes where that is more than in the one below

    def limit_starts(self, starts: int) -> None:
        """Look only at windows that begin at the first call of this block from `starts` on."""
        self._starts = 0
        for lane in members(starts):
            self._starts |= _highest(self.mask & (2 << lane) - 1)

    def put_before(self, after: list[int]) -> list[int]:
        """Return what this block and the ones after it are worth, from each call on."""
        self._drops = lanes.changes(after, self._full)
        if len(self.steps) > 1:
            self._after = after
        if not self.mask:
            return after
        taken = self._taken_by_subsets(after) if self.by_subsets else self._taken_by_windows()
        within = self._full & -(self._starts & -self._starts)
        self._taking = within & ~lanes.larger(after, taken, self._full)
        return lanes.choose(self._taking, taken, after)

    def _taken_by_windows(self) -> list[int]:
        """Return the worths where the next call of this block begins a window, for each start."""
        kinds = self._kinds()
        worths = lanes.sliced(
            (lane, max(worth for worth, _, _ in self._windows(kinds, lane)))
            for lane in members(self._starts)
        )
        return lanes.spread(worths, self._starts, self._full)

    def _taken_by_subsets(self, after: list[int]) -> list[int]:
        """Return the worths where the next call of this block is taken, by every set of steps."""
        following = [[piece << 1 for piece in after]]  # for every subset, one call later
        taken: list[int] = []
        every = (1 << len(self.steps)) - 1
        for left in range(1, every + 1):
            taken = []
            for place, accepted in enumerate(self._accepted):
                if left >> place & 1 and accepted:
                    worths = lanes.plus(following[left ^ 1 << place], self._values[place], accepted)
                    worths = lanes.spread(worths, accepted, self._full)
                    taken = lanes.largest(taken, worths, self._full) if taken else worths
            if left < every:
                best = lanes.largest(taken, after, self._full)
                following.append([piece << 1 for piece in best])
        return taken

    def window(self, start: int) -> list[int]:
        """Return the calls, from `start` on, of which this block takes as many as it can."""
        lane = self._full.bit_length() - 1 - start
        if lane < 0 or not self._taking >> lane & 1:
            return []
        first = (self.mask & (2 << lane) - 1).bit_length() - 1
        last = first
        if len(self.steps) > 1:
            windows = list(self._windows(self._kinds(), first))
            best = max(worth for worth, _, _ in windows)
            _, last = max((own, end) for worth, own, end in windows if worth == best)
        # What comes after is worth the same for a while: a later call will do as well.
        end = (self._drops & (1 << last) - 1).bit_length()
        found = self.mask & (2 << first) - 1 & ~((1 << end) - 1)
        return [self._full.bit_length() - 1 - place for place in members(found)]

    def _windows(self, kinds: _Kinds, start: int) -> Iterator[tuple[int, int, int]]:
        """Yield the windows of lanes from `start` down that are worth more than shorter ones.

        Each with its worth together with what comes after it, its own worth, and its last lane.
        """
        every, needed = Assignment(), Assignment()
        required = sum(1 << place for place, one in enumerate(self._required) if one)
        extra = max(self._values) - 1
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
                own = len(every.owner) + len(needed.owner) * extra
                yield own + (lanes.at(self._after, lane - 1) if lane else 0), own, lane
                later = kinds[steps] & (1 << lane) - 1
                if later:
                    heapreplace(coming, (1 - later.bit_length(), steps))
                    continue
            heappop(coming)  # where no step is left for a call, none will be for one like it

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
        return kinds


def _by_subsets(steps: int, calls: int, width: int) -> bool:
    """Say whether a block is quicker worked out for all windows at once, for all subsets of steps.

    Else it is worked out for every call at which a window can begin. The weights are measured.
    """
    return steps == 1 or (steps < 16 and (10 + width / 80) * 2 ** (steps - 1) < 25 * calls)


def _highest(found: int) -> int:
    return 1 << found.bit_length() - 1 if found else 0
