"""Reading a log: line by line, each held against what the lines before it said."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from io import BufferedReader, FileIO
from typing import Any, cast

from agenteval._messages import cut
from agenteval.records import Run, TaskId
from agenteval.runlog.encoding import decode_line
from agenteval.runlog.errors import RunLogError

__all__ = ["VERSION", "Ledger", "is_run", "open_log", "read_log", "records", "run_slip"]

VERSION = 1

_HEADER_START = b'{"agenteval":"run log",'

_DAMAGED = "delete that line to have its run done again, or take the log from a copy"


def read_log(path: str | os.PathLike[str]) -> Iterator[Run]:
    """Return the runs of a log one by one, in the order they finished.

    The log may still be written to. A torn last line, left by a killed evaluation, is skipped.
    Memory does not grow with the runs, only by a few bytes a task.

    Args:
        path: A log that ``evaluate(..., log=path)`` wrote.

    Returns:
        An iterator of runs; none for an empty file. Values that JSON cannot hold are
        ``{"__repr__": text}``, tuples are lists.

    Raises:
        RunLogError: The file cannot be read or is no run log (at once), or a line is damaged (when
            the iterator gets there).

    >>> import os, tempfile
    >>> from agenteval.runlog import RunLog
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "log.jsonl")
    ...     tasks = [{"id": 1, "input": "?", "expected": "yes"}]
    ...     with RunLog(path, tasks, repeats=2) as log:
    ...         log.append({"id": 1, "repeat": 0, "passed": True, "reasons": []})
    ...     [run["passed"] for run in read_log(path)]
    [True]
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(
            f"read_log: path must be the path of a log, got {type(path).__name__} {cut(path)}"
        )
    path = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - pathlib is slow to import
    ledger = Ledger(path)
    with open_log(path) as file:
        for number, _, record in records(file, path):
            ledger.take(number, record)
            break
    return _runs(path)


def _runs(path: str) -> Iterator[Run]:
    ledger = Ledger(path)
    with open_log(path) as file:
        for number, _, record in records(file, path):
            run = ledger.take(number, record)
            if run is not None:
                yield run


def open_log(path: str) -> BufferedReader:
    """Open a log for reading."""
    try:
        return BufferedReader(FileIO(path))
    except OSError as error:
        raise RunLogError(f"cannot be read ({error.strerror})", path) from error


