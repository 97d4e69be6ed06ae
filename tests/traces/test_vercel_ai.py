"""The AI SDK's model messages and UI messages, of its fourth and later versions."""

from __future__ import annotations

from typing import Any

import pytest

from agenteval.traces import TraceFormatError, from_trace, from_vercel_ai


def assistant(*parts: Any, key: str = "content") -> dict[str, Any]:
    return {"role": "assistant", key: list(parts)}


def call(name: str = "f", call_id: str | None = "t1", **more: Any) -> dict[str, Any]:
    return {"type": "tool-call", "toolCallId": call_id, "toolName": name, "input": {"x": 1}} | more


def result_of(output: Any, call_id: str | None = "t1", **more: Any) -> dict[str, Any]:
    part = {"type": "tool-result", "toolCallId": call_id, "toolName": "f", "output": output}
    return {"role": "tool", "content": [part | more]}


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def ui(state: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool-f", "toolCallId": "t1", "state": state, "input": {"x": 1}} | more


@pytest.mark.parametrize(
    "trace",
    [
        pytest.param([assistant(call())], id="list"),
        pytest.param({"messages": [assistant(call())]}, id="messages"),
        pytest.param(assistant(call()), id="one message"),
        pytest.param([assistant(ui("input-available"), key="parts")], id="UI message"),
    ],
)
def test_every_wrapping_gives_the_call(trace: Any) -> None:
    result = from_vercel_ai(trace)
    assert [(made.name, made.args) for made in result["calls"]] == [("f", {"x": 1})]
    assert (result["status"], result["trace"]["unanswered_calls"]) == ("incomplete", [0])
    assert from_trace(trace) == result


@pytest.mark.parametrize(
    ("output", "error"),
    [
        pytest.param({"type": "text", "value": "ok"}, None, id="text"),
        pytest.param({"type": "json", "value": {"eur": 3}}, None, id="json"),
        pytest.param({"type": "error-text", "value": "closed"}, "closed", id="error text"),
        pytest.param({"type": "error-json", "value": {"code": 1}}, '{"code": 1}', id="error json"),
        pytest.param(
            {"type": "execution-denied", "reason": "too dear"}, "too dear", id="denied, with reason"
        ),
        pytest.param({"type": "execution-denied"}, "the user denied the call", id="denied"),
        pytest.param({"eur": 3}, None, id="an output without a type"),
        pytest.param("3 EUR", None, id="an output as text"),
    ],
)
def test_the_output_of_a_model_message(output: Any, error: str | None) -> None:
    result = from_vercel_ai([assistant(call()), result_of(output)])
    assert (result["calls"][0].error, result["trace"]["unanswered"]) == (error, 0)


def test_the_parts_of_an_output_are_its_text() -> None:
    output = {"type": "content", "value": [{"type": "text", "text": "no"}, {"type": "media"}]}
    result = from_vercel_ai([assistant(call()), result_of(output)], is_error="no".__eq__)
    assert result["calls"][0].error == "no"


@pytest.mark.parametrize("told", [True, 1])
def test_version_4_has_args_result_and_is_error(told: Any) -> None:
    made = {"type": "tool-call", "toolCallId": "t1", "toolName": "f", "args": {"x": 1}}
    answered = {"type": "tool-result", "toolCallId": "t1", "result": "closed", "isError": told}
    result = from_vercel_ai([assistant(made), {"role": "tool", "content": [answered]}])
    assert [(one.args, one.error) for one in result["calls"]] == [({"x": 1}, "closed")]


def test_a_tool_error_part() -> None:
    failed = {"type": "tool-error", "toolCallId": "t1", "toolName": "f", "error": "down"}
    assert from_vercel_ai([assistant(call(), failed)])["calls"][0].error == "down"


@pytest.mark.parametrize(
    ("part", "error", "answered"),
    [
        pytest.param(ui("input-streaming"), None, False, id="input streaming"),
        pytest.param(ui("input-available"), None, False, id="input available"),
        pytest.param(ui("approval-requested"), None, False, id="waiting for approval"),
        pytest.param(ui("output-available", output={"eur": 3}), None, True, id="output"),
        pytest.param(ui("output-available", output=1, preliminary=True), None, False, id="so far"),
        pytest.param(ui("output-error", errorText="closed"), "closed", True, id="error"),
        pytest.param(
            ui("output-error"), "the tool failed without a message", True, id="error, no text"
        ),
        pytest.param(ui("output-denied"), "the user denied the call", True, id="denied"),
    ],
)
def test_the_states_of_a_ui_part(part: dict[str, Any], error: str | None, answered: bool) -> None:
    result = from_vercel_ai([assistant(part, text("Done."), key="parts")])
    assert result["calls"][0].error == error
    assert (result["trace"]["unanswered"] == 0) is answered
    assert result["status"] == ("final" if answered else "incomplete")


@pytest.mark.parametrize(
    "name",
    ["call", "result", "error", "approval-request", "approval-response", "invocation", "f", ""],
)
def test_a_tool_of_any_name_is_read_from_a_ui_part(name: str) -> None:
    kind = {"type": f"tool-{name}"}
    parts = [
        ui("output-error", errorText="closed") | kind,
        ui("output-available", output=3) | kind,
        text("Done."),
    ]
    result = from_vercel_ai([assistant(*parts, key="parts")])
    assert [(made.name, made.args, made.error) for made in result["calls"]] == [
        (name, {"x": 1}, "closed"),
        (name, {"x": 1}, None),
    ]
    assert (result["status"], result["trace"]["unanswered"]) == ("final", 0)
    assert from_trace([assistant(*parts, key="parts")]) == result
    waiting = from_vercel_ai([assistant(ui("input-available") | kind, key="parts")])
    assert (waiting["status"], waiting["trace"]["unanswered_calls"]) == ("incomplete", [0])


@pytest.mark.parametrize(
    ("recorded", "asked"),
    [
        pytest.param(ui("output-available", output="ok"), ["ok"], id="an output"),
        pytest.param(ui("output-available"), [""], id="a tool that returned nothing"),
        pytest.param(ui("output-denied"), [], id="denied"),
        pytest.param(ui("output-error", errorText="closed"), [], id="failed"),
        pytest.param(ui("input-available"), [], id="open"),
    ],
)
def test_is_error_is_asked_about_outputs_that_exist(
    recorded: dict[str, Any], asked: list[str]
) -> None:
    seen: list[str] = []
    from_vercel_ai([assistant(recorded, key="parts")], is_error=seen.append)
    assert seen == asked


def test_is_error_sees_what_a_ui_part_put_out() -> None:
    trace = [assistant(ui("output-available", output="Error: no"), key="parts")]
    result = from_vercel_ai(trace, is_error=lambda said: said.startswith("Error"))
    assert result["calls"][0].error == "Error: no"


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(
            {
                "role": "assistant",
                "content": "Tea is 3.",
                "toolInvocations": [
                    {"state": "result", "toolCallId": "t", "toolName": "f", "args": {}, "result": 3}
                ],
            },
            id="beside the content",
        ),
        pytest.param(
            {
                "role": "assistant",
                "content": "Tea is 3.",
                "toolInvocations": [{"state": "result", "toolName": "f"}],
                "parts": [
                    {
                        "type": "tool-invocation",
                        "toolInvocation": {"state": "result", "toolName": "f", "result": 3},
                    },
                    {"type": "text", "text": "Tea is 3."},
                ],
            },
            id="as parts, with a copy beside them",
        ),
        pytest.param(
            {
                "role": "assistant",
                "content": "Tea is 3.",
                "toolInvocations": [{"state": "result", "toolName": "f"}],
                "parts": [],
            },
            id="beside parts that were never filled",
        ),
    ],
)
def test_tool_invocations_of_version_4(message: dict[str, Any]) -> None:
    result = from_vercel_ai([message])
    assert ([made.name for made in result["calls"]], result["answer"]) == (["f"], "Tea is 3.")
    assert (result["status"], result["trace"]["unanswered"]) == ("final", 0)
    assert from_trace([message]) == result


