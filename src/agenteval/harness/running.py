"""One run, from the agent's call to its reasons; written once for threads and for event loops.

`perform` is a coroutine that leaves every call of foreign code to a `Caller`. On an event loop the
caller awaits; elsewhere it blocks, the coroutine never suspends, and `finish` takes it to its end
in one go.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Coroutine
from time import perf_counter
from typing import Any, Protocol, TypeVar

from agenteval.harness.checks import check_name, reasons_of
from agenteval.harness.failures import contract_broken, describe, failed
from agenteval.harness.jobs import Job, Plan
from agenteval.harness.outcome import outcome_reasons
from agenteval.harness.repeat import current_repeat
from agenteval.harness.results import read_result, salvage

__all__ = ["Caller", "ask_checks", "finish", "perform"]

_T = TypeVar("_T")


class Caller(Protocol):
    """Calls foreign code, in whatever way suits the place where a run takes place."""

    async def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """Return ``function(*args)``, awaited where it has to be."""


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

    Only KeyboardInterrupt leaves; every other exception of the agent or of a check is the run's.
    """
    task = job.task
    job.run = run = {
        "id": task["id"],
        "repeat": job.repeat,
        "passed": False,
        "reasons": [],
        "status": None,
        "answer": None,
        "tool_calls": None,
        "tools_used": None,
        "seconds": 0.0,
    }
    current_repeat.set(job.repeat)
    start = perf_counter()
    try:
        given = copy.deepcopy(task["input"])
        start = perf_counter()
        result = await caller.call(plan.agent, given)
        run["seconds"] = perf_counter() - start
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - SystemExit and its like end the run, no more
        run["seconds"] = perf_counter() - start
        failed(run, error)
        return
    try:
        run.update(read_result(task, result))
    except KeyboardInterrupt:
        raise
    except Exception as error:  # noqa: BLE001 - a mapping of the agent's own may raise anything
        run.update(salvage(task, result))
        contract_broken(run, error)
        return
    run["reasons"] = outcome_reasons(task, run, run["seconds"])
    if plan.checks:
        await ask_checks(job, plan, caller, result)
    run["passed"] = not run["reasons"]


async def ask_checks(job: Job, plan: Plan, caller: Caller, result: Any) -> None:
    """Add what the checks say to the reasons of the job's run.

    A check sees the result with ``tool_calls`` and ``tools_used`` filled in.
    """
    run = job.run
    seen = dict(result)
    for key in ("status", "answer", "tool_calls", "tools_used"):
        seen[key] = run[key]
    for check in plan.checks:
        name = check_name(check)
        try:
            # Copies, so that what one check changes is not what the next one sees.
            said = await caller.call(check, dict(job.task), dict(seen))
            run["reasons"] += reasons_of(said, name)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - a broken check fails its run, no more
            run["reasons"].append(f"check error: {name}: {type(error).__name__}")
            run.setdefault("check_errors", []).append(f"{name}: {describe(error)}")
