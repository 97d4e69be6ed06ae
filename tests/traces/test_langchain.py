"""LangChain and LangGraph: the styles of a dump, what is listed twice, what was invalid."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agenteval.traces import TraceFormatError
from agenteval.traces.langchain import from_langchain, looks_like
from agenteval.trajectory import Call
from langchain_messages import ai, call

CASES = json.loads((Path(__file__).parent / "data/langchain.json").read_text(encoding="utf-8"))


def tool(call_id: str | None, content: Any = "ok", **fields: Any) -> dict[str, Any]:
    return {"type": "tool", "tool_call_id": call_id, "content": content, **fields}


@pytest.mark.parametrize("case", [pytest.param(c, id=c["name"]) for c in CASES["cases"]])
def test_a_hand_made_case_comes_out_as_it_says(case: Any, hold: Callable[..., None]) -> None:
    before = copy.deepcopy(case["trace"])
    hold(from_langchain(case["trace"]), case["expected"])
    assert case["trace"] == before
    assert looks_like(case["trace"])


PROVIDER_COPY = [
    {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
]


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        pytest.param(
            ai(tool_calls=[call("f", {"a": 1})], additional_kwargs={"tool_calls": PROVIDER_COPY}),
            [Call("f", {"a": 1})],
            id="a filled list and the provider's copy of it count once",
        ),
        pytest.param(
            ai(tool_calls=[], additional_kwargs={"tool_calls": PROVIDER_COPY}),
            [Call("f", {"a": 1})],
            id="LangChain itself fills an empty list from the provider's copy",
        ),
        pytest.param(
            ai(additional_kwargs={"tool_calls": PROVIDER_COPY}),
            [Call("f", {"a": 1})],
            id="the provider's copy alone, of before there was a list",
        ),
        pytest.param(
            ai(additional_kwargs={"function_call": {"name": "f", "arguments": '{"a": 1}'}}),
            [Call("f", {"a": 1})],
            id="the older function_call",
        ),
        pytest.param(
            ai(
                [{"type": "text", "text": "So."}, {"type": "tool_use", "id": "c1", "name": "f"}],
                tool_calls=[call("f", {"a": 1})],
            ),
            [Call("f", {"a": 1})],
            id="a block that repeats a listed call",
        ),
        pytest.param(
            ai([{"type": "tool_call", "id": "c1", "name": "f", "args": {"a": 1}}], tool_calls=[]),
            [Call("f", {"a": 1})],
            id="a block that no list repeats",
        ),
        pytest.param(
            ai(
                [{"type": "tool_call", "id": "c2", "name": "f", "args": {"a": 2}}],
                tool_calls=[call("f", {"a": 1})],
            ),
            [Call("f", {"a": 2}), Call("f", {"a": 1})],
            id="a block of another id is another call",
        ),
        pytest.param(
            ai(
                [{"type": "function_call", "call_id": "c1", "id": "fc_1", "name": "f"}],
                tool_calls=[call("f", {"a": 1})],
            ),
            [Call("f", {"a": 1})],
            id="a block of the Responses API goes by its call_id",
        ),
        pytest.param(
            ai(
                [{"type": "custom_tool_call", "call_id": "c1", "name": "f", "input": "x"}],
                tool_calls=[call("f", {"__arg1": "x"})],
            ),
            [Call("f", {"__arg1": "x"})],
            id="a custom tool's block",
        ),
        pytest.param(
            ai(tool_calls=[call("f", None, None), call("f", None, None)]),
            [Call("f"), Call("f")],
            id="two calls without ids are two",
        ),
        pytest.param(
            {"role": "assistant", "content": "", "tool_calls": PROVIDER_COPY},
            [Call("f", {"a": 1})],
            id="OpenAI's style",
        ),
        pytest.param(
            {"type": "chat", "content": "", "role": "assistant", "tool_calls": [call("f")]},
            [Call("f")],
            id="a chat message that is the assistant's",
        ),
    ],
)
def test_a_call_is_found_once(message: Any, wanted: list[Call]) -> None:
    assert from_langchain([message])["calls"] == wanted


LEGACY = {"name": "", "arguments": ""}
EMPTY = {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
NULLS = {"id": None, "type": "function", "function": {"name": None, "arguments": None}}


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"additional_kwargs": {"function_call": LEGACY}}, id="function_call"),
        pytest.param(
            {"additional_kwargs": {"function_call": {"name": None, "arguments": None}}},
            id="function_call of nulls",
        ),
        pytest.param({"additional_kwargs": {"function_call": {}}}, id="an empty function_call"),
        pytest.param(
            {"additional_kwargs": {"function_call": {"name": "", "arguments": "{}"}}},
            id="function_call with empty arguments",
        ),
        pytest.param({"additional_kwargs": {"tool_calls": [EMPTY]}}, id="the provider's copy"),
        pytest.param({"additional_kwargs": {"tool_calls": [NULLS, {}]}}, id="copies of nulls"),
        pytest.param(
            {"additional_kwargs": {"tool_calls": [EMPTY], "function_call": LEGACY}}, id="both"
        ),
        pytest.param({"tool_calls": [{"name": "", "args": {}, "id": None}]}, id="the list itself"),
        pytest.param(
            {"invalid_tool_calls": [{"name": None, "args": None, "id": None, "error": None}]},
            id="an invalid call of nothing",
        ),
        pytest.param({"role": "assistant", "function_call": LEGACY}, id="OpenAI's style"),
        pytest.param(
            {"content": [{"type": "text", "text": "Yes."}, {"type": "tool_use", "name": ""}]},
            id="a block",
        ),
    ],
)
def test_a_placeholder_without_a_name_is_no_call(fields: Any) -> None:
    result = from_langchain([ai(**{"content": "Yes.", **fields})])
    assert result["calls"] == []
    assert (result["status"], result["answer"]) == ("final", "Yes.")


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param(
            {
                "tool_calls": [{"name": "", "args": {}, "id": None}],
                "additional_kwargs": {"tool_calls": PROVIDER_COPY},
            },
            id="in the list, beside the provider's copy",
        ),
        pytest.param(
            {"additional_kwargs": {"tool_calls": [EMPTY, *PROVIDER_COPY], "function_call": LEGACY}},
            id="among the copies",
        ),
        pytest.param(
            {
                "additional_kwargs": {
                    "tool_calls": [EMPTY],
                    "function_call": {"name": "f", "arguments": '{"a": 1}'},
                }
            },
            id="before the older function_call",
        ),
        pytest.param(
            {
                "type": None,
                "role": "assistant",
                "function_call": {"name": "f", "arguments": '{"a": 1}'},
            },
            id="no placeholder, in OpenAI's older style",
        ),
    ],
)
def test_a_placeholder_hides_no_call(fields: Any) -> None:
    message = {key: value for key, value in ai(**fields).items() if value is not None}
    assert from_langchain([message])["calls"] == [Call("f", {"a": 1})]


INVALID = {"type": "invalid_tool_call", "name": "f", "args": '{"a": ', "id": "c1", "error": "cut"}


@pytest.mark.parametrize(
    ("invalid", "name", "args", "error"),
    [
        pytest.param(INVALID, "f", {"_raw": '{"a": '}, "cut", id="with LangChain's reason"),
        pytest.param(
            {**INVALID, "error": None},
            "f",
            {"_raw": '{"a": '},
            "the call was invalid",
            id="without a reason",
        ),
        pytest.param({**INVALID, "args": None}, "f", {}, "cut", id="without arguments"),
        pytest.param(
            {**INVALID, "name": None},
            "invalid_tool_call",
            {"_raw": '{"a": '},
            "cut",
            id="without a name",
        ),
    ],
)
@pytest.mark.parametrize("place", ["invalid_tool_calls", "content"])
def test_an_invalid_call_is_kept_with_its_error(
    invalid: Any, name: str, args: Any, error: str, place: str
) -> None:
    result = from_langchain([ai(**{"content": "", "tool_calls": [], place: [invalid]})])
    assert result["calls"] == [Call(name, args)]
    assert result["calls"][0].error == error
    assert result["trace"]["unanswered_calls"] == [0]


def copy_of(*ids: str | None) -> dict[str, Any]:
    """The provider's own list of calls with these ids."""
    return {"tool_calls": [{"id": one, "function": {"name": None}} for one in ids]}


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        pytest.param({"additional_kwargs": copy_of("c1", "c2", "c3")}, "fgh", id="invalid first"),
        pytest.param({"additional_kwargs": copy_of("c2", "c3", "c1")}, "ghf", id="invalid last"),
        pytest.param({"additional_kwargs": copy_of("c3", None, "c2")}, "hgf", id="one is not in"),
        pytest.param({"additional_kwargs": {"tool_calls": 7}}, "ghf", id="no list"),
        pytest.param({}, "ghf", id="nothing tells"),
        pytest.param(
            {
                "content": [
                    {"type": "tool_use", "id": "c1", "name": "f", "input": {}},
                    {"type": "tool_use", "id": "c2", "name": "g", "input": {}},
                    {"type": "tool_use", "id": "c3", "name": "h", "input": {}},
                ]
            },
            "fgh",
            id="blocks of the content",
        ),
    ],
)
def test_calls_of_both_lists_are_in_the_order_made(fields: Any, wanted: str) -> None:
    valid = [call("g", {}, "c2"), call("h", {}, "c3")]
    message = ai(**{"tool_calls": valid, "invalid_tool_calls": [INVALID], **fields})
    assert "".join(from_langchain([message])["tools_used"]) == wanted


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        pytest.param({"status": "error", "content": "no such key"}, "no such key", id="error"),
        pytest.param({"status": "ERROR", "content": "no such key"}, "no such key", id="capitals"),
        pytest.param({"status": "failed", "content": "no such key"}, "no such key", id="failed"),
        pytest.param(
            {"status": "error", "content": ""}, "the tool failed without a message", id="no text"
        ),
        pytest.param({"status": "success", "content": "Error: no"}, None, id="success"),
        pytest.param({"content": "Error: no"}, None, id="no status"),
        pytest.param(
            {"status": "error", "content": [{"type": "text", "text": "no "}, "key"]},
            "no key",
            id="content in blocks",
        ),
    ],
)
def test_the_status_says_whether_a_tool_failed(fields: Any, error: str | None) -> None:
    result = from_langchain([ai(tool_calls=[call("f")]), tool("c1", **fields)])
    assert result["calls"][0].error == error


