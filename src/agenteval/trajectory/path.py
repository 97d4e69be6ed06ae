"""A run's calls set against a reference of any kind: what scores and step table are read from."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from agenteval.records import Mode, Scores
from agenteval.trajectory.acceptance import accepted_calls
from agenteval.trajectory.alignment import Alignment, align
from agenteval.trajectory.calls import Call
from agenteval.trajectory.references import Slot, as_slots
from agenteval.trajectory.rules import Rules
from agenteval.trajectory.writes import repeated_writes

__all__ = ["Path", "read_path"]


class Path(NamedTuple):
    """One alignment of a run with its reference, and the facts that follow from it.

    ``right`` are the positions of the calls that some reference step accepts, wherever it stands;
    ``tools`` the names that the reference uses; ``repeated`` the positions of duplicate writes.
    """

    slots: list[Slot]
    calls: list[Call]
    mode: Mode
    aligned: Alignment
    right: frozenset[int]
    tools: frozenset[str]
    repeated: set[int]

    def covered(self) -> bool:
        """Say whether the reference is covered, as `covers` does for fixed references."""
        matched = self.aligned.matched
        complete = all(step in matched for step, slot in enumerate(self.slots) if slot.required)
        exhausted = len(matched) == len(self.calls)
        if self.mode == "subset":
            return exhausted
        return complete and (exhausted or self.mode not in ("exact", "unordered"))

    def scores(self) -> Scores:
        """Return the four numbers of `score_trajectory`."""
        asked = sum(call.name in self.tools for call in self.calls)
        matched = self.aligned.matched
        steps = sum(slot.required or step in matched for step, slot in enumerate(self.slots))
        required = any(slot.required for slot in self.slots)
        return {
            "coverage": self.covered(),
            "argument_accuracy": len(self.right) / asked if asked else float(not required),
            "extra_steps": len(self.calls) - steps,
            "duplicate_writes": len(self.repeated),
        }


def read_path(
    steps: Sequence[Call | Slot],
    calls: list[Call],
    mode: Mode,
    writing: Collection[str],
    rules: Rules,
    where: str,
) -> Path:
    """Align `calls` with the reference `steps`; `where` begins the message about a bad rule."""
    slots = as_slots(steps)
    reference = [call for slot in slots for call in slot.calls]
    rules.check_names(reference, calls, where)
    accepted = accepted_calls(slots, calls, rules, where)
    aligned = align(slots, accepted, [call.error is not None for call in calls], mode)
    standing = {*aligned.matched.values(), *aligned.displaced.values()}
    return Path(
        slots,
        calls,
        mode,
        aligned,
        _members_of(accepted, len(calls)),
        frozenset(call.name for call in reference),
        repeated_writes(calls, writing, standing, (slot.calls for slot in slots), where),
    )


def _members_of(accepted: Sequence[int], width: int) -> frozenset[int]:
    """Return the positions of the calls that any step accepts."""
    together = 0
    for mask in dict.fromkeys(accepted):
        together |= mask
    return frozenset(place for place, bit in enumerate(f"{together:0{width}b}") if bit == "1")
