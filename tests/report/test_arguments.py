"""What is no report, no row, no comparison, no step: said in words, with the place it was found."""

from __future__ import annotations

from typing import Any

import pytest

from agenteval.reliability import compare
from agenteval.report import (
    comparison_text,
    curve_text,
    html,
    junit_xml,
    markdown,
    steps_text,
    text,
)
from agenteval.trajectory import Call

ROW = {"id": "a", "repeat": 0, "passed": True, "verdict": "pass", "why": "", "diagnosis": "sound"}
STEP = {
    "step": 1,
    "name": "f",
    "args": {},
    "verdict": "extra",
    "reference_step": None,
    "differences": {},
    "error": None,
}
POINT = {"k": 1, "tasks": 1, "pass_hat_k": 0.5, "low": 0.1, "high": 0.9, "pass_at_k": 0.5}
COMPARISON = compare({"a": [1] * 3}, {"a": [0] * 3})
REPORT_FORMS = [text, markdown, junit_xml, html]

RUNS = [
    pytest.param({"repeat": None}, "run 'a': repeat must be .* got NoneType None", id="none"),
    pytest.param({"repeat": "1"}, "run 'a': repeat must be .* got str '1'; count", id="text"),
    pytest.param({"id": []}, r"run 1: id must be a str or an int, got list \[\]", id="id"),
    pytest.param({"passed": "False"}, "run 'a', repeat 1: passed must be a bool, got str", id="F"),
    pytest.param({"passed": None}, "passed must be a bool, got NoneType None", id="not-passed"),
    pytest.param({"passed": 0.5}, "passed must be a bool, got float 0.5", id="half-passed"),
    pytest.param({"reasons": "abc"}, "reasons must be a list of texts, got str", id="reasons"),
    pytest.param({"calls": 5}, "run 'a', repeat 1: calls must be a list of calls", id="calls"),
    pytest.param({"calls": ["f"]}, r"calls\[0\]: a call must be a Call or a dict", id="call"),
    pytest.param({"calls": [{"name": None}]}, r"calls\[0\]: .*name must be a str", id="name"),
    pytest.param(
        {"calls": [Call("g"), {"name": "f", "args": {}, "error": 5}]},
        r"run 'a', repeat 1: calls\[1\]: .*error must be a str or None, got int 5",
        id="error",
    ),
    pytest.param({"trace": [1]}, r"repeat 1: trace must be a mapping, got list \[1\]", id="trace"),
    pytest.param(
        {"trace": {"unanswered_calls": 5}},
        r"trace\['unanswered_calls'\] must be a list, got int 5",
        id="unanswered",
    ),
    pytest.param(
        {"trace": {"unanswered_calls": [[]]}},
        r"trace\['unanswered_calls'\]\[0\] must be a whole number, got list",
        id="unanswered-call",
    ),
]


@pytest.mark.parametrize("form", REPORT_FORMS)
@pytest.mark.parametrize(("given", "message"), RUNS)
def test_a_run_that_is_none_is_named(report, run, form, given, message) -> None:
    made = report([run("a"), run("a", 1)])
    made["runs"][1] = {**made["runs"][1], **given}
    with pytest.raises(TypeError, match=rf"{form.__name__}: .*{message}"):
        form(made)


REPORTS = [
    pytest.param({"runs": None}, r"report\['runs'\] must be a list of runs, got None", id="runs"),
    pytest.param({"runs": [{}]}, "run 0 has no 'id', got {}; pass the runs", id="empty-run"),
    pytest.param({"runs": [5]}, "run 0 must be a mapping, got int 5", id="number"),
    pytest.param({"reasons": []}, r"report\['reasons'\] must be a mapping", id="reasons"),
    pytest.param({"reasons": {"a": "b"}}, r"report\['reasons'\]\['a'\] must be a w", id="count"),
    pytest.param({"pass_rate": None}, r"report\['pass_rate'\] must be a number", id="rate"),
    pytest.param({"total": "x"}, r"report\['total'\] must be a whole number", id="total"),
]


@pytest.mark.parametrize("form", REPORT_FORMS)
@pytest.mark.parametrize(("given", "message"), REPORTS)
def test_a_report_of_other_things(report, run, form, given, message) -> None:
    with pytest.raises(TypeError, match=rf"{form.__name__}: {message}"):
        form({**report([run("a")]), **given})


