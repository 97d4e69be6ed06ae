"""Steps, cost, latency and the tail: unknown is never zero."""

from __future__ import annotations

import random
import statistics

import pytest

from agenteval.measures import cost_per_completed_task, latency, step_counts, tail


def test_steps_come_from_the_count_or_else_from_the_calls(run, calls) -> None:
    runs = [run(tool_calls=4), run(calls=calls("look pay")), run(tool_calls=0), run()]
    counts = step_counts(runs)
    assert (counts["count"], counts["of"]) == (3, 4)
    assert (counts["min"], counts["p50"], counts["max"]) == (0, 2, 4)


def test_the_tail_shows_where_the_mean_does_not(run) -> None:
    counts = step_counts([run(tool_calls=n) for n in [4] * 18 + [19] * 2])
    assert (counts["p50"], counts["p95"], counts["mean"]) == (4, 19, 5.5)


def test_no_runs_have_no_steps() -> None:
    counts = step_counts([])
    assert (counts["count"], counts["of"], counts["mean"]) == (0, 0, None)


COSTS = [
    pytest.param([(True, 0.25), (False, 0.5)], (0.75, 0.75, 1, 2, 2), id="failures-are-paid-for"),
    pytest.param([(True, 0.2), (True, 0.4)], (0.3, 0.6, 2, 2, 2), id="mean-when-all-pass"),
    pytest.param([(True, 0.25), (True, None)], (0.25, 0.25, 1, 1, 2), id="unknown-is-left-out"),
    pytest.param([(False, 0.25)], (None, 0.25, 0, 1, 1), id="none-completed"),
    pytest.param([(True, None)], (None, None, 0, 0, 1), id="none-known"),
    pytest.param([(True, 0.0)], (0.0, 0.0, 1, 1, 1), id="a-known-zero-is-zero"),
    pytest.param([], (None, None, 0, 0, 0), id="no-runs"),
]


@pytest.mark.parametrize(("given", "wanted"), COSTS)
def test_cost_per_completed_task(run, given, wanted) -> None:
    runs = [run(passed=passed, cost=cost) for passed, cost in given]
    found = cost_per_completed_task(runs)
    keys = ("cost_per_completed_task", "spent", "completed", "known", "of")
    assert tuple(found[key] for key in keys) == pytest.approx(wanted)


def test_costs_are_summed_exactly(run) -> None:
    found = cost_per_completed_task([run(cost=0.1) for _ in range(10)])
    assert (found["spent"], found["cost_per_completed_task"]) == (1.0, 0.1)


def test_latency_keeps_the_first_output_apart(run) -> None:
    times = latency([run(seconds=40.0, first_output_seconds=35.0), run(seconds=10.0)])
    assert (times["seconds"]["p50"], times["seconds"]["count"]) == (25.0, 2)
    first = times["first_output_seconds"]
    assert (first["p50"], first["count"], first["of"]) == (35.0, 1, 2)


def test_the_tail_is_a_filter_and_a_read(run) -> None:
    tasks = [{"id": n, "input": f"question {n}", "expected": None} for n in range(5)]
    runs = [run(n, tool_calls=steps) for n, steps in enumerate([4, 4, 5, 4, 19])]
    # The 90th percentile of 4 4 4 5 19 lies at position 3.6: 5 + 0.6 x 14.
    assert tail(runs, tasks) == [
        {
            "id": 4,
            "repeat": 0,
            "passed": True,
            "value": 19,
            "threshold": pytest.approx(13.4),
            "input": "question 4",
        }
    ]
    assert "input" not in tail(runs)[0]


def test_the_greatest_comes_first_and_equals_keep_their_order(run) -> None:
    runs = [run(n, cost=cost) for n, cost in enumerate([0.1, 0.9, 0.1, 1.0, 0.9, 0.1])]
    found = tail(runs, by="cost", percentile=40)
    assert [row["id"] for row in found] == [3, 1, 4]


