"""Chat messages, whole completions and what only chat has; pairing and answers are shared."""

from __future__ import annotations

from typing import Any

import pytest

from agenteval import traces
from agenteval.traces import TraceFormatError, from_openai_chat, from_trace


def call(name: str, arguments: Any = "{}", call_id: Any = "c1") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def assistant(content: Any = None, *calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content} | more
    return message | ({"tool_calls": list(calls)} if calls else {})


def tool(content: Any, call_id: str | None = "c1", **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content} | more


USER = {"role": "user", "content": "Go."}


def ended(message: dict[str, Any], reason: str | None) -> dict[str, Any]:
    return {
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": reason, "message": message}],
    }


def names(result: Any) -> list[str]:
    return [made.name for made in result["calls"]]


@pytest.mark.parametrize(
    "trace",
    [
        pytest.param([assistant(None, call("f"))], id="list"),
        pytest.param((assistant(None, call("f")),), id="tuple"),
        pytest.param({"messages": [assistant(None, call("f"))], "model": "m"}, id="messages"),
        pytest.param(assistant(None, call("f")), id="one message"),
        pytest.param(ended(assistant(None, call("f")), "tool_calls"), id="completion"),
        pytest.param([USER, ended(assistant(None, call("f")), "tool_calls")], id="both in a list"),
        pytest.param(
            {"messages": [USER]} | ended(assistant(None, call("f")), "tool_calls"),
            id="request and response in one",
        ),
    ],
)
def test_every_wrapping_gives_the_call(trace: Any) -> None:
    result = from_openai_chat(trace)
    assert names(result) == ["f"]
    assert (result["status"], result["trace"]["unanswered_calls"]) == ("incomplete", [0])
    assert from_trace(trace) == result


@pytest.mark.parametrize(
    ("reason", "content", "status"),
    [
        pytest.param("stop", "Done.", "final", id="stop"),
        pytest.param(None, "Done.", "final", id="none given"),
        pytest.param("length", "Do", "cut off", id="length"),
        pytest.param("content_filter", "", "refused", id="content filter"),
        pytest.param("stop", None, "incomplete", id="nothing said"),
        pytest.param("stop", " \n", "incomplete", id="nothing but blanks"),
    ],
)
def test_how_a_completion_ends(reason: str | None, content: str | None, status: str) -> None:
    assert from_openai_chat(ended(assistant(content), reason))["status"] == status


def test_a_reason_that_a_log_keeps_with_the_message_is_read() -> None:
    cut = assistant("Do", finish_reason="length")
    assert from_openai_chat([USER, cut])["status"] == "cut off"
    assert from_openai_chat([USER, cut, assistant("Done.", finish_reason="stop")])["status"] == (
        "final"
    )


def test_a_cut_off_reply_that_went_on_is_no_end() -> None:
    result = from_openai_chat([ended(assistant("Do"), "length"), assistant("Done.")])
    assert (result["status"], result["answer"]) == ("final", "Done.")


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(assistant(None, refusal="I can't."), id="field"),
        pytest.param(assistant([{"type": "refusal", "refusal": "I can't."}]), id="part"),
    ],
)
def test_a_refusal_is_no_final_answer(message: dict[str, Any]) -> None:
    result = from_openai_chat([USER, message])
    assert (result["status"], result["answer"]) == ("refused", "I can't.")


def test_the_answer_in_parts_without_the_reasoning() -> None:
    content = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "reasoning", "text": "hm"},
        {"type": "text", "text": None},
        {"type": "text", "text": "It "},
        "rains",
        {"type": "image_url", "image_url": {"url": "data:"}},
        {"type": "text", "text": "."},
    ]
    result = from_openai_chat([USER, assistant(content, reasoning_content="hm")])
    assert result["answer"] == "It rains."


def test_a_spoken_answer_is_read_from_its_transcript() -> None:
    assert from_openai_chat([assistant(None, audio={"transcript": "Yes."})])["answer"] == "Yes."
    spoken = assistant("Written.", audio={"transcript": "Yes."})
    assert from_openai_chat([spoken])["answer"] == "Written."
    assert from_openai_chat([assistant(None, audio={"transcript": None})])["answer"] is None


def test_a_custom_tools_free_text_is_its_input() -> None:
    custom = {"id": "c1", "type": "custom", "custom": {"name": "edit", "input": "s/a/b/"}}
    result = from_openai_chat([assistant(None, custom), tool("done")])
    assert [(made.name, made.args, made.error) for made in result["calls"]] == [
        ("edit", {"input": "s/a/b/"}, None)
    ]
    assert result["trace"]["unparsed_arguments"] == 0


