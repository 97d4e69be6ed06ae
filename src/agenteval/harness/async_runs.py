"""Runs side by side on an event loop, for agents that are coroutine functions."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from inspect import iscoroutinefunction
from queue import Empty, SimpleQueue
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Any

from agenteval._messages import cut
from agenteval.harness.failures import failed
from agenteval.harness.jobs import Job, Plan, blank_run
from agenteval.harness.loops import Loop, in_thread, keep_for_ever
from agenteval.harness.pools import GRACE, POLL, Pool
from agenteval.harness.running import TimeIsUp, is_awaitable, perform

if TYPE_CHECKING:
    import asyncio

__all__ = ["AsyncRuns", "is_async"]


def is_async(function: object) -> bool:
    """Say whether calling `function` gives a coroutine, as far as that shows beforehand.

    >>> async def agent(given): ...
    >>> is_async(agent), is_async(len)
    (True, False)
    """
    if iscoroutinefunction(function):
        return True
    return iscoroutinefunction(getattr(type(function), "__call__", None))  # noqa: B004 - its code is looked at


class AsyncRuns(Pool):
    """Runs jobs on a loop, at most `width` at a time; asked from another thread than the loop's."""

    def __init__(self, plan: Plan, width: int, loop: Loop) -> None:
        super().__init__()
        self.window = 2 * width
        self._plan = plan
        self._width = width
        self._loop = loop
        self._done: SimpleQueue[Job | None] = SimpleQueue()
        self._turn = self._new_turn()

    def submit(self, job: Job) -> None:
        """Take a job in."""
        super().submit(job)
        self._turn.hand_over(job)

    def next(self) -> Job:
        """Wait for a job that is done, or whose time is up."""
        while True:
            try:
                job = self._done.get(timeout=POLL)
            except Empty:
                if self._turn.is_late():
                    self._renew_if_stuck()
                continue
            if job is None:
                raise KeyboardInterrupt
            if job.stop is not None:
                raise job.stop
            return job

    def interrupt(self) -> None:
        """Have `next` raise KeyboardInterrupt; called from another thread."""
        self._turn.closed = True
        self._done.put(None)

    def stop(self) -> None:
        """Cancel what is under way; wait for it no longer than a moment."""
        self._turn.cancel()

    def _new_turn(self) -> _Turn:
        return _Turn(self._plan, self._width, self._loop.get(), self._done.put)

    def _renew_if_stuck(self) -> None:
        """Go on with a new loop when an agent blocks this one for longer than a run may take.

        The run that blocks it has had its time. Those that stand beside it have not, through no
        fault of their own: they are run again.
        """
        if not self._loop.renew_if_stuck():
            return
        stuck, self._turn = self._turn, self._new_turn()
        guilty = stuck.blocking_jobs()
        stuck.closed = True
        stuck.flush()
        names = ", ".join(cut(job.task["id"]) for job in guilty)
        for job in list(self.held):
            if not job.claim():
                continue  # it is done
            if job in guilty:
                stuck.give_up(job)
                continue
            job.over = True
            again = Job(job.task, job.repeat, job.position)
            if job.run:
                again.attempts = job.attempts
                again.retried = [*job.retried, f"the event loop was blocked by task {names}"]
            self.release(job)
            self.submit(again)


