"""A call's arguments as a dict, however the trace stored them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from agenteval._messages import cut
from agenteval.traces.json_texts import as_json

if TYPE_CHECKING:
    from json import JSONDecoder

__all__ = ["decode_arguments"]

_NESTED = 3  # JSON inside a JSON string is decoded this often; nobody encodes more than twice


def decode_arguments(arguments: Any) -> tuple[dict[str, Any], str | None]:
    r"""Return a call's arguments as a dict, and what was wrong with them, if anything.

    Args:
        arguments: A mapping (copied one level deep), JSON text of one (also when it was encoded
            twice), or nothing: ``None``, blank text and JSON ``null`` are no arguments.

    Returns:
        The arguments and ``None``; or ``{"_raw": text}`` and a sentence that says what is wrong,
        where the text does not parse as a whole (cut off, junk after it, ``NaN``) or does not hold
        a JSON object. Never raises: one spoiled call must not cost the rest of a trace.

    >>> decode_arguments('"{\\"room\\": 5}"')
    ({'room': 5}, None)
    >>> decode_arguments('{"room": 5')[0]
    {'_raw': '{"room": 5'}
    """
    value = arguments
    for _ in range(_NESTED):
        if isinstance(value, (bytes, bytearray)):
            value = value.decode("utf-8", "replace")
        if not isinstance(value, str):
            break
        if not value.strip():
            value = None
            break
        try:
            value = _decoder().decode(value)
        except (ValueError, RecursionError) as problem:
            return {"_raw": _as_text(arguments)}, f"arguments are not valid JSON: {cut(problem)}"
    if value is None:
        return {}, None
    if isinstance(value, Mapping):
        return dict(value), None
    return (
        {"_raw": _as_text(arguments)},
        f"arguments are not a JSON object but {type(value).__name__}",
    )


@cache
def _decoder() -> JSONDecoder:
    """One decoder for all calls: `json.loads` with an option would make a new one each time."""
    import json  # here, because importing agenteval must stay quick

    return json.JSONDecoder(parse_constant=_refuse_constant)


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is no JSON value")


def _as_text(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    if isinstance(arguments, (bytes, bytearray)):
        return arguments.decode("utf-8", "replace")
    return as_json(arguments)