def test_invocations_of_version_4_count_once_and_where_the_parts_have_none() -> None:
    invocation = {"state": "result", "toolCallId": "t1", "toolName": "f", "args": {}, "result": 1}
    message = assistant(text("Done."), key="parts") | {"toolInvocations": [invocation]}
    found = from_vercel_ai([message | {"content": "Done."}])
    assert [made.name for made in found["calls"]] == ["f"]
    assert (found["status"], found["answer"]) == ("final", "Done.")
    message["parts"].insert(0, {"type": "tool-invocation", "toolInvocation": invocation})
    assert from_vercel_ai([message])["calls"] == found["calls"]


def test_a_list_of_parts_under_both_names_is_refused() -> None:
    both = assistant(call()) | {"parts": [text("Done.")]}
    with pytest.raises(TraceFormatError, match=r"content: expected text beside the parts"):
        from_vercel_ai([both])


def test_an_open_invocation_of_version_4_is_unanswered() -> None:
    call_so_far = {"state": "call", "toolCallId": "t", "toolName": "f", "args": {}}
    message = {"role": "assistant", "content": "", "toolInvocations": [call_so_far]}
    assert from_vercel_ai([message])["trace"]["unanswered_calls"] == [0]


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(assistant(call(providerExecuted=True), text("Found.")), id="model message"),
        pytest.param(
            assistant(
                call(providerExecuted=True),
                result_of({"type": "json", "value": 1})["content"][0],
                text("Found."),
            ),
            id="model message with its result",
        ),
        pytest.param(
            assistant(
                ui("output-available", providerExecuted=True, output=1), text("Found."), key="parts"
            ),
            id="UI message",
        ),
    ],
)
def test_what_the_provider_executed_is_hosted(message: dict[str, Any]) -> None:
    result = from_vercel_ai([message])
    assert (result["calls"], result["trace"]["hosted"], result["answer"]) == ([], ["f"], "Found.")
    assert (result["status"], result["trace"]["unpaired_results"]) == ("final", 0)


