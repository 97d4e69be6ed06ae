"""Reports and measures of 5,000 runs, over writing the same runs as JSON."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

from timing import Row, medians, show

from agenteval.harness import summarize
from agenteval.measures import recovery_counts, step_counts, tool_errors
from agenteval.report import junit_xml, markdown, text

TASKS, REPEATS = 1000, 5


def make_runs() -> list[dict]:
    """Runs of twelve calls each, three of ten failed, with answers of a few lines."""
    rng = random.Random(0)
    runs = []
    for task in range(TASKS):
        for repeat in range(REPEATS):
            passed = rng.random() < 0.7
            calls = [
                {
                    "name": f"tool_{place % 4}",
                    "args": {"order_id": str(task), "place": place},
                    "error": "timeout" if rng.random() < 0.02 else None,
                }
                for place in range(12)
            ]
            runs.append(
                {
                    "id": f"task {task}",
                    "repeat": repeat,
                    "passed": passed,
                    "reasons": [] if passed else ["wrong answer"],
                    "status": "final",
                    "answer": "The claim was made, its reference is C-88120. " * 5,
                    "tool_calls": len(calls),
                    "tools_used": [call["name"] for call in calls],
                    "seconds": rng.random(),
                    "cost": rng.random() / 10,
                    "calls": calls,
                }
            )
    return runs


def rows() -> Iterator[Row]:
    """Yield one row a form and a measure, in milliseconds."""
    report = summarize(make_runs())
    runs = report["runs"]
    works = {
        "step_counts of 5,000 runs": lambda: step_counts(runs),
        "recovery_counts of 5,000 runs of 12 calls": lambda: recovery_counts(runs),
        "tool_errors of 5,000 runs of 12 calls": lambda: tool_errors(runs),
        "text of 5,000 runs": lambda: text(report),
        "markdown of 5,000 runs": lambda: markdown(report),
        "junit_xml of 5,000 runs": lambda: junit_xml(report),
    }
    floor, *times = medians(lambda: json.dumps(report), *works.values(), rounds=5, scale=1e3)
    for work, taken in zip(works, times, strict=True):
        yield Row(f"{work}, over json.dumps", taken, "ms", floor)


if __name__ == "__main__":
    show(rows())
