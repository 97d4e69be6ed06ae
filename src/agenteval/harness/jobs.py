"""What is to be run and how: a job is one repeat of one task, a plan is what all jobs share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import Context
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from agenteval.records import TaskId

__all__ = ["Job", "Plan", "blank_run"]


@dataclass(frozen=True)
class Plan:
    """What every run of an evaluation shares."""

    agent: Callable[[Any], Any]
    checks: tuple[Callable[..., Any], ...]
    context: Context
    timeout: float | None = None
    retry_on: tuple[type[Exception], ...] = ()
    max_retries: int = 0


def blank_run(id: TaskId, repeat: int) -> dict[str, Any]:  # noqa: A002 - the run's own key
    """Return a run of which nothing is known yet."""
    return {
        "id": id,
        "repeat": repeat,
        "passed": False,
        "reasons": [],
        "status": None,
        "answer": None,
        "tool_calls": None,
        "tools_used": None,
        "seconds": 0.0,
    }


class Job:
    """One repeat of one task, from before it starts until its run is there.

    Attributes:
        task: The task.
        repeat: From 0.
        position: Its place in the report: task order, then repeat.
        run: What is known of the run so far.
        attempts: How often the agent was called.
        check: The name of the check that is under way; None while the agent is.
        started: When the call that is under way began, by ``perf_counter``.
        retried: The infrastructure's faults so far, as text.
        done: Its run is complete.
        over: Its time was up: whatever its agent still does is no longer listened to.
        stop: The KeyboardInterrupt that the agent or a check raised.
    """

    __slots__ = (
        "_open",
        "attempts",
        "check",
        "done",
        "over",
        "position",
        "repeat",
        "retried",
        "run",
        "started",
        "stop",
        "task",
    )

    def __init__(self, task: Mapping[str, Any], repeat: int, position: int) -> None:
        self.task = task
        self.repeat = repeat
        self.position = position
        self.run: dict[str, Any] = {}
        self.attempts = 0
        self.check: str | None = None
        self.started = 0.0
        self.retried: list[str] = []
        self.done = False
        self.over = False
        self.stop: KeyboardInterrupt | None = None
        self._open = [True]

    def claim(self) -> bool:
        """Say whether the caller is the first to ask, and so the one who hands the job over.

        A run that ends at the very moment when its time is up is handed over once.
        """
        try:
            return self._open.pop()
        except IndexError:
            return False

    def time_is_up(self, timeout: float, *, abandoned: bool) -> None:
        """Complete the run of a job whose agent or check did not end in time.

        The run is a copy, because a stuck thread may come back and write into its own.
        """
        self.over = True
        said = f"TimeoutError: not done within {timeout:g} s"
        run = {**self.run, "passed": False, "reasons": [*self.run["reasons"]]}
        if self.check is None:
            run["seconds"] = perf_counter() - self.started
            run["reasons"] = ["error: TimeoutError"]
            run["error"] = said
        else:
            run["reasons"].append(f"check error: {self.check}: TimeoutError")
            run["check_errors"] = [*run.get("check_errors", ()), f"{self.check}: {said}"]
        if self.retried:
            run["attempts"] = self.attempts
            run["retried_errors"] = [*self.retried]
        if abandoned:
            run["abandoned"] = True
        self.run = run
