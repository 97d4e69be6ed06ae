"""Which reference step a call with a wrong argument most likely meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple

from agenteval.records import Difference
from agenteval.trajectory.bitsets import members
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
        if len(candidates) > _FEW and is_plain(call.args) and rule.speaks_of(call.args):
            if call.name not in self._indexes:
                self._indexes[call.name] = _Index(candidates, rule, self._spoken_for)
            step, args = self._indexes[call.name].nearest(call.args)
        else:
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
        self.odd = 0  # those of which nothing can be said without comparing them
        # The others by their arguments' names, and by which of these decide by their own ``==``.
        self.groups: dict[tuple[frozenset[str], frozenset[str]], int] = {}
        rows = []
        self.of_step: dict[int, int] = {}
        for place, (step, args) in enumerate(candidates):
            self.of_step[step] = self.of_step.get(step, 0) | 1 << place
            if not is_plain(args) and not rule.is_found_in(args):
                self.odd |= 1 << place
                continue
            part = rule.part(args)
            plain = {name: value for name, value in part.items() if is_plain(value)}
            rows.append((place, plain))
            group = frozenset(part), frozenset(part.keys() - plain.keys())
            self.groups[group] = self.groups.get(group, 0) | 1 << place
        self.items = Items(rows)
        self.open = (1 << len(candidates)) - 1
        for step in spoken_for:
            self.close(step)

    def close(self, step: int) -> None:
        """Note that `step` is spoken for."""
        self.open &= ~self.of_step.get(step, 0)

    def nearest(self, args: Mapping[str, Any]) -> tuple[int, Mapping[str, Any]]:
        """Return the candidate from which the fewest arguments differ.

        Only those are compared that could still come before the best one so far.
        """
        best: tuple[float, bool, int] = inf, True, 0
        for least, most, found in sorted(self._differing(args)):
            for closed, places in ((False, found & self.open), (True, found & ~self.open)):
                for place in members(places):
                    if best <= (least, closed, place):
                        break
                    differing = least
                    if least < most:
                        differing = len(self.rule.differences(self.candidates[place][1], args))
                    best = min(best, (differing, closed, place))
        return self.candidates[best[2]]

    def _differing(self, args: Mapping[str, Any]) -> Iterator[tuple[int, float, int]]:
        """Yield the fewest and the most arguments in which candidates differ, and which they are.

        How many differ is the number of names that are compared less the number of values that are
        equal; the latter are counted for all candidates at once. What decides by its own ``==`` may
        be equal too, but not all of it, as no candidate accepts the call.
        """
        part = self.rule.part(args)
        at_least = self.items.counted(
            self.items.holding(name, value) for name, value in part.items()
        )
        at_least.append(0)
        fewest = 1 if self.rule.decide is None else 0
        for (names, odd), group in self.groups.items():
            compared, unsure = self._compared(names, part), len(odd & part.keys())
            for equal, (found, more) in enumerate(pairwise(at_least)):
                if exactly := found & ~more & group:
                    most = compared - equal
                    yield min(most, max(most - unsure, fewest)), most, exactly
        if self.odd:
            yield 0, inf, self.odd

    def _compared(self, names: frozenset[str], part: Mapping[str, Any]) -> int:
        if self.rule.sides == "actual":
            return len(part)
        return len(names) if self.rule.sides == "reference" else len(names.union(part))
