"""LangGraph runs: states, updates, streams of every mode, and what they tell more than once."""

from __future__ import annotations

import json
import sys
from types import FrameType
from typing import Any

import pytest

from agenteval.traces import TraceFormatError, from_trace
from agenteval.traces.langchain import from_langchain, looks_like
from agenteval.trajectory import Call


def ai(content: Any = "", **fields: Any) -> dict[str, Any]:
    return {"type": "ai", "content": content, **fields}


def tool(call_id: str, content: Any = "ok", **fields: Any) -> dict[str, Any]:
    return {"type": "tool", "tool_call_id": call_id, "content": content, **fields}


def call(name: str, args: Any = None, call_id: str | None = "c1") -> dict[str, Any]:
    return {"name": name, "args": {} if args is None else args, "id": call_id, "type": "tool_call"}


HUMAN = {"type": "human", "content": "Add milk.", "id": "h1"}
MESSAGES = [
    HUMAN,
    ai("On it.", id="a1", tool_calls=[call("add", {"item": "milk"})]),
    tool("c1", id="t1"),
    ai("Added.", id="a2"),
]
NODE = {"langgraph_node": "agent"}
VALUES = [{"messages": MESSAGES[:end]} for end in (1, 2, 3, 4)]
UPDATES: list[dict[str, Any]] = [
    {"agent": {"messages": MESSAGES[1:2]}},
    {"tools": {"messages": MESSAGES[2:3], "count": 1}},
    {"log": None},
    {"agent": {"messages": MESSAGES[3]}},
]
TASKS: list[dict[str, Any]] = [
    {"id": "x", "name": "agent", "input": VALUES[0], "triggers": ["start"]},
    {"id": "x", "name": "agent", "error": None, "result": {"messages": MESSAGES[1:2]}},
    {"id": "y", "name": "tools", "input": VALUES[1], "triggers": ["agent"]},
    {"id": "y", "name": "tools", "error": None, "result": {"messages": MESSAGES[2:3]}},
    {"id": "z", "name": "agent", "error": None, "result": {"messages": MESSAGES[3:]}},
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


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(
            {"role": "assistant", "parts": [{"type": "tool-f", "state": "output-available"}]},
            id="Vercel's UI message",
        ),
        pytest.param(
            {"role": "assistant", "content": "", "toolInvocations": [{"toolName": "f"}]},
            id="Vercel's older UI message",
        ),
        pytest.param(
            {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
            id="an item of the Responses API",
        ),
        pytest.param(
            {"type": "function_call_output", "call_id": "c1", "output": "x"}, id="its output"
        ),
        pytest.param({"object": "response", "output": []}, id="a whole Response"),
        pytest.param(
            {"object": "chat.completion", "choices": [{"message": {}}]}, id="a ChatCompletion"
        ),
        pytest.param(
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f"}]},
            id="Anthropic's call",
        ),
        pytest.param(
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]},
            id="Anthropic's result",
        ),
        pytest.param(
            {"role": "user", "content": [{"toolResult": {"toolUseId": "t", "content": []}}]},
            id="Bedrock's result",
        ),
        pytest.param(
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t", "name": "f"}}]},
            id="Bedrock's call",
        ),
        pytest.param(
            {"output": {"message": {}}, "stopReason": "end_turn"}, id="Bedrock's response"
        ),
        pytest.param(
            {"role": "user", "parts": [{"functionResponse": {"name": "f"}}]}, id="Gemini's result"
        ),
        pytest.param(
            {"role": "model", "parts": [{"functionCall": {"name": "f"}}]}, id="Gemini's call"
        ),
        pytest.param({"parts": [{"functionCall": {"name": "f"}}]}, id="Gemini's, without a role"),
        pytest.param({"candidates": [{"content": {}}]}, id="Gemini's response"),
        pytest.param(
            {"author": "agent", "content": {"parts": [{"functionCall": {"name": "f"}}]}},
            id="an ADK event",
        ),
        pytest.param(
            {"name": "execute_tool f", "attributes": {"gen_ai.tool.name": "f"}}, id="a span"
        ),
        pytest.param({"resourceSpans": []}, id="spans"),
        pytest.param(
            {"role": "assistant", "parts": [{"type": "tool_call", "name": "f"}]},
            id="a message of the conventions for spans",
        ),
        pytest.param(
            {"role": "assistant", "content": [{"type": "tool-call", "toolName": "f"}]},
            id="Vercel's call",
        ),
        pytest.param(
            {"role": "tool", "content": [{"type": "tool-result", "toolName": "f"}]},
            id="Vercel's result",
        ),
        pytest.param(
            {"type": "message", "role": "assistant", "content": [], "stop_reason": "refusal"},
            id="Anthropic's Message",
        ),
        pytest.param(
            {"type": "tool_call_item", "raw_item": {"type": "function_call", "name": "f"}},
            id="a run item of the Agents SDK",
        ),
        pytest.param({"jsonrpc": "2.0", "method": "tools/call", "params": {}}, id="an MCP request"),
    ],
)
@pytest.mark.parametrize(
    "own",
    [
        pytest.param(MESSAGES, id="messages"),
        pytest.param(UPDATES, id="updates"),
        pytest.param(VALUES, id="values"),
    ],
)
@pytest.mark.parametrize("first", [True, False], ids=["before", "after"])
def test_a_record_of_another_format_is_refused(other: Any, own: list[Any], first: bool) -> None:
    with pytest.raises(TraceFormatError):
        from_langchain([other, *own] if first else [*own, other])


