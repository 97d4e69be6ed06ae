"""How a run ends that its spans tell: whose words are the answer, and whose reason counts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agenteval.traces.otel import from_otel

Spans = list[dict[str, Any]]

CHAT = {"gen_ai.operation.name": "chat"}
AGENT = {"gen_ai.operation.name": "invoke_agent"}
LLM = {"openinference.span.kind": "LLM"}
WEB = {"http.method": "POST"}
CALL = {"type": "tool_call", "id": "c", "name": "f", "arguments": {"n": 1}}


def span(
    name: str,
    attributes: dict[str, Any],
    at: int,
    until: int,
    under: str | None = None,
    **more: Any,
) -> dict[str, Any]:
    return {
        "trace_id": "t",
        "span_id": name,
        "parent_span_id": under,
        "name": name,
        "start_time": at,
        "end_time": until,
        "attributes": attributes,
        **more,
    }


def said(*parts: Any, finish: str | None = None) -> dict[str, Any]:
    """The attribute with one message: texts, and other parts as they are."""
    told = [{"type": "text", "content": one} if isinstance(one, str) else one for one in parts]
    message = {"role": "assistant", "parts": told, "finish_reason": finish}
    return {"gen_ai.output.messages": json.dumps([message])}


def chat(at: int, *parts: Any, finish: str | None = None, under: str = "agent") -> dict[str, Any]:
    return span(f"chat {at}", {**CHAT, **said(*parts, finish=finish)}, at, at + 1, under)


def agent(*parts: Any, finish: str | None = None, **attributes: Any) -> dict[str, Any]:
    told = said(*parts, finish=finish) if parts else {}
    return span("agent", {**AGENT, **told, **attributes}, 1, 90)


def tool(at: int, name: str = "f", call_id: str = "c", under: str = "agent") -> dict[str, Any]:
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": call_id,
        "gen_ai.tool.call.arguments": '{"n": 1}',
    }
    return span(f"tool {at}", attributes, at, at + 1, under)


AROUND = [
    pytest.param(agent("Part"), id="the same words"),
    pytest.param(agent("Pa", "rt\n"), id="the same words, split and spaced otherwise"),
    pytest.param(agent("Part", finish="stop"), id="with a reason that agents always give"),
    pytest.param(agent("Part of it, parsed"), id="made of them"),
    pytest.param(agent(final_result="Part"), id="as Pydantic AI's result"),
    pytest.param(
        span("agent", {"openinference.span.kind": "AGENT", "output.value": "Part"}, 1, 90),
        id="as a value",
    ),
    pytest.param(agent(), id="an agent that says nothing"),
]


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize(
    ("finish", "status"),
    [
        ("length", "cut off"),
        ("MAX_TOKENS", "cut off"),
        ("content_filter", "refused"),
        ("error", "failed"),
        ("stop", "final"),
        (None, "final"),
    ],
)
def test_a_reason_belongs_to_the_answer_it_ended(
    around: dict[str, Any], finish: str | None, status: str
) -> None:
    result = from_otel([around, chat(2, "Part", finish=finish)])
    assert result["status"] == status
    assert result["answer"]
    web = span("web", WEB, 0, 99)
    root = {**around, "parent_span_id": "web"}
    workflow = span("flow", {"gen_ai.operation.name": "invoke_workflow", **said("Part")}, 0, 95)
    for more in (
        [web, root],
        [workflow, {**around, "parent_span_id": "flow"}],
        [around, span("embedding", {"gen_ai.operation.name": "embeddings"}, 50, 51, "agent")],
        [around, {**chat(4, "Part"), "name": "the same, as another instrumentation has it"}],
    ):
        assert from_otel([*more, chat(2, "Part", finish=finish)])["status"] == status


@pytest.mark.parametrize(
    ("spans", "answer", "status"),
    [
        pytest.param(
            [agent("All"), chat(2, "Part", finish="length"), chat(4, "All", finish="stop")],
            "All",
            "final",
            id="another turn",
        ),
        pytest.param(
            [agent("All"), chat(2, "Part", finish="length"), chat(4, "All")],
            "All",
            "final",
            id="another turn whose reason is not known",
        ),
        pytest.param(
            [agent("Part"), chat(2, "Part", finish="length"), chat(4, "Part", finish="stop")],
            "Part",
            "final",
            id="the same words again with a reason of their own",
        ),
        pytest.param(
            [agent("Else", finish="stop"), chat(2, "Part", finish="length")],
            "Else",
            "final",
            id="an agent that says something else, and why it ended",
        ),
        pytest.param(
            [agent("Else", finish="length"), chat(2, "Part", finish="stop")],
            "Else",
            "cut off",
            id="an agent's own reason",
        ),
        pytest.param(
            [agent("Else"), {**chat(2, "Part"), "status": {"code": 2}}],
            "Else",
            "final",
            id="an agent that got over a failure",
        ),
        pytest.param(
            [agent("Part"), {**chat(2, "Part"), "status": {"code": 2}}],
            "Part",
            "failed",
            id="an agent that hands on what a failed model said",
        ),
        pytest.param(
            [chat(2, "Part", finish="length", under="nobody"), agent("All")],
            "All",
            "final",
            id="an agent beside it",
        ),
        pytest.param(
            [agent("All"), chat(2, "Part", CALL, finish="length"), tool(4)],
            "All",
            "final",
            id="a tool ran after it",
        ),
        pytest.param(
            [agent("Look."), chat(2, "Look.", CALL, finish="tool_call"), tool(4)],
            None,
            "incomplete",
            id="an agent that repeats what was said before a call",
        ),
        pytest.param(
            [agent("Look."), chat(2, "Look.", CALL)],
            None,
            "incomplete",
            id="an agent that repeats what was said before a call that never ran",
        ),
    ],
)
def test_whose_words_and_whose_reason(spans: Spans, answer: str | None, status: str) -> None:
    result = from_otel(spans)
    assert (result["answer"], result["status"]) == (answer, status)


@pytest.mark.parametrize("reason", ["tool_call", "tool_calls", "tool_use", "tool-calls"])
@pytest.mark.parametrize("around", [[], [agent()], [agent("Checking.")]])
def test_calls_that_are_said_to_follow_are_missed(around: Spans, reason: str) -> None:
    assert from_otel([*around, chat(2, "Checking.", finish=reason)])["status"] == "incomplete"
    spoken = [chat(2, "Checking.", finish=reason), tool(4), chat(6, "Done.")]
    assert from_otel([agent("Done."), *spoken])["status"] == "final"


RESULT = {"type": "tool_call_response", "id": "c", "response": "ok"}


def silent(at: int, finish: str = "tool_calls", under: str = "agent") -> dict[str, Any]:
    """A model's span of a recorder that keeps no content."""
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.response.finish_reasons": [finish]}
    return span(f"silent {at}", attributes, at=at, until=at + 1, under=under)


