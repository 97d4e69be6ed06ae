"""One run after another, in the caller's own thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from agenteval.harness.jobs import Job, Plan
from agenteval.harness.loops import Loop
from agenteval.harness.pools import Pool
from agenteval.harness.running import finish, is_awaitable, perform

__all__ = ["Sequential"]


class Sequential(Pool):
    """Runs a job when its result is asked for."""

    def __init__(self, plan: Plan, loop: Loop) -> None:
        super().__init__()
        self._plan = plan
        self._loop = loop

    async def call(self, job: Job, function: Callable[..., Any], *args: Any) -> Any:  # noqa: ARG002 - the protocol's
        """Return ``function(*args)``; what it has to be awaited for is awaited on the loop."""
        value = function(*args)
        return self._loop.wait(value) if is_awaitable(value) else value

    async def pause(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)

    def next(self) -> Job:
        """Run the job and return it."""
        job = next(iter(self.held))
        # A context of its own for every run, with what the caller has set.
        self._plan.context.copy().run(finish, perform(job, self._plan, self))
        job.done = True
        return job
