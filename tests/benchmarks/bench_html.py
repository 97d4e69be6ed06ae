"""The page of 5,000 runs: how long it takes to write and how large it is."""

from __future__ import annotations

import random
from collections.abc import Iterator
from html import escape

from timing import Row, medians, show

from agenteval.harness import summarize
from agenteval.report import html
from agenteval.report.formatting import visible
from agenteval.trajectory import Call, as_dict, compare_steps, score_runs

TASKS, REPEATS = 1000, 5


def evaluation() -> tuple[dict, list[dict]]:
    """Runs as long as the refund desk's: three steps in the reference, five or six made."""
    dice = random.Random(1)
    policy, other = Call("get_policy", {"topic": "damaged"}), Call("get_policy", {"topic": "x"})
    tasks, runs = [], []
    for number in range(TASKS):
        order = {"order_id": f"{88_000 + number}"}
        look, claim = Call("lookup_order", order), Call("create_claim", order)
        task = {"id": number, "input": f"Order {number} arrived damaged. " * 6, "expected": "done"}
        tasks.append(task | {"reference": [look, policy, claim]})
        for repeat in range(REPEATS):
            calls = [look, other, policy, claim, claim][: 4 + (dice.random() < 0.1)]
            passed = dice.random() < 0.8
            runs.append(
                {
                    "id": number,
                    "repeat": repeat,
                    "passed": passed,
                    "reasons": [] if passed else ["wrong answer"],
                    "status": "final",
                    "answer": "The claim is filed; you hear from us within 90 days. " * 4,
                    "tool_calls": len(calls),
                    "tools_used": [call.name for call in calls],
                    "seconds": 3.2,
                    "cost": 0.04,
                    "calls": [as_dict(call) for call in calls],
                }
            )
    return summarize(runs), tasks


def rows() -> Iterator[Row]:
    """Write the page; the floor sets every run against its reference and escapes its texts."""
    report, tasks = evaluation()
    references = {task["id"]: task["reference"] for task in tasks}

    def floor() -> None:
        score_runs(report["runs"], tasks)
        for run in report["runs"]:
            for step in compare_steps(references[run["id"]], run["calls"]):
                escape(visible(step["name"]) + visible(step["args"]))
            escape(visible(run["answer"]))

    least, ours = medians(floor, lambda: html(report, tasks=tasks), rounds=3, scale=1e3)
    yield Row("page of 5,000 runs with their steps", ours, "ms", least)
    size = len(html(report, tasks=tasks).encode()) / 1e6
    yield Row("size of that page", size, "MB", None, "10 MB")


if __name__ == "__main__":
    show(rows())
