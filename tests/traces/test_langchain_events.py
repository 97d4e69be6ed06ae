"""Events of ``astream_events``: whose calls they are, what failed, and how the run stands."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from agenteval.traces import TraceFormatError, from_trace
from agenteval.traces.langchain import from_langchain
from agenteval.trajectory import Call
from langchain_messages import HUMAN, ai, call, tool

ASK = ai("So.", id="a1", tool_calls=[call("f", {"n": 1}, "c1"), call("g", {}, "c2")])
SAYS = ai("Done.", id="a2")


def event(name: str, run: str, *above: str, of: str = "x", **data: Any) -> dict[str, Any]:
    return {"event": name, "name": of, "run_id": run, "parent_ids": [*above], "data": data}


def model(message: Any, run: str = "m", *above: str, given: Any = ()) -> list[dict[str, Any]]:
    given = {"messages": [[HUMAN, *given]]}
    above = above or ("root", "node")
    return [
        event("on_chat_model_start", run, *above, input=given),
        event("on_chat_model_stream", run, *above, chunk={**message, "type": "AIMessageChunk"}),
        event("on_chat_model_end", run, *above, output=message, input=given),
    ]


def started(name: str, run: str, given: Any) -> dict[str, Any]:
    return event("on_tool_start", run, "root", "node", of=name, input=given)


def ended(name: str, run: str, given: Any, output: Any) -> dict[str, Any]:
    return event("on_tool_end", run, "root", "node", of=name, input=given, output=output)


def broke(name: str, run: str, given: Any, error: Any, call_id: Any = None) -> dict[str, Any]:
    data = {"input": given, "error": error, "tool_call_id": call_id}
    return event("on_tool_error", run, "root", "node", of=name, **data)


def whole(*inner: Any, output: Any = None, **fields: Any) -> list[dict[str, Any]]:
    events = [one for some in inner for one in (some if isinstance(some, list) else [some])]
    messages = [HUMAN, ASK, SAYS] if output is None else output
    return [
        event("on_chain_start", "root", of="LangGraph", input={"messages": [HUMAN]}),
        *events,
        event("on_chain_end", "root", of="LangGraph", output={"messages": messages, **fields}),
    ]


F, G = ("f", "t1", {"n": 1}), ("g", "t2", {})
MADE = [Call("f", {"n": 1}), Call("g")]
TOOLS_END = event(
    "on_chain_end", "n2", "root", of="tools",
    output={"messages": [tool("c1", "bad", status="error"), tool("c2")]},
    input={"messages": [HUMAN, ASK]},
)  # fmt: skip


@pytest.mark.parametrize(
    ("tools", "errors"),
    [
        pytest.param(
            [started(*F), started(*G), broke(*F, "no key", "c1"), ended(*G, tool("c2"))],
            ["no key", None],
            id="an error and a message",
        ),
        pytest.param(
            [started(*G), started(*F), broke(*F, ValueError("no key")), ended(*G, tool("c2"))],
            ["no key", None],
            id="an error without an id, as an object",
        ),
        pytest.param(
            [broke(*F, ValueError(), "c1"), ended(*G, tool("c2"))],
            ["ValueError()", None],
            id="an error without words",
        ),
        pytest.param(
            [broke(*F, "no key", "c1"), ended(*G, tool("c2")), TOOLS_END],
            ["no key", None],
            id="the node repeats both",
        ),
        pytest.param([TOOLS_END], ["bad", None], id="only the node, as for a tool there is not"),
        pytest.param(
            [started(*F), ended(*F, None), started(*G), ended(*G, None), TOOLS_END],
            ["bad", None],
            id="ends of version 1 without an output, and the node",
        ),
        pytest.param(
            [started(*F), started(*G), ended(*G, "fine"), ended(*F, {"Error": 1})],
            ['{"Error": 1}', None],
            id="bare outputs",
        ),
        pytest.param(
            [ended(*G, [1, 2]), ended(*F, tool("c1", "bad", status="error"))],
            ["bad", None],
            id="ends alone",
        ),
        pytest.param(
            [
                ended("g", "t2", {}, {"goto": "h", "update": {"messages": [tool("c2")]}}),
                ended("f", "t1", {"n": 1, "state": {}}, "fine"),
            ],
            [None, None],
            id="a command, and arguments that a framework added",
        ),
    ],
)
def test_results_and_errors_find_their_calls(tools: Any, errors: Any) -> None:
    trace = whole(model(ASK), tools, model(SAYS, "m2", given=[ASK]))
    before = copy.deepcopy([one for one in trace if "error" not in one["data"]])
    result = from_langchain(trace, is_error=lambda text: "Error" in text)
    assert result["calls"] == MADE
    assert [one.error for one in result["calls"]] == errors
    assert (result["status"], result["answer"]) == ("final", "Done.")
    assert result["trace"]["unanswered"] == result["trace"]["unpaired_results"] == 0
    assert from_trace(trace, is_error=lambda text: "Error" in text) == result
    assert [one for one in trace if "error" not in one["data"]] == before


def test_the_older_version_has_generations_and_no_parents() -> None:
    trace = whole(model(ASK), ended(*F, "fine"), ended(*G, "fine"), model(SAYS, "m2"))
    for one in trace:
        del one["parent_ids"]
        if one["event"] == "on_chat_model_end":
            one["data"]["output"] = {"generations": [[{"message": one["data"]["output"]}]]}
    result = from_langchain(trace)
    assert (result["calls"], result["status"], result["answer"]) == (MADE, "final", "Done.")


def test_a_server_s_stream_of_events_is_read() -> None:
    events = whole(model(ASK), broke(*F, "no key", "c1"), ended(*G, "x"), model(SAYS, "m2"))
    trace = [
        {"event": "metadata", "data": {"run_id": "r"}},
        *({"event": "events", "data": one} for one in events),
    ]
    result = from_langchain(trace)
    assert [one.error for one in result["calls"]] == ["no key", None]
    assert result["status"] == "final"
    assert from_langchain([*trace, {"event": "end", "data": None}]) == result
    assert from_langchain([*trace, {"event": "error", "data": {}}])["status"] == "failed"


def test_the_events_of_tools_alone_are_calls() -> None:
    trace = [started(*F), started(*G), broke(*F, "no key"), ended(*G, tool("c2"))]
    result = from_langchain(trace)
    assert result["calls"] == MADE
    assert [one.error for one in result["calls"]] == ["no key", None]
    assert (result["status"], result["trace"]["unanswered"]) == ("incomplete", 0)


def test_what_the_run_was_given_is_not_of_the_run() -> None:
    old = [ai(id="o1", tool_calls=[call("old", {}, "c0")]), tool("c0"), ai("Before.", id="o2")]
    node = {"messages": [*old, HUMAN]}
    trace = whole(
        event("on_chain_start", "n", "root", of="agent", input=node),
        model(SAYS, given=old),
        event("on_chain_end", "n", "root", of="agent", input=node, output={"messages": [SAYS]}),
        output=[*old, HUMAN, SAYS],
    )
    result = from_langchain(trace)
    assert (result["calls"], result["answer"]) == ([], "Done.")


@pytest.mark.parametrize(
    "reply",
    [ai("No.", id="a9"), ai("No."), {"role": "assistant", "content": "No."}],
    ids=["with an id", "without", "in OpenAI's style"],
)
def test_a_reply_that_a_node_made_itself_counts(reply: Any) -> None:
    node = event("on_chain_end", "n", "root", of="guard", output={"messages": [reply]})
    result = from_langchain(whole(model(ASK), TOOLS_END, node, output=[HUMAN, ASK, reply]))
    assert (result["status"], result["answer"]) == ("final", "No.")
    assert result["calls"] == MADE


def node(run: str, given: Any, made: Any, *, of: str = "agent", edge: bool) -> list[Any]:
    """Return a node's events; the function of its edge gets what it made before the node ends."""
    at, data = ("root", run), {"input": {"messages": [*given, *made]}}
    inner = [
        event("on_chain_start", f"{run}e", *at, of="should_continue", **data),
        event("on_chain_end", f"{run}e", *at, of="should_continue", output="tools", **data),
    ]
    data = {"input": {"messages": given}}
    return [
        event("on_chain_start", run, "root", of=of, **data),
        *(inner if edge else []),
        event("on_chain_end", run, "root", of=of, output={"messages": made}, **data),
    ]