@pytest.mark.parametrize(
    ("trace", "status", "said"),
    [
        pytest.param([{"role": "assistant", "content": "Done."}], "final", "Done.", id="text"),
        pytest.param(
            [assistant({"type": "reasoning", "text": "hm"}, text("It "), text("rains."))],
            "final",
            "It rains.",
            id="parts without the reasoning",
        ),
        pytest.param(
            [assistant(text("One."), {"type": "step-start"}, text("Two."), key="parts")],
            "final",
            "Two.",
            id="the last step",
        ),
        pytest.param([assistant(text("1.")), assistant(text("2."))], "final", "2.", id="two"),
        pytest.param(
            [
                assistant({"type": "tool-approval-request", "approvalId": "a"}),
                {"role": "tool", "content": [{"type": "tool-approval-response"}]},
                assistant(text("Done.")),
            ],
            "final",
            "Done.",
            id="approved and done",
        ),
        pytest.param(
            [assistant(text("Done.")), {"role": "user", "content": "And?"}],
            "incomplete",
            "Done.",
            id="ends in a question",
        ),
        pytest.param(
            [assistant(text("May I?"), {"type": "tool-approval-request", "approvalId": "a"})],
            "incomplete",
            "May I?",
            id="waits for approval",
        ),
        pytest.param(
            [
                assistant(text("May I?"), {"type": "tool-approval-request", "approvalId": "a"}),
                {"role": "tool", "content": [{"type": "tool-approval-response"}]},
            ],
            "incomplete",
            "May I?",
            id="approved, no more",
        ),
    ],
)
def test_how_a_trace_ends(trace: Any, status: str, said: str | None) -> None:
    result = from_vercel_ai(trace)
    assert (result["status"], result["answer"]) == (status, said)


