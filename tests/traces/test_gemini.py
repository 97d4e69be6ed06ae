"""Gemini: parts in both spellings, pairing without ids, conventions for errors, streams."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from agenteval.traces import TraceFormatError, from_trace
from agenteval.traces.gemini import from_gemini, looks_like, response_error
from agenteval.traces.partial_arguments import add_pieces
from agenteval.trajectory import Call

CASES = json.loads((Path(__file__).parent / "data/gemini.json").read_text(encoding="utf-8"))


def model(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def asks(name: str, args: Any = None, **fields: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": args, **fields}}


def answers(name: str | None, response: Any, **fields: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": response, **fields}}


@pytest.mark.parametrize("case", [pytest.param(c, id=c["name"]) for c in CASES["cases"]])
def test_a_hand_made_case_comes_out_as_it_says(case: Any, hold: Callable[..., None]) -> None:
    before = copy.deepcopy(case["trace"])
    hold(from_gemini(case["trace"]), case["expected"])
    assert case["trace"] == before
    assert looks_like(case["trace"])


RESPONSES = [
    pytest.param({"error": "no station"}, "no station", id="error"),
    pytest.param({"error": {"code": 5}}, '{"code": 5}', id="an error object"),
    pytest.param({"error": True, "detail": "x"}, '{"error": true, "detail": "x"}', id="true"),
    pytest.param({"error": None, "result": 3}, None, id="an error that is none"),
    pytest.param({"error": "", "output": 3}, None, id="an empty error"),
    pytest.param({"output": "low"}, None, id="output"),
    pytest.param({"result": "low"}, None, id="result"),
    pytest.param({"isError": True, "content": [{"text": "off"}]}, "off", id="isError, as MCP"),
    pytest.param({"is_error": True, "content": [{"text": "off"}]}, "off", id="is_error"),
    pytest.param({"isError": 1, "content": [{"text": "off"}]}, "off", id="a number for true"),
    pytest.param({"is_error": 0, "content": [{"text": "on"}]}, None, id="a number for false"),
    pytest.param({"isError": "x", "output": 3}, None, id="text tells nothing"),
    pytest.param({"isError": False, "content": [{"text": "on"}]}, None, id="isError false"),
    pytest.param({"isError": True}, '{"isError": true}', id="isError alone"),
    pytest.param(
        {"result": {"isError": True, "content": [{"text": "off"}]}}, "off", id="MCP in a result"
    ),
    pytest.param(
        {"output": {"is_error": True, "content": [{"text": "off"}]}}, "off", id="MCP in an output"
    ),
    pytest.param({"result": {"isError": True}}, '{"isError": true}', id="isError in a result"),
    pytest.param({"result": {"isError": False, "error": "x"}}, None, id="isError false in there"),
    pytest.param({"result": {"row": {"isError": True}}}, None, id="isError deeper is data"),
    pytest.param({}, None, id="empty"),
    pytest.param(None, None, id="nothing"),
    pytest.param("plain text", None, id="text, as no API gives it"),
]


@pytest.mark.parametrize(("response", "error"), RESPONSES)
def test_a_response_tells_of_a_failure_by_convention(response: Any, error: str | None) -> None:
    result = from_gemini([model(asks("f")), user(answers("f", response))])
    assert result["calls"][0].error == error
    assert result["trace"]["unanswered"] == 0


def test_a_rule_sees_the_one_value_of_a_response_or_all_of_it() -> None:
    seen: list[str] = []
    contents = [
        model(asks("f"), asks("g"), asks("h")),
        user(answers("f", {"result": [1]}), answers("g", {"a": 1, "b": 2}), answers("h", None)),
    ]
    from_gemini(contents, is_error=lambda text: seen.append(text))
    assert seen == ["[1]", '{"a": 1, "b": 2}', ""]


@pytest.mark.parametrize(
    ("first", "second", "errors"),
    [
        pytest.param({}, {}, [None, "b"], id="without ids, by occurrence"),
        pytest.param({"id": "1"}, {"id": "2"}, ["b", None], id="by id, the other way round"),
        pytest.param({"id": ""}, {"id": None}, [None, "b"], id="an empty id is none"),
    ],
)
def test_results_of_one_tool_are_paired(first: Any, second: Any, errors: list[Any]) -> None:
    contents = [
        model(asks("f", {"n": 1}, **first), asks("f", {"n": 2}, **second)),
        user(answers("f", {"output": "a"}, **second), answers("f", {"error": "b"}, **first)),
    ]
    assert [call.error for call in from_gemini(contents)["calls"]] == errors


def test_pairing_goes_by_name_across_tools() -> None:
    contents = [
        model(asks("f"), asks("g")),
        {"role": "function", "parts": [answers("g", {"error": "x"}), answers("f", {})]},
        model({"text": "Done."}),
    ]
    result = from_gemini(contents)
    assert [(call.name, call.error) for call in result["calls"]] == [("f", None), ("g", "x")]
    assert result["status"] == "final"


def test_a_result_without_a_call_is_counted() -> None:
    result = from_gemini([model({"text": "Hi"}), user(answers("f", {}))])
    assert result["trace"]["unpaired_results"] == 1
    assert result["status"] == "incomplete"


def test_snake_case_and_camel_case_read_the_same() -> None:
    snake = [
        {"role": "model", "parts": [{"function_call": {"name": "f", "args": {"a": 1}}}]},
        {"role": "user", "parts": [{"function_response": {"name": "f", "response": {}}}]},
        {"role": "model", "parts": [{"text": "Done.", "function_call": None}]},
    ]
    camel = [model(asks("f", {"a": 1})), user(answers("f", {})), model({"text": "Done."})]
    assert from_gemini(snake) == from_gemini(camel)


def response(*parts: Any, **candidate: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **candidate}]}


class FinishReason(str, Enum):
    STOP = "STOP"
    MAX_TOKENS = "MAX_TOKENS"


@pytest.mark.parametrize(
    ("trace", "status"),
    [
        pytest.param(response({"text": "Hi"}, finishReason="STOP"), "final", id="stop"),
        pytest.param(response({"text": "H"}, finishReason="MAX_TOKENS"), "cut off", id="tokens"),
        pytest.param(
            response({"text": "H"}, finish_reason=FinishReason.MAX_TOKENS), "cut off", id="an enum"
        ),
        pytest.param(response(finishReason="SAFETY"), "refused", id="safety"),
        pytest.param(
            {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]},
            "failed",
            id="a call that is in no part",
        ),
        pytest.param(
            response({"text": "Hi"}, finishReason="UNEXPECTED_TOOL_CALL"), "failed", id="unexpected"
        ),
        pytest.param({"promptFeedback": {"blockReason": "SAFETY"}}, "refused", id="blocked"),
        pytest.param(
            {"candidates": None, "promptFeedback": {"blockReason": "OTHER"}},
            "refused",
            id="blocked, candidates null",
        ),
        pytest.param(
            {"candidates": None, "prompt_feedback": {"block_reason": "SAFETY"}},
            "refused",
            id="blocked, snake case",
        ),
        pytest.param(
            [user({"text": "Hi"}), {"prompt_feedback": {"block_reason": "SAFETY"}}],
            "refused",
            id="blocked after contents",
        ),
        pytest.param({"candidates": [], "promptFeedback": {}}, "incomplete", id="no candidate"),
        pytest.param(response(asks("f"), finishReason="STOP"), "incomplete", id="an open call"),
        pytest.param(
            [model({"text": "Hi"}), user({"text": "And?"})], "incomplete", id="a question"
        ),
    ],
)
def test_status_says_how_the_trace_ends(trace: Any, status: str) -> None:
    assert from_gemini(trace)["status"] == status
    assert from_trace(trace) == from_gemini(trace)


def test_a_later_reply_clears_the_reason_of_an_earlier_one() -> None:
    trace = [response({"text": "H"}, finishReason="MAX_TOKENS"), response({"text": "Hello."})]
    result = from_gemini(trace)
    assert (result["status"], result["answer"]) == ("final", "Hello.")


NO_REPLY: dict[str, Any] = {"candidates": []}


@pytest.mark.parametrize(
    ("trace", "status"),
    [
        pytest.param([response({"text": "H"}), response({"text": "i"})], "incomplete", id="two"),
        pytest.param([response({"text": "H"})], "incomplete", id="one"),
        pytest.param(
            [response({"text": "H"}, finishReason=None), response({"text": "i"})],
            "incomplete",
            id="a null",
        ),
        pytest.param(
            [response({"text": "H"}), response({"text": "i"}, finishReason="STOP")],
            "final",
            id="the last has a reason",
        ),
        pytest.param(
            [response({"text": "H"}), response({"text": "i"}), response(finishReason="STOP")],
            "final",
            id="the last has nothing but a reason",
        ),
        pytest.param(
            [response({"text": "A"}, finishReason="STOP"), *[response({"text": "b"})] * 2],
            "incomplete",
            id="the second reply breaks off",
        ),
        pytest.param(
            [response({"text": "H"}), response({"text": "i"}), {"usageMetadata": {}, **NO_REPLY}],
            "incomplete",
            id="counts at the end",
        ),
        pytest.param(response({"text": "Hi"}), "final", id="a response alone, its reason left out"),
        pytest.param(
            [{"role": "user", "parts": [{"text": "q"}]}, response({"text": "Hi"})],
            "final",
            id="a response among contents",
        ),
        pytest.param(
            [
                {"role": "user", "parts": [{"text": "q"}]},
                *(response({"text": "H"}), response({"text": "i"})),
            ],
            "incomplete",
            id="chunks among contents",
        ),
        pytest.param([{"role": "model", "parts": [{"text": "Hi"}]}], "final", id="contents"),
    ],
)
def test_a_stream_that_never_says_why_it_ended_broke_off(trace: Any, status: str) -> None:
    assert from_gemini(trace)["status"] == status


def test_the_chunks_of_a_stream_are_one_reply() -> None:
    search = {"webSearchQueries": ["tide"]}
    chunks = [
        response({"text": "thinking", "thought": True}),
        response({"text": "It is "}, groundingMetadata=search),
        response({"text": "low."}),
        response({"text": ""}, finishReason="STOP", groundingMetadata=search),
    ]
    result = from_gemini([user({"text": "Tide?"}), *chunks])
    assert (result["status"], result["answer"]) == ("final", "It is low.")
    assert result["trace"]["hosted"] == ["google_search", "google_search"]


def test_a_history_and_a_last_response_are_read_together() -> None:
    contents = [user({"text": "Tide?"}), model(asks("f")), user(answers("f", {}))]
    last = response({"text": "Low."}, finishReason="STOP")
    for trace in ([*contents, last], {"contents": contents, **last}):
        result = from_gemini(trace)
        assert (result["status"], result["answer"], result["tool_calls"]) == ("final", "Low.", 1)


CHAT = [user({"text": "Tide?"}), model(asks("f")), user(answers("f", {"error": "no"}))]
LAST = model({"text": "Low."})


@pytest.mark.parametrize(
    "trace",
    [
        pytest.param({"history": CHAT, **response({"text": "Low."})}, id="beside"),
        pytest.param({"history": CHAT, "response": response({"text": "Low."})}, id="apart"),
        pytest.param({"history": [*CHAT, LAST], **response({"text": "Low."})}, id="with the reply"),
        pytest.param(
            {"contents": CHAT, "history": CHAT, **response({"text": "Low."})}, id="two copies"
        ),
        pytest.param(
            {"contents": CHAT, "history": [*CHAT, LAST], **response({"text": "Low."})},
            id="a copy with the reply",
        ),
        pytest.param([*CHAT, {"history": CHAT[:1], **response({"text": "Low."})}], id="texts"),
    ],
)
def test_the_history_of_a_chat_stands_before_a_response(trace: Any) -> None:
    result = from_gemini(trace)
    assert [made.error for made in result["calls"]] == ["no"]
    assert result["answer"] == "Low."
    assert from_trace(trace) == result


def test_a_history_that_ends_in_the_response_s_call_has_it_once() -> None:
    reply = {"candidates": [{"content": model(asks("f")), "finishReason": "STOP"}]}
    assert from_gemini({"history": [CHAT[0], model(asks("f"))], **reply})["tool_calls"] == 1
    assert from_gemini({"history": CHAT, **reply})["tool_calls"] == 2


@pytest.mark.parametrize(
    ("trace", "match"),
    [
        pytest.param(
            {"contents": CHAT[:1], "history": CHAT, **response({"text": "Low."})},
            r"history: .*put all contents in one list",
            id="more than the contents",
        ),
        pytest.param(
            [CHAT[0], {"history": CHAT, **response({"text": "Low."})}],
            r"\[1\].history: .*in one list with the response",
            id="in a list",
        ),
    ],
)
def test_a_history_whose_place_is_not_known_is_refused(trace: Any, match: str) -> None:
    with pytest.raises(TraceFormatError, match=match):
        from_gemini(trace)


@pytest.mark.parametrize("data", [None, "x", ["x"], [{"role": "user"}], {"at": 3}])
def test_a_history_of_other_data_is_passed_over(data: Any) -> None:
    assert from_gemini({"history": data, **response({"text": "Low."})})["answer"] == "Low."


QUESTION = user({"text": "Tide?"})
CALLED = [model(asks("tide", {"at": "Dover"})), user(answers("tide", {"error": "no station"}))]
AGAIN = [model(asks("tide", {"at": "Deal"})), user(answers("tide", {"result": "low"}))]
LOW = {"text": "Low."}


def automatic(*history: Any, last: Any = LOW, reason: str = "STOP") -> dict[str, Any]:
    """A response of the SDK after it called functions itself."""
    return {
        **response(last, finishReason=reason),
        "automaticFunctionCallingHistory": list(history),
    }


def snake(value: Any) -> Any:
    """The same with the names that a dump of the Python SDK has."""
    if isinstance(value, list):
        return [snake(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        re.sub("[A-Z]", lambda found: "_" + found[0].lower(), key): snake(one)
        for key, one in value.items()
    }


@pytest.mark.parametrize(
    ("trace", "calls", "status", "answer"),
    [
        pytest.param(automatic(QUESTION, *CALLED), 1, "final", "Low.", id="one call"),
        pytest.param(automatic(*CALLED, *AGAIN), 2, "final", "Low.", id="without the question"),
        pytest.param(
            automatic(QUESTION, *CALLED, *CALLED), 2, "final", "Low.", id="the same call twice"
        ),
        pytest.param(
            {"contents": [QUESTION], **automatic(QUESTION, *CALLED)},
            1,
            "final",
            "Low.",
            id="the request beside it",
        ),
        pytest.param(
            [QUESTION, *CALLED, automatic(QUESTION, *CALLED)], 1, "final", "Low.", id="all beside"
        ),
        pytest.param(
            [QUESTION, automatic(QUESTION, *CALLED, last=AGAIN[0]["parts"][0]), AGAIN[1]],
            2,
            "incomplete",
            None,
            id="a call left to the caller",
        ),
        pytest.param(
            automatic(QUESTION, *CALLED, *AGAIN, last=AGAIN[0]["parts"][0]),
            2,
            "incomplete",
            None,
            id="the limit of calls: the response is the last call",
        ),
        pytest.param(
            automatic(QUESTION, *CALLED, last={"text": "L"}, reason="MAX_TOKENS"),
            1,
            "cut off",
            "L",
            id="cut off",
        ),
        pytest.param(
            [
                response(CALLED[0]["parts"][0]),
                automatic(QUESTION, *CALLED, last={"text": "L"}, reason=""),
                automatic(QUESTION, *CALLED, last={"text": "ow."}),
            ],
            1,
            "final",
            "Low.",
            id="the chunks of a stream",
        ),
        pytest.param(
            [
                response(CALLED[0]["parts"][0]),
                automatic(QUESTION, *CALLED, *AGAIN, last=AGAIN[0]["parts"][0]),
                automatic(QUESTION, *CALLED, *AGAIN),
            ],
            2,
            "final",
            "Low.",
            id="the chunks of a stream, kept while their history grew",
        ),
        pytest.param(
            [
                automatic(QUESTION, *CALLED),
                automatic(QUESTION, *CALLED, model(LOW), QUESTION, *CALLED, last={"text": "Up."}),
            ],
            2,
            "final",
            "Up.",
            id="the turns of a chat",
        ),
        pytest.param(
            automatic(QUESTION, *CALLED) | {"candidates": None}, 1, "incomplete", None, id="none"
        ),
        pytest.param(automatic(), 0, "final", "Low.", id="an empty history"),
    ],
)
def test_calls_that_the_sdk_made_itself_are_read_from_the_history(
    trace: Any, calls: int, status: str, answer: str | None
) -> None:
    for spelled in (trace, snake(trace)):
        result = from_gemini(spelled)
        assert result["tool_calls"] == calls
        assert (result["status"], result["answer"]) == (status, answer)
        assert result["trace"]["unanswered"] == result["trace"]["unpaired_results"] == 0
        assert from_trace(spelled) == result
        if calls:
            assert result["calls"][0].error == "no station"


@pytest.mark.parametrize("contents", ["Tide?", ["Tide?"], ["Tide?", QUESTION]])
def test_the_contents_of_a_request_can_be_text(contents: Any) -> None:
    trace = {"contents": contents, **automatic(QUESTION, *CALLED)}
    result = from_gemini(trace)
    assert (result["tool_calls"], result["status"], result["answer"]) == (1, "final", "Low.")
    assert from_gemini({"contents": contents})["status"] == "incomplete"
    assert from_trace(trace) == result


def test_code_that_gemini_ran_is_hosted() -> None:
    parts = [
        {"text": "Counting."},
        {"executable_code": {"language": "PYTHON", "code": "2"}},
        {"code_execution_result": {"outcome": "OUTCOME_OK", "output": "2"}},
        {"text": "Two."},
    ]
    result = from_gemini({"contents": model(*parts)})
    assert result["trace"]["hosted"] == ["code_execution"]
    assert (result["answer"], result["calls"]) == ("Two.", [])


@pytest.mark.parametrize("spelling", ["camel", "snake"])
def test_a_tool_that_gemini_ran_is_hosted(spelling: str) -> None:
    used = {"id": "t", "toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["x"]}}
    parts = [{"toolCall": used}, {"toolResponse": {"id": "t", "response": {"results": []}}}]
    if spelling == "snake":
        used["tool_type"] = used.pop("toolType")
        parts = [{"tool_call": used}, {"tool_response": parts[1]["toolResponse"]}]
    content = {"role": "model", "parts": [*parts, {"text": "Found."}]}
    for trace in ([content], {"candidates": [{"content": content, "finishReason": "STOP"}]}):
        found = from_gemini(trace)
        assert (found["trace"]["hosted"], found["calls"]) == (["GOOGLE_SEARCH_WEB"], [])
        assert (found["status"], found["answer"]) == ("final", "Found.")
        assert found["trace"]["unpaired_results"] == 0


def test_the_agent_s_calls_inside_a_tool_call_are_not_lost() -> None:
    live = {"toolCall": {"functionCalls": [{"name": "f", "args": {}, "id": "1"}]}}
    with pytest.raises(TraceFormatError, match=r"toolCall: .*the shape of a tool call"):
        from_gemini([{"role": "model", "parts": [live]}])


def test_the_first_candidate_is_the_run() -> None:
    trace = {"candidates": [*response({"text": "A"})["candidates"], {"content": {"parts": 7}}]}
    assert from_gemini(trace)["answer"] == "A"


STREAMED = [
    {"name": "send", "id": "c1", "willContinue": True},
    {"partialArgs": [{"jsonPath": "$.to[0].city", "stringValue": "Par"}], "willContinue": True},
    {
        "partialArgs": [
            {"jsonPath": "$.to[0].city", "stringValue": "is"},
            {"jsonPath": "$.to[1]", "nullValue": "NULL_VALUE"},
            {"jsonPath": "$['a b'].n", "numberValue": 3},
            {"jsonPath": '$.deep["x"]', "boolValue": False},
        ],
        "willContinue": True,
    },
    {},
]


@pytest.mark.parametrize("end", [pytest.param(4, id="ended"), pytest.param(3, id="never ended")])
def test_streamed_arguments_are_put_together(end: int) -> None:
    chunks = [response({"functionCall": piece}) for piece in STREAMED[:end]]
    result = from_gemini([*chunks, user(answers("send", {}, id="c1"))])
    arguments = {"to": [{"city": "Paris"}, None], "a b": {"n": 3}, "deep": {"x": False}}
    assert result["calls"] == [Call("send", arguments)]
    assert result["trace"]["unanswered"] == 0


def test_two_streamed_calls_follow_each_other() -> None:
    pieces = [
        {"name": "f", "partial_args": [{"json_path": "$.a", "string_value": "x"}]},
        {"name": "g", "args": {"b": 1}, "will_continue": True},
        {"partial_args": [{"json_path": "$.c", "number_value": 2}]},
        {"name": "h", "will_continue": True},
        {"name": "i", "args": {}},
    ]
    result = from_gemini([model(*({"function_call": piece} for piece in pieces))])
    assert result["calls"] == [
        Call("f", {"a": "x"}),
        Call("g", {"b": 1, "c": 2}),
        Call("h"),
        Call("i"),
    ]


@pytest.mark.parametrize(
    ("path", "match"),
    [
        pytest.param("$", "a JSON path", id="the root"),
        pytest.param("a.b", "a JSON path", id="no root"),
        pytest.param("$.a..b", "a JSON path", id="an empty name"),
        pytest.param("$.a[-1]", "a JSON path", id="a negative index"),
        pytest.param("$[0]", "an index into a list", id="a list for the arguments"),
        pytest.param("$.list.name", "a path through objects", id="a name in a list"),
        pytest.param("$.text.name", "a path through objects", id="a name in a text"),
        pytest.param("$.list[99999]", "an index into a list", id="far beyond the end"),
        pytest.param(7, "text", id="no text"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused(path: Any, match: str) -> None:
    arguments: dict[str, Any] = {"list": [], "text": "x"}
    with pytest.raises(TraceFormatError, match=rf"here\[0\].jsonPath: expected {match}"):
        add_pieces(arguments, [{"jsonPath": path, "stringValue": "x"}], "here")


@pytest.mark.parametrize(("answer", "error"), RESPONSES[:1] + RESPONSES[5:7])
def test_the_convention_alone(answer: Any, error: str | None) -> None:
    assert response_error(answer) == error


@pytest.mark.parametrize(
    ("trace", "match"),
    [
        pytest.param(None, "from_gemini: expected Gemini contents", id="nothing"),
        pytest.param("[]", "parse it first", id="text"),
        pytest.param({}, "the trace is empty", id="empty"),
        pytest.param(
            {"usageMetadata": {}}, "'contents', 'candidates' or 'parts'", id="no contents"
        ),
        pytest.param([{"role": "user"}], r"\[0\]: expected a content with 'parts'", id="no parts"),
        pytest.param(
            [model("text")], r"parts\[0\]: expected an object, got str 'text'", id="text part"
        ),
        pytest.param(
            [model({"text": 7})], r"parts\[0\].text: expected text, got int 7", id="a number"
        ),
        pytest.param(
            [model(asks(7))], "functionCall.name: expected text", id="a number for a name"
        ),  # type: ignore[arg-type] # the point
        pytest.param([model(asks(""))], "name: expected the function's name", id="an empty name"),
        pytest.param([model({"functionCall": "f"})], "functionCall: expected an object", id="f"),
        pytest.param([model(asks("f", id=[]))], "id: expected an id", id="a list for an id"),
        pytest.param(
            [{**model(), "role": "assistant"}], "role: expected 'user', 'model'", id="role"
        ),
        pytest.param(
            automatic(7), r"automaticFunctionCallingHistory\[0\]: expected an object", id="history"
        ),
        pytest.param(
            {"contents": json.dumps([model(asks("f"))])},
            "contents: expected .* this text is the JSON of a list",
            id="contents as JSON text",
        ),
        pytest.param({"candidates": 7}, r"candidates: expected a list", id="no candidates"),
        pytest.param({"candidates": [7]}, r"candidates\[0\]: expected an object", id="7"),
        pytest.param(
            [model({"type": "tool_use", "name": "f"})], "of the format anthropic", id="a mixture"
        ),
        pytest.param(
            [model({"functionCall": {"name": "f", "willContinue": True, "args": 7}})],
            "args: expected an object",
            id="streamed arguments of another kind",
        ),
    ],
)
def test_what_is_no_gemini_trace_is_refused(trace: Any, match: str) -> None:
    with pytest.raises(TraceFormatError, match=match):
        from_gemini(trace)


@pytest.mark.parametrize(
    ("trace", "likeness"),
    [
        pytest.param([user({"text": "Hi"})], 2, id="a text part without a type"),
        pytest.param([user({"inlineData": {}})], 1, id="parts without a mark"),
        pytest.param([user({"type": "text", "text": "Hi"})], 0, id="parts with types: another's"),
        pytest.param([{"role": "user", "content": "Hi"}], 0, id="content"),
        pytest.param([{"role": "assistant", "parts": [{"text": "Hi"}]}], 0, id="another role"),
        pytest.param({"candidates": []}, 2, id="a response"),
        pytest.param([{"candidates": []}], 2, id="a chunk"),
        pytest.param(model({"text": "Hi"}), 2, id="one content"),
        pytest.param("text", 0, id="text"),
    ],
)
def test_how_much_it_looks_like_it(trace: Any, likeness: int) -> None:
    assert looks_like(trace) == likeness
