"""Arguments of a Gemini call that were streamed in pieces, put together again.

Vertex AI can send a call as several parts: the first has the name, each may have ``partialArgs``
(a JSON path and a piece of the value there) and says with ``willContinue`` that more will follow.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from agenteval.traces.errors import TraceFormatError
from agenteval.traces.reading import mapping, optional_sequence, text

__all__ = ["add_pieces"]

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\['([^']*)'\]|\[\"([^\"]*)\"\]")
_MOST_ITEMS = 10_000  # an index beyond the end of a list by more than this is damage, not data
_VALUES = (
    "stringValue",
    "string_value",
    "numberValue",
    "number_value",
    "boolValue",
    "bool_value",
)


def add_pieces(arguments: dict[str, Any], pieces: Any, where: str) -> None:
    """Put the pieces of a part's ``partialArgs`` where their paths say, inside `arguments`.

    A piece of text is added to text that is there already; any other value takes its place.

    Args:
        arguments: What has been put together so far; changed in place.
        pieces: The list under ``partialArgs`` (or ``partial_args``), or ``None``.
        where: The place, for messages.

    Raises:
        TraceFormatError: A piece is no object, or its path leads nowhere.

    >>> arguments = {}
    >>> add_pieces(arguments, [{"jsonPath": "$.to[0].city", "stringValue": "Par"}], "here")
    >>> add_pieces(arguments, [{"jsonPath": "$.to[0].city", "stringValue": "is"}], "here")
    >>> arguments
    {'to': [{'city': 'Paris'}]}
    """
    for at, one in enumerate(optional_sequence(pieces, where)):
        place = f"{where}[{at}]"
        piece = mapping(one, place)
        path = text(piece.get("jsonPath", piece.get("json_path")), f"{place}.jsonPath")
        steps = _steps(path, f"{place}.jsonPath")
        _put(arguments, steps, _value(piece), f"{place}.jsonPath")


def _steps(path: str, where: str) -> list[str | int]:
    steps: list[str | int] = []
    at = 1
    while path.startswith("$") and at < len(path):
        found = _STEP.match(path, at)
        if found is None:
            break
        name, index, single, double = found.groups()
        steps.append(int(index) if index is not None else name or single or double or "")
        at = found.end()
    if not steps or at < len(path):
        raise TraceFormatError(where, "a JSON path such as '$.a.b[0]'", path)
    return steps


def _value(piece: Mapping[str, Any]) -> Any:
    """Return a piece's value; ``None`` for a null, and where it has none."""
    for key in _VALUES:
        if piece.get(key) is not None:
            return piece[key]
    return None


def _put(arguments: dict[str, Any], steps: list[str | int], value: Any, where: str) -> None:
    holder: Any = arguments
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        if isinstance(step, int):
            _grow(holder, step, where)
        elif not isinstance(holder, dict):
            raise TraceFormatError(where, "a path through objects", steps)
        there = holder[step] if isinstance(step, int) else holder.get(step)
        if following is None:
            joins = isinstance(there, str) and isinstance(value, str)
            holder[step] = there + value if joins else value
        elif there is None:
            holder[step] = [] if isinstance(following, int) else {}
        holder = holder[step]


def _grow(holder: Any, index: int, where: str) -> None:
    if not isinstance(holder, list) or index > len(holder) + _MOST_ITEMS:
        raise TraceFormatError(where, "an index into a list", index)
    holder.extend([None] * (index + 1 - len(holder)))
