"""What chains return: an executor's steps are the run, the memory beside an answer is not."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from agenteval.traces import TraceFormatError, from_trace
from agenteval.traces.langchain import from_langchain
from agenteval.trajectory import Call
from langchain_messages import HUMAN, ai, call

MEMORY = [HUMAN, ai("The old answer.")]
ACTION = {"tool": "weigh", "tool_input": {"id": 7}, "log": "I weigh it.", "type": "AgentAction"}
DUMPED = {
    "lc": 1,
    "type": "constructor",
    "id": ["langchain", "schema", "agent", "AgentAction"],
    "kwargs": {"tool": "weigh", "tool_input": {"id": 7}, "log": ""},
}
FAILED = {"type": "tool", "tool_call_id": "c", "status": "error", "content": "no scale"}


def result_of(*steps: Any, **fields: Any) -> dict[str, Any]:
    return {"input": "Weigh it.", "output": "3 kg.", "intermediate_steps": [*steps], **fields}


@pytest.mark.parametrize("fields", [{}, {"chat_history": MEMORY}, {"messages": MEMORY}])
@pytest.mark.parametrize(
    ("step", "args", "error"),
    [
        pytest.param([ACTION, "3 kg"], {"id": 7}, None, id="a pair"),
        pytest.param((ACTION, "3 kg"), {"id": 7}, None, id="a tuple"),
        pytest.param({"action": ACTION, "observation": "3 kg"}, {"id": 7}, None, id="a step"),
        pytest.param([DUMPED, "3 kg"], {"id": 7}, None, id="as dumpd writes it"),
        pytest.param([{**ACTION, "tool_input": '{"id": 7}'}, ""], {"id": 7}, None, id="JSON"),
        pytest.param([{**ACTION, "tool_input": "no. 7"}, ""], {"_raw": "no. 7"}, None, id="text"),
        pytest.param([{**ACTION, "tool_input": ""}, ""], {}, None, id="no input"),
        pytest.param([ACTION, FAILED], {"id": 7}, "no scale", id="a tool's failed message"),
        pytest.param([ACTION, "Error: no"], {"id": 7}, "Error: no", id="an error by the rule"),
        pytest.param([ACTION, {"Error": 1}], {"id": 7}, '{"Error": 1}', id="an observed object"),
    ],
)
def test_an_executor_s_steps_are_its_calls(
    step: Any, args: Any, error: str | None, fields: Any
) -> None:
    trace = result_of(step, **fields)
    before = copy.deepcopy(trace)
    result = from_langchain(trace, is_error=lambda text: "Error" in text)
    assert result["calls"] == [Call("weigh", args)]
    assert result["calls"][0].error == error
    assert (result["status"], result["answer"]) == ("final", "3 kg.")
    assert result["trace"]["unanswered"] == result["trace"]["unparsed_arguments"] == 0
    assert from_trace(trace, is_error=lambda text: "Error" in text) == result
    assert trace == before


@pytest.mark.parametrize(
    ("output", "status", "answer"),
    [
        pytest.param([{"type": "text", "text": "3 "}, "kg."], "final", "3 kg.", id="blocks"),
        pytest.param({"kg": 3}, "final", '{"kg": 3}', id="a structure"),
        pytest.param("", "incomplete", None, id="nothing"),
        pytest.param(None, "incomplete", None, id="null"),
        pytest.param(
            "Agent stopped due to max iterations.",
            "cut off",
            "Agent stopped due to max iterations.",
            id="out of steps",
        ),
    ],
)
def test_the_output_is_the_answer(output: Any, status: str, answer: str | None) -> None:
    result = from_langchain(result_of([ACTION, "3"], output=output))
    assert (result["status"], result["answer"]) == (status, answer)


def test_a_reply_that_was_not_understood_is_no_call() -> None:
    exception = {"tool": "_Exception", "tool_input": "Invalid format", "log": ""}
    result = from_langchain(result_of([exception, "Invalid format"]))
    assert result["calls"] == []


@pytest.mark.parametrize(
    ("step", "match"),
    [
        pytest.param([ACTION], r"intermediate_steps\[0\]: expected an action and", id="no pair"),
        pytest.param("x", r"intermediate_steps\[0\]: expected a list", id="text"),
        pytest.param(["x", "y"], r"intermediate_steps\[0\]\[0\]: expected an object", id="a text"),
        pytest.param([{"log": ""}, "y"], r"\[0\]\[0\].tool: expected text, got None", id="no tool"),
    ],
)
def test_a_step_of_the_wrong_kind_is_refused(step: Any, match: str) -> None:
    with pytest.raises(TraceFormatError, match=match):
        from_langchain(result_of(step))


@pytest.mark.parametrize(
    "state",
    [
        pytest.param({"input": "q", "chat_history": MEMORY, "output": "new"}, id="no steps"),
        pytest.param({"question": "q", "chat_history": MEMORY, "answer": "new"}, id="retrieval"),
        pytest.param({"input": "q", "history": MEMORY, "response": "new"}, id="a conversation"),
        pytest.param({"past": MEMORY, "output": "new"}, id="messages that end otherwise"),
        pytest.param({"past": MEMORY, "output": [{"text": "new"}]}, id="an answer in blocks"),
        pytest.param({"past": HUMAN, "output": "new"}, id="one message"),
        pytest.param({"chat_history": MEMORY, "text": "The old answer."}, id="kept in the memory"),
        pytest.param({"chat_history": MEMORY, "intermediate_steps": []}, id="no output"),
        pytest.param([result_of([ACTION, "3"], chat_history=MEMORY)], id="a result in a list"),
        pytest.param({"node": {"chat_history": MEMORY, "output": "new"}}, id="a node's"),
    ],
)
def test_a_memory_is_not_the_run(state: Any) -> None:
    place = r"from_langchain(: \S+)?: expected a state whose .* are what a chain was given"
    with pytest.raises(TraceFormatError, match=place):
        from_langchain(state)


@pytest.mark.parametrize(
    "state",
    [
        pytest.param({"chat_history": [HUMAN, ai(tool_calls=[call("f")])]}, id="nothing beside it"),
        pytest.param(
            {"turns": [ai(tool_calls=[call("f")]), ai("Done.")], "output": "Done."}, id="the end"
        ),
        pytest.param({"turns": [ai(tool_calls=[call("f")])], "output": ""}, id="no text yet"),
    ],
)
def test_messages_under_another_name_are_read(state: Any) -> None:
    assert from_langchain(state)["calls"] == [Call("f")]


@pytest.mark.parametrize(
    "wrap", [lambda one: one, lambda one: [{"agent": one}]], ids=["a state", "an update"]
)
def test_steps_beside_messages_are_not_passed_over(wrap: Any) -> None:
    state = {"messages": MEMORY, "intermediate_steps": [[ACTION, "3"]]}
    with pytest.raises(TraceFormatError, match="this one has intermediate_steps beside them"):
        from_langchain(wrap(state))
    state["intermediate_steps"] = []
    assert from_langchain(wrap(state))["calls"] == []
