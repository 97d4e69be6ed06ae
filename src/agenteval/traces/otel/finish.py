"""Why the model stopped, as the spans of models say it in each of the conventions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenteval.traces.otel.spans import Span
from agenteval.traces.otel.talk import Talk
from agenteval.traces.otel.tool_marks import kind_of
from agenteval.traces.otel.values import from_json_or
from agenteval.traces.reading import either

__all__ = ["finish_reason"]

_KEYS = (
    "gen_ai.response.finish_reasons",
    "gen_ai.response.finish_reason",
    "llm.finish_reason",
    "llm.response.finish_reason",
    "llm.response.stop_reason",
)


def finish_reason(span: Span, talk: Talk) -> str | None:
    """Return why the last message of a span ended, in the provider's own word, or ``None``.

    A message's own word comes first, then the span's, then that of the provider's response, which
    OpenInference keeps whole where it has no field for it.
    """
    if talk.outputs and talk.outputs[-1].finish is not None:
        return talk.outputs[-1].finish
    for key in _KEYS:
        raw = span.attributes.get(key)
        found = None if raw is None else _last(raw)
        if found is not None:
            return found
    if kind_of(span) == "LLM":
        return _of_response(from_json_or(span.attributes.get("output.value"), None))
    return None


def _last(raw: Any) -> str | None:
    """Return the last of a list of reasons, which may be text of JSON's or of Python's making."""
    if isinstance(raw, str):
        raw = raw.strip(" []()").rstrip(",").split(",")
    last = raw[-1] if isinstance(raw, (list, tuple)) and raw else None
    return (last.strip(" '\"") or None) if isinstance(last, str) else None


def _of_response(response: Any) -> str | None:
    """Return the reason in a response of OpenAI, Anthropic, Bedrock, Gemini or LangChain."""
    if not isinstance(response, Mapping):
        return None
    details = response.get("incomplete_details")
    places = (
        _first(response.get("choices")),
        _first(response.get("candidates")),
        _generation(response.get("generations")),
        response,
        {"finish_reason": details.get("reason")} if isinstance(details, Mapping) else {},
    )
    for place in places:
        for keys in (("finishReason", "finish_reason"), ("stopReason", "stop_reason")):
            found = either(place, *keys)
            if isinstance(found, str):
                return found
    return None


def _first(several: Any) -> Mapping[str, Any]:
    """Return the first object of a list; the others are alternatives to it."""
    one = several[0] if isinstance(several, list) and several else None
    return one if isinstance(one, Mapping) else {}


def _generation(several: Any) -> Mapping[str, Any]:
    """Return what LangChain notes of the first generation."""
    batch = several[0] if isinstance(several, list) and several else None
    found = _first(batch).get("generation_info")
    return found if isinstance(found, Mapping) else {}
