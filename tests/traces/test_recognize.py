"""Which format a trace is in, and what is said where that cannot be told."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable
from typing import Any

import pytest

from agenteval import traces
from agenteval._messages import cut
from agenteval.traces import TraceFormatError, from_trace, marks, recognize

CHAT_CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
}
ANTHROPIC_CALL = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}],
}
BEDROCK_CALL = {"role": "assistant", "content": [{"toolUse": {"name": "f", "input": {}}}]}
VERCEL_CALL = {"role": "assistant", "content": [{"type": "tool-call", "toolName": "f"}]}
RESPONSES_CALL = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
GEMINI_CALL = {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}
CALLS = {
    "openai_chat": CHAT_CALL,
    "anthropic": ANTHROPIC_CALL,
    "bedrock": BEDROCK_CALL,
    "vercel_ai": VERCEL_CALL,
    "openai_responses": RESPONSES_CALL,
    "gemini": GEMINI_CALL,
}


@pytest.mark.parametrize("name", CALLS)
def test_one_call_is_mark_enough(name: str) -> None:
    plain = {"role": "user", "content": "Go."}
    before = [] if name in ("gemini", "bedrock") else [plain]
    result = from_trace([*before, CALLS[name]])
    assert result["trace"]["format"] == name
    assert [call.name for call in result["calls"]] == ["f"]


@pytest.mark.parametrize("first", CALLS)
@pytest.mark.parametrize("second", CALLS)
def test_two_formats_in_one_trace_are_refused_with_both_names(first: str, second: str) -> None:
    if first != second:
        with pytest.raises(TraceFormatError, match="has marks of ") as caught:
            from_trace([CALLS[first], CALLS[second]])
        assert first in caught.value.hint
        assert second in caught.value.hint


@pytest.mark.parametrize(
    ("trace", "name"),
    [
        pytest.param(
            [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}],
            "openai_chat",
            id="text",
        ),
        pytest.param(
            [{"role": "assistant", "content": [{"type": "text", "text": "Hello."}]}],
            "anthropic",
            id="typed parts",
        ),
        pytest.param(
            [
                {"role": "developer", "content": "Be kind."},
                {"role": "assistant", "content": [{"type": "text", "text": "Hello."}]},
            ],
            "openai_chat",
            id="typed parts under a role that only OpenAI has",
        ),
        pytest.param(
            [
                {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]},
                {"role": "assistant", "content": [{"type": "text", "text": "Hello."}]},
            ],
            "openai_chat",
            id="an image as OpenAI stores it",
        ),
        pytest.param(
            [
                {
                    "role": "assistant",
                    "content": [{"type": "text", "text": "Hello."}],
                    "refusal": None,
                }
            ],
            "openai_chat",
            id="typed parts beside a refusal field",
        ),
        pytest.param(
            [{"role": "assistant", "content": [{"text": "Hello."}]}], "bedrock", id="bare parts"
        ),
        pytest.param(
            [{"role": "assistant", "parts": [{"type": "text", "text": "Hello."}]}],
            "vercel_ai",
            id="UI parts",
        ),
        pytest.param(
            [{"role": "assistant", "content": [{"type": "output_text", "text": "Hello."}]}],
            "openai_responses",
            id="output_text",
        ),
        pytest.param(
            {"items": [{"role": "assistant", "content": "Hello."}]}, "openai_responses", id="items"
        ),
        pytest.param(
            [
                {"role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
                {"role": "assistant", "content": "Hello."},
            ],
            "openai_responses",
            id="input_text",
        ),
        pytest.param(
            [{"type": "reasoning", "summary": []}, {"role": "assistant", "content": "Hello."}],
            "openai_responses",
            id="a reasoning item",
        ),
        pytest.param(
            [{"type": "message", "role": "assistant", "content": "Hello."}],
            "openai_responses",
            id="an item of the type message",
        ),
        pytest.param(
            [
                {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}]},
                {"role": "assistant", "content": "Hello."},
            ],
            "anthropic",
            id="thinking",
        ),
        pytest.param(
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "text", "text": "Hello."}],
                "stop_reason": "end_turn",
            },
            "anthropic",
            id="a whole Message",
        ),
        pytest.param([{"role": "model", "parts": [{"text": "Hello."}]}], "gemini", id="parts"),
    ],
)
def test_a_conversation_without_calls(trace: Any, name: str) -> None:
    result = from_trace(trace)
    assert (result["trace"]["format"], result["answer"]) == (name, "Hello.")
    assert result["status"] == "final"


SAMPLE = {
    "id": 1,
    "epoch": 1,
    "messages": [
        {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": "f"}]},
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "tool_type": "web_search", "name": "search"},
                {"type": "text", "text": "Done."},
            ],
        },
    ],
}
PLACEHOLDER = {"role": "assistant", "content": "Hi", "function_call": {"name": "", "arguments": ""}}
CITED = {"citationsContent": {"content": [{"text": "Hi"}], "citations": []}}
THOUGHT = {"reasoningContent": {"reasoningText": {"text": "hm"}}}


@pytest.mark.parametrize(
    ("name", "trace"),
    [
        pytest.param("gemini", {"prompt_feedback": {"block_reason": "SAFETY"}}, id="blocked"),
        pytest.param(
            "gemini",
            {"promptFeedback": {"blockReason": "SAFETY"}, "candidates": None},
            id="blocked, camelCase, candidates null",
        ),
        pytest.param(
            "gemini",
            [
                {"role": "user", "parts": [{"inlineData": {}}]},
                {"prompt_feedback": {"block_reason": "OTHER"}, "candidates": None},
            ],
            id="blocked after an image",
        ),
        pytest.param(
            "gemini", {"contents": GEMINI_CALL}, id="one content in the place of contents"
        ),
        pytest.param("gemini", {"candidates": [{"finishReason": "OTHER"}]}, id="no content"),
        pytest.param("inspect", SAMPLE, id="one sample of Inspect"),
        pytest.param("inspect", [SAMPLE, SAMPLE], id="samples of Inspect"),
        pytest.param("inspect", {"samples": [SAMPLE]}, id="a log of Inspect"),
        pytest.param("bedrock", [{"role": "assistant", "content": [CITED]}], id="cited text"),
        pytest.param(
            "bedrock", [{"role": "assistant", "content": [THOUGHT, {"text": "Hi"}]}], id="thought"
        ),
        pytest.param("openai_chat", [PLACEHOLDER], id="a placeholder for a legacy call"),
        pytest.param(
            "vercel_ai",
            {"messages": [{"role": "assistant", "content": "Hi"}], "finishReason": "length"},
            id="a finishReason beside messages",
        ),
        pytest.param(
            "vercel_ai",
            [{"role": "assistant", "parts": [], "content": "Hi", "toolInvocations": []}],
            id="parts that were never filled",
        ),
        pytest.param(
            "openai_responses",
            {"new_items": [{"type": "tool_approval_item", "raw_item": RESPONSES_CALL}]},
            id="a call that waits for approval",
        ),
        pytest.param(
            "openai_responses",
            {"object": "response", "output": [], "status": "failed"},
            id="failed",
        ),
        pytest.param(
            "adk", [{"author": "vet", "invocation_id": "i", "error_code": "503"}], id="an error"
        ),
    ],
)
def test_small_odd_traces_are_read_as_their_importer_reads_them(name: str, trace: Any) -> None:
    assert from_trace(trace) == getattr(traces, f"from_{name}")(trace)


@pytest.mark.parametrize(
    ("trace", "message"),
    [
        pytest.param(
            None, "from_trace: expected a trace of one of the formats .*, got None", id="nothing"
        ),
        pytest.param([], "the trace is empty", id="empty list"),
        pytest.param({}, "the trace is empty", id="empty object"),
        pytest.param(3, "got int 3; pass the parsed JSON of a trace", id="number"),
        pytest.param(object(), "got object <object", id="object"),
        pytest.param(iter([]), "pass the parsed JSON of a trace", id="iterator"),
        pytest.param(json.dumps([CHAT_CALL]), "this is text: parse it first", id="JSON text"),
        pytest.param(
            json.dumps({"messages": [CHAT_CALL]}, indent=1),
            "from_trace: .*this is text: parse it first",
            id="JSON text over several lines",
        ),
        pytest.param('{"a": 1}\n{"b": 2}', "this is text", id="lines that are no spans"),
        pytest.param("", "this is text", id="empty text"),
        pytest.param(b"{}", "this is text", id="bytes"),
        pytest.param([1, "a", None], "no message, item, span or call of any was found", id="junk"),
        pytest.param({"a": 1}, "no message, item, span or call of any was found", id="other data"),
        pytest.param(
            [{"role": "assistant", "parts": [{"type": "text", "content": "Hello."}]}],
            "no message, item, span or call",
            id="messages of spans without the spans",
        ),
        pytest.param([[CHAT_CALL]], "no message, item, span or call", id="a list of traces"),
        pytest.param({"messages": json.dumps([CHAT_CALL])}, "no message, item", id="text inside"),
    ],
)
def test_what_is_no_trace(trace: Any, message: str) -> None:
    with pytest.raises(TraceFormatError, match=message):
        from_trace(trace)


@pytest.mark.parametrize(
    ("importer", "trace"),
    [
        pytest.param("openai_chat", {"messages": []}, id="chat, no messages"),
        pytest.param("openai_chat", [{"role": "system", "content": "x"}], id="chat, rules alone"),
        pytest.param("openai_chat", {"traj": []}, id="tau-bench, no messages"),
        pytest.param("openai_responses", {"items": []}, id="no items"),
        pytest.param("openai_responses", [{"type": "new"}], id="items of a new kind"),
        pytest.param("anthropic", {"messages": []}, id="Anthropic, no messages"),
        pytest.param("anthropic", [{"role": "system", "content": "x"}], id="Anthropic, rules"),
        pytest.param("bedrock", {"messages": []}, id="Bedrock, no messages"),
        pytest.param("gemini", {"candidates": []}, id="Gemini, no candidate"),
        pytest.param("gemini", [{"role": "user", "parts": []}], id="Gemini, no parts"),
        pytest.param("vercel_ai", {"messages": []}, id="AI SDK, no messages"),
        pytest.param("adk", {"eval_cases": []}, id="ADK, no cases"),
        pytest.param("adk", [{"author": "a", "invocation_id": "i"}], id="ADK, an empty event"),
        pytest.param("inspect", {"samples": []}, id="Inspect, no samples"),
        pytest.param("inspect", {"epoch": 1, "messages": []}, id="Inspect, an empty sample"),
        pytest.param("mcp", {"messages": []}, id="MCP, no messages"),
        pytest.param("mcp", [{"jsonrpc": "2.0", "id": 1, "result": {}}], id="MCP, no request"),
    ],
)
def test_a_trace_with_nothing_in_it_is_shown_in_the_message(importer: str, trace: Any) -> None:
    with pytest.raises(TraceFormatError) as caught:
        getattr(traces, f"from_{importer}")(trace)
    assert caught.value.where == f"from_{importer}"
    assert f"got {type(trace).__name__} {cut(trace)}" in str(caught.value)


STREAMS = {
    "openai_chat": [
        {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "Hi"}}]},
        {"object": "chat.completion.chunk", "choices": [], "usage": {}},
    ],
    "anthropic": [
        {"type": "message_start", "message": {"type": "message", "role": "assistant"}},
        {"type": "content_block_start", "content_block": {"type": "tool_use", "name": "f"}},
        {"type": "content_block_delta", "delta": {"type": "input_json_delta"}},
        {"type": "message_stop"},
    ],
    "bedrock": [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockStart": {"start": {"toolUse": {"toolUseId": "t", "name": "f"}}}},
    ],
    "vercel_ai": [
        {"type": "start"},
        {"type": "tool-input-available", "toolCallId": "t", "toolName": "f", "input": {}},
    ],
}


@pytest.mark.parametrize("format_name", STREAMS)
def test_the_chunks_of_a_stream_are_refused_with_what_to_do(format_name: str) -> None:
    events = STREAMS[format_name]
    importer = getattr(traces, f"from_{format_name}")
    for trace in (events, events[::-1], events[:1], {"messages": events}):
        for read in (importer, from_trace):
            with pytest.raises(TraceFormatError, match="together first"):
                read(trace)
    for event in events:
        with pytest.raises(TraceFormatError):
            importer([{"role": "user", "content": [{"type": "text", "text": "Hi"}]}, event])


@pytest.mark.parametrize("lines", [1, 2])
def test_lines_of_spans_are_the_one_text_that_is_read(lines: int) -> None:
    attributes = [
        {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
        {"key": "gen_ai.tool.name", "value": {"stringValue": "f"}},
    ]
    spans = [
        {"traceId": "t", "spanId": str(line), "name": "execute_tool f", "attributes": attributes}
        for line in range(lines)
    ]
    text = "".join(
        json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}) + "\n"
        for span in spans
    )
    assert [call.name for call in from_trace(text)["calls"]] == ["f"] * lines


def test_the_message_names_every_format() -> None:
    with pytest.raises(TraceFormatError) as caught:
        from_trace({"a": 1})
    for known in recognize._FORMATS:
        assert known.name in caught.value.wanted


def test_every_format_is_named_after_its_importer_and_knows_whether_it_has_cases() -> None:
    for known in recognize._FORMATS:
        assert known.importer is getattr(traces, f"from_{known.name}")
        takes = inspect.signature(known.importer).parameters
        assert ("case" in takes) == known.has_cases
        module = sys.modules[known.looks_like.__module__]
        assert known.name == module.FORMAT
    importers = {name for name in traces.__all__ if name.startswith("from_")} - {"from_trace"}
    assert {f"from_{known.name}" for known in recognize._FORMATS} == importers


def test_an_empty_message_of_anthropic_is_known_by_its_stop_reason() -> None:
    message = {"type": "message", "role": "assistant", "content": [], "stop_reason": "refusal"}
    result = from_trace(message)
    assert (result["trace"]["format"], result["status"]) == ("anthropic", "refused")


def test_a_field_that_is_null_is_no_mark() -> None:
    legacy = {"role": "assistant", "function_call": {"name": "f"}}
    assert marks.message_mark(legacy) == "openai_chat"
    assert marks.message_mark(legacy | {"function_call": None, "tool_calls": None}) is None
    assert marks.part_mark({"text": "x", "function_call": None, "toolUse": None}) is None
    assert marks.part_mark({"text": None, "function_call": {"name": "f"}}) == "gemini"


def test_case_is_refused_for_a_format_with_one_conversation() -> None:
    with pytest.raises(ValueError, match=r"from_trace: case 1: a trace of the format anthropic is"):
        from_trace([ANTHROPIC_CALL], case=1)


def test_is_error_reaches_the_importer(cases: Callable[[str], list[dict[str, Any]]]) -> None:
    case = next(case for case in cases("openai_chat") if case["name"] == "error_text_and_retry")
    result = from_trace(case["trace"], is_error=lambda text: text.startswith("Error"))
    assert [call.error for call in result["calls"]] == ["Error: table 9 is taken"] * 2