@pytest.mark.parametrize("edge", [False, True], ids=["a plain edge", "a conditional edge"])
@pytest.mark.parametrize("ids", [True, False], ids=["ids", "no ids"])
@pytest.mark.parametrize("tools", [True, False], ids=["tools' events", "none of tools"])
def test_what_a_node_made_itself_counts_at_every_edge(edge: bool, ids: bool, tools: bool) -> None:
    old = [ai("Before.", tool_calls=[call("old", {}, "c0")]), tool("c0")]
    ask, says = (one if ids else {**one, "id": None} for one in (ASK, SAYS))
    results = [tool("c1"), tool("c2")]
    before = [*old, HUMAN]
    ends = [ended(*F, results[0]), ended(*G, results[1])]
    trace = whole(
        node("n1", before, [ask], edge=edge),
        ends if tools else [],
        node("n2", [*before, ask], results, of="tools", edge=edge),
        node("n3", [*before, ask, *results], [says], edge=edge),
        output=[*before, ask, *results, says],
    )
    result = from_langchain(trace)
    assert (result["calls"], result["status"], result["answer"]) == (MADE, "final", "Done.")
    assert (result["trace"]["unanswered"], result["trace"]["unpaired_results"]) == (0, 0)


def test_what_a_subgraph_remembers_is_not_of_the_run() -> None:
    old = ai("Before.", id="o1", tool_calls=[call("old", {}, "c0")])
    inner = {"messages": [old, HUMAN]}
    start = event("on_chain_start", "i", "root", "n", of="answer", input=inner)
    trace = whole(
        event("on_chain_start", "n", "root", of="sub", input={"messages": [HUMAN]}),
        {**start, "metadata": {"langgraph_node": "answer"}},
        model(SAYS, "m", "root", "n", "i", given=[old]),
        event("on_chain_end", "n", "root", of="sub", output={"messages": [old, HUMAN, SAYS]}),
        output=[HUMAN, SAYS],
    )
    result = from_langchain(trace)
    assert (result["calls"], result["status"], result["answer"]) == ([], "final", "Done.")


