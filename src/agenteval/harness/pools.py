"""What all ways of running jobs have in common."""

from __future__ import annotations

from typing import Protocol

from agenteval.harness.jobs import Job

__all__ = ["GRACE", "POLL", "Pool"]

GRACE = 0.4
"""Seconds that a run gets to end by itself when it is cancelled or the evaluation stops."""

POLL = 0.5
"""Seconds between two looks around while idle; some platforms deliver Ctrl-C only then."""


class Pool(Protocol):
    """Runs jobs, several at a time where it can.

    All methods but `interrupt` are called from one thread.
    """

    @property
    def window(self) -> int:
        """How many jobs it wants to hold at most, waiting ones included."""

    def submit(self, job: Job) -> None:
        """Take a job in, without waiting."""

    def next(self) -> Job:
        """Wait for a job that is done and return it; only called while one is under way.

        Raises:
            KeyboardInterrupt: The agent raised it, or `interrupt` was called.
        """

    def interrupt(self) -> None:
        """Have `next` raise KeyboardInterrupt; called from another thread."""

    def close(self) -> list[Job]:
        """Stop what is under way, wait for it no longer than a moment, return what was done."""
