from __future__ import annotations

import copy
import enum
from collections import OrderedDict, namedtuple
from unittest import mock

import pytest

from agenteval.trajectory import (
    WRITE_TOOLS,
    Call,
    compare_steps,
    precision_recall,
    score_trajectory,
    trajectory_verdict,
)
from agenteval.trajectory import scoring as scoring_module

MODES = ("exact", "in_order", "any_order", "unordered", "subset")

LOOK = Call("lookup_order", {"order_id": "88120"})
POLICY = Call("get_policy", {"topic": "damaged_delivery"})
CLAIM = Call("create_claim", {"order_id": "88120", "reason": "damaged"})
REFERENCE = [LOOK, POLICY, CLAIM]
RUN = [
    LOOK,
    Call("search_orders", {"query": "88120"}),
    Call("get_policy", {"topic": "returns"}),
    POLICY,
    CLAIM,
    CLAIM,
]


def test_the_worked_example():
    scores = score_trajectory(REFERENCE, RUN)
    assert scores == {
        "coverage": True,
        "argument_accuracy": 0.8,
        "extra_steps": 3,
        "duplicate_writes": 1,
    }
    assert list(scores) == ["coverage", "argument_accuracy", "extra_steps", "duplicate_writes"]
    assert trajectory_verdict(scores) == (
        "fail",
        "a write tool ran twice with identical arguments",
    )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("few", [pytest.param(64, id="raw arguments"), pytest.param(-1, id="keys")])
def test_the_textbooks_numbers_on_random_pairs(mode, few, textbook, pairs, monkeypatch):
    monkeypatch.setattr(scoring_module, "_FEW", few)
    covered = repeated = 0
    for reference, actual in pairs(seed=21, count=2500):
        scores = score_trajectory(reference, actual, mode, write_tools={"a"})
        assert scores == textbook(reference, actual, mode, {"a"}), (reference, actual)
        covered += scores["coverage"]
        repeated += scores["duplicate_writes"] > 0
    assert covered > 180
    assert repeated > 180


@pytest.mark.parametrize("mode", MODES)
def test_the_alignment_counts_what_the_quick_count_counts(mode, textbook, pairs):
    rules = {"*": "exact", "a": lambda actual, reference: actual == reference}
    for reference, actual in pairs(seed=22, count=800):
        scores = score_trajectory(reference, actual, mode, write_tools={"a"}, args_match=rules)
        assert scores == textbook(reference, actual, mode, {"a"}), (reference, actual)


def test_dicts_and_calls_mix():
    reference = [LOOK, {"name": "get_policy", "args": {"topic": "damaged_delivery"}}]
    actual = (
        {"name": "lookup_order", "args": {"order_id": "88120"}, "error": None},
        POLICY,
    )
    assert score_trajectory(reference, actual)["coverage"]
    assert score_trajectory(iter(reference), iter(actual))["coverage"]


def test_an_empty_reference_leaves_nothing_to_get_wrong():
    assert score_trajectory([], [LOOK]) == {
        "coverage": True,
        "argument_accuracy": 1.0,
        "extra_steps": 1,
        "duplicate_writes": 0,
    }
    assert score_trajectory([], []) == {
        "coverage": True,
        "argument_accuracy": 1.0,
        "extra_steps": 0,
        "duplicate_writes": 0,
    }


def test_no_call_to_a_reference_tool_has_no_accuracy_to_speak_of():
    assert score_trajectory([LOOK], [])["argument_accuracy"] == 0.0
    assert score_trajectory([LOOK], [POLICY])["argument_accuracy"] == 0.0


