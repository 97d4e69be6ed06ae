"""The report as text: the whole of one, and each line that comes or stays away."""

from __future__ import annotations

import copy
import json

import pytest

from agenteval.reliability import compare, outcomes, reliability_table
from agenteval.report import text
from agenteval.report.formatting import columns, rate

# Passed 5, 4, 1 and 0 of 5: 10 of 20.
DESK = """\
label        refund desk 2
pass rate    0.50 (10 of 20 runs, 4 tasks), 95% interval {low} to {high}
flaky        2 tasks passed in some runs, not in all
abandoned    1 run stuck past the timeout
tool calls   p50 3, p90 10.6, max 13 (known for 15 of 20 runs)
cost         $2.45, $0.24 a completed task (known for 15 of 20 runs)
time         p50 1.5 s, p90 1.5 s, max 1.5 s
first output p50 1.0 s, p90 1.0 s, max 1.0 s (known for 5 of 20 runs)

{reliability}

why runs failed
    5  wrong answer
    4  error: KeyError
    3  over budget
    1  error: TimeoutError

tasks, the worst first
    0/5  crash     error: KeyError (4); error: TimeoutError (1)
         repeat 1 of 5: KeyError: 'order'
    1/5  exchange  wrong answer (4); over budget (3)
         repeat 1 of 5: answered "Sent."
    4/5  refund    wrong answer (1)
         repeat 2 of 5: answered "Your claim is C-1."
    5/5  address"""


def test_the_whole_of_a_report(desk) -> None:
    curve = reliability_table(outcomes(desk["runs"]))
    lines = ["reliability over repeats", "    k  pass^k  95% interval  pass@k"]
    lines += [
        f"    {row['k']}    {rate(row['pass_hat_k'])}  {rate(row['low'])} to {rate(row['high'])}"
        f"    {rate(row['pass_at_k'])}"
        for row in curve
    ]
    low, high = rate(curve[0]["low"]), rate(curve[0]["high"])
    assert text(desk) == DESK.format(low=low, high=high, reliability="\n".join(lines))
    # C(c, k) / C(5, k) of the tasks with c = 5, 4, 1 and 0 passes, by hand.
    by_hand = [0.5, (1 + 6 / 10) / 4, (1 + 4 / 10) / 4, (1 + 1 / 5) / 4, 1 / 4]
    assert [row["pass_hat_k"] for row in curve] == pytest.approx(by_hand)


def test_one_run_of_one_task(report, run) -> None:
    assert text(report([run("capital")])) == (
        "pass rate    1.00 (1 of 1 run)\n"
        "tool calls   p50 3, p90 3, max 3\n"
        "time         p50 1.5 s, p90 1.5 s, max 1.5 s\n"
        "\n"
        "tasks, the worst first\n"
        "    1/1  capital"
    )


def test_without_repeats_there_is_no_curve_and_no_count_beside_a_reason(report, run) -> None:
    shown = text(report([run("a"), run("b", 0, "wrong answer", answer="Lyon")]))
    assert "reliability" not in shown
    assert "pass rate    0.50 (1 of 2 runs), 95% interval" in shown
    assert '    0/1  b  wrong answer\n         answered "Lyon"\n    1/1  a' in shown


def test_no_interval_where_the_tasks_count_differently(report, run) -> None:
    # The mean over tasks is 0.75, over runs 0.67: the interval is about the first.
    shown = text(report([run("a"), run("b"), run("b", 1, "wrong answer")]))
    assert "0.67 (2 of 3 runs, 2 tasks)\n" in shown


PATHS = [
    {"id": "address", "verdict": "pass", "why": "", "diagnosis": "sound"},
    {"id": "refund", "verdict": "fail", "why": "a required call is missing", "diagnosis": "lucky"},
    {
        "id": "exchange",
        "verdict": "warn",
        "why": "5 steps above the reference",
        "diagnosis": "blocked",
    },
]


def test_paths_stand_beside_outcomes(desk) -> None:
    for run in desk["runs"]:
        run["calls"] = []
    rows = [{**row, "repeat": n, "passed": True} for row in PATHS for n in (1, 2)]
    shown = text(desk, rows=iter(rows))
    assert "path         2 fail, 2 warn, 2 pass; with the outcome: 2 lucky, 2 blocked," in shown
    assert "wrong answer (1); path: a required call is missing (2)" in shown
    assert "path: 5 steps above the reference (2)" in " ".join(shown.split())


