"""Shared by the tests of the harness."""

from __future__ import annotations

import importlib
import multiprocessing
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from agenteval.harness import async_runs, loops, retries


@pytest.fixture
def make_task():
    def make(name="t", **more):
        return {"id": name, "input": "question", "expected": "yes", **more}

    return make


@pytest.fixture
def make_result():
    def make(**more):
        return {"status": "final", "answer": "yes", "tool_calls": 0, "tools_used": [], **more}

    return make


@pytest.fixture
def good(make_result):
    """An agent that is always right."""

    def agent(given):
        return make_result()

    return agent


@pytest.fixture
def short_pauses(monkeypatch):
    """Retries that do not wait."""
    monkeypatch.setattr(retries, "FIRST_PAUSE", 0.001)


@pytest.fixture
def short_grace(monkeypatch):
    """Runs that ignore their cancellation, and loops that are blocked, are left behind sooner."""
    for module in (async_runs, loops):
        monkeypatch.setattr(module, "GRACE", 0.1)
    monkeypatch.setattr(async_runs, "POLL", 0.05)


@pytest.fixture
def no_threads_left():
    """Fail the test when it leaves a thread behind."""
    before = set(threading.enumerate())
    yield
    until = time.monotonic() + 2
    while (left := set(threading.enumerate()) - before) and time.monotonic() < until:
        time.sleep(0.005)
    assert not left


@pytest.fixture
def hold():
    """An event for agents that hang; set when the test is over, so that their threads end."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture(scope="session")
def agents():
    """The module of agents that worker processes can import."""
    folder = str(Path(__file__).parent)
    sys.path.insert(0, folder)  # spawned workers are told this path
    yield importlib.import_module("traveling_agents")
    sys.path.remove(folder)


@pytest.fixture(scope="session")
def spawned(agents):
    """Two worker processes, started afresh: forking a process with threads may deadlock.

    Their retries do not wait.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context, initializer=agents.do_not_wait) as pool:
        yield pool
