"""An evaluation under way: jobs go into a pool, runs come out, each is logged before it counts."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing
from functools import cache
from typing import cast
from weakref import WeakSet

from agenteval.harness.jobs import Job
from agenteval.harness.local import open_pool
from agenteval.harness.loops import Loop
from agenteval.harness.options import Setup
from agenteval.harness.pools import Pool
from agenteval.harness.progress import ProgressLine
from agenteval.harness.summary import summarize
from agenteval.records import Report, Run
from agenteval.runlog import RunLog

__all__ = ["Evaluation", "report_of", "runs_of"]


class Evaluation:
    """One pass over all runs; `runs` may be asked for once."""

    def __init__(self, setup: Setup, loop: Loop, *, threads: bool = False) -> None:
        self.setup = setup
        self._loop = loop
        self._threads = threads
        self._pool: Pool | None = None
        self._log: RunLog | None = None
        self._interrupted = False

    def runs(self) -> Generator[tuple[int, Run], None, None]:
        """Yield each run with its place in the report: those of the log first, then the new ones.

        However it ends, what was finished is in the log, and nothing but abandoned threads is left
        running.
        """
        setup = self.setup
        if setup.executor is not None:
            from agenteval.harness.executors import Executors  # here, because few need one

            # Before the log, which is not to be begun for an agent that cannot be sent anywhere.
            self._pool = Executors(setup.plan, setup.executor)
        with ExitStack() as stack:
            if setup.log is not None:
                self._log = stack.enter_context(
                    RunLog(
                        setup.log,
                        setup.tasks,
                        repeats=setup.repeats,
                        label=setup.label,
                        resume=setup.resume,
                    )
                )
            done = 0
            if self._log is not None:
                places = {task["id"]: place for place, task in enumerate(setup.tasks)}
                for run in self._log.stored():
                    done += 1
                    yield places[run["id"]] * setup.repeats + run["repeat"], run
            stack.callback(self._loop.close)
            tell = self._progress(stack)
            for job in self._finished(stack):
                run = cast("Run", job.run)
                done += 1
                if tell is not None:
                    tell(done, setup.total, run)
                yield job.position, run

    def interrupt(self) -> None:
        """Stop as Ctrl-C does, from another thread."""
        self._interrupted = True
        if self._pool is not None:
            self._pool.interrupt()

    def _finished(self, stack: ExitStack) -> Iterator[Job]:
        """Keep the pool's window full; yield the jobs as they are done, logged already."""
        pool = self._pool
        if pool is None:
            width = min(self.setup.width, self.setup.total)
            pool = open_pool(self.setup.plan, width, self._loop, threads=self._threads)
            self._pool = pool
        stack.callback(self._wind_up, pool)
        if self._interrupted:
            pool.interrupt()
        jobs = self._jobs()
        under_way = 0
        while True:
            while under_way < pool.window:
                job = next(jobs, None)
                if job is None:
                    break
                pool.submit(job)
                under_way += 1
            if not under_way:
                return
            job = pool.next()
            under_way -= 1
            self._keep(job)
            pool.release(job)
            yield job

    def _jobs(self) -> Iterator[Job]:
        """Yield what is to be run: all but what the log has."""
        log, repeats = self._log, self.setup.repeats
        for place, task in enumerate(self.setup.tasks):
            for repeat in range(repeats):
                if log is None or not log.has(task["id"], repeat):
                    yield Job(task, repeat, place * repeats + repeat)

    def _keep(self, job: Job) -> None:
        if self._log is not None:
            self._log.append(cast("Run", job.run))

    def _wind_up(self, pool: Pool) -> None:
        """Stop the pool; log what was finished and not yet logged."""
        for job in pool.close():
            if self._log is not None and not self._log.has(job.task["id"], job.repeat):
                self._keep(job)

    def _progress(self, stack: ExitStack) -> Callable[[int, int, Run], object] | None:
        asked = self.setup.progress
        if asked is True:
            return stack.enter_context(closing(ProgressLine()))
        return None if asked is False else asked


def report_of(evaluation: Evaluation) -> Report:
    """Run it all; the report has the runs in task order, then by repeat."""
    runs: list[Run | None] = [None] * evaluation.setup.total
    with closing(evaluation.runs()) as finished:
        for place, run in finished:
            runs[place] = run
    return summarize([run for run in runs if run is not None], label=evaluation.setup.label)


def runs_of(evaluation: Evaluation) -> Iterator[Run]:
    """Return an iterator of the runs alone; one that is left half-way is closed at exit."""
    runs = _only_runs(evaluation)
    _left_open().add(runs)
    return runs


def _only_runs(evaluation: Evaluation) -> Generator[Run, None, None]:
    with closing(evaluation.runs()) as finished:
        for _, run in finished:
            yield run


@cache
def _left_open() -> WeakSet[Generator[Run, None, None]]:
    """Return the iterators that are open.

    Python closes them too when it exits, but so late that neither log nor threads work any more.
    """
    import atexit  # here, because importing the library should register nothing

    runs: WeakSet[Generator[Run, None, None]] = WeakSet()

    def close() -> None:
        for iterator in list(runs):
            iterator.close()

    atexit.register(close)
    return runs
