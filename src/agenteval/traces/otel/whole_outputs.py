"""Calls in a model's output that a span keeps whole, in an attribute of its own convention.

Some instrumentations and stores write what the model replied as one JSON text: a provider's
response, a message, or a list of either. Such a span is looked into for calls alone, where nothing
else on it tells what the model said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agenteval.traces.call_shapes import bears_call
from agenteval.traces.marks import objects_in, part_mark
from agenteval.traces.otel.messages import genai_messages
from agenteval.traces.otel.said import Said
from agenteval.traces.otel.spans import Span
from agenteval.traces.otel.tool_marks import kind_of
from agenteval.traces.otel.values import from_json_or
from agenteval.traces.reading import plain

__all__ = ["whole_outputs"]

_OWN = ("gen_ai.completion", "gen_ai.output_messages")
_CALLS = "gen_ai.response.tool_calls"  # a list of calls alone
_OF_MODELS = (
    "output.value",
    "traceloop.entity.output",
    "mlflow.spanOutputs",
    "langfuse.observation.output",
)
_EVENT = "gen_ai.content.completion"
_MODEL_OPERATIONS = ("chat", "generate_content", "text_completion")
_MODEL_KINDS = ("llm", "chat_model", "generation")
_KINDS = ("mlflow.spanType", "langfuse.observation.type", "langsmith.span.kind")
_HOLDERS = ("choices", "candidates", "generations", "output", "message", "content", "kwargs")
_DEEPEST = 6  # LangChain: generations, two lists, a generation, its message, kwargs
_OF_A_CALL = ("name", "tool", "toolName", "tool_name", "function", "custom")
_ALTERNATIVES = ("choices", "candidates")


def whole_outputs(span: Span) -> list[Said]:
    """Return the messages with calls in the output that a model's span keeps whole.

    Raises:
        TraceFormatError: A message with calls is damaged.
    """
    operation = span.text("gen_ai.operation.name")
    if operation not in (None, *_MODEL_OPERATIONS):
        return []
    keys = (*_OWN, *_OF_MODELS) if operation is not None or _is_model(span) else _OWN
    held = [(span.attributes.get(key), f"{span.where}.attributes[{key!r}]") for key in keys]
    held += [
        (event.attributes.get(_OWN[0]), f"{span.where}.events[{_EVENT!r}]")
        for event in span.events
        if event.name == _EVENT
    ]
    for raw, where in held:
        found = None if raw is None else from_json_or(raw, None)
        messages = list(_with_calls(found, 0))
        if messages:
            return genai_messages(messages, where)
    calls = from_json_or(span.attributes.get(_CALLS), None)
    return genai_messages([{"tool_calls": calls}], f"{span.where}.attributes") if calls else []


def _is_model(span: Span) -> bool:
    kinds = [kind_of(span), *(span.text(key) for key in _KINDS)]
    return any(kind is not None and kind.strip('"').lower() in _MODEL_KINDS for kind in kinds)


def _with_calls(found: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    """Yield the messages with calls, and marked calls alone, in a reply or a list of replies.

    What may as well be an answer in JSON, as an object with a name and arguments, is no call.
    """
    found = plain(found)
    if depth > _DEEPEST:
        return
    if isinstance(found, (list, tuple)):
        for one in found:
            yield from _with_calls(one, depth + 1)
    elif isinstance(found, Mapping):
        held = {key: one for key, one in found.items() if key not in _OF_A_CALL}
        if bears_call(held) or (part_mark(found) is not None and bears_call(found)):
            yield found
            return
        for key in _HOLDERS:
            inner = found.get(key)
            if key in _ALTERNATIVES:
                inner = list(objects_in(inner))[:1]
            yield from _with_calls(inner, depth + 1)
