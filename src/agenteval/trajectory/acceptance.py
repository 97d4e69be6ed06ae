"""Which calls of a run each reference step accepts, as the bits that an alignment works on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import and_, or_
from typing import Any

from agenteval._messages import cut
from agenteval.trajectory.bitsets import bits, members
from agenteval.trajectory.calls import Call, is_plain
from agenteval.trajectory.items import Items
from agenteval.trajectory.references import Slot
from agenteval.trajectory.rules import Rule, Rules

__all__ = ["accepted_calls"]

Args = Mapping[str, Any]


class _RaisedError(Exception):
    """Carries the place of the call at which a comparison raised, which is its cause."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place


def accepted_calls(
    slots: Sequence[Slot], calls: Sequence[Call], rules: Rules, where: str
) -> list[int]:
    """Return for every slot the calls that it accepts: bit ``n - 1 - j`` is call ``j`` of ``n``.

    Plain arguments are looked up by key or by the value of each. Only what an ``==`` of its own or
    a callable decides is compared one with one, and of plain calls only with those whose plain
    arguments agree.

    Raises:
        ValueError: A callable or an ``==`` raised; `where` begins the message.
    """
    of_tool: dict[str, _ToolCalls] = {}
    for place, call in enumerate(reversed(calls)):
        if call.name not in of_tool:
            of_tool[call.name] = _ToolCalls(rules.of(call.name))
        of_tool[call.name].add(place, call.args)
    found = []
    for step, slot in enumerate(slots, 1):
        accepted = 0
        for call in slot.calls:
            if call.name in of_tool:
                try:
                    accepted |= of_tool[call.name].accepted_by(call.args)
                except _RaisedError as slip:
                    asked = "args_match" if rules.of(call.name).decide else "the == of an argument"
                    error = slip.__cause__
                    raise ValueError(
                        f"{where}: {asked} raised {type(error).__name__}: {error}; it was asked "
                        f"whether call {len(calls) - slip.place} of the run will do for step "
                        f"{step} of the reference, tool {cut(call.name)}"
                    ) from error
        found.append(accepted)
    return found


class _ToolCalls:
    """The calls of one tool, and which of them some reference arguments accept."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self._all: dict[int, Args] = {}
        self._parts: list[tuple[int, Args]] = []  # what is compared of those where it is plain
        self._others: list[tuple[int, Args]] = []  # what they equal, only they can say
        self._known: dict[object, int] = {}
        self._by_key: dict[object, list[int]] | None = None
        self._items: Items | None = None

    def add(self, place: int, args: Args) -> None:
        self._all[place] = args
        part = self._rule.project(args)
        if is_plain(part):
            self._parts.append((place, part))
        else:
            self._others.append((place, args))

    def accepted_by(self, wanted: Args) -> int:
        rule = self._rule
        part = rule.project(wanted)
        settled = (
            rule.decide is None
            and is_plain(part)
            and (part is wanted or is_plain(wanted) or rule.is_found_in(wanted))
        )
        key = _key(part if settled else wanted)
        if rule.decide is not None and is_plain(wanted):
            key = repr(wanted)  # what is equal, as 1 and True are, a callable may tell apart
        if key not in self._known:
            if settled:
                found = self._same(part) if rule.by_key else self._likely(part)
                found |= self._compared(wanted, self._others)
            elif rule.decide is None and rule.is_found_in(wanted):
                likely = [(place, self._all[place]) for place in members(self._likely(part))]
                found = self._compared(wanted, [*likely, *self._others])
            else:
                found = self._compared(wanted, self._all.items())
            self._known[key] = found
        return self._known[key]

    def _same(self, part: Args) -> int:
        if self._by_key is None:
            self._by_key = {}
            for place, own in self._parts:
                self._by_key.setdefault(_key(own), []).append(place)
        return bits(self._by_key.get(_key(part), ()))

    def _likely(self, part: Args) -> int:
        """Return the calls in which the plain arguments of `part` agree.

        The other ones are looked up by their name alone.
        """
        if self._items is None:
            self._items = Items(self._parts)
        items = self._items
        found = [
            items.holding(name, value) if is_plain(value) else items.having(name)
            for name, value in part.items()
        ]
        if self._rule.sides == "actual":
            at_least = items.counted(found)
            within = (
                places & at_least[len(names)]
                for names, places in items.by_names.items()
                if len(names) < len(at_least)
            )
            return reduce(or_, within, 0)
        both = self._rule.sides == "both"
        return reduce(and_, found, items.by_names.get(frozenset(part), 0) if both else items.all)

    def _compared(self, wanted: Args, calls: Iterable[tuple[int, Args]]) -> int:
        found = []
        place = 0
        try:
            for place, args in calls:
                if self._rule.accepts(wanted, args):
                    found.append(place)
        except Exception as error:
            raise _RaisedError(place) from error
        return bits(found)


def _key(args: Args) -> object:
    """Return a stand-in for arguments; one that decides by its own ``==`` stands for itself."""
    if is_plain(args):
        return Call("", args).key()
    return tuple(
        [
            (name, Call("", {name: value}).key() if is_plain(value) else id(value))
            for name, value in args.items()
        ]
    )
