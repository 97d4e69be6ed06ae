"""What every measure has in common: input unchanged, any container, plain messages."""

from __future__ import annotations

import copy
import json
from fractions import Fraction

import pytest

from agenteval.measures import (
    cost_per_completed_task,
    latency,
    recovery_counts,
    step_counts,
    tail,
    tool_errors,
)

MEASURES = [step_counts, cost_per_completed_task, latency, recovery_counts, tail, tool_errors]
ALL = pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.__name__)
NUMBERS = [
    pytest.param(step_counts, "tool_calls", id="step_counts"),
    pytest.param(cost_per_completed_task, "cost", id="cost_per_completed_task"),
    pytest.param(latency, "seconds", id="latency-seconds"),
    pytest.param(latency, "first_output_seconds", id="latency-first-output"),
    pytest.param(tail, "tool_calls", id="tail"),
]


@pytest.fixture
def runs(run, calls):
    return [
        run("a", calls=calls("look! look! look! pay"), cost=0.5, tool_calls=4),
        run("a", 1, passed=False, calls=calls("look"), first_output_seconds=0.25),
        run("b", seconds=None, answer=None, status=None, passed=False),
    ]


@ALL
def test_runs_are_not_changed(measure, runs) -> None:
    before = copy.deepcopy(runs)
    measure(runs)
    assert runs == before


@ALL
@pytest.mark.parametrize("container", [tuple, iter, lambda runs: dict(enumerate(runs)).values()])
def test_runs_may_come_in_any_container(measure, runs, container) -> None:
    assert measure(container(runs)) == measure(runs)


@ALL
def test_results_are_ready_for_json(measure, runs) -> None:
    assert json.loads(json.dumps(measure(runs))) == measure(runs)


@ALL
def test_a_report_in_place_of_its_runs(measure, runs) -> None:
    message = rf"{measure.__name__}: runs must be .*, got the report; pass report\['runs'\]"
    with pytest.raises(TypeError, match=message):
        measure({"pass_rate": 1.0, "runs": runs})


@ALL
@pytest.mark.parametrize(
    ("given", "message"),
    [
        pytest.param({"id": "a"}, r"got one mapping; pass \[run\]", id="one-run"),
        pytest.param("runs.jsonl", r"got str 'runs.jsonl'; pass report", id="text"),
        pytest.param(3, r"got int 3; pass report", id="number"),
        pytest.param([{}, 3], r"run 1 must be a mapping, got int 3; pass", id="no-run"),
    ],
)
def test_what_are_no_runs(measure, given, message) -> None:
    with pytest.raises(TypeError, match=rf"{measure.__name__}: .*{message}"):
        measure(given)


@pytest.mark.parametrize(("measure", "key"), NUMBERS)
@pytest.mark.parametrize(
    ("value", "error"),
    [
        pytest.param("0.5", TypeError, id="text"),
        pytest.param(True, TypeError, id="bool"),
        pytest.param([1], TypeError, id="list"),
        pytest.param(-1, ValueError, id="negative"),
        pytest.param(float("nan"), ValueError, id="nan"),
        pytest.param(float("inf"), ValueError, id="infinite"),
    ],
)
def test_what_is_no_number_is_refused_and_named(run, measure, key, value, error) -> None:
    message = rf"{measure.__name__}: {key} of run 'b', repeat 2 must be .*leave it out where it is"
    with pytest.raises(error, match=message):
        measure([run("a"), run("b", 2, **{key: value})])


@pytest.mark.parametrize(("measure", "key"), NUMBERS)
def test_numbers_of_other_types_become_plain_ones(run, measure, key) -> None:
    found = measure([run(n, **{key: Fraction(n)}) for n in range(1, 4)])
    assert found == measure([run(n, **{key: n}) for n in range(1, 4)])
    json.dumps(found)
