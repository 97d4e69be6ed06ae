"""A run scores the same whether it has gone through a log or not."""

from __future__ import annotations

import enum
import json
import math
from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from unittest import mock

import pytest

from agenteval.harness import evaluate, validate_tasks
from agenteval.runlog import read_log
from agenteval.trajectory import (
    Call,
    any_order_of,
    as_dict,
    compare_steps,
    optional,
    score_runs,
    score_trajectory,
)
from agenteval.trajectory.stored import is_stored, reference_args, run_args

Point = namedtuple("Point", "x y")


class Level(str, enum.Enum):
    HIGH = "high"


class Color(enum.Enum):
    RED = 1


@dataclass
class Size:
    inches: int


class Number:
    """A scalar as array libraries have them."""

    shape = ()

    def item(self) -> int:
        return 7


FORMS = [
    pytest.param((1, (2, "x")), [1, [2, "x"]], id="tuples"),
    pytest.param({"b", "a"}, ["a", "b"], id="a set"),
    pytest.param(frozenset({10, 9.5, "x", None}), [9.5, 10, "x", None], id="a set of all kinds"),
    pytest.param({(2, 1), (1, 2)}, [[1, 2], [2, 1]], id="a set of tuples"),
    pytest.param({"k": [{"d": ({1},)}]}, {"k": [{"d": [[1]]}]}, id="nested"),
    pytest.param(OrderedDict(b=1, a=(2,)), {"b": 1, "a": [2]}, id="ordered"),
    pytest.param(MappingProxyType({"a": 1}), {"a": 1}, id="another mapping"),
    pytest.param(Point(1, 2), [1, 2], id="a named tuple"),
    pytest.param(Level.HIGH, "high", id="an enumeration's member"),
    pytest.param(Number(), 7, id="a scalar of an array library"),
    pytest.param(date(2026, 1, 2), {"__repr__": "datetime.date(2026, 1, 2)"}, id="a date"),
    pytest.param({(1, 2): "x", 3: "y"}, {"(1, 2)": "x", 3: "y"}, id="keys"),
    pytest.param(b"x", {"__repr__": "b'x'"}, id="bytes"),
]


@pytest.mark.parametrize(("value", "form"), FORMS)
def test_the_form_of_a_run(value, form):
    found = as_dict(Call("f", {"a": value}))["args"]
    assert found == {"a": form} == run_args({"a": value})
    assert type(found["a"]) is type(form)
    json.dumps(found)
    assert run_args(found) == found


def test_a_run_holds_copies():
    args = {"a": [{"b": [1]}]}
    found = as_dict(Call("f", args))["args"]
    assert found == args
    assert found["a"] is not args["a"]
    assert found["a"][0]["b"] is not args["a"][0]["b"]


def nested(levels: int, value: object = 1) -> object:
    for _ in range(levels):
        value = [value]
    return value


CIRCLE: list = [1]
CIRCLE.extend([CIRCLE, CIRCLE])


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        pytest.param(nested(90), True, id="90 levels"),
        pytest.param(nested(91), False, id="91 levels"),
        pytest.param(nested(3000), False, id="3,000 levels"),
        pytest.param(CIRCLE, False, id="contains itself"),
    ],
)
def test_what_is_nested_too_deep_is_text_in_run_log_and_reference(tmp_path, value, kept):
    args = {"deep": value, "at": (1, 2)}
    assert is_stored({"deep": value}) is kept
    found = run_args(args)
    assert found["at"] == [1, 2]
    assert (list(found["deep"]) == ["__repr__"]) is not kept
    json.dumps(found)
    assert reference_args(args) == found
    task = {"id": 1, "input": "", "expected": None, "reference": [Call("f", args)]}
    log = tmp_path / "runs.jsonl"
    agent = {"status": "final", "answer": "", "calls": [Call("f", args)]}
    live = evaluate(lambda _: agent, [task], log=log)["runs"]
    assert live[0]["calls"] == next(read_log(log))["calls"]
    assert score_runs(live, [task])[0]["verdict"] == "pass"


def test_a_reference_keeps_what_decides():
    kept = [mock.ANY, pytest.approx(1.0), Level.HIGH, Point(1, 2), Size(3)]
    found = reference_args({"a": (1, {2}), "kept": kept, "day": date(2026, 1, 2)})
    assert found["a"] == [1, [2]]
    assert found["kept"] == kept == found["kept"]
    assert repr(found["kept"]) == repr(kept)
    assert found["kept"][1:4] == [1.0000001, "high", (1, 2)]
    assert found["kept"][1] != 1.1
    assert found["day"] == run_args({"day": date(2026, 1, 2)})["day"]


@pytest.mark.parametrize("value", [Size(3), Color.RED, Level.HIGH, Point(1, 2), (1, {2})], ids=repr)
def test_an_object_of_a_reference_is_equal_to_what_a_run_holds_of_it(value):
    other = Size(4) if isinstance(value, Size) else object()
    [kept] = reference_args({"a": value}).values()
    assert kept == run_args({"a": value})["a"]
    assert kept != run_args({"a": other})["a"]


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        ({"a": [1, "x", None, {"b": True}]}, True),
        ({"a": (1,)}, False),
        ({"a": {"b": [{1}]}}, False),
        ({1: "x"}, False),
        ({"a": mock.ANY}, False),
        ({"a": math.nan}, True),
    ],
)
def test_is_stored(value, stored):
    assert is_stored(value) is stored


ARGUMENTS = [
    {"at": (1, 2)},
    {"tags": {"b", "a"}},
    {"deep": [{"x": ({1, 2},)}]},
    {"level": Level.HIGH},
    {"nr": Number()},
    {"plain": [1, {"x": None}]},
    {"keys": {3: "x"}},
    {"day": date(2026, 1, 2), "price": [Decimal("1.5")], "raw": b"x"},
    {"size": Size(3), "color": Color.RED},
]


