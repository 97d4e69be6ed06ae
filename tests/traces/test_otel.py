"""Spans: which calls a dump shows, each once; what failed; how the run ended."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agenteval.traces import TraceFormatError
from agenteval.traces.otel import from_otel, looks_like
from agenteval.trajectory import Call

CASES = json.loads((Path(__file__).parent / "data/otel_genai.json").read_text(encoding="utf-8"))

Result = dict[str, Any]


def span(
    span_id: str,
    attributes: dict[str, Any],
    *,
    at: Any = 1,
    until: Any = None,
    under: str | None = None,
    **fields: Any,
) -> dict[str, Any]:
    return {
        "trace_id": "t",
        "span_id": span_id,
        "parent_span_id": under,
        "name": "a span",
        "start_time": at,
        "end_time": at if until is None else until,
        "attributes": attributes,
        **fields,
    }


def tool(span_id: str, name: str = "f", args: Any = "{}", **rest: Any) -> dict[str, Any]:
    """A GenAI tool span; `rest` goes to attributes where its name has a dot, else to the span."""
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.arguments": args,
        **{key: value for key, value in rest.items() if "." in key},
    }
    filled = {key: value for key, value in attributes.items() if value is not None}
    return span(span_id, filled, **{key: value for key, value in rest.items() if "." not in key})


def part(name: str, arguments: Any = None, call_id: str | None = None) -> dict[str, Any]:
    return {"type": "tool_call", "name": name, "arguments": arguments or {}, "id": call_id}


def response(text: Any, call_id: str | None = None) -> dict[str, Any]:
    return {"type": "tool_call_response", "id": call_id, "response": text}


def words(text: str) -> dict[str, Any]:
    return {"type": "text", "content": text}


def chat(
    span_id: str, *parts: Any, given: Any = None, finish: str | None = None, **rest: Any
) -> dict[str, Any]:
    """A model's span: the parts of its output, and the messages it was given."""
    message = {"role": "assistant", "parts": list(parts), "finish_reason": finish}
    attributes: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.output.messages": json.dumps([message]),
    }
    if given is not None:
        attributes["gen_ai.input.messages"] = json.dumps(given)
    return span(span_id, attributes, **rest)


def agent(span_id: str, *parts: Any, **rest: Any) -> dict[str, Any]:
    whole = chat(span_id, *parts, **rest)
    whole["attributes"]["gen_ai.operation.name"] = "invoke_agent"
    return whole


def names(result: Any) -> list[str]:
    return [call.name for call in result["calls"]]


@pytest.mark.parametrize("case", [pytest.param(c, id=c["name"]) for c in CASES["cases"]])
def test_a_hand_made_case_comes_out_as_it_says(case: Any, hold: Callable[..., None]) -> None:
    before = copy.deepcopy(case["trace"])
    hold(from_otel(case["trace"]), case["expected"])
    assert case["trace"] == before
    assert looks_like(case["trace"])


# Which calls


EXECUTE = {"gen_ai.operation.name": "execute_tool"}
OPENINFERENCE = {"openinference.span.kind": "TOOL"}
NESTED_MCP = {"mcp.method.name": "tools/call"}


