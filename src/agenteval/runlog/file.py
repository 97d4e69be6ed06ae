"""The log's file while it is written: one writer, whole lines or nothing."""

from __future__ import annotations

import contextlib
import os
import stat
from io import FileIO
from typing import TYPE_CHECKING

from agenteval.runlog.errors import RunLogError
from agenteval.runlog.lock import lock, unlock

if TYPE_CHECKING:
    from weakref import WeakSet

__all__ = ["LogFile"]


class LogFile:
    """An open, locked log; `end` is the number of bytes that are whole lines."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._file = _open(path)
        _close_in_forked_children(self)
        self._locked = False
        try:
            self._lock()
        except BaseException:
            self._file.close()
            raise
        self.end = os.fstat(self._file.fileno()).st_size

    @property
    def closed(self) -> bool:
        """Whether the file is closed: by `close`, or because this process was forked."""
        return self._file.closed

    def write(self, lines: bytes) -> None:
        """Append whole lines; after a failure the file is as it was.

        The lines are with the operating system when this returns: they outlive this process.

        Raises:
            RunLogError: The disk is full, or the like.
        """
        try:
            written = self._file.write(lines)
            while written < len(lines):
                written += self._file.write(lines[written:])
            self.end += len(lines)
        except BaseException as error:  # an interrupt tears a line as well as a full disk does
            self._cut_back()
            if isinstance(error, OSError):
                raise RunLogError(
                    f"cannot be written ({error.strerror}); the runs before are safe: mend that "
                    "and resume",
                    self.path,
                ) from error
            raise

    def _cut_back(self) -> None:
        try:
            self.cut(self.end)
        except OSError:
            self.close()  # or the next line would be glued to the torn one

    def cut(self, end: int) -> None:
        """Cut the file after `end` bytes."""
        self._file.truncate(end)
        self.end = end

    def close(self) -> None:
        """Close the file and free it for another writer."""
        if self._file.closed:
            return
        try:
            if self._locked:
                unlock(self._file)
        finally:
            self._file.close()

    def close_copy(self) -> None:
        """Close this process's copy of a file that another process goes on writing."""
        with contextlib.suppress(OSError):
            self._file.close()

    def _lock(self) -> None:
        try:
            self._locked = lock(self._file)
        except OSError as error:
            import warnings  # here, because it is seldom needed

            warnings.warn(
                f"run log {self.path!r}: this file system cannot lock files ({error.strerror}); "
                "take care that no second evaluation writes this log",
                RuntimeWarning,
                stacklevel=4,
            )
            return
        if not self._locked:
            raise RunLogError(
                "another evaluation is writing it; wait for it to end, or log elsewhere", self.path
            )


def _open(path: str) -> FileIO:
    try:
        file = FileIO(path, "a+b")
    except IsADirectoryError as error:
        raise RunLogError("is a folder; name a file", path) from error
    except FileNotFoundError as error:
        raise RunLogError("its folder does not exist; make it first", path) from error
    except OSError as error:
        raise RunLogError(f"cannot be opened for writing ({error.strerror})", path) from error
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise RunLogError("is no ordinary file; name one", path)
    return file


_written: WeakSet[LogFile] | None = None


def _close_in_forked_children(file: LogFile) -> None:
    """Have `file` closed in every child that this process forks.

    A forked worker would otherwise keep the lock when the evaluation that wrote the log is killed.
    """
    global _written  # noqa: PLW0603 - hooks cannot be taken back, so there is one a process
    if _written is None:
        from weakref import WeakSet  # here, because only a log needs it

        _written = WeakSet()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=_close_copies)
    _written.add(file)


def _close_copies() -> None:
    for file in list(_written or ()):
        file.close_copy()
