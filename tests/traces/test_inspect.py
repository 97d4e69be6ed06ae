"""Inspect: samples and epochs, tool errors, spoiled arguments, attachments, endings."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agenteval.traces import TraceFormatError
from agenteval.traces.inspect_log import from_inspect, looks_like
from agenteval.trajectory import Call

CASES = json.loads((Path(__file__).parent / "data/inspect_log.json").read_text(encoding="utf-8"))


def sample(*messages: Any, **fields: Any) -> dict[str, Any]:
    return {"id": 1, "epoch": 1, "messages": list(messages), **fields}


def assistant(content: Any = "", *calls: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls) or None}


def call(function: Any = "f", call_id: str = "c1", **fields: Any) -> dict[str, Any]:
    return {"id": call_id, "function": function, "arguments": {}, "type": "function", **fields}


def tool(content: Any = "ok", call_id: str = "c1", **fields: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content, **fields}


USER = {"role": "user", "content": "Go."}


@pytest.mark.parametrize("case", [pytest.param(c, id=c["name"]) for c in CASES["cases"]])
def test_a_hand_made_case_comes_out_as_it_says(case: Any, hold: Callable[..., None]) -> None:
    before = copy.deepcopy(case["trace"])
    hold(from_inspect(case["trace"]), case["expected"])
    assert case["trace"] == before
    assert looks_like(case["trace"])


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        pytest.param({}, None, id="none"),
        pytest.param({"error": {"type": "timeout", "message": "late"}}, "late", id="an error"),
        pytest.param({"error": {"type": "timeout"}, "content": "late"}, "late", id="its content"),
        pytest.param({"tool_error": "late"}, "late", id="the older field"),
        pytest.param({"error": None, "content": "Error: no"}, None, id="text alone"),
    ],
)
def test_a_tool_s_error_is_read(fields: Any, error: str | None) -> None:
    result = from_inspect(sample(assistant("", call()), {**tool(), **fields}))
    assert result["calls"][0].error == error


def test_a_spoiled_call_is_kept_with_what_was_wrong() -> None:
    spoiled = call(parse_error="not JSON")
    result = from_inspect(sample(assistant("", spoiled), tool("fine")))
    assert result["calls"] == [Call("f")]
    assert result["calls"][0].error == "not JSON"


def test_a_rule_decides_where_the_log_says_nothing() -> None:
    seen = []
    messages = [assistant("", call()), tool([{"type": "text", "text": "a"}, {"type": "image"}])]
    from_inspect(sample(*messages), is_error=lambda text: seen.append(text))
    assert seen == ["a\n"]


def test_content_in_parts() -> None:
    parts = [
        {"type": "reasoning", "reasoning": "hm"},
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "tool_type": "web_search", "id": "w", "name": "search", "result": "x"},
        {"type": "tool_use", "tool_type": "code_execution", "id": "x"},
        {"type": "text", "text": "It is 9."},
    ]
    result = from_inspect(sample(USER, assistant(parts)))
    assert result["trace"]["hosted"] == ["search", "code_execution"]
    assert (result["status"], result["answer"]) == ("final", "It is 9.")


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        pytest.param({}, "final", id="an answer"),
        pytest.param({"error": {"message": "x", "traceback": ""}}, "failed", id="an error"),
        pytest.param({"limit": {"type": "token", "limit": 10}}, "cut off", id="a limit"),
        pytest.param(
            {"output": {"choices": [{"stop_reason": "max_tokens"}]}}, "cut off", id="tokens"
        ),
        pytest.param(
            {"output": {"choices": [{"stop_reason": "content_filter"}]}}, "refused", id="filtered"
        ),
        pytest.param({"output": {"choices": [{"stop_reason": "stop"}]}}, "final", id="stop"),
        pytest.param({"output": {"choices": []}}, "final", id="no choice"),
    ],
)
def test_status_says_how_a_sample_ended(fields: Any, status: str) -> None:
    assert from_inspect(sample(USER, assistant("Done."), **fields))["status"] == status


def output(content: Any, reason: str = "tool_calls") -> dict[str, Any]:
    message = {"role": "assistant", "content": content}
    return {"output": {"choices": [{"stop_reason": reason, "message": message}]}}


@pytest.mark.parametrize(
    ("messages", "fields", "status", "answer"),
    [
        pytest.param(
            [assistant("", call()), tool("42")], output("42"), "final", "42", id="the answer alone"
        ),
        pytest.param(
            [assistant("So.", call()), tool("42")],
            output("So.\n\n42"),
            "final",
            "So.\n\n42",
            id="behind what was said",
        ),
        pytest.param(
            [assistant("", call()), tool([{"type": "text", "text": "42"}])],
            output([{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "42"}]),
            "final",
            "42",
            id="in parts",
        ),
        pytest.param(
            [assistant("So.\n\n42")],
            output("So.\n\n42"),
            "final",
            "So.\n\n42",
            id="the call taken out of the messages",
        ),
        pytest.param(
            [assistant("Looking at 42", call()), tool("42")],
            output("Looking at 42"),
            "incomplete",
            None,
            id="only what was said beside the call",
        ),
        pytest.param(
            [assistant("", call()), tool("")], output(""), "incomplete", None, id="nothing"
        ),
        pytest.param(
            [assistant("", call()), tool("42", error={"message": "wrong"})],
            output("42"),
            "incomplete",
            None,
            id="the tool failed",
        ),
        pytest.param(
            [assistant("", call()), tool("42"), USER],
            output("42"),
            "incomplete",
            None,
            id="sent back",
        ),
        pytest.param(
            [assistant("", call()), tool("42")],
            output("42") | {"limit": {"type": "time", "limit": 1}},
            "cut off",
            "42",
            id="a limit was hit",
        ),
    ],
)
def test_an_answer_that_was_submitted_through_a_tool(
    messages: list[Any], fields: dict[str, Any], status: str, answer: str | None
) -> None:
    result = from_inspect(sample(USER, *messages, **fields))
    assert (result["status"], result["answer"]) == (status, answer)
    assert result["trace"]["unpaired_results"] == 0
    assert result["tool_calls"] == sum(bool(one.get("tool_calls")) for one in messages)


def test_a_marked_refusal_is_one() -> None:
    part = {"type": "text", "text": "I will not.", "refusal": True}
    result = from_inspect(sample(USER, assistant([part])))
    assert (result["status"], result["answer"]) == ("refused", "I will not.")


def test_attachments_are_put_back() -> None:
    messages = [
        assistant(
            "", call(arguments={"text": "attachment://a", "n": 1, "other": "attachment://x"})
        ),
        tool("attachment://b", error=None),
        assistant("attachment://a"),
    ]
    kept = {"a": "a long text", "b": "Error: a long text"}
    result = from_inspect(sample(*messages, attachments=kept), is_error=lambda t: "Error" in t)
    arguments = {"text": "a long text", "n": 1, "other": "attachment://x"}
    assert result["calls"] == [Call("f", arguments)]
    assert result["calls"][0].error == "Error: a long text"
    assert result["answer"] == "a long text"


LOG = {
    "samples": [
        sample(assistant("", call("f")), tool(), assistant("A.")),
        sample(assistant("", call("g")), id="b"),
        sample(assistant("", call("h")), tool(), assistant("C."), id=7, epoch=1),
        sample(assistant("D."), id=7, epoch=2),
        sample(assistant("E."), id=None),
    ]
}


def test_several_samples_are_read_in_order() -> None:
    result = from_inspect(LOG)
    assert [one.name for one in result["calls"]] == ["f", "g", "h"]
    assert result["trace"]["cases"] == [1, "b", "7 epoch 1", "7 epoch 2", 4]
    assert result["status"] == "incomplete"
    assert result["trace"]["unanswered_calls"] == [1]


@pytest.mark.parametrize(
    ("case", "answer"),
    [
        pytest.param(1, "A.", id="an id, though it is a position too"),
        pytest.param(0, "A.", id="a position"),
        pytest.param("7 epoch 2", "D.", id="an id and an epoch"),
        pytest.param(3, "D.", id="the position of an epoch"),
        pytest.param(4, "E.", id="no id"),
    ],
)
def test_one_sample_is_chosen(case: Any, answer: str) -> None:
    assert from_inspect(LOG, case=case)["answer"] == answer


def test_a_list_of_samples_and_one_sample_are_read_too() -> None:
    assert from_inspect(LOG["samples"]) == from_inspect(LOG)
    assert from_inspect(LOG["samples"][0]) == from_inspect({"samples": LOG["samples"][:1]})
    assert looks_like(LOG["samples"])
    assert looks_like(LOG["samples"][0])


def test_an_unknown_sample_names_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"from_inspect: no case 'x' .* 1, 'b', '7 epoch 1'"):
        from_inspect(LOG, case="x")


@pytest.mark.parametrize(
    ("trace", "match"),
    [
        pytest.param(None, "from_inspect: expected an Inspect log", id="nothing"),
        pytest.param("{}", "parse it first", id="text"),
        pytest.param([], "the trace is empty", id="empty"),
        pytest.param({"samples": None, "eval": {}}, "samples: expected a list", id="header only"),
        pytest.param({"samples": []}, "nothing was found", id="no samples"),
        pytest.param({"eval": {}}, "sample: expected a sample with 'messages'", id="no log"),
        pytest.param({"samples": [7]}, r"samples\[0\]: expected an object", id="sample 7"),
        pytest.param({"samples": [{"id": 1}]}, "a sample with 'messages'", id="no messages"),
        pytest.param(sample({"role": "robot"}), "role: expected one of system", id="role"),
        pytest.param(sample(7), r"messages\[0\]: expected an object", id="message 7"),
        pytest.param(sample(assistant(7)), "content: expected a list", id="content 7"),
        pytest.param(
            sample(assistant([{"type": "text", "text": None}])), "text: expected text", id="no text"
        ),
        pytest.param(
            sample(assistant("", call(7))), r"tool_calls\[0\].function: expected text", id="name 7"
        ),
        pytest.param(sample(tool(error="x")), "error: expected an object", id="error text"),
        pytest.param(sample(USER, attachments=[]), "attachments: expected an object", id="list"),
        pytest.param(sample(USER, output=7), "output: expected an object", id="output 7"),
    ],
)
def test_what_is_no_log_is_refused(trace: Any, match: str) -> None:
    with pytest.raises(TraceFormatError, match=match):
        from_inspect(trace)


@pytest.mark.parametrize(
    "trace",
    [
        pytest.param({"messages": [USER]}, id="messages"),
        pytest.param([USER], id="a list of messages"),
        pytest.param("text", id="text"),
    ],
)
def test_other_formats_do_not_look_like_it(trace: Any) -> None:
    assert not looks_like(trace)
