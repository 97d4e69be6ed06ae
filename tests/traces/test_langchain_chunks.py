"""Streamed LangChain messages: chunks put together by message, calls by their pieces."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from agenteval.traces import TraceFormatError
from agenteval.traces.langchain import from_langchain, looks_like
from agenteval.trajectory import Call


def chunk(content: Any, pieces: list[Any], chunk_id: str | None = "r1", **more: Any) -> Any:
    """A chunk as LangChain dumps it, its guess at the call beside the pieces of it."""
    return {
        "type": "AIMessageChunk",
        "id": chunk_id,
        "content": content,
        "tool_calls": [{"name": "half", "args": {}, "id": "c1"}] if pieces else [],
        "tool_call_chunks": pieces,
        **more,
    }


def piece(args: str | None, name: str | None = None, index: Any = 0) -> dict[str, Any]:
    return {"name": name, "args": args, "id": name and f"id-{name}", "index": index}


def tool(call_id: str, content: str = "ok") -> dict[str, Any]:
    return {"type": "tool", "tool_call_id": call_id, "content": content}


def test_chunks_are_put_together() -> None:
    chunks = [
        chunk("Look", [piece("", "f"), piece('{"b"', "g", 1)]),
        chunk("ing.", [piece('{"a": '), piece(": 2}", None, 1)]),
        chunk([{"type": "tool_use", "partial_json": "1}", "index": 0}], [piece("1}")]),
        chunk("", []),
        chunk("Done.", [], "r2"),
    ]
    result = from_langchain([*chunks[:-1], tool("id-g"), tool("id-f"), chunks[-1]])
    assert result["calls"] == [Call("f", {"a": 1}), Call("g", {"b": 2})]
    assert (result["status"], result["answer"]) == ("final", "Done.")
    assert looks_like(chunks)


def test_pieces_without_an_index_are_calls_of_their_own() -> None:
    chunks = [
        chunk("", [piece("{}", "f", None)]),
        chunk("", [piece("{}", "g", None), piece("{}", "h", None)]),
    ]
    assert [one.name for one in from_langchain(chunks)["calls"]] == ["f", "g", "h"]


def test_an_index_that_comes_again_with_another_id_is_another_call() -> None:
    chunks = [
        chunk("", [piece('{"a": ', "f")]),
        chunk("", [piece("1}")]),
        chunk("", [piece('{"b": ', "g")]),
        chunk("", [piece("2}")]),
    ]
    assert from_langchain(chunks)["calls"] == [Call("f", {"a": 1}), Call("g", {"b": 2})]


def streamed(name: str, arguments: str, chunk_id: str, rng: random.Random) -> list[Any]:
    """One call's chunks, its JSON text cut at random."""
    cuts = sorted(rng.sample(range(1, len(arguments)), 3))
    texts = [arguments[at:to] for at, to in zip([0, *cuts], [*cuts, None], strict=True)]
    first = chunk("", [piece(texts[0], name)], chunk_id)
    return [first, *(chunk("", [piece(text)], chunk_id) for text in texts[1:])]


@pytest.mark.parametrize("seed", range(20))
def test_nodes_that_stream_side_by_side_are_told_apart(seed: int) -> None:
    rng = random.Random(seed)
    wanted = [Call(f"f{at}", {"text": "x" * at, "n": at}) for at in range(4)]
    waiting = [
        streamed(call.name, json.dumps(call.args), f"r{at}", rng) for at, call in enumerate(wanted)
    ]
    first = [chunks.pop(0) for chunks in waiting]  # the order of calls is that of their beginnings
    mixed = []
    while any(waiting):
        mixed.append(rng.choice([chunks for chunks in waiting if chunks]).pop(0))
    results = [tool(f"id-{call.name}") for call in wanted]
    result = from_langchain([*first, *mixed, *results, chunk("Done.", [], "last")])
    assert result["calls"] == wanted
    assert [call.error for call in result["calls"]] == [None] * 4
    assert (result["status"], result["answer"]) == ("final", "Done.")
    assert (result["trace"]["unanswered"], result["trace"]["unpaired_results"]) == (0, 0)


