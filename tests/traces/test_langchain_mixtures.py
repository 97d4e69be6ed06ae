"""Records and parts of other formats in a LangChain trace: an error, not a shorter run."""

from __future__ import annotations

from typing import Any

import pytest

from agenteval.traces import TraceFormatError
from agenteval.traces.langchain import from_langchain
from langchain_messages import MESSAGES, UPDATES, VALUES, ai, call


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(
            {"role": "assistant", "parts": [{"type": "tool-f", "state": "output-available"}]},
            id="Vercel's UI message",
        ),
        pytest.param(
            {"role": "assistant", "content": "", "toolInvocations": [{"toolName": "f"}]},
            id="Vercel's older UI message",
        ),
        pytest.param(
            {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
            id="an item of the Responses API",
        ),
        pytest.param(
            {"type": "function_call_output", "call_id": "c1", "output": "x"}, id="its output"
        ),
        pytest.param({"object": "response", "output": []}, id="a whole Response"),
        pytest.param(
            {"object": "chat.completion", "choices": [{"message": {}}]}, id="a ChatCompletion"
        ),
        pytest.param(
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f"}]},
            id="Anthropic's call",
        ),
        pytest.param(
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]},
            id="Anthropic's result",
        ),
        pytest.param(
            {"role": "user", "content": [{"toolResult": {"toolUseId": "t", "content": []}}]},
            id="Bedrock's result",
        ),
        pytest.param(
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t", "name": "f"}}]},
            id="Bedrock's call",
        ),
        pytest.param(
            {"output": {"message": {}}, "stopReason": "end_turn"}, id="Bedrock's response"
        ),
        pytest.param(
            {"role": "user", "parts": [{"functionResponse": {"name": "f"}}]}, id="Gemini's result"
        ),
        pytest.param(
            {"role": "model", "parts": [{"functionCall": {"name": "f"}}]}, id="Gemini's call"
        ),
        pytest.param({"parts": [{"functionCall": {"name": "f"}}]}, id="Gemini's, without a role"),
        pytest.param({"candidates": [{"content": {}}]}, id="Gemini's response"),
        pytest.param(
            {"author": "agent", "content": {"parts": [{"functionCall": {"name": "f"}}]}},
            id="an ADK event",
        ),
        pytest.param(
            {"name": "execute_tool f", "attributes": {"gen_ai.tool.name": "f"}}, id="a span"
        ),
        pytest.param({"resourceSpans": []}, id="spans"),
        pytest.param(
            {"role": "assistant", "parts": [{"type": "tool_call", "name": "f"}]},
            id="a message of the conventions for spans",
        ),
        pytest.param(
            {"role": "assistant", "content": [{"type": "tool-call", "toolName": "f"}]},
            id="Vercel's call",
        ),
        pytest.param(
            {"role": "tool", "content": [{"type": "tool-result", "toolName": "f"}]},
            id="Vercel's result",
        ),
        pytest.param(
            {"type": "message", "role": "assistant", "content": [], "stop_reason": "refusal"},
            id="Anthropic's Message",
        ),
        pytest.param(
            {"type": "tool_call_item", "raw_item": {"type": "function_call", "name": "f"}},
            id="a run item of the Agents SDK",
        ),
        pytest.param({"jsonrpc": "2.0", "method": "tools/call", "params": {}}, id="an MCP request"),
    ],
)
@pytest.mark.parametrize(
    "own",
    [
        pytest.param(MESSAGES, id="messages"),
        pytest.param(UPDATES, id="updates"),
        pytest.param(VALUES, id="values"),
    ],
)
@pytest.mark.parametrize("first", [True, False], ids=["before", "after"])
def test_a_record_of_another_format_is_refused(other: Any, own: list[Any], first: bool) -> None:
    with pytest.raises(TraceFormatError):
        from_langchain([other, *own] if first else [*own, other])


def test_the_error_about_another_formats_record_shows_it() -> None:
    event = {"author": "agent", "content": {"parts": []}}
    with pytest.raises(TraceFormatError, match=r"\[4\]: expected .* got dict .*agent.*from_adk"):
        from_langchain([*UPDATES, event])
    span = {"name": "execute_tool f", "attributes": {}}
    with pytest.raises(
        TraceFormatError,
        match=r"\[4\]: expected a message, a state or an update of LangGraph, got dict .*tool f.*"
        "'attributes' and 'name' is of another format",
    ):
        from_langchain([*UPDATES, span])
    with pytest.raises(TraceFormatError, match=r"\[4\].*a message with 'parts' is of another"):
        from_langchain([*MESSAGES, {"role": "user", "parts": []}])
    with pytest.raises(TraceFormatError, match=r"content\[0\].*of the format bedrock"):
        from_langchain([{"type": "human", "content": [{"toolResult": {"toolUseId": "t"}}]}])


@pytest.mark.parametrize(
    "part",
    [
        pytest.param({"type": "input_text", "text": "Hi"}, id="OpenAI's text"),
        pytest.param({"cachePoint": {"type": "default"}}, id="Bedrock's cache point"),
        pytest.param({"type": "image_url", "image_url": {"url": "x"}}, id="an image"),
        pytest.param({"type": "document", "source": {}}, id="a document"),
    ],
)
def test_a_providers_own_part_is_passed_over(part: Any) -> None:
    trace = [{"type": "human", "content": [part]}, ai([part, {"type": "text", "text": "Yes."}])]
    assert from_langchain(trace)["status"] == "final"


