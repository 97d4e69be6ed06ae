from __future__ import annotations

import copy
import json
from decimal import Decimal
from unittest import mock

import pytest

from agenteval.trajectory import Call, one_of, optional, score_runs

LOOK, FILE = Call("look", {"order": 7}), Call("file", {"order": 7})
TASK = {"id": "t", "input": "", "expected": None, "reference": [LOOK, FILE]}


class Undecided:
    """What a table has in an empty cell."""

    def __eq__(self, other: object) -> bool:
        raise TypeError("boolean value of NA is ambiguous")

    __hash__ = None


def run(calls=None, passed=True, **more) -> dict:
    recorded = {} if calls is None else {"calls": calls}
    return {"id": "t", "repeat": 0, "passed": passed, **recorded, **more}


@pytest.mark.parametrize(
    ("calls", "passed", "verdict", "diagnosis"),
    [
        pytest.param([LOOK, FILE], True, "pass", "sound", id="right, sensible path"),
        pytest.param([FILE], True, "fail", "lucky", id="right, broken path"),
        pytest.param([LOOK, FILE], False, "pass", "blocked", id="wrong, sensible path"),
        pytest.param([FILE], False, "fail", "failed", id="neither"),
        pytest.param(
            [LOOK, *[Call("x")] * 5, FILE], True, "warn", "sound", id="long, but sensible"
        ),
        pytest.param([LOOK, *[Call("x")] * 5, FILE], False, "warn", "blocked", id="long and wrong"),
        pytest.param(None, True, "fail", "lucky", id="not recorded"),
        pytest.param(None, False, "fail", "failed", id="not recorded and wrong"),
    ],
)
def test_the_diagnosis_sets_the_path_beside_the_outcome(calls, passed, verdict, diagnosis):
    [row] = score_runs([run(calls, passed)], [TASK])
    assert (row["verdict"], row["diagnosis"], row["passed"]) == (verdict, diagnosis, passed)


def test_a_row():
    [row] = score_runs(
        [run([LOOK, FILE, FILE], repeat=3, cost=0.21)],
        [{**TASK, "reference_cost": 0.09}],
        write_tools={"file"},
    )
    assert row == {
        "id": "t",
        "repeat": 3,
        "passed": True,
        "coverage": True,
        "argument_accuracy": 1.0,
        "extra_steps": 1,
        "duplicate_writes": 1,
        "verdict": "fail",
        "why": "a write tool ran twice with identical arguments",
        "diagnosis": "lucky",
        "cost": 0.21,
        "reference_cost": 0.09,
    }
    assert json.loads(json.dumps(row)) == row


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({}, "the run did not record its calls"),
        ({"calls": None}, "the run did not record its calls"),
        ({"error": "KeyError: 'x'"}, "the run did not record its calls (KeyError: 'x')"),
    ],
)
def test_a_run_without_calls_is_never_a_pass(more, why):
    [row] = score_runs([run(**more)], [{**TASK, "reference": []}])
    assert (row["verdict"], row["why"]) == ("fail", why)
    numbers = ("coverage", "argument_accuracy", "extra_steps", "duplicate_writes")
    assert [row[name] for name in numbers] == [None] * 4


def test_no_calls_are_something_else_than_unknown_calls():
    [row] = score_runs([run([])], [{**TASK, "reference": []}])
    assert (row["verdict"], row["coverage"]) == ("pass", True)


def test_tasks_without_a_reference_are_left_out():
    tasks = [TASK, {"id": 1, "input": "", "expected": 4}, {"id": 2, "reference": None}]
    runs = [run([]), {"id": 1, "repeat": 0, "passed": True}, {"id": 2, "passed": True, "calls": []}]
    assert [row["id"] for row in score_runs(runs, tasks)] == ["t"]


def test_rows_keep_the_order_of_runs():
    runs = [run([], repeat=2), run([], repeat=0), run([], repeat=1)]
    assert [row["repeat"] for row in score_runs(iter(runs), iter([TASK]))] == [2, 0, 1]


def test_a_tasks_own_mode_and_rule_win():
    swapped = [FILE, LOOK]
    assert score_runs([run(swapped)], [TASK])[0]["coverage"] is False
    assert score_runs([run(swapped)], [TASK], "any_order")[0]["coverage"] is True
    own = {**TASK, "mode": "exact"}
    [row] = score_runs([run(swapped)], [own], "any_order")
    assert (row["coverage"], row["why"]) == (
        False,
        "the calls are not exactly those of the reference",
    )
    other = [Call("look", {"order": 8}), FILE]
    assert score_runs([run(other)], [TASK])[0]["coverage"] is False
    assert score_runs([run(other)], [TASK], args_match="ignore")[0]["coverage"] is True
    own = {**TASK, "args_match": {"look": "ignore"}}
    assert score_runs([run(other)], [own], args_match="exact")[0]["coverage"] is True
    own = {**TASK, "args_match": "exact"}
    assert score_runs([run(other)], [own], args_match="ignore")[0]["coverage"] is False


