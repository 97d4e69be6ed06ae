"""Runs that an evaluation's end cut off have not taken place: no log holds them as failed."""

from __future__ import annotations

import asyncio
import threading

import pytest

from agenteval.harness import evaluate, evaluate_async, iter_runs
from agenteval.runlog import read_log

GOOD = {"status": "final", "answer": "5", "calls": []}
TASKS = [{"id": number, "input": number, "expected": "5"} for number in range(6)]


def healthy(given):
    return dict(GOOD)


def finished_by_resuming(log) -> bool:
    """Say whether the log holds good runs alone and takes up the others."""
    assert all(run["passed"] for run in read_log(log))
    report = evaluate(healthy, TASKS, log=log, resume=True)
    return report["passed"] == report["total"] == len(TASKS)


@pytest.mark.parametrize("where", ["agent", "check"])
def test_a_run_in_the_pause_before_a_retry(tmp_path, where):
    log = tmp_path / "runs.jsonl"
    waiting = threading.Semaphore(0)

    def broken():
        waiting.release()
        raise ConnectionError("rate limit")

    def agent(given):
        if given and where == "agent":
            broken()
        return dict(GOOD)

    def check(task, result):
        if task["id"] and where == "check":
            broken()

    runs = iter_runs(agent, TASKS, checks=[check], max_workers=6, retry_on=ConnectionError, log=log)
    assert next(runs)["id"] == 0
    for _ in TASKS[1:]:
        assert waiting.acquire(timeout=10)
    runs.close()
    assert [run["id"] for run in read_log(log)] == [0]
    assert finished_by_resuming(log)


@pytest.mark.parametrize("logged", [False, True])
def test_a_run_that_another_agent_cancels_before_it_began(tmp_path, logged):
    """The second run mostly is; it passes when the loop heard of it too late for that."""

    async def agent(given):
        if given == 0:
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                task.cancel()
        return dict(GOOD)

    cancelled = 0
    for attempt in range(20):
        options = {"log": tmp_path / f"{attempt}.jsonl"} if logged else {}
        report = evaluate(agent, TASKS, max_workers=2, **options)
        first, second, *others = (run["reasons"] for run in report["runs"])
        assert [first, *others] == [[]] * 5
        assert second in ([], ["error: CancelledError"])
        cancelled += bool(second)
    assert cancelled


def plain_agent(begun):
    """One whose check is awaited when the loop ends."""

    def agent(given):
        return dict(GOOD)

    async def check(task, result):
        begun.set()
        await asyncio.sleep(60)

    return agent, [check]


def agent_in_disguise(begun):
    """A plain callable that returns a coroutine."""

    async def run(given):
        begun.set()
        await asyncio.sleep(60)

    return (lambda given: run(given)), []


def async_agent(begun):
    async def agent(given):
        begun.set()
        await asyncio.sleep(60)

    return agent, []


@pytest.mark.parametrize("make", [plain_agent, agent_in_disguise, async_agent])
def test_the_end_of_the_callers_loop(tmp_path, make):
    log = tmp_path / "runs.jsonl"

    async def main():
        begun = asyncio.Event()
        loop = asyncio.get_running_loop()

        class Begun:
            def set(self) -> None:
                loop.call_soon_threadsafe(begun.set)

        agent, checks = make(Begun())
        evaluation = evaluate_async(agent, TASKS, checks=checks, max_workers=3, log=log)
        kept = asyncio.create_task(evaluation)
        await asyncio.wait_for(begun.wait(), 10)
        assert not kept.done()  # asyncio.run ends it, with all that it waits for

    asyncio.run(main())
    assert list(read_log(log)) == []
    assert finished_by_resuming(log)


def test_an_agent_of_the_callers_loop_may_still_cancel_itself():
    async def run(given):
        if given == 1:
            raise asyncio.CancelledError
        return dict(GOOD)

    report = asyncio.run(evaluate_async(lambda given: run(given), TASKS[:3], max_workers=3))
    assert [run["reasons"] for run in report["runs"]] == [[], ["error: CancelledError"], []]


@pytest.mark.parametrize("make", [plain_agent, agent_in_disguise, async_agent])
def test_nothing_stays_behind_on_the_loop_when_the_evaluation_is_cancelled(make):
    async def main():
        agent, checks = make(threading.Event())
        evaluation = evaluate_async(agent, TASKS, checks=checks, max_workers=3)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(evaluation, 0.05)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())
