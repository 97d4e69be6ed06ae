"""Values and attributes as OTLP, Jaeger and in-memory exporters write them, as plain data."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from agenteval.traces.arguments import decode_arguments
from agenteval.traces.errors import TraceFormatError
from agenteval.traces.reading import json_text, mapping, plain, sequence, text

if TYPE_CHECKING:
    from json import JSONEncoder

__all__ = ["attributes", "canonical", "from_json", "from_json_or", "value"]

_DEEPEST = 100  # levels of lists and objects inside one value
_SNAKE = {
    "string_value": "stringValue",
    "int_value": "intValue",
    "double_value": "doubleValue",
    "bool_value": "boolValue",
    "array_value": "arrayValue",
    "kvlist_value": "kvlistValue",
    "bytes_value": "bytesValue",
}
_KINDS = frozenset(_SNAKE.values())


def value(raw: Any, where: str, depth: int = 0) -> Any:
    """Return an OTLP ``AnyValue`` as plain data; anything else is returned as it is.

    A whole number comes as text in OTLP's JSON and is a number here; bytes are base64 there and
    are text here, where they are UTF-8.

    >>> value({"arrayValue": {"values": [{"intValue": "40"}, {"boolValue": True}]}}, "here")
    [40, True]
    """
    if not isinstance(raw, Mapping) or len(raw) != 1:
        return raw
    key = next(iter(raw))
    kind = _SNAKE.get(key, key) if isinstance(key, str) else key
    if kind not in _KINDS:
        return raw
    if depth > _DEEPEST:
        raise TraceFormatError(where, f"at most {_DEEPEST} levels of nesting", raw)
    inner = raw[key]
    place = f"{where}.{key}"
    if kind == "arrayValue":
        values = sequence(mapping(inner, place).get("values", ()), f"{place}.values")
        return [_any_value(one, f"{place}[{at}]", depth + 1) for at, one in enumerate(values)]
    if kind == "kvlistValue":
        return attributes(mapping(inner, place).get("values"), place, depth + 1)
    if kind == "intValue":
        return _number(inner, int, place)
    if kind == "doubleValue":
        return _number(inner, float, place)
    return _decoded(inner) if kind == "bytesValue" else inner


def _any_value(raw: Any, where: str, depth: int) -> Any:
    """Return a value where OTLP has one for certain: there an empty object is no value at all."""
    return None if raw == {} else value(raw, where, depth)


def _number(inner: Any, kind: type[int] | type[float], where: str) -> Any:
    if isinstance(inner, str):
        try:
            return kind(inner)
        except ValueError:
            raise TraceFormatError(where, "a number", inner) from None
    return inner


def _decoded(inner: Any) -> Any:
    if isinstance(inner, str):
        try:
            return base64.b64decode(inner, validate=True).decode("utf-8")
        except (binascii.Error, ValueError):  # not base64, or not text
            return inner
    return inner


def attributes(raw: Any, where: str, depth: int = 0) -> dict[str, Any]:
    """Return attributes as a dict: an object, or OTLP's and Jaeger's list of keys and values.

    >>> attributes([{"key": "n", "value": {"intValue": "3"}}, {"key": "s", "value": "x"}], "here")
    {'n': 3, 's': 'x'}
    """
    raw = plain(raw)
    if raw is None:
        return {}
    if isinstance(raw, Mapping):
        return {
            str(key): one if isinstance(one, str) else value(one, f"{where}.{key}", depth)
            for key, one in raw.items()
        }
    found: dict[str, Any] = {}
    for at, one in enumerate(sequence(raw, where)):
        if _is_text(one):  # the commonest by far: read without making a name for its place
            found[one["key"]] = one["value"]["stringValue"]
            continue
        place = f"{where}[{at}]"
        pair = mapping(one, place)
        found[text(pair.get("key"), f"{place}.key")] = _any_value(pair.get("value"), place, depth)
    return found


def _is_text(pair: Any) -> bool:
    if not isinstance(pair, dict) or not isinstance(pair.get("key"), str):
        return False
    inner = pair.get("value")
    return isinstance(inner, dict) and len(inner) == 1 and "stringValue" in inner


def from_json(raw: Any) -> Any:
    """Return what JSON text holds; other values as they are, as backends store both.

    Raises:
        ValueError: The text is not JSON; exporters cut long attributes in the middle.
    """
    if not isinstance(raw, str):
        return raw
    import json  # here, because importing agenteval must stay quick

    try:
        return json.loads(raw)
    except RecursionError:
        raise ValueError("nested too deep") from None


def from_json_or(raw: Any, other: Any) -> Any:
    """Return what `from_json` does, or `other` where the text is not JSON."""
    try:
        return from_json(raw)
    except ValueError:
        return other


def canonical(arguments: Any) -> str:
    """Return one text for all the ways in which a trace may write the same arguments."""
    found, _ = decode_arguments(plain(arguments))
    try:
        return _encoder().encode(found)
    except (TypeError, ValueError, RecursionError):
        return json_text(found)


@cache
def _encoder() -> JSONEncoder:
    """One encoder for all calls: `json.dumps` with options makes a new one each time."""
    import json  # here, because importing agenteval must stay quick

    return json.JSONEncoder(sort_keys=True, default=repr)
