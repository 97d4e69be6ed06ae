"""When a call's arguments agree with a reference call's: what ``args_match=`` may say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Literal, NamedTuple

from agenteval._messages import cut, one_of
from agenteval.records import Difference
from agenteval.trajectory.calls import Call, is_plain

__all__ = ["EXACT", "Rule", "Rules", "read_rules"]

Args = Mapping[str, Any]

_ABSENT = object()


class Rule(NamedTuple):
    """What to compare of a reference call's and a call's arguments; equal means that they agree.

    Args:
        names: The argument names to compare, dotted for nested ones; ``None`` compares all.
        sides: Whose arguments have to be found on the other side: of ``both``, so that two calls
            agree exactly when what is compared of them is equal, only of the ``actual`` call (a
            subset), or only of the ``reference`` (a superset).
        decide: A callable ``(actual_args, reference_args)`` that decides in place of equality.
    """

    names: tuple[str, ...] | None = None
    sides: Literal["both", "actual", "reference"] = "both"
    decide: Callable[[Args, Args], Any] | None = None

    @property
    def by_key(self) -> bool:
        """Say whether plain arguments agree exactly when the keys of what is compared are equal."""
        return self.sides == "both" and self.decide is None

    def accepts(self, reference: Args, actual: Args) -> bool:
        """Say whether `actual` will do where the reference has `reference`."""
        if self.decide is not None:
            return _agreement(self.decide(actual, reference))
        wanted, given = self.compared(reference, actual)
        return bool(wanted == given)

    def differences(self, reference: Args, actual: Args) -> dict[str, Difference]:
        """Return the arguments that differ, each with the values of the sides that have it."""
        wanted, given = self.compared(reference, actual)
        found: dict[str, Difference] = {}
        for name in dict.fromkeys([*wanted, *given]):
            if name not in given:
                found[name] = {"reference": wanted[name]}
            elif name not in wanted:
                found[name] = {"actual": given[name]}
            elif not _equal(wanted[name], given[name]):
                found[name] = {"reference": wanted[name], "actual": given[name]}
        return found

    def compared(self, reference: Args, actual: Args) -> tuple[Args, Args]:
        """Return the part of both sides' arguments that has to be equal."""
        if self.names is not None:
            return _named(self.names, reference, actual)
        if self.sides == "actual":
            return {name: reference[name] for name in actual if name in reference}, actual
        if self.sides == "reference":
            return reference, {name: actual[name] for name in reference if name in actual}
        return reference, actual

    def project(self, args: Args) -> Args:
        """Return the part of one side's arguments that is compared with a part like it."""
        found = self.part(args)
        return found if found or not self.names else args  # as in `_named`

    def part(self, args: Args) -> Args:
        """Return those of one side's arguments that the rule names."""
        if self.names is None:
            return args
        found = {name: _at(args, name) for name in self.names}
        return {name: value for name, value in found.items() if value is not _ABSENT}

    def speaks_of(self, args: Args) -> bool:
        """Say whether `args` have something to compare, or need not have."""
        return not self.names or bool(self.part(args))

    def is_found_in(self, args: Args) -> bool:
        """Say whether `args` have every argument that the rule names, each under its own name."""
        return all(_at(args, name) is not _ABSENT for name in self.names or ())


def _agreement(said: Any) -> bool:
    """Return what a callable said, unless that would count as agreement whatever it meant."""
    if (
        isinstance(said, (str, bytes, tuple))
        or said is NotImplemented
        or hasattr(said, "__await__")
    ):
        if hasattr(said, "close"):
            said.close()  # a coroutine that nobody awaits would complain
        raise TypeError(
            f"it must return True or False, got {type(said).__name__} {cut(said)}; "
            "a rule cannot be async"
        )
    return bool(said)


def _equal(wanted: Any, given: Any) -> bool:
    """Say whether two values are equal, as in a comparison of whole dicts."""
    try:
        return wanted is given or bool(wanted == given)
    except Exception:  # noqa: BLE001 - what cannot be compared does not agree
        return False


def _at(args: Args, name: str) -> Any:
    """Return the argument `name`, in nested dicts when it is dotted, or `_ABSENT`."""
    if name in args:
        return args[name]
    here: Any = args
    for part in name.split("."):
        if not isinstance(here, Mapping) or part not in here:
            return _ABSENT
        here = here[part]
    return here