def test_legacy_calls_pair_by_name() -> None:
    result = from_openai_chat(
        [
            assistant(None, function_call={"name": "f", "arguments": '{"x": 1}'}),
            {"role": "function", "name": "f", "content": "Error: one"},
            assistant("", function_call={"name": "f", "arguments": ""}),
            {"role": "function", "name": "f", "content": None},
            assistant("Done."),
        ],
        is_error=lambda text: text.startswith("Error"),
    )
    assert [(made.args, made.error) for made in result["calls"]] == [
        ({"x": 1}, "Error: one"),
        ({}, None),
    ]
    assert result["trace"]["unanswered"] == 0


def test_a_legacy_copy_beside_tool_calls_is_not_counted_twice() -> None:
    message = assistant(None, call("f"), function_call={"name": "f", "arguments": "{}"})
    assert names(from_openai_chat([message])) == ["f"]


@pytest.mark.parametrize(
    "placeholder",
    [
        pytest.param({"name": "", "arguments": ""}, id="empty texts"),
        pytest.param({"name": None, "arguments": None}, id="nulls"),
        pytest.param({"name": "", "arguments": None}, id="both"),
        pytest.param({}, id="nothing in it"),
        pytest.param(None, id="null"),
    ],
)
def test_a_placeholder_for_a_legacy_call_is_no_call(placeholder: Any) -> None:
    answer = assistant("Done.", function_call=placeholder, tool_calls=None, refusal="")
    answer["audio"] = {"id": "", "data": "", "transcript": ""}
    trace = [
        assistant(None, call("f"), function_call=placeholder),
        tool("ok", function_call=placeholder),
        answer,
    ]
    result = from_openai_chat(trace)
    assert names(result) == ["f"]
    assert (result["status"], result["answer"]) == ("final", "Done.")
    assert result["trace"]["unanswered"] == 0
    assert from_trace(trace) == result


def test_a_placeholder_among_the_calls_is_no_call() -> None:
    empty = call("", "", "")
    result = from_openai_chat(
        [assistant(None, call("f"), empty), tool("ok"), assistant("Done.", empty)]
    )
    assert (names(result), result["status"], result["answer"]) == (["f"], "final", "Done.")
    assert names(from_openai_chat([assistant(None, call("", "", "c1"))])) == [""]


@pytest.mark.parametrize(
    "results",
    [
        pytest.param([tool("1", None), tool("2", None)], id="neither id nor name"),
        pytest.param(
            [tool("2", None, name="g"), tool("1", None, name="f")], id="names out of order"
        ),
        pytest.param([tool("1", ""), tool("2", "")], id="empty ids"),
    ],
)
def test_results_without_ids(results: list[dict[str, Any]]) -> None:
    calls = [call("f", call_id=None), call("g", call_id=None)]
    result = from_openai_chat([assistant(None, *calls), *results], is_error=lambda text: True)
    assert [made.error for made in result["calls"]] == ["1", "2"]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        pytest.param("ok", "ok", id="text"),
        pytest.param([{"type": "text", "text": "o"}, {"text": "k"}], "ok", id="parts"),
        pytest.param({"ok": True}, '{"ok": true}', id="object"),
    ],
)
def test_the_text_of_a_result(content: Any, text: str) -> None:
    result = from_openai_chat(
        [assistant(None, call("f")), tool(content)], is_error=lambda text: True
    )
    assert result["calls"][0].error == text


@pytest.mark.parametrize("role", ["user", "developer", "assistant"])
def test_a_call_id_makes_a_message_a_result(role: str) -> None:
    said = tool("no", role=role)
    (made,) = from_openai_chat([assistant(None, call("f")), said], is_error="no".__eq__)["calls"]
    assert made.error == "no"


def test_a_call_with_a_stray_call_id_stays_a_call() -> None:
    message = assistant("Wait.", call("g", call_id="c2"), tool_call_id="c1")
    assert names(from_openai_chat([assistant(None, call("f")), message])) == ["f", "g"]


def test_system_and_developer_messages_say_nothing_about_the_agent() -> None:
    rules = [
        {"role": "system", "content": "Be brief."},
        {"role": "developer", "content": "Be kind."},
    ]
    assert from_openai_chat([*rules, USER, assistant("Done.")])["status"] == "final"
    with pytest.raises(TraceFormatError, match="nothing was found"):
        from_openai_chat(rules)


def test_a_question_at_the_end_leaves_the_answer_before_it() -> None:
    result = from_openai_chat([USER, assistant("Done."), USER])
    assert (result["status"], result["answer"]) == ("incomplete", "Done.")


