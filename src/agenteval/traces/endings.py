"""What the providers' words for "why the model stopped" come to.

Formats that carry the messages of many providers (LangChain, spans, Inspect, ADK) pass on each
provider's own word, so one table knows them all; letter case does not matter.
"""

from __future__ import annotations

from agenteval.traces.recorder import CUT_OFF, FAILED, REFUSED

__all__ = ["status_of_reason"]

_CUT_OFF = (
    "length",
    "max_tokens",
    "max_output_tokens",
    "model_length",
    "model_context_window_exceeded",
)
_REFUSED = (
    "blocklist",
    "content_filter",
    "content_filtered",
    "guardrail_intervened",
    "image_safety",
    "language",
    "model_armor",
    "prohibited_content",
    "recitation",
    "refusal",
    "safety",
    "spii",
)
_FAILED = (
    "error",
    "malformed_function_call",  # Gemini: the model tried a call, and no call is in the trace
    "malformed_response",
    "malformed_tool_use",
    "missing_thought_signature",
    "too_many_tool_calls",
    "unexpected_tool_call",
)
_STATUS = {
    **dict.fromkeys(_CUT_OFF, CUT_OFF),
    **dict.fromkeys(_REFUSED, REFUSED),
    **dict.fromkeys(_FAILED, FAILED),
}


def status_of_reason(reason: str | None) -> str | None:
    """Return the status that a reason for stopping stands for; ``None`` for an ordinary end.

    >>> status_of_reason("MAX_TOKENS"), status_of_reason("stop")
    ('cut off', None)
    """
    return None if reason is None else _STATUS.get(reason.lower())
