"""Agents and checks that worker processes import: what travels must stand at the top of a module.

The fixture ``agents`` of conftest.py makes this module importable, here and in the workers.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from pathlib import Path

from agenteval.harness import retries

RESULT = {"status": "final", "answer": "yes", "tool_calls": 1, "tools_used": ["ls"]}


def do_not_wait():
    """Take away the pauses between retries, in the worker that calls it."""
    retries.FIRST_PAUSE = 0.001


def good(given):
    return dict(RESULT)


async def good_async(given):
    await asyncio.sleep(0)
    return dict(RESULT)


def where(given):
    """Say which process and thread the agent is in."""
    return {**RESULT, "metadata": [os.getpid(), threading.current_thread().name]}


def odd(task, result):
    return "odd" if task["id"] % 2 else None


class Unpicklable:
    def __reduce__(self):
        raise TypeError("will not travel")


class BrokenOnArrival:
    """Pickles well, and cannot be unpickled anywhere."""

    def __reduce__(self):
        return _explode, ()


def _explode():
    raise ValueError("broken on arrival")


def broken_on_arrival(given):
    return {**RESULT, "metadata": BrokenOnArrival()}


def ends_a_process(marker):
    """Kill the worker, the first time only: the marker file remembers."""
    path = Path(marker)
    if path.exists():
        return dict(RESULT)
    path.touch()
    os._exit(9)


def sleepy(given):
    time.sleep(0.05)
    return dict(RESULT)


class FlakyError(Exception):
    pass


def flaky(marker):
    """Fail the first time only."""
    path = Path(marker)
    if path.exists():
        return dict(RESULT)
    path.touch()
    raise FlakyError("once")


def interrupts(given):
    raise KeyboardInterrupt


def hangs(given):
    if given == "hang":
        threading.Event().wait()
    return dict(RESULT)


async def hangs_async(given):
    if given == "hang":
        await asyncio.sleep(1000)
    return dict(RESULT)


def _recurse(given):
    return _recurse(given)


def _mutate(given):
    given["list"].clear()
    given["list"].append("changed")
    return dict(RESULT)


def _start_threads(given):
    for _ in range(3):
        threading.Thread(target=time.sleep, args=(0.01,), daemon=True).start()
    return dict(RESULT)


def _print(given):
    sys.stdout.write("noise on stdout\n")
    return dict(RESULT)


def _cancel(given):
    raise asyncio.CancelledError


def _unpicklable(given):
    return {**RESULT, "metadata": Unpicklable()}


def _hang(given):
    threading.Event().wait(given["patience"])
    return dict(RESULT)


HOSTILE = {
    "exits": lambda given: sys.exit(3),
    "raises CancelledError": _cancel,
    "recurses": _recurse,
    "returns what cannot be pickled": _unpicklable,
    "mutates its input": _mutate,
    "hangs": _hang,
    "prints": _print,
    "starts threads": _start_threads,
}


def hostile(given):
    """Behave as the input says."""
    if given["kind"] == "kills its process":
        return ends_a_process(given["marker"])
    if given["kind"] in HOSTILE:
        return HOSTILE[given["kind"]](given)
    assert given["list"] == [1, 2]
    return {**RESULT, "answer": str(given["number"])}


async def hostile_async(given):
    await asyncio.sleep(0)
    if given["kind"] == "hangs":
        await asyncio.sleep(given["patience"])
    return hostile(given)