@pytest.mark.parametrize(
    ("reference", "errors", "duplicates"),
    [
        pytest.param([CLAIM], [None], 0, id="once"),
        pytest.param([CLAIM], [None, None], 1, id="twice"),
        pytest.param([CLAIM], [None, None, None], 2, id="three times"),
        pytest.param([], [None, None], 1, id="not in the reference"),
        pytest.param([CLAIM], ["timeout", None], 0, id="retry of a failed write"),
        pytest.param([CLAIM], ["", None], 0, id="an error without text is one"),
        pytest.param([CLAIM], ["timeout", None, None], 1, id="once more after the retry"),
        pytest.param([CLAIM], [None, "timeout"], 0, id="the second one failed"),
        pytest.param([CLAIM, CLAIM], [None, None], 0, id="the reference repeats it"),
        pytest.param([CLAIM, CLAIM], [None, None, None], 1, id="more than the reference does"),
        pytest.param([CLAIM, CLAIM], ["timeout", None, None], 0, id="repeat and retry"),
    ],
)
def test_a_duplicate_is_a_write_that_happened_again(reference, errors, duplicates):
    actual = [Call(CLAIM.name, CLAIM.args, error) for error in errors]
    assert score_trajectory(reference, actual)["duplicate_writes"] == duplicates


def test_a_write_with_other_arguments_is_no_duplicate():
    other = Call("create_claim", {"order_id": "88121", "reason": "damaged"})
    assert score_trajectory([], [CLAIM, other])["duplicate_writes"] == 0


def test_a_repeated_read_is_no_duplicate_write():
    assert score_trajectory([LOOK], [LOOK, LOOK])["duplicate_writes"] == 0


@pytest.mark.parametrize(
    ("write_tools", "duplicates"),
    [
        pytest.param({"file"}, 1, id="set"),
        pytest.param(frozenset({"file"}), 1, id="frozenset"),
        pytest.param(["file", "send"], 1, id="list"),
        pytest.param({"file": "why"}, 1, id="keys of a dict"),
        pytest.param(lambda name: name.startswith("f"), 1, id="predicate"),
        pytest.param((), 0, id="none"),
        pytest.param(WRITE_TOOLS, 0, id="the example's"),
    ],
)
def test_the_write_tools_are_the_callers(write_tools, duplicates):
    calls = [Call("file", {"a": [1]}), Call("file", {"a": [1]}), Call("look"), Call("look")]
    scores = score_trajectory([], calls, write_tools=write_tools)
    assert scores["duplicate_writes"] == duplicates


def test_a_predicate_is_asked_once_a_tool():
    asked = []
    calls = [Call("a"), Call("b"), Call("a"), Call("a")]
    score_trajectory([], calls, write_tools=lambda name: asked.append(name) or True)
    assert sorted(asked) == ["a", "b"]


def test_many_writes_are_counted_the_same_way():
    calls = [Call("file", {"n": n % 90}) for n in range(200)]
    assert score_trajectory([], calls, write_tools={"file"})["duplicate_writes"] == 110
    odd = [Call("file", {"n": complex(n % 90), "at": bytearray(b"x")}) for n in range(200)]
    assert score_trajectory([], odd, write_tools={"file"})["duplicate_writes"] == 110


@pytest.mark.parametrize("mode", MODES)
def test_nothing_is_changed(mode):
    reference = [Call("f", {"a": [1, {"b": 2}]}), {"name": "g", "args": {"x": {}}}]
    actual = [{"name": "g", "args": {"x": {}}}, Call("f", {"a": [1, {"b": 2}]}, "down")]
    before = copy.deepcopy((reference, actual))
    score_trajectory(reference, actual, mode)
    precision_recall(reference, actual)
    assert (reference, actual) == before


