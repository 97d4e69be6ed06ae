"""A content, a list of parts or of items that is still JSON text is no answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agenteval import traces
from agenteval.traces import TraceFormatError

CHAT_CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
TOOL_USE = {"type": "tool_use", "id": "c", "name": "f", "input": {}}
TOOL_RESULT = {"type": "tool_result", "tool_use_id": "c", "content": "ok"}
TEXT = {"type": "text", "text": "Done."}


def with_text(key: str, value: Any, **more: Any) -> list[dict[str, Any]]:
    """A finished run of which one field is the JSON text of what belongs there."""
    message = {"role": "assistant", key: json.dumps(value)} | more
    return [{"role": "user", "content": "Go."}, message, {"role": "assistant", "content": "Done."}]


def gemini(parts: Any) -> list[dict[str, Any]]:
    return [{"role": "model", "parts": parts}, {"role": "model", "parts": [{"text": "Done."}]}]


def inspect(message: dict[str, Any]) -> dict[str, Any]:
    return {"samples": [{"id": 1, "epoch": 1, "messages": [message]}]}


CALL_PARTS = {
    "anthropic": [TEXT, TOOL_USE],
    "bedrock": [{"text": "So."}, {"toolUse": {"toolUseId": "c", "name": "f", "input": {}}}],
    "gemini": [{"functionCall": {"name": "f", "args": {}}}],
    "openai_responses": [{"type": "function_call", "call_id": "c", "name": "f", "arguments": ""}],
    "vercel_ai": [{"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {}}],
}


@pytest.mark.parametrize("importer", ["openai_chat", "openai_responses", "anthropic", "vercel_ai"])
@pytest.mark.parametrize("parts", CALL_PARTS)
def test_a_content_that_holds_encoded_calls_is_refused(importer: str, parts: str) -> None:
    trace = with_text("content", CALL_PARTS[parts])
    with pytest.raises(TraceFormatError, match=r"\[1\].content: expected .* got str '"):
        getattr(traces, f"from_{importer}")(trace)


IMPORTERS = ["openai_chat", "openai_responses", "anthropic", "vercel_ai", "langchain"]


@pytest.mark.parametrize("importer", IMPORTERS)
@pytest.mark.parametrize(
    "said",
    [
        pytest.param([{"type": "tool-kit", "price": 3}], id="a type of its own"),
        pytest.param([{"function_call": "main()", "line": 3}], id="a field of its own"),
        pytest.param([{"toolUse": "drill"}], id="a tool's use"),
        pytest.param([{"role": "x", "tool_calls": 3}], id="a number of calls"),
        pytest.param([{"role": "lead", "parts": [{"n": 1}]}], id="parts"),
        pytest.param([{"type": "output_text", "text": "hi"}], id="text"),
        pytest.param([{"name": "f", "arguments": {"a": 1}}], id="a call as models write it"),
        pytest.param([TOOL_USE, {"n": 1}], id="a call and another record"),
        pytest.param([TOOL_USE, 3], id="a call and a number"),
        pytest.param([{"role": "assistant", "content": [TOOL_USE]}], id="messages"),
        pytest.param({"type": "tool_use", "id": "c"}, id="an object"),
        pytest.param([], id="an empty list"),
    ],
)
def test_json_is_an_answer_like_another(importer: str, said: Any) -> None:
    trace = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": json.dumps(said)}]
    result = getattr(traces, f"from_{importer}")(trace)
    assert (result["status"], result["answer"]) == ("final", json.dumps(said))


@pytest.mark.parametrize("importer", IMPORTERS)
@pytest.mark.parametrize("parts", CALL_PARTS)
def test_a_user_may_quote_calls(importer: str, parts: str) -> None:
    trace = with_text("content", CALL_PARTS[parts], role="user")
    result = getattr(traces, f"from_{importer}")(trace)
    assert (result["status"], result["answer"]) == ("final", "Done.")


def test_encoded_results_are_no_question() -> None:
    with pytest.raises(TraceFormatError, match="is the JSON of a list: parse it first"):
        traces.from_anthropic(with_text("content", [TOOL_RESULT], role="user"))


@pytest.mark.parametrize(
    ("importer", "trace", "place"),
    [
        pytest.param(
            "openai_chat",
            with_text("tool_calls", [CHAT_CALL], content=None),
            "tool_calls",
            id="chat, calls",
        ),
        pytest.param(
            "openai_chat",
            with_text("function_call", {"name": "f"}, content=None),
            "function_call",
            id="chat, a legacy call",
        ),
        pytest.param(
            "openai_responses",
            {"items": json.dumps(CALL_PARTS["openai_responses"])},
            "items",
            id="items",
        ),
        pytest.param(
            "openai_responses",
            {"input": json.dumps(CALL_PARTS["openai_responses"]), "output": []},
            "input",
            id="input",
        ),
        pytest.param(
            "openai_responses", {"input": "Go.", "output": json.dumps([])}, "output", id="output"
        ),
        pytest.param(
            "bedrock",
            [{"role": "assistant", "content": json.dumps(CALL_PARTS["bedrock"])}],
            "content",
            id="Bedrock",
        ),
        pytest.param("gemini", gemini(json.dumps(CALL_PARTS["gemini"])), "parts", id="Gemini"),
        pytest.param(
            "vercel_ai",
            with_text("toolInvocations", [{"toolName": "f"}], content=""),
            "toolInvocations",
            id="invocations",
        ),
        pytest.param("vercel_ai", with_text("parts", [TEXT]), "parts", id="UI parts of text only"),
        pytest.param(
            "inspect",
            inspect({"role": "assistant", "content": json.dumps([TEXT, TOOL_USE])}),
            "content",
            id="Inspect, content",
        ),
        pytest.param(
            "inspect",
            inspect({"role": "assistant", "content": "", "tool_calls": "[]"}),
            "tool_calls",
            id="Inspect, calls",
        ),
    ],
)
def test_a_list_that_is_still_text_is_refused(importer: str, trace: Any, place: str) -> None:
    with pytest.raises(TraceFormatError, match=rf"{place}: expected .* got str '"):
        getattr(traces, f"from_{importer}")(trace)


@pytest.mark.parametrize(
    "said",
    [
        pytest.param("[1, 2]", id="numbers"),
        pytest.param('[{"type": "apple", "price": 3}]', id="objects of other types"),
        pytest.param('[{"type": "text", "text": "Hi"}]', id="parts without a call"),
        pytest.param("[see above]", id="no JSON"),
        pytest.param('["tool_use"]', id="a word"),
        pytest.param("[" * 100_000, id="brackets"),
    ],
)
def test_an_answer_may_begin_with_a_bracket(said: str) -> None:
    trace = [{"role": "assistant", "content": said}]
    for importer in (traces.from_openai_chat, traces.from_anthropic, traces.from_vercel_ai):
        assert importer(trace)["answer"] == said
