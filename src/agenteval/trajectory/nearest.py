"""Which reference step a call with a wrong argument most likely meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from agenteval.records import Difference
from agenteval.trajectory.calls import Call, is_plain
from agenteval.trajectory.items import Items
from agenteval.trajectory.references import Slot
from agenteval.trajectory.rules import Rule, Rules

__all__ = ["Guess", "NearestStep"]

# Up to so many reference calls of a tool are compared one by one; more are looked up in an index.
_FEW = 32


class Guess(NamedTuple):
    """A reference step, and the arguments in which a call differs from it."""

    step: int
    differences: dict[str, Difference]


class NearestStep:
    """Find the step of a call's tool from which the fewest arguments differ.

    Among several a step that no call stands for, and that no earlier call was told, comes first,
    then the earliest.
    """

    def __init__(self, slots: Sequence[Slot], rules: Rules, taken: Iterable[int]) -> None:
        self._rules = rules
        self._spoken_for = set(taken)
        self._candidates: dict[str, list[tuple[int, Mapping[str, Any]]]] = {}
        for step, slot in enumerate(slots):
            for call in slot.calls:
                self._candidates.setdefault(call.name, []).append((step, call.args))
        self._indexes: dict[str, _Index] = {}

    def __call__(self, call: Call) -> Guess:
        """Return the step that `call`, whose tool the reference names, comes nearest to."""
        rule = self._rules.of(call.name)
        candidates = self._candidates[call.name]
        if len(candidates) > _FEW and is_plain(call.args):
            if call.name not in self._indexes:
                self._indexes[call.name] = _Index(candidates, rule, self._spoken_for)
            candidates = self._indexes[call.name].nearest(call.args)
        step, args = min(
            candidates,
            key=lambda candidate: (
                len(rule.differences(candidate[1], call.args)),
                candidate[0] in self._spoken_for,
            ),
        )
        self._spoken_for.add(step)
        for index in self._indexes.values():
            index.close(step)
        return Guess(step, rule.differences(args, call.args))


class _Index:
    """The reference calls of one tool by the values of their arguments; sets are bits."""

    def __init__(
        self,
        candidates: Sequence[tuple[int, Mapping[str, Any]]],
        rule: Rule,
        spoken_for: Iterable[int],
    ) -> None:
        self.rule = rule
        self.candidates = candidates
        self.odd = []  # those that decide by an ``==`` of their own
        rows = []
        self.of_step: dict[int, int] = {}
        for place, (step, args) in enumerate(candidates):
            self.of_step[step] = self.of_step.get(step, 0) | 1 << place
            if is_plain(args):
                rows.append((place, rule.project(args)))
            else:
                self.odd.append(candidates[place])
        self.items = Items(rows)
        self.open = (1 << len(candidates)) - 1
        for step in spoken_for:
            self.close(step)

    def close(self, step: int) -> None:
        """Note that `step` is spoken for."""
        self.open &= ~self.of_step.get(step, 0)

    def nearest(self, args: Mapping[str, Any]) -> list[tuple[int, Mapping[str, Any]]]:
        """Return a few candidates, with the nearest one among them.

        How many arguments differ is the number of names that are compared less the number of
        values that are equal; the latter are counted for all candidates at once.
        """
        part = self.rule.project(args)
        at_least = self.items.counted(
            self.items.holding(name, value) for name, value in part.items()
        )
        fewest: int | None = None
        found = 0
        for names, group in self.items.by_names.items():
            equal = max(count for count, mask in enumerate(at_least) if mask & group)
            differing = self._compared(names, part) - equal
            if fewest is None or differing < fewest:
                fewest, found = differing, 0
            if differing == fewest:
                found |= at_least[equal] & group
        first = found & self.open or found
        nearest = [] if not first else [self.candidates[(first & -first).bit_length() - 1]]
        return nearest + self.odd

    def _compared(self, names: frozenset[str], part: Mapping[str, Any]) -> int:
        if self.rule.sides == "actual":
            return len(part)
        return len(names) if self.rule.sides == "reference" else len(names.union(part))
