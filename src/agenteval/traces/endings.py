"""What the providers' words for "why the model stopped" come to.

Formats that carry the messages of many providers (LangChain, spans, Inspect, ADK) pass on each
provider's own word, so one table knows them all; letter case and the kind of dash do not matter,
nor whether a recorder wrote the word as Python shows an enum (``FinishReason.MAX_TOKENS``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenteval.traces.reading import optional_text
from agenteval.traces.recorder import CUT_OFF, FAILED, INCOMPLETE, REFUSED

__all__ = [
    "REASONS",
    "calls_follow",
    "kept_reason",
    "reason_in",
    "says_failed",
    "status_of_gemini_reason",
    "status_of_reason",
]

REASONS = ("finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason")
"""The keys under which a provider's word for why the model stopped stands."""

_CALLS_FOLLOW = ("function_call", "tool_call", "tool_calls", "tool_use")
_GOES_ON = ("compaction", "pause_turn")  # Anthropic: the caller is to ask for the rest
_CUT_OFF = (
    "error_limit",
    "length",
    "max_messages",
    "max_output_tokens",
    "max_tokens",
    "model_context_window_exceeded",
    "model_length",
    "steered",
)
_REFUSED = (
    "blocklist",
    "content_filter",
    "content_filtered",
    "error_toxic",
    "guardrail_intervened",
    "image_prohibited_content",
    "image_recitation",
    "image_safety",
    "jailbreak",
    "language",
    "model_armor",
    "prohibited_content",
    "recitation",
    "refusal",
    "safety",
    "sensitive",
    "spii",
)
_FAILED = (
    "error",
    "image_other",
    "insufficient_system_resource",
    "malformed_function_call",  # Gemini: the model tried a call, and no call is in the trace
    "malformed_model_output",
    "malformed_response",
    "malformed_tool_use",
    "missing_thought_signature",
    "network_error",
    "no_image",
    "other",  # Gemini: stopped for a reason that it does not name
    "too_many_tool_calls",
    "unexpected_tool_call",
)
_STATUS = {
    **dict.fromkeys(_CALLS_FOLLOW, INCOMPLETE),
    **dict.fromkeys(_GOES_ON, INCOMPLETE),
    **dict.fromkeys(_CUT_OFF, CUT_OFF),
    **dict.fromkeys(_REFUSED, REFUSED),
    **dict.fromkeys(_FAILED, FAILED),
}
_TOOL_FAILED = ("error", "errored", "failed", "failure")
_GEMINI_ENDS = ("stop", "finish_reason_unspecified")


def reason_in(record: Mapping[str, Any], key: str, where: str) -> str | None:
    """Return why the model stopped: what stands under `key`, or a word under another of its names.

    Gateways and stores write a provider's words under another one's name. What is no text there is
    something else: vLLM notes the id of the token at which it stopped as ``stop_reason``.

    >>> reason_in({"stopReason": "max_tokens", "stop_reason": None}, "stop_reason", "messages[0]")
    'max_tokens'
    """
    reason = optional_text(record.get(key), f"{where}.{key}")
    return kept_reason(record) if reason is None else reason


def kept_reason(record: Mapping[str, Any]) -> str | None:
    """Return why the model stopped, of a record with which a log keeps that, and other data.

    >>> kept_reason({"messages": [], "finish_reason": "length"}), kept_reason({"stop_reason": {}})
    ('length', None)
    """
    return next((word for name in REASONS if isinstance(word := record.get(name), str)), None)


def status_of_reason(reason: str | None) -> str | None:
    """Return the status that a reason for stopping stands for; ``None`` for an ordinary end.

    A reason that says that calls follow is no ordinary end: where the calls are in the trace they
    leave it open anyway, and where they are missing the text beside them is no answer either.

    >>> status_of_reason("MAX_TOKENS"), status_of_reason("stop"), status_of_reason("tool-calls")
    ('cut off', None, 'incomplete')
    """
    return None if reason is None else _STATUS.get(_word(reason))


def status_of_gemini_reason(reason: str | None) -> str | None:
    """Return the status that a finish reason of Gemini's stands for; ``None`` for an ordinary end.

    Gemini has one word for an ordinary end; all others, also ones not known yet, stopped the model.

    >>> status_of_gemini_reason("STOP"), status_of_gemini_reason("A_NEW_FILTER")
    (None, 'failed')
    """
    if not reason or _word(reason) in _GEMINI_ENDS:
        return None
    return status_of_reason(reason) or FAILED


def says_failed(status: Any) -> bool:
    """Say whether the status of a tool's result, in whatever letters, is that it failed.

    >>> says_failed("error"), says_failed("FAILED"), says_failed("success"), says_failed(None)
    (True, True, False, False)
    """
    return isinstance(status, str) and _word(status) in _TOOL_FAILED


def calls_follow(reason: str | None) -> bool:
    """Say whether a reason for stopping is that the model waits for the results of its calls.

    >>> calls_follow("tool_calls"), calls_follow("stop"), calls_follow(None)
    (True, False, False)
    """
    return reason is not None and _word(reason) in _CALLS_FOLLOW


def _word(reason: str) -> str:
    """Return a reason as the table has it, also one that is written as Python shows an enum."""
    name = reason.strip(" <>").partition(":")[0].rpartition(".")[2]
    return name.lower().replace("-", "_")