class _Turn:
    """The jobs on one loop; a method runs in the loop's thread unless it says otherwise."""

    def __init__(
        self,
        plan: Plan,
        width: int,
        loop: asyncio.AbstractEventLoop,
        deliver: Callable[[Job], object],
    ) -> None:
        self._plan = plan
        self._width = width
        self._loop = loop
        self._put = deliver
        self._context = plan.context.copy()
        self._is_async = {id(called): is_async(called) for called in (plan.agent, *plan.checks)}
        self._waiting: deque[Job] = deque()
        self._done: deque[Job] = deque()
        self._active: dict[asyncio.Task[None], Job] = {}
        self._deadlines: dict[Job, float] = {}
        self._in_threads: set[Job] = set()
        self.closed = False
        self._woken = False

    def hand_over(self, job: Job) -> None:
        """Take a job in, from any thread."""
        self._waiting.append(job)
        if len(self._active) == self._width:
            return  # the next run that ends finds it; waking the loop costs more than a small run
        if not self._woken:  # once for many
            self._woken = True
            self._loop.call_soon_threadsafe(self._wake)

    def is_late(self) -> bool:
        """Say, in any thread, whether a run should have been cancelled a while ago."""
        now = monotonic()
        return any(deadline + GRACE < now for deadline in list(self._deadlines.values()))

    def blocking_jobs(self) -> list[Job]:
        """Return, in any thread while the loop is stuck, the job it is stuck in.

        Where a task of the agent's own blocks, that cannot be told: then all whose time is up.
        """
        import asyncio  # here, because only async code needs it

        current = asyncio.current_task(self._loop)
        if current in self._active:
            return [self._active[current]]
        now = monotonic()
        return [job for job, deadline in list(self._deadlines.items()) if deadline < now]

    def give_up(self, job: Job) -> None:
        """Hand over, in any thread while the loop is stuck, a job that has been claimed."""
        job.time_is_up(self._plan.timeout or 0.0, abandoned=True)
        job.done = True
        self._put(job)

    def cancel(self) -> None:
        """Cancel all jobs, from another thread; wait for them no longer than a moment."""
        begun, ended = Event(), Event()
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(begun.set)
            self._loop.call_soon_threadsafe(self._cancel, ended)
            if begun.wait(GRACE):  # else an agent blocks the loop, and would for longer
                ended.wait(2 * GRACE)

    async def call(self, job: Job, function: Callable[..., Any], *args: Any) -> Any:
        """Return ``function(*args)``, awaited; what is no coroutine function runs in a thread.

        On the loop it would hold up all other runs, and the clock of their timeouts with them.
        """
        timer = self._start_timer(job)
        try:
            if self._is_async[id(function)]:
                value = function(*args)
            else:
                self._in_threads.add(job)
                try:
                    value = await in_thread(function, *args)
                finally:
                    self._in_threads.discard(job)
            return await value if is_awaitable(value) else value
        finally:
            if timer is not None:
                timer.cancel()
                self._deadlines.pop(job, None)

    async def pause(self, seconds: float) -> None:
        """Wait."""
        import asyncio  # here, because only async code needs it

        await asyncio.sleep(seconds)

    def flush(self) -> None:
        """Hand over what is done, from any thread."""
        with suppress(IndexError):
            while True:
                self._put(self._done.popleft())

    def _deliver(self, job: Job) -> None:
        """Hand over a job that is done, two turns of the loop later.

        The thread that waits for it then wakes when the next runs have begun, not before: it would
        hold them up.
        """
        job.done = True
        self._done.append(job)
        if len(self._done) == 1:
            self._loop.call_soon(self._loop.call_soon, self.flush)

    def _wake(self) -> None:
        self._woken = False  # first, so that a job that comes now wakes the loop again
        self._fill()

    def _fill(self) -> None:
        while self._waiting and len(self._active) < self._width and not self.closed:
            job = self._waiting.popleft()
            # Each task copies it: every run has a context of its own, with what the caller has set.
            task = self._context.run(self._loop.create_task, self._run(job))
            self._active[task] = job
            task.add_done_callback(self._ended)

    async def _run(self, job: Job) -> None:
        try:
            await perform(job, self._plan, self)
        except KeyboardInterrupt as stop:
            job.stop = stop
        except TimeIsUp:
            pass
        except BaseException as error:  # noqa: BLE001 - out of memory, say; the job must end
            failed(job.run, error)

    def _ended(self, task: asyncio.Task[None]) -> None:
        job = self._active.pop(task, None)
        if job is None:
            return
        if _looks_cancelled(task, job):
            self._loop.call_soon(self._deliver_unless_closed, job)
        elif job.claim():
            self._deliver(job)
        self._fill()

    def _deliver_unless_closed(self, job: Job) -> None:
        """Hand over a run that was cancelled, unless the evaluation was.

        Who ends the caller's loop cancels all its tasks at once, the awaited evaluation and its
        runs alike. Such a run has not failed, it has not taken place.
        """
        if not self.closed and job.claim():
            if not job.run:  # another agent has cancelled it before its first step
                import asyncio  # here, because only async code needs it

                job.run = blank_run(job.task["id"], job.repeat)
                failed(job.run, asyncio.CancelledError())
            self._deliver(job)

    def _start_timer(self, job: Job) -> asyncio.TimerHandle | None:
        timeout = self._plan.timeout
        if timeout is None:
            return None
        import asyncio  # here, because only async code needs it

        self._deadlines[job] = deadline = monotonic() + timeout
        task = asyncio.current_task()
        # One turn later than the clock says: where another agent has held the loop up, what this
        # one waits for may have come long ago, and it gets its turn first.
        return self._loop.call_later(
            timeout, self._loop.call_soon, self._time_is_up, job, task, deadline
        )

    def _time_is_up(self, job: Job, task: asyncio.Task[Any] | None, deadline: float) -> None:
        if self._deadlines.get(job) != deadline:
            return
        job.time_is_up(self._plan.timeout or 0.0, abandoned=job in self._in_threads)
        if task is not None:
            task.cancel()
            self._loop.call_later(GRACE, self._leave_behind, task)

    def _leave_behind(self, task: asyncio.Task[None]) -> None:
        """Go on without a run that ignores being cancelled."""
        job = self._active.pop(task, None)
        if job is not None:
            keep_for_ever([task])
            self._deadlines.pop(job, None)
            if job.claim():
                job.run["abandoned"] = True
                self._deliver(job)
            self._fill()

    def _cancel(self, ended: Event) -> None:
        self.closed = True
        for task, job in self._active.items():
            if task.done():
                continue  # and will be handed over in this turn of the loop
            job.claim()  # so that a run that is cut off is not handed over
            job.over = True
            task.cancel()
        self._ending = self._loop.create_task(self._wait_for_end(ended))

    async def _wait_for_end(self, ended: Event) -> None:
        import asyncio  # here, because only async code needs it

        if self._active:
            _, stuck = await asyncio.wait(list(self._active), timeout=GRACE)
            keep_for_ever(stuck)
        ended.set()


def _looks_cancelled(task: asyncio.Task[None], job: Job) -> bool:
    """Say whether `task` may have been cancelled from outside; Python 3.10 cannot tell for sure."""
    if job.over or job.run.get("passed"):
        return False
    if not job.run:
        return True
    cancelled: int = getattr(task, "cancelling", int)()
    return cancelled > 0 or "CancelledError" in "".join(job.run["reasons"])