@pytest.mark.parametrize(
    ("trace", "wanted"),
    [
        pytest.param(None, "expected messages of the Vercel AI SDK, got None", id="nothing"),
        pytest.param([], "the trace is empty", id="empty list"),
        pytest.param("[]", "this is text: parse it first", id="text"),
        pytest.param([{"role": "model"}], r"\[0\].role: expected one of system", id="role"),
        pytest.param([{"role": "user"}], r"\[0\].content: expected a list, got None", id="content"),
        pytest.param(
            [{"role": "assistant", "parts": '[{"type": "text", "text": "Hi"}]'}],
            r"\[0\].parts: expected a list, got str",
            id="parts as JSON text",
        ),
        pytest.param(
            [{"role": "assistant", "parts": "Hi"}], r"\[0\].parts: expected a list", id="parts"
        ),
        pytest.param([assistant("x")], r"content\[0\]: expected an object", id="part"),
        pytest.param([assistant({"text": "x"})], r"content\[0\].type: expected text", id="type"),
        pytest.param(
            [assistant(text(5))], r"content\[0\].text: expected text", id="text of a part"
        ),
        pytest.param([assistant(call(None))], r"toolName: expected text", id="name"),
        pytest.param([assistant(call(call_id=[]))], r"toolCallId: expected an id", id="id"),
        pytest.param(
            [assistant({"type": "tool-f"}, key="parts")], r"state: expected text, got N", id="state"
        ),
        pytest.param(
            [assistant(call()), result_of({"type": "content", "value": 3})],
            r"output.value: expected a list",
            id="output",
        ),
        pytest.param(
            [assistant(call()), {"role": "tool", "tool_call_id": "t1", "content": "ok"}],
            "is of the format openai_chat",
            id="mixed with chat",
        ),
        pytest.param(
            [assistant(call(), {"type": "tool_use", "name": "f"})],
            "is of the format anthropic",
            id="mixed with Anthropic",
        ),
    ],
)
def test_bad_input_is_named_with_its_place(trace: Any, wanted: str) -> None:
    with pytest.raises(TraceFormatError, match=wanted):
        from_vercel_ai(trace)


SDK_STEP = {
    "text": "Hi.",
    "toolCalls": [],
    "toolResults": [],
    "response": {"messages": [{"role": "assistant", "content": "Hi."}]},
}


@pytest.mark.parametrize(
    "result",
    [
        pytest.param({"text": "Hi.", "steps": [{"text": "Hi.", "toolCalls": []}]}, id="alone"),
        pytest.param({"steps": [SDK_STEP], "response": SDK_STEP["response"]}, id="and a response"),
        pytest.param([SDK_STEP, SDK_STEP], id="its steps"),
    ],
)
def test_a_result_of_generate_text_is_told_what_to_pass(result: Any) -> None:
    for read in (from_vercel_ai, from_trace):
        with pytest.raises(TraceFormatError, match=r"of an AI SDK result pass the messages: those"):
            read(result)


def test_the_steps_of_a_result_beside_messages_hold_no_call_that_is_lost() -> None:
    made = {"toolCallId": "a", "toolName": "pay", "input": {}}
    step = {"text": "", "toolCalls": [made]}
    asked = {"messages": [{"role": "user", "content": "Pay."}], "steps": [SDK_STEP, step]}
    with pytest.raises(TraceFormatError, match=r"from_vercel_ai: steps\[1\]: .* would be lost"):
        from_vercel_ai(asked)
    call = {"type": "tool-call", **made}
    told = {"messages": [{"role": "assistant", "content": [call]}]}
    assert from_vercel_ai({**asked, "response": told})["tool_calls"] == 1
