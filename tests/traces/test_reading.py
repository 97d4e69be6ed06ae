"""Values taken out of foreign records, objects of frameworks among them, and the error."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from agenteval import traces
from agenteval.traces import TraceFormatError, from_anthropic, from_openai_chat, reading


class Model:
    """What a pydantic model of an SDK offers."""

    def __init__(self, **fields: Any) -> None:
        self._fields = fields

    def model_dump(self) -> dict[str, Any]:
        return dict(self._fields)


@dataclass
class Item:
    type: str
    raw_item: Any


class Odd:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


def test_an_error_carries_its_data_and_survives_pickling_and_copying() -> None:
    error = TraceFormatError("from_mcp: [2].method", "text", 7, "look again")
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(twin) is TraceFormatError
        assert twin.args == error.args == (error.where, error.wanted, error.got, error.hint)
        assert str(twin) == "from_mcp: [2].method: expected text, got int 7; look again"
        assert (twin.where, twin.wanted, twin.got, twin.hint) == (
            "from_mcp: [2].method",
            "text",
            "int 7",
            "look again",
        )
    assert isinstance(error, ValueError)


def test_an_error_can_be_pickled_whatever_arrived() -> None:
    error = pickle.loads(pickle.dumps(TraceFormatError("f", "a list", lambda: None)))
    assert "function" in error.got


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        pytest.param(None, "got None", id="nothing"),
        pytest.param("x" * 100, "got str '" + "x" * 56 + "...", id="cut"),
        pytest.param(Odd(), "got Odd <Odd whose repr fails>", id="no repr"),
    ],
)
def test_an_error_shows_what_arrived_cut(value: object, shown: str) -> None:
    assert str(TraceFormatError("f", "a list", value)) == f"f: expected a list, {shown}"


@pytest.mark.parametrize(
    ("accessor", "value", "wanted"),
    [
        pytest.param(reading.mapping, [], "an object", id="mapping of a list"),
        pytest.param(reading.mapping, None, "an object", id="mapping of nothing"),
        pytest.param(reading.optional_mapping, "x", "an object", id="optional mapping of text"),
        pytest.param(reading.sequence, "x", "a list", id="sequence of text"),
        pytest.param(reading.sequence, {}, "a list", id="sequence of a mapping"),
        pytest.param(reading.sequence, None, "a list", id="sequence of nothing"),
        pytest.param(reading.optional_sequence, 3, "a list", id="optional sequence of a number"),
        pytest.param(reading.text, None, "text", id="text of nothing"),
        pytest.param(reading.text, b"x", "text", id="text of bytes"),
        pytest.param(reading.optional_text, [], "text", id="optional text of a list"),
        pytest.param(reading.identifier, [], "an id", id="id of a list"),
        pytest.param(reading.identifier, 1.5, "an id", id="id of a fraction"),
        pytest.param(reading.parts_text, {}, "a list", id="parts of a mapping"),
        pytest.param(reading.parts_text, [3], "an object", id="a part that is a number"),
        pytest.param(reading.parts_text, [{"text": 3}], "text", id="a part's text is a number"),
    ],
)
def test_a_value_of_the_wrong_kind_is_named_with_its_place(
    accessor: Callable[..., object], value: object, wanted: str
) -> None:
    with pytest.raises(TraceFormatError, match=rf"^from_x: \[3\].*: expected {wanted}.*, got"):
        accessor(value, "from_x: [3]")


def test_what_may_be_missing() -> None:
    assert reading.optional_mapping(None, "") is None
    assert reading.optional_sequence(None, "") == ()
    assert reading.optional_text(None, "") is None
    assert reading.identifier(None, "") is reading.identifier("", "") is None
    assert reading.parts_text(None, "") == ""


def test_the_text_of_parts() -> None:
    parts = [{"text": "a"}, "b", {"type": "image"}, {"text": None}, Model(text="c")]
    assert reading.parts_text(parts, "") == "abc"
    assert reading.parts_text("abc", "") == "abc"
    assert reading.parts_text([{"content": "d"}], "", key="content") == "d"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param("as it is", "as it is", id="text"),
        pytest.param(None, "", id="nothing"),
        pytest.param({"städte": [1, True]}, '{"städte": [1, true]}', id="object"),
        pytest.param(Model(eur=3), '{"eur": 3}', id="model"),
        pytest.param({(1, 2): 3}, "{(1, 2): 3}", id="keys that JSON has not"),
    ],
)
def test_a_result_as_text(value: object, text: str) -> None:
    assert reading.json_text(value) == text


def test_models_and_dataclasses_are_read_like_dicts_at_any_depth() -> None:
    block = Model(type="tool_use", id="t1", name="f", input=Model(x=1))
    result = from_anthropic([Model(role="assistant", content=[block])])
    assert [(call.name, call.args) for call in result["calls"]] == [("f", {"x": 1})]
    assert reading.plain(Item("tool_call_item", block)) == {
        "type": "tool_call_item",
        "raw_item": block,
    }
    assert reading.plain(Item) is Item, "a class is no record"
    assert reading.plain(Model) is Model


def test_a_file_with_one_conversation_has_no_other_case() -> None:
    with pytest.raises(ValueError, match=r"from_openai_chat: no case 'x': this trace is one conv"):
        from_openai_chat([{"role": "user", "content": "Hi"}], case="x")


@pytest.mark.parametrize(
    ("case", "chosen"),
    [
        pytest.param(None, ["a", 2, "2"], id="all"),
        pytest.param("a", ["a"], id="id"),
        pytest.param(2, [2], id="a number is an id first"),
        pytest.param("2", ["2"], id="text is no number"),
        pytest.param(0, ["a"], id="position"),
    ],
)
def test_choosing_a_case(case: str | int | None, chosen: list[object]) -> None:
    cases = [("a", None), (2, None), ("2", None)]
    assert [name for name, _ in reading.choose_cases(cases, case, "f")] == chosen


@pytest.mark.parametrize(
    ("value", "means"),
    [(True, True), (False, False), (None, False), (1, True), (0, False), (0.0, False)],
)
def test_a_flag(value: Any, means: bool) -> None:
    assert reading.flag(value, "here") is means
    assert reading.flagged(value) is means


@pytest.mark.parametrize("value", ["true", "", [], {}])
def test_a_flag_of_another_kind_is_refused(value: Any) -> None:
    with pytest.raises(TraceFormatError, match="here: expected true, false or nothing"):
        reading.flag(value, "here")
    assert not reading.flagged(value)


def test_a_truth_value_is_no_id() -> None:
    with pytest.raises(ValueError, match="no case True in this trace; use one of 1, or a position"):
        reading.choose_cases([(1, None)], True, "f")  # noqa: FBT003 - the wrong kind is the point


def test_of_many_cases_the_first_ten_are_named() -> None:
    cases = [(f"c{at}", None) for at in range(11)]
    with pytest.raises(ValueError, match=r"'c9', \.\.\., or a position from 0 to 10"):
        reading.choose_cases(cases, "x", "f")
    with pytest.raises(ValueError, match=r"'c9', or a position from 0 to 9"):
        reading.choose_cases(cases[:10], "x", "f")


@pytest.mark.parametrize("case", ["b", -1, 3, True])
def test_a_case_that_is_not_there_is_refused_with_those_that_are(case: str | int) -> None:
    cases = [(f"c{at}", None) for at in range(3)]
    with pytest.raises(
        ValueError,
        match=rf"^f: no case {case!r} in this trace; use one of 'c0', 'c1', 'c2', or a position "
        "from 0 to 2$",
    ):
        reading.choose_cases(cases, case, "f")


CLAUDE_CODE = {"type": "assistant", "uuid": "2", "message": {"role": "assistant", "content": []}}
STRANDS = {"message": {"role": "user", "content": [{"text": "Go."}]}, "message_id": 0}
BATCH = {"custom_id": "1", "response": {"status_code": 200, "body": {"choices": []}}}
STREAM = {"type": "message_start", "message": {"role": "assistant", "content": []}}


@pytest.mark.parametrize(
    ("importer", "record", "hint"),
    [
        pytest.param("from_anthropic", CLAUDE_CODE, "down, under 'message'", id="Claude Code"),
        pytest.param("from_bedrock", STRANDS, "down, under 'message'", id="Strands"),
        pytest.param("from_openai_chat", BATCH, "down, under 'response'", id="a batch"),
        pytest.param("from_vercel_ai", STRANDS, "down, under 'message'", id="any importer"),
        pytest.param("from_anthropic", STREAM, "put together first", id="a stream"),
        pytest.param(
            "from_bedrock", {"messageStart": {"role": "x"}}, "put together", id="Converse"
        ),
        pytest.param("from_openai_chat", {"role": None}, "put together first", id="a null"),
    ],
)
def test_a_record_without_a_role_says_what_to_do(
    importer: str, record: dict[str, Any], hint: str
) -> None:
    known = {"role": "user", "content": [{"type": "text", "text": "Go."}]}
    if importer == "from_bedrock":
        known = {"role": "user", "content": [{"text": "Go."}]}
    for trace in ([record], [known, record]):
        with pytest.raises(TraceFormatError, match=hint):
            getattr(traces, importer)(trace)


@pytest.mark.parametrize(
    ("trace", "hint"),
    [
        pytest.param([CLAUDE_CODE], "found; the message is one level down, under 'mess", id="one"),
        pytest.param([{"type": "summary"}, STRANDS], "one level down", id="after another"),
        pytest.param({"result": {"message": {}}}, "under 'result'", id="an object"),
        pytest.param([{"x": 1}], "put together first", id="none"),
    ],
)
def test_a_trace_of_such_records_says_what_to_do(trace: Any, hint: str) -> None:
    with pytest.raises(TraceFormatError, match=hint):
        traces.from_trace(trace)


def test_an_object_that_wraps_a_message_says_what_to_do() -> None:
    with pytest.raises(TraceFormatError, match=r"'messages' or 'role', .*under 'message'"):
        from_anthropic(CLAUDE_CODE)
