"""Which call stands for which reference step: one alignment that scores and table are read from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agenteval.records import Mode
from agenteval.trajectory.assignment import assign, members

__all__ = ["Alignment", "align"]


class Alignment(NamedTuple):
    """Who took which reference step; both lists hold a call's position, or ``None``, a step.

    ``matched`` are the steps taken, in order where order counts. ``displaced`` are the others that
    a call in the wrong place stands for.
    """

    matched: list[int | None]
    displaced: list[int | None]

    def steps_by_call(self) -> dict[int, int]:
        """Return the reference step of every call that has one, matched or displaced."""
        pairs = [*enumerate(self.matched), *enumerate(self.displaced)]
        return {call: step for step, call in pairs if call is not None}


def align(accepted: Sequence[int], failed: Sequence[bool], mode: Mode) -> Alignment:
    """Set calls against reference steps so that as many steps as possible are taken.

    Args:
        accepted: For every reference step the calls that it accepts, as bits: bit ``n - 1 - j``
            is call ``j`` of ``n``, so that later calls are lower bits.
        failed: For every call whether its tool reported an error.
        mode: In ``in_order`` and ``exact`` steps are taken in order, by a longest common
            subsequence; in the other modes in any order, by a maximum assignment. Where two calls
            could take one step, one that answered goes before one that failed, then the earlier.
    """
    if mode in ("in_order", "exact"):
        matched = _longest_common(accepted, failed)
        taken = {call for call in matched if call is not None}
        open_steps = [step for step, call in enumerate(matched) if call is None]
    else:
        matched = [None] * len(accepted)
        taken = set()
        open_steps = list(range(len(accepted)))
    displaced: list[int | None] = [None] * len(accepted)
    into = displaced if mode in ("in_order", "exact") else matched
    for step, call in _assigned(accepted, open_steps, failed, taken):
        into[step] = call
    return Alignment(matched, displaced)


def _longest_common(accepted: Sequence[int], failed: Sequence[bool]) -> list[int | None]:
    """Return the call of every step in a longest common subsequence of steps and calls.

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
        mask = accepted[step]
        both = state & mask
        state = ((state + both) | (state - both)) & full
        rows[step] = state ^ full

    answered = sum(1 << (width - 1 - call) for call, bad in enumerate(failed) if not bad)
    matched: list[int | None] = [None] * len(accepted)
    left = width  # calls not yet passed: the lowest bits
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


def _assigned(
    accepted: Sequence[int], steps: Sequence[int], failed: Sequence[bool], taken: set[int]
) -> Iterator[tuple[int, int]]:
    """Yield ``(step, call)`` of a maximum assignment between `steps` and calls not `taken`."""
    width = len(failed)
    alike: dict[int, list[int]] = {}  # steps that accept the same calls
    for step in steps:
        alike.setdefault(accepted[step], []).append(step)
    allowed = [0] * width
    for mask, group in alike.items():
        places = sum(1 << step for step in group)
        for place in members(mask):
            allowed[width - 1 - place] |= places
    free = [call for call in range(width) if call not in taken and allowed[call]]
    free.sort(key=failed.__getitem__)  # stable: answered before failed, then the earlier
    owner = assign(allowed, free)
    for group in alike.values():  # among steps alike the earlier call takes the earlier step
        served = [step for step in group if step in owner]
        yield from zip(served, sorted(owner[step] for step in served), strict=True)