def test_the_limits_are_the_callers():
    calls = [Call("look", {"order": 8}), LOOK, FILE, Call("x")]
    assert score_runs([run(calls)], [TASK])[0]["verdict"] == "fail"
    [row] = score_runs([run(calls)], [TASK], min_argument_accuracy=0.5, max_extra_steps=1)
    assert (row["verdict"], row["why"]) == ("warn", "2 steps above the reference")


@pytest.mark.parametrize(
    ("calls", "reference", "verdict"),
    [
        pytest.param([LOOK, FILE], 0, "pass", id="the first"),
        pytest.param([FILE], 1, "pass", id="the second"),
        pytest.param([Call("x"), Call("y")], 2, "pass", id="a looser one"),
        pytest.param([Call("z")], 1, "fail", id="none: the fewest steps off"),
    ],
)
def test_of_several_references_the_best_counts(calls, reference, verdict):
    task = {
        "id": "t",
        "references": [[LOOK, FILE], [FILE], [Call("x"), one_of(Call("y"), Call("w"))]],
    }
    [row] = score_runs([run(calls)], [task])
    assert (row["reference"], row["verdict"]) == (reference, verdict)


def test_a_warning_is_better_than_a_failure_and_coverage_than_none():
    long = [Call("x")] * 6
    task = {"id": "t", "references": [[FILE], [LOOK, optional(FILE)]]}
    [row] = score_runs([run([LOOK, *long])], [task])
    assert (row["reference"], row["verdict"]) == (1, "warn")


def test_of_two_that_fail_the_one_that_is_covered_counts():
    """The first allows the repeated write, but wants the look before it."""
    task = {"id": "t", "references": [[LOOK, FILE, FILE], [FILE, LOOK]]}
    [row] = score_runs([run([FILE, FILE, LOOK])], [task], write_tools={FILE.name})
    assert (row["reference"], row["coverage"], row["duplicate_writes"]) == (1, True, 1)


def test_references_may_hold_objects_that_decide():
    task = {**TASK, "reference": [Call("look", {"order": mock.ANY}), FILE]}
    assert score_runs([run([LOOK, FILE])], [task])[0]["verdict"] == "pass"


@pytest.mark.parametrize(
    "passed",
    ["False", "True", "", b"", None, 0.7, 2, [], [True], float("nan"), Undecided()],
    ids=repr,
)
def test_an_outcome_is_a_boolean(passed):
    with pytest.raises(TypeError, match=r"runs\[1\] \(task 't'\): 'passed' must be True or False"):
        score_runs([run([LOOK]), run([LOOK], passed)], [TASK])


@pytest.mark.parametrize("passed", [1, 1.0, Decimal(1), True], ids=repr)
def test_an_outcome_may_be_a_number_that_says_yes_or_no(passed):
    [row] = score_runs([run([LOOK, FILE], passed)], [TASK])
    assert (row["passed"], row["diagnosis"]) == (True, "sound")
    assert row["passed"] is True


def test_nothing_is_changed():
    runs = [run([{"name": "look", "args": {"order": 7}, "error": None}], repeat=1)]
    tasks = [{**TASK, "references": None, "args_match": {"look": ["order"]}}]
    before = copy.deepcopy((runs, tasks))
    score_runs(runs, tasks)
    assert (runs, tasks) == before


