"""One tool call: its name and arguments, when two calls are the same, and how JSON stores it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from agenteval._messages import cut
from agenteval.records import CallDict, CallLike

__all__ = ["Call", "as_call", "as_dict"]


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call of a run or a reference.

    Two calls are the same when their names are equal and ``args == args`` as Python says; `error`
    is no part of a call's identity.

    Args:
        name: The tool's name.
        args: The arguments by name; ``None`` means no arguments.
        error: What went wrong in the tool, or ``None`` when it answered.

    Raises:
        TypeError: `args` is not a mapping, or `name` is not text.

    >>> Call("refund", {"order": 7}) == Call("refund", {"order": 7}, error="timeout")
    True
    >>> Call("get_policy").args
    {}
    """

    name: str
    args: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if type(self.args) is dict and type(self.name) is str:
            return
        if self.args is None:
            object.__setattr__(self, "args", {})
        elif not isinstance(self.args, Mapping):
            hint = (
                "decode it with json.loads, or read the whole trace with agenteval.from_trace"
                if isinstance(self.args, (str, bytes))
                else "pass a dict of argument names and values"
            )
            raise TypeError(
                f"Call({cut(self.name)}): args must be a mapping, got {type(self.args).__name__} "
                f"{cut(self.args)}; {hint}"
            )
        if not isinstance(self.name, str):
            raise TypeError(
                f"Call: name must be a str, got {type(self.name).__name__} {cut(self.name)}"
            )

    def key(self) -> tuple[Any, ...]:
        """Return a hashable stand-in for the call: two keys are equal exactly when the calls are.

        For flat arguments it is ``(name, tuple(sorted(args.items())))``; nested lists, dicts and
        sets are frozen inside it.

        >>> Call("f", {"b": 2, "a": 1}).key()
        ('f', (('a', 1), ('b', 2)))
        """
        try:
            items = tuple(sorted(self.args.items()))
            hash(items)
        except TypeError:
            return self.name, _freeze_items(self.args)
        return self.name, items

    def __hash__(self) -> int:
        return hash(self.key())


def _freeze_items(args: Mapping[Any, Any]) -> object:
    frozen = [(name, _freeze(value)) for name, value in args.items()]
    try:
        return tuple(sorted(frozen, key=lambda item: item[0]))
    except TypeError:  # argument names of several kinds have no order
        return frozenset(frozen)


def _freeze(value: Any) -> Any:
    """Make `value` hashable so that two frozen values are equal exactly when the values are."""
    if isinstance(value, Mapping):
        return dict, frozenset((name, _freeze(inner)) for name, inner in value.items())
    if isinstance(value, list):
        return list, tuple(map(_freeze, value))
    if isinstance(value, tuple):
        return tuple(map(_freeze, value))
    if isinstance(value, (set, frozenset)):
        return frozenset(value)
    return value


def as_call(call: CallLike) -> Call:
    """Return `call` as a `Call`: one already, a dict with ``name`` and ``args``, or a look-alike.

    >>> as_call({"name": "rm", "args": {"path": "x"}})
    Call(name='rm', args={'path': 'x'}, error=None)
    """
    if isinstance(call, Call):
        return call
    if isinstance(call, Mapping):
        if "name" not in call:
            raise TypeError(
                f"a call needs a 'name', got {cut(call)}; "
                "pass a Call or {'name': ..., 'args': {...}}"
            )
        return Call(call["name"], call.get("args") or {}, call.get("error"))
    try:
        return Call(call.name, call.args, call.error)
    except AttributeError:
        raise TypeError(
            "a call must be a Call or a dict with 'name' and 'args', "
            f"got {type(call).__name__} {cut(call)}"
        ) from None


def as_dict(call: CallLike) -> CallDict:
    """Return `call` as JSON stores it.

    >>> as_dict(Call("rm", {"path": "x"}))
    {'name': 'rm', 'args': {'path': 'x'}, 'error': None}
    """
    whole = as_call(call)
    return cast("CallDict", {"name": whole.name, "args": dict(whole.args), "error": whole.error})
