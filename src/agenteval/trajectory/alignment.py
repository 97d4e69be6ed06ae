"""Which call stands for which reference step: one alignment that scores and table are read from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from agenteval.records import Mode
from agenteval.trajectory.bitsets import bits
from agenteval.trajectory.blocks import align_blocks
from agenteval.trajectory.references import Slot
from agenteval.trajectory.shares import assign_steps

__all__ = ["Alignment", "align"]


class Alignment(NamedTuple):
    """Who took which reference step; both map a step to a call, by position.

    ``matched`` are the steps taken, in order where order counts. ``displaced`` are others, for
    which a call in the wrong place stands.
    """

    matched: dict[int, int]
    displaced: dict[int, int]


def align(
    slots: Sequence[Slot], accepted: Sequence[int], failed: Sequence[bool], mode: Mode
) -> Alignment:
    """Set calls against reference steps so that as many steps as possible are taken.

    Required steps count before optional ones. Where two calls could take one step, one that
    answered goes before one that failed, then the earlier.

    Args:
        slots: The reference steps.
        accepted: For every step the calls that it accepts, as bits: bit ``n - 1 - j`` is call
            ``j`` of ``n``, so that later calls are lower bits.
        failed: For every call whether its tool reported an error.
        mode: In ``in_order`` and ``exact`` steps are taken in order, by a longest common
            subsequence; in the other modes in any order, by a maximum assignment.
    """
    required = [slot.required for slot in slots]
    if mode not in ("in_order", "exact"):
        everyone = range(len(failed))
        return Alignment(assign_steps(accepted, range(len(slots)), everyone, failed, required), {})
    if all(required) and len({slot.block for slot in slots}) == len(slots):
        matched = _longest_common(accepted, failed)
    else:
        matched = align_blocks([slot.block for slot in slots], required, accepted, failed)
    taken = set(matched.values())
    left = [step for step in range(len(slots)) if step not in matched]
    free = [call for call in range(len(failed)) if call not in taken]
    return Alignment(matched, assign_steps(accepted, left, free, failed, required))


def _longest_common(accepted: Sequence[int], failed: Sequence[bool]) -> dict[int, int]:
    """Return ``{step: call}`` of a longest common subsequence of steps and calls.

    Lengths come bit-parallel (Crochemore et al. 2001, Hyyrö 2004), from the last step to the
    first: bit ``p`` of row ``i`` is set where one more call at ``p`` makes the subsequence of
    steps ``i..`` longer, so a length is a count of bits. Then steps are walked from the first and
    take the first call that leaves the length within reach, if possible one that answered.
    """
    width = len(failed)
    full = (1 << width) - 1
    rows = [0] * (len(accepted) + 1)
    state = full
    for step in range(len(accepted) - 1, -1, -1):
        both = state & accepted[step]
        state = ((state + both) | (state - both)) & full
        rows[step] = state ^ full

    answered = bits([width - 1 - call for call, bad in enumerate(failed) if not bad])
    matched: dict[int, int] = {}
    left = width  # the calls not yet passed are the lowest bits
    need = rows[0].bit_count()
    for step, mask in enumerate(accepted):
        if not need:
            break
        candidates = mask & ((1 << left) - 1)
        after = rows[step + 1]
        for choice in (candidates & answered, candidates):
            place = choice.bit_length() - 1
            if place >= 0 and (after & ((1 << place) - 1)).bit_count() == need - 1:
                matched[step] = width - 1 - place
                left = place
                need -= 1
                break
    return matched
