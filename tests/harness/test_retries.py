"""The infrastructure's faults are retried, and never hidden."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections import Counter

import pytest

from agenteval.harness import evaluate, evaluate_async, retries, run_task
from agenteval.harness.retries import pause_before_retry


class RateLimitError(Exception):
    pass


class FineError(RateLimitError):
    pass


def failing(times, error=RateLimitError):
    """Make a function that fails so many times for each argument, then says how often."""
    calls = Counter()
    lock = threading.Lock()

    def call(given):
        with lock:
            calls[given] += 1
            turn = calls[given]
        if turn <= times:
            raise error(f"turn {turn}")
        return turn

    call.calls = calls
    return call


def sync_agent(trouble, make_result):
    def agent(given):
        trouble(given)
        return make_result()

    return agent


def async_agent(trouble, make_result):
    async def agent(given):
        trouble(given)
        return make_result()

    return agent


AGENTS = [pytest.param(sync_agent, id="sync"), pytest.param(async_agent, id="async")]


@pytest.mark.usefixtures("short_pauses")
@pytest.mark.parametrize("make_agent", AGENTS)
@pytest.mark.parametrize("workers", [1, 3])
def test_a_fault_is_retried_and_counted(make_task, make_result, make_agent, workers):
    trouble = failing(2, FineError)
    report = evaluate(
        make_agent(trouble, make_result),
        [make_task(place, input=place) for place in range(5)],
        retry_on=RateLimitError,
        max_workers=workers,
    )
    assert set(trouble.calls.values()) == {3}
    for run in report["runs"]:
        assert run["passed"]
        assert run["attempts"] == 3
        assert run["retried_errors"] == ["FineError: turn 1", "FineError: turn 2"]


@pytest.mark.usefixtures("short_pauses")
@pytest.mark.parametrize("make_agent", AGENTS)
def test_a_fault_that_stays_is_the_runs(make_task, make_result, make_agent):
    trouble = failing(99)
    agent = make_agent(trouble, make_result)
    run = run_task(agent, make_task(), retry_on=(OSError, RateLimitError), max_retries=1)
    assert run["reasons"] == ["error: RateLimitError"]
    assert run["error"] == "RateLimitError: turn 2"
    assert (run["attempts"], run["retried_errors"]) == (2, ["RateLimitError: turn 1"])


@pytest.mark.parametrize(
    ("options", "error"),
    [
        pytest.param({"retry_on": KeyError}, RateLimitError, id="another kind"),
        pytest.param(
            {"retry_on": RateLimitError, "max_retries": 0}, RateLimitError, id="no retries"
        ),
        pytest.param({}, RateLimitError, id="by default"),
        pytest.param({"retry_on": Exception}, SystemExit, id="no Exception"),
    ],
)
def test_what_is_not_retried(make_task, make_result, options, error):
    trouble = failing(1, error)
    run = run_task(sync_agent(trouble, make_result), make_task(), **options)
    assert run["reasons"] == [f"error: {error.__name__}"]
    assert sum(trouble.calls.values()) == 1
    assert not {"attempts", "retried_errors"} & run.keys()


@pytest.mark.usefixtures("short_pauses")
def test_each_attempt_gets_the_input_afresh(make_task, make_result):
    trouble = failing(2)
    seen = []

    def agent(given):
        seen.append(list(given))
        given.append("changed")
        trouble(1)
        return make_result()

    assert run_task(agent, make_task(input=["a"]), retry_on=RateLimitError)["passed"]
    assert seen == [["a"]] * 3


@pytest.mark.usefixtures("short_pauses")
def test_the_time_is_that_of_the_attempt_that_counted(make_task, make_result):
    trouble = failing(1)

    def agent(given):
        try:
            trouble(1)
        except RateLimitError:
            threading.Event().wait(0.05)
            raise
        return make_result()

    run = run_task(agent, make_task(), retry_on=RateLimitError)
    assert run["seconds"] < 0.04


def test_a_broken_contract_is_no_fault_of_the_infrastructure(make_task):
    calls = []
    run = run_task(calls.append, make_task(), retry_on=TypeError)
    assert (run["reasons"], len(calls)) == (["error: TypeError"], 1)


@pytest.mark.usefixtures("short_pauses")
@pytest.mark.parametrize("make_agent", AGENTS)
def test_a_check_is_asked_again_without_the_agent(make_task, make_result, make_agent):
    """A judge's rate limit is no reason to pay for the agent once more."""
    trouble = failing(2)
    called = []

    def judge(task, result):
        return f"turn {trouble(1)}"

    def hopeless(task, result):
        raise RateLimitError("always")

    agent = make_agent(called.append, make_result)
    run = run_task(agent, make_task(), checks=[judge, hopeless], retry_on=RateLimitError)
    assert run["reasons"] == ["turn 3", "check error: hopeless: RateLimitError"]
    assert run["attempts"] == len(called) == 1
    assert run["retried_errors"] == [
        "judge: RateLimitError: turn 1",
        "judge: RateLimitError: turn 2",
        "hopeless: RateLimitError: always",
        "hopeless: RateLimitError: always",
    ]


@pytest.mark.usefixtures("short_pauses")
def test_a_timeout_is_not_retried_but_what_was_retried_before_it_is_told(make_task, hold):
    trouble = failing(1)

    def agent(given):
        trouble(1)
        hold.wait()

    run = run_task(agent, make_task(), retry_on=(RateLimitError, TimeoutError), timeout=0.05)
    assert run["reasons"] == ["error: TimeoutError"]
    assert (run["attempts"], run["retried_errors"]) == (2, ["RateLimitError: turn 1"])


@pytest.mark.usefixtures("short_pauses")
def test_a_thread_that_was_left_behind_calls_no_agent_again(make_task, make_result):
    go_on = threading.Event()
    threads = []
    calls = []

    def agent(given):
        threads.append(threading.current_thread())
        calls.append(given)
        go_on.wait()
        raise RateLimitError

    run = run_task(agent, make_task(), retry_on=RateLimitError, timeout=0.05)
    assert run["reasons"] == ["error: TimeoutError"]
    go_on.set()
    threads[0].join(5)
    assert len(calls) == 1


def test_pauses_grow_and_differ():
    for retry in range(5):
        pauses = {pause_before_retry(retry) for _ in range(200)}
        longest = retries.FIRST_PAUSE * 2**retry
        assert len(pauses) > 100
        assert longest / 2 <= min(pauses) < max(pauses) <= longest
    assert pause_before_retry(10_000) <= retries.LONGEST_PAUSE


def test_the_shared_dice_are_not_touched():
    random.seed(5)
    state = random.getstate()
    pause_before_retry(0)
    assert random.getstate() == state


@pytest.mark.parametrize("kind", ["threads", "async"])
def test_a_pause_ends_with_the_evaluation(make_task, make_result, monkeypatch, kind):
    """The pause would take a minute; the evaluation is cancelled during it."""
    monkeypatch.setattr(retries, "FIRST_PAUSE", 60.0)
    failed = threading.Event()

    def trouble(given):
        failed.set()
        raise RateLimitError

    make_agent = sync_agent if kind == "threads" else async_agent
    agent = make_agent(trouble, make_result)

    async def main():
        task = asyncio.ensure_future(evaluate_async(agent, [make_task()], retry_on=RateLimitError))
        while not failed.is_set():
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    start = time.monotonic()
    asyncio.run(main())
    assert time.monotonic() - start < 2
