"""What all ways of running jobs have in common."""

from __future__ import annotations

from agenteval.harness.jobs import Job

__all__ = ["GRACE", "POLL", "Pool"]

GRACE = 0.4
"""Seconds that a run gets to end by itself when it is cancelled or the evaluation stops."""

POLL = 0.5
"""Seconds between two looks around while idle; some platforms deliver Ctrl-C only then."""


class Pool:
    """Runs jobs, several at a time where it can.

    It holds every job that it was given until the job is released. So Ctrl-C, which may come
    between any two steps, cannot lose a run on its way out.

    All methods but `interrupt` are called from one thread.
    """

    window = 1
    """How many jobs it wants to hold at most, waiting ones included."""

    def __init__(self) -> None:
        self.held: dict[Job, None] = {}

    def submit(self, job: Job) -> None:
        """Take a job in, without waiting."""
        self.held[job] = None

    def next(self) -> Job:
        """Wait for a job that is done and return it; only called while one is under way.

        Raises:
            KeyboardInterrupt: The agent raised it, or `interrupt` was called.
        """
        raise NotImplementedError

    def release(self, job: Job) -> None:
        """Let go of a job whose run is safe."""
        self.held.pop(job, None)

    def interrupt(self) -> None:
        """Have `next` raise KeyboardInterrupt; called from another thread."""

    def close(self) -> list[Job]:
        """Stop what is under way, waiting no longer than a moment; return what is done and held."""
        self.stop()
        return [job for job in self.held if job.done and job.stop is None]

    def stop(self) -> None:
        """Stop what is under way, waiting no longer than a moment."""
