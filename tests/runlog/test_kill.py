"""A writer killed at any moment loses nothing that was finished, and nothing is done twice."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from agenteval.runlog import RunLog, read_log

TASKS, REPEATS = 100, 20

# Does what is missing; says on stdout which runs are finished, after each of them.
WORK = """
import os, sys
from agenteval.runlog import RunLog
tasks = [{"id": i, "input": "question", "expected": "yes"} for i in range(int(sys.argv[2]))]
repeats = int(sys.argv[3])
with RunLog(sys.argv[1], tasks, repeats=repeats, resume=True) as log:
    for task in tasks:
        for repeat in range(repeats):
            if not log.has(task["id"], repeat):
                run = {"id": task["id"], "repeat": repeat, "passed": True, "reasons": []}
                log.append({**run, "answer": "y" * (repeat * 997 % 9000), "cost": float("inf")})
                os.write(1, b"%d %d\\n" % (task["id"], repeat))
"""


@pytest.fixture
def work(path):
    """Run the writer, kill it once it has finished `runs` of them, return what it said it did."""

    def work(runs=None):
        command = [sys.executable, "-c", WORK, str(path), str(TASKS), str(REPEATS)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            said = []
            for line in process.stdout:
                said.append(line)
                if len(said) == runs:
                    process.kill()
            code = process.wait()
        assert code == 0 or runs is not None
        # A pipe holds what was written to it before the kill; only its last line can be torn.
        return [tuple(map(int, line.split())) for line in said if line.endswith(b"\n")]

    return work


def test_killed_again_and_again(path, work, make_tasks):
    draw = random.Random(11)
    finished: set[tuple[int, int]] = set()
    for kill_after in [draw.randrange(1, 500) for _ in range(4)] + [None]:
        stored = {(run["id"], run["repeat"]) for run in read_log(path)} if finished else set()
        assert finished <= stored
        said = work(kill_after)
        assert stored.isdisjoint(said)
        finished.update(said)
    everything = {(task, repeat) for task in range(TASKS) for repeat in range(REPEATS)}
    runs = [(run["id"], run["repeat"]) for run in read_log(path)]
    assert len(runs) == len(everything)
    assert set(runs) == everything
    with RunLog(path, make_tasks(*range(TASKS)), repeats=REPEATS, resume=True) as log:
        assert sum(1 for _ in log.stored()) == TASKS * REPEATS
