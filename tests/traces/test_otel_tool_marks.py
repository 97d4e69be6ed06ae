"""Spans of tools that say so in other words than the conventions': each is a call."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agenteval.traces import TraceFormatError
from agenteval.traces.otel import from_otel
from agenteval.trajectory import Call


def span(span_id: str, name: str, attributes: Any, *, at: int = 1, **fields: Any) -> dict[str, Any]:
    return {
        "trace_id": "t",
        "span_id": span_id,
        "name": name,
        "start_time": at,
        "end_time": at,
        "attributes": attributes,
        **fields,
    }


def model(text: str = "Done.", at: int = 9) -> dict[str, Any]:
    said = [{"role": "assistant", "parts": [{"type": "text", "content": text}]}]
    return span(
        "m", "chat", {"gen_ai.operation.name": "chat", "gen_ai.output.messages": said}, at=at
    )


OPERATIONS = ["tool", "tool_call", "run_tool", "call_tool", "Execute_Tool", "tool-call"]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        pytest.param("x", {"gen_ai.tool.name": "pay"}, id="the name alone"),
        pytest.param("pay", {}, id="only the span's name"),
        pytest.param("x", {"gen_ai.tool.name": "pay", "gen_ai.tool.call.id": "c"}, id="an id"),
    ],
)
def test_operations_that_are_a_tool_s(operation: str, name: str, attributes: Any) -> None:
    ran = span("1", name, {"gen_ai.operation.name": operation, **attributes})
    assert [call.name for call in from_otel([ran, model()])["calls"]] == ["pay"]


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.tool.call.arguments": '{"n": 1}'},
        {"gen_ai.tool.arguments": '{"n": 1}'},
        {"gen_ai.tool.call.id": "c", "gen_ai.tool.input": '{"n": 1}'},
    ],
    ids=lambda attributes: list(attributes)[-1],
)
def test_an_operation_that_is_not_known_is_a_tool_s_where_it_shows_a_call(attributes: Any) -> None:
    named = {"gen_ai.operation.name": "my_step", "gen_ai.tool.name": "pay"}
    ran = span("1", "x", {**named, **attributes})
    assert from_otel([ran, model()])["calls"] == [Call("pay", {"n": 1})]


@pytest.mark.parametrize("operation", ["my_step", "chat", "embeddings", "list_tools"])
def test_other_operations_that_name_a_tool_are_no_calls(operation: str) -> None:
    about = span("1", "x", {"gen_ai.operation.name": operation, "gen_ai.tool.name": "pay"})
    assert from_otel([about, model()])["calls"] == []


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("execute_tool pay", "pay"),
        ("execute_tool", "execute_tool"),
        ("tools/call pay", "pay"),
        ("running tool: pay", "pay"),
        ("ai.toolCall", "ai.toolCall"),
    ],
)
def test_a_span_s_name_alone_says_that_a_tool_ran(name: str, wanted: str) -> None:
    result = from_otel([span("1", name, {}), model()])
    assert [call.name for call in result["calls"]] == [wanted]
    assert result["trace"]["unrecorded_arguments"] == 1


KINDS = {
    "MLflow": {
        "mlflow.spanType": '"TOOL"',
        "mlflow.spanInputs": '{"n": 1}',
        "mlflow.spanOutputs": '"no"',
    },
    "Langfuse": {
        "langfuse.observation.type": "tool",
        "langfuse.observation.input": '{"args": [], "kwargs": {"n": 1}}',
        "langfuse.observation.output": '"no"',
    },
    "LangSmith": {
        "langsmith.span.kind": "tool",
        "gen_ai.prompt": '{"n": 1}',
        "gen_ai.completion": '"no"',
    },
}


@pytest.mark.parametrize("attributes", KINDS.values(), ids=KINDS)
def test_the_tools_of_stores_that_take_spans(attributes: Any) -> None:
    spans = [span("1", "pay", attributes), model()]
    wanted = [Call("pay", {"n": 1}, '"no"')]
    assert from_otel(spans, is_error=lambda text: "no" in text)["calls"] == wanted


CALL = {"toolCallId": "c", "toolName": "pay", "args": '{"n": 1}'}
TOOL = {
    "operation.name": "ai.toolCall",
    "ai.operationId": "ai.toolCall",
    "ai.toolCall.name": "pay",
    "ai.toolCall.id": "c",
    "ai.toolCall.args": '{"n": 1}',
    "ai.toolCall.result": '{"paid": true}',
}
FAILED = {
    "status": {"code": 2, "message": "no funds"},
    "events": [{"name": "exception", "attributes": {"exception.message": "no funds"}}],
}


def ai_sdk(*, tool: bool = True, model_says: bool = True, run_says: bool = True) -> list[Any]:
    """A run of the AI SDK: two steps and a tool inside of the span of the run."""
    run = {"ai.operationId": "ai.generateText", "ai.prompt": '{"prompt": "Pay."}'}
    first = {
        "ai.operationId": "ai.generateText.doGenerate",
        "gen_ai.system": "openai",
        "gen_ai.response.finish_reasons": ["tool-calls"],
    }
    last = {**first, "gen_ai.response.finish_reasons": ["stop"]}
    asked = {"role": "user", "content": [{"type": "text", "text": "Pay."}]}
    if run_says:
        run |= {"ai.response.text": "Paid.", "ai.response.finishReason": "stop"}
    if model_says:
        first |= {
            "ai.prompt.messages": json.dumps([asked]),
            "ai.response.text": "So.",
            "ai.response.toolCalls": json.dumps([{**CALL, "toolCallType": "function"}]),
            "ai.response.finishReason": "tool-calls",
        }
        told = [
            asked,
            {"role": "assistant", "content": [{"type": "tool-call", **CALL}]},
            {
                "role": "tool",
                "content": [
                    {
                        "type": "tool-result",
                        "toolCallId": "c",
                        "toolName": "pay",
                        "output": {"type": "error-text", "value": "no funds"},
                    }
                ],
            },
        ]
        last |= {"ai.prompt.messages": json.dumps(told), "ai.response.text": "Paid."}
    ran = span("t", "ai.toolCall", TOOL, at=3, parent_span_id="r", **FAILED)
    return [
        span("r", "ai.generateText", run, at=1) | {"end_time": 9},
        span("a", "ai.generateText.doGenerate", first, at=2, parent_span_id="r"),
        *([ran] if tool else []),
        span("b", "ai.generateText.doGenerate", last, at=4, parent_span_id="r"),
    ]


@pytest.mark.parametrize("says", [(True, True), (True, False), (False, True)])
@pytest.mark.parametrize("tool", [True, False], ids=["a tool's span", "none"])
def test_a_run_of_the_ai_sdk_is_read(says: Any, tool: bool) -> None:
    by_model, by_run = says
    if not (tool or by_model):
        return
    result = from_otel(ai_sdk(tool=tool, model_says=by_model, run_says=by_run))
    assert result["calls"] == [Call("pay", {"n": 1}, "no funds")]
    assert (result["answer"], result["status"]) == ("Paid.", "final")


def test_a_tool_of_the_ai_sdk_stands_beside_spans_of_others() -> None:
    result = from_otel([span("1", "ai.toolCall", TOOL), model()])
    assert result["calls"] == [Call("pay", {"n": 1})]


def test_a_tool_that_the_provider_ran_for_the_ai_sdk_is_hosted() -> None:
    spans = ai_sdk(tool=False)
    calls = [{**CALL, "toolName": "web_search", "providerExecuted": True}]
    spans[1]["attributes"]["ai.response.toolCalls"] = json.dumps(calls)
    result = from_otel(spans[:2])
    assert (result["calls"], result["trace"]["hosted"]) == ([], ["web_search"])


@pytest.mark.parametrize(
    ("attributes", "match"),
    [
        ({"ai.response.toolCalls": "[7]"}, r"toolCalls'\]\[0\]: expected an object"),
        ({"ai.response.toolCalls": "[{}]"}, r"toolCalls'\]\[0\].name: expected text"),
        ({"ai.prompt.messages": "7"}, r"messages'\]: expected a list"),
    ],
)
def test_damaged_spans_of_the_ai_sdk_are_refused(attributes: Any, match: str) -> None:
    with pytest.raises(TraceFormatError, match=match):
        from_otel([span("1", "ai.generateText.doGenerate", attributes)])


def test_calls_of_the_ai_sdk_that_an_exporter_cut_are_counted() -> None:
    cut = span("1", "ai.generateText.doGenerate", {"ai.response.toolCalls": '[{"toolCa'})
    assert from_otel([cut])["trace"]["unread_messages"] == 1


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.tool.call.arguments": "{}", "gen_ai.tool.call.id": "c"},
        {"gen_ai.operation.name": "my_step", "gen_ai.tool.arguments": "{}"},
        {"openinference.span.kind": "CHAIN", "tool_arguments": "{}"},
    ],
    ids=["no operation", "another operation", "a chain"],
)
def test_arguments_without_the_name_of_a_tool_are_refused(attributes: Any) -> None:
    with pytest.raises(TraceFormatError, match=r"'gen_ai.tool.name', got None; the span 'x' has"):
        from_otel([span("1", "x", attributes), model()])


def test_a_kind_that_says_nothing_leaves_a_call_a_call() -> None:
    named = {"gen_ai.tool.name": "pay", "gen_ai.tool.call.arguments": '{"n": 1}'}
    ran = span("1", "x", {"openinference.span.kind": "CHAIN", **named})
    assert from_otel([ran, model()])["calls"] == [Call("pay", {"n": 1})]
