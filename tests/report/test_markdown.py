"""The report as Markdown: read back as GitHub reads it, nothing of a run is markup."""

from __future__ import annotations

import copy
import re

import pytest

from agenteval.reliability import compare, outcomes
from agenteval.report import markdown
from agenteval.report.formatting import fit
from agenteval.report.names import task_names

DESK_TASKS = """\
| passed | task, the worst first | why runs failed |
| --: | --- | --- |
| 0/5 | `crash` | `error: KeyError` × 4, `error: TimeoutError` × 1 |
| 1/5 | `exchange` | `wrong answer` × 4, `over budget` × 3 |
| 4/5 | `refund` | `wrong answer` × 1 |
| 5/5 | `address` |  |
"""

# A code span is what stands between two strings of equally many backticks (CommonMark 6.1).
SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")


def read(shown: str) -> tuple[str, list[str], list[list[str]]]:
    """Return the text outside of code spans, the spans, and the cells of the tables' rows."""
    spans = []
    rows = []
    for line in shown.splitlines():
        inside = line.startswith("|")
        if inside:
            # GFM cuts rows at every pipe without a backslash, also in code spans.
            cells = re.split(r"(?<!\\)\|", line)
            assert (cells[0], cells[-1]) == ("", "")
            rows.append([cell.strip() for cell in cells[1:-1]])
        for _, span in SPAN.findall(line):
            text = span.replace(r"\|", "|") if inside else span
            if text[0] == text[-1] == " " and text.strip():
                text = text[1:-1]
            spans.append(text)
    return SPAN.sub("", shown), spans, rows


def test_the_tasks_of_a_report(desk) -> None:
    shown = markdown(desk)
    assert shown.startswith("### Agent evaluation: `refund desk 2`\n\n- **pass rate** 0.50 (10 of")
    assert shown.endswith(f"\n\n{DESK_TASKS}")
    assert (
        "\n\n| k | pass^k | 95% interval | pass@k |\n| --: | --: | --- | --: |\n| 1 | 0.50 |"
        in shown
    )
    assert "- **cost** $2.45, $0.24 a completed task (known for 15 of 20 runs)\n" in shown


def test_one_run_of_one_task(report, run) -> None:
    assert markdown(report([run("capital")])) == (
        "### Agent evaluation\n"
        "\n"
        "- **pass rate** 1.00 (1 of 1 run)\n"
        "- **tool calls** p50 3, p90 3, max 3\n"
        "- **time** p50 1.5 s, p90 1.5 s, max 1.5 s\n"
        "\n"
        "| passed | task, the worst first | why runs failed |\n"
        "| --: | --- | --- |\n"
        "| 1/1 | `capital` |  |\n"
    )


def test_a_comparison_shows_regressions_first(desk) -> None:
    old = {
        "address": [0] * 5,
        "refund": [1] * 5,
        "exchange": [1] * 5,
        "crash": [0] * 5,
        "gone": [1],
    }
    new = {**outcomes(desk["runs"]), "new": [1]}
    shown = markdown(desk, comparison=compare(old, new))
    assert (
        "**Against the baseline**: pass rate 0.50 before, 0.50 now, over the tasks in both "
        "(p 1.00).\n"
        "\n"
        "| change | task | before | now | p |\n"
        "| --- | --- | --: | --: | --: |\n"
        "| **regression** | `exchange` | 1.00 | 0.20 | 0.048 |\n"
        "| fixed | `address` | 0.00 | 1.00 | 0.0079 |\n"
        "| still failing | `crash` |  |  |  |\n"
        "| passes as before | `refund` | 1.00 | 0.80 | 1.00 |\n"
        "\n"
        "Added: `new`.\n"
        "\n"
        "Removed: `gone`.\n" in shown
    )


