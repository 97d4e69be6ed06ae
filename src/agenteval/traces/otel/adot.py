"""LangChain's spans as the AWS distribution of OpenTelemetry stores them: events with bodies.

Each span has one event with a body of ``input`` and ``output`` messages, whose content is JSON of
LangChain's own objects: the generations of a model, a tool's message, or a graph's state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenteval.traces.endings import says_failed
from agenteval.traces.otel.messages import openai_message
from agenteval.traces.otel.said import Said
from agenteval.traces.otel.spans import Span
from agenteval.traces.otel.talk import Talk, answer_in
from agenteval.traces.otel.tools import Tool, object_in
from agenteval.traces.otel.values import from_json_or
from agenteval.traces.reading import identifier, json_text, mapping, optional_sequence, text

__all__ = ["read_bodies"]


def read_bodies(span: Span, talk: Talk) -> Tool | None:
    """Add to a span's talk what the bodies of its events tell; return the call if it is a tool.

    Raises:
        TraceFormatError: A field has the wrong kind.
    """
    for event in span.events:
        body = event.body
        if not isinstance(body, Mapping) or "output" not in body:
            continue
        where = f"{span.where}.events.body"
        answer = _last_content(body.get("output"), f"{where}.output")
        found = from_json_or(answer, answer)
        if not isinstance(found, Mapping):
            continue
        if "generations" in found:
            talk.outputs += _generations(found["generations"], where)
            talk.marked = True
        elif "tool_call_id" in found and "name" in found:
            return _tool(span, found, _last_content(body.get("input"), f"{where}.input"))
        elif "messages" in found:
            words = answer_in(found)
            talk.marked = talk.agent = True
            if words is not None:
                said = Said("assistant")
                said.texts.append(words)
                talk.outputs.append(said)
    return None


def _last_content(side: Any, where: str) -> Any:
    if not isinstance(side, Mapping):
        return None
    messages = optional_sequence(side.get("messages"), f"{where}.messages")
    return mapping(messages[-1], f"{where}.messages[-1]").get("content") if messages else None


def _generations(raw: Any, where: str) -> list[Said]:
    """Read the first generation of each prompt: the others are alternatives to it."""
    found = []
    for at, batch in enumerate(optional_sequence(raw, f"{where}.generations")):
        place = f"{where}.generations[{at}]"
        several = optional_sequence(batch, place)
        if several:
            generation = mapping(several[0], f"{place}[0]")
            message = mapping(generation.get("message") or {}, f"{place}[0].message")
            message = mapping(message.get("kwargs", message), f"{place}[0].message.kwargs")
            words = message.get("content") or generation.get("text")
            calls = message.get("tool_calls")
            fields = {"role": "assistant", "content": words, "tool_calls": calls}
            found.append(openai_message(fields, place))
    return found


def _tool(span: Span, message: Mapping[str, Any], given: Any) -> Tool:
    where = f"{span.where}.events.body"
    tool = Tool(span, text(message["name"], f"{where}.name"), is_mcp=False)
    tool.id = identifier(message["tool_call_id"], f"{where}.tool_call_id")
    if given is not None:
        found = object_in(given)
        tool.arguments = {"_raw": json_text(given)} if found is None else found
    tool.result = json_text(message.get("content"))
    if says_failed(message.get("status")):
        tool.error = tool.result or True
    return tool
