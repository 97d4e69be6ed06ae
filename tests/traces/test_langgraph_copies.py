"""What a LangGraph stream tells twice: a later copy of a message replaces the earlier."""

from __future__ import annotations

from typing import Any

import pytest

from agenteval.traces import TraceFormatError
from agenteval.traces.langchain import from_langchain
from agenteval.trajectory import Call
from langchain_messages import HUMAN, UPDATES, ai, call, tool

F, G = call("f", {"a": 1}, "c1"), call("g", {"a": 2}, "c2")
EDITED = call("f", {"a": 9}, "c1")


@pytest.mark.parametrize(
    ("earlier", "later", "wanted"),
    [
        pytest.param([F], [F], ["f 1"], id="the same, changed in its text"),
        pytest.param([F], [EDITED], ["f 9"], id="a person edited the arguments"),
        pytest.param([F], [F, G], ["f 1", "g 2"], id="a call was added"),
        pytest.param([F, G], [G], ["g 2"], id="a call was taken out"),
        pytest.param([], [F], ["f 1"], id="calls after none"),
        pytest.param([F], [], ["f 1"], id="none after calls: they were made"),
        pytest.param([F], [G], ["f 1", "g 2"], id="other calls: another message"),
        pytest.param([], [], [], id="text alone"),
    ],
)
@pytest.mark.parametrize("mode", ["updates", "values"])
def test_a_message_that_comes_again_is_counted_once(
    earlier: Any, later: Any, wanted: list[str], mode: str
) -> None:
    first = ai("Draft.", id="a1", tool_calls=earlier)
    second = ai("Better.", id="a1", tool_calls=later)
    streams = {
        "updates": [{"agent": {"messages": [first]}}, {"review": {"messages": [second]}}],
        "values": [{"messages": [HUMAN, first]}, {"messages": [HUMAN, second]}],
    }
    result = from_langchain(streams[mode])
    assert [f"{one.name} {one.args['a']}" for one in result["calls"]] == wanted
    if not wanted:
        assert (result["status"], result["answer"]) == ("final", "Better.")


def test_a_copy_with_calls_stands_before_the_results_of_the_first() -> None:
    updates = [
        {"agent": {"messages": [ai("", id="a1", tool_calls=[F])]}},
        {"tools": {"messages": [tool("c1", "no", id="t1", status="error")]}},
        {"agent": {"messages": [ai("It failed.", id="a2")]}},
        {"supervisor": {"messages": [HUMAN, ai("named", id="a1", name="x", tool_calls=[F])]}},
        {"supervisor": {"messages": [ai("It failed.", id="a2")]}},
    ]
    result = from_langchain([updates[0], {"ask": {"messages": [HUMAN]}}, *updates[1:]])
    assert [one.error for one in result["calls"]] == ["no"]
    assert result["trace"]["unanswered"] == 0
    assert (result["status"], result["answer"]) == ("final", "It failed.")


def test_a_result_that_comes_again_is_counted_once() -> None:
    updates = [
        *UPDATES[:2],
        {"clean": {"messages": [tool("c1", "[cleared]", id="t1")]}},
        *UPDATES[2:],
    ]
    assert from_langchain(updates)["trace"]["unpaired_results"] == 0


def test_results_of_one_id_for_other_calls_are_others() -> None:
    updates = [
        {"agent": {"messages": [ai("", id="a1", tool_calls=[F, G])]}},
        {"tools": {"messages": [tool("c1", id="t1"), tool("c2", id="t1")]}},
    ]
    assert from_langchain(updates)["trace"]["unanswered"] == 0


def test_calls_in_blocks_alone_tell_a_copy_too() -> None:
    block = {"type": "tool_call", "id": "c1", "name": "f", "args": {"a": 1}}
    updates = [
        {"agent": {"messages": [ai([block], id="a1")]}},
        {"review": {"messages": [ai([{"type": "text", "text": "So."}, block], id="a1")]}},
    ]
    assert from_langchain(updates)["calls"] == [Call("f", {"a": 1})]


def test_ids_of_messages_in_one_list_do_not_make_copies() -> None:
    messages = [
        ai("", id="run--1", tool_calls=[F]),
        tool("c1"),
        ai("", id="run--1", tool_calls=[F]),
    ]
    assert len(from_langchain(messages)["calls"]) == 2
    assert len(from_langchain({"messages": messages})["calls"]) == 2


def test_what_a_history_tells_first_happened_before_what_is_known() -> None:
    known = [ai("", id="a1", tool_calls=[G]), tool("c2", id="t2")]
    new = [HUMAN, ai("", id="a0", tool_calls=[F]), tool("c1", id="t1")]
    after = [ai("Done.", id="a2")]
    parts = [
        [["sub:1"], {"agent": {"messages": known}}],
        [[], {"sub": {"messages": [*new, *known, *after]}}],
    ]
    result = from_langchain(parts)
    assert [one.name for one in result["calls"]] == ["f", "g"]
    assert (result["status"], result["answer"]) == ("final", "Done.")
    assert (result["trace"]["unanswered"], result["trace"]["unpaired_results"]) == (0, 0)


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    "wrap", [lambda one: one, lambda one: {"n": one}], ids=["values", "update"]
)
def test_copies_that_are_nested_too_deep_to_compare_are_refused(wrap: Any) -> None:
    states = [
        wrap({"messages": [ai(id="a1", tool_calls=[call("f", nested(20_000))])]}) for _ in range(2)
    ]
    with pytest.raises(TraceFormatError, match="it is nested too deep"):
        from_langchain(states)
