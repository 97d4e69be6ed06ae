"""The part of an evaluation that takes place in an executor's worker, often another process."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextvars import copy_context
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from agenteval.harness.failures import describe
from agenteval.harness.jobs import Job, Plan, blank_run
from agenteval.harness.local import open_pool
from agenteval.harness.loops import OwnLoop

__all__ = ["Errand", "ErrandUnreadableError", "fetched", "pickled", "run_errand", "undelivered"]

_PROCESS = os.urandom(8)
"""Tells this process from all others but those forked off it, which have another number."""


def _here() -> tuple[int, bytes]:
    return os.getpid(), _PROCESS


@dataclass(frozen=True)
class Errand:
    """What a worker needs to know, the same for all runs of an evaluation.

    `serial` differs in every evaluation: a cluster that remembers results by what was asked would
    else answer the second evaluation of an agent with the runs of the first.
    """

    agent: Callable[[Any], Any]
    checks: tuple[Callable[..., Any], ...]
    timeout: float | None
    retry_on: tuple[type[Exception], ...]
    max_retries: int
    home: tuple[int, bytes]
    serial: bytes

    @classmethod
    def of(cls, plan: Plan) -> Errand:
        """Make the errand of a plan: all of it but the context, which cannot travel."""
        return cls(
            plan.agent,
            plan.checks,
            plan.timeout,
            plan.retry_on,
            plan.max_retries,
            _here(),
            os.urandom(8),
        )


class ErrandUnreadableError(Exception):
    """The worker cannot read the agent or the checks: the module they are in is not there."""


def run_errand(
    errand: Errand | bytes, task: Mapping[str, Any] | bytes, repeat: int
) -> dict[str, Any] | bytes:
    """Return the run; pickled already where it goes to another process.

    Pickling it here makes a value that cannot be pickled the fault of its run alone. The executor
    would find it after the work is done, and each kind of executor does something else about it.
    For the same reason errand and task may arrive pickled: a worker of the standard library's pool
    dies of what it cannot unpickle, without a word about the cause.
    """
    if isinstance(errand, bytes):
        errand = _unpacked(errand)
    job = Job(unpickled(task) if isinstance(task, bytes) else task, repeat, 0)
    plan = Plan(
        errand.agent,
        errand.checks,
        copy_context(),
        errand.timeout,
        errand.retry_on,
        errand.max_retries,
    )
    loop = OwnLoop()
    try:
        # A pool of one: it is what gives up when the time is up.
        pool = open_pool(plan, 1, loop)
        try:
            pool.submit(job)
            run = pool.next().run
        finally:
            pool.close()
    finally:
        loop.close()
    return run if _here() == errand.home else _packed(run)


def fetched(run: dict[str, Any] | bytes, job: Job) -> dict[str, Any]:
    """Return the run that came back from a worker; one that cannot be read has failed."""
    if not isinstance(run, bytes):
        return run
    try:
        unpacked: dict[str, Any] = unpickled(run)
    except Exception as error:  # noqa: BLE001 - unpickling runs foreign code
        run = blank_run(job.task["id"], job.repeat)
        undelivered(run, error, "could not be read where it arrived")
        return run
    return unpacked


def pickled(value: Any) -> bytes:
    """Return `value` as it travels."""
    import pickle  # here, because only other processes need it

    return pickle.dumps(value)


def unpickled(value: bytes) -> Any:
    """Return what arrived."""
    import pickle  # here, because only other processes need it

    return pickle.loads(value)


@lru_cache(maxsize=1)
def _unpacked(errand: bytes) -> Errand:
    """Read an errand once a worker, so that what the agent keeps in itself lasts."""
    try:
        read: Errand = unpickled(errand)
    except Exception as error:  # noqa: BLE001 - unpickling runs foreign code
        raise ErrandUnreadableError(describe(error)) from None
    return read


def _packed(run: dict[str, Any]) -> bytes:
    try:
        return pickled(run)
    except Exception as error:  # noqa: BLE001 - pickling runs foreign code
        kept = {key: run[key] for key in (*blank_run("", 0), "cost") if key in run}
        undelivered(kept, error, "could not be sent back from its worker; return plain data")
        return pickled(kept)


def undelivered(run: dict[str, Any], error: BaseException, what: str) -> None:
    """Make `run` one that failed because it got lost on its way."""
    run["passed"] = False
    run["reasons"] = [f"error: {type(error).__name__}"]
    run["error"] = f"{describe(error)} (the run {what})"
