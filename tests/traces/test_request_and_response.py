"""A request and its response in one object: the response follows the messages of the request."""

from __future__ import annotations

from typing import Any

import pytest

from agenteval import traces
from agenteval.traces import TraceFormatError

TOOL_USE = {"type": "tool_use", "id": "c", "name": "pay", "input": {}}
FUNCTION = {"id": "c", "type": "function", "function": {"name": "pay", "arguments": "{}"}}
TOOL_CALL = {"type": "tool-call", "toolCallId": "c", "toolName": "pay", "input": {}}
GO = {"role": "user", "content": "Go."}
GO_BEDROCK = {"role": "user", "content": [{"text": "Go."}]}
GO_GEMINI = {"role": "user", "parts": [{"text": "Go."}]}
ANTHROPIC = {"type": "message", "role": "assistant", "content": [TOOL_USE], "stop_reason": "end"}
BEDROCK = {
    "output": {
        "message": {
            "role": "assistant",
            "content": [{"toolUse": {"toolUseId": "c", "name": "pay"}}],
        }
    }
}
CHAT = {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [FUNCTION]}}]}
GEMINI = {
    "candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "pay"}}]}}]
}
ITEMS = {"output": [{"type": "function_call", "call_id": "c", "name": "pay", "arguments": "{}"}]}
VERCEL = {"role": "assistant", "content": [TOOL_CALL]}


@pytest.mark.parametrize(
    ("importer", "trace"),
    [
        pytest.param("from_anthropic", {"messages": [GO], **ANTHROPIC}, id="anthropic"),
        pytest.param(
            "from_anthropic", {"messages": [GO], "response": ANTHROPIC}, id="anthropic apart"
        ),
        pytest.param(
            "from_anthropic",
            {"messages": [GO], "system": "Be brief.", "role": "assistant", "content": [TOOL_USE]},
            id="anthropic without the fields of a Message",
        ),
        pytest.param("from_bedrock", {"messages": [GO_BEDROCK], **BEDROCK}, id="bedrock"),
        pytest.param(
            "from_bedrock", {"messages": [GO_BEDROCK], "response": BEDROCK}, id="bedrock apart"
        ),
        pytest.param("from_openai_chat", {"messages": [GO], **CHAT}, id="chat"),
        pytest.param("from_openai_chat", {"messages": [GO], "response": CHAT}, id="chat apart"),
        pytest.param(
            "from_openai_chat",
            {"messages": [GO], **CHAT["choices"][0]["message"]},
            id="chat, a message",
        ),
        pytest.param("from_gemini", {"contents": [GO_GEMINI], **GEMINI}, id="gemini"),
        pytest.param("from_gemini", {"contents": [GO_GEMINI], "response": GEMINI}, id="apart"),
        pytest.param("from_gemini", {"contents": "Go.", "response": GEMINI}, id="gemini, of text"),
        pytest.param("from_gemini", {"contents": "Go.", "response": [GEMINI]}, id="gemini, chunks"),
        pytest.param("from_openai_responses", {"input": [GO], **ITEMS}, id="responses"),
        pytest.param("from_openai_responses", {"items": [GO], **ITEMS}, id="items"),
        pytest.param(
            "from_openai_responses",
            {"items": [GO], "response": {"object": "response", **ITEMS}},
            id="items apart",
        ),
        pytest.param("from_vercel_ai", {"messages": [GO], **VERCEL}, id="ai sdk"),
        pytest.param(
            "from_vercel_ai",
            {"messages": [GO], "finishReason": "tool-calls", "response": {"messages": [VERCEL]}},
            id="what generateText returns",
        ),
    ],
)
def test_the_response_is_read_after_the_request(importer: str, trace: dict[str, Any]) -> None:
    found = getattr(traces, importer)(trace)
    assert [call.name for call in found["calls"]] == ["pay"]
    assert (found["status"], found["trace"]["unanswered"]) == ("incomplete", 1)
    if importer != "from_openai_responses":  # items of a user alone are chat messages
        assert traces.from_trace(trace) == found


MESSAGES = {
    "from_anthropic": [GO, {"role": "assistant", "content": "Paid."}],
    "from_bedrock": [GO_BEDROCK, {"role": "assistant", "content": [{"text": "Paid."}]}],
    "from_openai_chat": [GO, {"role": "assistant", "content": "Paid."}],
    "from_vercel_ai": [GO, {"role": "assistant", "content": "Paid."}],
}


@pytest.mark.parametrize("importer", MESSAGES)
@pytest.mark.parametrize(
    "beside",
    [
        pytest.param({"response": {"outputs": [], "content": [{"x": 1}]}}, id="a content"),
        pytest.param({"response": {"output": [TOOL_USE]}}, id="an output that is a list"),
        pytest.param({"response": {"candidates": [{}]}}, id="candidates"),
        pytest.param({"response": [{"role": "assistant", "content": "Paid."}]}, id="a list"),
        pytest.param({"message": {"role": "assistant", "content": "Paid."}}, id="a message"),
        pytest.param({"candidates": [{"content": {}}]}, id="candidates beside"),
        pytest.param({"output": [{"role": "assistant", "content": [TOOL_USE]}]}, id="an output"),
    ],
)
def test_a_reply_that_is_not_read_is_refused(importer: str, beside: dict[str, Any]) -> None:
    for name in (importer, "from_trace"):
        with pytest.raises(TraceFormatError):
            getattr(traces, name)({"messages": MESSAGES[importer], **beside})


@pytest.mark.parametrize("importer", MESSAGES)
@pytest.mark.parametrize(
    "beside",
    [
        pytest.param({"response": {"id": "r", "modelId": "m", "headers": {}}}, id="of a transfer"),
        pytest.param({"response": None, "output": None, "choices": None}, id="nothing"),
        pytest.param({"role": "cashier"}, id="a role of its own"),
        pytest.param({"output": "Paid.", "message": "", "response": "ok"}, id="text"),
    ],
)
def test_other_fields_beside_the_messages_are_no_reply(
    importer: str, beside: dict[str, Any]
) -> None:
    found = getattr(traces, importer)({"messages": MESSAGES[importer], **beside})
    assert (found["status"], found["answer"]) == ("final", "Paid.")
