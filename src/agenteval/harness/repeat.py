"""Which repeat is under way, for agents that are written to know it."""

from __future__ import annotations

from contextvars import ContextVar

__all__ = ["current_repeat"]

current_repeat: ContextVar[int] = ContextVar("agenteval_repeat")
"""The repeat (from 0) of the run that the current context belongs to; unset outside of a run."""
