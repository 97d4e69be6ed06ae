"""One run, from the agent's call to its reasons; written once for threads and for event loops.

`perform` is a coroutine that leaves every call of foreign code to a `Caller`. On an event loop the
caller awaits; elsewhere it blocks, the coroutine never suspends, and `finish` takes it to its end
in one go.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Coroutine, Mapping
from inspect import isawaitable
from time import perf_counter
from typing import Any, Protocol, TypeVar

from agenteval.harness.checks import check_name, reasons_of
from agenteval.harness.failures import contract_broken, describe, failed, own_error
from agenteval.harness.jobs import Job, Plan, blank_run
from agenteval.harness.outcome import outcome_reasons
from agenteval.harness.repeat import current_repeat
from agenteval.harness.results import copied, read_result, salvage
from agenteval.harness.retries import pause_before_retry

__all__ = ["Caller", "NotRun", "TimeIsUp", "ask_checks", "finish", "is_awaitable", "perform"]

_T = TypeVar("_T")


class TimeIsUp(BaseException):
    """The job is over and its run complete; nothing of it is to be called any more.

    Attributes:
        abandoned: Whether something was left behind that did not end when it was told to.
    """

    def __init__(self, *, abandoned: bool = False) -> None:
        super().__init__()
        self.abandoned = abandoned


class NotRun(BaseException):
    """The evaluation stops before the job has a run that could be told; a later one will run it."""


class Caller(Protocol):
    """Calls foreign code, in whatever way suits the place where a run takes place."""

    async def call(self, job: Job, function: Callable[..., Any], *args: Any) -> Any:
        """Return ``function(*args)``, awaited where it has to be."""

    async def pause(self, seconds: float) -> None:
        """Wait."""


def is_awaitable(value: object) -> bool:
    """Say whether `value` has to be awaited; quick for what agents mostly return."""
    return type(value) is not dict and isawaitable(value)


def finish(coroutine: Coroutine[Any, Any, _T]) -> _T:
    """Return what a coroutine that never suspends comes to."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        value: _T = stop.value
        return value
    coroutine.close()
    raise RuntimeError("a run that should block has suspended")


async def perform(job: Job, plan: Plan, caller: Caller) -> None:
    """Run the agent on the job's task and fill in the job's run.

    Only KeyboardInterrupt, `NotRun` and `TimeIsUp` leave; every other exception of the agent or of
    a check is the run's.
    """
    task = job.task
    job.run = run = blank_run(task["id"], job.repeat)
    current_repeat.set(job.repeat)
    job.started = perf_counter()
    try:
        result = await _persist(
            job, plan, caller, plan.agent, lambda: (copy.deepcopy(task["input"]),)
        )
    except (KeyboardInterrupt, NotRun, TimeIsUp):
        raise
    except BaseException as error:  # noqa: BLE001 - SystemExit and its like end the run, no more
        if job.over:
            raise TimeIsUp from None
        run["seconds"] = perf_counter() - job.started
        failed(run, own_error(error))
    else:
        run["seconds"] = perf_counter() - job.started
        try:
            if type(result) is not dict and isinstance(result, Mapping):
                result = dict(result)
            run.update(read_result(task, result))
            run["reasons"] = outcome_reasons(task, run, run["seconds"])
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - the agent's own mapping may raise anything
            run.update(salvage(result))
            contract_broken(run, error)
        else:
            if plan.checks:
                await ask_checks(job, plan, caller, result)
            run["passed"] = not run["reasons"]
    if job.retried:
        run["attempts"] = job.attempts
        run["retried_errors"] = job.retried


async def ask_checks(job: Job, plan: Plan, caller: Caller, result: Any) -> None:
    """Add what the checks say to the reasons of the job's run.

    A check sees the result with ``tool_calls`` and ``tools_used`` filled in.
    """
    run = job.run
    seen = dict(result)
    for key in ("status", "answer", "tool_calls", "tools_used"):
        seen[key] = run[key]
    for check in plan.checks:
        job.check = name = check_name(check)
        try:
            # Copies, so that what one check changes neither the next one nor the run sees.
            said = await _persist(
                job, plan, caller, check, lambda: (copied(dict(job.task)), copied(seen))
            )
            run["reasons"] += reasons_of(said, name)
        except (KeyboardInterrupt, NotRun, TimeIsUp):
            raise
        except BaseException as error:  # noqa: BLE001 - a broken check fails its run, no more
            if job.over:
                raise TimeIsUp from None
            raised = own_error(error)
            run["reasons"].append(f"check error: {name}: {type(raised).__name__}")
            run.setdefault("check_errors", []).append(f"{name}: {describe(raised)}")


async def _persist(
    job: Job,
    plan: Plan,
    caller: Caller,
    function: Callable[..., Any],
    fresh: Callable[[], tuple[Any, ...]],
) -> Any:
    """Return what `function` returns, called again where the infrastructure was at fault.

    The agent's attempts are counted in the run; a check that is asked again is no new attempt.
    """
    retry = 0
    while True:
        args = fresh()
        if job.check is None:
            job.attempts += 1
        job.started = perf_counter()
        try:
            result = await caller.call(job, function, *args)
        except plan.retry_on as error:
            if job.over:
                raise TimeIsUp from None
            if retry >= plan.max_retries:
                raise
            said = describe(error)
            job.retried.append(said if job.check is None else f"{job.check}: {said}")
        else:
            if job.over:
                raise TimeIsUp
            return result
        await caller.pause(pause_before_retry(retry))
        retry += 1
