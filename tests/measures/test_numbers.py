"""Numbers and ids as other libraries make them, at the edges of what floats can hold."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest

from agenteval.measures import (
    cost_per_completed_task,
    latency,
    recovery,
    recovery_counts,
    step_counts,
    tail,
)
from agenteval.measures.distributions import distribution

RUN = {"id": "a", "repeat": 0, "passed": True}
SPREAD = [{**RUN, "tool_calls": calls} for calls in (4, 4, 5, 4, 19)]
FAILED = {"name": "look", "args": {}, "error": "timeout"}


def test_decimals_are_numbers() -> None:
    runs = [RUN | {"cost": Decimal("0.25"), "seconds": Decimal("0.5")}]
    assert cost_per_completed_task(runs)["cost_per_completed_task"] == 0.25
    assert latency(runs)["seconds"]["max"] == 0.5
    assert tail([*runs, RUN | {"cost": 3}], by="cost")[0]["value"] == 3


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(Decimal("nan"), id="nan"),
        pytest.param(Decimal("sNaN"), id="signaling-nan"),
        pytest.param(Decimal("1e400"), id="decimal-beyond-floats"),
        pytest.param(Fraction(10**400), id="fraction-beyond-floats"),
        pytest.param(-Fraction(10**400), id="fraction-below-floats"),
        pytest.param(10**400, id="int-beyond-floats"),
    ],
)
@pytest.mark.parametrize(
    ("measure", "key"),
    [(step_counts, "tool_calls"), (cost_per_completed_task, "cost"), (latency, "seconds")],
)
def test_a_number_beyond_floats_is_refused(measure, key: str, value: object) -> None:
    message = f"{measure.__name__}: {key} of run 'a', repeat 0 must be a finite number from 0"
    with pytest.raises(ValueError, match=message):
        measure([RUN | {key: value}])


@pytest.mark.parametrize("percent", [Decimal(90), Fraction(90), 90.0], ids=repr)
def test_the_percentile_is_any_real_number(percent) -> None:
    found = tail(SPREAD, percentile=percent)
    assert found == tail(SPREAD)
    assert type(found[0]["threshold"]) is float


@pytest.mark.parametrize("kind", ["int64", "float32"])
def test_the_percentile_may_be_of_numpy(kind: str) -> None:
    numpy = pytest.importorskip("numpy")
    assert tail(SPREAD, percentile=getattr(numpy, kind)(90)) == tail(SPREAD)


@pytest.mark.parametrize("passed", ["False", "True", None, 2, [], [1], math.nan], ids=repr)
@pytest.mark.parametrize(
    ("measure", "function"),
    [
        pytest.param(cost_per_completed_task, "cost_per_completed_task", id="cost"),
        pytest.param(lambda runs: tail(runs, by="cost"), "tail", id="tail"),
        pytest.param(recovery_counts, "recovery_counts", id="recovery_counts"),
        pytest.param(lambda runs: recovery(runs[1]), "recovery", id="recovery"),
    ],
)
def test_passed_is_a_yes_or_a_no(measure, function: str, passed: object) -> None:
    runs = [RUN | {"cost": 1.0}, RUN | {"cost": 2.0, "passed": passed, "calls": [FAILED]}]
    message = f"^{function}: passed of run 'a', repeat 0 must be True or False, got "
    with pytest.raises(TypeError, match=message):
        measure(runs)


@pytest.mark.parametrize("passed", [1, 1.0, Decimal(1)], ids=repr)
def test_one_is_a_yes(passed: object) -> None:
    assert cost_per_completed_task([RUN | {"passed": passed, "cost": 1}])["completed"] == 1


def test_costs_that_add_up_beyond_floats_are_refused() -> None:
    message = "cost_per_completed_task: the costs .* more than a float can hold, .* is 1e.308"
    with pytest.raises(ValueError, match=message):
        cost_per_completed_task([RUN | {"cost": 1e308}] * 3)


@pytest.mark.parametrize("huge", [1.7e308, int(1.7e308)], ids=["float", "int"])
def test_the_mean_and_the_percentiles_do_not_overflow(huge: float) -> None:
    assert distribution([huge] * 30, of=30)["mean"] == pytest.approx(1.7e308)
    spread = distribution([0.0, huge], of=2)
    assert spread["p50"] == pytest.approx(0.85e308)
    assert spread["p90"] == pytest.approx(1.53e308)


@pytest.mark.parametrize(
    "values",
    [
        pytest.param([1e15 + 0.5, 1e15 + 1.25], id="1e15"),
        pytest.param([1e15, 1e15 + 0.125], id="neighbors"),
        pytest.param([2e15 + 0.25, 2e15 + 0.5, 2e15 + 0.75], id="2e15"),
        pytest.param([2.0**52 - 0.5, 2.0**52], id="the-last-halves"),
        pytest.param([1e15 + 0.125], id="alone"),
        pytest.param([0.0, 5e-324], id="the-least-float"),
        pytest.param([5e-324, 1e-323], id="the-least-two"),
        pytest.param([1e-310, 1e-310 + 1e-322], id="subnormal"),
        pytest.param([1e-310, 0.5], id="far-apart"),
    ],
)
def test_every_bin_has_an_inside_and_every_value_a_bin(values: list[float]) -> None:
    bins = distribution(values, of=len(values))["histogram"]
    assert len(bins) <= 25
    assert sum(bar["count"] for bar in bins) == len(values)
    for bar in bins:
        assert bar["low"] < bar["high"]
        assert bar["count"] == sum(bar["low"] <= value < bar["high"] for value in values)


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        pytest.param(5, r"must be a list of task dicts, got int 5; pass the tasks", id="number"),
        pytest.param("ab", r"must be a list of task dicts, got str 'ab'; pass", id="text"),
        pytest.param([3], r"\[0\] must be a task dict with .* got int 3; pass", id="no dict"),
        pytest.param([{"id": 0}], r"\[0\] must be a task dict with 'id' and", id="no input"),
        pytest.param(
            [{"id": [0], "input": ""}], r"\[0\]: the id must be .* got list \[0\]; use", id="list"
        ),
    ],
)
def test_tail_names_bad_tasks(tasks, message: str) -> None:
    with pytest.raises(TypeError, match=f"^tail: tasks ?{message}"):
        tail(SPREAD, tasks)


def test_tail_names_runs_without_a_sound_id() -> None:
    with pytest.raises(TypeError, match=r"^tail: a run has no 'id': .*; pass report\['runs'\]"):
        tail([{"tool_calls": 1}, {"tool_calls": 9}])
    message = r"^tail: the id of a run must be a str or an int, got list \['a'\]; use the ids"
    with pytest.raises(TypeError, match=message):
        tail([{"tool_calls": 1}, {"id": ["a"], "tool_calls": 9}])


@pytest.mark.parametrize("calls", [5, "look", {"name": "look"}], ids=["number", "text", "dict"])
@pytest.mark.parametrize("measure", [step_counts, tail], ids=["step_counts", "tail"])
def test_calls_that_cannot_be_counted_are_named(measure, calls: object) -> None:
    message = f"{measure.__name__}: calls of run 'a', repeat 0 must be a list of calls or None"
    with pytest.raises(TypeError, match=message):
        measure([RUN | {"calls": calls}])