def _decider(args: Args, name: str) -> str | None:
    """Return the name of the object on the way to `name` whose ``==`` decides about all below."""
    parts = name.split(".")
    for end in range(1, len(parts)):
        above = ".".join(parts[:end])
        value = _at(args, above)
        if value is not _ABSENT and not isinstance(value, Mapping):
            return None if is_plain(value) else above
    return None


def _named(names: Collection[str], reference: Args, actual: Args) -> tuple[Args, Args]:
    wanted: dict[str, Any] = {}
    given: dict[str, Any] = {}
    for name in names:
        place = name
        if _at(reference, name) is _ABSENT:
            place = _decider(reference, name) or name
        for side, found in ((reference, wanted), (actual, given)):
            value = _at(side, place)
            if value is not _ABSENT:
                found[place] = value
    if names and not wanted and not given:
        return reference, actual  # nothing to compare is no agreement: only the same calls match
    return wanted, given


EXACT = Rule()

_BY_NAME = {
    "exact": EXACT,
    "ignore": Rule(names=()),
    "subset": Rule(sides="actual"),
    "superset": Rule(sides="reference"),
}


class Rules(NamedTuple):
    """The rule of every tool."""

    by_tool: Mapping[str, Rule]
    rest: Rule = EXACT
    checked: bool = False
    """Whether `check_names` has been asked about all that the rules will be used for."""

    def of(self, tool: str) -> Rule:
        """Return the rule of `tool`."""
        return self.by_tool.get(tool, self.rest)

    def key(self, call: Call) -> tuple[Any, ...]:
        """Return a stand-in for what is compared of `call`, as `Call.key` is one for all of it."""
        return Call(call.name, self.of(call.name).project(call.args)).key()

    def check_names(self, reference: Iterable[Call], calls: Iterable[Call], where: str) -> None:
        """Raise when a rule compares an argument that no call of its tool has, on either side.

        Two calls that both lack it would agree without having been compared.
        """
        if self.checked or all(not rule.names for rule in (*self.by_tool.values(), self.rest)):
            return
        args_of: dict[str, list[Args]] = {}
        for step in reference:
            args_of.setdefault(step.name, []).append(step.args)
        for call in calls:
            if call.name in args_of:
                args_of[call.name].append(call.args)
        for tool, sides in args_of.items():
            for name in self.of(tool).names or ():
                if all(_at(args, name) is _ABSENT and not _decider(args, name) for args in sides):
                    raise ValueError(
                        f"{where}: args_match compares the argument {cut(name)} of the tool "
                        f"{cut(tool)}, which neither the reference nor the run has; name one "
                        f"that exists, or give the tool its own rule: {{{tool!r}: ..., '*': ...}}"
                    )


def read_rules(args_match: Any, where: str) -> Rules:
    """Return what ``args_match=`` says as `Rules`.

    Raises:
        TypeError: It is of none of the kinds allowed.
        ValueError: It names no rule, or lists no argument.
    """
    if not isinstance(args_match, Mapping):
        return Rules({}, _rule(args_match, f"{where}: args_match"))
    rules = {}
    for tool, rule in args_match.items():
        if not isinstance(tool, str):
            raise TypeError(
                f"{where}: args_match must map tool names to rules, got the key {cut(tool)}"
            )
        rules[tool] = _rule(rule, f"{where}: args_match of {tool!r}")
    return Rules(rules, rules.get("*", EXACT))


def _rule(rule: Any, where: str) -> Rule:
    if isinstance(rule, str):
        if rule not in _BY_NAME:
            raise ValueError(
                f"{where} {cut(rule)} is no rule; {one_of(rule, _BY_NAME)}, or a list of the "
                "argument names to compare"
            )
        return _BY_NAME[rule]
    if callable(rule):
        return Rule(decide=rule)
    if isinstance(rule, (Mapping, bytes)) or not isinstance(rule, Collection):
        raise TypeError(
            f"{where} must be one of {', '.join(map(repr, _BY_NAME))}, a list of argument names "
            f"or a callable (actual_args, reference_args), got {type(rule).__name__} {cut(rule)}"
        )
    for name in rule:
        if not isinstance(name, str):
            raise TypeError(f"{where} must list argument names, got {cut(name)}")
    if not rule:
        raise ValueError(f"{where} lists no argument to compare; say 'ignore' if that is meant")
    return Rule(names=tuple(rule))
