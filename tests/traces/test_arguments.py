"""Arguments as traces store them, decoded or kept."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from agenteval.traces import from_anthropic, from_openai_chat
from agenteval.traces.arguments import decode_arguments


@pytest.mark.parametrize(
    ("arguments", "decoded"),
    [
        pytest.param({"room": 5}, {"room": 5}, id="object"),
        pytest.param(MappingProxyType({"room": 5}), {"room": 5}, id="another mapping"),
        pytest.param('{"room": 5}', {"room": 5}, id="text"),
        pytest.param(b'{"room": 5}', {"room": 5}, id="bytes"),
        pytest.param(' {\n"room" : 5 }\n', {"room": 5}, id="text with white space"),
        pytest.param('"{\\"room\\": 5}"', {"room": 5}, id="encoded twice"),
        pytest.param(None, {}, id="none"),
        pytest.param("", {}, id="empty"),
        pytest.param("  \n", {}, id="blank"),
        pytest.param("null", {}, id="null"),
        pytest.param('""', {}, id="empty text encoded twice"),
        pytest.param('"null"', {}, id="null encoded twice"),
        pytest.param("{}", {}, id="no arguments"),
        pytest.param('{"a": {"b": [1, null]}}', {"a": {"b": [1, None]}}, id="nested"),
        pytest.param('{"text": "\\ud83d\\ude00 é"}', {"text": "😀 é"}, id="beyond ASCII"),
    ],
)
def test_arguments_are_decoded(arguments: Any, decoded: dict[str, Any]) -> None:
    assert decode_arguments(arguments) == (decoded, None)


@pytest.mark.parametrize(
    ("arguments", "raw", "problem"),
    [
        pytest.param('{"room": 5', '{"room": 5', "not valid JSON", id="cut off"),
        pytest.param('{"room": 5}}', '{"room": 5}}', "not valid JSON", id="junk after it"),
        pytest.param('{"a": 1}{"b": 2}', '{"a": 1}{"b": 2}', "not valid JSON", id="two objects"),
        pytest.param('{"room": NaN}', '{"room": NaN}', "NaN is no JSON value", id="NaN"),
        pytest.param('{"a": -Infinity}', '{"a": -Infinity}', "-Infinity is no", id="infinity"),
        pytest.param("room 5", "room 5", "not valid JSON", id="words"),
        pytest.param('"room 5"', '"room 5"', "not valid JSON", id="words encoded twice"),
        pytest.param("[5]", "[5]", "not a JSON object but list", id="list as text"),
        pytest.param([5], "[5]", "not a JSON object but list", id="list"),
        pytest.param("5", "5", "not a JSON object but int", id="number as text"),
        pytest.param(5, "5", "not a JSON object but int", id="number"),
        pytest.param(True, "true", "not a JSON object but bool", id="boolean"),
        pytest.param(b"\xff{", "\ufffd{", "not valid JSON", id="bytes that are no text"),
        pytest.param({1, 2}, '"{1, 2}"', "not a JSON object but set", id="set"),
        pytest.param(
            '"' * 3 + "\\" * 4, '"' * 3 + "\\" * 4, "not valid JSON", id="quotes and backslashes"
        ),
    ],
)
def test_what_cannot_be_decoded_is_kept(arguments: Any, raw: str, problem: str) -> None:
    decoded, error = decode_arguments(arguments)
    assert decoded == {"_raw": raw}
    assert error is not None
    assert problem in error


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param("[" * 100_000, id="nested beyond the parser's depth"),
        pytest.param('{"n": ' + "9" * 5_000 + "}", id="more digits than an int may have"),
        pytest.param("\x00\ud800", id="lone surrogate"),
    ],
)
def test_hostile_text_is_kept_too(arguments: str) -> None:
    decoded, error = decode_arguments(arguments)
    assert error is None or decoded == {"_raw": arguments}


def test_the_trace_keeps_its_own_arguments() -> None:
    block = {"type": "tool_use", "id": "t1", "name": "f", "input": {"x": 1}}
    (call,) = from_anthropic([{"role": "assistant", "content": [block]}])["calls"]
    assert call.args == block["input"]
    assert call.args is not block["input"]


def test_a_spoiled_call_is_counted_and_equals_no_call_with_arguments() -> None:
    function = {"name": "room_free", "arguments": '{"room": 5'}
    message = {"role": "assistant", "tool_calls": [{"id": "c1", "function": function}]}
    result = from_openai_chat([message, {"role": "tool", "tool_call_id": "c1", "content": "ok"}])
    (call,) = result["calls"]
    assert result["trace"]["unparsed_arguments"] == 1
    assert call.args == {"_raw": '{"room": 5'}
    assert call.error is not None
    assert call.error.startswith("arguments are not valid JSON")


def test_the_failed_results_own_text_is_the_error_of_a_spoiled_call() -> None:
    function = {"name": "room_free", "arguments": "{"}
    message = {"role": "assistant", "tool_calls": [{"id": "c1", "function": function}]}
    said = {"role": "tool", "tool_call_id": "c1", "content": "Error: no arguments"}
    result = from_openai_chat([message, said], is_error=lambda text: text.startswith("Error"))
    assert result["calls"][0].error == "Error: no arguments"
