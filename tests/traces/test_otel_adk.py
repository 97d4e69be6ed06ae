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
