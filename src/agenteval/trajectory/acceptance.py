"""Which calls of a run each reference step accepts, as the bits that an alignment works on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agenteval.trajectory.assignment import bits
from agenteval.trajectory.calls import Call, is_plain
from agenteval.trajectory.references import Slot
from agenteval.trajectory.rules import Rule, Rules

__all__ = ["accepted_calls"]


def accepted_calls(slots: Sequence[Slot], calls: Sequence[Call], rules: Rules) -> list[int]:
    """Return for every slot the calls that it accepts: bit ``n - 1 - j`` is call ``j`` of ``n``.

    Plain arguments under a rule of equality are looked up by key, so the time is linear; all
    others are compared one with one.
    """
    of_tool: dict[str, _ToolCalls] = {}
    for place, call in enumerate(reversed(calls)):
        if call.name not in of_tool:
            of_tool[call.name] = _ToolCalls(rules.of(call.name))
        of_tool[call.name].add(place, call.args)
    found = []
    for slot in slots:
        accepted = 0
        for call in slot.calls:
            if call.name in of_tool:
                accepted |= of_tool[call.name].accepted_by(call.args)
        found.append(accepted)
    return found


class _ToolCalls:
    """The calls of one tool, and which of them some reference arguments accept."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.keyed: dict[object, list[int]] = {}
        self.others: list[tuple[int, Mapping[str, Any]]] = []
        self.all: list[tuple[int, Mapping[str, Any]]] = []
        self.known: dict[object, int] = {}

    def _key(self, args: Mapping[str, Any]) -> object:
        return Call("", self.rule.project(args) if self.rule.by_key else args).key()

    def add(self, place: int, args: Mapping[str, Any]) -> None:
        self.all.append((place, args))
        if self.rule.by_key and is_plain(args):
            self.keyed.setdefault(self._key(args), []).append(place)
        else:
            self.others.append((place, args))

    def accepted_by(self, wanted: Mapping[str, Any]) -> int:
        if self.rule.decide is not None or not is_plain(wanted):
            return self._compared(wanted, self.all)
        key = self._key(wanted)
        if key not in self.known:
            same = self.keyed.get(key, []) if self.rule.by_key else []
            self.known[key] = bits(same) | self._compared(wanted, self.others)
        return self.known[key]

    def _compared(
        self, wanted: Mapping[str, Any], calls: Sequence[tuple[int, Mapping[str, Any]]]
    ) -> int:
        return bits([place for place, args in calls if self.rule.accepts(wanted, args)])
