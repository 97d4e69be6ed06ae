"""Records and parts of other formats in a LangChain trace: an error, not a shorter run."""

from __future__ import annotations

from typing import Any

import pytest

from agenteval.traces import TraceFormatError
from agenteval.traces.langchain import from_langchain
from langchain_messages import MESSAGES, UPDATES, VALUES, ai


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