def records(file: BufferedReader, path: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield number, end (a position in bytes) and content of every whole line.

    Lines end with a newline byte and nothing else. A torn last line is left out.
    """
    end = 0
    for number, line in enumerate(file, 1):
        if not line.endswith(b"\n"):
            if number == 1 and not _may_be_torn_header(line):
                raise _not_a_log(path, line)
            return
        try:
            record = decode_line(line)
        except ValueError as error:
            if number == 1:
                raise _not_a_log(path, line) from error
            raise RunLogError(
                f"is not JSON ({error}), got {cut(line)}; {_DAMAGED}", path, number
            ) from error
        if not isinstance(record, dict):
            raise RunLogError(f"must be an object, got {cut(record)}; {_DAMAGED}", path, number)
        end += len(line)
        yield number, end, record


def _may_be_torn_header(line: bytes) -> bool:
    """Tell whether a first line without its newline is what a killed evaluation left of a header.

    A power cut can leave NUL bytes in place of what was not written yet.
    """
    left = line.rstrip(b"\0")
    return left.startswith(_HEADER_START) or _HEADER_START.startswith(left)


def _not_a_log(path: str, got: object) -> RunLogError:
    """Return the error for a file that something else wrote."""
    return RunLogError(
        f"is no run log: it does not begin with a header, got {cut(got)}; name another file",
        path,
        1,
    )


def is_run(record: Mapping[str, Any]) -> bool:
    """Tell a run from the other lines of a log."""
    return "id" in record


class Ledger:
    """What a log has said so far; refuses a line that does not fit.

    `done` maps each task's id to an integer whose bit r is set when repeat r is there. `on_task` is
    told the line, id and fingerprint of each task and returns the id to keep.
    """

    def __init__(
        self, path: str, on_task: Callable[[int, TaskId, str], TaskId] | None = None
    ) -> None:
        self.path = path
        self.label: str | None = None
        self.repeats = 0
        self.done: dict[TaskId, int] = {}
        self._on_task = on_task

    def take(self, number: int, record: dict[str, Any]) -> Run | None:
        """Enter one line; return it when it is a run.

        Raises:
            RunLogError: The line does not fit.
        """
        if number == 1:
            self._header(record)
        elif is_run(record):
            return self._run(number, record)
        elif "task" in record:
            self._task(number, record)
        elif "repeats" in record:
            self._more_repeats(number, record)
        else:
            raise self._damage(number, f"is neither a run nor a task, got {cut(record)}")
        return None

    def _header(self, record: dict[str, Any]) -> None:
        if record.get("agenteval") != "run log":
            raise _not_a_log(self.path, record)
        if record.get("version") != VERSION:
            raise RunLogError(
                f"has format version {cut(record.get('version'))}, this agenteval reads version "
                f"{VERSION}; use the agenteval that wrote it, or log elsewhere",
                self.path,
                1,
            )
        label = record.get("label")
        if label is not None and not isinstance(label, str):
            raise self._damage(1, f"label must be a str or null, got {cut(label)}")
        self.label = label
        self._more_repeats(1, record)

    def _more_repeats(self, number: int, record: dict[str, Any]) -> None:
        repeats = record.get("repeats")
        if type(repeats) is not int or repeats <= self.repeats:
            raise self._damage(
                number, f"repeats must be an int above {self.repeats}, got {cut(repeats)}"
            )
        self.repeats = repeats

    def _task(self, number: int, record: dict[str, Any]) -> None:
        task, found = record["task"], record.get("fingerprint")
        if type(task) not in (str, int):
            raise self._damage(number, f"a task's id must be a str or an int, got {cut(task)}")
        if type(found) is not str:
            raise self._damage(number, f"task {cut(task)}: fingerprint must be a str")
        if task in self.done:
            raise self._damage(number, f"task {cut(task)} is listed a second time")
        if self._on_task is not None:
            task = self._on_task(number, task, found)
        self.done[task] = 0

    def _run(self, number: int, record: dict[str, Any]) -> Run:
        slip = run_slip(record)
        if slip is not None:
            raise self._damage(number, slip)
        task, repeat = record["id"], record["repeat"]
        done = self.done.get(task)
        if done is None:
            raise self._damage(number, f"a run of task {cut(task)}, which the log does not list")
        if repeat >= self.repeats:
            raise self._damage(
                number, f"task {cut(task)}: repeat {repeat} of a log with {self.repeats} repeats"
            )
        if done >> repeat & 1:
            raise self._damage(number, f"task {cut(task)}: repeat {repeat} is there a second time")
        self.done[task] = done | 1 << repeat
        return cast("Run", record)

    def _damage(self, number: int, problem: str) -> RunLogError:
        return RunLogError(f"{problem}; {_DAMAGED}", self.path, number)


def run_slip(run: Any) -> str | None:
    """Say what keeps `run` from being a run that can be told apart and counted, or None."""
    if not isinstance(run, Mapping):
        return f"a run must be a dict, got {type(run).__name__} {cut(run)}"
    if set(map(type, run)) != {str}:
        odd = [name for name in run if type(name) is not str]
        return f"a run's keys must be str, got {cut(odd)}"
    for name, kinds in _KINDS.items():
        value = run.get(name)
        if not isinstance(value, kinds) or (isinstance(value, bool) and name != "passed"):
            names = " or ".join(kind.__name__ for kind in kinds)
            return f"a run's {name!r} must be {names}, got {cut(value)}"
    if run["repeat"] < 0:
        return f"a run's 'repeat' counts from 0, got {run['repeat']}"
    return None


_KINDS: dict[str, tuple[type, ...]] = {
    "id": (str, int),
    "repeat": (int,),
    "passed": (bool,),
    "reasons": (list,),
}
