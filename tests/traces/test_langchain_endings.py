"""How a LangChain trace ends: each provider's own word, wherever its integration puts it."""

from __future__ import annotations

from typing import Any

import pytest

from agenteval.traces import TraceFormatError
from agenteval.traces.langchain import from_langchain
from langchain_messages import ai

CALL = {"name": "f", "args": {}, "id": "c1", "type": "tool_call"}


def ended(**metadata: Any) -> dict[str, Any]:
    return ai("Ye", response_metadata=metadata)


@pytest.mark.parametrize(
    ("message", "status"),
    [
        pytest.param(ai("Yes."), "final", id="an answer"),
        pytest.param(ai("Yes.", tool_calls=[CALL]), "incomplete", id="an open call"),
        pytest.param(ai("", additional_kwargs={"refusal": "No."}), "refused", id="a refusal"),
        pytest.param(ai([{"type": "refusal", "refusal": "No."}]), "refused", id="a refusal block"),
        pytest.param(
            {"role": "assistant", "content": None, "refusal": "No."}, "refused", id="OpenAI's style"
        ),
        pytest.param({"type": "human", "content": "And?"}, "incomplete", id="a question"),
    ],
)
def test_a_message_says_by_itself_how_it_ends(message: Any, status: str) -> None:
    assert from_langchain([{"type": "human", "content": "Hi"}, message])["status"] == status


@pytest.mark.parametrize(
    ("metadata", "status"),
    [
        pytest.param({"finish_reason": "stop"}, "final", id="OpenAI"),
        pytest.param({"finish_reason": "length"}, "cut off", id="OpenAI, cut"),
        pytest.param({"finish_reason": "content_filter"}, "refused", id="OpenAI, filtered"),
        pytest.param({"finish_reason": "tool_calls"}, "incomplete", id="OpenAI, a lost call"),
        pytest.param(
            {"finish_reason": "function_call"}, "incomplete", id="OpenAI, a lost call of old"
        ),
        pytest.param({"status": "completed", "incomplete_details": None}, "final", id="Responses"),
        pytest.param(
            {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
            "cut off",
            id="Responses, cut",
        ),
        pytest.param(
            {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}},
            "refused",
            id="Responses, filtered",
        ),
        pytest.param({"status": "incomplete"}, "cut off", id="Responses, no details"),
        pytest.param({"status": "failed"}, "failed", id="Responses, failed"),
        pytest.param({"status": "cancelled"}, "failed", id="Responses, cancelled"),
        pytest.param({"status": "in_progress"}, "incomplete", id="Responses, still running"),
        pytest.param({"status": 200}, "final", id="another's status"),
        pytest.param({"stop_reason": "end_turn"}, "final", id="Anthropic"),
        pytest.param({"stop_reason": "max_tokens"}, "cut off", id="Anthropic, cut"),
        pytest.param({"stop_reason": "refusal"}, "refused", id="Anthropic, refused"),
        pytest.param({"stop_reason": "pause_turn"}, "incomplete", id="Anthropic, paused"),
        pytest.param({"stop_reason": "tool_use"}, "incomplete", id="Anthropic, a lost call"),
        pytest.param({"stopReason": "end_turn"}, "final", id="Bedrock"),
        pytest.param({"stopReason": "max_tokens"}, "cut off", id="Bedrock, cut"),
        pytest.param({"stopReason": "guardrail_intervened"}, "refused", id="Bedrock, guarded"),
        pytest.param({"stopReason": "tool_use"}, "incomplete", id="Bedrock, a lost call"),
        pytest.param({"done_reason": "stop", "done": True}, "final", id="Ollama"),
        pytest.param({"done_reason": "length", "done": True}, "cut off", id="Ollama, cut"),
        pytest.param({"finish_reason": "COMPLETE"}, "final", id="Cohere"),
        pytest.param({"finish_reason": "MAX_TOKENS"}, "cut off", id="Cohere and Gemini, cut"),
        pytest.param({"finish_reason": "STOP", "safety_ratings": []}, "final", id="Gemini"),
        pytest.param({"finish_reason": "SAFETY"}, "refused", id="Gemini, filtered"),
        pytest.param({"finishReason": "RECITATION"}, "refused", id="Gemini from JavaScript"),
        pytest.param({"finish_reason": "OTHER"}, "failed", id="Gemini, not named"),
        pytest.param(
            {"finish_reason": "MALFORMED_FUNCTION_CALL"}, "failed", id="Gemini, a broken call"
        ),
        pytest.param(
            {"finish_reason": "A_NEW_FILTER", "model_provider": "google_genai"},
            "failed",
            id="Gemini, a word not known yet",
        ),
        pytest.param({"finish_reason": "eos_token"}, "final", id="another's word not known"),
        pytest.param({"prompt_feedback": {"block_reason": 0}}, "final", id="Gemini, not blocked"),
        pytest.param({"prompt_feedback": {"block_reason": 1}}, "refused", id="Gemini, blocked"),
        pytest.param(
            {"prompt_feedback": {"block_reason": "SAFETY"}}, "refused", id="Gemini, blocked, named"
        ),
        pytest.param({"is_blocked": True}, "refused", id="Vertex AI, blocked"),
        pytest.param({"is_blocked": False, "finish_reason": "STOP"}, "final", id="Vertex AI"),
        pytest.param({}, "final", id="nothing said"),
        pytest.param({"finish_reason": None}, "final", id="nothing said, as null"),
    ],
)
def test_the_providers_word_is_read_as_in_its_own_format(metadata: Any, status: str) -> None:
    messages = [{"type": "human", "content": "Hi"}, ended(**metadata)]
    assert from_langchain(messages)["status"] == status


@pytest.mark.parametrize(
    ("extra", "status"),
    [
        pytest.param({"stop_reason": "max_tokens"}, "cut off", id="Anthropic from JavaScript"),
        pytest.param({"finish_reason": "MAX_TOKENS"}, "cut off", id="Cohere"),
        pytest.param({"finish_reason": "COMPLETE"}, "final", id="Cohere, done"),
    ],
)
def test_a_word_beside_the_metadata_counts_too(extra: Any, status: str) -> None:
    assert from_langchain([ai("Ye", additional_kwargs=extra)])["status"] == status


def test_an_earlier_messages_word_does_not_decide() -> None:
    messages = [ended(finish_reason="length"), {"type": "human", "content": "Go on"}, ai("Yes.")]
    assert from_langchain(messages)["status"] == "final"


def test_a_word_that_announces_a_call_is_met_by_the_call() -> None:
    called = ai("", tool_calls=[CALL], response_metadata={"finish_reason": "tool_calls"})
    result = {"type": "tool", "tool_call_id": "c1", "content": "ok"}
    assert from_langchain([called, result, ai("Done.")])["status"] == "final"


@pytest.mark.parametrize(
    ("metadata", "match"),
    [
        pytest.param(
            {"finish_reason": 1}, "finish_reason: expected text, got int 1", id="a number"
        ),
        pytest.param([1], "response_metadata: expected an object, got list", id="a list"),
        pytest.param(
            {"prompt_feedback": "x"}, "prompt_feedback: expected an object", id="a word of feedback"
        ),
    ],
)
def test_metadata_of_another_kind_is_refused(metadata: Any, match: str) -> None:
    with pytest.raises(TraceFormatError, match=match):
        from_langchain([ai("Yes.", response_metadata=metadata)])
