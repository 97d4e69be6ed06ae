"""The event loop that an evaluation's coroutines share: the caller's, or one in its own thread.

The loop runs in a thread of its own so that the same call works in a script and in a notebook,
where the main thread's loop is running already.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from contextvars import copy_context
from inspect import CORO_CREATED, getcoroutinestate
from threading import Event, Lock, Thread
from types import CoroutineType
from typing import TYPE_CHECKING, Any, cast

from agenteval.harness.pools import GRACE
from agenteval.harness.running import TimeIsUp

if TYPE_CHECKING:
    import asyncio

__all__ = ["BorrowedLoop", "Loop", "OwnLoop", "in_thread", "keep_for_ever"]


class Loop:
    """An event loop that other threads hand work to."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._ending = False

    def get(self) -> asyncio.AbstractEventLoop:
        """Return the loop, running."""
        raise NotImplementedError

    def renew_if_stuck(self) -> bool:
        """Leave a loop behind that no longer answers, if it is ours; say whether it was so."""
        return False

    def is_ending(self) -> bool:
        """Say whether its owner, not an agent, is cancelling all that runs on it."""
        return False

    def close(self) -> None:
        """End the loop if it is ours."""

    def wait(self, awaitable: Awaitable[Any], timeout: float | None = None) -> Any:
        """Await `awaitable` on the loop, from another thread.

        Raises:
            TimeIsUp: It was not done within `timeout` seconds; it has been cancelled.
        """
        import asyncio  # here, because only async code needs it
        from concurrent.futures import TimeoutError as NotYet  # here, see above

        outcome = future = None
        ended = Event()
        try:
            outcome = self._outcome(awaitable, ended)
            future = asyncio.run_coroutine_threadsafe(outcome, self.get())
            returned, value = future.result(timeout)
        except NotYet:
            if future is not None:
                future.cancel()
            stuck = self.renew_if_stuck()
            raise TimeIsUp(abandoned=stuck or not ended.wait(GRACE)) from None
        finally:
            if future is not None:
                future.cancel()
            # Ctrl-C came before the loop knew, or the loop ended first: what never began would
            # complain of never being awaited.
            for unused in (None if future is not None else outcome, awaitable):
                if isinstance(unused, CoroutineType) and getcoroutinestate(unused) == CORO_CREATED:
                    with suppress(ValueError):  # the loop is just beginning it
                        unused.close()
        if returned:
            return value
        raise value

    async def _outcome(self, awaitable: Awaitable[Any], ended: Event) -> tuple[bool, Any]:
        """Await, and keep what is raised from the task around it: SystemExit would end the loop."""
        import asyncio  # here, because only async code needs it

        task = cast("asyncio.Task[Any]", asyncio.current_task())
        try:
            if self._ending:
                raise asyncio.CancelledError
            self._tasks.add(task)
            return True, await awaitable
        except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits
            return False, error
        finally:
            self._tasks.discard(task)
            ended.set()


class BorrowedLoop(Loop):
    """The loop of a caller who awaits the evaluation."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._loop = loop

    def get(self) -> asyncio.AbstractEventLoop:
        """Return the caller's loop."""
        return self._loop

    def is_ending(self) -> bool:
        """Say whether the evaluation is cancelled, too, once the loop has told all its tasks."""
        turned = Event()
        try:
            self._loop.call_soon_threadsafe(self._loop.call_soon, turned.set)
        except RuntimeError:  # closed already
            return True
        turned.wait(GRACE)
        return self._ending

    def end(self) -> None:
        """Cancel what is awaited here and take nothing more; called on the loop itself."""
        self._ending = True
        for task in tuple(self._tasks):
            task.cancel()


class OwnLoop(Loop):
    """A loop in a thread of its own, started when it is first needed."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()
        self._current: _LoopThread | None = None

    def get(self) -> asyncio.AbstractEventLoop:
        """Return the loop; start it if there is none."""
        with self._lock:
            if self._current is None:
                self._current = _LoopThread()
            return self._current.loop

    def renew_if_stuck(self) -> bool:
        """Leave a loop behind that does not answer within a moment; `get` then starts another."""
        with self._lock:
            current = self._current
            if current is None or current.answers():
                return False
            self._current = None
        current.leave_behind()
        return True

    def close(self) -> None:
        """Cancel what is left, wait for it no longer than a moment, close the loop."""
        with self._lock:
            current, self._current = self._current, None
        if current is not None:
            current.close()


class _LoopThread:
    """One event loop and the thread that runs it."""

    def __init__(self) -> None:
        import asyncio  # here, because only async code needs it

        from agenteval.harness.daemons import DaemonThreads  # here, see above

        self.loop = asyncio.new_event_loop()
        self.loop.set_default_executor(DaemonThreads())
        self._stopping = False
        self._thread = Thread(target=self._run, name="agenteval-loop", daemon=True)
        self._thread.start()

    def answers(self, within: float = GRACE) -> bool:
        """Say whether the loop still turns."""
        turned = Event()
        with suppress(RuntimeError):  # closed already
            self.loop.call_soon_threadsafe(turned.set)
        return turned.wait(within)

    def leave_behind(self) -> None:
        """Have the loop end when it comes back, and do nothing more until then."""
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self._end_soon)

    def close(self) -> None:
        """End the loop and its thread; leave them behind when they do not end in a moment."""
        turning = self.answers(GRACE / 2)
        self.leave_behind()
        if turning:
            self._thread.join(3 * GRACE)

    def _end_soon(self) -> None:
        self._ending = self.loop.create_task(self._end())

    async def _end(self) -> None:
        import asyncio  # here, because only async code needs it

        others = asyncio.all_tasks() - {asyncio.current_task(), *_stuck}
        for task in others:
            task.cancel()
        if others:
            _, stuck = await asyncio.wait(others, timeout=GRACE)
            keep_for_ever(stuck)
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.loop.shutdown_asyncgens(), GRACE)
        self._stopping = True
        self.loop.stop()

    def _run(self) -> None:
        try:
            while not self._stopping:
                # A task that an agent made for itself and that raises SystemExit ends the loop's
                # turn; the evaluation's other runs are still in it.
                with suppress(SystemExit, KeyboardInterrupt):
                    self.loop.run_forever()
        finally:
            self.loop.close()


async def in_thread(function: Callable[..., Any], *args: Any) -> Any:
    """Return ``function(*args)``, called in a daemon thread with the current context."""
    import asyncio  # here, because only async code needs it

    from agenteval.harness.daemons import DaemonThreads  # here, see above

    def outcome() -> tuple[bool, Any]:
        try:
            return True, function(*args)
        except BaseException as error:  # noqa: BLE001 - raised again where it is awaited
            return False, error

    context = copy_context()
    loop = asyncio.get_running_loop()
    returned, value = await loop.run_in_executor(DaemonThreads(), context.run, outcome)
    if returned:
        return value
    raise value


_stuck: list[asyncio.Task[Any]] = []


def keep_for_ever(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Hold on to tasks that ignore being cancelled: a pending task that vanishes makes noise."""
    for task in tasks:
        with suppress(AttributeError):
            task._log_destroy_pending = False  # type: ignore[attr-defined] # as asyncio does itself
        _stuck.append(task)