def test_another_nodes_result_does_not_end_a_message() -> None:
    trace = [
        {"type": "ai", "content": "", "tool_calls": [{"name": "g", "args": {}, "id": "c0"}]},
        chunk("", [piece('{"a": ', "f")]),
        tool("c0"),
        chunk("", [piece("1}")]),
        tool("id-f"),
        chunk("Done.", [], "r2"),
    ]
    assert from_langchain(trace)["calls"] == [Call("g"), Call("f", {"a": 1})]


def test_a_message_that_was_answered_is_closed_though_its_id_comes_again() -> None:
    trace = [
        chunk("", [piece('{"a": 1}', "f")], "run--1"),
        tool("id-f"),
        chunk("", [piece('{"a": 2}', "g")], "run--1"),
        tool("id-g"),
        chunk("Do", [], "run--1"),
        chunk("ne.", [], "run--1"),
    ]
    result = from_langchain(trace)
    assert result["calls"] == [Call("f", {"a": 1}), Call("g", {"a": 2})]
    assert (result["status"], result["answer"]) == ("final", "Done.")


@pytest.mark.parametrize(
    ("chunks", "answer"),
    [
        pytest.param([chunk("A", [], None), chunk("B", [], None)], "AB", id="none has one"),
        pytest.param([chunk("A", [], "r1"), chunk("B", [], None)], "AB", id="the first has one"),
        pytest.param(
            [chunk("A", [], None, chunk_position="last"), chunk("B", [], None)],
            "B",
            id="the first was the last of its message",
        ),
        pytest.param([chunk("A", [], None), chunk("B", [], "r1")], "B", id="another begins"),
    ],
)
def test_chunks_without_an_id_go_on_with_the_one_before(chunks: Any, answer: str) -> None:
    assert from_langchain(chunks)["answer"] == answer


@pytest.mark.parametrize("count", [1, 2])
def test_a_call_that_was_cut_keeps_its_text_and_not_the_guess_at_it(count: int) -> None:
    guess = [{"name": "f", "args": {"q": "a"}, "id": "id-f"}]
    chunks = [chunk("", [piece('{"q": "a', "f")], tool_calls=guess), chunk("", [])][:count]
    result = from_langchain(chunks)
    assert result["calls"] == [Call("f", {"_raw": '{"q": "a'})]
    assert "not valid JSON" in str(result["calls"][0].error)
    assert result["trace"]["unparsed_arguments"] == 1
    assert result["status"] == "incomplete"


def test_a_piece_without_a_name_is_an_invalid_call() -> None:
    result = from_langchain([chunk("", [piece('"a"}')])])
    assert result["calls"] == [Call("invalid_tool_call", {"_raw": '"a"}'})]
    assert result["calls"][0].error


def test_a_piece_of_nothing_is_no_call() -> None:
    result = from_langchain([chunk("Yes.", [piece("")]), chunk("", [piece(None)])])
    assert (result["calls"], result["status"]) == ([], "final")


WHOLE = [{"name": "f", "args": {"a": 1}, "id": "c1"}]
DELTAS = [
    {"index": 0, "id": "c1", "function": {"name": "f", "arguments": '{"a"'}},
    {"index": 0, "function": {"arguments": ": 1}"}},
]