@pytest.mark.parametrize(
    ("spans", "missing"),
    [
        pytest.param([silent(2), chat(4, "Done.")], 1, id="before an answer"),
        pytest.param([chat(2, "So.", finish="tool_use"), chat(4, "Done.")], 1, id="with words"),
        pytest.param([silent(2), silent(4), chat(6, "Done.")], 2, id="twice"),
        pytest.param([agent("Done."), silent(2)], 1, id="before an agent's answer"),
        pytest.param([silent(2), tool(3), silent(4), chat(6, "Done.")], 1, id="once of two"),
        pytest.param([silent(2), tool(3), chat(6, "Done.")], 0, id="a tool's span"),
        pytest.param([silent(2, "stop"), chat(6, "Done.")], 0, id="another reason"),
        pytest.param([chat(2, CALL, finish="tool_calls"), chat(4, "Done.")], 0, id="a message"),
        pytest.param(
            [chat(2, CALL, finish="tool_calls"), silent(3, under="chat 2"), chat(4, "Done.")],
            0,
            id="inside of one that shows it",
        ),
        pytest.param([agent(CALL, RESULT, "Done."), silent(2)], 0, id="the agent shows it"),
        pytest.param(
            [silent(2), silent(3, under="silent 2"), tool(4), chat(6, "Done.")],
            0,
            id="a span of a second recorder inside",
        ),
        pytest.param(
            [silent(2, under="a"), silent(3, under="b"), tool(4, under="a"), tool(5, under="b")]
            + [span(one, {"gen_ai.operation.name": "invoke_agent"}, at=1, until=8) for one in "ab"]
            + [chat(9, "Done.")],
            0,
            id="two agents at once",
        ),
    ],
)
def test_calls_of_which_nothing_was_recorded_leave_a_sign(spans: Spans, missing: int) -> None:
    result = from_otel(spans)
    assert result["answer"] == "Done."
    assert result["status"] == ("incomplete" if missing else "final")
    assert result["trace"]["unrecorded_calls"] == missing


