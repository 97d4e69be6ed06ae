"""Whole processes: Ctrl-C, exit with hung agents, and nothing left open under ``-W error``."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest

from agenteval.runlog import read_log

HEAD = """
import asyncio, signal, threading, time
from agenteval.harness import evaluate, evaluate_async, iter_runs

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it

RESULT = {"status": "final", "answer": "yes", "tool_calls": 0, "tools_used": []}
TASKS = [{"id": n, "input": n, "expected": "yes"} for n in range(1000)]

def agent(given):
    if given == 5:
        print("under way", flush=True)
    time.sleep(0.02)
    return RESULT

async def async_agent(given):
    if given == 5:
        print("under way", flush=True)
    await asyncio.sleep(0.02)
    return RESULT

def hung(given):
    if given == 5:
        print("under way", flush=True)
    if given > 5:
        threading.Event().wait()
    return RESULT

async def async_hung(given):
    if given == 5:
        print("under way", flush=True)
    if given > 5:
        await asyncio.sleep(1000)
    return RESULT

async def async_check(task, result):
    await asyncio.sleep(0)
"""


@contextlib.contextmanager
def python(body, log):
    program = HEAD + body.replace("LOG", repr(str(log)))
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-X", "dev", "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


INTERRUPTED = {
    "in sequence": "evaluate(agent, TASKS, log=LOG, checks=[async_check])",
    "threads": "evaluate(agent, TASKS, log=LOG, max_workers=4)",
    "hung threads": "evaluate(hung, TASKS, log=LOG, max_workers=4)",
    "hung async": "evaluate(async_hung, TASKS, log=LOG, max_workers=4)",
    "hidden async": "evaluate(lambda n: async_hung(n), TASKS, log=LOG)",
    "iter_runs": "list(iter_runs(async_agent, TASKS, log=LOG, max_workers=2))",
    "awaited": "asyncio.run(evaluate_async(async_hung, TASKS, log=LOG, max_workers=4))",
}


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
@pytest.mark.parametrize("body", INTERRUPTED.values(), ids=INTERRUPTED.keys())
def test_ctrl_c(tmp_path, body):
    if "evaluate_async" in body and sys.version_info < (3, 11):
        pytest.skip("asyncio.run lets Ctrl-C hit any line of the loop, the agent's too")
    log = tmp_path / "log.jsonl"
    with python(body, log) as process:
        assert process.stdout.readline() == "under way\n"
        time.sleep(0.05)  # in the middle of things
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
        taken = time.monotonic() - start
    assert errors.rstrip().endswith("KeyboardInterrupt"), errors
    for word in ("Warning", "never", "destroyed", "ignored", "Fatal"):
        assert word not in errors, errors
    assert taken < 1.5  # a second for us, the rest for an interpreter on a busy machine
    stored = [run["id"] for run in read_log(log)]
    assert set(range(2)) <= set(stored) <= set(range(60))
    assert all(run["passed"] for run in read_log(log))


ORDINARY = """
evaluate(agent, TASKS[:9])
evaluate(agent, TASKS[:9], max_workers=4, log=LOG)
evaluate(async_agent, TASKS[:9], max_workers=4)
evaluate(lambda n: async_agent(n), TASKS[:9], max_workers=4)
evaluate(agent, TASKS[:3], checks=[async_check])
asyncio.run(evaluate_async(async_agent, TASKS[:9], max_workers=4))
asyncio.run(evaluate_async(agent, TASKS[:9], max_workers=4, checks=[async_check]))
left = iter_runs(async_agent, TASKS, max_workers=2)
next(left)
del left
left = iter_runs(agent, TASKS, max_workers=4, log=LOG, resume=True)
print(threading.active_count(), flush=True)
next(left)
"""

HUNG = """
async def to_thread(given):
    await asyncio.to_thread(hung, given)
    return RESULT

async def stubborn(given):
    while given == 3:
        try:
            await asyncio.sleep(1000)
        except asyncio.CancelledError:
            pass
    return RESULT

def hung_check(task, result):
    threading.Event().wait()

for each in (hung, async_hung, to_thread, stubborn):
    evaluate(each, TASKS[:9], max_workers=9, timeout=0.05)
evaluate(agent, TASKS[:2], checks=[hung_check], timeout=0.05)
evaluate(async_agent, TASKS[:2], checks=[hung_check], timeout=0.05)
"""


@pytest.mark.parametrize("body", [ORDINARY, HUNG], ids=["ordinary", "hung"])
def test_a_clean_end(tmp_path, body):
    """No word on stderr, and no waiting for what hangs."""
    start = time.monotonic()
    with python(body, tmp_path / "log.jsonl") as process:
        output, errors = process.communicate(timeout=20)
    assert errors == ""
    assert set(output.splitlines()) <= {"1", "under way"}
    assert process.returncode == 0
    assert time.monotonic() - start < 10
