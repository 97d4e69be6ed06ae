"""What is to be run and how: a job is one repeat of one task, a plan is what all jobs share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import Context
from dataclasses import dataclass
from typing import Any

__all__ = ["Job", "Plan"]


@dataclass(frozen=True)
class Plan:
    """What every run of an evaluation shares."""

    agent: Callable[[Any], Any]
    checks: tuple[Callable[..., Any], ...]
    context: Context
    timeout: float | None = None
    retry_on: tuple[type[BaseException], ...] = ()
    max_retries: int = 0


class Job:
    """One repeat of one task, from before it starts until its run is there.

    Attributes:
        task: The task.
        repeat: From 0.
        position: Its place in the report: task order, then repeat.
        run: What is known of the run so far.
    """

    __slots__ = ("position", "repeat", "run", "task")

    def __init__(self, task: Mapping[str, Any], repeat: int, position: int) -> None:
        self.task = task
        self.repeat = repeat
        self.position = position
        self.run: dict[str, Any] = {}
