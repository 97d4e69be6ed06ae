"""A call that stands where none is read is an error in every importer, not a shorter run."""

from __future__ import annotations

from typing import Any

import pytest

from agenteval import traces
from agenteval.traces import TraceFormatError
from agenteval.traces.call_shapes import bears_call, refuse_call, refuse_held

FUNCTION = {"name": "pay", "arguments": "{}"}
CALLS = [  # the shapes that the formats give a call, without the type that goes with them
    pytest.param({"id": "a", "type": "function", "function": FUNCTION}, id="openai chat"),
    pytest.param({"function": FUNCTION}, id="ollama"),
    pytest.param({"id": "a", "function": "pay", "arguments": {}}, id="inspect"),
    pytest.param({"id": "a", "function": "pay", "args": {}}, id="agentdojo"),
    pytest.param({"id": "a", "custom": {"name": "pay", "input": "5"}}, id="custom"),
    pytest.param({"call_id": "a", "name": "pay", "arguments": "{}"}, id="responses"),
    pytest.param({"id": "a", "name": "pay", "input": {}}, id="anthropic"),
    pytest.param({"id": "a", "name": "pay", "args": {}}, id="langchain"),
    pytest.param({"name": "pay", "arguments": {}}, id="tau2"),
    pytest.param({"toolCallId": "a", "toolName": "pay", "input": {}}, id="ai sdk"),
    pytest.param({"toolUseId": "a", "name": "pay", "input": {}}, id="inside of a toolUse"),
    pytest.param({"tool": "pay", "tool_input": {}}, id="an agent's action"),
    pytest.param({"type": "x", "toolUse": {"name": "pay"}}, id="a toolUse of a type"),
    pytest.param({"type": "x", "function_call": {"name": "pay"}}, id="a function_call of a type"),
    pytest.param({"type": "x", "tool_calls": [{"id": "a"}]}, id="a message's calls"),
    pytest.param({"type": "x", "TOOL_CALLS": [{"id": "a"}]}, id="in capitals"),
    pytest.param({"type": "x", "tool-use": {"id": "a"}}, id="with a dash"),
    pytest.param({"type": "x", "parts": [{"functionCall": {"name": "pay"}}]}, id="one level down"),
    pytest.param({"type": "x", "content": [{"name": "pay", "args": {}}]}, id="in its content"),
]


@pytest.mark.parametrize("record", CALLS)
def test_a_call_is_known_by_its_shape(record: dict[str, Any]) -> None:
    assert bears_call(record)
    with pytest.raises(TraceFormatError, match=r"^here: .*the shape of a tool call"):
        refuse_call(record, "here")


@pytest.mark.parametrize(
    "record",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"type": "image", "name": "a.png", "id": "f"}, id="a file with a name"),
        pytest.param({"type": "thinking", "thinking": "pay", "signature": "s"}, id="thinking"),
        pytest.param({"function": {"name": "f", "parameters": {}}}, id="a tool"),
        pytest.param({"name": "f", "input_schema": {}}, id="a tool of Anthropic's"),
        pytest.param({"type": "tool_reference", "tool_name": "f"}, id="a tool by name"),
        pytest.param({"id": "a", "input": "text"}, id="an input without a name"),
        pytest.param({"name": "", "arguments": "", "function": None}, id="empty fields"),
        pytest.param({"tool_calls": None, "function_call": {}, "toolUse": []}, id="empty holders"),
        pytest.param({"content": [{"type": "web_search_result", "title": "t"}]}, id="results"),
        pytest.param({"content": "text", "parts": None}, id="text"),
    ],
)
def test_other_records_are_none(record: dict[str, Any]) -> None:
    assert not bears_call(record)
    refuse_call(record, "here")


def test_a_message_holds_calls_only_where_the_format_has_them() -> None:
    message = {"role": "assistant", "tool_calls": [{"id": "a"}]}
    refuse_held(message, ("tool_calls",), "here")
    with pytest.raises(TraceFormatError, match=r"here: .*in a field that is not read"):
        refuse_held(message, ("function_call",), "here")


def of_inspect(*messages: Any) -> dict[str, Any]:
    return {"samples": [{"id": 1, "epoch": 1, "messages": list(messages)}]}


def of_chat(*messages: Any) -> list[Any]:
    return list(messages)


SHELLS: dict[str, tuple[Any, Any, Any]] = {  # the wrapping, a text part, what a part is put in
    "from_anthropic": (of_chat, {"type": "text", "text": "Paid."}, "content"),
    "from_bedrock": (of_chat, {"text": "Paid."}, "content"),
    "from_gemini": (of_chat, {"text": "Paid."}, "parts"),
    "from_inspect": (of_inspect, {"type": "text", "text": "Paid."}, "content"),
    "from_openai_chat": (of_chat, {"type": "text", "text": "Paid."}, "content"),
    "from_openai_responses": (of_chat, {"type": "output_text", "text": "Paid."}, "content"),
    "from_vercel_ai": (of_chat, {"type": "text", "text": "Paid."}, "content"),
}


@pytest.mark.parametrize("importer", SHELLS)
@pytest.mark.parametrize("role", ["assistant", "user"])
@pytest.mark.parametrize("kind", [None, "unheard_of", "text"])
@pytest.mark.parametrize("record", CALLS)
def test_a_call_among_the_parts_does_not_vanish(
    importer: str, role: str, kind: str | None, record: dict[str, Any]
) -> None:
    wrap, said, key = SHELLS[importer]
    part = {name: value for name, value in record.items() if name != "type"}
    if kind is not None:
        part["type"] = kind
    asked = "model" if (importer, role) == ("from_gemini", "assistant") else role
    answered = "model" if importer == "from_gemini" else "assistant"
    trace = wrap({"role": asked, key: [part]}, {"role": answered, key: [said]})
    try:
        found = getattr(traces, importer)(trace)
    except TraceFormatError:
        return
    assert [call.name for call in found["calls"]] == ["pay"]


