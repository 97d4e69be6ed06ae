"""What the events on a tool's span tell of its call, where the span's attributes do not.

Strands Agents writes the arguments as ``gen_ai.tool.message`` and the result as ``gen_ai.choice``;
newer conventions have both as messages in ``gen_ai.client.inference.operation.details``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenteval.traces.otel.messages import genai_messages
from agenteval.traces.otel.said import Result, Said
from agenteval.traces.otel.spans import Span
from agenteval.traces.otel.texts import response_text
from agenteval.traces.otel.values import from_json_or

__all__ = ["arguments_of", "result_of"]

_DETAILS = "gen_ai.client.inference.operation.details"
_GIVEN = "gen_ai.tool.message"
_RETURNED = "gen_ai.choice"
_STRANDS = "strands-agents"


def arguments_of(span: Span, missing: Any) -> Any:
    """Return the arguments of a tool's call as the events on its span have them, or `missing`.

    Elsewhere ``gen_ai.tool.message`` is the result, so it counts only where that stands beside it,
    or in what Strands wrote.

    Raises:
        TraceFormatError: A message has the wrong kind.
    """
    for said in _messages(span, "gen_ai.input.messages"):
        for asked in said.calls:
            return asked.arguments
    fields = _fields(span, _GIVEN)
    written_by = span.text("gen_ai.provider.name", "gen_ai.system")
    if fields is None or not (written_by == _STRANDS or _fields(span, _RETURNED) is not None):
        return missing
    return fields.get("content", missing)


def result_of(span: Span) -> Result | None:
    """Return the result of a tool's call as the events on its span have it, or ``None``.

    Raises:
        TraceFormatError: A message has the wrong kind.
    """
    for said in _messages(span, "gen_ai.output.messages"):
        for result in said.results:
            return result
    fields = _fields(span, _RETURNED)
    if fields is None or fields.get("message") is None:
        return None
    return Result(None, response_text(from_json_or(fields["message"], fields["message"])))


def _messages(span: Span, key: str) -> list[Said]:
    found: list[Said] = []
    for event in span.events:
        if event.name == _DETAILS:
            body = event.body if isinstance(event.body, Mapping) else {}
            raw = event.attributes.get(key, body.get(key))
            raw = from_json_or(raw, raw)
            if isinstance(raw, (list, tuple)):
                found += genai_messages(raw, f"{span.where}.events[{key!r}]")
    return found


def _fields(span: Span, name: str) -> Mapping[str, Any] | None:
    for event in span.events:
        if event.name == name:
            return event.body if isinstance(event.body, Mapping) else event.attributes
    return None