def test_a_rate_above_one(report, run) -> None:
    with pytest.raises(ValueError, match=r"report\['pass_rate'\] must be from 0 to 1, got 1\.5"):
        text({**report([run("a")]), "pass_rate": 1.5})


ROWS = [
    pytest.param("abc", TypeError, "rows must be the rows of score_runs, got str 'abc'", id="text"),
    pytest.param(5, TypeError, "rows must be the rows of score_runs, got int 5", id="number"),
    pytest.param([None], TypeError, "row 0 must be a mapping, got NoneType None", id="none"),
    pytest.param([{}], TypeError, "row 0 has no 'id', got {}", id="empty"),
    pytest.param([{**ROW, "why": []}], TypeError, "row 0: id, .* must be plain", id="why"),
    pytest.param(
        [{**ROW, "verdict": "FAIL"}],
        ValueError,
        r"row 0, task 'a': verdict: unknown 'FAIL'; .*\(did you mean 'fail'\?\)",
        id="verdict",
    ),
]


@pytest.mark.parametrize("form", [text, markdown, junit_xml])
@pytest.mark.parametrize(("rows", "error", "message"), ROWS)
def test_what_are_no_rows(report, run, form, rows, error, message) -> None:
    with pytest.raises(error, match=f"{form.__name__}: {message}"):
        form(report([run("a")]), rows=rows)


WHOLE = r"comparison must be what compare returns, got .*agenteval\.compare"
COMPARISONS = [
    pytest.param({}, TypeError, WHOLE, id="empty"),
    pytest.param("x", TypeError, WHOLE, id="text"),
    pytest.param({"regressions": []}, TypeError, WHOLE, id="half"),
    pytest.param(
        {**COMPARISON, "changes": 5}, TypeError, r"\['changes'\] must be a list", id="changes"
    ),
    pytest.param(
        {**COMPARISON, "changes": [{}]}, TypeError, r"\['changes'\]\[0\] has no 'id'", id="change"
    ),
    pytest.param(
        {**COMPARISON, "fixed": [[]]}, TypeError, r"\['fixed'\]\[0\] must be a str", id="task"
    ),
    pytest.param(
        {**COMPARISON, "p_value": None}, TypeError, r"\['p_value'\] must be a number", id="p"
    ),
    pytest.param(
        {**COMPARISON, "new_pass_rate": float("nan")}, ValueError, "from 0 to 1, got nan", id="nan"
    ),
]


@pytest.mark.parametrize(("given", "error", "message"), COMPARISONS)
def test_what_is_no_comparison(report, run, given, error, message) -> None:
    made = report([run("a")])
    with pytest.raises(error, match=f"^comparison_text: comparison.*{message}|{message}"):
        comparison_text(given)
    for form in (text, markdown):
        with pytest.raises(error, match=rf"^{form.__name__}: (comparison.*)?{message}"):
            form(made, comparison=given)


LIMITS = [
    pytest.param("3", TypeError, "must be a whole number, or None for all, got str '3'", id="text"),
    pytest.param(2.5, TypeError, "must be a whole number, or None for all, got float", id="half"),
    pytest.param(True, TypeError, "must be a whole number, or None for all, got bool", id="bool"),
    pytest.param(-1, ValueError, "must be at least 0, got -1", id="negative"),
]


@pytest.mark.parametrize(("limit", "error", "message"), LIMITS)
def test_what_is_no_number_of_tasks(report, run, limit, error, message) -> None:
    made = report([run("a")])
    for form, given in ((text, made), (markdown, made), (comparison_text, COMPARISON)):
        with pytest.raises(error, match=f"{form.__name__}: max_tasks {message}"):
            form(given, max_tasks=limit)


def test_none_shows_all_tasks_and_0_none(report, run) -> None:
    made = report([run(f"task {n:03}") for n in range(100)])
    comparison = compare(dict.fromkeys(range(100), True), dict.fromkeys(range(100), False))
    for form, given in ((text, made), (markdown, made), (comparison_text, comparison)):
        assert "more" not in form(given, max_tasks=None)
        assert "100 more" in form(given, max_tasks=0)