def test_steps_in_traces_of_their_own_show_the_calls_of_each_other() -> None:
    spans = [silent(2, under=""), tool(3, under=""), chat(6, "Done.", under="")]
    result = from_otel([{**one, "trace_id": f"t{at}"} for at, one in enumerate(spans)])
    assert (result["status"], result["trace"]["unrecorded_calls"]) == ("final", 0)


@pytest.mark.parametrize(
    ("attributes", "status"),
    [
        pytest.param({"gen_ai.response.finish_reasons": ["stop", "length"]}, "cut off", id="list"),
        pytest.param({"gen_ai.response.finish_reasons": '["length"]'}, "cut off", id="JSON"),
        pytest.param({"gen_ai.response.finish_reasons": "length"}, "cut off", id="text"),
        pytest.param(
            {"gen_ai.response.finish_reasons": "[length"}, "cut off", id="a list that was cut"
        ),
        pytest.param({"gen_ai.response.finish_reasons": []}, "final", id="an empty list"),
        pytest.param({"llm.response.finish_reason": "length"}, "cut off", id="Traceloop"),
        pytest.param({"llm.response.stop_reason": "max_tokens"}, "cut off", id="its other"),
        pytest.param({"llm.finish_reason": "length"}, "cut off", id="OpenInference"),
        pytest.param(
            {"llm.output_messages.0.message.finish_reason": "length"}, "cut off", id="a message's"
        ),
        *(
            pytest.param({"output.value": json.dumps(response)}, status, id=name)
            for name, response, status in (
                ("OpenAI's response", {"choices": [{"finish_reason": "length"}]}, "cut off"),
                ("Anthropic's response", {"stop_reason": "max_tokens"}, "cut off"),
                ("Anthropic's end", {"stop_reason": "end_turn"}, "final"),
                ("Bedrock's response", {"stopReason": "guardrail_intervened"}, "refused"),
                ("Gemini's response", {"candidates": [{"finishReason": "SAFETY"}]}, "refused"),
                (
                    "OpenAI's newer response",
                    {"incomplete_details": {"reason": "max_output_tokens"}},
                    "cut off",
                ),
                ("one that is whole", {"incomplete_details": None}, "final"),
                (
                    "LangChain's response",
                    {"generations": [[{"generation_info": {"finish_reason": "length"}}]]},
                    "cut off",
                ),
                ("a list", ["length"], "final"),
                (
                    "other kinds inside",
                    {"choices": [7], "candidates": {}, "generations": [[]]},
                    "final",
                ),
            )
        ),
        pytest.param({"output.value": '{"choices": ['}, "final", id="a response that was cut"),
    ],
)
def test_where_a_model_s_span_says_why_it_ended(attributes: dict[str, Any], status: str) -> None:
    words = {"llm.output_messages.0.message.content": "Part"}
    assert from_otel([span("model", {**LLM, **words, **attributes}, 1, 2)])["status"] == status


# Spans that have nothing to do with agents


