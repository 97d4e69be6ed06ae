"""Which way of running jobs suits an agent, where no executor is given."""

from __future__ import annotations

from agenteval.harness.async_runs import AsyncRuns, is_async
from agenteval.harness.jobs import Plan
from agenteval.harness.loops import Loop
from agenteval.harness.pools import Pool
from agenteval.harness.sequential import Sequential
from agenteval.harness.threads import Threads

__all__ = ["open_pool"]


def open_pool(plan: Plan, width: int, loop: Loop, *, threads: bool = False) -> Pool:
    """Return a pool that runs up to `width` jobs at a time.

    One job after another needs no thread, unless one may have to be left behind: at its timeout, or
    (`threads`) because whoever waits for the evaluation may stop waiting.
    """
    if is_async(plan.agent):
        return AsyncRuns(plan, width, loop)
    if width == 1 and plan.timeout is None and not threads:
        return Sequential(plan, loop)
    return Threads(plan, width, loop)