def test_what_is_left_out_is_counted(report, run) -> None:
    runs = [run(n, 0, *(f"check failed: {m}" for m in range(6))) for n in range(30)]
    old = dict.fromkeys([*range(30), *range(100, 130)], True)
    shown = markdown(report(runs), max_tasks=4, comparison=compare(old, outcomes(runs)))
    assert "\n\nAnd 26 more tasks.\n\nRemoved: `100`, `101`, `102`, `103` and 26 more.\n" in shown
    assert shown.endswith("\n\nAnd 26 more tasks, 26 of them with failures.\n")
    assert "`check failed: 3`, 2 more |" in shown


def test_thousands_of_tasks_are_counted_with_separators(report, run) -> None:
    shown = markdown(report([run(n, 0, "wrong answer") for n in range(3000)]))
    assert shown.endswith("And 2,980 more tasks, 2,980 of them with failures.\n")


def test_a_half_finished_evaluation_says_how_far_its_repeats_go(report, run) -> None:
    runs = [run("a", n) for n in range(3)] + [run("b", n, "wrong answer") for n in range(2)]
    assert "\n\nPass^k up to k = 2: 1 task has only 2 runs, others up to 3.\n\n" in markdown(
        report(runs)
    )
    shown = markdown(report(runs[:-1]))
    assert "\n\nNo pass^k beyond one run: 1 task has only 1 run, others up to 3.\n\n" in shown
    assert "- **per task** mean 0.50, 95% interval 0.09 to 0.91; 1 to 3 runs a task\n" in shown


def test_ids_that_read_the_same_are_written_as_json(report, run) -> None:
    comparison = compare({"1": True}, {"1": False})
    shown = markdown(report([run(1), run("1", 0, "wrong answer")]), comparison=comparison)
    assert "| 1/1 | `1` |" in shown
    assert '| 0/1 | `"1"` |' in shown
    assert '| **regression** | `"1"` |' in shown


def test_paths_stand_beside_outcomes(desk) -> None:
    desk["runs"][6]["calls"] = []
    row = {"id": "refund", "repeat": 1, "passed": False, "verdict": "fail", "why": "a|b"}
    shown = markdown(desk, rows=[{**row, "diagnosis": "lucky"}])
    assert r"| `wrong answer` × 1, path: `a\|b` × 1 |" in shown
    assert "- **path** 1 fail; with the outcome: 1 lucky (known for 1 of 20 runs)\n" in shown


OURS = re.compile(r"[\w\s.,:;%()/\-+=^@$×|*#]*", re.ASCII)


@pytest.mark.parametrize("seed", range(60))
def test_nothing_of_a_run_is_markup(odd_report, seed) -> None:
    made, rows = odd_report(seed)
    shown = markdown(made, rows=rows)
    shown.encode()
    outside, spans, table_rows = read(shown)
    assert OURS.fullmatch(outside), outside
    widths = {len(row) for row in table_rows}
    assert widths <= {3, 4}
    names = {*task_names((run["id"] for run in made["runs"]), 120).values()}
    reasons = {fit(reason, 120) for run in made["runs"] for reason in run["reasons"]}
    whys = {fit(row["why"], 120) for row in rows}
    known = {text for text in names | reasons | whys | {fit(made["label"], 120)} if text.strip()}
    assert set(spans) <= known
    assert {name for name in names if name.strip()} <= set(spans)


def test_what_is_blank_is_said(report, run) -> None:
    assert '| 0/1 | `"  "` | (blank) |' in markdown(report([run("  ", 0, "")]))


def test_it_fits_into_a_comment_on_github(odd_report, report, run) -> None:
    # GitHub's limit is 65,536 characters.
    runs = [
        run(f"{n} {'task ' * 1000}", m, *(f"{m} {k} {'why ' * 1000}" for k in range(9)))
        for n in range(100)
        for m in range(8)
    ]
    old = {run["id"]: True for run in runs}
    shown = markdown(report(runs), comparison=compare(old, outcomes(runs)))
    assert len(shown) < 65_536


def test_a_report_is_not_changed(desk) -> None:
    before = copy.deepcopy(dict(desk))
    markdown(desk)
    assert dict(desk) == before


def test_what_is_no_report() -> None:
    with pytest.raises(TypeError, match=r"markdown: report must be what .* got list \[\]"):
        markdown([])
