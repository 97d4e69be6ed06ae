"""What Vercel's AI SDK writes of a conversation on its spans.

Its ``ai.generateText`` and ``ai.streamText`` are around all steps of a run; each step's model has a
span ``.doGenerate`` or ``.doStream`` in there, and each tool one named ``ai.toolCall``.
"""

from __future__ import annotations

from typing import Any

from agenteval.traces.otel.messages import openai_message
from agenteval.traces.otel.parts import read_part
from agenteval.traces.otel.said import Said
from agenteval.traces.otel.spans import Span
from agenteval.traces.reading import json_text, mapping, optional_sequence

__all__ = [
    "AI_SDK_CALLS",
    "AI_SDK_GIVEN",
    "ai_sdk_given",
    "ai_sdk_said",
    "is_ai_sdk_run",
    "is_ai_sdk_step",
]

AI_SDK_CALLS = ("ai.response.toolCalls", "ai.result.toolCalls")
"""The attributes that list the calls, as JSON; the second is that of older versions."""

AI_SDK_GIVEN = "ai.prompt.messages"
"""The attribute with the messages that a model was given, as JSON."""

_RUNS = ("ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject")
_STEPS = (".doGenerate", ".doStream")
_TEXTS = ("ai.response.text", "ai.result.text", "ai.response.object", "ai.result.object")
_REASONS = ("ai.response.finishReason", "ai.finishReason")


def is_ai_sdk_run(span: Span) -> bool:
    """Say whether a span is around a whole run."""
    return _operation(span) in _RUNS


def is_ai_sdk_step(span: Span) -> bool:
    """Say whether a span is that of a model."""
    operation = _operation(span)
    return any(operation == f"{run}{step}" for run in _RUNS for step in _STEPS)


def _operation(span: Span) -> str:
    return span.text("ai.operationId") or span.name


def ai_sdk_said(span: Span, calls: Any) -> list[Said]:
    """Return what the model said, or the run in the end, with the calls that the span lists.

    Raises:
        TraceFormatError: An attribute has the wrong kind.
    """
    words = next((one for one in map(span.attributes.get, _TEXTS) if one is not None), None)
    if words is None and calls is None:
        return []
    said = Said("assistant")
    said.finish = span.text(*_REASONS)
    said.texts.append(json_text(words))
    where = f"{span.where}.attributes[{AI_SDK_CALLS[0]!r}]"
    for at, one in enumerate(optional_sequence(calls, where)):
        place = f"{where}[{at}]"
        read_part({**mapping(one, place), "type": "tool-call"}, said, place)
    return [said]


def ai_sdk_given(span: Span, messages: Any) -> list[Said]:
    """Return what the model was given.

    Raises:
        TraceFormatError: A message has the wrong kind.
    """
    where = f"{span.where}.attributes[{AI_SDK_GIVEN!r}]"
    return [
        openai_message(mapping(one, f"{where}[{at}]"), f"{where}[{at}]")
        for at, one in enumerate(optional_sequence(messages, where))
    ]