@pytest.mark.parametrize("args", ARGUMENTS, ids=repr)
@pytest.mark.parametrize("group", [False, True])
def test_a_resumed_run_is_scored_like_a_live_one(tmp_path, args, group):
    """The scores of an evaluation, of its log, and of one that the log was resumed by."""

    def agent(_given):
        return {"status": "final", "answer": "", "calls": [Call("w", args), Call("w", args)]}

    write = Call("w", dict(args))
    path = [any_order_of(write, optional(Call("x")))] if group else [write]
    task = {"id": 1, "input": "", "expected": None, "reference": path}
    log = tmp_path / "runs.jsonl"
    live = evaluate(agent, [task], log=log)["runs"]
    resumed = evaluate(agent, [task], log=log, resume=True)["runs"]
    read = list(read_log(log))
    assert live[0]["calls"] == resumed[0]["calls"] == read[0]["calls"]
    json.dumps(live)
    rows = [score_runs(runs, [task], write_tools={"w"}) for runs in (live, resumed, read)]
    assert rows[0] == rows[1] == rows[2]
    assert rows[0][0]["argument_accuracy"] == 1.0
    assert rows[0][0]["duplicate_writes"] == 1
    tables = [compare_steps(path, runs[0]["calls"]) for runs in (live, resumed, read)]
    assert tables[0] == tables[1] == tables[2]


def test_a_repeat_that_the_reference_has_is_allowed_for_dates_too():
    pay = Call("pay", {"day": date(2026, 1, 2)})
    task = {"id": 1, "input": "", "expected": None, "reference": [pay, pay]}
    runs = evaluate(lambda _: {"status": "final", "answer": "", "calls": [pay, pay]}, [task])
    [row] = score_runs(runs["runs"], [task], write_tools={"pay"})
    assert row["verdict"] == "pass"


def test_runs_made_by_hand_are_scored_in_the_same_form():
    def covered(reference: dict, made: dict) -> bool | None:
        task = {"id": 1, "reference": [Call("f", reference)]}
        [row] = score_runs([{"id": 1, "passed": True, "calls": [Call("f", made, "down")]}], [task])
        return row["coverage"]

    assert covered({"at": [1, 2], "s": ["a", "b"]}, {"at": (1, 2), "s": {"b", "a"}}) is True
    assert covered({"at": (1, 2), "by": mock.ANY}, {"at": [1, 2], "by": object()}) is True
    assert covered({"at": (1, 2)}, {"at": [2, 1]}) is False


@dataclass
class Range:
    """What a callable rule asks, though it says nothing to an ``==``."""

    low: int
    high: int


@pytest.mark.parametrize(
    ("wanted", "rule"),
    [
        pytest.param(Range(1, 5), lambda a, r: r["n"].low <= a["n"] <= r["n"].high, id="object"),
        pytest.param(date(2026, 1, 3), lambda a, r: r["n"].day == a["n"], id="date"),
        pytest.param((1, 3), lambda a, r: r["n"] == (1, a["n"]), id="tuple"),
    ],
)
@pytest.mark.parametrize("of_tool", [False, True])
def test_a_callable_gets_a_references_arguments_as_they_were_written(wanted, rule, of_tool):
    task = {
        "id": 1,
        "reference": [Call("f", {"n": wanted})],
        "args_match": {"f": rule, "*": "ignore"} if of_tool else rule,
    }
    [row] = score_runs([{"id": 1, "passed": True, "calls": [Call("f", {"n": 3})]}], [task])
    assert row["verdict"] == "pass"


@pytest.mark.parametrize(
    ("wanted", "made"),
    [
        pytest.param(Decimal("1.5"), 1.5, id="Decimal"),
        pytest.param(Fraction(3, 2), 1.5, id="Fraction"),
        pytest.param(complex(1), 1, id="complex"),
        pytest.param(Size(3), Size(3), id="an object"),
    ],
)
def test_numbers_and_objects_of_a_reference_equal_what_they_equal_elsewhere(wanted, made):
    task = {"id": 1, "reference": [Call("f", {"n": [wanted]})]}
    run = {"id": 1, "passed": True, "calls": [Call("f", {"n": [made]})]}
    assert score_runs([run], [task])[0]["coverage"]
    assert score_trajectory(task["reference"], run["calls"])["coverage"]


def test_a_repeat_of_objects_that_the_reference_has_is_allowed():
    twice = [Call("pay", {"n": Size(3)}), Call("pay", {"n": Size(3)})]
    task = {"id": 1, "reference": twice}
    [row] = score_runs([{"id": 1, "passed": True, "calls": twice}], [task], write_tools={"pay"})
    assert row["duplicate_writes"] == 0


class Array:
    """Compares each with each, as arrays do."""

    __hash__ = None

    def __eq__(self, other: object) -> object:
        return _Undecided()


class _Undecided:
    def __bool__(self) -> bool:
        raise ValueError("the truth of an array is ambiguous")


def test_an_object_whose_equality_has_no_truth_is_told_where_it_counts():
    task = {"id": 1, "input": "", "expected": None, "reference": [Call("f", {"n": Array()})]}
    assert validate_tasks([task]) == [task]
    run = {"id": 1, "passed": True, "calls": [Call("f", {"n": 1})]}
    with pytest.raises(ValueError, match=r"^score_runs: task 1, repeat 0: the == of an argument"):
        score_runs([run], [task])
    [row] = score_runs([run], [{**task, "args_match": lambda a, r: isinstance(r["n"], Array)}])
    assert row["coverage"]
