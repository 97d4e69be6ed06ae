"""One tool call: its name and arguments, when two calls are the same, and how JSON stores it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import FrozenInstanceError, dataclass, field
from functools import lru_cache
from typing import Any, cast

from agenteval._messages import cut, nearest
from agenteval.records import CallDict, CallLike
from agenteval.trajectory.stored import run_args

__all__ = ["Call", "as_call", "as_calls", "as_dict", "is_plain"]


@dataclass(frozen=True, slots=True, init=False)
class Call:
    """One tool call of a run or a reference.

    Two calls are the same when their names are equal and ``args == args`` as Python says; `error`
    is no part of a call's identity.

    Args:
        name: The tool's name.
        args: The arguments by name; ``None`` means no arguments.
        error: What went wrong in the tool; ``None`` when it answered. Any text, also an empty one,
            says that it failed.

    Raises:
        TypeError: `args` is not a mapping, `name` is not text, or `error` is neither text nor
            ``None``.

    >>> Call("refund", {"order": 7}) == Call("refund", {"order": 7}, error="timeout")
    True
    >>> Call("get_policy").args
    {}
    """

    name: str
    args: Mapping[str, Any]
    error: str | None = field(default=None, compare=False)

    def __init__(
        self, name: str, args: Mapping[str, Any] | None = None, error: str | None = None
    ) -> None:
        if type(name) is not str or type(args) is not dict or error is not None:
            args = _checked(name, args, error)
        _set(self, "name", name)
        _set(self, "args", args)
        _set(self, "error", error)

    def key(self) -> tuple[Any, ...]:
        """Return a hashable stand-in for the call: two keys are equal exactly when the calls are.

        For flat arguments it is ``(name, tuple(sorted(args.items())))``; nested lists, dicts and
        sets are frozen inside it. An argument that no one can hash (`unittest.mock.ANY`, an array)
        makes a key that cannot be hashed either.

        Raises:
            ValueError: The arguments are nested hundreds of levels deep.

        >>> Call("f", {"b": 2, "a": 1}).key()
        ('f', (('a', 1), ('b', 2)))
        """
        try:
            items = tuple(sorted(self.args.items()))
            hash(items)
        except TypeError:
            try:
                return self.name, _freeze_items(self.args)
            except RecursionError:
                raise ValueError(
                    f"Call.key: the arguments of {cut(self.name)} are nested too deep for a key; "
                    "compare such calls with =="
                ) from None
        return self.name, items

    def __hash__(self) -> int:
        return hash(self.key())


_set = object.__setattr__  # a frozen dataclass has no other way to fill its fields


def _refuse_to_set(self: object, name: str, value: Any) -> None:  # noqa: ARG001 - the signature is Python's
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> None:  # noqa: ARG001 - as above
    raise FrozenInstanceError(f"cannot delete field {name!r}")


# What dataclass makes with slots stumbles over a name that is no field, with an odd TypeError.
Call.__setattr__ = _refuse_to_set  # type: ignore[method-assign]  # see above
Call.__delattr__ = _refuse_to_delete  # type: ignore[method-assign]  # see above


def _checked(name: object, args: object, error: object) -> dict[str, Any]:
    """Return a call's arguments as a dict, or say what is wrong with the call."""
    if not isinstance(name, str):
        raise TypeError(f"Call: name must be a str, got {type(name).__name__} {cut(name)}")
    if error is not None and not isinstance(error, str):
        raise TypeError(
            f"Call({cut(name)}): error must be a str or None, got {type(error).__name__} "
            f"{cut(error)}; pass the error's text, or None when the tool answered"
        )
    if args is None:
        return {}
    if not isinstance(args, Mapping):
        hint = (
            "decode it with json.loads, or read the whole trace with agenteval.from_trace"
            if isinstance(args, (str, bytes))
            else "pass a dict of argument names and values"
        )
        raise TypeError(
            f"Call({cut(name)}): args must be a mapping, got {type(args).__name__} "
            f"{cut(args)}; {hint}"
        )
    return args if type(args) is dict else dict(args)


class _List:
    """Marks a list inside a key, so that it never equals a tuple; no argument holds this class."""


class _Dict:
    """Marks a dict inside a key; a class, as a copy of the key has to be equal to the key."""


class _OwnDict:
    """Stands inside a key for a dict with an ``==`` of its own, such as an `OrderedDict`.

    Two ordered ones are equal when their order is the same, one of them and a plain dict whatever
    the order.
    """

    __slots__ = ("frozen", "value")

    def __init__(self, value: Mapping[Any, Any], frozen: object) -> None:
        self.value = value
        self.frozen = frozen

    def __eq__(self, other: object) -> bool:
        if isinstance(other, _OwnDict):
            return self.value == other.value
        return self.frozen == other

    def __hash__(self) -> int:
        return hash(self.frozen)


def _freeze_items(args: Mapping[Any, Any]) -> object:
    frozen = [(name, _freeze(value)) for name, value in args.items()]
    try:
        return tuple(sorted(frozen, key=lambda item: item[0]))
    except TypeError:  # argument names of several kinds have no order
        return frozenset(frozen)


# Of these equal values have equal hashes; classes (`type`) mark lists and dicts inside a key.
_ATOMS = frozenset({str, int, float, bool, type(None), bytes, complex, type})
_MAX_DEPTH = 200  # a level of a key takes up to two of the 1000 frames that Python allows
_STANDARD = frozenset({"datetime", "decimal", "fractions", "uuid"})  # modules whose values do too
_COLLECTIONS = frozenset({list, tuple, set, frozenset})


