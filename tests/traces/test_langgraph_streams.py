"""LangGraph runs: states, updates, streams of every mode, and what they tell more than once."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

from agenteval.traces import TraceFormatError, from_trace
from agenteval.traces.langchain import from_langchain, looks_like
from agenteval.trajectory import Call
from counted_steps import counted_steps
from langchain_messages import HUMAN, MESSAGES, NODE, UPDATES, VALUES, ai, call, tool

TASKS: list[dict[str, Any]] = [
    {"id": "x", "name": "agent", "input": VALUES[0], "triggers": ["start"]},
    {"id": "x", "name": "agent", "error": None, "result": {"messages": MESSAGES[1:2]}},
    {"id": "y", "name": "tools", "input": VALUES[1], "triggers": ["agent"]},
    {"id": "y", "name": "tools", "error": None, "result": {"messages": MESSAGES[2:3]}},
    {"id": "z", "name": "agent", "error": None, "result": {"messages": MESSAGES[3:]}},
]
DEBUG: list[dict[str, Any]] = [
    {"type": "checkpoint", "timestamp": "t", "step": -1, "payload": {"values": VALUES[0]}},
    *(
        {
            "type": "task_result" if "result" in one else "task",
            "timestamp": "t",
            "step": at,
            "payload": one,
        }
        for at, one in enumerate(TASKS)
    ),
]
SUB = ["research:7f3a"]


@pytest.mark.parametrize(
    "trace",
    [
        pytest.param({"messages": MESSAGES}, id="a state"),
        pytest.param({"values": VALUES[-1], "next": [], "interrupts": []}, id="a snapshot"),
        pytest.param(MESSAGES, id="a list of messages"),
        pytest.param(VALUES, id="values, each repeating the one before"),
        pytest.param(VALUES[::-1], id="values from the last to the first"),
        pytest.param(UPDATES, id="updates"),
        pytest.param(TASKS, id="tasks"),
        pytest.param([["updates", one] for one in UPDATES], id="updates beside their mode"),
        pytest.param([["values", one] for one in VALUES], id="values beside their mode"),
        pytest.param([["tasks", one] for one in TASKS], id="tasks beside their mode"),
        pytest.param(DEBUG, id="debugging"),
        pytest.param([["debug", one] for one in DEBUG], id="debugging beside its mode"),
        pytest.param([[SUB, "debug", one] for one in DEBUG], id="debugging of a subgraph"),
        pytest.param(
            [["debug", one] for one in DEBUG] + [["tasks", one] for one in TASKS],
            id="debugging and tasks",
        ),
        pytest.param(
            [["values", VALUES[0]], ["updates", UPDATES[0]], ["values", VALUES[1]]]
            + [["updates", one] for one in UPDATES[1:]],
            id="of two modes one is enough",
        ),
        pytest.param([[message, NODE] for message in MESSAGES], id="messages beside metadata"),
        pytest.param(
            [["messages", [message, NODE]] for message in MESSAGES], id="messages and their mode"
        ),
        pytest.param(
            [["custom", {"progress": 1}], *(["messages", [one, NODE]] for one in MESSAGES)],
            id="messages and the program's own data",
        ),
        pytest.param(
            [["updates", {"agent": {"n": 1}}], *(["messages", [one, NODE]] for one in MESSAGES)],
            id="the first mode tells of no message",
        ),
        pytest.param(
            [["debug", {"step": 1, "payload": VALUES[3]}], *(["updates", one] for one in UPDATES)],
            id="updates and debugging",
        ),
        pytest.param([[[], one] for one in VALUES], id="values of the graph alone, namespaces on"),
        pytest.param(
            [[[], VALUES[0]], *([SUB, one] for one in VALUES), [[], VALUES[3]]],
            id="values of a subgraph and its parent",
        ),
        pytest.param(
            [*([SUB, one] for one in UPDATES), [[], {"research": {"messages": MESSAGES}}]],
            id="updates of a subgraph and its parent",
        ),
        pytest.param([[SUB, [message, NODE]] for message in MESSAGES], id="messages of a subgraph"),
        pytest.param(
            [
                [[], "values", VALUES[0]],
                *([SUB, "updates", one] for one in UPDATES),
                [[], "custom", "progress"],
                [[], "updates", {"research": {"messages": MESSAGES}}],
                [[], "values", VALUES[3]],
            ],
            id="several modes of a subgraph and its parent",
        ),
        pytest.param(
            [[SUB, "messages", [message, NODE]] for message in MESSAGES],
            id="messages of a subgraph beside their mode",
        ),
        pytest.param(
            [{"type": "values", "ns": [], "data": one, "interrupts": []} for one in VALUES],
            id="version 2, values",
        ),
        pytest.param(
            [
                {"type": "custom", "ns": [], "data": "progress"},
                *({"type": "messages", "ns": SUB, "data": [one, NODE]} for one in MESSAGES),
            ],
            id="version 2, messages",
        ),
        pytest.param(
            [
                {"event": "metadata", "data": {"run_id": "x"}},
                *({"event": "updates|research:7f3a", "data": one} for one in UPDATES),
                {"event": "end", "data": None},
            ],
            id="a server's events",
        ),
        pytest.param(
            [["metadata", {"run_id": "x"}, None], *(["values|x:1", one, "7"] for one in VALUES)],
            id="a server's events as lists",
        ),
        pytest.param(
            [{"agent": {"history": MESSAGES[1:3]}}, {"agent": {"history": MESSAGES[3], "n": [1]}}],
            id="updates of a channel of another name",
        ),
        pytest.param(
            [{"n": 1}, *({"history": state["messages"], "n": 2} for state in VALUES)],
            id="values with a channel of another name",
        ),
        pytest.param(
            [{"agent": [{"messages": MESSAGES[1:2]}, {"messages": MESSAGES[2:3]}]}, *UPDATES[3:]],
            id="several updates of one node",
        ),
        pytest.param(
            [{"model": MESSAGES[1]}, {"tools": [MESSAGES[2]]}, {"model": MESSAGES[3]}],
            id="nodes that return messages",
        ),
        pytest.param([MESSAGES[:2], MESSAGES], id="states that are the list of messages"),
        pytest.param(
            [
                *UPDATES[:2],
                {"trim": {"messages": [{"type": "remove", "content": "", "id": "a1"}]}},
                *UPDATES[2:],
            ],
            id="a message is removed from the state",
        ),
    ],
)
def test_a_graph_is_read_in_every_way_it_streams(trace: Any) -> None:
    def with_tuples(node: Any, depth: int = 0) -> Any:
        if isinstance(node, list) and depth < 3:
            return tuple(with_tuples(one, depth + 1) for one in node)
        return node

    for form in (trace, with_tuples(trace)):
        before = json.dumps(form)
        result = from_langchain(form)
        assert result["calls"] == [Call("add", {"item": "milk"})]
        assert (result["status"], result["answer"]) == ("final", "Added.")
        assert (result["trace"]["unanswered"], result["trace"]["unpaired_results"]) == (0, 0)
        assert looks_like(form)
        assert from_trace(form) == result
        assert json.dumps(form) == before


class StateSnapshot(NamedTuple):
    values: Any
    next: tuple[str, ...] = ()
    metadata: Any = None


class StreamPart(NamedTuple):
    event: str
    data: Any
    id: str | None = None


def test_the_librarys_own_tuples_are_read() -> None:
    snapshot = StateSnapshot({"messages": MESSAGES})
    events = [StreamPart("metadata", {}), *(StreamPart("updates", one) for one in UPDATES)]
    for trace in (snapshot, [snapshot, StateSnapshot({"messages": MESSAGES[:2]})], events):
        result = from_trace(trace)
        assert result["calls"] == [Call("add", {"item": "milk"})]
        assert result["status"] == "final"
    waiting = StateSnapshot({"messages": MESSAGES}, next=("tools",))
    assert from_langchain(waiting)["status"] == "incomplete"


def test_a_history_is_read_from_its_first_step_whichever_way_it_is_listed() -> None:
    nodes = (("agent",), ("tools",), ("agent",), ())
    history = [
        StateSnapshot(state, then, {"step": step})
        for step, (state, then) in enumerate(zip(VALUES, nodes, strict=True))
    ]
    for listed in (history, history[::-1], [one._asdict() for one in history[::-1]]):
        result = from_langchain(listed)
        assert result["calls"] == [Call("add", {"item": "milk"})]
        assert (result["status"], result["answer"]) == ("final", "Added.")
    assert from_langchain(history[2::-1])["status"] == "incomplete"


@pytest.mark.parametrize(
    "trace",
    [
        pytest.param(
            [
                *({"event": "updates", "data": one} for one in UPDATES),
                {"event": "error", "data": {}},
            ],
            id="a server's event",
        ),
        pytest.param(
            [*TASKS, {"id": "v", "name": "log", "error": "ValueError('x')", "result": None}],
            id="a task",
        ),
    ],
)
def test_a_graph_that_broke_has_failed(trace: Any) -> None:
    assert from_langchain(trace)["status"] == "failed"


INTERRUPT = {"__interrupt__": [{"value": "ok?", "id": "i1"}]}
ASKED = [{"agent": {"messages": [ai("May I?", id="a1")]}}]
STATE = {"messages": [HUMAN, ai("May I?", id="a1")]}


@pytest.mark.parametrize(
    "trace",
    [
        pytest.param([*ASKED, INTERRUPT], id="updates"),
        pytest.param([{"messages": [HUMAN]}, STATE, {**STATE, **INTERRUPT}], id="values"),
        pytest.param({**STATE, **INTERRUPT}, id="what invoke returned"),
        pytest.param([["updates", ASKED[0]], ["updates", INTERRUPT]], id="beside its mode"),
        pytest.param(
            [
                ["messages", [STATE["messages"][1], NODE]],
                ["updates", {"agent": None}],
                ["updates", INTERRUPT],
            ],
            id="told in another mode than the messages",
        ),
        pytest.param([[SUB, ASKED[0]], [SUB, INTERRUPT], [[], INTERRUPT]], id="in a subgraph"),
        pytest.param(
            [{"type": "values", "ns": [], "data": STATE, "interrupts": [{"value": "ok?"}]}],
            id="version 2",
        ),
        pytest.param(
            [
                {"id": "x", "name": "agent", "result": ASKED[0]["agent"], "interrupts": []},
                {"id": "y", "name": "ask", "result": {}, "interrupts": [{"value": "ok?"}]},
            ],
            id="tasks",
        ),
        pytest.param({"values": STATE, "next": ["tools"], "interrupts": []}, id="a snapshot"),
    ],
)
def test_a_graph_that_waits_for_a_person_is_not_done(trace: Any) -> None:
    result = from_langchain(trace)
    assert (result["status"], result["answer"]) == ("incomplete", "May I?")


@pytest.mark.parametrize(
    "trace",
    [
        pytest.param([*ASKED, INTERRUPT, {"agent": {"messages": [ai("Done.")]}}], id="resumed"),
        pytest.param([{"messages": [ai("Done.")], "__interrupt__": []}], id="no interrupt in it"),
        pytest.param(
            [{"messages": [ai("Done.")], "interrupts": ["x"]}], id="a channel of that name"
        ),
    ],
)
def test_a_graph_that_went_on_is_done(trace: Any) -> None:
    assert from_langchain(trace)["status"] == "final"


def test_states_that_do_not_continue_each_other_are_read_one_after_the_other() -> None:
    states = [{"messages": [ai("", tool_calls=[call(name)])]} for name in ("f", "g")]
    assert [one.name for one in from_langchain(states)["calls"]] == ["f", "g"]


def test_a_state_that_was_trimmed_keeps_what_happened() -> None:
    states = [
        *VALUES[:3],
        {"messages": [{"type": "human", "content": "Summary", "id": "s"}, MESSAGES[3]]},
    ]
    result = from_langchain(states)
    assert result["calls"] == [Call("add", {"item": "milk"})]
    assert (result["status"], result["answer"]) == ("final", "Added.")


@pytest.mark.parametrize(
    ("trace", "match"),
    [
        pytest.param(
            [["custom", 1], ["debug", {"step": 1}]],
            "no message was found in the modes custom, debug: stream one of updates, values",
            id="modes without messages",
        ),
        pytest.param(
            [[[], "checkpoints", {"values": {"messages": MESSAGES}}]],
            "in the modes checkpoints",
            id="checkpoints",
        ),
        pytest.param(
            [{"step": 1, "timestamp": "t", "type": "checkpoint", "payload": {"values": VALUES[0]}}],
            "in the modes debug",
            id="the checkpoints of debugging alone",
        ),
        pytest.param(
            [{"event": "messages/partial", "data": MESSAGES[1:2]}],
            "in the modes messages/partial",
            id="a server's growing messages",
        ),
        pytest.param([["updates", {"agent": None}]], "in the modes updates", id="nothing changed"),
        pytest.param([["updates", 7]], r"\[0\]\[1\]: expected an object, got int 7", id="a number"),
        pytest.param(
            [[1, 2, 3, 4]], r"\[0\]: expected an object, got list", id="a list of numbers"
        ),
        pytest.param(
            [[{"a": 1}, MESSAGES[0]]], r"\[0\]: expected an object, got list", id="no metadata"
        ),
        pytest.param(
            [{"agent": {"messages": 7}}], r"\[0\].agent.messages: expected a list", id="messages 7"
        ),
        pytest.param(
            [{"trim": {"messages": [{"type": "remove", "content": "", "id": "a1"}]}}],
            "expected messages, calls or results",
            id="removals alone",
        ),
    ],
)
def test_a_stream_without_messages_is_refused(trace: Any, match: str) -> None:
    with pytest.raises(TraceFormatError, match=match):
        from_langchain(trace)


def updates_of(turns: int, *, same_id: bool = False) -> list[Any]:
    made: list[Any] = []
    for turn in range(turns):
        name = "run--1" if same_id else f"a{turn}"
        asked = ai("", id=name, tool_calls=[call("f", {}, f"c{turn}")])
        made.append({"agent": {"messages": [asked]}})
        made.append({"tools": {"messages": [tool(f"c{turn}", id="t1")]}})
        made.append({"review": {"messages": [{**asked, "content": "x"}]}})
    return made


def chunks_of(turns: int) -> list[Any]:
    pieces = [{"index": 0, "name": "f", "args": "{}", "id": None}]
    return [
        {"type": "AIMessageChunk", "id": f"r{turn % 7}", "content": "x", "tool_call_chunks": pieces}
        for turn in range(turns)
    ]


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(updates_of, id="updates"),
        pytest.param(lambda turns: updates_of(turns, same_id=True), id="updates of one id"),
        pytest.param(chunks_of, id="chunks side by side"),
    ],
)
def test_twice_the_messages_take_twice_the_steps(make: Any) -> None:
    assert counted_steps(from_trace, make(400)) < 2.1 * counted_steps(from_trace, make(200))


def test_the_tasks_of_a_snapshot_are_passed_over() -> None:
    """A history has them as lists, with what each returned: the next snapshot's values."""
    history = [
        {
            "values": VALUES[at],
            "next": ["agent"] if at < 3 else [],
            "metadata": {"step": at},
            "tasks": [["id", "agent", ["__pull", "agent"], None, [], None, VALUES[at + 1]]]
            if at < 3
            else [],
        }
        for at in (3, 2, 1, 0)
    ]
    result = from_langchain(history)
    assert result["calls"] == [Call("add", {"item": "milk"})]
    assert (result["status"], result["answer"]) == ("final", "Added.")


