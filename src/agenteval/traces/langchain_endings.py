"""How an AI message of LangChain says that it ended: each provider's own word, passed on.

| provider | where in ``response_metadata`` |
|---|---|
| OpenAI chat, Gemini, Mistral, Cohere | ``finish_reason`` |
| OpenAI Responses | ``status``, ``incomplete_details`` |
| Anthropic | ``stop_reason`` |
| Bedrock Converse | ``stopReason`` |
| Ollama | ``done_reason`` |

Cohere's and LangChain.js's Anthropic integration put the word under ``additional_kwargs``, logs of
messages in OpenAI's style in the message itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agenteval.traces.endings import (
    REASONS,
    kept_reason,
    status_of_gemini_reason,
    status_of_reason,
)
from agenteval.traces.reading import optional_mapping, optional_text, plain
from agenteval.traces.recorder import CUT_OFF, FAILED, INCOMPLETE, REFUSED

__all__ = ["status_of_message"]

_RESPONSE_ENDS = {
    "failed": FAILED,
    "cancelled": FAILED,
    "in_progress": INCOMPLETE,
    "queued": INCOMPLETE,
}
_NOT_BLOCKED = (None, 0, "", "BLOCK_REASON_UNSPECIFIED", "BLOCKED_REASON_UNSPECIFIED")


def status_of_message(fields: Mapping[str, Any], where: str) -> str | None:
    """Return the status that an AI message's metadata stands for; ``None`` for an ordinary end.

    Args:
        fields: The message's fields.
        where: Its place, for messages.

    Raises:
        TraceFormatError: A reason is no text, or the metadata no object.

    >>> status_of_message({"response_metadata": {"done_reason": "length"}}, "here")
    'cut off'
    """
    return next(_told(fields, where), None)


def _told(fields: Mapping[str, Any], where: str) -> Iterator[str]:
    for holder in ("response_metadata", "responseMetadata", "additional_kwargs"):
        place = f"{where}.{holder}"
        metadata = optional_mapping(fields.get(holder), place) or {}
        status_of = status_of_gemini_reason if _is_gemini(metadata) else status_of_reason
        for key in REASONS:
            word = metadata.get(key)
            status = status_of(optional_text(getattr(word, "value", word), f"{place}.{key}"))
            if status is not None:
                yield status
    yield from filter(None, [status_of_reason(kept_reason(fields))])
    place = f"{where}.response_metadata"
    metadata = optional_mapping(fields.get("response_metadata"), place) or {}
    if _is_blocked(metadata, place):
        yield REFUSED
    status = _status_of_response(metadata, place)
    if status is not None:
        yield status


def _is_gemini(metadata: Mapping[str, Any]) -> bool:
    return (
        "safety_ratings" in metadata
        or "prompt_feedback" in metadata
        or str(metadata.get("model_provider")).startswith("google")
    )


def _is_blocked(metadata: Mapping[str, Any], where: str) -> bool:
    """Say whether Gemini's filter stopped the prompt, or Vertex AI's the reply."""
    place = f"{where}.prompt_feedback"
    feedback = optional_mapping(metadata.get("prompt_feedback"), place) or {}
    return metadata.get("is_blocked") is True or feedback.get("block_reason") not in _NOT_BLOCKED


def _status_of_response(metadata: Mapping[str, Any], where: str) -> str | None:
    """Return what the ``status`` of a response of OpenAI's Responses API stands for."""
    status = plain(metadata.get("status"))
    if not isinstance(status, str):  # others keep an HTTP status there
        return None
    if status != "incomplete":
        return _RESPONSE_ENDS.get(status)
    place = f"{where}.incomplete_details"
    details = optional_mapping(metadata.get("incomplete_details"), place) or {}
    return REFUSED if details.get("reason") == "content_filter" else CUT_OFF
