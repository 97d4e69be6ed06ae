"""The harness: what one run costs beside the agent, how full its workers are, and its memory."""

from __future__ import annotations

import asyncio
import copy
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

from timing import Row, medians, show

from agenteval.harness import evaluate, evaluate_async, iter_runs

RUNS = 5000
SLEEP, SLEEPERS, SIDE_BY_SIDE = 0.05, 200, 20
IDEAL = SLEEP * SLEEPERS / SIDE_BY_SIDE

RESULT = {"status": "final", "answer": "5", "tool_calls": 0, "tools_used": []}

# Peak memory is a property of a whole process, so the measurement is one.
GROWTH = """
import pathlib, re, sys
from agenteval.harness import iter_runs

def kilobytes(what):
    return int(re.search(what + r":\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1])

result = {"status": "final", "answer": "5", "tool_calls": 0, "tools_used": []}
tasks = [{"id": f"task {n}", "input": "2 + 3", "expected": "5"} for n in range(int(sys.argv[2]))]
pathlib.Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
before = kilobytes("VmRSS")
runs = iter_runs(lambda given: result, tasks, repeats=int(sys.argv[3]), log=sys.argv[1],
                 max_workers=int(sys.argv[4]))
assert sum(run["passed"] for run in runs) == 100_000
print((kilobytes("VmHWM") - before) / 1024)
"""


def no_op(given: object) -> dict:
    return RESULT


async def async_no_op(given: object) -> dict:
    return RESULT


def sleeper(given: object) -> dict:
    time.sleep(SLEEP)
    return RESULT


async def async_sleeper(given: object) -> dict:
    await asyncio.sleep(SLEEP)
    return RESULT


def make_tasks(number: int) -> list[dict]:
    return [{"id": n, "input": "2 + 3", "expected": "5"} for n in range(number)]


def grown(folder: Path, name: str, tasks: int, repeats: int, workers: int) -> float:
    """Return by how many MB the peak of 100,000 logged runs is above the start."""
    command = [sys.executable, "-c", GROWTH, folder / name, tasks, repeats, workers]
    said = subprocess.run(
        list(map(str, command)), check=True, capture_output=True, text=True
    ).stdout
    return float(said)


def overhead(folder: Path) -> Iterator[Row]:
    tasks = make_tasks(RUNS)
    fresh = count()

    def loop() -> list[bool]:
        """Do what no harness can leave out: copy the input, call, compare, keep."""
        return [
            no_op(copy.deepcopy(task["input"]))["answer"].strip().lower() == task["expected"]
            for task in tasks
        ]

    def pool() -> list[dict]:
        with ThreadPoolExecutor(8) as executor:
            return list(executor.map(no_op, tasks))

    def logged() -> object:
        return evaluate(no_op, tasks, log=folder / f"{next(fresh)}.jsonl")

    works: list[tuple[str, Callable[[], object], str]] = [
        ("a bare loop", loop, ""),
        ("a bare thread pool of 8", pool, ""),
        ("in sequence", lambda: evaluate(no_op, tasks), "15 us"),
        ("in sequence, as they come", lambda: sum(1 for _ in iter_runs(no_op, tasks)), "15 us"),
        ("in 8 threads", lambda: evaluate(no_op, tasks, max_workers=8), "30 us"),
        (
            "in 8 threads with a timeout",
            lambda: evaluate(no_op, tasks, max_workers=8, timeout=60),
            "30 us",
        ),
        ("on an event loop, 8 at a time", lambda: evaluate(async_no_op, tasks, max_workers=8), ""),
        ("in sequence with a log", logged, "60 us"),
    ]
    taken = [each / RUNS for each in medians(*(work for _, work, _ in works), rounds=5)]
    floors = {"in 8": taken[1], "on a": taken[1]}
    for (title, _, at_most), ours in zip(works[2:], taken[2:], strict=True):
        floor = floors.get(title[:4], taken[0])
        yield Row(f"one no-op run {title}", ours, "us", floor, at_most)


def fullness() -> Iterator[Row]:
    tasks = make_tasks(SLEEPERS)

    def bare() -> None:
        with ThreadPoolExecutor(SIDE_BY_SIDE) as executor:
            list(executor.map(sleeper, tasks))

    works: list[tuple[str, Callable[[], object]]] = [
        ("a bare pool", bare),
        ("sync", lambda: evaluate(sleeper, tasks, max_workers=SIDE_BY_SIDE)),
        ("async", lambda: evaluate(async_sleeper, tasks, max_workers=SIDE_BY_SIDE)),
        (
            "awaited",
            lambda: asyncio.run(evaluate_async(async_sleeper, tasks, max_workers=SIDE_BY_SIDE)),
        ),
    ]
    taken = medians(*(work for _, work in works), rounds=3, scale=1)
    for (title, _), seconds in zip(works[1:], taken[1:], strict=True):
        work = f"200 {title} agents of 50 ms, 20 at a time"
        yield Row(work, IDEAL / seconds, "of ideal", IDEAL / taken[0], "0.97, more is better")


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield from overhead(folder)
        yield from fullness()
        if sys.platform == "linux":
            for tasks, repeats, workers in ((100_000, 1, 1), (1_000, 100, 1), (1_000, 100, 8)):
                grew = grown(folder, f"{repeats}-{workers}.jsonl", tasks, repeats, workers)
                work = f"memory of 100,000 logged runs, {repeats} of a task, {workers} at a time"
                yield Row(work, grew, "MB", None, "30 MB")


if __name__ == "__main__":
    show(rows())