def _freeze(value: Any) -> Any:
    """Make `value` hashable so that two frozen values are equal exactly when the values are."""
    kind: Any = type(value)
    if kind in _ATOMS:
        return value
    if kind is list or isinstance(value, list):
        return _List, tuple([_freeze(inner) for inner in value])
    if kind is dict or isinstance(value, Mapping):
        frozen = _Dict, frozenset([(name, _freeze(inner)) for name, inner in value.items()])
        own = isinstance(value, dict) and kind.__eq__ is not dict.__eq__
        return _OwnDict(value, frozen) if own else frozen
    if isinstance(value, tuple):
        return tuple([_freeze(inner) for inner in value])
    if isinstance(value, set):
        return frozenset(value)
    return value


def is_plain(value: Any, room: int = _MAX_DEPTH) -> bool:
    """Say whether `value` holds nothing but data, so that equal values have equal keys.

    An object of any other class may decide by its own ``==`` what it equals. Nor is that plain
    which is nested more than `room` levels deep: there may be no key of it, while ``==``, which
    runs in C, still reaches its end.
    """
    kind = type(value)
    if kind in _ATOMS:
        return True
    if kind is dict:
        return room > 0 and _all_plain(value.values(), room) and _all_plain(value, room)
    if kind in _COLLECTIONS:
        return room > 0 and _all_plain(value, room)
    return kind.__module__ in _STANDARD and _has_hash(value)


def _has_hash(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:  # a signaling NaN
        return False
    return True


def _all_plain(values: Iterable[Any], room: int) -> bool:
    for value in values:  # all() of a generator takes half as long again
        if type(value) not in _ATOMS and not is_plain(value, room - 1):
            return False
    return True


def as_call(call: CallLike) -> Call:
    """Return `call` as a `Call`: one already, a dict with ``name`` and ``args``, or a look-alike.

    Other keys of a dict (``id``, ``type``, ``seconds``) are its owner's and ignored, but not where
    one of them may hold what is missing: arguments read as none, or an error overlooked, would be
    graded as if the run had been another.

    Raises:
        TypeError: It is none of these; its arguments stand under another name than ``args``; or it
            has no ``error`` but says under another name whether it failed.

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
        if len(call) != 1 + ("args" in call) + ("error" in call):
            _refuse_foreign(call)
        return Call(call["name"], call.get("args"), call.get("error"))
    try:
        return Call(call.name, call.args, call.error)
    except AttributeError:
        hint = "; pass the calls of a list one by one (*calls)" if isinstance(call, list) else ""
        raise TypeError(
            "a call must be a Call or a dict with 'name' and 'args', "
            f"got {type(call).__name__} {cut(call)}{hint}"
        ) from None


def _refuse_foreign(call: Mapping[str, Any]) -> None:
    """Raise when one of a call's other keys may hold its arguments or its error."""
    others = [key for key in call if key not in ("name", "args", "error")]
    if "args" not in call:
        held = next(filter(_speaks_of_arguments, others), None)
        found = f"got them under {held!r}" if held else f"got none beside {cut(others[0])}"
        todo = "rename the key" if held else "write 'args': {} if it has none"
        raise TypeError(
            f"a call's arguments stand under 'args', {found} in {cut(call)}; {todo}, or read the "
            "whole trace with agenteval.from_trace"
        )
    if "error" not in call:
        held = next(
            (key for key in others if _speaks_of_an_error(key) or _says_failed(key, call[key])),
            None,
        )
        if held is not None:
            raise TypeError(
                f"a call's error stands under 'error', got {held!r} in {cut(call)}; say there in "
                "text what went wrong, or None when the tool answered"
            )


def _speaks_of_arguments(key: object) -> bool:
    return isinstance(key, str) and any(
        word in key.lower() for word in ("arg", "input", "param", "payload")
    )


@lru_cache  # a run has few keys, and the nearest word takes a while
def _speaks_of_an_error(key: object) -> bool:
    return isinstance(key, str) and (
        any(word in key.lower() for word in ("error", "exception", "fail"))
        or nearest(key.lower(), ("error",), cutoff=0.75) is not None
    )


def _says_failed(key: object, value: object) -> bool:
    """Say whether a key that tells success and failure alike tells failure."""
    if key == "status":
        return isinstance(value, str) and value.lower() in ("error", "failed", "failure")
    return key in ("ok", "success") and value is False


def as_calls(calls: Iterable[CallLike], where: str) -> list[Call]:
    """Return `calls` as a list of `Call`; `where` begins the message about one that is none.

    A list that holds nothing else is returned as it is.

    Raises:
        TypeError: `calls` is no iterable of calls; the message names the position.

    >>> as_calls([{"name": "ls"}], "score_trajectory: actual")
    [Call(name='ls', args={}, error=None)]
    """
    if type(calls) is list:
        for call in calls:
            if type(call) is not Call:
                break
        else:
            return calls
    if isinstance(calls, (str, bytes, Mapping, Call)) or not isinstance(calls, Iterable):
        raise TypeError(
            f"{where} must be a list of calls, got {type(calls).__name__} {cut(calls)}; "
            "pass a list of Call or {'name': ..., 'args': {...}}"
        )
    whole: list[Call] = []
    for call in calls:
        if type(call) is Call:
            whole.append(call)
            continue
        try:
            whole.append(as_call(call))
        except TypeError as slip:
            raise TypeError(f"{where}[{len(whole)}]: {slip}") from None
    return whole


def as_dict(call: CallLike) -> CallDict:
    """Return `call` as JSON stores it, its arguments copied.

    Tuples and sets become lists; any other object that JSON cannot hold is stored as
    ``{"__repr__": text}``.

    >>> as_dict(Call("rm", {"paths": ("x", "y")}))
    {'name': 'rm', 'args': {'paths': ['x', 'y']}, 'error': None}
    """
    whole = as_call(call)
    return cast(
        "CallDict", {"name": whole.name, "args": run_args(whole.args), "error": whole.error}
    )
