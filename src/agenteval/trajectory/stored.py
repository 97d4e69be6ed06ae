"""Arguments in the form that JSON gives back, so that a run scores the same before and after.

A run that was resumed from a log has gone through JSON, where a tuple comes back as a list. Runs
hold their calls in that form from the start, and a task's reference is read into it.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AnySet
from typing import Any

from agenteval._messages import cut

__all__ = ["is_stored", "json_args", "reference_args", "run_args"]

_ATOMS = frozenset({str, int, float, bool, type(None)})

# A log writes what is nested deeper as text.
_MAX_DEPTH = 90

# An object's repr can be the whole of a picture or a data frame.
_MAX_REPR = 10_000


def is_stored(value: Any, room: int = _MAX_DEPTH + 1) -> bool:
    """Say whether `value` has the form already, and is nested no deeper than `room` levels."""
    kind = type(value)
    if kind in _ATOMS:
        return True
    if room == 0:
        return False
    if kind is dict:
        for key, inner in value.items():
            if type(key) is not str or (
                type(inner) not in _ATOMS and not is_stored(inner, room - 1)
            ):
                return False
        return True
    if kind is list:
        for inner in value:
            if type(inner) not in _ATOMS and not is_stored(inner, room - 1):
                return False
        return True
    return False


def run_args(args: Mapping[str, Any]) -> Any:
    """Return a copy of a run's arguments as JSON holds them.

    Tuples are lists, sets sorted lists, mappings dicts and numbers of other libraries numbers; any
    other object is ``{"__repr__": text}``, as a log has it, and so is an argument that contains
    itself or is nested more than 90 levels deep.

    >>> run_args({"at": (1, 2), "tags": {"b", "a"}, "by": frozenset})
    {'at': [1, 2], 'tags': ['a', 'b'], 'by': {'__repr__': "<class 'frozenset'>"}}
    """
    return _RunForm().of_args(args)


def reference_args(args: Mapping[str, Any]) -> Any:
    """Return a reference call's arguments with tuples, sets, dates and bytes as a run has them.

    Any other object is kept, as its ``==`` decides; it also equals the ``{"__repr__": text}`` that
    a run holds in its place.
    """
    return _ReferenceForm().of_args(args)


def json_args(args: Mapping[str, Any], where: str) -> Any:
    """Return a reference call's arguments as ``json.dumps`` takes them and ``loads`` gives them.

    Raises:
        TypeError: One of them holds what JSON cannot; the message names it after `where`.
        ValueError: One is nested too deep, or contains itself.
    """
    form = _JsonForm()
    found = {}
    for name, value in args.items():
        form.where = f"{where}: args"
        key = form.key(name)
        form.where = f"{where}: the argument {key!r}"
        try:
            found[key] = form.convert(value)
        except RecursionError:
            raise ValueError(
                f"{form.where} is nested too deep for JSON, or contains itself"
            ) from None
    return found


class _Form:
    """Converts Python's own containers; what other values and keys become, subclasses say."""

    def of_args(self, args: Mapping[str, Any]) -> dict[Any, Any]:
        """Convert arguments, each for itself; of what is too deep the text is left."""
        found = {}
        for name, value in args.items():
            key = name if type(name) is str else self.key(name)
            try:
                found[key] = self.convert(value)
            except RecursionError:
                found[key] = {"__repr__": cut(value, _MAX_REPR)}
        return found

    def convert(self, value: Any, room: int = _MAX_DEPTH) -> Any:
        """Convert a value that is nested no deeper than `room` levels.

        Raises:
            RecursionError: It is nested deeper, or contains itself.
        """
        kind = type(value)
        if kind in _ATOMS:
            return value
        if room == 0:
            raise RecursionError
        if kind is dict:
            return {
                name if type(name) is str else self.key(name): self.convert(inner, room - 1)
                for name, inner in value.items()
            }
        if kind is list or kind is tuple:
            return [self.convert(inner, room - 1) for inner in value]
        if kind is set or kind is frozenset:
            return sorted([self.convert(inner, room - 1) for inner in value], key=_rank)
        return self.other(value)

    def key(self, key: Any) -> Any:
        return key

    def other(self, value: Any) -> Any:
        raise NotImplementedError


class _ReferenceForm(_Form):
    """What `reference_args` makes of values."""

    def other(self, value: Any) -> Any:
        if type(value) is bytes or type(value).__module__ in ("datetime", "uuid"):
            return _RunForm().other(value)  # nothing that JSON has is equal to it
        try:
            anything = bool(value == object())
        except Exception:  # noqa: BLE001 - what an == of the caller's raises is told where it counts
            anything = False
        return value if anything else _Kept(value)


class _Kept:
    """An object of a reference, equal to what it equals and to what a run holds in its place."""

    __slots__ = ("stand_in", "value")
    __hash__ = None  # type: ignore[assignment]  # what it equals may have any hash

    def __init__(self, value: Any) -> None:
        self.value = value
        self.stand_in = _RunForm().other(value)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, _Kept):
            other = other.value
        if type(other) is type(self.stand_in) and other == self.stand_in:
            return True
        return bool(self.value == other)

    def __repr__(self) -> str:
        return repr(self.value)


class _RunForm(_Form):
    """What `run_args` makes of values."""

    def key(self, key: Any) -> Any:
        plain = self.convert(key)
        return plain if type(plain) in _ATOMS else cut(key, _MAX_REPR)

    def other(self, value: Any) -> Any:
        if isinstance(value, _Kept):
            return value.stand_in
        for kind in (str, int, float):
            if isinstance(value, kind):  # an enumeration's member, say
                return getattr(kind, f"__{kind.__name__}__")(value)
        if isinstance(value, Mapping):
            return self.convert(dict(value))
        if isinstance(value, (list, tuple)):
            return self.convert(list(value))
        if isinstance(value, AnySet):
            return self.convert(set(value))
        if getattr(value, "shape", None) == ():  # a number of an array library
            item = value.item()
            if type(item) in _ATOMS:
                return item
        return {"__repr__": cut(value, _MAX_REPR)}


class _JsonForm(_Form):
    """What `json_args` makes of values; ``where`` begins the message about one that JSON lacks."""

    where = ""

    def key(self, key: Any) -> Any:
        if not isinstance(key, str):
            raise TypeError(
                f"{self.where} has the key {type(key).__name__} {cut(key)}, which JSON would make "
                "a text; use text keys"
            )
        return str.__str__(key)

    def other(self, value: Any) -> Any:
        raise TypeError(
            f"{self.where} holds {type(value).__name__} {cut(value)}, which JSON cannot hold; keep "
            "such a reference in Python, or say with 'args_match' which arguments count"
        )


def _rank(member: Any) -> tuple[bool, Any, str]:
    """Order the members of a set: numbers by their size, then all others by their text."""
    if isinstance(member, (int, float)):
        return False, member, ""
    return True, 0, repr(member)
