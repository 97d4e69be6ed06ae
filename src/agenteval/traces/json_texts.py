"""Any value as JSON text, however deep it is and whatever objects are in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from agenteval._messages import cut

if TYPE_CHECKING:
    from json import JSONEncoder

__all__ = ["as_json"]

_WIDTH = 1000  # of an object that is no JSON value, or a number too long to write


def as_json(value: Any) -> str:
    """Return a value as JSON text; objects that JSON does not have are shown as Python does.

    Never raises. Data too deep for the standard encoder, which goes no deeper than the stack
    allows, is written without it, so that two values that differ have different texts.

    >>> as_json({"eur": 3, "kinds": (1, None)})
    '{"eur": 3, "kinds": [1, null]}'
    """
    try:
        return _encoder().encode(value)
    except RecursionError:
        return "".join(_pieces(value))
    except (TypeError, ValueError):  # keys or numbers that JSON does not have, or a circle
        return _shown(value)


@cache
def _encoder() -> JSONEncoder:
    """One encoder for all values: `json.dumps` with an option would make a new one each time."""
    import json  # here, because importing agenteval must stay quick

    return json.JSONEncoder(ensure_ascii=False, default=_shown)


def _shown(value: Any) -> str:
    return cut(value, _WIDTH)


def _pieces(value: Any) -> Iterator[str]:
    """Yield the text of a value from the front to the back, with a stack of what is to come."""
    around: set[int] = set()
    waiting: list[Iterator[Any]] = [iter((value,))]
    holders: list[int] = []
    closing: list[str] = []
    while waiting:
        one = next(waiting[-1], waiting)
        if one is waiting:
            waiting.pop()
            if closing:
                yield closing.pop()
                around.discard(holders.pop())
        elif isinstance(one, _Written):
            yield one
        elif not isinstance(one, (Mapping, list, tuple)):
            yield as_json(one)
        elif id(one) in around:
            yield '"..."'
        else:
            around.add(id(one))
            holders.append(id(one))
            is_object = isinstance(one, Mapping)
            yield "{" if is_object else "["
            closing.append("}" if is_object else "]")
            waiting.append(_fields(one) if isinstance(one, Mapping) else _items(one))


class _Written(str):
    """Text that is JSON already."""

    __slots__ = ()


def _fields(record: Mapping[Any, Any]) -> Iterator[Any]:
    for at, (key, value) in enumerate(record.items()):
        name = as_json(key if isinstance(key, str) else _shown(key))
        yield _Written(f"{', ' if at else ''}{name}: ")
        yield value


def _items(listed: Any) -> Iterator[Any]:
    for at, value in enumerate(listed):
        if at:
            yield _Written(", ")
        yield value
