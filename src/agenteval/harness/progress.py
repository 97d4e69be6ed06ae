"""One line on stderr that says how far an evaluation is."""

from __future__ import annotations

import sys
from time import monotonic

from agenteval.records import Run

__all__ = ["ProgressLine"]

_REDRAW = 0.1
"""Seconds between two drawings on a terminal."""

_REPEAT = 5.0
"""Seconds between two lines where stderr is no terminal."""


class ProgressLine:
    """Draws the line anew on a terminal; elsewhere, writes a plain line every few seconds."""

    def __init__(self) -> None:
        self._stream = sys.stderr
        self._terminal = self._stream is not None and self._stream.isatty()
        self._start = monotonic()
        self._next = self._start if self._terminal else self._start + _REPEAT
        self._first: int | None = None
        self._passed = 0
        self._width = 0
        self._drawn = ""

    def __call__(self, done: int, total: int, run: Run) -> None:
        """Count `run`, and write when it is time to."""
        if self._first is None:
            self._first = done - 1  # what a resumed log had is no measure of the pace
        self._passed += run["passed"]
        now = monotonic()
        if now >= self._next or done == total:
            self._next = now + (_REDRAW if self._terminal else _REPEAT)
            self._write(self._line(done, total, now - self._start))

    def close(self) -> None:
        """End the line."""
        if self._terminal and self._drawn:
            self._put("\n")

    def _line(self, done: int, total: int, seconds: float) -> str:
        new = done - (self._first or 0)
        line = f"{done}/{total} runs, {self._passed} of {new} passed, {_duration(seconds)}"
        if done < total:
            line += f", about {_duration(seconds / new * (total - done))} left"
        return line

    def _write(self, line: str) -> None:
        if self._terminal:
            self._put("\r" + line.ljust(len(self._drawn)))
            self._drawn = line
        else:
            self._put(line + "\n")

    def _put(self, text: str) -> None:
        if self._stream is not None:
            self._stream.write(text)
            self._stream.flush()


def _duration(seconds: float) -> str:
    """Say how long something takes, as coarsely as people do.

    >>> [_duration(seconds) for seconds in (3.4, 75, 7300)]
    ['3 s', '1 min 15 s', '2 h 1 min']
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