@pytest.mark.parametrize(
    ("spans", "wanted"),
    [
        pytest.param([tool("1", "f", at=5), tool("2", "g", at=3)], ["g", "f"], id="by start time"),
        pytest.param(
            [tool("3", "g", under="1", at=2), tool("1", "f", at=1, until=9)],
            ["f", "g"],
            id="a tool inside a tool",
        ),
        pytest.param(
            [tool("2", "g", under="1", at=1), tool("1", "f", at=1)],
            ["f", "g"],
            id="at the same time, outer before inner",
        ),
        pytest.param(
            [tool("1", "f"), tool("2", "g"), tool("3", "h")],
            ["f", "g", "h"],
            id="at the same time, as the dump has them",
        ),
        pytest.param([tool("1"), tool("1")], ["f"], id="a span that was exported twice"),
        pytest.param(
            [tool(""), tool("")], ["f", "f"], id="spans without ids are not the same span"
        ),
        pytest.param(
            [tool("1"), tool("2", **NESTED_MCP, under="1"), tool("3", **NESTED_MCP, under="2")],
            ["f"],
            id="an MCP client's and server's span inside the framework's",
        ),
        pytest.param(
            [
                tool("1", "time_get"),
                span("x", {"http.method": "POST"}, under="1"),
                tool("2", "get", **NESTED_MCP, under="x"),
            ],
            ["time_get"],
            id="an MCP span further inside, its server's name before the framework's",
        ),
        pytest.param(
            [tool("1", "run_code"), tool("2", "get", **NESTED_MCP, under="1")],
            ["run_code", "get"],
            id="an MCP call of another tool is another call",
        ),
        pytest.param(
            [tool("1"), chat("c", words("x"), under="1"), tool("2", **NESTED_MCP, under="c")],
            ["f", "f"],
            id="an MCP call that a model asked for inside a tool is another call",
        ),
        pytest.param([tool("1", **NESTED_MCP)], ["f"], id="an MCP span alone"),
        pytest.param(
            [
                tool("1", **{"gen_ai.tool.call.id": "c"}),
                tool("2", "g", **{"gen_ai.tool.call.id": "c"}, under="1"),
            ],
            ["f"],
            id="one id inside itself",
        ),
        pytest.param(
            [tool("1", scope={"name": "a"}), tool("2", under="1", scope={"name": "b"})],
            ["f"],
            id="two instrumentations of one call",
        ),
        pytest.param(
            [tool("1", args='{"n": 1}'), tool("2", args='{"n": 2}', under="1")],
            ["f", "f"],
            id="a tool that calls itself",
        ),
        pytest.param(
            [tool("1", "f", under="2"), tool("2", "g", under="1")],
            ["g", "f"],
            id="parents in a circle, which no tracer writes",
        ),
        pytest.param(
            [
                chat("1", part("f", call_id="c"), at=1),
                tool("2", **{"gen_ai.tool.call.id": "c"}, at=2),
            ],
            ["f"],
            id="seen as a span and in a message",
        ),
        pytest.param(
            [chat("1", part("f", {"n": 1}, "c"), at=1), tool("2", args='{"n": 1}', at=2)],
            ["f"],
            id="the span has no id: by name and arguments",
        ),
        pytest.param(
            [
                chat("1", part("f", {"n": 1}), at=1),
                tool("2", args='{"n": 1}', at=2, **{"gen_ai.tool.call.id": "c"}),
            ],
            ["f"],
            id="the message has no id",
        ),
        pytest.param(
            [chat("1", part("f", {"n": 1}, "c"), at=1), tool("2", args='{"n": 1, "x": 0}', at=2)],
            ["f"],
            id="the framework added an argument: by name",
        ),
        pytest.param(
            [
                chat("1", part("f", {"n": 1}, "a"), part("f", {"n": 2}, "b"), at=1),
                tool("2", args='{"n": 2}', at=2),
            ],
            ["f", "f"],
            id="one of two calls was never run",
        ),
        pytest.param(
            [
                chat("1", part("f", call_id="c"), at=1),
                tool("2", **{"gen_ai.tool.call.id": "other"}, at=2),
            ],
            ["f"],
            id="ids that differ, of one turn",
        ),
        pytest.param(
            [
                chat("1", part("f", call_id="c"), part("f", call_id="d"), at=1),
                tool("2", **{"gen_ai.tool.call.id": "fc_1"}, at=2),
                tool("3", **{"gen_ai.tool.call.id": "fc_2"}, at=3),
            ],
            ["f", "f"],
            id="ids that differ, twice the same call",
        ),
        pytest.param(
            [
                chat("1", part("f", call_id="c"), part("f", call_id="d"), at=1),
                tool("2", **{"gen_ai.tool.call.id": "fc_1"}, at=2),
            ],
            ["f", "f", "f"],
            id="ids that differ, and not as many of them",
        ),
        pytest.param(
            [
                chat("1", part("f", {"n": 1}, "c"), at=1),
                tool("2", args='{"n": 2}', **{"gen_ai.tool.call.id": "other"}, at=2),
            ],
            ["f", "f"],
            id="another id and other arguments are another call",
        ),
        pytest.param(
            [
                chat("1", part("f", call_id="c"), at=1),
                chat("2", part("g", call_id="d"), at=2),
                tool("3", **{"gen_ai.tool.call.id": "other"}, at=3),
            ],
            ["f", "g", "f"],
            id="another id in another turn is another call",
        ),
        pytest.param(
            [
                tool("1", **{"gen_ai.tool.call.id": "other"}, at=1),
                chat("2", part("f", call_id="c"), at=2),
            ],
            ["f", "f"],
            id="another id before it was asked for is another call",
        ),
        pytest.param(
            [
                chat("1", part("f", call_id="c"), part("f", call_id="d"), at=1),
                tool("2", **{"gen_ai.tool.call.id": "c"}, at=2),
                tool("3", **{"gen_ai.tool.call.id": "c"}, at=3),
            ],
            ["f", "f", "f"],
            id="a call that ran twice is not the other one",
        ),
        pytest.param(
            [
                agent("1", part("f", call_id="c"), words("Done."), at=1, until=9),
                tool("2", **{"gen_ai.tool.call.id": "fc_1"}, under="1", at=2),
            ],
            ["f"],
            id="ids that differ, asked for by an agent",
        ),
        pytest.param(
            [
                agent("1", at=1, until=9),
                chat("2", part("f", call_id="c"), under="1", at=2),
                agent("3", at=3, until=9),
                tool("4", **{"gen_ai.tool.call.id": "fc_1"}, under="3", at=4),
            ],
            ["f", "f"],
            id="another id of another agent is another call",
        ),
        pytest.param(
            [
                chat("1", part("f", call_id="c"), at=1),
                tool("2", **{"gen_ai.tool.call.id": "c"}, at=2),
                tool("3", **{"gen_ai.tool.call.id": "c"}, at=3),
            ],
            ["f", "f"],
            id="a framework that ran a call twice",
        ),
        pytest.param(
            [
                agent("1", part("f", call_id="c"), words("Done."), at=1, until=9),
                chat("2", part("f", call_id="c"), under="1", at=2),
            ],
            ["f"],
            id="the agent around it repeats a call",
        ),
        pytest.param(
            [
                agent("1", part("f", call_id="c"), part("g", call_id="d"), at=1, until=9),
                chat("2", part("f", call_id="c"), under="1", at=2),
            ],
            ["f", "g"],
            id="the agent around it knows of one more",
        ),
        pytest.param(
            [
                agent("1", part("f"), part("f"), at=1, until=9),
                chat("2", part("f"), under="1", at=2),
                chat("3", part("f"), under="1", at=3),
            ],
            ["f", "f"],
            id="twice the same without ids, repeated by the agent",
        ),
    ],
)
def test_which_calls_there_are(spans: Any, wanted: list[str]) -> None:
    for order in (
        (spans, spans[::-1]) if len({one["start_time"] for one in spans}) > 1 else (spans,)
    ):
        assert names(from_otel(order)) == wanted


def ask(*letters: str) -> list[dict[str, Any]]:
    return [part(letter, call_id=letter) for letter in letters]


def ran(letter: str, at: int) -> dict[str, Any]:
    return tool(f"t{letter}", letter, at=at, **{"gen_ai.tool.call.id": letter})


@pytest.mark.parametrize(
    ("spans", "wanted"),
    [
        pytest.param([chat("1", *ask("a", "b")), ran("a", 2)], "ab", id="the second has no span"),
        pytest.param([chat("1", *ask("a", "b")), ran("b", 2)], "ab", id="the first has no span"),
        pytest.param(
            [chat("1", *ask("a", "b", "c", "d")), ran("b", 2), ran("d", 3)],
            "abcd",
            id="every other has one",
        ),
        pytest.param(
            [chat("1", *ask("a", "b", "c", "d")), ran("a", 2)], "abcd", id="only the first has one"
        ),
        pytest.param(
            [chat("1", *ask("a", "b", "c")), ran("c", 2), ran("a", 3)],
            "cab",
            id="spans by start time, what has none after the one asked for before it",
        ),
        pytest.param(
            [chat("1", *ask("a", "b", "c")), ran("b", 2), ran("c", 2), ran("a", 2)],
            "abc",
            id="spans that began at the same time",
        ),
        pytest.param(
            [chat("1", *ask("a", "b")), ran("a", 2), chat("3", *ask("c", "d"), at=3), ran("d", 4)],
            "abcd",
            id="each turn by itself",
        ),
        pytest.param(
            [
                agent("0", *ask("a", "b", "c"), at=1, until=9),
                chat("1", *ask("a"), at=2, under="0"),
                ran("c", 4),
            ],
            "abc",
            id="the agent around it knows of one more in between",
        ),
        pytest.param(
            [
                agent("0", *ask("a", "b", "c"), at=1, until=9),
                chat("1", *ask("a", "c"), at=2, under="0"),
            ],
            "abc",
            id="the agent around it knows of one between two of one turn",
        ),
    ],
)
def test_calls_are_in_the_order_made(spans: Any, wanted: str) -> None:
    for dump in (spans, spans[::-1]):
        assert "".join(names(from_otel(dump))) == wanted


