"""What the page says, held against the modules that computed it and against the runs."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from agenteval.harness import summarize
from agenteval.measures import step_counts
from agenteval.reliability import compare, outcomes, reliability_table
from agenteval.report import html, html_fragment
from agenteval.report.formatting import number, rate
from agenteval.trajectory import Call, score_runs

Make = Callable[..., dict[str, Any]]


def rows_of(page: str, caption: str) -> list[list[str]]:
    """The cells, without markup, of the first table whose caption starts so."""
    start = page.index(f"<caption>{caption}")
    body = page[page.index("<tbody>", start) : page.index("</tbody>", start)]
    return [
        [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)]
        for row in re.findall(r"<tr>.*?</tr>", body, re.DOTALL)
    ]


def figures_of(page: str) -> dict[str, tuple[str, str]]:
    found = re.findall(
        r'<div><dt>(.*?)</dt><dd class="value">(.*?)</dd><dd class="note">(.*?)</dd></div>', page
    )
    return {name: (value, note) for name, value, note in found}


def test_the_pass_rate_stands_first_with_its_interval(desk: Any) -> None:
    report, _ = desk
    first = reliability_table(outcomes(report["runs"]))[0]
    found = figures_of(html(report))
    assert next(iter(found)) == "Pass rate"
    assert found["Pass rate"] == (
        rate(report["pass_rate"]),
        f"{report['passed']} of 30 runs; 95% interval {rate(first['low'])} to "
        f"{rate(first['high'])}, over 6 tasks",
    )
    assert first["low"] < report["pass_rate"] < first["high"]


def test_the_curve_s_numbers_are_those_of_the_reliability_table(desk: Any) -> None:
    report, tasks = desk
    table = reliability_table(outcomes(report["runs"]))
    held = reliability_table(outcomes(score_runs(report["runs"], tasks), by="both"))
    assert rows_of(html(report, tasks=tasks), "Reliability of 6 tasks") == [
        [
            str(row["k"]),
            rate(row["pass_hat_k"]),
            f"{rate(row['low'])}–{rate(row['high'])}",
            rate(row["pass_at_k"]),
            rate(also["pass_hat_k"]),
        ]
        for row, also in zip(table, held, strict=True)
    ]
    assert [row["k"] for row in table] == [1, 2, 3, 4, 5]


def test_a_table_of_one_s_own_is_shown_and_its_confidence_not_guessed(desk: Any) -> None:
    report, _ = desk
    table = reliability_table(outcomes(report["runs"]), max_k=2, confidence=0.8)
    page = html(report, table=table)
    assert [row[0] for row in rows_of(page, "Reliability")] == ["1", "2"]
    assert "95%" not in page
    assert f"interval {rate(table[0]['low'])} to" in figures_of(page)["Pass rate"][1]


def test_reasons_are_counted_commonest_first(desk: Any) -> None:
    report, _ = desk
    found = rows_of(html(report), "A run can have several reasons")
    assert [(reason, int(count)) for reason, count, *_ in found] == list(report["reasons"].items())


def test_rare_reasons_are_counted_even_where_they_are_not_listed(make_run: Make) -> None:
    runs = [make_run("a", n, reasons=[f"reason {n}"]) for n in range(33)]
    page = html(summarize(runs))
    assert len(rows_of(page, "A run can")) == 30
    assert "3 rarer reasons not listed, 3 times in all." in page


def test_tasks_stand_worst_first_and_their_repeats_in_order(desk: Any) -> None:
    report, tasks = desk
    page = html({**report, "runs": report["runs"][::-1]}, tasks=tasks)
    shown = re.findall(r"<h3><bdi>(.*?)</bdi></h3>.*?(\d) of 5 passed", page)
    passed = {task: sum(runs) for task, runs in outcomes(report["runs"]).items()}
    assert dict(shown) == {task: str(count) for task, count in passed.items()}
    counts = [int(count) for _, count in shown]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1] == 5
    assert re.findall(r"Repeat (\d) of 5", page) == list("12345") * 6


def test_a_run_shows_its_answer_error_and_what_it_took(desk: Any) -> None:
    page = html(desk[0], tasks=desk[1])
    for said in (
        "<dt>Input</dt><dd><bdi>please do 3</bdi></dd>",
        "<dt>Expected</dt><dd><bdi>5</bdi></dd>",
        '<dt>Answer</dt><dd><span class="soft">none</span></dd>',
        "<dt>Error</dt><dd><bdi>KeyError: 'order'</bdi></dd>",
        "Traceback (most recent call last):\n  ...\nKeyError",
        "<dt>Attempts</dt><dd>3: <bdi>TimeoutError: slow</bdi>; <bdi>TimeoutError: slow</bdi></dd>",
        "<dt>Took</dt><dd>$0.10 against a reference of $0.04, 1.2 s</dd>",
        "<dt>Took</dt><dd>1.2 s</dd>",
    ):
        assert said in page


def test_the_steps_of_a_run_are_set_against_the_reference(make_run: Make) -> None:
    order = {"order_id": "88120"}
    damaged = {"topic": "damaged_delivery"}
    claim = order | {"reason": "damaged"}
    task = {
        "id": "damaged",
        "input": "Order 88120 arrived damaged.",
        "expected": "done",
        "reference_cost": 0.09,
        "reference": [
            Call("lookup_order", order),
            Call("get_policy", damaged),
            Call("create_claim", claim),
        ],
    }
    made = [
        ("lookup_order", order),
        ("search_orders", {"query": "88120"}),
        ("get_policy", {"topic": "returns"}),
        ("get_policy", damaged),
        ("create_claim", claim),
        ("create_claim", claim),
    ]
    calls = [{"name": name, "args": args, "error": None} for name, args in made]
    run = make_run("damaged", 0, answer="done", calls=calls, tool_calls=6, cost=0.21)
    page = html(summarize([run]), tasks=[task])
    rows = rows_of(page, "Calls against the reference")
    assert [(row[0], row[2]) for row in rows] == [
        ("1", "matches step 1"),
        ("2", "extra"),
        (
            "3",
            'wrong argumenttopic: "returns" instead of "damaged_delivery"',
        ),
        ("4", "matches step 2"),
        ("5", "matches step 3"),
        ("6", "DUPLICATE WRITE"),
        ("7", ""),
    ]
    assert rows[4][1] == 'create_claim(order_id="88120", reason="damaged")'
    assert rows[6][1] == "final answer"
    assert (
        '<span class="bad">fail</span>: a write tool ran twice with identical arguments (lucky)'
        "<br/>"
        "coverage pass, argument accuracy 0.80, extra steps +3, duplicate writes 1</dd>"
    ) in page
    assert "$0.21 against a reference of $0.09" in page


def test_missing_steps_and_arguments_say_which(make_run: Make) -> None:
    task = {
        "id": 1,
        "input": "",
        "expected": "5",
        "reference": [Call("look", {"order": 7, "deep": True}), Call("file", {"order": 7})],
    }
    calls = [{"name": "look", "args": {"order": 7, "fast": 1}, "error": "slow"}]
    page = html(summarize([make_run(1, 0, calls=calls, status="stopped")]), tasks=[task])
    rows = rows_of(page, "Calls")
    assert rows == [
        ["1", "look(order=7, fast=1)error: slow", rows[0][2]],
        ["–", "look(order=7, deep=true)", "missing (step 1)"],
        ["–", "file(order=7)", "missing (step 2)"],
    ]
    assert "deep: missing, true in the reference" in rows[0][2]
    assert "fast: 1, not in the reference" in rows[0][2]
    assert "<dt>Status</dt><dd><bdi>stopped</bdi></dd>" in page


def test_one_of_several_references_is_the_one_that_was_scored(make_run: Make) -> None:
    task = {
        "id": 1,
        "input": "",
        "expected": "5",
        "references": [[Call("ask", {})], [Call("look", {"order": 7}), Call("file", {"order": 7})]],
    }
    page = html(summarize([make_run(1, 0)]), tasks=[task])
    assert [row[2] for row in rows_of(page, "Calls against")] == [
        "matches step 1",
        "matches step 2",
        "",
    ]


@pytest.mark.parametrize(
    ("own", "given"),
    [
        pytest.param({"args_match": "subset"}, {}, id="the task's own rule"),
        pytest.param({}, {"args_match": "subset"}, id="the page's rule"),
        pytest.param({"args_match": "subset"}, {"args_match": "exact"}, id="the task's goes first"),
    ],
)
def test_the_step_table_compares_arguments_as_the_scores_do(
    own: dict[str, Any], given: dict[str, Any], make_run: Make
) -> None:
    wide = Call("look", {"order": 7, "deep": True})
    task = {"id": 1, "input": "", "expected": "5", "reference": [wide]} | own
    run = make_run(1, 0, calls=[{"name": "look", "args": {"order": 7}, "error": None}])
    page = html(summarize([run]), tasks=[task], **given)
    assert rows_of(page, "Calls against")[0][2] == "matches step 1"
    assert "argument accuracy 1.00" in page


def test_the_step_table_goes_by_the_mode_and_the_write_tools_that_are_given(make_run: Make) -> None:
    both = [Call("look", {}), Call("stamp", {})]
    task = {"id": 1, "input": "", "expected": "5", "reference": both}
    calls = [{"name": name, "args": {}, "error": None} for name in ("stamp", "look", "stamp")]
    report = summarize([make_run(1, 0, calls=calls)])
    page = html(report, tasks=[task], mode="any_order", write_tools={"stamp"})
    assert [row[2] for row in rows_of(page, "Calls against")] == [
        "matches step 2",
        "matches step 1",
        "DUPLICATE WRITE",
        "",
    ]
    assert "duplicate writes 1" in page


def test_an_empty_reference_is_a_reference(make_run: Make) -> None:
    task = {"id": 1, "input": "", "expected": "5", "reference": []}
    page = html(summarize([make_run(1, 0)]), tasks=[task])
    assert [row[2] for row in rows_of(page, "Calls against")] == ["extra", "extra", ""]


def test_outcome_and_path_are_crossed(desk: Any) -> None:
    report, tasks = desk
    rows = score_runs(report["runs"], tasks)
    page = html(report, rows=rows)
    count = {
        word: sum(row["diagnosis"] == word for row in rows)
        for word in ("sound", "lucky", "blocked", "failed")
    }
    assert all(count.values()), "the example has all four"
    assert rows_of(page, "Outcome and path of 30 runs") == [
        ["Sensible path", f"{count['sound']} sound", f"{count['blocked']} blocked"],
        ["Broken path", f"{count['lucky']} lucky", f"{count['failed']} failed"],
    ]
    whys = rows_of(page, "What was wrong with paths")
    assert sum(int(row[1]) for row in whys) == sum(row["verdict"] != "pass" for row in rows)


def test_percentiles_say_how_many_runs_they_know(desk: Any) -> None:
    report, _ = desk
    known = [run for run in report["runs"] if run["cost"] is not None]
    assert len(known) < 30
    page = html(report)
    found = {row[0]: row[1:] for row in rows_of(page, "Percentiles over runs")}
    assert list(found) == ["least", "p50", "p90", "p95", "most", "mean", "known"]
    assert found["known"] == [f"{len(known)} of 30"] * 2 + ["all 30"]
    steps = step_counts(report["runs"])
    assert found["p90"] == [number(steps["p90"]), "$0.10", "1.2 s"]
    assert "First output" not in page, "no run told of one"
    assert "known for " in figures_of(html(report))["Cost per completed task"][1]


def test_the_comparison_with_a_baseline_is_compare_s(desk: Any, make_run: Make) -> None:
    report, _ = desk
    old = summarize(
        [make_run(f"task {n}", k, reasons=["x"] * (n == 0)) for n in range(5) for k in range(5)]
        + [make_run("gone", 0)]
    )
    expected = compare(outcomes(old["runs"]), outcomes(report["runs"]))
    assert expected["regressions"]
    assert expected["fixed"] == ["task 0"]
    page = html(report, baseline=old)
    found = figures_of(page)
    drop = expected["new_pass_rate"] - expected["old_pass_rate"]
    assert found["Baseline"][0] == rate(expected["old_pass_rate"])
    assert found["Now"][0] == rate(expected["new_pass_rate"])
    assert (
        found["Now"][1] == f"pass rate now, {rate(abs(drop))} {'lower' if drop < 0 else 'higher'}"
    )
    assert found["p"][0] == rate(expected["p_value"])
    assert [row[0] for row in rows_of(page, "Tasks whose pass rate changed")] == [
        change["id"]
        for change in sorted(
            expected["changes"], key=lambda change: change["new_rate"] - change["old_rate"]
        )
    ]  # the worst first
    listed = dict(re.findall(r"<dt>(\w+)</dt><dd>(.*?)</dd>", page))
    assert re.sub("<[^>]+>", "", listed["Regressions"]) == ", ".join(expected["regressions"])
    assert re.sub("<[^>]+>", "", listed["Removed"]) == "gone"
    assert "href" in listed["Fixed"]
    assert "href" not in listed["Removed"], "no link to what the page does not show"
    assert ">baseline " in page, "the baseline's own line in the chart"
    alone = html(report, comparison=expected)
    assert (
        alone.split('<section id="reliability">')[0] == page.split('<section id="reliability">')[0]
    )


def test_nothing_changed_is_said(make_run: Make) -> None:
    report = summarize([make_run("a", 0)])
    page = html(report, baseline=report)
    assert "No task's pass rate changed." in page
    assert "pass rate now, unchanged" in page
    assert '<dt>Regressions</dt><dd><span class="soft">none</span></dd>' in page


def test_long_lists_say_how_much_they_leave_out(make_run: Make) -> None:
    old = summarize([make_run(n, 0) for n in range(130)])
    new = summarize([make_run(n, 0, reasons=["wrong answer"]) for n in range(130)])
    page = html(new, baseline=old)
    assert " and 30 more</dd>" in page
    assert "The first 100 of 130 tasks</caption>" in page


class TestSmallEvaluations:
    """One of everything, or none of it."""

    def test_one_run(self, make_run: Make, read: Any) -> None:
        page = html(summarize([make_run("only", 0)]))
        document = read(page)
        assert "1 task, 1 repeat each: 1 of 1 run passed." in document.text
        assert "pass^1" not in figures_of(page)
        assert "Flaky tasks" not in figures_of(page)
        assert "One repeat cannot show how steady a pass is" in page
        assert document.text.count("Repeat ") == 0, "a single run needs no fold of its own"
        assert "No run failed." in page

    def test_no_calls_costs_or_times(self, make_run: Make, read: Any) -> None:
        unknown = dict.fromkeys(["tool_calls", "tools_used", "calls", "cost", "answer", "status"])
        page = html(summarize([make_run("a", k, **unknown) for k in range(2)]))
        read(page)
        assert set(figures_of(page)) == {"Pass rate", "pass^2", "Flaky tasks"}
        assert '<table class="steps' not in page
        assert {len(row) for row in rows_of(page, "Percentiles")} == {2}, "only the time is known"
        assert "$" not in page

    def test_runs_with_nothing_but_an_outcome(self, read: Any) -> None:
        bare = [{"id": 1, "repeat": 0, "passed": True, "reasons": []}]
        page = html(summarize(bare))
        read(page)
        assert 'id="spread"' not in page, "nothing is known of what runs took"

    def test_no_references_means_no_paths(self, desk: Any) -> None:
        report, tasks = desk
        plain = [{key: task[key] for key in ("id", "input", "expected")} for task in tasks]
        page = html(report, tasks=plain)
        assert 'id="paths"' not in page
        assert "<caption>Calls</caption>" in page
        assert "please do 3" in page

    def test_tasks_that_only_have_references(self, desk: Any) -> None:
        report, tasks = desk
        page = html(
            report, tasks=[{key: task[key] for key in ("id", "reference")} for task in tasks]
        )
        assert "Calls against the reference" in page
        assert "<dt>Input</dt>" not in page

    def test_no_runs(self, read: Any) -> None:
        nothing = {
            "pass_rate": 0.0,
            "passed": 0,
            "total": 0,
            "tasks": 0,
            "reasons": {},
            "runs": [],
        }
        document = read(html(nothing))
        assert "There are no runs to report." in document.text
        assert "0.00" not in document.text, "unknown is not zero"
        assert "No runs." in read(html_fragment(nothing)).elements[0].text

    def test_uneven_repeats_say_what_the_interval_is_for(self, make_run: Make) -> None:
        runs = [make_run("a", 0)] + [make_run("b", k, reasons=["x"]) for k in range(3)]
        value, note = figures_of(html(summarize(runs)))["Pass rate"]
        assert value == "0.25"
        assert note.endswith("for 0.50, the mean over tasks")
        assert "2 tasks, 1 to 3 repeats each" in html(summarize(runs))

    def test_a_task_that_was_never_run_is_named(self, desk: Any) -> None:
        report, tasks = desk
        idle = {"id": "idle", "input": "", "expected": None}
        assert "Never run: <bdi>idle</bdi>." in html(report, tasks=[*tasks, idle])

    def test_ids_1_and_text_1_are_two_tasks(self, make_run: Make) -> None:
        page = html(summarize([make_run(1, 0), make_run("1", 0)]))
        assert page.count("<h3>") == 2


def test_the_heading_is_the_title_or_the_label(make_run: Make) -> None:
    report = summarize([make_run("a", 0)], label="v2 <beta>")
    assert "<h1><bdi>v2 &lt;beta&gt;</bdi></h1>" in html(report)
    assert "<title>Mine &amp; yours</title>" in html(report, title="Mine & yours")
    assert "<h1><bdi>Evaluation report</bdi></h1>" in html(summarize([make_run("a", 0)]))


def test_agents_left_behind_are_counted(make_run: Make) -> None:
    report = summarize([make_run("a", 0, abandoned=True, reasons=["error: TimeoutError"])])
    assert "1 agent was left behind at the time limit." in html(report)
    assert "still running when its time was up" in html(report)


def test_nothing_is_changed_and_the_same_data_gives_the_same_page(desk: Any) -> None:
    report, tasks = desk
    before = copy.deepcopy((dict(report), tasks))
    pages = {html(report, tasks=tasks, baseline=report) for _ in range(2)}
    assert len(pages) == 1
    assert (dict(report), tasks) == before


def test_a_report_read_back_from_json_gives_the_same_page(desk: Any) -> None:
    report = json.loads(json.dumps(desk[0]))
    assert html(report, tasks=desk[1]) == html(desk[0], tasks=desk[1])


@pytest.mark.parametrize("draw", [html, html_fragment])
def test_what_is_no_report_is_refused(draw: Any, desk: Any) -> None:
    report, tasks = desk
    says = f"^{draw.__name__}: report must be what evaluate or summarize returns"
    with pytest.raises(TypeError, match=says + r", got list \[\].*agenteval.summarize"):
        draw([])
    with pytest.raises(ValueError, match=says + ", but has no 'runs'"):
        draw({"pass_rate": 1.0})
    with pytest.raises(ValueError, match=r"^html: report must be .* has no 'runs'"):
        html({"pass_rate": 1.0}, tasks=tasks)
    with pytest.raises(TypeError, match=r"^html, baseline: report must be .* got list"):
        html(report, baseline=report["runs"])


def test_a_baseline_and_a_comparison_are_one_too_many(desk: Any) -> None:
    report, _ = desk
    both = compare(outcomes(report["runs"]), outcomes(report["runs"]))
    with pytest.raises(ValueError, match=r"html: got a baseline and a comparison, .* pass the"):
        html(report, baseline=report, comparison=both)
    with pytest.raises(TypeError, match=r"html: baseline must be the report .* as comparison="):
        html(report, baseline=both)
    with pytest.raises(TypeError, match=r"html, baseline: .* got int 7"):
        html(report, baseline=7)


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        pytest.param("tasks.json", r"tasks must be a list of task dicts, got str", id="text"),
        pytest.param({"id": 1}, r"tasks must be a list of task dicts, got dict", id="one task"),
        pytest.param([7], r"tasks\[0\] must be a task dict with an 'id', got int 7", id="number"),
        pytest.param([{"input": ""}], r"tasks\[0\] must be a task dict with an 'id'", id="no id"),
        pytest.param(
            [{"id": 1, "repeat": 0, "verdict": "pass", "diagnosis": "sound"}],
            r"tasks\[0\] must be a task dict .*rows of score_runs as rows=",
            id="rows of paths",
        ),
    ],
)
def test_what_are_no_tasks(desk: Any, tasks: Any, message: str) -> None:
    with pytest.raises(TypeError, match=f"html: {message}"):
        html(desk[0], tasks=tasks)


def test_a_row_of_no_run_is_refused(desk: Any) -> None:
    report, tasks = desk
    rows = score_runs(report["runs"], tasks)
    fewer = summarize([run for run in report["runs"] if run["repeat"] < 4])
    with pytest.raises(ValueError, match=r"html: rows .*, repeat 4, of which the report has no"):
        html(fewer, rows=rows)


def test_ids_1_and_text_1_are_told_apart(make_run: Make, read: Any) -> None:
    runs = [make_run(1, 0), make_run("1", 0, reasons=["wrong answer"])]
    page = html(summarize(runs))
    assert {one.text for one in read(page).all("h3")} >= {"1", '"1"'}
