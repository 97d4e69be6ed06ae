"""What nodes and tasks store beside the messages of a run, in any shape, is not the run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agenteval.traces import TraceFormatError
from agenteval.traces.langchain import from_langchain
from langchain_messages import MESSAGES, UPDATES, ai, call

HIDDEN = {"messages": [ai(tool_calls=[call("pay")])]}


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        pytest.param(json.dumps(HIDDEN), "parse it first", id="a state as text"),
        pytest.param(json.dumps(HIDDEN["messages"]), "parse it first", id="messages as text"),
        pytest.param([json.dumps(HIDDEN)], "parse it first", id="text in a list"),
        pytest.param({"scratch": json.dumps(HIDDEN)}, "parse it first", id="text in a state"),
        pytest.param([HIDDEN["messages"]], "take them out", id="a list in a list"),
        pytest.param([[HIDDEN]], "take them out", id="a state in a list in a list"),
        pytest.param({"scratch": [HIDDEN["messages"]]}, "take them out", id="in a state's list"),
    ],
)
def test_messages_that_an_update_hides_are_refused(value: Any, hint: str) -> None:
    with pytest.raises(TraceFormatError, match=rf"from_langchain: \[0\]\.agent.*{hint}"):
        from_langchain([{"agent": value}, {"agent": {"messages": [ai("Paid.")]}}])


def in_openai_s_style(message: dict[str, Any]) -> dict[str, Any]:
    if message["type"] == "tool":
        return {"role": "tool", "tool_call_id": message["tool_call_id"], "content": "x"}
    role = {"human": "user", "ai": "assistant"}[message["type"]]
    calls = [
        {"id": one["id"], "type": "function", "function": {"name": one["name"], "arguments": "{}"}}
        for one in message.get("tool_calls") or ()
    ]
    made = {"tool_calls": calls} if calls else {}
    return {"role": role, "content": message["content"], **made}


COPIES = [in_openai_s_style(one) for one in MESSAGES]
TEAM = {"role": "lead", "content": "Ann"}


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({"transcript": COPIES}, id="copies in OpenAI's style"),
        pytest.param({"transcript": [{**one, "id": None} for one in MESSAGES]}, id="no ids"),
        pytest.param({"transcript": [COPIES[:2], COPIES[2:]]}, id="copies in lists"),
        pytest.param({"transcript": COPIES, "answer": "x"}, id="copies and an answer"),
        pytest.param({"transcript": json.dumps(COPIES)}, id="copies as text"),
        pytest.param(json.dumps(COPIES), id="copies as a returned text"),
        pytest.param({"prompt": COPIES[:1]}, id="what was asked"),
        pytest.param({"shown": {"role": "assistant", "content": "Copy"}}, id="one without calls"),
        pytest.param({"transcript": json.dumps(TEAM)}, id="data as text"),
        pytest.param(json.dumps([TEAM]), id="data as a returned text"),
        pytest.param([TEAM], id="data returned"),
        pytest.param(TEAM, id="one record returned"),
        pytest.param({"team": [TEAM]}, id="data in a list"),
        pytest.param({"team": TEAM}, id="data"),
        pytest.param({"x": [["do y", {"role": "assistant", "content": "r"}]]}, id="past steps"),
        pytest.param({"x": {"role": "user", "content": "q", "data": [1]}}, id="with data"),
        pytest.param({"x": '[{"role": "assistant", '}, id="no JSON"),
    ],
)
@pytest.mark.parametrize("last", [True, False], ids=["last", "first"])
def test_what_a_node_stores_beside_the_messages_is_not_the_run(value: Any, last: bool) -> None:
    saves = [{"save": value}]
    trace = [*UPDATES, *saves] if last else [*saves, *UPDATES]
    assert from_langchain(trace) == from_langchain(UPDATES)


def test_a_call_that_only_another_channel_has_is_refused() -> None:
    lost = {"role": "lead", "content": "", "tool_calls": [{"name": "pay", "args": {}, "id": "c9"}]}
    for held in ([ai(tool_calls=[call("pay", {}, "c9")])], [lost]):
        with pytest.raises(TraceFormatError, match=r"scratch.*expected calls that are in the st"):
            from_langchain([*UPDATES, {"save": {"scratch": held}}])


def test_a_call_that_only_a_memory_has_is_refused() -> None:
    with pytest.raises(TraceFormatError, match=r"history.*expected calls that are in the st"):
        from_langchain([*UPDATES, {"save": {"history": [ai(tool_calls=[call("p", {}, "c9")])]}}])


def test_messages_with_the_question_alone_leave_the_run_to_another_channel() -> None:
    asked = {"start": {"messages": MESSAGES[:1]}}
    trace = [asked, *({"agent": {"history": [one]}} for one in MESSAGES[1:])]
    assert from_langchain(trace) == from_langchain(MESSAGES)


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        pytest.param(json.dumps(HIDDEN), "parse it first", id="text"),
        pytest.param([HIDDEN["messages"]], "take them out", id="a list in a list"),
    ],
)
def test_a_trace_of_hidden_messages_alone_says_how_to_get_at_them(value: Any, hint: str) -> None:
    with pytest.raises(TraceFormatError, match=rf"\[0\]\.agent.*expected messages, a.*{hint}"):
        from_langchain([{"agent": value}])


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(lambda known: [[known], {}], id="arguments"),
        pytest.param(lambda known: ((known,), {}), id="arguments as the library has them"),
        pytest.param(lambda known: [[], {"messages": known}], id="named messages"),
        pytest.param(lambda known: [[], {"history": [known]}], id="named"),
        pytest.param(lambda known: [[json.dumps(known)], {}], id="as text"),
    ],
)
@pytest.mark.parametrize(
    "wrap", [lambda one: one, lambda one: {"__return__": one}], ids=["bare", "returned"]
)
def test_the_tasks_of_the_functional_api_are_read(given: Any, wrap: Any) -> None:
    trace = []
    for at, message in enumerate(MESSAGES[1:], 1):
        task = {"id": str(at), "name": "step"}
        trace.append({**task, "input": given(MESSAGES[:at]), "triggers": ["__pregel_push"]})
        trace.append({**task, "error": None, "result": wrap(message), "interrupts": []})
    result, wanted = from_langchain(trace), from_langchain(MESSAGES)
    assert result["calls"] == wanted["calls"] != []
    assert [result[key] for key in ("status", "answer")] == ["final", wanted["answer"]]
    assert result["trace"] == wanted["trace"]