BY = [
    pytest.param("tool_calls", {"tool_calls": 9}, id="tool-calls"),
    pytest.param("seconds", {"seconds": 9.0}, id="seconds"),
    pytest.param("first_output_seconds", {"first_output_seconds": 9.0}, id="first-output"),
    pytest.param("cost", {"cost": 9.0}, id="cost"),
]


@pytest.mark.parametrize(("by", "given"), BY)
def test_the_tail_by_anything_that_a_run_takes(run, by, given) -> None:
    usual = {"tool_calls": 1, "seconds": 1.0, "first_output_seconds": 1.0, "cost": 1.0}
    runs = [run(n, **usual) for n in range(9)] + [run("slow", **{**usual, **given})]
    assert [row["id"] for row in tail(runs, by=by)] == ["slow"]


def test_steps_of_the_tail_come_from_the_calls_as_well(run, calls) -> None:
    runs = [run(n, tool_calls=1) for n in range(9)] + [run("long", calls=calls("a b c"))]
    assert [(row["id"], row["value"]) for row in tail(runs)] == [("long", 3)]


def test_what_is_unknown_is_in_no_tail(run) -> None:
    runs = [run(1, cost=1.0), run(2), run(3, cost=None), run(4, cost=2.0)]
    assert [row["id"] for row in tail(runs, by="cost", percentile=0)] == [4]


@pytest.mark.parametrize("values", [[], [None], [3, 3, 3]], ids=["no-runs", "unknown", "equal"])
def test_there_may_be_no_tail(run, values) -> None:
    assert tail([run(tool_calls=value) for value in values]) == []


@pytest.mark.parametrize("seed", range(10))
def test_the_tail_is_what_lies_above_the_percentile_of_statistics(run, seed) -> None:
    rng = random.Random(seed)
    runs = [run(n, seconds=rng.random()) for n in range(50)]
    cuts = statistics.quantiles([r["seconds"] for r in runs], n=100, method="inclusive")
    for percent in (5, 50, 90, 99):
        wanted = {r["id"] for r in runs if r["seconds"] > cuts[percent - 1]}
        assert {row["id"] for row in tail(runs, by="seconds", percentile=percent)} == wanted


def test_a_percentile_of_1_is_one_in_a_hundred(run) -> None:
    runs = [run(n, seconds=float(n)) for n in range(101)]
    assert [row["id"] for row in tail(runs, by="seconds", percentile=1)][-1] == 2


@pytest.mark.parametrize(("passed", "wanted"), [(1, True), (0, False), (1.0, True)])
def test_an_outcome_from_a_table_is_true_or_false(run, passed, wanted) -> None:
    runs = [run(n, seconds=1.0) for n in range(9)] + [run("slow", seconds=9.0, passed=passed)]
    [row] = tail(runs, by="seconds")
    assert row["passed"] is wanted


def test_a_run_without_its_task_is_named(run) -> None:
    runs = [run("a", tool_calls=1), run("b", tool_calls=5)]
    with pytest.raises(
        ValueError, match=r"tail: tasks has no task 'b', which a run is of; pass all"
    ):
        tail(runs, [{"id": "a", "input": "", "expected": None}])


BAD_CHOICES = [
    pytest.param(
        {"by": "tool_call"},
        ValueError,
        r"tail: by must be what a run took, got 'tool_call'; .*did you mean 'tool_calls'",
        id="misspelled",
    ),
    pytest.param({"percentile": 101}, ValueError, r"must be 0 to 100, got 101", id="high"),
    pytest.param({"percentile": 0.9}, ValueError, r"got the share 0.9; pass 90", id="share"),
    pytest.param({"percentile": float("nan")}, ValueError, r"0 to 100, got nan", id="nan"),
    pytest.param({"percentile": "90"}, TypeError, r"must be a number, got str '90'", id="text"),
    pytest.param({"percentile": True}, TypeError, r"must be a number, got bool True", id="bool"),
]


@pytest.mark.parametrize(("choice", "error", "message"), BAD_CHOICES)
def test_a_bad_choice_is_refused(choice, error, message) -> None:
    with pytest.raises(error, match=message):
        tail([], **choice)
