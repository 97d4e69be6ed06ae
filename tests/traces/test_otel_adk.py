"""Spans of Google's ADK: parallel calls, and runs that only the spans of models tell."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agenteval.traces.otel import from_otel
from agenteval.trajectory import Call

VERTEX = "gcp.vertex.agent"


def span(span_id: str, at: int, name: str, attributes: dict[str, Any]) -> dict[str, Any]:
    return {
        "trace_id": "t",
        "span_id": span_id,
        "name": name,
        "start_time": at,
        "end_time": at + 1,
        "attributes": attributes,
    }


def tool(span_id: str, at: int, name: str, response: Any, args: Any = "{}") -> dict[str, Any]:
    return span(
        span_id,
        at,
        f"execute_tool {name}",
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": f"adk-{span_id}",
            f"{VERTEX}.tool_call_args": args,
            f"{VERTEX}.tool_response": json.dumps(response),
        },
    )


def model(span_id: str, at: int, contents: list[Any], *parts: Any) -> dict[str, Any]:
    response = {"content": {"role": "model", "parts": list(parts)}, "finish_reason": "STOP"}
    return span(
        span_id,
        at,
        "call_llm",
        {
            f"{VERTEX}.llm_request": json.dumps({"model": "gemini", "contents": contents}),
            f"{VERTEX}.llm_response": json.dumps(response),
        },
    )


def uses(name: str, call_id: str | None = None) -> dict[str, Any]:
    return {"function_call": {"name": name, "args": {}, **({"id": call_id} if call_id else {})}}


ASKED = {"role": "user", "parts": [{"text": "Weigh it."}]}
DONE = {"text": "Done."}


@pytest.mark.parametrize("named", [True, False], ids=["as a tool", "by the span alone"])
def test_the_span_of_merged_responses_is_no_call(named: bool) -> None:
    merged = tool("4", 5, "(merged tools)", {"content": {"parts": []}}, "N/A")
    if not named:
        del merged["attributes"]["gen_ai.tool.name"]
    spans = [
        model("1", 1, [ASKED], uses("f"), uses("g")),
        tool("2", 3, "f", {"kg": 1}),
        tool("3", 4, "g", {"error": "no scale"}),
        merged,
        model("5", 7, [ASKED], DONE),
    ]
    result = from_otel(spans)
    assert result["calls"] == [Call("f"), Call("g")]
    assert [call.error for call in result["calls"]] == [None, "no scale"]
    assert (result["status"], result["answer"]) == ("final", "Done.")
    assert result["trace"]["unpaired_results"] == 0


def told(name: str, response: Any, call_id: str | None = None) -> dict[str, Any]:
    return {
        "function_response": {
            "name": name,
            "response": response,
            **({"id": call_id} if call_id else {}),
        }
    }


@pytest.mark.parametrize("ids", [("c1", "c2"), (None, None)], ids=["ids", "no ids"])
@pytest.mark.parametrize("order", [1, -1], ids=["in order", "the other way round"])
def test_the_next_request_has_the_responses(ids: Any, order: int) -> None:
    calls = [uses("f", ids[0]), uses("g", ids[1])]
    responses = [told("f", {"error": "no scale"}, ids[0]), told("g", {"kg": 2}, ids[1])][::order]
    history = [
        ASKED,
        {"role": "model", "parts": calls},
        {"role": "user", "parts": responses},
    ]
    heard: list[str] = []
    result = from_otel(
        [model("1", 1, [ASKED], *calls), model("2", 3, history, DONE)],
        is_error=heard.append,
    )
    assert result["calls"] == [Call("f"), Call("g")]
    assert [call.error for call in result["calls"]] == ["no scale", None]
    assert result["trace"]["unanswered"] == 0
    assert heard == ['{"kg": 2}']


def test_a_request_repeats_no_call() -> None:
    again = [ASKED, {"role": "model", "parts": [uses("f")]}]
    again.append({"role": "user", "parts": [told("f", {"kg": 1})]})
    twice = [*again, *again[1:]]
    spans = [
        model("1", 1, [ASKED], uses("f")),
        model("2", 3, again, uses("f")),
        model("3", 5, twice, DONE),
    ]
    result = from_otel(spans)
    assert result["calls"] == [Call("f"), Call("f")]
    assert result["trace"]["unanswered"] == 0


def test_the_span_of_a_tool_takes_its_response_from_the_next() -> None:
    """The span has an id that the messages do not have, since ADK gives it later."""
    calls = [uses("f"), uses("f")]
    history = [ASKED, {"role": "model", "parts": calls}]
    history.append({"role": "user", "parts": [told("f", {"error": "first"}), told("f", {"n": 2})]})
    spans = [
        model("1", 1, [ASKED], *calls),
        tool("2", 3, "f", {"error": "first"}),
        model("3", 5, history, DONE),
    ]
    result = from_otel(spans)
    assert [call.error for call in result["calls"]] == ["first", None]
    assert result["trace"]["unanswered"] == 0
