"""The options of an evaluation, checked before anything runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any

from agenteval._messages import cut
from agenteval.harness.amounts import amount, count
from agenteval.harness.async_runs import is_async
from agenteval.harness.jobs import Plan
from agenteval.harness.validation import validate_tasks
from agenteval.records import Run, Task

__all__ = ["Setup", "checked_checks", "checked_plan", "set_up"]


_LONGEST = 1e9
"""Seconds, some thirty years: clocks and locks overflow beyond, and nobody waits so long."""


@dataclass(frozen=True)
class Setup:
    """What is to be evaluated and how, all of it checked."""

    plan: Plan
    tasks: list[Task]
    repeats: int
    width: int
    executor: Any
    log: str | os.PathLike[str] | None
    resume: bool
    label: str | None
    progress: bool | Callable[[int, int, Run], object]

    @property
    def total(self) -> int:
        """How many runs there will be."""
        return len(self.tasks) * self.repeats


def set_up(
    caller: str,
    agent: Any,
    tasks: Iterable[Task],
    repeats: Any,
    checks: Any,
    max_workers: Any,
    executor: Any,
    timeout: Any,
    retry_on: Any,
    max_retries: Any,
    log: Any,
    resume: bool,
    label: Any,
    progress: Any,
) -> Setup:
    """Return what the arguments of `caller` set up, or raise for the first that is wrong."""
    plan = checked_plan(caller, agent, checks, timeout, retry_on, max_retries)
    times = count(repeats, f"{caller}: repeats", least=1)
    width = count(max_workers, f"{caller}: max_workers", least=1)
    _check_executor(executor, width, caller)
    _check_log(log, resume, caller)
    _check_label(label, caller)
    _check_progress(progress, caller)
    listed = validate_tasks(tasks, caller=caller)
    return Setup(plan, listed, times, width, executor, log, resume, label, progress)


def checked_plan(
    caller: str,
    agent: Any,
    checks: Any,
    timeout: Any,
    retry_on: Any,
    max_retries: Any,
) -> Plan:
    """Return the plan that the arguments of `caller` make, with the context of this moment."""
    if not callable(agent):
        raise TypeError(
            f"{caller}: agent must be a callable agent(input), "
            f"got {type(agent).__name__} {cut(agent)}"
        )
    return Plan(
        agent,
        checked_checks(checks, caller),
        copy_context(),
        None
        if timeout is None
        else min(amount(timeout, f"{caller}: timeout (s)", positive=True), _LONGEST),
        _checked_retry_on(retry_on, caller),
        count(max_retries, f"{caller}: max_retries"),
    )


def checked_checks(checks: Any, caller: str) -> tuple[Callable[..., Any], ...]:
    """Return `checks` as a tuple of callables."""
    if isinstance(checks, (str, bytes, Mapping)) or not isinstance(checks, Iterable):
        hint = "; wrap one check in a list" if callable(checks) else ""
        raise TypeError(
            f"{caller}: checks must be a list of callables check(task, result), "
            f"got {type(checks).__name__} {cut(checks)}{hint}"
        )
    listed = tuple(checks)
    for position, check in enumerate(listed):
        if not callable(check):
            raise TypeError(
                f"{caller}: checks[{position}] must be a callable check(task, result), "
                f"got {type(check).__name__} {cut(check)}"
            )
    return listed


def _check_executor(executor: Any, max_workers: int, caller: str) -> None:
    if executor is None:
        return
    from concurrent.futures import Executor  # here, because only those who use one need it

    if not isinstance(executor, Executor):
        hint = (
            "; of a Dask client pass client.get_executor()"
            if hasattr(executor, "get_executor")
            else ""
        )
        raise TypeError(
            f"{caller}: executor must be a concurrent.futures.Executor, "
            f"got {type(executor).__name__} {cut(executor)}{hint}"
        )
    if max_workers != 1:
        raise ValueError(
            f"{caller}: got both max_workers={max_workers} and an executor, which has a number of "
            "workers of its own; pass one of them"
        )


def _check_log(log: Any, resume: bool, caller: str) -> None:
    if log is not None and not isinstance(log, (str, os.PathLike)):
        raise TypeError(
            f"{caller}: log must be a path or None, got {type(log).__name__} {cut(log)}"
        )
    if resume and log is None:
        raise ValueError(f"{caller}: resume needs a log to go on with; pass log=, the path of it")


def _check_label(label: Any, caller: str) -> None:
    if label is not None and not isinstance(label, str):
        raise TypeError(
            f"{caller}: label must be a str, the agent's version, or None, "
            f"got {type(label).__name__} {cut(label)}"
        )


def _check_progress(progress: Any, caller: str) -> None:
    if not isinstance(progress, bool) and not callable(progress):
        raise TypeError(
            f"{caller}: progress must be a bool or a callable progress(done, total, run), "
            f"got {type(progress).__name__} {cut(progress)}"
        )
    if is_async(progress):
        raise TypeError(
            f"{caller}: progress must be a plain callable, got the async {cut(progress)}, which "
            "nobody would await; have it start a task of its own"
        )


def _checked_retry_on(retry_on: Any, caller: str) -> tuple[type[Exception], ...]:
    listed = (retry_on,) if isinstance(retry_on, type) else retry_on
    if isinstance(listed, (str, bytes)) or not isinstance(listed, Iterable):
        raise TypeError(
            f"{caller}: retry_on must list exception types, "
            f"got {type(retry_on).__name__} {cut(retry_on)}"
        )
    kinds = tuple(listed)
    for kind in kinds:
        if not (isinstance(kind, type) and issubclass(kind, Exception)):
            raise TypeError(
                f"{caller}: retry_on must list exception types, subclasses of Exception, "
                f"got {type(kind).__name__} {cut(kind)}"
            )
    return kinds