@pytest.mark.parametrize(
    ("arguments", "keywords", "kind", "message"),
    [
        pytest.param(
            ([], [], "in order"),
            {},
            ValueError,
            r"score_trajectory: unknown mode 'in order'.*did you mean 'in_order'",
            id="mode",
        ),
        pytest.param(
            ([LOOK, {"args": {}}], []),
            {},
            TypeError,
            r"score_trajectory: reference\[1\]: .*'name'",
            id="reference step",
        ),
        pytest.param(
            ([], [LOOK, {"name": "f", "args": '{"a": 1}'}]),
            {},
            TypeError,
            r"score_trajectory: actual\[1\]: Call\('f'\): args must be a mapping, got str",
            id="arguments as text",
        ),
        pytest.param(
            (LOOK, []), {}, TypeError, r"score_trajectory: reference must be a list", id="one call"
        ),
        pytest.param(
            ([], {"calls": []}), {}, TypeError, r"score_trajectory: actual must be a list", id="run"
        ),
        pytest.param(
            ([], None), {}, TypeError, r"actual must be a list of calls, got NoneType", id="none"
        ),
        pytest.param(
            ([], []),
            {"write_tools": "create_claim"},
            TypeError,
            r"score_trajectory: write_tools must be a collection .*, got str .create_claim.",
            id="write tools as text",
        ),
        pytest.param(
            ([], []), {"write_tools": None}, TypeError, r"write_tools must be", id="no write tools"
        ),
        pytest.param(
            ([], []), {"write_tools": [LOOK]}, TypeError, r"write_tools must be", id="calls"
        ),
        pytest.param(
            ([], []),
            {"write_tools": {"tools": [{"name": "open_ticket"}]}},
            TypeError,
            r"write_tools must be .*, got dict .*or write_tools_from_mcp\(tools\)",
            id="an answer to tools/list",
        ),
        pytest.param(
            ([], []),
            {"write_tools": {"open_ticket": True, "look": False}},
            TypeError,
            r"write_tools must be .*, got dict .*pass a set of names",
            id="writes or not",
        ),
    ],
)
def test_bad_input_is_named(arguments, keywords, kind, message):
    with pytest.raises(kind, match=message):
        score_trajectory(*arguments, **keywords)


@pytest.mark.parametrize(
    ("reference", "actual", "precision", "recall", "f1"),
    [
        pytest.param("ab", "ab", 1.0, 1.0, 1.0, id="the same"),
        pytest.param("ab", "ba", 1.0, 1.0, 1.0, id="order does not count"),
        pytest.param("ab", "bbcd", 1 / 4, 1 / 2, 1 / 3, id="some"),
        pytest.param("aab", "aa", 1.0, 2 / 3, 4 / 5, id="repeats count"),
        pytest.param("ab", "", 0.0, 0.0, 0.0, id="no calls"),
        pytest.param("", "a", 0.0, 1.0, 0.0, id="nothing to find"),
        pytest.param("", "", 1.0, 1.0, 1.0, id="both empty"),
    ],
)
def test_precision_and_recall(reference, actual, precision, recall, f1):
    found = precision_recall(list(map(Call, reference)), list(map(Call, actual)))
    assert found == {
        "precision": pytest.approx(precision),
        "recall": pytest.approx(recall),
        "f1": pytest.approx(f1),
    }


def test_precision_and_recall_take_objects_that_decide():
    reference = [Call("f", {"a": mock.ANY}), Call("f", {"a": 1})]
    assert precision_recall(reference, [Call("f", {"a": 1}), Call("f", {"a": 2})])["f1"] == 1.0
    assert precision_recall(reference, [Call("f", {"a": 3}), Call("f", {"a": 2})])["recall"] == 0.5


class Color(str, enum.Enum):
    RED = "red"


Point = namedtuple("Point", "x y")


@pytest.mark.parametrize(
    ("plain", "like"),
    [
        pytest.param("red", Color.RED, id="enum"),
        pytest.param({"a": 1}, OrderedDict(a=1), id="ordered"),
        pytest.param((1, 2), Point(1, 2), id="named tuple"),
    ],
)
def test_a_repeat_that_the_reference_has_may_be_of_another_class(plain, like):
    reference, made = [Call("w", {"to": plain})] * 2, [Call("w", {"to": like})] * 2
    for rule in ("exact", {"*": "exact"}):
        scores = score_trajectory(reference, made, write_tools={"w"}, args_match=rule)
        assert scores["duplicate_writes"] == 0
    rows = compare_steps(reference, made, write_tools={"w"})
    assert [row["verdict"] for row in rows] == ["matches step 1", "matches step 2"]
    once = score_trajectory(reference[:1], made, write_tools={"w"}, args_match={"*": "exact"})
    assert once["duplicate_writes"] == 1