def test_a_rule_decides_where_the_status_says_nothing() -> None:
    messages = [ai(tool_calls=[call("f")]), tool("c1", "Error: no", status="success")]
    result = from_langchain(messages, is_error=lambda text: text.startswith("Error"))
    assert result["calls"][0].error == "Error: no"


def test_the_rule_is_asked_about_results_that_there_are_and_have_no_status_of_failure() -> None:
    asked: list[str] = []
    messages = [
        ai(tool_calls=[call("f"), call("g", call_id="c2"), call("h", call_id="c3")]),
        tool("c1", "fine"),
        tool("c2", "broken", status="error"),
        tool("c9", "of no call"),
    ]
    from_langchain(messages, is_error=lambda text: bool(asked.append(text)))
    assert asked == ["fine"]


def test_results_in_another_order_find_their_calls() -> None:
    calls = [call("f", {"a": 1}, "c1"), call("f", {"a": 2}, "c2")]
    messages = [ai(tool_calls=calls), tool("c2", "two", status="error"), tool("c1", "one")]
    assert [one.error for one in from_langchain(messages)["calls"]] == [None, "two"]


def test_a_function_message_answers_by_name() -> None:
    older = ai(additional_kwargs={"function_call": {"name": "f", "arguments": "{}"}})
    result = from_langchain([older, {"type": "function", "name": "f", "content": "x"}, ai("Done.")])
    assert result["trace"]["unanswered"] == 0
    assert result["status"] == "final"