def test_the_words_of_a_model_inside_a_tool_are_no_answer() -> None:
    inner = ai("In short.", id="i1", tool_calls=[call("h", {}, "c9")])
    trace = [
        *whole(model(ASK))[:-1],
        started(*F),
        *model(inner, "m3", "root", "t1"),
        event("on_tool_end", "t9", "root", "t1", of="h", input={}, output=tool("c9")),
        *model(ai("In sum.", id="i2"), "m4", "root", "t1"),
    ]
    result = from_langchain(trace)
    assert [one.name for one in result["calls"]] == ["f", "g", "h"]
    assert (result["status"], result["answer"]) == ("incomplete", None)


def test_an_executor_s_output_is_the_answer() -> None:
    trace = whole(model(ASK), ended(*F, "x"), ended(*G, "x"))
    trace[-1]["data"]["output"] = {"output": "Done."}
    assert from_langchain(trace)["answer"] == "Done."
    cut = {**SAYS, "response_metadata": {"finish_reason": "length"}}
    trace[-1:-1] = model(cut, "m2")
    assert from_langchain(trace)["status"] == "cut off"


WAITS = {"__interrupt__": [{"value": "Really?", "id": "i"}]}


@pytest.mark.parametrize(
    ("trace", "status"),
    [
        pytest.param(whole(model(SAYS)), "final", id="it ended"),
        pytest.param(whole(model(SAYS))[:-1], "incomplete", id="its end is not there"),
        pytest.param(whole(model(SAYS), model(ASK, "m2")[:2])[1:-1], "incomplete", id="a model's"),
        pytest.param(model(SAYS), "final", id="the events of a model alone"),
        pytest.param(whole(model(SAYS), **WAITS), "incomplete", id="it waits for a person"),
        pytest.param(
            whole(model(SAYS), event("on_chain_stream", "root", chunk=WAITS)),
            "incomplete",
            id="it waits, as its last chunk says",
        ),
        pytest.param(
            whole(
                event("on_chain_stream", "root", chunk=WAITS),
                model(SAYS),
                event("on_chain_stream", "root", chunk={"agent": {"messages": [SAYS]}}),
            ),
            "final",
            id="it waited and went on",
        ),
        pytest.param(whole(model(SAYS), event("on_custom_event", "r", n=1)), "final", id="custom"),
    ],
)
def test_how_the_run_stands(trace: Any, status: str) -> None:
    assert from_langchain(trace)["status"] == status


@pytest.mark.parametrize(
    ("trace", "match"),
    [
        pytest.param([*model(ASK), HUMAN], r"\[3\]: expected an event of astream_events", id="mix"),
        pytest.param([event("on_chain_start", "r", input={})], "no tool was found", id="no tool"),
        pytest.param([event("on_chat_model_end", "r", output=7)], "output: expected an", id="7"),
        pytest.param([{**event("on_chain_end", "r"), "data": 7}], "data: expected an", id="data"),
        pytest.param([{**ended(*F, 1), "name": 7}], "name: expected text", id="a number's name"),
        pytest.param([{**ended(*F, 1), "run_id": 7}], "run_id: expected text", id="its run"),
        pytest.param([{**model(ASK)[0], "metadata": 7}], "metadata: expected an", id="metadata"),
        pytest.param([{**ended(*F, 1), "parent_ids": 7}], "parent_ids: expected a list", id="up"),
        pytest.param([{**ended(*F, 1), "parent_ids": [[]]}], r"parent_ids\[0\]: exp", id="one up"),
    ],
)
def test_what_are_no_events_is_refused(trace: Any, match: str) -> None:
    with pytest.raises(TraceFormatError, match=match):
        from_langchain(trace)