@pytest.mark.parametrize(
    "block",
    [
        pytest.param({"type": "tool_result", "tool_use_id": "t"}, id="Anthropic's result"),
        pytest.param({"type": "function_call_output", "call_id": "c"}, id="OpenAI's result"),
        pytest.param({"toolUse": {"toolUseId": "t", "name": "f"}}, id="Bedrock's call"),
        pytest.param({"functionCall": {"name": "f"}}, id="Gemini's call"),
        pytest.param({"type": "tool-call", "toolName": "f"}, id="Vercel's call"),
        pytest.param({"type": "tool_call_response", "id": "c"}, id="a result of spans"),
    ],
)
@pytest.mark.parametrize("kind", ["ai", "human", "system"])
def test_a_part_of_another_format_is_refused(block: Any, kind: str) -> None:
    with pytest.raises(TraceFormatError, match=r"\[1\].content\[0\]: expected a record"):
        from_langchain([MESSAGES[0], {"type": kind, "content": [block]}])


CALL = call("pay", {"eur": 5})
COPY = {"id": "c1", "type": "function", "function": {"name": "pay", "arguments": "{}"}}


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"tool_calls": [CALL]}, id="tool_calls"),
        pytest.param({"invalid_tool_calls": [CALL]}, id="invalid_tool_calls"),
        pytest.param({"additional_kwargs": {"tool_calls": [COPY]}}, id="the provider's copy"),
        pytest.param({"additional_kwargs": {"toolCalls": [COPY]}}, id="under another name"),
        pytest.param({"function_call": {"name": "pay", "arguments": "{}"}}, id="function_call"),
    ],
)
@pytest.mark.parametrize(
    "kind",
    [
        pytest.param({"type": "human"}, id="human"),
        pytest.param({"type": "system"}, id="system"),
        pytest.param({"type": "function", "name": "f"}, id="function"),
        pytest.param({"type": "tool", "tool_call_id": "z"}, id="tool"),
        pytest.param({"type": "chat", "role": "model"}, id="chat with an unknown role"),
    ],
)
def test_calls_of_others_than_ai_messages_are_refused(kind: Any, fields: Any) -> None:
    with pytest.raises(TraceFormatError, match=r"\[0\]"):
        from_langchain([{"content": "q", **kind, **fields}, ai("Paid.")])


@pytest.mark.parametrize("block", [{**CALL, "type": "tool_use"}, CALL], ids=["a block", "its own"])
@pytest.mark.parametrize(
    "kind", [{"type": "human"}, {"type": "system"}, {"type": "chat", "role": "model"}]
)
def test_a_call_in_the_content_of_a_question_is_refused(kind: Any, block: Any) -> None:
    with pytest.raises(TraceFormatError, match=r"\[0\]"):
        from_langchain([{**kind, "content": [block]}, ai("Paid.")])


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"tool_calls": [], "additional_kwargs": {"tool_calls": None}}, id="none"),
        pytest.param({"content": [{"type": "text", "text": "pay"}]}, id="text"),
        pytest.param({"content": [{"type": "image", "id": "i", "name": "a.png"}]}, id="an image"),
        pytest.param({"artifact": {"tool_calls": [COPY]}}, id="a tool's own data"),
    ],
)
def test_what_others_than_ai_messages_may_hold(fields: Any) -> None:
    for kind in ({"type": "human"}, {"type": "tool", "tool_call_id": "z"}):
        assert from_langchain([{"content": "q", **kind, **fields}, ai("Paid.")])["calls"] == []


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"content": [COPY]}, id="an OpenAI call as a part"),
        pytest.param({"content": [{"id": "c1", "name": "pay", "args": {}}]}, id="no type"),
        pytest.param({"content": [{**CALL, "type": "call"}]}, id="an unknown type"),
        pytest.param({"content": [{"type": "non_standard", "value": COPY}]}, id="non-standard"),
        pytest.param({"content": [{**CALL, "type": "tool_call_chunk"}]}, id="a piece of no call"),
        pytest.param({"toolCalls": [COPY]}, id="a field of another format"),
        pytest.param({"additional_kwargs": {"tool_uses": [COPY]}}, id="a field of another kind"),
    ],
)
def test_a_call_where_none_is_read_is_refused(fields: Any) -> None:
    with pytest.raises(TraceFormatError, match="would be lost"):
        from_langchain([ai(**{"content": "", **fields}), ai("Paid.")])


@pytest.mark.parametrize(
    "block",
    [
        pytest.param({**CALL, "type": "tool_call_chunk", "args": '{"eur'}, id="a piece of a call"),
        pytest.param({"type": "reasoning", "reasoning": "I pay."}, id="reasoning"),
        pytest.param({"type": "non_standard", "value": {"type": "note", "name": "x"}}, id="a note"),
        pytest.param({"type": "server_tool_result", "tool_call_id": "s"}, id="hosted"),
    ],
)
def test_blocks_that_are_no_call_are_passed_over(block: Any) -> None:
    result = from_langchain([ai([block, "Paid."], tool_calls=[CALL])])
    assert [one.name for one in result["calls"]] == ["pay"]