@pytest.mark.parametrize(
    "inner",
    [
        pytest.param({"openinference.span.kind": "AGENT", "output.value": "Done."}, id="a value"),
        pytest.param({**AGENT, "final_result": "Done."}, id="Pydantic AI"),
        pytest.param({"agent_name": "a", "final_result": "Done."}, id="Pydantic AI, older"),
        pytest.param({**AGENT, **said("Done.")}, id="messages"),
    ],
)
@pytest.mark.parametrize("depth", [0, 1, 3])
@pytest.mark.parametrize("end", [90, None], ids=["ended", "running"])
def test_an_agent_under_other_spans_gives_its_answer(
    inner: dict[str, Any], depth: int, end: Any
) -> None:
    above = [span(f"web {at}", WEB, 0, 99, f"web {at - 1}" if at else None) for at in range(depth)]
    own = span("agent", inner, 1, end, f"web {depth - 1}" if depth else None)
    result = from_otel([*above, own, tool(2), span("query", {"db.system": "x"}, 3, 95, "agent")])
    assert (result["answer"], result["status"]) == ("Done.", "final")


def test_a_step_s_value_under_a_workflow_is_no_answer_of_its() -> None:
    step = {"openinference.span.kind": "CHAIN", "output.value": "routing"}
    for above in ({**AGENT, **said("Done.")}, {**AGENT}):
        spans = [span("agent", above, 1, 90), span("web", WEB, 2, 9, "agent")]
        result = from_otel([*spans, span("step", step, 3, 4, "web"), chat(5, "Done.")])
        assert result["answer"] == "Done."


# Tools that are answers


def asks(*calls: dict[str, Any]) -> dict[str, Any]:
    return chat(2, *calls, finish="tool_call")


OUTPUT = {"type": "tool_call", "id": "o", "name": "final_result", "arguments": '{"city": "Rome"}'}
OFFERED = {"function_tools": [{"name": "f"}], "output_tools": [{"name": "Place"}]}
PLACE = {**OUTPUT, "name": "Place"}
ROME = '{"city": "Rome"}'


def offering(model: dict[str, Any], offered: Any) -> dict[str, Any]:
    return {**model, "attributes": {**model["attributes"], "model_request_parameters": offered}}


def output_function(name: str, **attributes: Any) -> dict[str, Any]:
    told = {"gen_ai.tool.name": name, "logfire.msg": f"running output function: {name}"}
    return span("output", {**told, "gen_ai.tool.call.id": "o", **attributes}, 4, 5, "agent")


@pytest.mark.parametrize(
    ("spans", "answer"),
    [
        pytest.param([agent(final_result=ROME), asks(OUTPUT)], ROME, id="its usual name"),
        pytest.param(
            [agent(final_result=ROME), asks({**OUTPUT, "name": "final_result_Place"})],
            ROME,
            id="its usual name with a type's",
        ),
        pytest.param([agent(), offering(asks(PLACE), OFFERED)], ROME, id="as offered"),
        pytest.param(
            [agent(), offering(asks(PLACE), json.dumps(OFFERED))], ROME, id="as offered, in JSON"
        ),
        pytest.param(
            [
                agent(),
                asks(PLACE),
                output_function("Place", **{"gen_ai.operation.name": "execute_tool"}),
            ],
            ROME,
            id="an output function",
        ),
        pytest.param(
            [agent(), asks(PLACE), output_function("Place", tool_arguments=ROME)],
            ROME,
            id="an output function, older",
        ),
        pytest.param(
            [agent(final_result="Rome!"), asks(PLACE), output_function("Place")],
            "Rome!",
            id="what an output function made",
        ),
        pytest.param(
            [
                agent(
                    **{
                        "final_result": ROME,
                        "pydantic_ai.all_messages": json.dumps(
                            [
                                {"role": "user", "parts": []},
                                {"role": "assistant", "parts": [OUTPUT]},
                                {
                                    "role": "user",
                                    "parts": [
                                        {
                                            "type": "tool_call_response",
                                            "id": "o",
                                            "result": "Final result processed.",
                                        }
                                    ],
                                },
                            ]
                        ),
                    }
                )
            ],
            ROME,
            id="in all messages",
        ),
    ],
)
def test_a_call_of_an_output_tool_is_the_answer(spans: Spans, answer: str) -> None:
    result = from_otel(spans)
    assert result["calls"] == []
    assert (result["answer"], result["status"]) == (answer, "final")
    assert result["trace"]["unpaired_results"] == result["trace"]["unanswered"] == 0


