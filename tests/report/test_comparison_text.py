"""Two versions side by side: regressions first, nothing hidden by a stable rate."""

from __future__ import annotations

import copy
import re

import pytest

from agenteval.reliability import compare
from agenteval.report import comparison_text, markdown
from agenteval.report.formatting import columns

OLD = {
    "gone": [1] * 5,
    "stays right": [1] * 5,
    "breaks": [1] * 5,
    "is mended": [0] * 5,
    "stays wrong": [0] * 5,
    "gets worse, passes": [1] * 5,
    "gets better, fails": [0] * 5,
}
NEW = {
    "stays right": [1] * 5,
    "breaks": [0] * 5,
    "is mended": [1] * 5,
    "stays wrong": [0] * 5,
    "gets worse, passes": [1, 1, 1, 1, 0],
    "gets better, fails": [1, 0, 0, 0, 0],
    "new": [1] * 5,
}


def test_every_list_with_its_rates() -> None:
    # Fisher's exact test: 5/5 to 0/5 is 0.007937.
    assert comparison_text(compare(OLD, NEW)) == (
        "pass rate 0.50 -> 0.50 over the tasks in both, p 1.00\n"
        "1 regression\n"
        "    1.00 -> 0.00  p 0.0079  breaks\n"
        "1 fixed\n"
        "    0.00 -> 1.00  p 0.0079  is mended\n"
        "2 still failing\n"
        "                          stays wrong\n"
        "    0.00 -> 0.20  p 1.00  gets better, fails\n"
        "1 with another pass rate\n"
        "    1.00 -> 0.80  p 1.00  gets worse, passes\n"
        "1 added\n"
        "    new\n"
        "1 removed\n"
        "    gone"
    )


def test_the_greatest_drop_comes_first_and_equal_ones_keep_their_order(report, run) -> None:
    passes = {"a": (3, 1), "b": (4, 0), "c": (3, 1), "d": (4, 1)}
    old = {task: [True] * before + [False] * (4 - before) for task, (before, _) in passes.items()}
    new = {task: [True] * now + [False] * (4 - now) for task, (_, now) in passes.items()}
    comparison = compare(old, new)
    shown = comparison_text(comparison)
    assert [line.split()[-1] for line in shown.splitlines()[2:]] == ["b", "d", "a", "c"]
    assert comparison["regressions"] == ["a", "b", "c", "d"]
    assert comparison_text(comparison, max_tasks=1).splitlines()[2].endswith("b")
    table = markdown(report([run("a")]), comparison=comparison)
    assert re.findall(r"\*\*regression\*\* \| `(.)`", table) == ["b", "d", "a", "c"]


def test_names_of_tasks_differ_where_the_tasks_do() -> None:
    long = "customer-support/returns/" * 10
    old = dict.fromkeys([1, "1", f"{long}a", f"{long}b", "x" * 90 + "a" + "x" * 90], True)
    old["x" * 90 + "b" + "x" * 90] = True
    lines = comparison_text(compare(old, dict.fromkeys(old, False))).splitlines()[2:]
    assert len({*lines}) == len(lines) == 6
    assert max(map(len, lines)) <= 80
    assert lines[0].endswith("  1")
    assert lines[1].endswith('  "1"')


def test_no_regressions_are_said() -> None:
    assert comparison_text(compare({"a": True}, {"a": True})) == (
        "pass rate 1.00 -> 1.00 over the tasks in both, p 1.00\nno regressions"
    )


def test_a_long_list_is_cut_and_counted() -> None:
    old = dict.fromkeys(range(30), True)
    new = dict.fromkeys(range(30), False)
    lines = comparison_text(compare(old, new), max_tasks=3).splitlines()
    assert lines[1] == "30 regressions"
    assert [line.split()[-1] for line in lines[2:5]] == ["0", "1", "2"]
    assert lines[5:] == ["    and 27 more"]


def test_any_name_of_a_task(odd_texts) -> None:
    tasks = list(odd_texts.values())
    old = {task: place % 2 for place, task in enumerate(tasks)}
    new = {task: place % 3 for place, task in enumerate(tasks) if place % 3 < 2}
    shown = comparison_text(compare(old, new))
    shown.encode()
    assert len(shown.split("\n")) == len(shown.splitlines())
    assert max(map(columns, shown.splitlines())) <= 80


def test_a_comparison_is_not_changed() -> None:
    comparison = compare(OLD, NEW)
    before = copy.deepcopy(comparison)
    comparison_text(comparison, max_tasks=1)
    assert comparison == before


@pytest.mark.parametrize("given", [{}, [], {"pass_rate": 1.0}], ids=["empty", "list", "report"])
def test_what_is_no_comparison(given) -> None:
    message = r"comparison_text: comparison must be what compare returns, got .*agenteval\.compare"
    with pytest.raises(TypeError, match=message):
        comparison_text(given)