@pytest.mark.parametrize(
    "chunks",
    [
        pytest.param([chunk("", [], tool_calls=WHOLE), chunk("", [])], id="a whole call"),
        pytest.param(
            [chunk("", [], additional_kwargs={"tool_calls": [delta]}) for delta in DELTAS],
            id="the provider's deltas, of before there were pieces",
        ),
        pytest.param(
            [
                chunk("", [], additional_kwargs={"function_call": {"name": "f", "arguments": ""}}),
                chunk("", [], additional_kwargs={"function_call": {"arguments": '{"a"'}}),
                chunk("", [], additional_kwargs={"function_call": {"arguments": ": 1}"}}),
            ],
            id="the older function_call",
        ),
        pytest.param(
            [
                chunk("", [piece('{"a"', "f")], additional_kwargs={"tool_calls": [DELTAS[0]]}),
                chunk("", [piece(": 1}")], additional_kwargs={"tool_calls": [DELTAS[1]]}),
            ],
            id="pieces beside the deltas that they repeat",
        ),
        pytest.param(
            [chunk([{"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}], [])],
            id="a block that no list repeats",
        ),
    ],
)
def test_a_streamed_call_is_found_once(chunks: Any) -> None:
    result = from_langchain(chunks)
    assert result["calls"] == [Call("f", {"a": 1})]
    assert result["calls"][0].error is None


def test_an_invalid_call_of_a_chunk_without_pieces_is_kept() -> None:
    invalid = [{"name": "f", "args": "{", "id": "c1", "error": "cut"}]
    result = from_langchain([chunk("", [], invalid_tool_calls=invalid), chunk("", [])])
    assert result["calls"][0].error == "cut"


def test_a_refusal_in_pieces_is_one() -> None:
    chunks = [chunk("", [], additional_kwargs={"refusal": text}) for text in ("I can", "not.")]
    result = from_langchain(chunks)
    assert (result["status"], result["answer"]) == ("refused", "I cannot.")


@pytest.mark.parametrize(
    ("said", "status"),
    [
        pytest.param([{"finish_reason": "length"}, {}], "cut off", id="before the usage"),
        pytest.param([{"finish_reason": "length"}, None], "cut off", id="before nothing"),
        pytest.param(
            [{"finish_reason": "length"}, {"finish_reason": None}], "cut off", id="before a null"
        ),
        pytest.param(
            [{"finish_reason": "length"}, {"finish_reason": "stop"}], "cut off", id="before a stop"
        ),
        pytest.param([{"model_name": "m"}, {"stop_reason": "refusal"}], "refused", id="at the end"),
        pytest.param(
            [{"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, {}],
            "cut off",
            id="of the Responses API",
        ),
        pytest.param([{"finish_reason": "tool_calls"}, {}], "incomplete", id="a lost call"),
        pytest.param([{"finish_reason": "stop"}, {}], "final", id="an ordinary end"),
    ],
)
def test_the_reason_of_an_earlier_chunk_counts(said: list[Any], status: str) -> None:
    chunks = [chunk("Par", []), *(chunk("t", [], response_metadata=one) for one in said)]
    assert from_langchain(chunks)["status"] == status


def test_the_whole_message_after_its_chunks_is_the_same_one() -> None:
    whole = {"type": "ai", "id": "r1", "content": "", "tool_calls": WHOLE}
    chunks = [chunk("", [{**piece('{"a": 1}', "f"), "id": "c1"}])]
    result = from_langchain([*chunks, whole, tool("c1"), chunk("Done.", [], "r2")])
    assert result["calls"] == [Call("f", {"a": 1})]
    assert result["trace"]["unanswered"] == 0


def test_a_result_in_chunks_is_one_and_fails_if_one_does() -> None:
    part = {"type": "ToolMessageChunk", "id": "t1", "tool_call_id": "id-f"}
    trace = [
        chunk("", [piece("{}", "f")]),
        {**part, "content": "no ", "status": "error"},
        {**part, "content": "key", "status": "success"},
        chunk("It failed.", [], "r2"),
    ]
    result = from_langchain(trace)
    assert result["calls"][0].error == "no key"
    assert result["trace"]["unpaired_results"] == 0


@pytest.mark.parametrize(
    ("chunks", "match"),
    [
        pytest.param(
            [chunk("", [piece("{}", "f", {})]), chunk("", [])],
            r"\[0\].tool_call_chunks\[0\].index: expected a position",
            id="an index of another kind",
        ),
        pytest.param(
            [chunk("", []), chunk("", [{"index": 0, "args": {}}])],
            r"\[1\].tool_call_chunks\[0\].args: expected text",
            id="arguments that are no text",
        ),
        pytest.param(
            [chunk("", [], response_metadata=[1])],
            r"\[0\].response_metadata: expected an object",
            id="metadata of another kind",
        ),
        pytest.param([chunk(7, [])], r"\[0\].content: expected a list", id="a number for content"),
    ],
)
def test_a_chunk_of_the_wrong_kind_is_refused(chunks: Any, match: str) -> None:
    with pytest.raises(TraceFormatError, match=match):
        from_langchain(chunks)