QUESTION = {"role": "user", "parts": [words("Go.")]}


def history(*calls: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"role": "assistant", "parts": list(calls)}]


@pytest.mark.parametrize(
    ("spans", "wanted"),
    [
        pytest.param(
            [
                chat("1", part("f", call_id="c"), given=[], at=1),
                chat("2", words("x"), given=history(part("f", call_id="c")), at=2),
            ],
            ["f"],
            id="the next input repeats a call",
        ),
        pytest.param(
            [
                chat("1", part("f"), given=[], at=1),
                chat("2", part("f"), given=history(part("f")), at=2),
                chat("3", words("x"), given=history(part("f"), part("f")), at=3),
            ],
            ["f", "f"],
            id="the same call again, without ids",
        ),
        pytest.param(
            [
                chat("1", part("f", call_id="c"), given=[], at=1),
                chat("2", part("f", call_id="c"), given=history(part("f", call_id="c")), at=2),
            ],
            ["f", "f"],
            id="one id used twice",
        ),
        pytest.param(
            [
                chat("1", part("f", call_id="c"), given=[QUESTION], at=1),
                chat("2", part("f", call_id="c"), given=[QUESTION], at=1, under="x"),
            ],
            ["f"],
            id="two spans of one request side by side",
        ),
        pytest.param(
            [
                chat("1", part("f"), part("g"), given=history(part("f"), part("f")), at=1),
                chat("2", part("f"), part("h"), given=history(part("f")), at=2),
            ],
            ["f", "g", "h"],
            id="histories whose calls no output shows",
        ),
        pytest.param(
            [chat("1", part("f", call_id="c"), at=1), chat("2", part("f", call_id="c"), at=2)],
            ["f", "f"],
            id="one id twice, and no inputs to tell",
        ),
        pytest.param(
            [chat("1", words("x"), given=history(part("f", call_id="c"), part("g", call_id="d")))],
            ["f", "g"],
            id="only a history shows any call",
        ),
        pytest.param(
            [
                chat("1", words("x"), given=history(part("f")), at=1),
                chat("2", words("x"), given=history(part("f"), part("f")), at=2),
            ],
            ["f", "f"],
            id="only histories do, one longer than the other",
        ),
        pytest.param(
            [
                tool("1", "g", at=1),
                chat("2", words("x"), given=history(part("f", call_id="c")), at=2),
            ],
            ["g"],
            id="what only a history shows is of an earlier run",
        ),
    ],
)
def test_histories_repeat_calls(spans: Any, wanted: list[str]) -> None:
    assert names(from_otel(spans)) == wanted


def sub_agents(*tasks: str, agents: bool = True) -> list[dict[str, Any]]:
    """Agents that make the same call without an id, each in a conversation of its own."""
    spans = [agent("0", at=1, until=99)]
    for at, task in enumerate(tasks):
        given = [{"role": "user", "parts": [words(task)]}]
        under = f"a{at}" if agents else "0"
        if agents:
            spans.append(agent(under, under="0", at=10 * at + 2, until=10 * at + 9))
        spans.append(chat(f"c{at}", part("f"), given=given, under=under, at=10 * at + 3))
        told = [*given, *history(part("f")), {"role": "tool", "parts": [response(f"of {task}")]}]
        spans.append(chat(f"d{at}", words("x"), given=told, under=under, at=10 * at + 6))
    return spans


@pytest.mark.parametrize(
    ("spans", "wanted"),
    [
        pytest.param(sub_agents("Ours", "Theirs"), ["of Ours", "of Theirs"], id="two agents"),
        pytest.param(sub_agents("Ours", "Ours")[:-1], 2, id="of one question"),
        pytest.param(
            sub_agents("Ours", "Theirs", agents=False),
            ["of Ours", "of Theirs"],
            id="told apart by the question alone",
        ),
        pytest.param(
            [one for one in sub_agents("Ours", "Theirs", agents=False) if one["span_id"] != "c0"],
            ["of Theirs"],
            id="what only one agent's history shows is of an earlier run",
        ),
        pytest.param(
            [
                *sub_agents("Ours", "Theirs"),
                *(tool(f"t{at}", under=f"a{at}", at=10 * at + 5) for at in range(2)),
            ],
            ["of Ours", "of Theirs"],
            id="with tool spans",
        ),
        pytest.param(
            [
                agent("0", at=1, until=99),
                *(agent(f"a{at}", part("f"), under="0", at=at, until=at + 1) for at in (2, 4)),
                chat("1", part("f"), under="a2", at=2),
            ],
            2,
            id="an agent whose model's words were not recorded",
        ),
        pytest.param(
            [
                agent("0", part("f"), part("f"), at=1, until=99),
                *(agent(f"a{at}", part("f"), under="0", at=at, until=at + 1) for at in (2, 4)),
                *(chat(f"c{at}", part("f"), under=f"a{at}", at=at) for at in (2, 4)),
            ],
            2,
            id="repeated by every agent around",
        ),
        pytest.param(
            [one for one in sub_agents("Ours", "Theirs") if one["span_id"] not in ("c0", "c1")],
            2,
            id="only histories show any",
        ),
    ],
)
def test_calls_without_ids_are_of_their_own_conversation(spans: Any, wanted: Any) -> None:
    texts: list[str] = []
    result = from_otel(spans, is_error=texts.append)
    if isinstance(wanted, int):
        assert names(result) == ["f"] * wanted
    else:
        assert names(result) == ["f"] * len(wanted)
        assert texts == wanted
        assert result["trace"]["unanswered"] == 0


def test_a_new_beginning_of_the_history_is_a_new_count() -> None:
    spans = [
        chat("1", part("f"), given=[QUESTION], at=1),
        chat("2", part("f"), given=[{"role": "user", "parts": [words("In short: ...")]}], at=2),
    ]
    assert names(from_otel(spans)) == ["f", "f"]


def test_an_input_of_what_is_new_belongs_to_the_conversation_before_it() -> None:
    spans = [
        chat("1", part("f"), given=[QUESTION], at=1),
        chat("2", words("x"), given=[{"role": "tool", "parts": [response("ok")]}], at=2),
    ]
    assert from_otel(spans)["trace"]["unanswered"] == 0


def test_tools_that_were_offered_are_no_calls() -> None:
    model = chat("1", words("Hi"))
    model["attributes"]["gen_ai.tool.definitions"] = json.dumps([{"type": "function", "name": "f"}])
    model["attributes"]["llm.tools.0.tool.json_schema"] = '{"name": "f"}'
    assert from_otel([model])["calls"] == []


