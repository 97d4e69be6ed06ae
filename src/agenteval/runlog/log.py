"""Writing and resuming a log."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from types import TracebackType
from typing import cast

from agenteval._messages import cut
from agenteval.records import Run, Task, TaskId
from agenteval.runlog.encoding import encode_line
from agenteval.runlog.errors import RunLogError
from agenteval.runlog.file import LogFile
from agenteval.runlog.fingerprint import fingerprint
from agenteval.runlog.reading import (
    VERSION,
    Ledger,
    is_run,
    open_log,
    records,
    run_slip,
)

__all__ = ["RunLog"]

_BATCH = 1000  # tasks listed with one write


class RunLog:
    """The log of one evaluation, open for writing: which runs are there, and add the next.

    Opening checks everything before an agent is called: that the file can be written, that nobody
    else writes it, that a log that is resumed is sound and of the same agent and tasks. A torn last
    line is cut. When opening fails, the file stays as it was.

    A resumed log may have other tasks and repeats than this evaluation. More repeats and added
    tasks extend the log; with fewer repeats or without some of its tasks the log keeps those runs,
    and `stored` leaves them out. An empty file, or one that was killed inside its very first line,
    is started anew.

    A finished run outlives the death of the process at once; a loss of power can take the runs of
    the last seconds, never the ones before. `append` may be called from several threads. A forked
    child finds the log closed.

    Args:
        path: The log's file; its folder must exist.
        tasks: The tasks of this evaluation.
        repeats: How often each is run, 1 or more.
        label: The agent's version; a log is of one.
        resume: Go on with a log that exists; otherwise that is an error. Without one, start it.

    Raises:
        RunLogError: The log cannot be used; the message says why.
        TypeError: `label`, or a task's id, is of the wrong kind.
        ValueError: `repeats` is below 1, or an id is there twice.

    >>> import tempfile
    >>> tasks = [{"id": "a", "input": "?", "expected": "yes"}]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with RunLog(os.path.join(folder, "log.jsonl"), tasks, repeats=2) as log:
    ...         log.append({"id": "a", "repeat": 0, "passed": True, "reasons": []})
    ...         log.has("a", 0), log.has("a", 1), len(list(log.stored()))
    (True, False, 1)
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        tasks: Iterable[Task],
        *,
        repeats: int,
        label: str | None = None,
        resume: bool = False,
    ) -> None:
        from threading import RLock  # here, because only a log needs it

        self.path = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - pathlib is slow to import
        self.repeats = _repeats(repeats)
        self.label = _label(label)
        index = _by_id(tasks)
        self._turn = RLock()  # an interrupt can leave it taken; its thread may go on all the same
        self._file = LogFile(self.path)
        try:
            if self._file.end and not resume:
                raise RunLogError(
                    "exists already; pass resume=True to do only what is missing in it, or name "
                    "another file",
                    self.path,
                )
            self._done = self._pick_up(index)
        except BaseException:
            self._file.close()
            raise

    def has(self, id: TaskId, repeat: int) -> bool:  # noqa: A002 - the run's own key
        """Tell whether the log has the run of task `id` and this `repeat`, counted from 0."""
        return self._done.get(id, 0) >> repeat & 1 == 1

    def append(self, run: Run) -> None:
        """Write a finished run; when this returns it outlives the process.

        What JSON cannot hold is stored as its ``repr`` and marked. `run` is not changed.

        Raises:
            TypeError: `run` lacks ``id``, ``repeat``, ``passed`` or ``reasons``, or they are of
                the wrong kind.
            ValueError: The run is not of this evaluation, or is in the log already.
            RunLogError: It could not be written (a full disk); the log is as it was.
        """
        slip = run_slip(run)
        if slip is not None:
            raise TypeError(f"RunLog.append: {slip}")
        task, repeat = run["id"], run["repeat"]
        if self._file.closed:
            raise RunLogError("is closed; open it again with resume=True", self.path)
        line = encode_line(run)
        with self._turn:
            done = self._done.get(task)
            if done is None or repeat >= self.repeats:
                raise ValueError(
                    f"RunLog.append: repeat {repeat} of task {cut(task)} is not part of this "
                    f"evaluation of {len(self._done)} tasks with {self.repeats} repeats each"
                )
            if done >> repeat & 1:
                raise ValueError(
                    f"RunLog.append: repeat {repeat} of task {cut(task)} is in the log already; "
                    "ask has() first"
                )
            before = self._file.end
            try:
                self._file.write(line)
                self._done[task] = done | 1 << repeat
            except BaseException:
                if self._file.end > before:  # an interrupt came when the line was whole already
                    self._done[task] = done | 1 << repeat
                raise

    def stored(self) -> Iterator[Run]:
        """Yield the log's runs that belong to this evaluation, in the order they finished.

        Runs that are appended after the first was asked for are left out.
        """
        last = self._file.end
        with open_log(self.path) as file:
            for _, end, record in records(file, self.path):
                if end > last:
                    return
                if is_run(record) and self.has(record["id"], record["repeat"]):
                    yield cast("Run", record)

    def close(self) -> None:
        """Close the log and free it for another writer; a second time does nothing."""
        self._file.close()

    def __enter__(self) -> RunLog:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _pick_up(self, index: Mapping[TaskId, Task]) -> dict[TaskId, int]:
        """Check what the file holds, cut a torn line, list what is new; return what is done."""
        changed: list[tuple[int, TaskId]] = []

        def compare(number: int, task: TaskId, found: str) -> TaskId:
            known = index.get(task)
            if known is None:
                return task
            if fingerprint(known) != found:
                changed.append((number, task))
            return known["id"]  # the caller's own, so that 100,000 ids are not there twice

        ledger = Ledger(self.path, compare)
        whole = 0
        with open_log(self.path) as file:
            for number, end, record in records(file, self.path):
                ledger.take(number, record)
                whole = end
                if number == 1 and ledger.label != self.label:
                    raise RunLogError(
                        f"is of label {cut(ledger.label)}, this evaluation's is {cut(self.label)}; "
                        "pass the label of the log, or log elsewhere",
                        self.path,
                        1,
                    )
        if changed:
            raise self._changed(changed)
        if whole < self._file.end:
            self._file.cut(whole)
        self._extend(ledger, index)
        done, wanted = ledger.done, (1 << self.repeats) - 1
        for task in [task for task in done if task not in index]:
            del done[task]
        for task in done:
            done[task] &= wanted
        return done

    def _changed(self, changed: list[tuple[int, TaskId]]) -> RunLogError:
        (line, task), more = changed[0], len(changed) - 1
        others = f" (and {more} more)" if more else ""
        return RunLogError(
            f"task {cut(task)}{others} has changed since this log was started, and its runs would "
            "not be comparable; give the changed task another id, or log elsewhere",
            self.path,
            line,
        )

    def _extend(self, ledger: Ledger, index: Mapping[TaskId, Task]) -> None:
        """Write the header, or what this evaluation adds to the log's."""
        if not ledger.repeats:
            header = {"agenteval": "run log", "version": VERSION}
            self._file.write(encode_line({**header, "label": self.label, "repeats": self.repeats}))
        elif self.repeats > ledger.repeats:
            self._file.write(encode_line({"repeats": self.repeats}))
        added = (task for task in index if task not in ledger.done)
        while batch := list(islice(added, _BATCH)):
            self._file.write(
                b"".join(
                    encode_line({"task": task, "fingerprint": fingerprint(index[task])})
                    for task in batch
                )
            )
            ledger.done.update(dict.fromkeys(batch, 0))


def _by_id(tasks: Iterable[Task]) -> dict[TaskId, Task]:
    index: dict[TaskId, Task] = {}
    for task in tasks:
        name = task["id"]
        if isinstance(name, bool) or not isinstance(name, (str, int)):
            raise TypeError(
                f"RunLog: a task's id must be a str or an int, got {type(name).__name__} "
                f"{cut(name)}"
            )
        if name in index:
            raise ValueError(f"RunLog: task id {cut(name)} is there twice; ids must be unique")
        index[name] = task
    return index


def _repeats(repeats: int) -> int:
    if isinstance(repeats, bool) or not isinstance(repeats, int):
        raise TypeError(
            f"RunLog: repeats must be an int, got {type(repeats).__name__} {cut(repeats)}"
        )
    if repeats < 1:
        raise ValueError(f"RunLog: repeats must be 1 or more, got {repeats}")
    return repeats


def _label(label: str | None) -> str | None:
    if label is not None and not isinstance(label, str):
        raise TypeError(
            f"RunLog: label must be a str or None, got {type(label).__name__} {cut(label)}"
        )
    return label
