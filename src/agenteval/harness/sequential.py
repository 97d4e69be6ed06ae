"""One run after another, in the caller's own thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agenteval.harness.jobs import Job, Plan
from agenteval.harness.running import finish, perform

__all__ = ["Sequential"]


class Sequential:
    """Runs a job when its result is asked for."""

    window = 1

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._waiting: list[Job] = []

    async def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """Return ``function(*args)``."""
        return function(*args)

    def submit(self, job: Job) -> None:
        """Take a job in."""
        self._waiting.append(job)

    def next(self) -> Job:
        """Run the job that waits longest and return it."""
        job = self._waiting.pop(0)
        # A context of its own for every run: what one agent sets there, the next must not see.
        self._plan.context.copy().run(finish, perform(job, self._plan, self))
        return job

    def close(self) -> None:
        """Leave nothing behind; there is nothing."""
