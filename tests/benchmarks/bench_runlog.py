"""The run log: appending, opening again, reading, and the memory of a large one."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from timing import Row, medians, show

from agenteval.runlog import RunLog, read_log

RUNS = 5000

# Peak memory is a property of a whole process, so each measurement is one.
GROWTH = """
import pathlib, re, sys
from agenteval.runlog import RunLog, read_log

def kilobytes(what):
    return int(re.search(what + r":\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1])

path, count, repeats = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
tasks = [{"id": f"task {i}", "input": "question", "expected": "yes"} for i in range(count)]
pathlib.Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
before = kilobytes("VmRSS")
for _ in range(2):
    with RunLog(path, tasks, repeats=repeats, resume=True) as log:
        for task in tasks:
            for repeat in range(repeats):
                if not log.has(task["id"], repeat):
                    log.append({"id": task["id"], "repeat": repeat, "passed": True, "reasons": [],
                                "status": "final", "answer": "yes", "tool_calls": 0,
                                "tools_used": [], "seconds": 0.25})
        stored = sum(1 for _ in log.stored())
assert stored == count * repeats
print((kilobytes("VmHWM") - before) / 1024)
"""


def make_run(task: int, **more: object) -> dict:
    return {
        "id": task,
        "repeat": 0,
        "passed": True,
        "reasons": [],
        "status": "final",
        "answer": "yes",
        "tool_calls": 0,
        "tools_used": [],
        "seconds": 0.0001,
        **more,
    }


def rows() -> Iterator[Row]:
    """Yield the log's lines of the table."""
    call = {"name": "lookup", "args": {"order_id": "88120", "fields": ["a", "b"]}, "error": None}
    with tempfile.TemporaryDirectory() as folder:
        yield append_row(folder, "append a no-op run", "30 (60 with the harness)")
        yield append_row(folder, "append a run of 20 calls", "", calls=[call] * 20)
        yield append_row(folder, "append a run with a set in it", "", metadata={"seen": {1, 2}})
        yield from reading_rows(folder)
        if Path("/proc/self/clear_refs").exists():
            for tasks, repeats in ((1000, 100), (100_000, 1)):
                path = Path(folder) / f"growth {tasks}"
                command = [sys.executable, "-c", GROWTH, path, str(tasks), str(repeats)]
                grown = subprocess.run(command, capture_output=True, check=True, text=True).stdout
                work = f"peak growth, {tasks:,} tasks x {repeats}, written, resumed, read"
                yield Row(work, float(grown), "MB", None, "30")


def append_row(folder: str, work: str, at_most: str, **more: object) -> Row:
    """Measure one append against the least there is to do: ``json.dumps`` and a write."""
    rounds, number = 7, 500
    tasks = [{"id": i, "input": "", "expected": None} for i in range(rounds * number)]
    runs = [make_run(i, **more) for i in range(rounds * number)]
    ours, floors = count(), count()
    path = Path(folder) / work
    with (
        RunLog(path, tasks, repeats=1) as log,
        path.with_suffix(".floor").open("ab", buffering=0) as file,
    ):
        taken, floor = medians(
            lambda: log.append(runs[next(ours)]),
            lambda: file.write(json.dumps(runs[next(floors)], default=repr).encode() + b"\n"),
            rounds=rounds,
            number=number,
        )
    return Row(work, taken, "us", floor, at_most)


def reading_rows(folder: str) -> Iterator[Row]:
    """Measure reading against ``json.loads`` of every line."""
    tasks = [{"id": i, "input": "", "expected": None} for i in range(RUNS)]
    path = Path(folder) / "read"
    with RunLog(path, tasks, repeats=1) as log:
        for task in range(RUNS):
            log.append(make_run(task))

    def resume() -> None:
        RunLog(path, tasks, repeats=1, resume=True).close()

    def read() -> None:
        for _ in read_log(path):
            pass

    def parse() -> None:
        with path.open("rb") as file:
            for line in file:
                json.loads(line)

    resumed, taken, floor = medians(resume, read, parse, rounds=5, scale=1e6 / RUNS)
    yield Row("read a log, a run", taken, "us", floor)
    yield Row("resume a log of one run a task, a run", resumed, "us", floor)


if __name__ == "__main__":
    show(rows())
