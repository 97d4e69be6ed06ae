"""One run: what an agent gets, what it may raise, and what stands in the run."""

from __future__ import annotations

import asyncio
import copy
import json
import sys
import threading
from collections.abc import Mapping

import pytest

from agenteval.harness import run_task
from agenteval.trajectory import Call


def raising(error):
    def agent(given):
        raise error

    return agent


class UnprintableError(Exception):
    def __str__(self):
        raise RuntimeError("no text")


class ExitingError(Exception):
    def __str__(self):
        return sys.exit("from __str__")


class Own(BaseException):
    pass


@pytest.mark.parametrize(
    ("error", "said"),
    [
        pytest.param(KeyError("order"), "KeyError: 'order'", id="KeyError"),
        pytest.param(ValueError(), "ValueError", id="without text"),
        pytest.param(SystemExit(3), "SystemExit: 3", id="SystemExit"),
        pytest.param(asyncio.CancelledError(), "CancelledError", id="CancelledError"),
        pytest.param(GeneratorExit(), "GeneratorExit", id="GeneratorExit"),
        pytest.param(StopIteration(5), "StopIteration: 5", id="StopIteration"),
        pytest.param(StopAsyncIteration(5), "StopAsyncIteration: 5", id="StopAsyncIteration"),
        pytest.param(MemoryError(), "MemoryError", id="MemoryError"),
        pytest.param(Own("x"), "Own: x", id="own BaseException"),
        pytest.param(TimeoutError("slow"), "TimeoutError: slow", id="TimeoutError of its own"),
        pytest.param(
            UnprintableError(), "UnprintableError: <its text cannot be read>", id="unprintable"
        ),
        pytest.param(
            ExitingError(), "ExitingError: <its text cannot be read>", id="its text exits"
        ),
        pytest.param(ValueError("x" * 9999), f"ValueError: {'x' * 1997}...", id="endless text"),
        pytest.param(ValueError("\ud800"), "ValueError: \ud800", id="lone surrogate"),
    ],
)
def test_what_an_agent_raises_stays_in_its_run(make_task, error, said):
    run = run_task(raising(error), make_task(forbidden_tools=["rm"], max_tool_calls=1))
    assert run["reasons"] == [f"error: {type(error).__name__}"]
    assert not run["passed"]
    assert run["error"] == said
    assert [run[key] for key in ("status", "answer", "tool_calls", "tools_used")] == [None] * 4
    assert run["traceback"].startswith("Traceback (most recent call last):\n")
    assert run["traceback"].endswith(said + "\n")
    assert "in agent" in run["traceback"]
    assert "agenteval/harness" not in run["traceback"]


def test_a_bottomless_agent(make_task):
    def agent(given):
        return agent(given)

    run = run_task(agent, make_task())
    assert run["reasons"] == ["error: RecursionError"]
    assert len(run["traceback"]) < 5_000


def test_keyboard_interrupt_stops(make_task):
    with pytest.raises(KeyboardInterrupt):
        run_task(raising(KeyboardInterrupt()), make_task())


def test_keyboard_interrupt_of_an_async_agent_stops(make_task, no_threads_left):
    async def agent(given):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_task(agent, make_task())


def test_each_run_gets_its_own_copy_of_the_input(make_task, make_result):
    seen = []

    def vandal(given):
        seen.append(copy.deepcopy(given))
        given["orders"].append("x")
        return make_result()

    task = make_task(input={"orders": [1]})
    run_task(vandal, task)
    run_task(vandal, task)
    assert seen == [{"orders": [1]}] * 2
    assert task["input"] == {"orders": [1]}


def test_an_input_that_cannot_be_copied_fails_its_run(make_task):
    run = run_task(lambda given: pytest.fail("called"), make_task(input=threading.Lock()))
    assert run["reasons"] == ["error: TypeError"]
    assert "pickle" in run["error"]


def test_the_fields_of_a_run(make_task):
    result = {
        "status": "final",
        "answer": "yes",
        "calls": [Call("pay", {"to": "x"}, error="down"), {"name": "pay"}],
        "cost": 1,
        "first_output_seconds": 0.5,
        "usage": {"tokens": 7},
        "metadata": {"trace": [1]},
        "trace": {"format": "otel"},
        "own": "ignored",
    }
    run = run_task(lambda given: result, make_task(7))
    seconds = run.pop("seconds")
    assert 0 <= seconds < 1
    assert run == {
        "id": 7,
        "repeat": 0,
        "passed": True,
        "reasons": [],
        "status": "final",
        "answer": "yes",
        "tool_calls": 2,
        "tools_used": ["pay"],
        "calls": [
            {"name": "pay", "args": {"to": "x"}, "error": "down"},
            {"name": "pay", "args": {}, "error": None},
        ],
        "cost": 1.0,
        "first_output_seconds": 0.5,
        "usage": {"tokens": 7},
        "metadata": {"trace": [1]},
        "trace": {"format": "otel"},
    }
    assert json.loads(json.dumps(run)) == run