def test_arguments_of_the_message_stand_in_for_those_the_span_lacks() -> None:
    for message in (
        chat("1", part("f", {"n": 1}, "c"), at=1),
        chat("1", words("x"), given=history(part("f", {"n": 1}, "c")), at=1),
    ):
        trace = [message, tool("2", args=None, at=2, **{"gen_ai.tool.call.id": "c"})]
        result = from_otel(trace)
        assert result["calls"] == [Call("f", {"n": 1})]
        assert result["trace"]["unrecorded_arguments"] == 0


def test_unrecorded_arguments_are_unknown_and_equal_nothing() -> None:
    result = from_otel([tool("1", args=None), tool("2", args=None)])
    first, second = result["calls"]
    assert first == Call("f", {"_raw": "not recorded (1)"})
    assert first != second
    assert first != Call("f")
    assert first.error is None
    assert result["trace"]["unrecorded_arguments"] == 2


# How a tool span says what it did


def attributes_of(**attributes: Any) -> dict[str, Any]:
    return {key.replace("__", "."): value for key, value in attributes.items()}


@pytest.mark.parametrize(
    ("attributes", "wanted"),
    [
        pytest.param({"gen_ai.tool.call.arguments": {"n": 1}}, {"n": 1}, id="GenAI, structured"),
        pytest.param({"gen_ai.tool.call.arguments": '"{}"'}, {}, id="GenAI, encoded twice"),
        pytest.param({"gcp.vertex.agent.tool_call_args": '{"n": 1}'}, {"n": 1}, id="ADK"),
        pytest.param({"tool_arguments": '{"n": 1}'}, {"n": 1}, id="Pydantic AI, older"),
        pytest.param({"input.value": '{"n": 1}'}, {"n": 1}, id="OpenInference"),
        pytest.param({"input.value": "{'n': 1, 'ok': None}"}, {"n": 1, "ok": None}, id="repr"),
        pytest.param({"input.value": "{'n': f(1)}"}, {"_raw": "{'n': f(1)}"}, id="no repr"),
        pytest.param({"input.value": r"{'n': '\d'}"}, {"n": r"\d"}, id="a repr with an escape"),
        pytest.param({"input.value": "{1}"}, {"_raw": "{1}"}, id="the repr of a set"),
        pytest.param({"input.value": "2 + 2"}, {"_raw": "2 + 2"}, id="a tool that takes a text"),
        pytest.param({"tool.parameters": '{"n": 1}'}, {"n": 1}, id="parameters that are arguments"),
        pytest.param(
            {"input.value": '{"n": 1}', "tool.parameters": '{"properties": {"n": {}}}'},
            {"n": 1},
            id="parameters that are the schema",
        ),
        pytest.param(
            {"input.value": "text", "tool.parameters": '{"n": 1}'},
            {"n": 1},
            id="a text beside arguments",
        ),
        pytest.param(
            {"traceloop.entity.input": '{"input_str": "x", "inputs": {"n": 1}, "kwargs": {}}'},
            {"n": 1},
            id="Traceloop, LangChain",
        ),
        pytest.param(
            {"traceloop.entity.input": '{"args": [], "kwargs": {"n": 1}}'},
            {"n": 1},
            id="Traceloop, a decorator",
        ),
        pytest.param(
            {"traceloop.entity.input": '{"args": [7], "kwargs": {"n": 1}}'},
            {"n": 1, "args": [7]},
            id="Traceloop, arguments without names",
        ),
        pytest.param({"traceloop.entity.input": '{"n": 1}'}, {"n": 1}, id="Traceloop, an object"),
        pytest.param({"traceloop.entity.input": "hi"}, {"_raw": "hi"}, id="Traceloop, a text"),
        pytest.param({"traceloop.entity.input": "[7]"}, {"_raw": "[7]"}, id="Traceloop, a list"),
    ],
)
def test_arguments_in_every_convention(attributes: Any, wanted: Any) -> None:
    marks = {"openinference.span.kind": "TOOL", "tool.name": "f"}
    result = from_otel([span("1", {**marks, **attributes})])
    assert result["calls"] == [Call("f", wanted)]
    assert result["calls"][0].error is None


@pytest.mark.parametrize(
    "attributes",
    [
        pytest.param({"gen_ai.tool.call.arguments": '{"n": 1'}, id="cut in the middle"),
        pytest.param({"traceloop.entity.input": '{"n": 1'}, id="cut by Traceloop"),
        pytest.param(
            {"input.value": '{"n": 1', "input.mime_type": "application/json"},
            id="no JSON after all",
        ),
    ],
)
def test_spoiled_arguments_are_kept_with_an_error(attributes: Any) -> None:
    marks = {"openinference.span.kind": "TOOL", "tool.name": "f"}
    result = from_otel([span("1", {**marks, **attributes})])
    assert result["calls"] == [Call("f", {"_raw": '{"n": 1'})]
    assert "not valid JSON" in str(result["calls"][0].error)
    assert result["trace"]["unparsed_arguments"] == 1


@pytest.mark.parametrize(
    ("name", "attributes", "wanted"),
    [
        pytest.param("x", {**EXECUTE, "gen_ai.tool.name": "f"}, "f", id="GenAI"),
        pytest.param("execute_tool f", EXECUTE, "f", id="GenAI, in the span's name"),
        pytest.param("tools/call f", NESTED_MCP, "f", id="MCP"),
        pytest.param("x", {**OPENINFERENCE, "tool.name": "f"}, "f", id="OpenInference"),
        pytest.param("f", OPENINFERENCE, "f", id="OpenInference, by the span's name"),
        pytest.param(
            "f.tool",
            {"traceloop.span.kind": "tool", "traceloop.entity.name": "f"},
            "f",
            id="Traceloop",
        ),
        pytest.param("running tool", {"gen_ai.tool.name": "f"}, "f", id="Pydantic AI, older"),
        *(
            pytest.param("x", {"gen_ai.tool.name": "f", key: "{}"}, "f", id=f"{key} alone")
            for key in (
                "gen_ai.tool.call.id",
                "gen_ai.tool.call.arguments",
                "gen_ai.tool.call.result",
                "tool_arguments",
            )
        ),
        pytest.param(
            "execute_tool f", {"gen_ai.tool.name": "f"}, "f", id="no operation but in the name"
        ),
        pytest.param(
            "handoff to Math Agent", OPENINFERENCE, "transfer_to_math_agent", id="OpenAI's handoff"
        ),
    ],
)
def test_tool_spans_of_every_convention(name: str, attributes: Any, wanted: str) -> None:
    assert names(from_otel([span("1", attributes, name=name)])) == [wanted]


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        pytest.param("running 2 tools", {"tools": ["f", "g"]}, id="Pydantic AI, around its tools"),
        pytest.param(
            "running output function: f",
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "f",
                "logfire.msg": "running output function: f",
            },
            id="Pydantic AI, the answer's structure",
        ),
        pytest.param(
            "execute_tool f",
            {"gen_ai.operation.name": "execute_tool", "logfire.span_type": "pending_span"},
            id="a span that has only begun",
        ),
        pytest.param("x", {"mcp.method.name": "tools/list"}, id="MCP, a list of tools"),
        pytest.param("x", {"gen_ai.operation.name": "embeddings"}, id="embeddings"),
        pytest.param("x", {"gen_ai.tool.name": "f"}, id="a span that only names a tool"),
        pytest.param(
            "x",
            {"gen_ai.tool.name": "f", "gen_ai.tool.call.id": "c", "openinference.span.kind": "LLM"},
            id="a model's span about a tool",
        ),
    ],
)
def test_what_is_no_call(name: str, attributes: Any) -> None:
    result = from_otel([chat("2", words("Hi")), span("1", attributes, name=name)])
    assert result["calls"] == []