STEPS: list[Any] = [
    pytest.param((None,), {}, TypeError, "steps must be the rows of compare_steps", id="none"),
    pytest.param(([{}],), {}, TypeError, "step 0 has no 'step', got {}", id="empty"),
    pytest.param(
        ([{**STEP, "args": None}],), {}, TypeError, r"step 0\['args'\] must be", id="args"
    ),
    pytest.param(([{**STEP, "verdict": 5}],), {}, TypeError, r"\['verdict'\] must be text", id="v"),
    pytest.param(
        ([{**STEP, "differences": {"a": 5}}],), {}, TypeError, r"\['a'\] must be a m", id="diff"
    ),
    pytest.param(
        ([{**STEP, "differences": {"a": {}}}],), {}, TypeError, "no 'actual' and no 'ref", id="no"
    ),
    pytest.param(([STEP], {}), {}, TypeError, "scores has no 'coverage', got {}", id="scores"),
    pytest.param(
        ([STEP],), {"row": {"coverage": True}}, TypeError, "scores has no 'argument", id="half-row"
    ),
    pytest.param(([STEP],), {"row": 5}, TypeError, "row must be a mapping, got int 5", id="row"),
    pytest.param(([STEP],), {"width": "80"}, TypeError, "width must be a whole number", id="width"),
    pytest.param(([STEP],), {"width": 0}, ValueError, "width must be at least 1", id="no-width"),
    pytest.param(
        ([STEP],), {"verdict": ("fail",)}, TypeError, "verdict must be a pair of verdict", id="one"
    ),
    pytest.param(
        ([STEP],), {"verdict": "fail"}, TypeError, "verdict must be a pair .* got str", id="word"
    ),
    pytest.param(
        ([STEP],), {"verdict": ("FAIL", "")}, ValueError, "unknown 'FAIL'; use one of", id="upper"
    ),
    pytest.param(([STEP],), {"cost": "1"}, TypeError, "cost must be a number, got str", id="cost"),
    pytest.param(
        ([STEP],), {"cost": float("inf")}, ValueError, "cost must be finite and 0 or m", id="inf"
    ),
    pytest.param(
        ([STEP],), {"passed": "no"}, TypeError, "passed must be a bool, got str", id="no-"
    ),
]


@pytest.mark.parametrize(("given", "named", "error", "message"), STEPS)
def test_what_are_no_steps(given, named, error, message) -> None:
    with pytest.raises(error, match=f"steps_text: .*{message}"):
        steps_text(*given, **named)


CURVES = [
    pytest.param(
        {1: [True]}, TypeError, r"k=1 has list .*pass reliability_table\(outcomes\)", id="outcomes"
    ),
    pytest.param({1: None}, TypeError, "k=1 has NoneType None; values are numbers", id="none"),
    pytest.param({1: "a"}, TypeError, "k=1 has str 'a'; values are numbers", id="text"),
    pytest.param({1: 0.5, "b": 0.2}, TypeError, "k must be a whole number, got str 'b'", id="ks"),
    pytest.param({"a": 0.5}, TypeError, "k must be a whole number, got str 'a'", id="k"),
    pytest.param({0: 0.5}, ValueError, "k must be at least 1, got 0", id="k-0"),
    pytest.param([{**POINT, "low": None}], TypeError, "k=1 has low NoneType None", id="low"),
    pytest.param([{**POINT, "pass_at_k": 5}], ValueError, "k=1 has pass_at_k 5; v", id="chance"),
]


@pytest.mark.parametrize(("curve", "error", "message"), CURVES)
def test_what_is_no_curve(curve, error, message) -> None:
    with pytest.raises(error, match=f"curve_text: {message}"):
        curve_text(curve)


@pytest.mark.parametrize("form", REPORT_FORMS)
def test_what_runs_may_hold_all_forms_take(report, run, form) -> None:
    calls = [Call("look", {"a": 1}, error="gone"), {"name": "look"}]
    made = report([run("a", 0, "wrong", calls=calls), run("a", 1)])
    made["runs"][0] = {**made["runs"][0], "reasons": [5, [6]], "passed": 0}
    shown = form(made)
    assert "5" in shown
    assert "[6]" in shown
    assert made["runs"][0]["reasons"] == [5, [6]]