def test_what_an_agent_changes_later_does_not_change_its_runs(make_task):
    state = {"status": "final", "answer": "yes", "tools_used": [], "tool_calls": 0}
    state["metadata"] = {"seen": []}
    state["usage"] = {"tokens": [1]}
    state["calls"] = [{"name": "a", "args": {"x": [1]}}]
    state["tools_used"] = ["a"]
    state["tool_calls"] = 1

    runs = [run_task(lambda given: state, make_task())]
    state["metadata"]["seen"].append(1)
    state["usage"]["tokens"].append(2)
    state["calls"][0]["args"]["x"].append(2)
    state["tools_used"].append("b")
    (run,) = runs
    assert run["metadata"] == {"seen": []}
    assert run["usage"] == {"tokens": [1]}
    assert run["calls"][0]["args"] == {"x": [1]}
    assert run["tools_used"] == ["a"]


def test_what_contains_itself_is_kept_as_it_is(make_task, make_result):
    endless = {}
    endless["self"] = endless
    run = run_task(lambda given: make_result(metadata=endless), make_task())
    assert run["passed"]
    assert run["metadata"] is endless


class HostileMapping(dict):
    def get(self, *_):
        raise SystemExit("get")

    def keys(self):
        raise SystemExit("keys")

    __getitem__ = __iter__ = get


def test_a_mapping_that_raises_fails_its_run(make_task):
    run = run_task(lambda given: HostileMapping(status="final"), make_task())
    assert not run["passed"]
    assert run["reasons"] == ["error: SystemExit"]


def test_too_slow_and_too_dear(make_task, make_result):
    waiting = threading.Event()

    def agent(given):
        waiting.wait(0.02)
        return make_result(cost=0.3)

    run = run_task(agent, make_task(max_seconds=0.01, max_cost=0.2))
    assert run["reasons"] == ["over cost", "over time"]
    assert run["seconds"] >= 0.02
    assert run_task(agent, make_task(max_seconds=60, max_cost=0.3))["passed"]


def test_the_time_of_checks_does_not_count(make_task, make_result):
    def slow(task, result):
        threading.Event().wait(0.05)

    run = run_task(lambda given: make_result(), make_task(max_seconds=0.04), checks=[slow])
    assert run["passed"]


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"checks": len}, TypeError, "run_task: checks must be a list .*wrap one check in a list"),
        ({"checks": "state"}, TypeError, "run_task: checks must be a list of callables"),
        ({"checks": [len, 3]}, TypeError, r"run_task: checks\[1\] must be a callable"),
        ({"timeout": 0}, ValueError, r"run_task: timeout \(s\) must be a number above 0, got 0"),
        ({"timeout": -1}, ValueError, r"run_task: timeout \(s\) must be a number above 0, got -1"),
        ({"timeout": "1"}, TypeError, r"run_task: timeout \(s\) must be a number above 0"),
        ({"timeout": float("nan")}, ValueError, r"run_task: timeout \(s\) must be"),
        ({"retry_on": "KeyError"}, TypeError, "run_task: retry_on must list exception types"),
        ({"retry_on": [KeyError()]}, TypeError, "run_task: retry_on must list exception types"),
        ({"retry_on": int}, TypeError, "run_task: retry_on must list exception types"),
        (
            {"retry_on": KeyboardInterrupt},
            TypeError,
            "run_task: retry_on .*subclasses of Exception",
        ),
        ({"max_retries": -1}, ValueError, "run_task: max_retries must be an int of at least 0"),
        ({"max_retries": 1.5}, TypeError, "run_task: max_retries must be an int of at least 0"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_bad_options(make_task, good, options, kind, text):
    with pytest.raises(kind, match=text):
        run_task(good, make_task(), **options)


@pytest.mark.parametrize("agent", [None, "agent", {"agent": 1}], ids=repr)
def test_the_agent_must_be_callable(make_task, agent):
    with pytest.raises(TypeError, match=r"run_task: agent must be a callable agent\(input\), got"):
        run_task(agent, make_task())


def test_arguments_that_are_decoded_only_when_they_are_read():
    class Lazy(Mapping):
        def __iter__(self):
            return iter(json.loads("{"))

        def __len__(self):
            return 1

        def __getitem__(self, name):
            return json.loads("{")[name]

    task = {"id": 1, "input": "", "expected": None}
    result = {"status": "final", "answer": "", "calls": [Call("f"), {"name": "f", "args": Lazy()}]}
    run = run_task(lambda _: result, task)
    assert run["reasons"] == ["error: ValueError"]
    assert "'calls'[1]: Expecting property name" in run["error"]
