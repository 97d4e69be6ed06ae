"""In-order alignment with references that have groups: parallel, optional and alternative steps."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import groupby

from agenteval.trajectory.assignment import Assignment, assign_steps, members

__all__ = ["align_blocks"]


def align_blocks(
    block_of: Sequence[int],
    required: Sequence[bool],
    accepted: Sequence[int],
    failed: Sequence[bool],
) -> dict[int, int]:
    """Return ``{step: call}`` where every block's calls come before the next block's.

    As many required steps as possible are taken, then as many optional ones. ``best[b][j]`` is
    what the blocks from ``b`` on can make of the calls from ``j`` on; a block's own part of it is
    a maximum assignment within a window of calls. Blocks are then walked from the first, each
    taking as much as the best leaves it.

    Args:
        block_of: For every step its block, in ascending order.
        required: For every step whether it has to be taken.
        accepted: For every step the calls that it accepts, as `align` takes them.
        failed: For every call whether its tool reported an error.
    """
    width = len(failed)
    blocks = [
        _Block(list(steps), required, accepted, width)
        for _, steps in groupby(range(len(block_of)), key=block_of.__getitem__)
    ]
    best = [[0] * (width + 1) for _ in range(len(blocks) + 1)]
    for place in range(len(blocks) - 1, -1, -1):
        block, row, after = blocks[place], best[place], best[place + 1]
        for start in range(width - 1, -1, -1):
            row[start] = max(row[start + 1], after[start])
            if start in block.allowed:
                gains = block.gains(start)
                row[start] = max(row[start], *(gain + after[call + 1] for gain, call in gains))

    matched: dict[int, int] = {}
    start = 0
    for place, block in enumerate(blocks):
        need, after = best[place][start], best[place + 1]
        gain = max(
            (gain for gain, call in block.gains(start) if gain + after[call + 1] == need),
            default=0,
        )
        if not gain:
            continue
        end = max(end for end in range(start, width + 1) if after[end] == need - gain)
        window = [call for call in block.allowed if start <= call < end]
        taken = assign_steps(accepted, block.steps, window, failed, required)
        matched.update(taken)
        start = max(taken.values()) + 1
    return matched


class _Block:
    """Steps that are taken in any order, and what a window of calls is worth to them."""

    def __init__(
        self, steps: list[int], required: Sequence[bool], accepted: Sequence[int], width: int
    ) -> None:
        self.steps = steps
        self.needed = sum(1 << place for place, step in enumerate(steps) if required[step])
        self.step_value = required.count(False) + 1  # of a required step; an optional one is 1
        self.allowed: dict[int, int] = {}  # call: the steps that accept it, as bits
        for place, step in enumerate(steps):
            for bit in members(accepted[step]):
                call = width - 1 - bit
                self.allowed[call] = self.allowed.get(call, 0) | 1 << place
        self.calls = sorted(self.allowed)

    def gains(self, start: int) -> Iterator[tuple[int, int]]:
        """Yield ``(worth, call)`` whenever the window from `start` up to ``call`` is worth more."""
        everything, needed = Assignment(), Assignment()
        for call in self.calls[bisect_left(self.calls, start) :]:
            steps = self.allowed[call]
            more = everything.serve(call, steps)
            if needed.serve(call, steps & self.needed) or more:
                required = len(needed.owner)
                yield len(everything.owner) + required * (self.step_value - 1), call
            if len(everything.owner) == len(self.steps):
                return
