"""An evaluation killed at any moment loses nothing that was finished, and nothing is done twice.

``AGENTEVAL_KILLS=20 pytest tests/runlog/test_kill.py`` kills each kind of evaluation 20 times.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys

import pytest

from agenteval.runlog import read_log

KILLS = int(os.environ.get("AGENTEVAL_KILLS", "2"))
TASKS, REPEATS = 100, 2 * (KILLS + 1)

# Does what is missing. What is finished goes to a journal, and to stdout for the one who kills.
WORK = """
import asyncio, os, sys
from concurrent.futures import ProcessPoolExecutor
from agenteval.harness import evaluate
from agenteval.runlog import RunLog

path, journal, way, repeats = *sys.argv[1:4], int(sys.argv[5])
tasks = [{"id": i, "input": i, "expected": "yes"} for i in range(int(sys.argv[4]))]

def agent(number):
    text = "y" * (number * 997 % 9000)
    return {"status": "final", "answer": "yes", "calls": [], "metadata": {"text": text, 1: 2}}

async def slow_agent(number):
    await asyncio.sleep(0)
    return agent(number)

def finished(done, total, run):
    os.write(file, b"%d %d\\n" % (run["id"], run["repeat"]))
    os.write(1, b".")

def alone():
    with RunLog(path, tasks, repeats=repeats, resume=True) as log:
        for task in tasks:
            for repeat in range(repeats):
                if not log.has(task["id"], repeat):
                    run = {"id": task["id"], "repeat": repeat, "passed": True, "reasons": []}
                    log.append({**run, **agent(task["id"])})
                    finished(0, 0, run)

if __name__ == "__main__":
    file = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    options = {"repeats": repeats, "log": path, "resume": True, "progress": finished}
    if way == "log alone":
        alone()
    elif way == "threads":
        evaluate(agent, tasks, max_workers=8, **options)
    elif way == "async":
        evaluate(slow_agent, tasks, max_workers=8, **options)
    else:
        with ProcessPoolExecutor(2) as executor:
            evaluate(agent, tasks, executor=executor, **options)
"""


@pytest.fixture
def work(tmp_path, path):
    """Run the evaluation, kill it once it has finished `runs` of them; return the journal."""
    script, journal = tmp_path / "work.py", tmp_path / "journal"
    script.write_text(WORK)
    killed = []

    def work(way, runs=None):
        arguments = [path, journal, way, str(TASKS), str(REPEATS)]
        process = subprocess.Popen(
            [sys.executable, script, *arguments], stdout=subprocess.PIPE, start_new_session=True
        )
        with process.stdout:
            if runs is None:
                process.stdout.read()
                assert process.wait() == 0
            else:
                process.stdout.read(runs)
                os.kill(process.pid, signal.SIGKILL)  # `Popen.kill` reaps one that has ended
                # Dead, but not yet reaped: its number still names the group of its workers.
                os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
                killed.append(process)
        return [tuple(map(int, line.split())) for line in journal.read_text().splitlines()]

    yield work
    for process in killed:  # the workers of a killed evaluation outlive it
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="this system has no groups of processes")
@pytest.mark.parametrize("way", ["log alone", "threads", "async", "processes"])
def test_killed_again_and_again(path, work, make_tasks, way):
    draw = random.Random(11)
    everything = {(task, repeat) for task in range(TASKS) for repeat in range(REPEATS)}
    finished: list[tuple[int, int]] = []
    for kill in range(KILLS + 1):
        stored = {(run["id"], run["repeat"]) for run in read_log(path)} if kill else set()
        assert stored.issuperset(finished)
        most = max(2 * (len(everything) - len(stored)) // (KILLS + 1), 2)
        before, finished = (
            finished,
            work(way, draw.randrange(1, most) if kill < KILLS else None),
        )
        assert stored.isdisjoint(finished[len(before) :])
    assert len(finished) == len(set(finished))
    runs = [(run["id"], run["repeat"]) for run in read_log(path)]
    assert len(runs) == len(everything)
    assert set(runs) == everything
    assert all(
        run["metadata"] == {"text": "y" * (run["id"] * 997 % 9000), 1: 2} for run in read_log(path)
    )
