"""Values as JSON text: deep ones, odd ones, and importers that meet them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from agenteval import traces
from agenteval.traces import TraceFormatError
from agenteval.traces.json_texts import as_json


class Sullen:
    def __repr__(self) -> str:
        raise RuntimeError


def nested(depth: int, leaf: Any = 1, kind: str = "both") -> Any:
    value = leaf
    for at in range(depth):
        in_list = kind == "list" or (kind == "both" and at % 2)
        value = [value] if in_list else {"a": value, "b": "x"}
    return value


def deeper(frames: int, do: Callable[[], Any]) -> Any:
    """Call with this many frames around the call."""
    return do() if frames == 0 else deeper(frames - 1, do)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        pytest.param({"a": [1, None, True]}, '{"a": [1, null, true]}', id="JSON"),
        pytest.param("\u00e9\ud800", '"\u00e9\ud800"', id="letters as they are"),
        pytest.param({1: {"a": {2}}}, '{"1": {"a": "{2}"}}', id="a set, a number for a key"),
        pytest.param({(1, 2): 3}, "{(1, 2): 3}", id="a key that JSON does not have"),
        pytest.param(10**5000, "<int whose repr fails>", id="a number too long to write"),
        pytest.param([Sullen()], '["<Sullen whose repr fails>"]', id="an object without a text"),
    ],
)
def test_a_value_as_text(value: Any, wanted: str) -> None:
    assert as_json(value) == wanted


def test_a_circle_comes_to_an_end() -> None:
    short: dict[str, Any] = {}
    short["a"] = [short]
    assert as_json(short) == "{'a': [{...}]}"
    start: list[Any] = []
    end = start
    for _ in range(30_000):
        end.append([])
        end = end[0]
    end.append(start)
    assert '"..."' in as_json(start)


@pytest.mark.parametrize("kind", ["both", "list", "object"])
def test_deep_values_have_the_text_that_the_encoder_would_write(kind: str) -> None:
    for depth in (0, 1, 7, 100):
        value = nested(depth, {"x": [1, "y"], "z": (2, [])}, kind)
        flat = as_json(value)
        assert json.loads(flat) == json.loads(json.dumps(value))
    deep = as_json(nested(20_000, 2, kind))
    shallow = as_json(nested(40, 2, kind))
    opening = shallow.index("2")
    assert deep.startswith(shallow[: opening // 2])
    assert deep.endswith(shallow[opening + 1 :])
    assert deep != as_json(nested(20_000, 3, kind))
    assert (deep.count("["), deep.count("{")) == (deep.count("]"), deep.count("}"))


def traces_with(value: Any) -> dict[str, Any]:
    function = {"name": "f", "arguments": value}
    tool_use = {"toolUseId": "c", "name": "f", "input": value}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    part = {"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": value}
    gemini = {"functionCall": {"name": "f", "args": value}}
    history = [{"role": "model", "parts": [gemini]}] * 2
    said = {"role": "assistant", "content": "So."}
    made = {"type": "function_call", "call_id": "c", "name": "f", "arguments": value}
    return {
        "from_openai_chat": [
            {"role": "assistant", "tool_calls": [{"id": "c", "function": function}]},
            {"role": "tool", "tool_call_id": "c", "content": value},
        ],
        "from_openai_responses": [
            made,
            {"type": "function_call_output", "call_id": "c", "output": value},
        ],
        "from_anthropic": [
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "c", "name": "f", "input": value}],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "c", "content": value}],
            },
        ],
        "from_bedrock": [
            {"role": "assistant", "content": [{"toolUse": tool_use}]},
            {
                "role": "user",
                "content": [{"toolResult": {"toolUseId": "c", "content": [{"json": value}]}}],
            },
        ],
        "from_gemini": {
            "candidates": [{"content": {"role": "model", "parts": [{"text": "So."}]}}],
            "automaticFunctionCallingHistory": history,
        },
        "from_adk": [
            {"author": "a", "content": {"role": "model", "parts": [gemini]}},
            {
                "author": "a",
                "content": {"parts": [{"functionResponse": {"name": "f", "response": value}}]},
            },
        ],
        "from_mcp": [
            {**call, "params": {"name": "f", "arguments": value}},
            {"jsonrpc": "2.0", "id": 1, "result": {"structuredContent": value}},
        ],
        "from_vercel_ai": [
            {
                "role": "assistant",
                "content": [
                    part,
                    {"type": "tool-result", "toolCallId": "c", "toolName": "f", "output": value},
                ],
            }
        ],
        "from_inspect": {
            "samples": [
                {
                    "id": 1,
                    "epoch": 1,
                    "messages": [
                        {
                            "role": "assistant",
                            "content": "",
                            "tool_calls": [{"id": "c", "function": "f", "arguments": value}],
                        },
                        said,
                    ],
                }
            ]
        },
    }


@pytest.mark.parametrize("importer", traces_with(None))
@pytest.mark.parametrize("frames", [0, 40])
@pytest.mark.parametrize("depth", [450, 950, 3000])
def test_deep_arguments_and_results_are_read(importer: str, frames: int, depth: int) -> None:
    trace = traces_with(nested(depth, kind="object"))[importer]
    for name in (importer, "from_trace"):
        found = deeper(frames, lambda name=name: getattr(traces, name)(trace, is_error=bool))
        assert {call.name for call in found["calls"]} == {"f"}
        assert found["calls"][0].args.keys() == {"a", "b"}


@pytest.mark.parametrize("importer", traces_with(None))
@pytest.mark.parametrize("depth", [950, 3000])
def test_deep_data_in_another_s_place_is_refused(importer: str, depth: int) -> None:
    for whole in (nested(depth), [nested(depth, kind="list")], [nested(depth, kind="object")]):
        for name in (importer, "from_trace"):
            with pytest.raises(TraceFormatError):
                getattr(traces, name)(whole)


def test_two_deep_calls_of_a_history_that_differ_are_two() -> None:
    calls = [
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": nested(5000, leaf)}}]}
        for leaf in (1, 2)
    ]
    response = {"candidates": [{"content": {"role": "model", "parts": [{"text": "So."}]}}]}
    trace = [calls[0], {**response, "automaticFunctionCallingHistory": calls}]
    assert len(traces.from_gemini(trace)["calls"]) == 2
