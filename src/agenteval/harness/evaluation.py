"""Run tasks against an agent: one task, or all of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, cast

from agenteval.harness.driving import Evaluation, report_of, runs_of
from agenteval.harness.jobs import Job
from agenteval.harness.local import open_pool
from agenteval.harness.loops import OwnLoop
from agenteval.harness.options import checked_plan, set_up
from agenteval.harness.validation import validate_task
from agenteval.records import Agent, AsyncAgent, Check, Progress, Report, Run, Task

if TYPE_CHECKING:
    from concurrent.futures import Executor

__all__ = ["evaluate", "evaluate_async", "iter_runs", "run_task"]


def run_task(
    agent: Agent | AsyncAgent,
    task: Task,
    *,
    checks: Iterable[Check] = (),
    timeout: float | None = None,
    retry_on: type[Exception] | Iterable[type[Exception]] = (),
    max_retries: int = 2,
) -> Run:
    """Run `agent` on one task and say how it went.

    Args:
        agent: A callable ``agent(input)``, sync or async, that returns an `AgentResult`. It gets a
            deep copy of the task's ``input``.
        task: The task; checked as `validate_tasks` does before the agent is called.
        checks: Callables ``check(task, result)``, sync or async; see `grade`.
        timeout: Seconds for one attempt of the agent, and for each check.
        retry_on: Exception types that are the infrastructure's fault; see `evaluate`.
        max_retries: How often one call is repeated for such an exception, 0 or more.

    Returns:
        The run. ``reasons`` are those of `grade`; an agent that raises (SystemExit, too) gives
        exactly ``["error: ExceptionType"]``, and so does a result that breaks the contract, with
        the exception type that `grade` would raise. ``seconds`` is the wall time of the attempt
        that counted, checks left out.

    Raises:
        TypeError, ValueError: The task or an option is wrong. KeyboardInterrupt passes through.

    >>> from agenteval.harness import scripted_agent
    >>> agent = scripted_agent({"2 + 3": {"status": "final", "answer": "5.", "calls": []}})
    >>> run = run_task(agent, {"id": "add", "input": "2 + 3", "expected": 5, "max_tool_calls": 0})
    >>> run["passed"], run["reasons"], run["tool_calls"]
    (True, [], 0)
    """
    plan = checked_plan("run_task", agent, checks, timeout, retry_on, max_retries)
    validate_task(task, "run_task")
    loop = OwnLoop()
    try:
        pool = open_pool(plan, 1, loop)
        try:
            pool.submit(Job(task, 0, 0))
            return cast("Run", pool.next().run)
        finally:
            pool.close()
    finally:
        loop.close()


def evaluate(
    agent: Agent | AsyncAgent,
    tasks: Iterable[Task],
    *,
    repeats: int = 1,
    checks: Iterable[Check] = (),
    max_workers: int = 1,
    executor: Executor | None = None,
    timeout: float | None = None,
    retry_on: type[Exception] | Iterable[type[Exception]] = (),
    max_retries: int = 2,
    log: str | os.PathLike[str] | None = None,
    resume: bool = False,
    label: str | None = None,
    progress: bool | Progress = False,
) -> Report:
    """Run `agent` on every task, `repeats` times, and say what passed, what failed and why.

    All tasks are checked before the first agent call. One exception, hang or crash never stops the
    others, and the report does not depend on how many runs go side by side.

    Args:
        agent: A callable ``agent(input)``, sync or async, that returns an `AgentResult`. Each run
            gets a deep copy of the task's ``input``.
        tasks: Task dicts; see `validate_tasks`.
        repeats: How often each task is run, 1 or more. One run says little: take five.
        checks: Callables ``check(task, result)``, sync or async; see `grade`.
        max_workers: How many runs go side by side: a sync agent in as many threads, an async one
            on one event loop. The caller's context variables are visible in each run; what a run
            sets there, no other run sees. Sync checks of an async agent run in threads.
        executor: A `concurrent.futures.Executor` (processes, a cluster) to run in, in place of
            `max_workers`; it stays open. Agent, checks and tasks must suit it: other processes
            need them picklable and importable, and the caller's context variables stay behind.
            Each worker gives up at the `timeout` itself. A cluster may start a run anew by itself
            when a worker dies.
        timeout: Seconds for one attempt of the agent, and for each check. The run fails with
            ``error: TimeoutError`` (a check: ``check error: NAME: TimeoutError``, and later checks
            are not asked). An async agent is cancelled. A thread cannot be: it is left behind,
            counted in the report's ``abandoned``, and never waited for.
        retry_on: Exception types that are the infrastructure's fault (rate limit, network). The
            agent, or the check, that raised one is called again after a growing, jittered pause.
            Nothing is hidden: ``attempts`` and ``retried_errors`` stand in the run. A `timeout` is
            not retried.
        max_retries: How often one call is repeated for such an exception, 0 or more.
        log: A path. Every finished run is appended at once, so that a killed evaluation loses
            nothing that was finished. A log that exists is refused unless `resume`.
        resume: Run only what is missing in the log. With no log there yet, start one.
        label: The agent's version, for the report and the log.
        progress: True draws one line on stderr; a callable gets ``(done, total, run)``. What it
            raises stops the evaluation, the run being in the log.

    Returns:
        The report; ``runs`` are in task order, then by repeat, whatever finished first.

    Raises:
        TypeError, ValueError: A task or an option is wrong.
        RunLogError: The log cannot be used.
        RuntimeError: The executor is shut down, or broke (then it is a
            `concurrent.futures.BrokenExecutor`); what was finished is in the log.
        KeyboardInterrupt: Ctrl-C, or the agent raised it; what was finished is in the log.

    >>> def agent(question):
    ...     return {"status": "final", "answer": str(eval(question)), "calls": []}
    >>> tasks = [
    ...     {"id": "add", "input": "2 + 3", "expected": "5"},
    ...     {"id": "divide", "input": "1 / 0", "expected": None},
    ... ]
    >>> report = evaluate(agent, tasks)
    >>> report["pass_rate"], report["reasons"]
    (0.5, {'error: ZeroDivisionError': 1})
    """
    setup = set_up(
        "evaluate",
        agent,
        tasks,
        repeats,
        checks,
        max_workers,
        executor,
        timeout,
        retry_on,
        max_retries,
        log,
        resume,
        label,
        progress,
    )
    return report_of(Evaluation(setup, OwnLoop()))


def iter_runs(
    agent: Agent | AsyncAgent,
    tasks: Iterable[Task],
    *,
    repeats: int = 1,
    checks: Iterable[Check] = (),
    max_workers: int = 1,
    executor: Executor | None = None,
    timeout: float | None = None,
    retry_on: type[Exception] | Iterable[type[Exception]] = (),
    max_retries: int = 2,
    log: str | os.PathLike[str] | None = None,
    resume: bool = False,
    label: str | None = None,
    progress: bool | Progress = False,
) -> Iterator[Run]:
    """Yield the runs of an evaluation as they finish, for a memory that does not grow.

    Tasks and options are checked at once, and the tasks must stay as they are from then on; the log
    is opened, and the first agent called, when the first run is asked for. No more than a few runs
    are ahead of the one that was asked for last. An iterator that is closed early stops as Ctrl-C
    does: what was finished is in the log.

    Args:
        agent: As for `evaluate`.
        tasks: As for `evaluate`.
        repeats: As for `evaluate`.
        checks: As for `evaluate`.
        max_workers: As for `evaluate`.
        executor: As for `evaluate`.
        timeout: As for `evaluate`.
        retry_on: As for `evaluate`.
        max_retries: As for `evaluate`.
        log: As for `evaluate`.
        resume: As for `evaluate`; the log's runs come first.
        label: As for `evaluate`; it stands in the log.
        progress: As for `evaluate`.

    Returns:
        The runs in the order in which they finish; `summarize` makes a report of them.

    Raises:
        TypeError, ValueError, RunLogError, RuntimeError, KeyboardInterrupt: As `evaluate` does.

    >>> def agent(question):
    ...     return {"status": "final", "answer": "5", "calls": []}
    >>> for run in iter_runs(agent, [{"id": "add", "input": "2 + 3", "expected": 5}], repeats=2):
    ...     print(run["id"], run["repeat"], run["passed"])
    add 0 True
    add 1 True
    """
    setup = set_up(
        "iter_runs",
        agent,
        tasks,
        repeats,
        checks,
        max_workers,
        executor,
        timeout,
        retry_on,
        max_retries,
        log,
        resume,
        label,
        progress,
    )
    return runs_of(Evaluation(setup, OwnLoop()))


async def evaluate_async(
    agent: Agent | AsyncAgent,
    tasks: Iterable[Task],
    *,
    repeats: int = 1,
    checks: Iterable[Check] = (),
    max_workers: int = 1,
    executor: Executor | None = None,
    timeout: float | None = None,
    retry_on: type[Exception] | Iterable[type[Exception]] = (),
    max_retries: int = 2,
    log: str | os.PathLike[str] | None = None,
    resume: bool = False,
    label: str | None = None,
    progress: bool | Progress = False,
) -> Report:
    """Do what `evaluate` does, on the event loop of the caller, which stays free for others.

    For code that has a loop already, and for agents that hold on to it (an HTTP client made on
    it, say). Async agents and checks run on this loop, a `progress` callable is called on it, sync
    agents and checks run in threads. When the task that awaits this is cancelled, the evaluation
    stops as by Ctrl-C: what was finished is in the log.

    Args:
        agent: As for `evaluate`.
        tasks: As for `evaluate`.
        repeats: As for `evaluate`.
        checks: As for `evaluate`.
        max_workers: As for `evaluate`.
        executor: As for `evaluate`.
        timeout: As for `evaluate`.
        retry_on: As for `evaluate`.
        max_retries: As for `evaluate`.
        log: As for `evaluate`.
        resume: As for `evaluate`.
        label: As for `evaluate`.
        progress: As for `evaluate`.

    Returns:
        The report, as `evaluate` gives it.

    Raises:
        TypeError, ValueError, RunLogError, RuntimeError, KeyboardInterrupt: As `evaluate` does.

    >>> import asyncio
    >>> async def agent(question):
    ...     return {"status": "final", "answer": "5", "calls": []}
    >>> tasks = [{"id": "add", "input": "2 + 3", "expected": 5}]
    >>> asyncio.run(evaluate_async(agent, tasks, repeats=5, max_workers=5))["passed"]
    5
    """
    from agenteval.harness.awaiting import report_awaited  # here, because asyncio is slow to import

    setup = set_up(
        "evaluate_async",
        agent,
        tasks,
        repeats,
        checks,
        max_workers,
        executor,
        timeout,
        retry_on,
        max_retries,
        log,
        resume,
        label,
        progress,
    )
    return await report_awaited(setup)
