"""Thousands of runs: the page stays small, and says what it leaves out to stay so."""

from __future__ import annotations

import re
from typing import Any

import pytest

from agenteval.harness import summarize
from agenteval.report import html
from agenteval.trajectory import Call


@pytest.fixture(scope="module")
def large() -> tuple[Any, list[dict[str, Any]]]:
    """5,000 runs of 1,000 tasks, six calls each, with answers of a few hundred characters."""
    reference = [
        Call("lookup_order", {"order_id": "88120"}),
        Call("get_policy", {"topic": "damaged_delivery"}),
        Call("create_claim", {"order_id": "88120", "reason": "damaged"}),
    ]
    tasks = [
        {
            "id": f"case-{n:04}",
            "input": "Order 88120. " * 12,
            "expected": "done",
            "reference": reference,
        }
        for n in range(1000)
    ]
    names = ["lookup_order", "search_orders", "get_policy", "get_policy", "create_claim", "note"]
    runs = []
    for task in tasks:
        for repeat in range(5):
            passed = hash((task["id"][-2:], repeat)) % 4 > 0
            calls = [
                {"name": name, "args": {"order_id": "88120", "topic": "damaged"}, "error": None}
                for name in names
            ]
            runs.append(
                {
                    "id": task["id"],
                    "repeat": repeat,
                    "passed": passed,
                    "reasons": [] if passed else ["wrong answer"],
                    "status": "final",
                    "answer": "The claim is filed, and this is why. " * 10,
                    "tool_calls": 6,
                    "tools_used": names,
                    "seconds": 3.2,
                    "cost": 0.04,
                    "calls": calls,
                }
            )
    return summarize(runs), tasks


def test_5000_runs_with_all_their_steps_stay_under_ten_megabytes(large: Any) -> None:
    report, tasks = large
    page = html(report, tasks=tasks)
    assert len(page.encode()) < 10_000_000
    shown = page.count('<details class="task"')
    said = re.search(r"To keep the page small, ([\d,]+) tasks stand without details", page)
    bare = int(said[1].replace(",", "")) if said else 0
    assert shown + bare == 1000
    assert page.count('<div class="line">') == bare


@pytest.mark.parametrize("limit", [1, 10_000, 300_000])
def test_what_does_not_fit_is_counted_and_the_worst_tasks_go_last(large: Any, limit: int) -> None:
    report, tasks = large
    page = html(report, tasks=tasks, max_bytes=limit)
    assert len(page.encode()) < limit * 1.2 + 60_000
    details, lines = page.count('<details class="task"'), page.count('<div class="line">')
    for count, words in (
        (lines, "To keep the page small, {} stand without details."),
        (1000 - details - lines, "The page is full: {} not listed, the best of all."),
    ):
        said = words.format(f"{count:,} tasks" if "small" in words else f"{count:,} more tasks are")
        assert (said in page) == (count > 0)
    assert details + lines < 1000
    passed = [int(count) for count in re.findall(r">(\d) of 5 passed<", page)]
    assert passed == sorted(passed)


def test_one_huge_task_does_not_cost_the_others_their_details(make_run: Any) -> None:
    huge = [make_run("huge", n, answer="x" * 4000, reasons=["r"]) for n in range(20)]
    small = [make_run(f"small {n}", 0) for n in range(5)]
    page = html(summarize(huge + small), max_bytes=50_000)
    assert page.count('<details class="task"') == 5
    assert "To keep the page small, 1 task stands without details." in page
    assert '<div class="line"><h3><bdi>huge</bdi></h3>' in page


def test_a_run_of_thousands_of_calls_shows_the_first_ones(make_run: Any) -> None:
    calls = [{"name": "look", "args": {"n": n}, "error": None} for n in range(5_000)]
    task = {"id": "a", "input": "", "expected": "5", "reference": [Call("look", {"n": 4_999})]}
    report = summarize([make_run("a", 0, calls=calls, tool_calls=5_000)])
    for page in (html(report), html(report, tasks=[task])):
        assert "4,700 steps more, not shown" in page
        assert ">5001</th><td>final answer" in page
        assert page.count("look(n=") == 300
