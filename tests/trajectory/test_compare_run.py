"""One run's step table, read as its scores are."""

from __future__ import annotations

from datetime import date

import pytest

from agenteval.report import html
from agenteval.trajectory import Call, compare_run, compare_steps, score_runs

LOOK, FILE, BACK = Call("look"), Call("file", {"n": 1}), Call("back")


def run_of(*calls: Call, **fields: object) -> dict:
    return {"id": 1, "repeat": 0, "passed": True, "calls": list(calls), **fields}


def test_the_rows_are_those_of_the_tasks_reference_mode_and_rule():
    task = {"id": 1, "reference": [FILE, LOOK], "mode": "any_order", "args_match": "ignore"}
    run = run_of(LOOK, Call("file", {"n": 2}))
    rows = compare_run(run, task)
    assert rows == compare_steps(task["reference"], run["calls"], "any_order", args_match="ignore")
    plain = {"id": 1, "reference": [FILE, LOOK], "mode": None, "args_match": None}
    assert compare_run(run, plain, "any_order", args_match="ignore") == rows


def test_of_several_references_the_best_or_the_one_asked_for():
    task = {"id": 1, "references": [[LOOK, BACK], [LOOK, FILE]]}
    run = run_of(LOOK, FILE)
    assert [row["verdict"] for row in compare_run(run, task)] == [
        "matches step 1",
        "matches step 2",
    ]
    assert compare_run(run, task, reference=0) == compare_steps([LOOK, BACK], [LOOK, FILE])


@pytest.mark.parametrize("value", [(1, 2), {"b", "a"}, date(2026, 1, 2)], ids=repr)
def test_the_table_says_what_the_scores_say_of_values_that_json_lacks(value):
    task = {"id": 1, "input": "", "expected": None, "reference": [Call("look", {"at": value})]}
    run = run_of(Call("look", {"at": value}), reasons=[], status="final", answer="", tool_calls=1)
    [row] = score_runs([run], [task])
    assert row["verdict"] == "pass"
    assert [step["verdict"] for step in compare_run(run, task)] == ["matches step 1"]
    report = {"pass_rate": 1.0, "passed": 1, "total": 1, "tasks": 1, "reasons": {}, "runs": [run]}
    page = html(report, tasks=[{**task, "args_match": None}])
    assert "matches step 1" in page
    assert "wrong argument" not in page


@pytest.mark.parametrize(
    ("run", "task", "options", "error", "message"),
    [
        pytest.param(
            None, {"id": 1, "reference": []}, {}, TypeError, "must be a run of task 1", id="no run"
        ),
        pytest.param(
            run_of() | {"id": 2}, {"id": 1, "reference": []}, {}, ValueError,
            "must be a run of task 1, got dict {'id': 2", id="another task's",
        ),
        pytest.param(run_of(), 7, {}, TypeError, "must be a task with an 'id'", id="no task"),
        pytest.param(
            run_of(), {"id": 1}, {}, ValueError, "task 1: the task has no reference", id="no path"
        ),
        pytest.param(
            run_of(calls=None), {"id": 1, "reference": []}, {}, ValueError,
            "task 1: the run did not record its calls", id="no calls",
        ),
        pytest.param(
            run_of(), {"id": 1, "references": [[], []]}, {"reference": 2}, ValueError,
            "reference must be from 0 to 1, got 2", id="no such reference",
        ),
        pytest.param(
            run_of(), {"id": 1, "references": [[], []]}, {"reference": 1.0}, TypeError,
            "reference must be from 0 to 1, got 1.0", id="no whole number",
        ),
        pytest.param(
            run_of(), {"id": 1, "refrence": []}, {}, ValueError, "unknown key 'refrence'", id="slip"
        ),
        pytest.param(
            run_of(), {"id": 1, "reference": []}, {"mode": "strict"}, ValueError,
            "unknown mode 'strict'", id="mode",
        ),
    ],
)  # fmt: skip
def test_bad_input_is_named(run, task, options, error, message):
    with pytest.raises(error, match=f"^compare_run: .*{message}"):
        compare_run(run, task, **options)
