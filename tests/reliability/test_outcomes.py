"""From runs and rows of any order to one list of outcomes a task."""

from __future__ import annotations

import random
from types import MappingProxyType
from typing import Any

import pytest

from agenteval.reliability import outcomes, pass_hat_k


def run(task: Any, repeat: Any, passed: Any = 1, **more: Any) -> dict[str, Any]:
    return {"id": task, "repeat": repeat, "passed": passed, **more}


def test_outcomes_stand_in_the_order_of_the_repeats() -> None:
    runs = [run("b", 1, 0), run("a", 0), run("b", 0), run("a", 1, 0), run("a", 2)]
    found = outcomes(runs)
    assert found == {"b": [True, False], "a": [True, False, True]}
    assert list(found) == ["b", "a"]


def test_any_order_of_runs_gives_the_same_lists() -> None:
    rng = random.Random(1)
    truth = {task: [rng.random() < 0.5 for _ in range(6)] for task in range(20)}
    runs = [run(task, at, passed) for task, row in truth.items() for at, passed in enumerate(row)]
    for _ in range(20):
        rng.shuffle(runs)
        assert outcomes(runs) == truth


def test_ids_1_and_text_1_are_two_tasks() -> None:
    assert outcomes([run(1, 0), run("1", 0, 0)]) == {1: [True], "1": [False]}


def test_a_repeat_that_is_missing_is_left_out_and_not_a_failure() -> None:
    assert outcomes([run("a", 4), run("a", 0, 0), run("a", 2)]) == {"a": [False, True, True]}


def test_runs_may_be_any_iterable_of_mappings_and_stay_as_they_are() -> None:
    runs = (MappingProxyType(run("a", at)) for at in range(3))
    assert outcomes(runs) == {"a": [True, True, True]}
    kept = [run("a", 1), run("a", 0)]
    outcomes(kept)
    assert kept == [run("a", 1), run("a", 0)]
    assert outcomes([]) == {}


def test_outcomes_are_plain_booleans() -> None:
    found = outcomes([run("a", 0, 1), run("a", 1, 0.0)])
    assert [type(outcome) for outcome in found["a"]] == [bool, bool]


ROWS = [
    run("a", 0, 1, verdict="pass"),
    run("a", 1, 1, verdict="warn"),
    run("a", 2, 1, verdict="fail"),
    run("a", 3, 0, verdict="pass"),
    run("a", 4, 0, verdict="fail"),
]


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("passed", [True, True, True, False, False]),
        ("trajectory", [True, True, False, True, False]),
        ("both", [True, True, False, False, False]),
    ],
)
def test_what_counts_as_success(by: Any, expected: list[bool]) -> None:
    assert outcomes(ROWS, by=by) == {"a": expected}


def test_the_result_is_what_the_measures_take() -> None:
    assert pass_hat_k(outcomes(ROWS), 3) == 1


@pytest.mark.parametrize(
    ("runs", "by", "error", "message"),
    [
        pytest.param(
            {"pass_rate": 1.0, "runs": [run("a", 0)]},
            "passed",
            TypeError,
            r"runs must be a list of runs, got a mapping; call outcomes\(report\[\"runs\"\]\)",
            id="report",
        ),
        pytest.param(
            run("a", 0),
            "passed",
            TypeError,
            r"runs must be .* got a mapping; call outcomes\(\[run\]\)",
            id="run",
        ),
        pytest.param(
            None, "passed", TypeError, r"runs must be a list of runs, got NoneType None", id="None"
        ),
        pytest.param(
            [run("a", 0), "a"],
            "passed",
            TypeError,
            r"run 1 must be a mapping with 'id', 'repeat' and 'passed', got str 'a'",
            id="no run",
        ),
        pytest.param(
            [run("a", 0), run("b", 0), run("a", 0, 0)],
            "passed",
            ValueError,
            r"run 2: task 'a' has repeat 0 twice; when these are two evaluations, call outcomes "
            r"once for each",
            id="twice",
        ),
        pytest.param(
            [{"id": "a", "passed": True}],
            "passed",
            ValueError,
            r"run 0 has no 'repeat', only \['id', 'passed'\]$",
            id="no repeat",
        ),
        pytest.param(
            [{"repeat": 0, "passed": True}], "passed", ValueError, r"run 0 has no 'id'", id="no id"
        ),
        pytest.param(
            [{"repeat": 0, "id": 3}], "passed", ValueError, r"run 0 has no 'passed'", id="no passed"
        ),
        pytest.param(
            [run("a", 0)],
            "trajectory",
            ValueError,
            r"run 0 has no 'verdict', .*; the rows of agenteval.score_runs have",
            id="no verdict",
        ),
        pytest.param(
            [run("a", 0, verdict="failed")],
            "both",
            ValueError,
            r"run 0: task 'a': unknown verdict 'failed'; use one of 'pass', 'warn', 'fail' "
            r"\(did you mean 'fail'\?\)",
            id="verdict",
        ),
        pytest.param(
            [run("a", "0")],
            "passed",
            TypeError,
            r"run 0: task 'a': 'repeat' must be a whole number, got str '0'",
            id="text repeat",
        ),
        pytest.param(
            [run("a", -1)],
            "passed",
            ValueError,
            r"run 0: task 'a': 'repeat' counts from 0, got -1",
            id="negative repeat",
        ),
        pytest.param(
            [run("a", 0, None)],
            "passed",
            TypeError,
            r"run 0: task 'a': 'passed' must be True or False, got NoneType None",
            id="unknown",
        ),
        pytest.param(
            [run("a", 0, 0.7)], "passed", TypeError, r"run 0: .* got float 0.7", id="score"
        ),
        pytest.param(
            [run(["a"], 0)],
            "passed",
            TypeError,
            r"run 0: 'id' must be a str or an int, got list \['a'\]",
            id="list id",
        ),
        pytest.param(
            [run(None, 0)],
            "passed",
            TypeError,
            r"run 0: 'id' must be .* got NoneType",
            id="no name",
        ),
        pytest.param(
            [run("a", 0)],
            "pased",
            ValueError,
            r"unknown by 'pased'; use one of 'passed', 'trajectory', 'both' \(did you",
            id="by",
        ),
    ],
)
def test_bad_input(runs: Any, by: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^outcomes: {message}"):
        outcomes(runs, by=by)