def test_the_error_about_another_formats_record_shows_it() -> None:
    event = {"author": "agent", "content": {"parts": []}}
    with pytest.raises(TraceFormatError, match=r"\[4\]: expected .* got dict .*agent.*from_adk"):
        from_langchain([*UPDATES, event])
    span = {"name": "execute_tool f", "attributes": {}}
    with pytest.raises(
        TraceFormatError,
        match=r"\[4\]: expected a message, a state or an update of LangGraph, got dict .*tool f.*"
        "'attributes' and 'name' is of another format",
    ):
        from_langchain([*UPDATES, span])
    with pytest.raises(TraceFormatError, match=r"\[4\].*a message with 'parts' is of another"):
        from_langchain([*MESSAGES, {"role": "user", "parts": []}])
    with pytest.raises(TraceFormatError, match=r"content\[0\].*of the format bedrock"):
        from_langchain([{"type": "human", "content": [{"toolResult": {"toolUseId": "t"}}]}])


@pytest.mark.parametrize(
    "part",
    [
        pytest.param({"type": "input_text", "text": "Hi"}, id="OpenAI's text"),
        pytest.param({"cachePoint": {"type": "default"}}, id="Bedrock's cache point"),
        pytest.param({"type": "image_url", "image_url": {"url": "x"}}, id="an image"),
        pytest.param({"type": "document", "source": {}}, id="a document"),
    ],
)
def test_a_providers_own_part_is_passed_over(part: Any) -> None:
    trace = [{"type": "human", "content": [part]}, ai([part, {"type": "text", "text": "Yes."}])]
    assert from_langchain(trace)["status"] == "final"


@pytest.mark.parametrize(
    "block",
    [
        pytest.param({"type": "tool_result", "tool_use_id": "t"}, id="Anthropic's result"),
        pytest.param({"type": "function_call_output", "call_id": "c"}, id="OpenAI's result"),
        pytest.param({"toolUse": {"toolUseId": "t", "name": "f"}}, id="Bedrock's call"),
        pytest.param({"functionCall": {"name": "f"}}, id="Gemini's call"),
        pytest.param({"type": "tool-call", "toolName": "f"}, id="Vercel's call"),
        pytest.param({"type": "tool_call_response", "id": "c"}, id="a result of spans"),
    ],
)
@pytest.mark.parametrize("kind", ["ai", "human", "system"])
def test_a_part_of_another_format_is_refused(block: Any, kind: str) -> None:
    with pytest.raises(TraceFormatError, match=r"\[1\].content\[0\]: expected a record"):
        from_langchain([MESSAGES[0], {"type": kind, "content": [block]}])


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
            [{"step": 1, "timestamp": "t", "type": "task", "payload": {"input": VALUES[0]}}],
            "in the modes debug",
            id="debugging alone",
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


def steps(trace: Any) -> int:
    """Count the Python and C functions that reading a trace calls."""
    count = 0

    def seen(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(seen)
    try:
        from_trace(trace)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(updates_of, id="updates"),
        pytest.param(lambda turns: updates_of(turns, same_id=True), id="updates of one id"),
        pytest.param(chunks_of, id="chunks side by side"),
    ],
)
def test_twice_the_messages_take_twice_the_steps(make: Any) -> None:
    assert steps(make(400)) < 2.1 * steps(make(200))