def test_message_objects_are_read() -> None:
    @dataclass
    class AIMessage:
        content: str
        type: str = "ai"
        tool_calls: list[Any] = field(default_factory=list)

    class HumanMessage:
        def model_dump(self) -> dict[str, Any]:
            return {"type": "human", "content": "Hi"}

    result = from_langchain({"messages": [HumanMessage(), AIMessage("", tool_calls=[call("f")])]})
    assert result["calls"] == [Call("f")]


@pytest.mark.parametrize(
    ("trace", "match"),
    [
        pytest.param(None, "from_langchain: expected LangChain messages", id="nothing"),
        pytest.param([], "the trace is empty", id="an empty list"),
        pytest.param('[{"type": "ai"}]', "parse it first", id="text"),
        pytest.param({"answer": 1}, "no message was found", id="a state without messages"),
        pytest.param({"messages": []}, "no message was found", id="no messages"),
        pytest.param([ai("x"), 7], r"from_langchain: \[1\]: expected an object, got int 7", id="7"),
        pytest.param(
            {"messages": [{"type": "robot", "content": ""}]},
            r"from_langchain: messages\[0\]: expected a message of type ai, .* got str 'robot'",
            id="an unknown type",
        ),
        pytest.param([{**ai("x"), "type": None}], "a message of type", id="no type"),
        pytest.param(
            [{"type": "human", "content": "q"}, {"type": "ai", "datas": {"tool_calls": [{}]}}],
            r"\[1\]: expected a message with 'content'",
            id="data under another name",
        ),
        pytest.param(
            [{"lc": 1, "type": "constructor", "id": ["messages", "AIMessage"], "kwargs": {}}],
            r"\[0\].kwargs: expected a message with 'content', got dict {}",
            id="no fields",
        ),
        pytest.param(
            [{"type": "ai", "data": {"content": "x"}, "tool_calls": [{"name": "f"}]}],
            r"\[0\]: expected a message whose calls stand where the format has them",
            id="calls beside the data",
        ),
        pytest.param(
            [{"lc": 1, "id": ["AIMessage"], "kwargs": {"content": ""}, "toolCalls": [{"id": "a"}]}],
            r"\[0\]: expected a message whose calls stand where the format has them",
            id="calls beside the fields",
        ),
        pytest.param(
            [{"type": "ai", "content": "x", "datas": {"content": "", "tool_calls": [{"id": "a"}]}}],
            r"\[0\].datas: expected a message whose calls stand where the format has them",
            id="a second message inside",
        ),
        pytest.param(
            [{"role": "user", "content": 5}],
            r"\[0\].content: expected a list, got int 5",
            id="a number for a question",
        ),
        pytest.param(
            [{"type": "system", "content": [True]}],
            r"\[0\].content\[0\]: expected an object, got bool True",
            id="no text and no block",
        ),
        pytest.param(
            [ai(tool_calls=[{"name": 7, "args": {}}])],
            r"\[0\].tool_calls\[0\].name: expected text, got int 7",
            id="a number for a name",
        ),
        pytest.param([ai(tool_calls={"name": "f"})], "tool_calls: expected a list", id="no list"),
        pytest.param(
            [ai(tool_calls=["f"])], r"tool_calls\[0\]: expected an object", id="text call"
        ),
        pytest.param([ai(7)], "content: expected a list", id="a number for content"),
        pytest.param(
            [ai([{"functionCall": {"name": "f"}}])], "of the format gemini", id="a Gemini part"
        ),
        pytest.param([tool("c1", status=1)], "status: expected text", id="a number for a status"),
        pytest.param([tool([1])], "tool_call_id: expected an id", id="a list for an id"),
        pytest.param(
            [{"lc": 1, "id": None, "kwargs": {"content": ""}}], "id: expected a list", id="no class"
        ),
    ],
)
def test_what_is_no_langchain_trace_is_refused(trace: Any, match: str) -> None:
    with pytest.raises(TraceFormatError, match=match):
        from_langchain(trace)


@pytest.mark.parametrize(
    "trace",
    [
        pytest.param([{"role": "assistant", "content": "Hi", "tool_calls": []}], id="OpenAI's"),
        pytest.param([{"role": "user", "content": [{"type": "text", "text": "x"}]}], id="a user's"),
        pytest.param({"messages": [{"role": "user", "content": "Hi"}]}, id="OpenAI's in a dict"),
        pytest.param({"type": "function", "function": {"name": "f"}}, id="a tool's description"),
        pytest.param("text", id="text"),
        pytest.param([1, None, "x"], id="anything"),
    ],
)
def test_other_formats_do_not_look_like_it(trace: Any) -> None:
    assert not looks_like(trace)