@pytest.mark.parametrize("importer", SHELLS)
def test_a_list_of_calls_does_not_pass_for_a_content(importer: str) -> None:
    wrap, said, key = SHELLS[importer]
    speaker = "model" if importer == "from_gemini" else "assistant"
    swapped = {"role": speaker, key: [{"id": "a", "function": FUNCTION}], "tool_calls": None}
    with pytest.raises(TraceFormatError):
        getattr(traces, importer)(wrap(swapped, {"role": speaker, key: [said]}))


@pytest.mark.parametrize("importer", SHELLS)
@pytest.mark.parametrize("field", ["toolCalls", "function_calls", "toolUse", "TOOL_CALLS"])
def test_a_message_with_calls_in_a_field_of_its_own_is_refused(importer: str, field: str) -> None:
    wrap, said, key = SHELLS[importer]
    speaker = "model" if importer == "from_gemini" else "assistant"
    held = {"role": speaker, key: [said], field: [{"name": "pay"}]}
    with pytest.raises(TraceFormatError, match="calls in a field that is not read"):
        getattr(traces, importer)(wrap(held))


@pytest.mark.parametrize("kind", ["function", "unheard_of", "reasoning", None])
def test_an_item_of_responses_that_is_a_call_is_refused(kind: str | None) -> None:
    item = {"id": "a", "type": kind, "name": "pay", "arguments": "{}"}
    answer = {"role": "assistant", "content": [{"type": "output_text", "text": "Paid."}]}
    with pytest.raises(TraceFormatError):
        traces.from_openai_responses([item, answer])


def chat_with(**more: Any) -> list[dict[str, Any]]:
    return [{"role": "user", "content": "Pay."}, {"role": "assistant", "content": "Done.", **more}]


def converse_with(**more: Any) -> list[dict[str, Any]]:
    answer = {"role": "assistant", "content": [{"text": "Done."}], **more}
    return [{"role": "user", "content": [{"text": "Pay."}]}, answer]


READERS = [
    pytest.param(traces.from_openai_chat, chat_with, id="openai chat"),
    pytest.param(traces.from_anthropic, chat_with, id="anthropic"),
    pytest.param(traces.from_vercel_ai, chat_with, id="vercel ai"),
    pytest.param(traces.from_langchain, chat_with, id="langchain"),
    pytest.param(traces.from_bedrock, converse_with, id="bedrock"),
    pytest.param(traces.from_trace, chat_with, id="from_trace"),
]


@pytest.mark.parametrize(("read", "message_with"), READERS)
@pytest.mark.parametrize(
    "field",
    ["tool_callss", "custom_tool_calls", "tools_called", "calls", "actions", "invalidToolCalls"],
)
@pytest.mark.parametrize(
    "call",
    [
        pytest.param({"id": "a", "type": "function", "function": FUNCTION}, id="openai chat"),
        pytest.param({"id": "a", "name": "pay", "args": {}}, id="langchain"),
        pytest.param({"id": "a", "name": "pay", "input": {}}, id="anthropic"),
    ],
)
def test_calls_in_a_field_that_no_format_has_are_not_lost(read, message_with, field, call) -> None:
    for held in (call, [call]):
        with pytest.raises(TraceFormatError, match="in a field that is not read here, where they"):
            read(message_with(**{field: held}))


@pytest.mark.parametrize(("read", "message_with"), READERS)
@pytest.mark.parametrize(
    "beside",
    [
        pytest.param({"metadata": {"name": "pay", "args": {}}}, id="metadata"),
        pytest.param({"tools": [{"type": "function", "function": {"name": "pay"}}]}, id="offered"),
        pytest.param({"tool_choice": {"function": {"name": "pay"}}}, id="chosen"),
        pytest.param({"tool_usage": {"name": "pay", "count": 3}}, id="counted"),
        pytest.param({"recall": [{"name": "pay", "score": 0.5}]}, id="a word within a word"),
    ],
)
def test_what_is_no_call_may_stand_in_any_field(read, message_with, beside) -> None:
    assert read(message_with(**beside))["status"] == "final"


HELD = {"tool_calls": [{"id": "a", "type": "function", "function": FUNCTION}]}
REPLY = {"role": "assistant", "content": [{"text": "Done."}]}


@pytest.mark.parametrize(
    ("read", "trace"),
    [
        pytest.param(
            traces.from_openai_chat,
            {"choices": [{"message": {"role": "assistant", "content": "Done."}, **HELD}]},
            id="openai chat, a choice",
        ),
        pytest.param(
            traces.from_openai_chat,
            {"choices": [{"message": {"role": "assistant", "content": "Done."}}], **HELD},
            id="openai chat, a completion",
        ),
        pytest.param(traces.from_bedrock, {"output": {"message": REPLY}, **HELD}, id="bedrock"),
        pytest.param(
            traces.from_bedrock, {"output": {"message": REPLY, **HELD}}, id="bedrock, an output"
        ),
    ],
)
def test_calls_around_a_message_are_not_lost(read: Any, trace: Any) -> None:
    with pytest.raises(TraceFormatError, match="in a field that is not read here, where they"):
        read(trace)


def test_the_function_that_a_request_chose_is_no_call() -> None:
    kept = {"function_call": {"name": "pay"}, "functions": [{"name": "pay", "parameters": {}}]}
    reply = {"choices": [{"message": {"role": "assistant", "content": "Done."}}]}
    assert traces.from_openai_chat({**kept, **reply})["status"] == "final"