@pytest.mark.parametrize(
    "value",
    [
        pytest.param('{"messages": 3}', id="text of another object"),
        pytest.param('{"messages": [', id="text that is no JSON"),
        pytest.param("[note]", id="a text in brackets"),
        pytest.param([["a", "b"], [1, None]], id="lists of other things"),
        pytest.param({"notes": ["[1]", {"kind": "note"}]}, id="a state of other things"),
    ],
)
def test_other_values_of_an_update_are_passed_over(value: Any) -> None:
    result = from_langchain([{"agent": value}, {"agent": {"messages": [ai("Paid.")]}}])
    assert (result["status"], result["answer"], result["calls"]) == ("final", "Paid.", [])


def test_older_tasks_return_pairs() -> None:
    returned = {"id": "x", "name": "agent", "error": None, "interrupts": []}
    trace = [
        {**returned, "result": [["messages", MESSAGES[1:2]], ["count", 1]]},
        {**returned, "result": [["messages", MESSAGES[2:]]]},
    ]
    assert from_langchain([["tasks", one] for one in trace])["calls"] == [
        Call("add", {"item": "milk"})
    ]
    assert from_langchain(trace)["calls"] == [Call("add", {"item": "milk"})]


@pytest.mark.parametrize(
    "trace",
    [
        pytest.param([["human", "q"], ["ai", "ok"]], id="a list"),
        pytest.param([("user", "q"), ("assistant", "ok")], id="tuples"),
        pytest.param({"messages": [["human", "q"], ["ai", "ok"]]}, id="a state"),
        pytest.param([["system", "s"], {"type": "human", "content": "q"}, ["ai", "ok"]], id="mix"),
    ],
)
def test_messages_as_pairs_are_read(trace: Any) -> None:
    result = from_langchain(trace)
    assert (result["status"], result["answer"], result["calls"]) == ("final", "ok", [])
    messages = trace["messages"] if isinstance(trace, dict) else trace
    assert from_langchain([*messages, ["human", "And?"]])["status"] == "incomplete"
    assert looks_like(messages)


