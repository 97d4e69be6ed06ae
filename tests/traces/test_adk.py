"""Google ADK: events of a run, eval sets in their five shapes, and the references in these."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agenteval.traces import TraceFormatError, from_trace
from agenteval.traces.adk import from_adk, looks_like, references_from_adk
from agenteval.trajectory import Call

CASES = json.loads((Path(__file__).parent / "data/adk_evalset.json").read_text(encoding="utf-8"))
EVAL_SETS = [case for case in CASES["cases"] if "turns" in case["expected"]]


def event(author: str | None, *parts: Any, **fields: Any) -> dict[str, Any]:
    role = "user" if author == "user" else "model"
    return {"author": author, "content": {"role": role, "parts": list(parts)}, **fields}


def asks(name: str, call_id: str | None = None, **args: Any) -> dict[str, Any]:
    return {"function_call": {"id": call_id, "name": name, "args": args}}


def answers(name: str, response: Any, call_id: str | None = None) -> dict[str, Any]:
    return {"function_response": {"id": call_id, "name": name, "response": response}}


@pytest.mark.parametrize("case", [pytest.param(c, id=c["name"]) for c in CASES["cases"]])
def test_a_hand_made_case_comes_out_as_it_says(case: Any, hold: Callable[..., None]) -> None:
    before = copy.deepcopy(case["trace"])
    hold(from_adk(case["trace"]), case["expected"])
    assert case["trace"] == before
    assert looks_like(case["trace"])


@pytest.mark.parametrize("case", [pytest.param(c, id=c["name"]) for c in EVAL_SETS])
def test_each_conversation_of_an_eval_set_can_be_read_alone(
    case: Any, hold: Callable[..., None]
) -> None:
    wanted = case["expected"]["turns"]
    for at, conversation in enumerate(wanted):
        turns = conversation["turns"]
        expected = {
            "calls": [call for turn in turns for call in turn["calls"]],
            "final": turns[-1]["final"],
        }
        name = conversation["eval_id"]
        for choice in [at, *([] if name is None else [name])]:
            result = from_adk(case["trace"], case=choice)
            hold(result, expected)
            assert result["trace"]["cases"] == [
                position if one["eval_id"] is None else one["eval_id"]
                for position, one in enumerate(wanted)
            ]


@pytest.mark.parametrize("case", [pytest.param(c, id=c["name"]) for c in EVAL_SETS])
def test_the_references_are_the_calls_of_each_case(case: Any) -> None:
    before = copy.deepcopy(case["trace"])
    references = references_from_adk(case["trace"])
    assert case["trace"] == before
    wanted = case["expected"]["turns"]
    assert list(references) == [
        at if one["eval_id"] is None else one["eval_id"] for at, one in enumerate(wanted)
    ]
    for calls, conversation in zip(references.values(), wanted, strict=True):
        expected = [call for turn in conversation["turns"] for call in turn["calls"]]
        assert calls == [Call(call["name"], call["args"]) for call in expected]
        assert [call.error for call in calls] == [None] * len(calls)


def test_camel_case_reads_the_same() -> None:
    use = {"name": "feed", "args": {"pet": "Rex"}, "id": "c1"}
    response = {"name": "feed", "response": {"error": "none left"}, "id": "c1"}
    final = {"role": "model", "parts": [{"text": "No food."}]}
    snake = {
        "eval_cases": [
            {
                "eval_id": "a",
                "conversation": [
                    {
                        "user_content": {"parts": [{"text": "Feed."}]},
                        "intermediate_data": {"tool_uses": [use], "tool_responses": [response]},
                        "final_response": final,
                    }
                ],
            }
        ]
    }
    camel = {
        "evalCases": [
            {
                "evalId": "a",
                "conversation": [
                    {
                        "userContent": {"parts": [{"text": "Feed."}]},
                        "intermediateData": {"toolUses": [use], "toolResponses": [response]},
                        "finalResponse": final,
                    }
                ],
            }
        ]
    }
    result = from_adk(camel)
    assert result == from_adk(snake)
    assert result["calls"][0].error == "none left"
    assert references_from_adk(camel) == references_from_adk(snake)
    assert from_adk(snake["eval_cases"][0]) == result == from_adk(snake["eval_cases"])


def turn(uses: Any = (), responses: Any = None, final: str | None = "Done.") -> dict[str, Any]:
    return {
        "user_content": {"parts": [{"text": "Go."}]},
        "intermediate_data": {"tool_uses": list(uses), "tool_responses": responses},
        "final_response": final and {"parts": [{"text": final}]},
    }


def eval_set(*conversations: list[Any]) -> dict[str, Any]:
    cases = [{"eval_id": f"e{at}", "conversation": c} for at, c in enumerate(conversations)]
    return {"eval_cases": cases}


USE = {"name": "f", "args": {}}


@pytest.mark.parametrize(
    ("responses", "unanswered"),
    [
        pytest.param(None, [], id="a shape without responses says nothing about them"),
        pytest.param([], [], id="nor does an empty list"),
        pytest.param([{"name": "f", "response": {}}], [1], id="one of two has a response"),
    ],
)
def test_what_an_eval_set_knows_of_responses(responses: Any, unanswered: list[int]) -> None:
    result = from_adk(eval_set([turn([USE, USE], responses)]))
    assert result["trace"]["unanswered_calls"] == unanswered


def test_the_status_is_that_of_the_first_case_that_did_not_end_in_an_answer() -> None:
    trace = eval_set([turn()], [turn(final=None)], [turn()])
    assert from_adk(trace)["status"] == "incomplete"
    assert [from_adk(trace, case=at)["status"] for at in range(3)] == [
        "final",
        "incomplete",
        "final",
    ]


def test_results_do_not_pair_across_cases() -> None:
    late = turn([], [{"name": "f", "response": {"error": "x"}}])
    result = from_adk(eval_set([turn([USE], [{"name": "g", "response": {}}])], [late]))
    assert result["trace"]["unanswered_calls"] == [0]
    assert result["trace"]["unpaired_results"] == 2


def test_a_case_for_a_simulated_user_has_no_reference() -> None:
    scenario = {"eval_id": "s", "conversation_scenario": {"starting_prompt": "Hi"}}
    trace = eval_set([turn([USE])])
    trace["eval_cases"].append(scenario)
    assert references_from_adk(trace) == {"e0": [Call("f")]}
    assert from_adk(trace)["trace"]["cases"] == ["e0", "s"]
    with pytest.raises(TraceFormatError, match="nothing was found"):
        from_adk(trace, case="s")


def test_a_case_without_calls_expects_none() -> None:
    assert references_from_adk(eval_set([turn()], [{"user_content": {"parts": []}}])) == {
        "e0": [],
        "e1": [],
    }


def test_two_cases_of_one_id_are_no_references() -> None:
    trace = eval_set([turn()])
    with pytest.raises(TraceFormatError, match="an id that no other case has, got str 'e0'"):
        references_from_adk({"eval_cases": trace["eval_cases"] * 2})


def test_an_unknown_case_names_those_there_are() -> None:
    trace = eval_set([turn()], [turn()])
    with pytest.raises(ValueError, match=r"from_adk: no case 'x' .* 'e0', 'e1', .* 0 to 1"):
        from_adk(trace, case="x")


def test_partial_events_are_passed_over() -> None:
    events = [
        event("user", {"text": "Weigh Rex."}),
        event("vet", asks("weigh", "c1"), partial=True),
        event("vet", asks("weigh", "c1"), partial=False),
        event("vet", answers("weigh", {"result": 9}, "c1")),
        event("vet", {"text": "Rex wei"}, partial=True),
        event("vet", {"text": "Rex weighs 9."}, partial=None),
    ]
    result = from_adk({"id": "s", "events": events})
    assert [call.name for call in result["calls"]] == ["weigh"]
    assert (result["status"], result["answer"]) == ("final", "Rex weighs 9.")


@pytest.mark.parametrize("role", ["user", "model", "function", "tool", None])
@pytest.mark.parametrize("author", ["user", "vet", None])
def test_a_result_counts_under_any_role(role: str | None, author: str | None) -> None:
    response = event(author, answers("weigh", {"error": "off"}, "c1"))
    response["content"]["role"] = role
    result = from_adk([event("vet", asks("weigh", "c1")), response])
    assert result["calls"][0].error == "off"
    assert result["status"] == "incomplete"


PENDING = event("vet", answers("scan", {"status": "pending"}, "c1"))


@pytest.mark.parametrize(
    ("responses", "error"),
    [
        pytest.param([PENDING], None, id="pending"),
        pytest.param(
            [PENDING, event("user", answers("scan", {"error": "no film"}, "c1"))],
            "no film",
            id="pending, then failed",
        ),
        pytest.param(
            [PENDING, PENDING, event("user", answers("scan", {"result": "clear"}, "c1"))],
            None,
            id="pending twice, then done",
        ),
        pytest.param(
            [
                event("vet", answers("scan", {"error": "busy"}, "c1")),
                event("user", answers("scan", {"result": "clear"}, "c1")),
            ],
            None,
            id="failed, then done",
        ),
    ],
)
def test_the_last_response_of_a_long_running_tool_decides(
    responses: list[Any], error: str | None
) -> None:
    asked = event("vet", asks("scan", "c1"), asks("scan"), long_running_tool_ids=["c1"])
    waiting = event("vet", {"text": "It may take a while."})
    for between in ([], [waiting]):
        first, *later = responses
        result = from_adk([asked, first, *between, *later])
        assert [call.error for call in result["calls"]] == [error, None]
        assert result["trace"]["unpaired_results"] == 0
        assert result["trace"]["unanswered_calls"] == [1]
    done = from_adk([asked, *responses, event("vet", {"text": "Done."})])
    assert (done["status"], done["answer"]) == ("final", "Done.")


def test_is_error_is_asked_about_responses_that_an_eval_set_has() -> None:
    seen: list[str] = []
    old = {"query": "x", "expected_tool_use": [{"tool_name": "f", "tool_input": {}}]}
    for trace in (eval_set([turn([USE, USE])]), eval_set([turn([USE], [])]), [old]):
        from_adk(trace, is_error=seen.append)
    assert seen == []
    from_adk(eval_set([turn([USE], [{"name": "f", "response": {}}])]), is_error=seen.append)
    assert seen == ["{}"]


def test_each_agent_s_words_replace_the_one_before() -> None:
    events = [
        event("root", {"text": "Asking the vet."}, asks("transfer_to_agent", agent_name="vet")),
        event("root", answers("transfer_to_agent", {"result": None})),
        event("vet", {"text": "thought", "thought": True}, {"text": "Let me see."}),
        event("vet", {"text": "All "}, {"text": "well."}),
    ]
    result = from_adk(events)
    assert result["calls"] == [Call("transfer_to_agent", {"agent_name": "vet"})]
    assert result["answer"] == "All well."


@pytest.mark.parametrize(
    ("last", "status"),
    [
        pytest.param(event("a", {"text": "Hi"}), "final", id="an answer"),
        pytest.param(event("a", {"text": "H"}, finish_reason="MAX_TOKENS"), "cut off", id="cut"),
        pytest.param(event("a", error_code="SAFETY"), "refused", id="filtered"),
        pytest.param(event("a", errorCode="MALFORMED_FUNCTION_CALL"), "failed", id="a broken call"),
        pytest.param(
            {"author": "a", "error_code": "503", "invocation_id": "e"}, "failed", id="503"
        ),
        pytest.param(event("a", asks("f")), "incomplete", id="a call that runs on"),
        pytest.param(event("user", {"text": "And?"}), "incomplete", id="a question"),
        pytest.param(event(None, {"text": "Hi"}), "final", id="an answer without an author"),
    ],
)
def test_status_says_how_a_session_ends(last: Any, status: str) -> None:
    assert from_adk([event("a", {"text": "Hello"}), last])["status"] == status


def test_events_of_objects_are_read() -> None:
    class Event:
        def __init__(self, fields: dict[str, Any]) -> None:
            self.fields = fields

        def model_dump(self) -> dict[str, Any]:
            return self.fields

    events = [Event(event("vet", asks("weigh"))), Event(event("vet", answers("weigh", {})))]
    assert from_adk(events)["trace"]["unanswered"] == 0


@pytest.mark.parametrize(
    ("events", "status"),
    [
        pytest.param([event("a", {"text": "I was"}, interrupted=True)], "incomplete", id="spoken"),
        pytest.param(
            [event("a", {"text": "I was"}), {"author": "a", "invocation_id": "i"}],
            "final",
            id="an event without content",
        ),
        pytest.param(
            [event("a", {"text": "I was"}), {"author": "a", "content": None, "interrupted": True}],
            "incomplete",
            id="an event of its own",
        ),
        pytest.param(
            [event("a", {"text": "I"}, interrupted=True), event("a", {"text": "So."})],
            "final",
            id="it spoke again",
        ),
        pytest.param([event("a", {"text": "So."}, interrupted=False)], "final", id="it was not"),
    ],
)
def test_an_agent_that_was_interrupted_did_not_answer(events: list[Any], status: str) -> None:
    assert from_adk(events)["status"] == status


SAID = {"parts": [{"text": "x"}]}
REQUESTS = ["adk_request_confirmation", "adk_request_credential", "adk_request_input"]


@pytest.mark.parametrize("request_name", REQUESTS)
@pytest.mark.parametrize(
    ("after", "status", "answer"),
    [
        pytest.param([], "incomplete", None, id="nothing follows"),
        pytest.param(
            [event("vet", {"text": "Please confirm."})],
            "incomplete",
            "Please confirm.",
            id="the agent goes on",
        ),
        pytest.param(
            [event("user", answers("adk_request", {"confirmed": True}, "r"))],
            "incomplete",
            None,
            id="a response alone",
        ),
        pytest.param(
            [
                event("user", answers("adk_request", {"confirmed": True}, "r")),
                event("vet", answers("weigh", {"kg": 3}, "c")),
                event("vet", {"text": "3 kg."}),
            ],
            "final",
            "3 kg.",
            id="a response and an answer",
        ),
        pytest.param(
            [event("user", {"text": "Never mind."}), event("vet", {"text": "Well."})],
            "final",
            "Well.",
            id="the user says something else",
        ),
    ],
)
def test_what_adk_asks_the_user_is_no_call(
    request_name: str, after: list[Any], status: str, answer: str | None
) -> None:
    asked = [
        event("user", {"text": "Weigh Rex."}),
        event("vet", asks("weigh", "c")),
        event("vet", asks(request_name, "r"), long_running_tool_ids=["r"]),
        event("vet", answers("weigh", {"error": "This tool call requires confirmation."}, "c")),
    ]
    found = from_adk([*asked, *after])
    assert [call.name for call in found["calls"]] == ["weigh"]
    assert (found["status"], found["answer"]) == (status, answer)
    assert found["trace"]["unpaired_results"] == 0


@pytest.mark.parametrize("request_name", REQUESTS)
def test_a_request_of_adk_without_ids_is_answered_by_name(request_name: str) -> None:
    events = [event("vet", asks(request_name)), event("user", answers(request_name, {}))]
    found = from_adk([*events, event("vet", {"text": "Done."})])
    assert (found["status"], found["calls"]) == ("final", [])


def test_a_request_of_adk_is_no_call_of_an_eval_set() -> None:
    uses = [{"name": REQUESTS[0], "args": {}, "id": "r"}, {"name": "weigh", "args": {}, "id": "c"}]
    response = {"name": "weigh", "id": "c", "response": {}}
    for responses, status in ([], "final"), ([response], "incomplete"):
        between = {"tool_uses": uses, "tool_responses": responses}
        case = {"user_content": SAID, "intermediate_data": between, "final_response": SAID}
        found = from_adk(eval_set([case]))
        assert [call.name for call in found["calls"]] == ["weigh"]
        assert found["status"] == status
        assert [call.name for call in references_from_adk(eval_set([case]))["e0"]] == ["weigh"]


@pytest.mark.parametrize(
    ("fields", "match"),
    [
        pytest.param(
            {"intermediate_data": {"toolUse": [{"name": "pay"}]}},
            r"\[0\].intermediate_data: expected an object with 'tool_uses'",
            id="another name for the calls",
        ),
        pytest.param(
            {"intermediate_data": SAID, "user_content": {"tool_uses": [{"name": "pay"}]}},
            r"user_content: expected a content with 'parts'",
            id="question and calls exchanged",
        ),
        pytest.param(
            {"intermediate_data": {"tool_uses": [], "toolCalls": [{"name": "pay"}]}},
            "intermediate_data: .*in a field that is not read",
            id="calls under two names",
        ),
        pytest.param(
            {"user_content": {"parts": [{"function_call": {"name": "pay"}}]}},
            r"user_content.parts\[0\]: .*the shape of a tool call",
            id="a call in the question",
        ),
        pytest.param(
            {"user_content": {"parts": [], "function_call": {"name": "pay"}}},
            "user_content: .*in a field that is not read",
            id="a call beside the parts of the question",
        ),
        pytest.param(
            {"user_content": "pay"}, "user_content: expected an object, got str", id="text"
        ),
        pytest.param(
            {"final_response": {"tool_uses": [{"name": "pay"}]}},
            "final_response: expected a content with 'parts'",
            id="calls in place of the answer",
        ),
        pytest.param(
            {"INTERMEDIATE_DATA": {"tool_uses": [{"name": "pay"}]}},
            r"\[0\].INTERMEDIATE_DATA: .*the shape of a tool call",
            id="another name for what was between",
        ),
        pytest.param(
            {"expected_tool_uses": [{"name": "pay"}], "expectedToolUse": [{"tool_name": "pay"}]},
            r"conversation\[0\]: .*in a field that is not read",
            id="the calls of an old turn in another spelling",
        ),
        pytest.param(
            {"intermediate_data": {"tool_uses": [], "uses": [{"name": "pay", "args": {}}]}},
            "intermediate_data.uses: .*the shape of a tool call",
            id="a list of calls under another name",
        ),
        pytest.param(
            {"query": "q", "reference": "x", "tools": [{"tool_name": "pay", "tool_input": {}}]},
            r"conversation\[0\].tools: .*the shape of a tool call",
            id="those of an old turn",
        ),
        pytest.param(
            {"final_response": {"role": "model", "part": [{"function_call": {"name": "pay"}}]}},
            "final_response.part: .*the shape of a tool call",
            id="another name for the parts",
        ),
        pytest.param(
            {"tool_calls": [{"name": "pay"}]},
            r"conversation\[0\]: .*in a field that is not read",
            id="calls of the turn itself",
        ),
        pytest.param(
            {"intermediate_datas": {"invocation_events": [{"author": "vet"}]}},
            "expected what an agent did under the name 'intermediate_data', got",
            id="another name for what lies between",
        ),
        pytest.param(
            {"intermediateDatas": {"invocationEventss": [{"author": "vet", "content": {}}]}},
            "expected what an agent did under the name 'intermediate_data', got",
            id="another name for it and for its events",
        ),
        pytest.param(
            {"steps": [{"author": "vet", "content": {"parts": []}}]},
            "expected what an agent did under the name 'intermediate_data', got",
            id="the events alone under another name",
        ),
    ],
)
def test_calls_of_a_turn_that_stand_elsewhere_are_no_missing_calls(
    fields: dict[str, Any], match: str
) -> None:
    case = {"user_content": SAID, "final_response": SAID} | fields
    for reader in (from_adk, references_from_adk):
        with pytest.raises(TraceFormatError, match=match):
            reader(eval_set([case]))


@pytest.mark.parametrize(
    "between", [None, {}, {"intermediate_responses": []}, {"invocation_events": []}]
)
def test_a_turn_may_have_nothing_between(between: Any) -> None:
    case = {"user_content": SAID, "intermediate_data": between, "final_response": SAID}
    found = from_adk(eval_set([case]))
    assert (found["status"], found["calls"]) == ("final", [])


@pytest.mark.parametrize(
    "last",
    [
        pytest.param({"parts": [{"parts": [asks("pay")]}]}, id="a content as a part"),
        pytest.param({"parts": [], **asks("pay")}, id="a call beside the parts"),
        pytest.param(asks("pay"), id="a part in place of a content"),
    ],
)
def test_a_call_of_an_event_that_stands_elsewhere_is_refused(last: Any) -> None:
    events = [event("user", {"text": "q"}), {"author": "a", "content": last}]
    with pytest.raises(TraceFormatError):
        from_adk([*events, event("a", {"text": "Paid."})])
    with pytest.raises(TraceFormatError, match="in a field that is not read"):
        from_adk([event("a", {"text": "Paid."}, toolCalls=[{"name": "pay"}])])
    with pytest.raises(TraceFormatError, match=r"\[0\].CONTENT: .*the shape of a tool call"):
        from_adk([event("a", {"text": "Paid."}, CONTENT={"parts": [asks("pay")]})])


@pytest.mark.parametrize(
    ("trace", "match"),
    [
        pytest.param(None, "from_adk: expected an ADK session", id="nothing"),
        pytest.param("{}", "parse it first", id="text"),
        pytest.param([{"role": "user"}], "from_adk: expected an ADK session", id="no events"),
        pytest.param({"events": []}, "from_adk: expected an ADK session", id="an empty session"),
        pytest.param({"eval_cases": []}, "nothing was found", id="no cases"),
        pytest.param({"eval_cases": {}}, "eval_cases: expected a list", id="cases of another kind"),
        pytest.param(
            {"eval_cases": [{"eval_id": "a"}]},
            r"eval_cases\[0\]: expected an eval case with 'conversation'",
            id="no conversation",
        ),
        pytest.param(
            {"eval_id": "x", "conversation": [turn([])], "intermediate_data": {"tool_uses": []}},
            "case: expected an eval case with 'intermediate_data' in the turns of its conversation",
            id="what belongs in a turn",
        ),
        pytest.param(eval_set([{}]), r"conversation\[0\]: expected a turn", id="an empty turn"),
        pytest.param(
            eval_set([turn([{"name": 7}])]), r"tool_uses\[0\].name: expected text", id="name 7"
        ),
        pytest.param(
            [{"query": "x", "expected_tool_use": [{"tool_name": None}]}],
            r"expected_tool_use\[0\].tool_name: expected text, got None",
            id="an old turn's tool without a name",
        ),
        pytest.param(
            [{"query": "x", "reference": 7}], r"\[0\].reference: expected text", id="reference 7"
        ),
        pytest.param(
            [event("a", {"text": "x"}), 7], r"\[1\]: expected an object, got int 7", id="event 7"
        ),
        pytest.param(
            [event("a", {"text": "x"}), {**event("a"), "author": 7}],
            r"\[1\].author: expected text",
            id="author 7",
        ),
        pytest.param(
            [event("a", "text")], r"parts\[0\]: expected an object, got str 'text'", id="text part"
        ),
    ],
)
def test_what_is_no_adk_trace_is_refused(trace: Any, match: str) -> None:
    with pytest.raises(TraceFormatError, match=match):
        from_adk(trace)


@pytest.mark.parametrize(
    "trace",
    [
        pytest.param([event("a", {"text": "x"})], id="events"),
        pytest.param({"traceEvents": []}, id="something else"),
        pytest.param("text", id="text"),
    ],
)
def test_what_is_no_eval_set_has_no_references(trace: Any) -> None:
    with pytest.raises(TraceFormatError, match="references_from_adk: expected an ADK eval set"):
        references_from_adk(trace)


@pytest.mark.parametrize(
    "trace",
    [
        pytest.param({"events": [{"name": "x"}]}, id="other events"),
        pytest.param([{"role": "user", "parts": [{"text": "x"}]}], id="Gemini's"),
        pytest.param([{"query": "x"}], id="a query"),
        pytest.param("text", id="text"),
    ],
)
def test_other_formats_do_not_look_like_it(trace: Any) -> None:
    assert not looks_like(trace)


@pytest.mark.parametrize("key", ["evalCaseResults", "eval_case_results"])
@pytest.mark.parametrize("wrap", [dict, lambda results: [results]], ids=["one", "a list"])
def test_the_results_of_an_evaluation_are_no_session(key: str, wrap: Any) -> None:
    results = wrap({"evalSetResultId": "r", key: [{"evalId": "c", "sessionDetails": {}}]})
    for read in (from_adk, from_trace):
        with pytest.raises(TraceFormatError, match="pass the session of one, under 'sessionDetai"):
            read(results)
    with pytest.raises(TraceFormatError, match="pass the eval set that was evaluated"):
        references_from_adk(results)
