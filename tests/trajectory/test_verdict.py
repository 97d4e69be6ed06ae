from __future__ import annotations

import math

import pytest

from agenteval.trajectory import trajectory_verdict

GOOD = {"coverage": True, "argument_accuracy": 1.0, "extra_steps": 0, "duplicate_writes": 0}


@pytest.mark.parametrize(
    ("changes", "verdict", "why"),
    [
        pytest.param({}, "pass", "", id="pass"),
        pytest.param(
            {"duplicate_writes": 1, "coverage": False, "argument_accuracy": 0.0, "extra_steps": 9},
            "fail",
            "a write tool ran twice with identical arguments",
            id="a duplicate write before all else",
        ),
        pytest.param(
            {"coverage": False, "argument_accuracy": 0.0},
            "fail",
            "a required call is missing",
            id="then coverage",
        ),
        pytest.param(
            {"argument_accuracy": 0.8, "extra_steps": 9},
            "fail",
            "argument accuracy 0.80",
            id="then argument accuracy",
        ),
        pytest.param({"argument_accuracy": 0.9}, "pass", "", id="0.9 will do"),
        pytest.param({"argument_accuracy": 8 / 9}, "fail", "argument accuracy 0.89", id="8 of 9"),
        pytest.param({"extra_steps": 4}, "pass", "", id="four more will do"),
        pytest.param({"extra_steps": 5}, "warn", "5 steps above the reference", id="five more"),
        pytest.param({"extra_steps": 5.0}, "warn", "5 steps above the reference", id="of a table"),
        pytest.param({"extra_steps": -3}, "pass", "", id="fewer are fine"),
    ],
)
def test_the_first_fault_that_holds(changes, verdict, why):
    assert trajectory_verdict({**GOOD, **changes}) == (verdict, why)


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        ("in_order", "a required call is missing"),
        ("any_order", "a required call is missing"),
        ("exact", "the calls are not exactly those of the reference"),
        ("unordered", "the calls are not those of the reference, in any order"),
        ("subset", "a call is not in the reference, or not as often"),
    ],
)
def test_the_mode_words_a_failed_coverage_truly(mode, why):
    assert trajectory_verdict({**GOOD, "coverage": False}, mode=mode) == ("fail", why)


@pytest.mark.parametrize(
    ("accuracy", "limit", "text"),
    [
        pytest.param(0.8, 0.9, "0.80", id="two digits"),
        pytest.param(60 / 67, 0.9, "0.896", id="60 of 67 would be 0.90"),
        pytest.param(0.8999999, 0.9, "0.8999999", id="a hair"),
        pytest.param(math.nextafter(0.9, 0), 0.9, "0.8999999999999999", id="the last bit"),
        pytest.param(999 / 1000, 1, "0.999", id="1 is not reached"),
        pytest.param(0.0, 0.9, "0.00", id="none"),
        pytest.param(0.5, 0.501, "0.50", id="a limit with three digits"),
        pytest.param(math.nextafter(0, 1), 1e-300, "0.00", id="tiny"),
    ],
)
def test_the_accuracy_is_shown_below_its_limit(accuracy, limit, text):
    scores = {**GOOD, "argument_accuracy": accuracy}
    _, why = trajectory_verdict(scores, min_argument_accuracy=limit)
    assert why == f"argument accuracy {text}"
    assert float(text) < limit


def test_the_limits_are_the_callers():
    scores = {**GOOD, "argument_accuracy": 0.8, "extra_steps": 1}
    assert trajectory_verdict(scores, min_argument_accuracy=0.8) == ("pass", "")
    assert trajectory_verdict(scores, min_argument_accuracy=0, max_extra_steps=0) == (
        "warn",
        "1 step above the reference",
    )


@pytest.mark.parametrize(
    ("scores", "keywords", "kind", "message"),
    [
        (
            {"coverage": True},
            {},
            ValueError,
            r"trajectory_verdict: scores must be what "
            r"score_trajectory returns.*got \{'coverage': True\}",
        ),
        ({**GOOD, "coverage": None}, {}, ValueError, r"with a value for each of coverage"),
        (GOOD, {"mode": "strict"}, ValueError, r"trajectory_verdict: unknown mode 'strict'"),
        (GOOD, {"min_argument_accuracy": 90}, ValueError, r"a share from 0 to 1, got 90"),
        (GOOD, {"min_argument_accuracy": "0.9"}, TypeError, r"must be a number, got str '0.9'"),
        (GOOD, {"max_extra_steps": None}, TypeError, r"max_extra_steps must be a number, got None"),
        (GOOD, {"max_extra_steps": True}, TypeError, r"max_extra_steps must be a number, got bool"),
    ],
)
def test_bad_input_is_named(scores, keywords, kind, message):
    with pytest.raises(kind, match=message):
        trajectory_verdict(scores, **keywords)


MEASURED = {"coverage": True, "argument_accuracy": 1.0, "extra_steps": 9, "duplicate_writes": 0}


@pytest.mark.parametrize(
    ("scores", "limits", "error"),
    [
        pytest.param(None, {}, TypeError, id="none"),
        pytest.param([MEASURED], {}, TypeError, id="list"),
        pytest.param(MEASURED | {"argument_accuracy": float("nan")}, {}, ValueError, id="nan"),
        pytest.param(MEASURED | {"coverage": "no"}, {}, ValueError, id="text"),
        pytest.param(MEASURED, {"max_extra_steps": float("nan")}, ValueError, id="nan limit"),
    ],
)
def test_what_was_not_measured_has_no_verdict(scores, limits, error) -> None:
    with pytest.raises(error, match="trajectory_verdict: "):
        trajectory_verdict(scores, **limits)
