"""Grade a result that is there already."""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import copy_context

from agenteval.harness.amounts import amount
from agenteval.harness.jobs import Job, Plan
from agenteval.harness.loops import OwnLoop
from agenteval.harness.options import checked_checks
from agenteval.harness.outcome import outcome_reasons
from agenteval.harness.results import read_result
from agenteval.harness.running import ask_checks, finish
from agenteval.harness.sequential import Sequential
from agenteval.harness.validation import validate_task
from agenteval.records import AgentResult, Check, Task

__all__ = ["grade"]


def grade(
    task: Task,
    result: AgentResult,
    checks: Iterable[Check] = (),
    *,
    seconds: float | None = None,
) -> list[str]:
    """Return why `result` fails `task`; empty when it passes.

    The reasons, in this order:

    =========================  ================================================================
    ``not final``              ``status`` is not ``"final"``
    ``wrong answer``           no acceptable ``expected`` equals the answer after `normalize`;
                               numbers are compared as their text (so 5 is ``"5"``, and 5.0 is
                               ``"5.0"``); an answer of None never matches
    ``over budget``            more ``tool_calls`` than ``max_tool_calls``
    ``over cost``              more ``cost`` than ``max_cost``
    ``over time``              more `seconds` than ``max_seconds``
    ``forbidden tool: NAME``   one for each forbidden tool used, sorted by name
    what the checks say        text is a reason; False gives ``check failed: NAME``; one that
                               raises gives ``check error: NAME: ExceptionType``
    =========================  ================================================================

    Args:
        task: The task; checked as `validate_tasks` does.
        result: What the agent returned; a run of a report or a log will do.
        checks: Callables ``check(task, result)``; they see ``tool_calls`` and ``tools_used`` filled
            in from ``calls``. None, True and an empty list pass.
        seconds: How long the agent took, for a task with ``max_seconds``.

    Returns:
        The reasons.

    Raises:
        TypeError, KeyError, ValueError: The task is wrong; or the result breaks the contract, so
            that the task cannot be graded: no dict, no ``status``, an answer that is not text, no
            ``tools_used`` though the task forbids tools, a ``tool_calls`` below the number of
            ``calls``, and the like. `run_task` makes this the reason ``error: TypeError``.

    >>> task = {"id": "capital", "input": "Capital of France?", "expected": "Paris",
    ...         "forbidden_tools": ["rm"]}
    >>> grade(task, {"status": "final", "answer": "paris.", "tool_calls": 1, "tools_used": ["rm"]})
    ['forbidden tool: rm']
    """
    validate_task(task, "grade")
    fields = read_result(task, result)
    if seconds is not None:
        seconds = amount(seconds, "grade: seconds")
    elif task.get("max_seconds") is not None:
        raise TypeError(
            f"grade: task {task['id']!r} has 'max_seconds'; pass seconds=, the time the agent took"
        )
    job = Job(task, 0, 0)
    job.run = {**fields, "reasons": outcome_reasons(task, fields, seconds)}
    plan = Plan(_nothing, checked_checks(checks, "grade"), copy_context())
    if plan.checks:
        loop = OwnLoop()
        try:
            finish(ask_checks(job, plan, Sequential(plan, loop), result))
        finally:
            loop.close()
    reasons: list[str] = job.run["reasons"]
    return reasons


def _nothing(_given: object) -> None:
    """Stand in for the agent where there is only a result."""