def test_a_tool_that_was_put_off_is_an_open_call() -> None:
    put_off = tool(
        "1",
        **{"pydantic_ai.tool.deferral.name": "ApprovalRequired"},
        status={"code": "ERROR"},
        events=[{"name": "exception", "attributes": {"exception.message": "put off"}}],
    )
    result = from_otel([put_off])
    assert result["calls"][0].error is None
    assert result["trace"]["unanswered_calls"] == [0]


def test_a_tool_that_never_ended_is_an_open_call() -> None:
    running = tool("2", at=2)
    running["end_time"] = None
    assert from_otel([tool("1"), running])["trace"]["unanswered_calls"] == [1]
    answered = copy.deepcopy(running)
    answered["attributes"]["gen_ai.tool.call.result"] = "ok"
    assert from_otel([tool("1"), answered])["trace"]["unanswered"] == 0
    assert from_otel([running])["trace"]["unanswered"] == 0, "a dump without ends says nothing"


def event(name: str = "exception", **attributes: Any) -> dict[str, Any]:
    return {"name": name, "attributes": attributes_of(**attributes)}


@pytest.mark.parametrize(
    ("fields", "attributes", "error"),
    [
        pytest.param({"status": {"code": 2, "message": "late"}}, {}, "late", id="code 2"),
        pytest.param({"status": {"code": "2"}}, {}, "the tool failed without a message", id="'2'"),
        pytest.param({"status": {"code": "ERROR", "description": "late"}}, {}, "late", id="ERROR"),
        pytest.param(
            {"status": {"code": "STATUS_CODE_ERROR", "message": "late"}}, {}, "late", id="protobuf"
        ),
        pytest.param(
            {"status": {"status_code": "StatusCode.ERROR"}}, {"error.type": "E"}, "E", id="repr"
        ),
        pytest.param({"status": "ERROR"}, {"error.type": "E"}, "E", id="status as a word"),
        pytest.param(
            {"status_code": "ERROR", "status_message": "late"}, {}, "late", id="Phoenix, beside it"
        ),
        pytest.param({"statusCode": 2, "statusMessage": "late"}, {}, "late", id="camel case"),
        pytest.param({"status": "ERROR", "status_message": "late"}, {}, "late", id="half beside"),
        pytest.param({"status_code": "OK", "status_message": ""}, {}, None, id="Phoenix, OK"),
        pytest.param({"status_code": "UNSET"}, {}, None, id="Phoenix, unset"),
        pytest.param({"status": {"code": 1}}, {}, None, id="OK"),
        pytest.param({"status": {"code": 0}}, {}, None, id="unset"),
        pytest.param({"status": {}}, {}, None, id="an empty status"),
        pytest.param({}, {"error.type": "TimeoutError"}, "TimeoutError", id="error.type"),
        pytest.param(
            {}, {"error.type": "tool_error", "error.message": "late"}, "late", id="error.message"
        ),
        pytest.param({"events": [event(exception__message="late")]}, {}, "late", id="exception"),
        pytest.param({"events": [event(exception__type="E")]}, {}, "E", id="an exception's type"),
        pytest.param({"span_events": [event()]}, {}, "exception", id="a bare exception"),
        pytest.param(
            {"events": [event(exception__message="late")], "status": {"code": "OK"}},
            {},
            None,
            id="an exception that the span got over",
        ),
        pytest.param({"events": [event("retry", n=1)]}, {}, None, id="another event"),
        pytest.param({}, {"error": True, "otel.status_description": "late"}, "late", id="Jaeger"),
        pytest.param({}, {"otel.status_code": "ERROR", "error.type": "E"}, "E", id="Jaeger's tag"),
        pytest.param(
            {},
            {"gen_ai.tool.status": "error", "output.value": "no key"},
            "no key",
            id="a tool's status",
        ),
        pytest.param({}, {"gen_ai.tool.status": "success"}, None, id="a tool's success"),
        pytest.param(
            {}, {"gcp.vertex.agent.tool_response": '{"error": "late"}'}, "late", id="ADK's response"
        ),
    ],
)
def test_a_span_says_whether_its_tool_failed(fields: Any, attributes: Any, error: Any) -> None:
    failed = tool("1", **fields)
    failed["attributes"] |= attributes
    assert from_otel([failed])["calls"][0].error == error


def test_a_failed_result_gives_its_text_where_the_span_has_no_message() -> None:
    result = from_otel(
        [tool("1", **{"gen_ai.tool.call.result": "no such key"}, status={"code": 2})]
    )
    assert result["calls"][0].error == "no such key"


def test_a_handoff_s_output_is_no_error_text() -> None:
    attributes = {**OPENINFERENCE, "input.value": "desk", "output.value": "math"}
    handoff = span("1", attributes, name="handoff to math", status={"code": "ERROR"})
    asked = chat("0", part("transfer_to_math", call_id="c"), given=[QUESTION])
    told = [response('{"assistant": "math"}', "c")]
    later = chat("2", words("x"), given=[QUESTION, {"role": "tool", "parts": told}], at=2)
    for trace in ([handoff], [asked, handoff, later]):
        result = from_otel(trace)
        assert [call.error for call in result["calls"]] == [
            "the span of the handoff has the status ERROR and no message"
        ]
    handoff["status"] = {"code": "OK"}
    assert from_otel([handoff])["calls"][0].error is None


