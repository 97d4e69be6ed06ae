"""Any Python value as plain JSON and back, with marks for what JSON cannot hold.

Numbers, text, ``True``, ``False``, ``None``, lists and dicts with text keys are stored as they are.
What JSON cannot hold is stored as a dict with one of these keys alone:

============= ================================================ ==========================
``__float__`` ``"nan"``, ``"inf"``, ``"-inf"``                 reads back as the float
``__int__``   an integer of more than 600 digits, in hex       reads back as the integer
``__str__``   text with a surrogate pair in two halves, split  reads back as the text
              between them (JSON would join the halves)
``__items__`` ``[key, value]`` pairs of a dict whose keys are  reads back as the dict; as it is
              not all text, or that looks like a mark itself   where a key is not hashable
``__repr__``  the ``repr`` of any other object                 reads back as it is: marked
============= ================================================ ==========================

Tuples become lists and mappings dicts; subclasses of ``str``, ``int`` and ``float`` (enumerations
among them) and the scalars of array libraries become the plain value; a call object becomes the
dict ``{"name", "args", "error"}``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from agenteval._messages import cut

__all__ = ["PlainValues", "is_plain", "restore"]

MARKS = frozenset({"__float__", "__int__", "__items__", "__repr__", "__str__"})

# Deeper values are stored as their repr. A level takes up to three of the 1000 frames that Python
# allows, and the caller has used some.
MAX_DEPTH = 100

# Python refuses to write or read decimal integers beyond a limit that is never below 640 digits.
BIG = 10**600

# An object's repr can be the whole of a picture or a data frame.
MAX_REPR = 10_000

_HALVES = re.compile("(?<=[\ud800-\udbff])(?=[\udc00-\udfff])")


def is_plain(value: Any, room: int = MAX_DEPTH) -> bool:
    """Tell whether JSON holds `value` exactly; halves of a surrogate pair are not looked for."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return True
    if kind is int:
        return not (value <= -BIG or value >= BIG)
    if kind is float:
        return math.isfinite(value)
    if room == 0:
        return False
    room -= 1
    if kind is list:
        for inner in value:  # noqa: SIM110 - all() takes twice as long
            if type(inner) is not str and not is_plain(inner, room):
                return False
        return True
    if kind is dict:
        for name, inner in value.items():
            if type(name) is not str:
                return False
            if type(inner) is not str and not is_plain(inner, room):
                return False
        return not _looks_marked(value)
    return False


def _looks_marked(value: Mapping[Any, Any]) -> bool:
    return len(value) == 1 and next(iter(value)) in MARKS


class PlainValues:
    """Turns any value into one that `is_plain`; never raises."""

    def convert(self, value: Any) -> Any:
        """Return `value` as plain JSON."""
        return self._convert(value, set())

    def items(self, pairs: list[list[Any]]) -> list[list[Any]]:
        """Return the pairs of a dict whose keys are not all text, in the order to store."""
        return pairs

    def other(self, value: Any, again: Callable[[Any], Any]) -> Any:  # noqa: ARG002 - for subclasses
        """Return what stands for a `value` that JSON has no form for; `again` converts parts."""
        return self._marked(value)

    def shown(self, value: Any) -> str:
        """Return the `repr` to store."""
        return cut(value, MAX_REPR)

    def _marked(self, value: Any) -> dict[str, Any]:
        return {"__repr__": _text(self.shown(value))}

    def _convert(self, value: Any, above: set[int]) -> Any:
        """Convert `value`; `above` holds the identities of the values that it is inside of."""
        try:
            if value is None or isinstance(value, bool):
                return value
            if isinstance(value, str):
                return _text(str.__str__(value))
            if isinstance(value, int):
                return _whole(int.__int__(value))
            if isinstance(value, float):
                return _real(float.__float__(value))
            if id(value) in above or len(above) >= MAX_DEPTH:
                return self._marked(value)
            above.add(id(value))
            try:
                return self._convert_inner(value, above)
            finally:
                above.discard(id(value))
        except KeyboardInterrupt:
            raise
        except BaseException:  # noqa: BLE001 - a value's own methods may raise whatever they like
            return self._marked(value)

    def _convert_inner(self, value: Any, above: set[int]) -> Any:
        if isinstance(value, (list, tuple)):
            return [self._convert(inner, above) for inner in value]
        if isinstance(value, Mapping):
            return self._mapping(value.items(), above)
        if _is_call(value):
            parts = (("name", value.name), ("args", value.args), ("error", value.error))
            return self._mapping(parts, above)
        if getattr(value, "shape", None) == ():  # a scalar of an array library
            item = value.item()
            if isinstance(item, (bool, int, float, str)):
                return self._convert(item, above)
        return self.other(value, lambda part: self._convert(part, above))

    def _mapping(self, items: Iterable[tuple[Any, Any]], above: set[int]) -> dict[str, Any]:
        pairs = [[self._convert(key, above), self._convert(inner, above)] for key, inner in items]
        plain = {key: inner for key, inner in pairs if type(key) is str}
        if len(plain) == len(pairs) and not _looks_marked(plain):
            return plain
        return {"__items__": self.items(pairs)}


def _is_call(value: Any) -> bool:
    return (
        isinstance(getattr(value, "args", None), Mapping)
        and isinstance(getattr(value, "name", None), str)
        and hasattr(value, "error")
    )


def _text(value: str) -> Any:
    if value.isascii():
        return value
    pieces = _HALVES.split(value)
    return value if len(pieces) == 1 else {"__str__": pieces}


def _whole(value: int) -> Any:
    return value if -BIG < value < BIG else {"__int__": hex(value)}


def _real(value: float) -> Any:
    return value if math.isfinite(value) else {"__float__": repr(value)}


def restore(value: Any) -> Any:
    """Return what `PlainValues.convert` was given, as far as its marks tell.

    Raises:
        ValueError: A mark does not hold what it must.

    >>> restore({"cost": {"__float__": "inf"}, "by": {"__repr__": "<Judge>"}})
    {'cost': inf, 'by': {'__repr__': '<Judge>'}}
    """
    if isinstance(value, list):
        return [restore(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    if _looks_marked(value):
        ((mark, held),) = value.items()
        try:
            return _RESTORE[mark](held)
        except (LookupError, TypeError, ValueError):
            raise ValueError(f"the mark {mark!r} cannot hold {cut(held)}") from None
    return {name: restore(inner) for name, inner in value.items()}


def _restore_items(held: Any) -> dict[Any, Any]:
    pairs = [(restore(key), restore(inner)) for key, inner in held]
    try:
        whole = dict(pairs)
    except TypeError:  # a key that JSON cannot hold, or a tuple, which came back as a list
        whole = {}
    return whole if len(whole) == len(pairs) else {"__items__": [list(pair) for pair in pairs]}


_RESTORE: dict[str, Callable[[Any], Any]] = {
    "__float__": lambda held: {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[held],
    "__int__": lambda held: int(held, 16),
    "__items__": _restore_items,
    "__repr__": lambda held: {"__repr__": restore(held)},
    "__str__": "".join,
}