def test_of_equal_tasks_the_one_with_the_broken_path_comes_first(report, run) -> None:
    rows = [
        {
            "id": task,
            "repeat": 0,
            "passed": True,
            "verdict": verdict,
            "why": verdict,
            "diagnosis": "",
        }
        for task, verdict in (("a", "pass"), ("b", "warn"), ("c", "fail"))
    ]
    shown = text(report([run(task) for task in "dabc"]), rows=rows)
    assert [line.split()[1] for line in shown.splitlines()[-4:]] == ["c", "b", "d", "a"]
    assert "path: pass" not in shown


def test_a_crash_is_not_told_a_second_time_as_a_path(report, run) -> None:
    runs = [run("a", 0, "error: KeyError"), run("a", 1), run("a", 2, "wrong answer", calls=[])]
    row = {"id": "a", "passed": True, "verdict": "fail", "diagnosis": "failed"}
    rows = [{**row, "repeat": n, "why": f"why {n}"} for n in range(3)]
    shown = text(report(runs), rows=rows)
    assert "path         3 fail;" in shown
    assert "error: KeyError (1); wrong answer (1); path: why 1 (1); path: why 2 (1)" in " ".join(
        shown.split()
    )


def test_tool_errors_and_what_came_of_them(report, run) -> None:
    failed = {"name": "lookup", "args": {}, "error": "timeout"}
    answered = {"name": "lookup", "args": {}, "error": None}
    runs = [
        run("a", calls=[failed, answered]),
        run("b", 0, "wrong answer", calls=[failed] * 4),
        run("c", 0, "wrong answer", calls=[failed], answer=None),
        run("d"),
    ]
    shown = " ".join(text(report(runs)).split())
    assert (
        "tool errors 6 of 7 calls; runs: 1 invented, 1 gave up, 1 retried; 1 call hammered "
        "(known for 3 of 4 runs)" in shown
    )
    assert "no answer, status final" in shown


def test_nothing_is_said_of_tool_errors_where_there_are_none(report, run) -> None:
    assert "tool errors" not in text(report([run(calls=[])]))


def test_costs_without_a_completed_task(report, run) -> None:
    shown = text(report([run("a", 0, "wrong answer", cost=0.5)]))
    assert "cost         $0.50, no task completed\n" in shown


def test_a_comparison_is_shown_inside(desk) -> None:
    old = {"address": [True] * 5, "refund": [True] * 5, "exchange": [True] * 5}
    shown = text(desk, comparison=compare(old, outcomes(desk["runs"])))
    assert "against the baseline\n    pass rate 1.00 -> 0.67 over the tasks in both" in shown
    assert "    1 regression\n        1.00 -> 0.20  p 0.048  exchange\n" in shown


def test_many_tasks_are_counted_when_not_shown(report, run) -> None:
    runs = [run(f"good {n}") for n in range(50)]
    runs += [run(f"bad {n}", 0, "wrong answer") for n in range(8)]
    lines = text(report(runs), max_tasks=3).splitlines()
    assert [line.split()[1:3] for line in lines if "0/1" in line] == [
        ["bad", "0"],
        ["bad", "1"],
        ["bad", "2"],
    ]
    assert lines[-1] == "    and 55 more tasks, 5 of them with failures"
    thousands = report([run(n, 0, "wrong answer") for n in range(3000)])
    assert text(thousands).endswith("and 2,980 more tasks, 2,980 of them with failures")
    assert text(report(runs), max_tasks=20).endswith(
        "and 38 more tasks, none of them with failures"
    )


def test_many_reasons_are_counted_when_not_shown(report, run) -> None:
    runs = [run(n, 0, f"check failed: {n}") for n in range(14)]
    assert "    and 4 more reasons\n" in text(report(runs))


def test_reasons_are_cut_and_the_rest_of_them_counted(report, run) -> None:
    whys = [f"{n} {'said at length ' * 1000}" for n in range(160)]
    shown = text(report([run("a", n, *whys[8 * n : 8 * n + 8]) for n in range(20)]))
    assert len(shown.splitlines()) < 50
    assert "; 156 more" in " ".join(shown.split())
    assert "    and 150 more reasons\n" in shown


def test_long_names_that_differ_at_their_end_are_told_apart(report, run) -> None:
    path = "customer-support/returns/damaged-goods"
    shown = text(report([run(f"{path}/a"), run(f"{path}/b", 0, "wrong answer"), run("c")]))
    assert shown.endswith(
        f"    0/1  {path}/b\n         wrong answer\n"
        '         answered "Your claim is C-1."\n'
        f"    1/1  {path}/a\n    1/1  c"
    )