def test_other_calls_beside_an_output_tool_s_are_calls() -> None:
    result = from_otel([agent(final_result=ROME), asks(CALL, OUTPUT), tool(4)])
    assert [call.name for call in result["calls"]] == ["f"]
    assert (result["answer"], result["status"]) == (ROME, "final")


def test_a_tool_of_that_name_elsewhere_is_a_tool() -> None:
    result = from_otel([agent(), asks(OUTPUT)])
    assert [call.name for call in result["calls"]] == ["final_result"]
    for spoiled in ("{", "7", '{"output_tools": 7}', '{"output_tools": [7, {"name": 7}]}', None):
        assert len(from_otel([agent(), offering(asks(PLACE), spoiled)])["calls"]) == 1


def test_a_run_that_ends_in_calls_for_somebody_else_has_no_answer() -> None:
    messages = [{"role": "assistant", "parts": [CALL]}]
    whole = {"final_result": '{"approvals": []}', "pydantic_ai.all_messages": json.dumps(messages)}
    result = from_otel([agent(**whole)])
    assert (result["answer"], result["status"]) == (None, "incomplete")
    assert result["trace"]["unanswered_calls"] == [0]


def asked(at: int, until: int | None = None, under: str | None = None, **more: Any) -> Any:
    """A model's span with what it was given and no reply."""
    question = [{"role": "user", "parts": [{"type": "text", "content": "And now?"}]}]
    attributes = {**CHAT, "gen_ai.input.messages": json.dumps(question)}
    return span(f"asked {at}", attributes, at, at + 1 if until is None else until, under, **more)


def unended(one: dict[str, Any]) -> dict[str, Any]:
    return {**one, "end_time": None}


FIRST = chat(2, "First.")
BARE = span("bare", CHAT, 6, 7)
OTHER = {"scope": {"name": "another recorder"}}


@pytest.mark.parametrize(
    ("spans", "status", "answer"),
    [
        pytest.param([FIRST, asked(6)], "incomplete", "First.", id="asked again"),
        pytest.param([FIRST, unended(asked(6))], "incomplete", "First.", id="it still runs"),
        pytest.param([FIRST, unended(BARE)], "incomplete", "First.", id="runs, nothing recorded"),
        pytest.param([agent(), FIRST, asked(6, under="agent")], "incomplete", "First.", id="agent"),
        pytest.param([FIRST, asked(6), chat(8, "Last.")], "final", "Last.", id="it was retried"),
        pytest.param(
            [agent("Last."), FIRST, asked(6, under="agent")], "final", "Last.", id="agent's word"
        ),
        pytest.param([FIRST, BARE], "final", "First.", id="nothing recorded of the last"),
        pytest.param([FIRST, asked(6, **OTHER)], "final", "First.", id="inputs are all it records"),
        pytest.param(
            [unended(one) for one in (FIRST, BARE)], "final", "First.", id="a dump without ends"
        ),
        pytest.param(
            [chat(2, "First."), asked(3, under="chat 2")], "final", "First.", id="a second record"
        ),
        pytest.param(
            [tool(1, under=""), asked(3, under="tool 1"), chat(6, "Last.")],
            "final",
            "Last.",
            id="inside a tool",
        ),
        pytest.param([asked(2), asked(4)], "incomplete", None, id="no reply is recorded"),
    ],
)
def test_a_model_without_a_reply_leaves_the_run_open(
    spans: Spans, status: str, answer: str | None
) -> None:
    result = from_otel(spans)
    assert (result["status"], result["answer"]) == (status, answer)