def test_a_failure_that_only_the_inner_span_shows_counts() -> None:
    inner = tool("2", args='{"n": 1}', **NESTED_MCP, under="1", **{"error.type": "tool_error"})
    outer = tool("1", args=None)
    result = from_otel([outer, inner])
    assert result["calls"] == [Call("f", {"n": 1})]
    assert result["calls"][0].error == "tool_error"


def test_langchain_s_tool_message_in_an_output_is_read() -> None:
    message = {"content": "no such key", "tool_call_id": "c", "status": "error"}
    attributes = {"openinference.span.kind": "TOOL", "tool.name": "f", "input.value": "{}"}
    trace = [
        chat("1", part("f", {"n": 1}, "c"), at=1),
        span("2", {**attributes, "output.value": json.dumps(message)}, at=2),
    ]
    result = from_otel(trace)
    assert [(call.name, call.error) for call in result["calls"]] == [("f", "no such key")]


def test_a_rule_sees_results_of_spans_and_of_messages() -> None:
    trace = [
        chat("1", part("f", call_id="a"), part("g", call_id="b"), part("h"), given=[], at=1),
        tool("2", **{"gen_ai.tool.call.id": "a", "gen_ai.tool.call.result": "Error: 1"}, at=2),
        chat(
            "3",
            words("x"),
            given=[{"role": "tool", "parts": [response("Error: 2", "b"), response("Error: 3")]}],
            at=3,
        ),
    ]
    result = from_otel(trace, is_error=lambda text: text.startswith("Error"))
    assert {call.name: call.error for call in result["calls"]} == {
        "f": "Error: 1",
        "g": "Error: 2",
        "h": "Error: 3",
    }
    assert result["trace"]["unanswered"] == 0


def test_a_rule_is_not_asked_about_results_that_were_not_recorded() -> None:
    asked: list[str] = []
    empty = {"gen_ai.tool.call.result": ""}
    from_otel([tool("1"), tool("2", **empty)], is_error=asked.append)
    assert asked == [""], "an empty result is one"


def test_a_result_of_no_call_is_counted_once() -> None:
    given = [{"role": "tool", "parts": [response("x", "nobody")]}]
    trace = [chat("1", words("x"), given=given, at=1), chat("2", words("x"), given=given, at=2)]
    assert from_otel(trace)["trace"]["unpaired_results"] == 1


def test_a_call_that_was_asked_for_and_has_no_result_is_open() -> None:
    result = from_otel([chat("1", part("f", call_id="c"))])
    assert result["trace"]["unanswered_calls"] == [0]
    assert result["status"] == "incomplete"


# The answer and the end


@pytest.mark.parametrize(
    ("spans", "answer", "status"),
    [
        pytest.param([chat("1", words("It "), words("is."))], "It is.", "final", id="in parts"),
        pytest.param(
            [
                chat("1", words("I look."), part("f", call_id="c"), at=1),
                tool("2", **{"gen_ai.tool.call.id": "c"}, at=2),
            ],
            None,
            "incomplete",
            id="words before a call are no answer",
        ),
        pytest.param(
            [chat("1", words("I look."), at=1, until=9), tool("2", under="1", at=2)],
            None,
            "incomplete",
            id="nor if the tool ran inside the model's span",
        ),
        pytest.param(
            [
                agent("1", words("All done."), at=1, until=9),
                chat("2", words("Done."), under="1", at=2),
                tool("3", under="1", at=3),
            ],
            "All done.",
            "final",
            id="an agent's words stand at its end",
        ),
        pytest.param(
            [
                tool("1", "ask", at=1, until=5),
                agent("2", words("Inner."), under="1", at=2, until=4),
                chat("3", words("Outer."), at=6),
            ],
            "Outer.",
            "final",
            id="another agent's words inside a tool",
        ),
        pytest.param(
            [chat("1", {"type": "reasoning", "content": "hm"}, words("Yes."))],
            "Yes.",
            "final",
            id="reasoning is no answer",
        ),
        pytest.param([chat("1", words("Ye"), finish="length")], "Ye", "cut off", id="cut"),
        pytest.param(
            [chat("1", words("No."), finish="content_filter")], "No.", "refused", id="filtered"
        ),
        pytest.param([chat("1", words("x"), finish="error")], "x", "failed", id="an error"),
        pytest.param(
            [chat("1", words("x"), status={"code": 2}, at=1), chat("2", words("y"), at=2)],
            "y",
            "final",
            id="a failed request that was made again",
        ),
        pytest.param(
            [
                agent("1", words("x"), at=1, until=9, status={"code": 2}),
                chat("2", words("x"), under="1", at=2),
            ],
            "x",
            "failed",
            id="a failed agent",
        ),
        pytest.param(
            [
                chat("2", words("x"), under="1", at=2),
                span("1", {"gen_ai.operation.name": "invoke_agent"}, until=9, status={"code": 2}),
            ],
            "x",
            "failed",
            id="a failed agent that says nothing itself",
        ),
        pytest.param(
            [
                {**agent("1", words("All done."), at=1), "end_time": None},
                chat("2", words("Done."), under="1", at=2),
            ],
            "All done.",
            "final",
            id="an agent's span without an end",
        ),
        pytest.param(
            [
                span("1", {"http.method": "POST"}, at=1, until=9, status={"code": 2}),
                chat("2", words("x"), under="1", at=2),
            ],
            "x",
            "failed",
            id="a failed request around the run",
        ),
        pytest.param(
            [chat("1", words("x"), at=1), tool("2", at=2, status={"code": 2})],
            None,
            "incomplete",
            id="a failed tool is no failed run",
        ),
    ],
)
def test_the_answer_and_the_status(spans: Any, answer: str | None, status: str) -> None:
    result = from_otel(spans)
    assert (result["answer"], result["status"]) == (answer, status)


@pytest.mark.parametrize(
    ("reasons", "status"),
    [
        pytest.param(["max_tokens"], "cut off", id="a list"),
        pytest.param(("stop", "length"), "cut off", id="the last counts"),
        pytest.param("length", "cut off", id="a word"),
        pytest.param('["max_tokens"]', "cut off", id="JSON"),
        pytest.param("['length']", "cut off", id="as Python shows a list"),
        pytest.param("('stop', 'length',)", "cut off", id="as Python shows a tuple"),
        pytest.param(["FinishReason.MAX_TOKENS"], "cut off", id="as Python writes an enum"),
        pytest.param(
            "[<FinishReason.MAX_TOKENS: 'MAX_TOKENS'>]", "cut off", id="as Python shows one"
        ),
        pytest.param("['stop']", "final", id="an ordinary end"),
        pytest.param("[]", "final", id="none, as text"),
        pytest.param([], "final", id="none"),
        pytest.param([7], "final", id="a number"),
    ],
)
def test_the_span_s_own_finish_reasons_count(reasons: Any, status: str) -> None:
    model = chat("1", words("Ye"))
    model["attributes"]["gen_ai.response.finish_reasons"] = reasons
    assert from_otel([model])["status"] == status


