"""Runs side by side in an executor of the caller's: processes, a cluster."""

from __future__ import annotations

from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
)
from queue import Empty, SimpleQueue
from typing import Any

from agenteval._messages import cut
from agenteval.harness.failures import describe
from agenteval.harness.jobs import Job, Plan, blank_run
from agenteval.harness.pools import POLL, Pool
from agenteval.harness.remote import (
    Errand,
    ErrandUnreadableError,
    fetched,
    pickled,
    run_errand,
    undelivered,
)

__all__ = ["Executors"]

_UNKNOWN_WIDTH = 1_000
"""Jobs handed to an executor that does not say how many workers it has; a cluster has many."""


class Executors(Pool):
    """Runs jobs in the workers of an executor, which stays the caller's to shut down.

    Raises:
        RuntimeError: The executor is shut down.
        TypeError: The agent or a check cannot be sent to another process.
    """

    def __init__(self, plan: Plan, executor: Executor) -> None:
        super().__init__()
        if _is_shut_down(executor):
            raise RuntimeError(
                "evaluate: the executor takes no more work (it is shut down). "
                "Pass an executor that is not shut down"
            )
        self._executor = executor
        errand = Errand.of(plan)
        # Others pickle by rules of their own, and know what to do about a fault.
        self._packs = isinstance(executor, ProcessPoolExecutor)
        self._errand = _packed(errand) if self._packs else errand
        self._done: SimpleQueue[Future[Any] | None] = SimpleQueue()
        self._under_way: dict[Future[Any], Job] = {}
        self._lost: list[Job] = []
        self._fault: BaseException | None = None
        width = getattr(executor, "_max_workers", None)  # the standard library's and loky's
        self.window = 4 * width if isinstance(width, int) else _UNKNOWN_WIDTH

    def submit(self, job: Job) -> None:
        """Hand a job out."""
        super().submit(job)
        try:
            task = pickled(job.task) if self._packs else job.task
            future = self._executor.submit(run_errand, self._errand, task, job.repeat)
        except RuntimeError as error:  # shut down, or broken
            self._fail(job, error)
            return
        except Exception as error:  # noqa: BLE001 - an executor that pickles here: the task's fault
            future = Future()
            future.set_exception(error)
        self._under_way[future] = job
        future.add_done_callback(self._done.put)

    def next(self) -> Job:
        """Wait for a job that is done.

        Raises:
            RuntimeError: The executor was shut down, or broke (then it is a BrokenExecutor), and
                all that was finished has been handed over.
        """
        while self._under_way:
            try:
                future = self._done.get(timeout=POLL)
            except Empty:
                continue
            if future is None:
                raise KeyboardInterrupt
            job = self._under_way[future]
            try:
                job.run = fetched(future.result(), job)
            except KeyboardInterrupt:
                raise
            except (BrokenExecutor, CancelledError, ErrandUnreadableError) as error:
                self._fail(job, error)
                del self._under_way[future]
                continue
            except BaseException as error:  # noqa: BLE001 - the task cannot be pickled, say
                job.run = blank_run(job.task["id"], job.repeat)
                undelivered(job.run, error, "could not be sent to a worker, or back from it")
            job.done = True
            del self._under_way[future]
            return job
        raise self._failure()

    def interrupt(self) -> None:
        """Have `next` raise KeyboardInterrupt; called from another thread."""
        self._done.put(None)

    def stop(self) -> None:
        """Take back what has not begun; wait for nothing."""
        for future in self._under_way:
            future.cancel()
        for future, job in self._under_way.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                job.run = fetched(future.result(), job)
                job.done = True

    def _fail(self, job: Job, fault: BaseException) -> None:
        self._lost.append(job)
        self.window = 0  # nothing is handed out any more
        if self._fault is None or isinstance(fault, BrokenExecutor):
            self._fault = fault

    def _failure(self) -> RuntimeError:
        fault = self._fault
        job = self._lost[0]
        count = len(self._lost)
        runs = "1 run was" if count == 1 else f"{count} runs were"
        where = f"the first of them repeat {job.repeat} of task {cut(job.task['id'])}"
        if isinstance(fault, BrokenExecutor):
            failure: RuntimeError = BrokenExecutor(
                f"evaluate: the executor broke ({describe(fault)}); {runs} under way, {where}. "
                "All finished runs are in the log if there is one: resume=True with a new executor "
                "does the rest"
            )
        elif isinstance(fault, ErrandUnreadableError):
            failure = RuntimeError(
                f"evaluate: a worker cannot read the agent or the checks ({fault}); define them "
                "at the top level of a module that workers can import, or use threads "
                "(max_workers=)"
            )
        else:
            failure = RuntimeError(
                f"evaluate: the executor takes no more work "
                f"({'no reason given' if fault is None else describe(fault)}); {runs} not done, "
                f"{where}. Pass an executor that is not shut down"
            )
        failure.__cause__ = fault
        return failure


def _is_shut_down(executor: Executor) -> bool:
    """Say whether one of the standard library's executors is; of others the first job tells."""
    return any(getattr(executor, name, None) is True for name in ("_shutdown", "_shutdown_thread"))


def _packed(errand: Errand) -> bytes:
    """Refuse an agent that no process could be sent, before there is a report full of errors."""
    for what, value in (
        ("agent", errand.agent),
        ("checks", errand.checks),
        ("retry_on", errand.retry_on),
    ):
        try:
            pickled(value)
        except Exception as error:  # noqa: PERF203 - three times a call
            raise TypeError(
                f"evaluate: {what} cannot be sent to another process ({describe(error)}); define "
                "it at the top level of a module, or use threads (max_workers=)"
            ) from error
    return pickled(errand)
