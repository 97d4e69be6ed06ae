"""Tool spans whose arguments and results stand in events, as Strands Agents writes them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agenteval.traces.otel import from_otel
from agenteval.trajectory import Call

GIVEN = {"name": "gen_ai.tool.message", "attributes": {"role": "tool", "content": '{"a": 1}'}}
DETAILS = "gen_ai.client.inference.operation.details"


def tool(*events: Any, **attributes: Any) -> dict[str, Any]:
    return {
        "trace_id": "t",
        "span_id": "1",
        "name": "execute_tool f",
        "start_time": 1,
        "end_time": 2,
        "attributes": {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "f",
            "gen_ai.tool.call.id": "c",
            **{key.replace("__", "."): value for key, value in attributes.items()},
        },
        "events": [*events],
    }


def returned(message: Any) -> dict[str, Any]:
    return {"name": "gen_ai.choice", "attributes": {"message": json.dumps(message), "id": "c"}}


def details(key: str, part: dict[str, Any], *, body: bool = False) -> dict[str, Any]:
    messages = {f"gen_ai.{key}.messages": json.dumps([{"role": "tool", "parts": [part]}])}
    return {"name": DETAILS, "body" if body else "attributes": messages}


USE = {"type": "tool_call", "name": "f", "id": "c", "arguments": {"a": 1}}


def response(value: Any) -> dict[str, Any]:
    return {"type": "tool_call_response", "id": "c", "response": value}


@pytest.mark.parametrize(
    ("events", "heard"),
    [
        pytest.param([GIVEN, returned([{"text": "all "}, {"text": "fine"}])], "all fine", id="old"),
        pytest.param([GIVEN, returned([{"json": {"n": 2}}])], '[{"json": {"n": 2}}]', id="JSON"),
        pytest.param([GIVEN, returned("fine")], "fine", id="a text"),
        pytest.param(
            [details("input", USE), details("output", response([{"text": "fine"}]))],
            "fine",
            id="newer",
        ),
        pytest.param(
            [details("input", USE, body=True), details("output", response("fine"), body=True)],
            "fine",
            id="newer, in bodies",
        ),
        pytest.param(
            [details("input", USE), details("output", response([1, {"text": "x"}]))],
            '[1, {"text": "x"}]',
            id="newer, other things",
        ),
    ],
)
def test_arguments_and_results_stand_in_events(events: Any, heard: str) -> None:
    asked: list[str] = []
    result = from_otel([tool(*events)], is_error=lambda text: asked.append(text) or True)
    assert result["calls"] == [Call("f", {"a": 1})]
    assert (asked, result["calls"][0].error) == ([heard], heard)
    assert result["trace"]["unrecorded_arguments"] == 0


def test_a_failed_status_gives_the_result_s_text() -> None:
    spans = [tool(GIVEN, returned([{"text": "no key"}]), gen_ai__tool__status="error")]
    assert from_otel(spans)["calls"][0].error == "no key"


def test_attributes_come_before_events() -> None:
    attributes = {"gen_ai__tool__call__arguments": '{"b": 2}', "gen_ai__tool__call__result": "own"}
    asked: list[str] = []
    result = from_otel([tool(GIVEN, returned("x"), **attributes)], is_error=asked.append)
    assert result["calls"] == [Call("f", {"b": 2})]
    assert asked == ["own"]


def test_a_tool_s_message_alone_is_what_strands_gave_it() -> None:
    """By the conventions that event is the tool's answer: only Strands writes arguments there."""
    result = from_otel([tool(GIVEN, gen_ai__system="strands-agents")])
    assert result["calls"] == [Call("f", {"a": 1})]
    result = from_otel([tool(GIVEN)])
    assert result["trace"]["unrecorded_arguments"] == 1


def test_cut_messages_are_not_recorded() -> None:
    cut = {"name": DETAILS, "attributes": {"gen_ai.input.messages": '[{"role": "to'}}
    assert from_otel([tool(cut)])["trace"]["unrecorded_arguments"] == 1