def test_tools_of_the_provider_are_hosted() -> None:
    parts = [
        words("I look."),
        {"type": "server_tool_call", "name": "web_search", "server_tool_call": {}},
        {"type": "tool_call", "name": "code_execution", "builtin": True},
        {"type": "tool_call_response", "builtin": True, "result": "x"},
        words("Nine."),
    ]
    trace = [
        agent("1", *parts, at=1, until=9),
        chat("2", *parts, under="1", at=2),
    ]
    result = from_otel(trace)
    assert result["trace"]["hosted"] == ["web_search", "code_execution"]
    assert (result["answer"], result["calls"]) == ("Nine.", [])


def test_messages_that_an_exporter_cut_are_counted() -> None:
    model = chat("1", words("x"), at=2)
    model["attributes"]["gen_ai.output.messages"] = '[{"role": "assist'
    result = from_otel([tool("2", at=1), model])
    assert result["trace"]["unread_messages"] == 1
    assert (names(result), result["answer"], result["status"]) == (["f"], None, "incomplete")


# Several traces


def two_traces() -> list[dict[str, Any]]:
    first = [tool("1", "f", at=1), chat("2", words("A."), at=4)]
    second = [tool("1", "g", at=2), tool("2", "h", at=3)]
    return first + [{**one, "trace_id": "u"} for one in second]


def test_several_traces_are_one_run_each_in_one_piece() -> None:
    result = from_otel(two_traces())
    assert names(result) == ["f", "g", "h"]
    assert result["trace"]["cases"] == ["t", "u"]


@pytest.mark.parametrize(("case", "wanted"), [("t", ["f"]), ("u", ["g", "h"]), (1, ["g", "h"])])
def test_one_trace_is_chosen(case: Any, wanted: list[str]) -> None:
    assert names(from_otel(two_traces(), case=case)) == wanted


def test_an_unknown_trace_names_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"from_otel: no case 'x' .* 't', 'u'"):
        from_otel(two_traces(), case="x")


def test_traces_without_an_agent_are_passed_over() -> None:
    other = span("9", {"http.method": "GET"})
    made = span("8", {"gen_ai.operation.name": "create_agent"})
    trace = [tool("1"), {**other, "trace_id": "u"}, {**made, "trace_id": "v"}]
    assert "cases" not in from_otel(trace)["trace"]


def test_repeats_of_one_run_keep_their_calls_apart() -> None:
    def repeat(trace: str, result: str) -> list[dict[str, Any]]:
        told = [
            *history(part("f", {"n": 1}, "c")),
            {"role": "tool", "parts": [response(result, "c")]},
        ]
        steps = [
            chat("1", part("f", {"n": 1}, "c"), given=[QUESTION], at=1),
            chat("2", words("Done."), given=[QUESTION, *told], at=2),
        ]
        return [{**step, "trace_id": trace} for step in steps]

    spans = [*repeat("t", "ok"), *repeat("u", "Error: no")]
    result = from_otel(spans, is_error=lambda text: text.startswith("Error"))
    assert [call.error for call in result["calls"]] == [None, "Error: no"]
    tools = [
        {**tool(f"x{trace}", args='{"n": 1}', at=1, until=2), "trace_id": trace} for trace in "tu"
    ]
    assert len(from_otel([*spans, *tools])["calls"]) == 2


def test_one_id_used_twice_takes_its_results_in_order() -> None:
    first = [*history(part("f", {"n": 1}, "c")), {"role": "tool", "parts": [response("ok", "c")]}]
    second = [*history(part("f", {"n": 2}, "c")), {"role": "tool", "parts": [response("no", "c")]}]
    trace = [
        chat("1", part("f", {"n": 1}, "c"), given=[QUESTION], at=1),
        chat("2", part("f", {"n": 2}, "c"), given=[QUESTION, *first], at=2),
        chat("3", words("Done."), given=[QUESTION, *first, *second], at=3),
    ]
    result = from_otel(trace, is_error=lambda text: text == "no")
    assert [call.error for call in result["calls"]] == [None, "no"]
    assert result["trace"]["unanswered"] == 0


def asks(*calls: tuple[str, int]) -> dict[str, Any]:
    """A message that asks for calls, all of one id."""
    return {"role": "assistant", "parts": [part(name, {"n": n}, "c") for name, n in calls]}


def tells(text: str, name: str | None = None) -> dict[str, Any]:
    if name is None:
        return {"role": "tool", "parts": [response(text, "c")]}
    returned = {"id": "c", "name": name, "response": {"output": text}}
    return {"role": "tool", "parts": [{"functionResponse": returned}]}


@pytest.mark.parametrize(
    ("messages", "errors", "unanswered"),
    [
        pytest.param(
            [asks(("f", 1)), tells("no"), asks(("f", 2))], ["no", None], 1, id="the first"
        ),
        pytest.param([asks(("f", 1)), asks(("f", 2)), tells("no")], [None, "no"], 1, id="the last"),
        pytest.param(
            [asks(("f", 1)), tells("ok"), asks(("f", 2)), tells("no"), asks(("f", 3))],
            [None, "no", None],
            1,
            id="in the middle",
        ),
        pytest.param(
            [asks(("f", 1)), asks(("f", 2)), tells("no"), tells("ok")],
            [None, "no"],
            0,
            id="the nearest first",
        ),
        pytest.param(
            [asks(("f", 1), ("g", 2)), tells("no", "f")],
            ['{"output": "no"}', None],
            1,
            id="the nearest of the name",
        ),
    ],
)
@pytest.mark.parametrize("by_output", [False, True], ids=["a history", "and outputs"])
def test_a_result_answers_the_nearest_open_call_of_its_id(
    messages: Any, errors: Any, unanswered: int, by_output: bool
) -> None:
    told = [QUESTION, *messages]
    spans = [chat("z", words("Done."), given=told, at=99)]
    if by_output:
        spans += [
            chat(f"{at}", *one["parts"], given=told[:at], at=at)
            for at, one in enumerate(told)
            if one["role"] == "assistant"
        ]
    result = from_otel(spans, is_error=lambda text: "no" in text)
    assert [call.error for call in result["calls"]] == errors
    assert result["trace"]["unanswered"] == unanswered