@pytest.mark.parametrize(
    ("trace", "message"),
    [
        pytest.param(None, r"from_openai_chat: expected chat messages .*, got None", id="nothing"),
        pytest.param([], "got list \\[\\]; the trace is empty", id="empty list"),
        pytest.param({}, "got dict \\{\\}; the trace is empty", id="empty object"),
        pytest.param('[{"role": "user"}]', "this is text: parse it first", id="text"),
        pytest.param(b"[]", "this is text: parse it first", id="bytes"),
        pytest.param(7, "got int 7; pass the parsed JSON of a trace", id="number"),
        pytest.param({"messages": "[]"}, r"messages: expected a list, got str", id="list as text"),
        pytest.param({"messages": []}, "nothing was found", id="no messages"),
        pytest.param({"model": "m"}, "with 'messages' or 'choices' or 'role'", id="other object"),
        pytest.param([USER, None], r"\[1\]: expected an object, got None", id="no message"),
        pytest.param([{"content": "x"}], r"\[0\].role: expected one of .*, got None", id="no role"),
        pytest.param([{"role": "model"}], r"\[0\].role: expected one of system, ", id="other role"),
        pytest.param([assistant(5)], r"\[0\].content: expected a list, got int 5", id="content"),
        pytest.param(
            [assistant([{"type": 3, "text": "x"}])], r"content\[0\].type: expected text", id="type"
        ),
        pytest.param(
            [assistant(None, tool_calls={"id": "c1"})],
            r"\[0\].tool_calls: expected a list, got dict",
            id="calls are an object",
        ),
        pytest.param(
            [assistant(None, call(None))],
            r"\[0\].tool_calls\[0\].function.name: expected text, got None",
            id="no name",
        ),
        pytest.param(
            [assistant(None, function_call={"name": None, "arguments": "{}"})],
            r"\[0\].function_call.name: expected text, got None",
            id="a legacy call without a name",
        ),
        pytest.param(
            [assistant(None, {"id": "c1", "name": "f", "args": {}})],
            r"tool_calls\[0\]: expected a call with 'function', 'custom' or 'name' and 'arguments'",
            id="another format's call",
        ),
        pytest.param(
            [assistant(None, call("f", call_id=["c1"]))],
            r"tool_calls\[0\].id: expected an id",
            id="id",
        ),
        pytest.param(
            [tool("x", error={"code": 1})], r"\[0\].error: expected text, true, false", id="error"
        ),
        pytest.param(
            [{"role": "system", "content": "", "tool_calls": [call("f")]}],
            r"\[0\]: expected calls in a message of the role assistant",
            id="a call under another role",
        ),
        pytest.param(
            [tool("ok", function_call={"name": "f"})],
            r"\[0\]: expected calls in a message of the role assistant",
            id="a call and a result in one",
        ),
        pytest.param(
            [{"role": "system", "content": 5}], r"\[0\].content: expected a list", id="rules"
        ),
        pytest.param(
            [assistant("", toolInvocations=[])], "is of the format vercel_ai", id="invocations"
        ),
        pytest.param(
            [assistant("", type="function_call", name="f")],
            "is of the format openai_responses",
            id="an item with a role",
        ),
        pytest.param({"choices": []}, r"response.choices: expected at least one", id="no choice"),
        pytest.param(
            [{"choices": [{"delta": {"content": "x"}}]}],
            "put the chunks of a stream together first",
            id="chunks",
        ),
        pytest.param({"error": {"message": "x"}}, "a list of messages, or an object", id="error"),
    ],
)
def test_bad_input_is_named_with_its_place(trace: Any, message: str) -> None:
    with pytest.raises(TraceFormatError, match=message):
        from_openai_chat(trace)


@pytest.mark.parametrize(
    ("part", "format_name"),
    [
        pytest.param({"type": "tool_use", "id": "t", "name": "f", "input": {}}, "anthropic"),
        pytest.param({"type": "tool_result", "tool_use_id": "t"}, "anthropic"),
        pytest.param({"toolUse": {"name": "f"}}, "bedrock"),
        pytest.param({"type": "tool-call", "toolName": "f"}, "vercel_ai"),
        pytest.param({"functionCall": {"name": "f"}}, "gemini"),
        pytest.param({"type": "function_call", "name": "f"}, "openai_responses"),
        pytest.param({"type": "tool_call", "name": "f"}, "langchain"),
    ],
)
def test_a_mixture_is_refused_not_read_in_part(part: dict[str, Any], format_name: str) -> None:
    trace = [assistant(None, call("f")), tool("ok"), assistant([part]), assistant("Done.")]
    with pytest.raises(TraceFormatError, match=f"is of the format {format_name}: use from_"):
        from_openai_chat(trace)
    with pytest.raises(TraceFormatError):
        from_trace(trace)


def test_the_sdks_objects_are_read(cases: Any) -> None:
    class Model:
        def __init__(self, data: Any) -> None:
            self.data = data

        def model_dump(self) -> Any:
            return self.data

    for case in cases("openai_chat"):
        trace = case["trace"]
        messages = trace.get("messages")
        whole = Model(trace) if messages is None else [Model(message) for message in messages]
        assert from_openai_chat(whole) == from_openai_chat(trace)


def test_an_unknown_rule_is_refused_before_reading() -> None:
    with pytest.raises(TypeError, match="from_openai_chat: is_error must be a function"):
        traces.from_trace([USER], is_error="Error")
