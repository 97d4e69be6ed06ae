"""One run after another, in the caller's own thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from agenteval.harness.jobs import Job, Plan
from agenteval.harness.loops import Loop
from agenteval.harness.running import finish, is_awaitable, perform

__all__ = ["Sequential"]


class Sequential:
    """Runs a job when its result is asked for."""

    window = 1

    def __init__(self, plan: Plan, loop: Loop) -> None:
        self._plan = plan
        self._loop = loop
        self._waiting: list[Job] = []

    async def call(self, job: Job, function: Callable[..., Any], *args: Any) -> Any:  # noqa: ARG002 - the protocol's
        """Return ``function(*args)``; what it has to be awaited for is awaited on the loop."""
        value = function(*args)
        return self._loop.wait(value) if is_awaitable(value) else value

    async def pause(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)

    def submit(self, job: Job) -> None:
        """Take a job in."""
        self._waiting.append(job)

    def next(self) -> Job:
        """Run the job and return it."""
        job = self._waiting.pop()
        # A context of its own for every run, with what the caller has set.
        self._plan.context.copy().run(finish, perform(job, self._plan, self))
        return job

    def interrupt(self) -> None:
        """Do nothing: a run in the caller's own thread ends when it ends."""

    def close(self) -> list[Job]:
        """Return what is done and not handed over; there is nothing."""
        return []
