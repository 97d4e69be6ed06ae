"""Runs side by side in threads of our own.

An executor's threads are joined when the interpreter exits, so one hung agent would hang it for
ever. These are daemon threads: one that hangs is left behind and another one takes its place.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Event, Thread
from time import monotonic
from typing import Any

from agenteval.harness.failures import failed
from agenteval.harness.jobs import Job, Plan
from agenteval.harness.loops import Loop
from agenteval.harness.pools import GRACE, POLL, Pool
from agenteval.harness.running import NotRun, TimeIsUp, finish, is_awaitable, perform

__all__ = ["Threads"]


class Threads(Pool):
    """Runs jobs in at most `width` threads at a time."""

    def __init__(self, plan: Plan, width: int, loop: Loop) -> None:
        super().__init__()
        self.plan = plan
        self.loop = loop
        self.waiting: SimpleQueue[Job | None] = SimpleQueue()
        self.done: SimpleQueue[Job | None] = SimpleQueue()
        self.stopping = Event()
        # As many waiting as running: a worker that is done finds its next job there.
        self.window = 2 * width
        self._width = width
        self._workers: list[_Worker] = []
        self._next_look = 0.0

    def submit(self, job: Job) -> None:
        """Take a job in; start a thread for it while there are fewer than the width."""
        super().submit(job)
        self.waiting.put(job)
        if len(self._workers) < min(self._width, len(self.held)):
            self._workers.append(_Worker(self))

    def next(self) -> Job:
        """Wait for a job that is done, or whose time is up."""
        timeout = self.plan.timeout
        while True:
            wait = POLL
            if timeout is not None:
                now = monotonic()
                if now >= self._next_look:
                    self._next_look = self._look(now, timeout)
                wait = min(wait, max(self._next_look - now, 0.001))
            try:
                job = self.done.get(timeout=wait)
            except Empty:
                continue
            if job is None:
                raise KeyboardInterrupt
            if job.stop is not None:
                raise job.stop
            return job

    def interrupt(self) -> None:
        """Have `next` raise KeyboardInterrupt; called from another thread."""
        self.done.put(None)

    def stop(self) -> None:
        """Let idle threads end and busy ones a moment to; leave behind those that do not."""
        self.stopping.set()
        with suppress(Empty):  # workers take from it, too
            while True:
                self.waiting.get_nowait()
        for _ in self._workers:
            self.waiting.put(None)
        until = monotonic() + GRACE
        for worker in self._workers:
            worker.thread.join(max(until - monotonic(), 0.0))

    def _look(self, now: float, timeout: float) -> float:
        """Give up jobs whose time is up; return when the next one's can be."""
        next_look = now + timeout
        for place, worker in enumerate(self._workers):
            job, deadline = worker.job, worker.deadline
            if job is None or deadline is None:
                continue
            if deadline > now:
                next_look = min(next_look, deadline)
            elif job.claim():
                job.time_is_up(timeout, abandoned=True)
                job.done = True
                self._workers[place] = _Worker(self)
                self.done.put(job)
        return next_look


class _Worker:
    """One thread and what it is doing."""

    def __init__(self, pool: Threads) -> None:
        self.job: Job | None = None
        self.deadline: float | None = None
        self._pool = pool
        self.thread = Thread(target=self._work, name="agenteval-worker", daemon=True)
        self.thread.start()

    def _work(self) -> None:
        pool = self._pool
        plan = pool.plan
        while True:
            job = pool.waiting.get()
            if job is None:
                return
            self.job = job
            try:
                # A context of its own for every run, with what the caller has set.
                plan.context.copy().run(finish, perform(job, plan, self))
            except KeyboardInterrupt as stop:
                job.stop = stop
            except NotRun:
                return
            except TimeIsUp:
                pass
            except BaseException as error:  # noqa: BLE001 - out of memory, say; the job must end
                failed(job.run, error)
            self.job = None
            if not job.claim():
                return  # it was given up while it hung, and so was this thread
            job.done = True
            pool.done.put(job)

    async def call(self, job: Job, function: Callable[..., Any], *args: Any) -> Any:
        """Return ``function(*args)``; what it has to be awaited for is awaited on the loop."""
        timeout = self._pool.plan.timeout
        if timeout is None:
            value = function(*args)
            return self._wait_for(value) if is_awaitable(value) else value
        self.deadline = deadline = monotonic() + timeout
        try:
            value = function(*args)
        finally:
            self.deadline = None
        if not is_awaitable(value) or job.over:
            return value
        try:
            return self._wait_for(value, deadline - monotonic())
        except TimeIsUp as up:
            job.time_is_up(timeout, abandoned=up.abandoned)
            raise

    async def pause(self, seconds: float) -> None:
        """Wait, unless the evaluation stops."""
        if self._pool.stopping.wait(seconds):
            raise NotRun

    def _wait_for(self, value: Any, timeout: float | None = None) -> Any:
        """Await on the loop.

        Who ends the caller's loop cancels all its tasks at once, the awaited evaluation and what
        its runs wait for alike. Such a run has not failed, it has not taken place.
        """
        pool = self._pool
        try:
            return pool.loop.wait(value, timeout)
        except BaseException as error:
            cancelled = type(error).__name__ == "CancelledError"  # asyncio's, or that of futures
            if cancelled and (pool.stopping.is_set() or pool.loop.is_ending()):
                raise NotRun from None
            raise
