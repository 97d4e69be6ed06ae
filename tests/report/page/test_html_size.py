"""Thousands of runs: the page stays small, and says what it leaves out to stay so."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from agenteval.harness import summarize
from agenteval.report import html
from agenteval.trajectory import Call, as_dict


def evaluation(count: int) -> tuple[Any, list[dict[str, Any]]]:
    """Five runs a task, six calls each, with answers of a few sentences."""
    policy, returns = {"topic": "damaged_delivery"}, {"topic": "returns"}
    dice = random.Random(1)
    tasks, runs = [], []
    for n in range(count):
        order = {"order_id": f"{88_000 + n}"}
        claim = order | {"reason": "damaged"}
        good = [
            Call("lookup_order", order),
            Call("get_policy", policy),
            Call("create_claim", claim),
        ]
        text = f"Order {order['order_id']} arrived damaged. Refund it if it qualifies. " * 3
        tasks.append({"id": f"case-{n:04}", "input": text, "expected": "done", "reference": good})
        for repeat in range(5):
            passed = dice.random() < 0.8
            calls = [good[0], Call("search_orders", {"query": order["order_id"]})]
            calls += [Call("get_policy", returns), *good[1:], good[2]]
            runs.append(
                {
                    "id": tasks[-1]["id"],
                    "repeat": repeat,
                    "passed": passed,
                    "reasons": [] if passed else ["wrong answer"],
                    "status": "final",
                    "answer": "Claim C-1 is filed; you hear from us within 90 days. " * 4,
                    "tool_calls": len(calls),
                    "tools_used": [call.name for call in calls],
                    "seconds": 3.2,
                    "cost": 0.04,
                    "calls": [as_dict(call) for call in calls],
                }
            )
    return summarize(runs), tasks


def test_5000_runs_with_all_their_steps_stay_under_ten_megabytes() -> None:
    report, tasks = evaluation(1000)
    page = html(report, tasks=tasks)
    assert len(page.encode()) < 10_000_000
    assert page.count('<details class="task"') == 1000
    assert page.count('<details class="run"') == 5000
    assert page.count('<table class="steps') == 5000
    assert "To keep the page small" not in page


@pytest.fixture(scope="module")
def many() -> tuple[Any, list[dict[str, Any]]]:
    return evaluation(200)


@pytest.mark.parametrize(
    ("limit", "kinds"),
    [
        pytest.param(1, {"not listed"}, id="1"),
        pytest.param(10_000, {"a line", "not listed"}, id="10,000"),
        pytest.param(100_000, {"details", "a line", "not listed"}, id="100,000"),
    ],
)
def test_what_does_not_fit_is_counted_and_the_worst_tasks_go_last(
    many: Any, limit: int, kinds: set[str]
) -> None:
    report, tasks = many
    page = html(report, tasks=tasks, max_bytes=limit)
    assert len(page.encode()) < limit + 40_000
    details, lines = page.count('<details class="task"'), page.count('<div class="line">')
    left = 200 - details - lines
    shown = {"details": details, "a line": lines, "not listed": left}
    assert {kind for kind, count in shown.items() if count} == kinds
    for count, words in (
        (lines, "To keep the page small, {} stand without details."),
        (left, "The page is full: {} not listed, the best of all."),
    ):
        said = words.format(f"{count:,} tasks" if "small" in words else f"{count:,} more tasks are")
        assert (said in page) == (count > 0)
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
        assert ">5001</th><td><span>final answer" in page
        assert page.count("look(n=") == 300