SCRATCH = [ai(tool_calls=[call("pay", {"eur": 5}, "c7")]), tool("c7")]


@pytest.mark.parametrize(
    "trace",
    [
        pytest.param({"messages": [HUMAN, ai("Ok.")], "scratch": SCRATCH}, id="a state"),
        pytest.param([{"messages": [ai("Ok.")], "scratch": SCRATCH}], id="values"),
        pytest.param([{"agent": {"messages": [ai("Ok.")], "scratch": SCRATCH}}], id="an update"),
        pytest.param({"messages": [ai("Ok.")], "last": SCRATCH[0]}, id="one message"),
        pytest.param(
            {"messages": [ai("Ok.")], "scratch": [{"type": "ai", "data": SCRATCH[0]}]}, id="dumped"
        ),
    ],
)
def test_calls_beside_the_messages_are_not_passed_over(trace: Any) -> None:
    with pytest.raises(TraceFormatError, match="only 'messages' is read of a state that has them"):
        from_langchain(trace)


@pytest.mark.parametrize(
    "beside",
    [
        pytest.param({"scratch": MESSAGES[1:3]}, id="calls that are in the messages, too"),
        pytest.param({"chat_history": SCRATCH}, id="a memory"),
        pytest.param({"llm_input_messages": SCRATCH}, id="what the model was given"),
        pytest.param({"plan": [{"role": "planner", "content": "add"}]}, id="the program's own"),
        pytest.param({"summary": [ai("In short.")]}, id="no calls"),
    ],
)
def test_what_stands_beside_the_messages(beside: Any) -> None:
    result = from_langchain({"messages": MESSAGES, **beside})
    assert result == from_langchain({"messages": MESSAGES})


def test_a_task_that_broke_is_the_end_in_debugging_too() -> None:
    broke = {"id": "z", "name": "agent", "error": "ValueError('x')", "result": {}}
    last = {"type": "task_result", "timestamp": "t", "step": 9, "payload": broke}
    assert from_langchain([*DEBUG[:-1], last])["status"] == "failed"