def test_ids_that_read_the_same_are_written_as_json(report, run) -> None:
    runs = [run(1), run("1", 0, "wrong answer"), run("refund"), run("")]
    shown = text(report(runs), comparison=compare({"1": True}, {"1": False}))
    assert '        1.00 -> 0.00  p 1.00  "1"\n' in shown
    names = [
        line.split()[1] for line in shown.splitlines() if line.startswith(("    0/", "    1/"))
    ]
    assert names == ['"1"', "1", "refund", '""']


def test_a_half_finished_evaluation_says_how_far_its_repeats_go(report, run) -> None:
    runs = [run(task, n) for task in "abc" for n in range(4)] + [run("d", n, "w") for n in range(2)]
    curve = reliability_table(outcomes(runs))
    low, high = rate(curve[0]["low"]), rate(curve[0]["high"])
    shown = text(report(runs))
    assert f"per task     mean 0.75, 95% interval {low} to {high}; 2 to 4 runs a task\n" in shown
    assert "\n    2    0.75  " in shown
    assert "    pass^k up to k = 2: 1 task has only 2 runs, others up to 4\n" in shown
    shown = text(report(runs[:-1]))
    assert "reliability over repeats\n    no pass^k beyond one run: 1 task has only 1 run," in shown
    shown = text(report(runs[:12]))
    assert "per task" not in shown
    assert "only" not in shown


def test_paths_of_some_runs_say_of_how_many(report, run) -> None:
    rows = [{**PATHS[0], "repeat": n, "passed": True} for n in range(3)]
    shown = text(report([run("address", n) for n in range(6)]), rows=rows)
    assert "path         3 pass; with the outcome: 3 sound (known for 3 of 6 runs)\n" in shown


def test_a_log_that_says_little_is_enough(report) -> None:
    runs = [{"id": 1, "passed": True, "reasons": []}, {"id": 1, "passed": False, "reasons": []}]
    assert text(report(runs)) == (
        "pass rate    0.50 (1 of 2 runs, 1 task)\n"
        "flaky        1 task passed in some runs, not in all\n"
        "\n"
        "reliability over repeats\n"
        "    k  pass^k  95% interval  pass@k\n"
        + "".join(
            f"    {row['k']}    {rate(row['pass_hat_k'])}  {rate(row['low'])} to "
            f"{rate(row['high'])}    {rate(row['pass_at_k'])}\n"
            for row in reliability_table({1: [True, False]})
        )
        + "\ntasks, the worst first\n    1/2  1\n         no answer, status None"
    )


def test_no_runs_at_all() -> None:
    empty = {"pass_rate": 0.0, "passed": 0, "total": 0, "tasks": 0, "reasons": {}, "runs": []}
    assert text(empty) == "pass rate    no runs"


def test_a_report_that_was_stored_reads_the_same(desk) -> None:
    assert text(json.loads(json.dumps(desk))) == text(desk)


def test_a_report_is_not_changed(desk) -> None:
    before = copy.deepcopy(dict(desk))
    text(desk)
    assert dict(desk) == before


@pytest.mark.parametrize("seed", range(40))
def test_lines_fit_whatever_the_runs_hold(odd_report, seed) -> None:
    made, rows = odd_report(seed)
    shown = text(made, rows=rows)
    assert max(map(columns, shown.splitlines())) <= 80
    assert len(shown.split("\n")) == len(shown.splitlines())
    assert "tasks, the worst first" in shown


WRONG = [
    pytest.param([], TypeError, r"got list \[\]; agenteval.summarize", id="runs"),
    pytest.param({}, ValueError, r"has no 'runs'; agenteval.summarize", id="empty"),
    pytest.param({"runs": [], "pass_rate": 1}, ValueError, r"has no 'passed'", id="not-whole"),
]


@pytest.mark.parametrize(("given", "error", "message"), WRONG)
def test_what_is_no_report(given, error, message) -> None:
    with pytest.raises(error, match=rf"text: report must be what evaluate .*{message}"):
        text(given)


def test_rows_of_another_evaluation_are_refused(desk) -> None:
    row = {**PATHS[0], "repeat": 9, "passed": True}
    message = r"text: rows has one of task 'address', repeat 9, of which the report has no run"
    with pytest.raises(ValueError, match=message):
        text(desk, rows=[row])


def test_an_error_is_told_on_up_to_four_lines(report, run) -> None:
    sentence = "TypeError: " + " ".join(f"word{n}" for n in range(60))
    failed = run("crash", passed=False, reasons=["error: TypeError"], error=sentence)
    shown = text(report([failed])).splitlines()
    told = [line.strip() for line in shown[shown.index("tasks, the worst first") + 2 :]]
    assert len(told) == 4
    assert max(map(len, shown)) <= 80
    assert sentence.startswith(" ".join(told).removesuffix("..."))
    assert told[-1].endswith("...")
    assert "word20" in told[2]