def test_steps_in_traces_of_their_own_are_one_run() -> None:
    steps = [
        chat("1", part("f", {"n": 1}, "c"), given=[], at=1),
        tool("2", args='{"n": 1}', **{"gen_ai.tool.call.id": "c"}, at=2),
        chat(
            "3",
            words("Done."),
            given=[
                *history(part("f", {"n": 1}, "c")),
                {"role": "tool", "parts": [response("x", "c")]},
            ],
            at=3,
        ),
    ]
    result = from_otel([{**step, "trace_id": f"t{at}"} for at, step in enumerate(steps)])
    assert result["calls"] == [Call("f", {"n": 1})]
    assert (result["status"], result["trace"]["unpaired_results"]) == ("final", 0)


# What is refused


@pytest.mark.parametrize(
    ("trace", "match"),
    [
        pytest.param(None, "from_otel: expected spans: OTLP JSON", id="nothing"),
        pytest.param([], "the trace is empty", id="empty"),
        pytest.param("{}", "parse it first", id="text of one line"),
        pytest.param("{}\nnot json\n", "line 1|line 2: expected a JSON object", id="no JSON lines"),
        pytest.param("", "parse it first", id="empty text"),
        pytest.param([7], r"\[0\]: expected an object, got int 7", id="7"),
        pytest.param([{"role": "user"}], r"\[0\]: expected a span, OTLP's 'resourceSpans'", id="x"),
        pytest.param(
            [tool("1"), {"role": "user", "content": "x"}],
            r"\[1\]: expected a span, OTLP's",
            id="a message among spans",
        ),
        pytest.param(
            [tool("1"), {"role": "assistant", "tool_calls": [{"id": "c"}]}],
            r"\[1\]: .* this one is of the format openai_chat: use from_openai_chat",
            id="OpenAI's message among spans",
        ),
        pytest.param(
            [tool("1"), {"id": "e", "author": "a", "content": {"parts": []}}],
            r"\[1\]: .* of the format adk: use from_adk",
            id="ADK's event among spans",
        ),
        pytest.param(
            [tool("1"), {"id": "m", "role": "assistant", "parts": [{"type": "tool-f"}]}],
            r"\[1\]: .* of the format vercel_ai",
            id="a UI message among spans",
        ),
        pytest.param(
            [{**tool("1"), "role": "assistant", "tool_calls": [{"id": "c"}]}],
            r"\[0\]: .* of the format openai_chat",
            id="a message with a span's fields",
        ),
        pytest.param(
            {"spans": [tool("1")], "messages": [{"role": "user", "content": "x"}]},
            r"from_otel: .messages\[0\]: expected a span, .* this is a message",
            id="messages beside spans",
        ),
        pytest.param(
            {"resourceSpans": [], "log": [{"type": "function_call", "call_id": "c"}]},
            r"log\[0\]: .* of the format openai_responses",
            id="items beside OTLP",
        ),
        pytest.param(
            {"resourceSpans": [{"scopeSpans": [{"spans": [{"role": "user", "content": "x"}]}]}]},
            r"spans\[0\]: expected a span or a log record, got dict",
            id="a message in OTLP",
        ),
        pytest.param(
            {"resourceSpans": [{"scopeSpans": [{"spans": [{"jsonrpc": "2.0", "id": 1}]}]}]},
            r"spans\[0\]: .* of the format mcp",
            id="a message of MCP in OTLP",
        ),
        pytest.param({"resourceSpans": 7}, "resourceSpans: expected a list", id="resources 7"),
        pytest.param(
            [span("1", {"http.method": "GET"}, name="GET")],
            r"a span of a tool, a model or an agent, got list \['GET'\]",
            id="spans of something else",
        ),
        pytest.param(
            {"resourceSpans": []},
            r"got dict {'resourceSpans': \[\]}; it holds no spans",
            id="no spans",
        ),
        pytest.param(
            {"data": [{"traceID": "t", "spans": []}]},
            "got dict .*; it holds no spans",
            id="Jaeger's",
        ),
        pytest.param("\n\n", r"got str '\\n\\n'; it holds no spans", id="blank lines"),
        pytest.param(
            [span("1", {"gen_ai.operation.name": "invoke_agent"}, name="invoke_agent")],
            r"a model or an agent says, got list \['invoke_agent'\]; .* switched off",
            id="an agent that says nothing",
        ),
        pytest.param(
            [span("1", {"gen_ai.operation.name": "embeddings"}, name="embed")],
            r"something that a model or an agent says, got list \['embed'\]",
            id="embeddings alone",
        ),
        pytest.param([tool("1", at="soon")], "startTime: expected a point in time", id="time"),
        pytest.param([tool("1", name=7)], r"gen_ai.tool.name'\]: expected text", id="name 7"),  # type: ignore[arg-type] # the point
        pytest.param(
            [tool("1", **{"gen_ai.tool.call.id": [1]})], "call id.*: expected an id", id="id list"
        ),
        pytest.param([tool("1", status=[7])], "status: expected an object", id="status list"),
        pytest.param([tool("1", events=7)], "events: expected a list", id="events 7"),
        pytest.param([{**tool("1"), "attributes": 7}], "attributes: expected a list", id="7"),
        pytest.param([chat("1", 7)], r"parts\[0\]: expected an object", id="part 7"),
        pytest.param(
            [chat("1", {"type": "tool_call"})], r"parts\[0\].name: expected text", id="no name"
        ),
        pytest.param(
            [span("1", {"gen_ai.output.messages": "{}"})], "messages'.: expected a list", id="{}"
        ),
    ],
)
def test_what_is_no_trace_is_refused(trace: Any, match: str) -> None:
    with pytest.raises(TraceFormatError, match=match):
        from_otel(trace)


def test_a_trace_that_is_nested_without_end_is_refused() -> None:
    deep: dict[str, Any] = {"data": []}
    for _ in range(3000):
        deep = {"data": [deep]}
    with pytest.raises(TraceFormatError, match="nested too deep"):
        from_otel(deep)


@pytest.mark.parametrize(
    "trace",
    [
        pytest.param({"data": [{"id": 1}]}, id="other data"),
        pytest.param([{"role": "user", "content": "x"}], id="messages"),
        pytest.param('{"resourceSpans": []}', id="text of one line"),
        pytest.param("Dear Sir,\n", id="a letter"),
        pytest.param('{\n "resourceSpans": []\n}', id="JSON text over several lines"),
        pytest.param('{"role": "user", "content": "x"}\n', id="lines of messages"),
        pytest.param({"spans": 7}, id="no spans"),
    ],
)
def test_other_formats_do_not_look_like_it(trace: Any) -> None:
    assert not looks_like(trace)
