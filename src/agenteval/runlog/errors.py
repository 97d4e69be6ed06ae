"""The one error of the run log, with the place it is about."""

from __future__ import annotations

__all__ = ["RunLogError"]


class RunLogError(ValueError):
    """A run log cannot be used: it is damaged, in use, of other tasks, or cannot be written.

    Args:
        problem: What is wrong and what to do about it.
        path: The log's path.
        line: The number of the line at fault, from 1; ``None`` when it is the log as a whole.
    """

    def __init__(self, problem: str, path: str, line: int | None = None) -> None:
        super().__init__(problem, path, line)
        self.problem = problem
        self.path = path
        self.line = line

    def __str__(self) -> str:
        place = "" if self.line is None else f", line {self.line}"
        return f"run log {self.path!r}{place}: {self.problem}"
