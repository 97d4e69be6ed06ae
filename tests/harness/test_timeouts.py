"""Time limits: nothing that hangs stops the rest."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading

import pytest

from agenteval.harness import evaluate, evaluate_async, iter_runs, run_task

LIMIT = 0.1


def by_await(agent, tasks, **options):
    return asyncio.run(evaluate_async(agent, tasks, **options))


WAYS = [pytest.param(evaluate, id="evaluate"), pytest.param(by_await, id="evaluate_async")]


@pytest.fixture
def tasks(make_task):
    return [make_task(place, input=place) for place in range(10)]


def held(report):
    return [run["id"] for run in report["runs"] if run["reasons"] == ["error: TimeoutError"]]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("workers", [1, 3])
def test_a_hung_thread_is_left_behind_and_counted(tasks, make_result, hold, way, workers):
    def agent(given):
        if given in (2, 5):
            hold.wait()
        return make_result()

    report = way(agent, tasks, max_workers=workers, timeout=LIMIT)
    assert held(report) == [2, 5]
    assert (report["passed"], report["abandoned"]) == (8, 2)
    run = report["runs"][2]
    assert run["error"] == "TimeoutError: not done within 0.1 s"
    assert run["abandoned"]
    assert LIMIT <= run["seconds"] < 5
    assert run["answer"] is None
    assert json.dumps(report)


def test_the_width_stays_when_threads_are_left_behind(make_task, make_result, hold):
    """Three hang at once; afterwards three healthy ones still go side by side."""
    gate = threading.Barrier(3, timeout=5)

    def agent(given):
        if given < 3:
            hold.wait()
        gate.wait()
        return make_result()

    tasks = [make_task(place, input=place) for place in range(9)]
    report = evaluate(agent, tasks, max_workers=3, timeout=0.2)
    assert held(report) == [0, 1, 2]
    assert report["passed"] == 6


def test_a_thread_that_was_left_behind_ends_and_changes_nothing(make_task, make_result):
    go_on = threading.Event()
    checked = []
    threads = []

    def agent(given):
        threads.append(threading.current_thread())
        if given == "hang":
            go_on.wait()
        return make_result()

    tasks = [make_task(1, input="hang"), make_task(2)]
    check = checked.append
    report = evaluate(agent, tasks, timeout=LIMIT, checks=[lambda task, result: check(task["id"])])
    before = json.dumps(report)
    go_on.set()
    for thread in threads:
        thread.join(5)
        assert not thread.is_alive()
    assert json.dumps(report) == before
    assert checked == [2]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("hidden", [False, True], ids=["async", "hidden async"])
def test_an_async_agent_is_cancelled(tasks, make_result, way, hidden, no_threads_left):
    cancelled = []

    async def agent(given):
        if given in (2, 5):
            try:
                await asyncio.sleep(1000)
            except asyncio.CancelledError:
                cancelled.append(given)
                raise
        return make_result()

    chosen = (lambda given: agent(given)) if hidden else agent
    report = way(chosen, tasks, max_workers=3, timeout=LIMIT)
    assert held(report) == [2, 5]
    assert report["passed"] == 8
    assert "abandoned" not in report
    assert sorted(cancelled) == [2, 5]


def test_an_async_agent_that_swallows_its_cancellation_is_left_behind(
    tasks, make_result, short_grace
):
    async def agent(given):
        while given == 4:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(1000)
        return make_result()

    report = evaluate(agent, tasks, max_workers=3, timeout=LIMIT)
    assert held(report) == [4]
    assert (report["passed"], report["abandoned"]) == (9, 1)


def test_an_async_agent_that_answers_its_cancellation_has_had_its_time(tasks, make_result):
    async def agent(given):
        if given == 4:
            try:
                await asyncio.sleep(1000)
            except asyncio.CancelledError:
                return make_result()
        return make_result()

    report = evaluate(agent, tasks, max_workers=3, timeout=LIMIT)
    assert held(report) == [4]
    assert "abandoned" not in report


def test_an_async_agent_that_blocks_the_loop_stops_no_other(tasks, make_result, hold, short_grace):
    """Its neighbors are run again on a new loop, and say so."""
    turns = []

    async def agent(given):
        turns.append(given)
        await asyncio.sleep(0.001)
        if given == 4:
            hold.wait()
        await asyncio.sleep(0.001)
        return make_result()

    report = evaluate(agent, tasks, max_workers=3, timeout=0.2)
    assert held(report) == [4]
    assert (report["passed"], report["abandoned"]) == (9, 1)
    again = [run for run in report["runs"] if "attempts" in run]
    assert 0 < len(again) < 3
    for run in again:
        assert run["attempts"] == 2 == turns.count(run["id"])
        assert run["retried_errors"] == ["the event loop was blocked by task 4"]


def test_a_loop_that_was_held_up_takes_no_run_beside_it_with_it(make_task, make_result):
    """What the second agent waits for is there when the first one lets go of the loop."""
    ready = threading.Event()

    async def agent(given):
        if given == "blocks":
            await asyncio.sleep(0.01)
            threading.Event().wait(0.3)
        else:
            await asyncio.to_thread(ready.wait, 0.05)
        return make_result()

    tasks = [make_task(1, input="blocks"), make_task(2)]
    report = evaluate(agent, tasks, max_workers=2, timeout=0.2)
    assert report["runs"][1]["passed"]
    assert report["runs"][1]["seconds"] > 0.2


def test_a_task_of_the_agents_own_that_blocks_the_loop(tasks, make_result, hold, short_grace):
    """Which run it belongs to cannot be told: all that are late have had their time."""

    async def block():
        hold.wait()

    async def agent(given):
        if given == 4:
            await asyncio.gather(block())
        return make_result()

    report = evaluate(agent, tasks, max_workers=1, timeout=LIMIT)
    assert held(report) == [4]
    assert report["passed"] == 9


CHECKED = [
    pytest.param(lambda hold: lambda task, result: hold.wait(), True, id="sync check"),
    pytest.param(lambda hold: lambda task, result: asyncio.sleep(1000), False, id="async check"),
]


@pytest.mark.parametrize("is_async", [False, True], ids=["sync agent", "async agent"])
@pytest.mark.parametrize(("make_check", "abandoned"), CHECKED)
def test_a_check_that_hangs(make_task, hold, make_check, abandoned, is_async):
    asked = []

    def first(task, result):
        return "a reason before"

    def slow(task, result):
        return made(task, result) if task["id"] == 1 else None

    def last(task, result):
        asked.append(task["id"])

    result = {"status": "final", "answer": "yes", "cost": 0.5}
    made = make_check(hold)

    async def async_agent(given):
        return result

    report = evaluate(
        async_agent if is_async else lambda given: result,
        [make_task(1), make_task(2)],
        checks=[first, slow, last],
        timeout=LIMIT,
    )
    run = report["runs"][0]
    assert run["reasons"] == ["a reason before", "check error: slow: TimeoutError"]
    assert run["check_errors"] == ["slow: TimeoutError: not done within 0.1 s"]
    assert (run["answer"], run["cost"]) == ("yes", 0.5)
    assert run["seconds"] < LIMIT
    assert run.get("abandoned", False) == abandoned
    assert asked == [2]


def test_the_time_is_that_of_each_call(make_task, make_result):
    """Neither retries nor checks eat into the agent's time."""

    def slow(*_):
        threading.Event().wait(0.09)
        return make_result()

    def check(task, result):
        slow()

    run = run_task(slow, make_task(), checks=[check] * 4, timeout=0.4)
    assert run["reasons"] == []


def test_iter_runs_goes_on_behind_a_hung_thread(tasks, make_result, hold):
    def agent(given):
        if given == 0:
            hold.wait()
        return make_result()

    runs = iter_runs(agent, tasks, max_workers=2, timeout=LIMIT)
    assert sorted(run["id"] for run in runs) == list(range(10))


def test_an_agents_own_timeout_error_is_its_own(make_task):
    def agent(given):
        raise TimeoutError("the database")

    run = run_task(agent, make_task(), timeout=5)
    assert run["error"] == "TimeoutError: the database"
    assert "abandoned" not in run
