"""Run tasks against an agent: one task, or all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import copy_context
from typing import Any, cast

from agenteval.harness.amounts import count
from agenteval.harness.jobs import Job, Plan
from agenteval.harness.options import checked_agent, checked_checks
from agenteval.harness.sequential import Sequential
from agenteval.harness.summary import summarize
from agenteval.harness.validation import validate_task, validate_tasks
from agenteval.records import Check, Report, Run, Task

__all__ = ["evaluate", "run_task"]


def run_task(agent: Callable[[Any], Any], task: Task, *, checks: Iterable[Check] = ()) -> Run:
    """Run `agent` on one task and say how it went.

    >>> from agenteval.harness import scripted_agent
    >>> agent = scripted_agent({"2 + 3": {"status": "final", "answer": "5.", "calls": []}})
    >>> run = run_task(agent, {"id": "add", "input": "2 + 3", "expected": 5, "max_tool_calls": 0})
    >>> run["passed"], run["reasons"], run["tool_calls"]
    (True, [], 0)
    """
    plan = Plan(
        checked_agent(agent, "run_task"), checked_checks(checks, "run_task"), copy_context()
    )
    validate_task(task, "run_task")
    return cast("Run", next(_runs(plan, [Job(task, 0, 0)])).run)


def evaluate(
    agent: Callable[[Any], Any],
    tasks: Iterable[Task],
    *,
    repeats: int = 1,
    checks: Iterable[Check] = (),
) -> Report:
    """Run `agent` on every task, `repeats` times, and say what passed, what failed and why."""
    plan = Plan(
        checked_agent(agent, "evaluate"), checked_checks(checks, "evaluate"), copy_context()
    )
    repeats = count(repeats, "evaluate: repeats", least=1)
    listed = validate_tasks(tasks, caller="evaluate")
    done = sorted(_runs(plan, _jobs(listed, repeats)), key=lambda job: job.position)
    return summarize(cast("list[Run]", [job.run for job in done]))


def _jobs(tasks: Iterable[Mapping[str, Any]], repeats: int) -> Iterator[Job]:
    for position, task in enumerate(tasks):
        for repeat in range(repeats):
            yield Job(task, repeat, position * repeats + repeat)


def _runs(plan: Plan, jobs: Iterable[Job]) -> Iterator[Job]:
    """Yield the jobs as they are done, at most a window of them under way."""
    pool = Sequential(plan)
    waiting = iter(jobs)
    under_way = 0
    try:
        while True:
            while under_way < pool.window:
                job = next(waiting, None)
                if job is None:
                    break
                pool.submit(job)
                under_way += 1
            if not under_way:
                return
            job = pool.next()
            under_way -= 1
            yield job
    finally:
        pool.close()