@pytest.mark.parametrize(
    ("runs", "tasks", "keywords", "kind", "message"),
    [
        pytest.param(
            {"runs": []},
            [],
            {},
            TypeError,
            r"runs must be a list, got dict .*report\['runs'\]",
            id="a report",
        ),
        pytest.param([], TASK, {}, TypeError, r"tasks must be a list, got dict", id="one task"),
        pytest.param([], None, {}, TypeError, r"tasks must be a list, got NoneType", id="no tasks"),
        pytest.param([], [7], {}, TypeError, r"tasks\[0\] must be a task with an 'id'", id="task"),
        pytest.param(
            [], [{"id": True}], {}, TypeError, r"tasks\[0\] must be a task with an 'id'", id="bool"
        ),
        pytest.param(
            [{"id": True, "passed": True}],
            [{"id": 1}],
            {},
            TypeError,
            r"runs\[0\] must be a graded run",
            id="a run's id is a bool",
        ),
        pytest.param([], [TASK, TASK], {}, ValueError, r"two tasks have the id 't'", id="twice"),
        pytest.param([7], [], {}, TypeError, r"runs\[0\] must be a graded run", id="run"),
        pytest.param([{"id": "t"}], [TASK], {}, TypeError, r"'id' and 'passed'", id="not graded"),
        pytest.param(
            [{"id": [1], "passed": True}], [TASK], {}, TypeError, r"runs\[0\] must be", id="id"
        ),
        pytest.param(
            [run(), {"id": "u", "passed": True}],
            [TASK],
            {},
            ValueError,
            r"runs\[1\] belongs to no task: its id is 'u'; pass the tasks that were run",
            id="unknown id",
        ),
        pytest.param(
            [run([{"name": "f", "args": "{}"}], repeat=4)],
            [TASK],
            {},
            TypeError,
            r"task 't', repeat 4: calls\[0\]: Call\('f'\): args must be a mapping",
            id="a call of a run",
        ),
        pytest.param(
            [],
            [{**TASK, "reference": [LOOK, 7]}],
            {},
            TypeError,
            r"task 't': 'reference'\[1\]: a call must be",
            id="a call of a reference",
        ),
        pytest.param(
            [],
            [{"id": 1, "references": [[LOOK], [{"one_off": [LOOK]}]]}],
            {},
            ValueError,
            r"task 1: 'references'\[1\]\[0\]: .*did you mean 'one_of'",
            id="a group of a reference",
        ),
        pytest.param(
            [],
            [{"id": 1, "references": {"a": [LOOK]}}],
            {},
            TypeError,
            r"task 1: 'references' must be a list of references, each a list of calls, got dict",
            id="references",
        ),
        pytest.param(
            [],
            [{**TASK, "references": [[LOOK]]}],
            {},
            ValueError,
            r"task 't' has both 'reference' and 'references'",
            id="both",
        ),
        pytest.param(
            [],
            [{**TASK, "mode": "any"}],
            {},
            ValueError,
            r"task 't': 'mode': unknown mode 'any'",
            id="a task's mode",
        ),
        pytest.param([], [TASK], {"mode": "any"}, ValueError, r"unknown mode 'any'", id="mode"),
        pytest.param(
            [],
            [{**TASK, "args_match": "some"}],
            {},
            ValueError,
            r"task 't': args_match 'some' is no rule",
            id="a task's rule",
        ),
        pytest.param(
            [run([LOOK])],
            [{**TASK, "args_match": ["nr"]}],
            {},
            ValueError,
            r"task 't', repeat 0: args_match compares the argument 'nr'",
            id="an argument that neither side has",
        ),
        pytest.param(
            [run([])],
            [TASK],
            {"write_tools": "file"},
            TypeError,
            r"write_tools must be a collection",
            id="write tools",
        ),
        pytest.param(
            [run([])],
            [TASK],
            {"min_argument_accuracy": 90},
            ValueError,
            r"score_runs: min_argument_accuracy must be a share",
            id="limit",
        ),
        pytest.param(
            [],
            [],
            {"min_argument_accuracy": "0.9"},
            TypeError,
            r"score_runs: min_argument_accuracy must be a number, got str",
            id="limit, without a run",
        ),
        pytest.param(
            [],
            [],
            {"max_extra_steps": float("nan")},
            ValueError,
            r"score_runs: max_extra_steps must be a number, got nan; pass math.inf",
            id="limit nan",
        ),
        pytest.param(
            [], [], {"mode": "x"}, ValueError, "score_runs: unknown mode 'x'", id="no use"
        ),
        pytest.param(
            [], [], {"args_match": "x"}, ValueError, "score_runs: args_match 'x'", id="a rule"
        ),
        pytest.param(
            [],
            [{**TASK, "Mode": "exact"}],
            {},
            ValueError,
            r"score_runs: task 't': unknown key 'Mode' nearly spells 'mode'; correct it",
            id="a task's misspelled key",
        ),
        pytest.param(
            [],
            [{"id": 1, "refernce": [LOOK]}],
            {},
            ValueError,
            r"score_runs: task 1: unknown key 'refernce' nearly spells 'reference'",
            id="a misspelled reference",
        ),
        pytest.param(
            [],
            [{"id": 1, "references": []}],
            {},
            ValueError,
            r"score_runs: task 1: 'references' is an empty list",
            id="no references",
        ),
    ],
)
def test_bad_input_is_named(runs, tasks, keywords, kind, message):
    with pytest.raises(kind, match=message):
        score_runs(runs, tasks, **keywords)


def test_an_argument_that_a_rule_names_may_be_in_another_reference():
    task = {
        "id": "t",
        "args_match": ["b"],
        "references": [[Call("f", {"a": 1})], [Call("f", {"b": 1})]],
    }
    [row] = score_runs([run([Call("f", {"b": 1})])], [task])
    assert (row["reference"], row["verdict"]) == (1, "pass")
    [row] = score_runs([run([Call("f", {"a": 2})])], [task])
    assert row["verdict"] == "fail"
    with pytest.raises(ValueError, match=r"score_runs: task 't', repeat 0: .* the argument 'c'"):
        score_runs([run([Call("f", {"b": 1})])], [{**task, "args_match": ["b", "c"]}])
