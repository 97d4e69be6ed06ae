"""Whole processes: Ctrl-C, exit with hung agents, and nothing left open under ``-W error``."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

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


def can_be_interrupted(body):
    """Say whether Ctrl-C is ours to handle: old versions of asyncio.run let it hit any line."""
    return "evaluate_async" not in body or sys.version_info >= (3, 11)


def interrupt(body, log):
    """Send Ctrl-C in the middle; return what stands on stderr, and the seconds to the end."""
    with python(body, log) as process:
        assert process.stdout.readline() == "under way\n"
        time.sleep(0.05)  # in the middle of things
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
        return errors, time.monotonic() - start


def let_end(body, log):
    """Let the program end; return its exit code, what it wrote, and the seconds that it took."""
    start = time.monotonic()
    with python(body, log) as process:
        output, errors = process.communicate(timeout=20)
    return process.returncode, output, errors, time.monotonic() - start


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """Give a program's log and outcome; they run two at a time while they are asked for."""
    folder = tmp_path_factory.mktemp("interrupt")
    ways = {HUNG: let_end, ORDINARY: let_end}
    if os.name == "posix":
        ways.update(dict.fromkeys(filter(can_be_interrupted, INTERRUPTED.values()), interrupt))
    logs = {body: folder / f"{place}.jsonl" for place, body in enumerate(ways)}
    with ThreadPoolExecutor(2) as pool:
        outcomes = {body: pool.submit(way, body, logs[body]) for body, way in ways.items()}
        yield lambda body: (logs[body], outcomes[body].result())


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
@pytest.mark.parametrize("body", INTERRUPTED.values(), ids=INTERRUPTED.keys())
def test_ctrl_c(ended, body):
    if not can_be_interrupted(body):
        pytest.skip("asyncio.run lets Ctrl-C hit any line of the loop, the agent's too")
    log, (errors, taken) = ended(body)
    assert errors.rstrip().endswith("KeyboardInterrupt"), errors
    for word in ("Warning", "never", "destroyed", "ignored", "Fatal"):
        assert word not in errors, errors
    assert taken < 1.5  # a second for us, the rest for an interpreter on a busy machine
    stored = [run["id"] for run in read_log(log)]
    assert set(range(2)) <= set(stored) <= set(range(60))
    assert all(run["passed"] for run in read_log(log))


@pytest.mark.parametrize("body", [ORDINARY, HUNG], ids=["ordinary", "hung"])
def test_a_clean_end(ended, body):
    """No word on stderr, and no waiting for what hangs."""
    _, (code, output, errors, taken) = ended(body)
    assert errors == ""
    assert set(output.splitlines()) <= {"1", "under way"}
    assert code == 0
    assert taken < 10
