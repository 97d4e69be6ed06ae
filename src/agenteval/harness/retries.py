"""How long to wait before the infrastructure is tried again."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

__all__ = ["pause_before_retry"]

FIRST_PAUSE = 1.0
"""Seconds before the first retry, at most."""

LONGEST_PAUSE = 60.0
"""Seconds before any retry, at most."""


def pause_before_retry(retry: int) -> float:
    """Return how many seconds to wait before the `retry`-th retry (from 0).

    The pause doubles from one retry to the next. It is drawn from the upper half of its range, so
    that it grows and yet many workers do not come back at the same moment.
    """
    longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(retry, 60))
    return longest * _dice().uniform(0.5, 1.0)


@cache
def _dice() -> Random:
    """Return a generator of our own: agents may have seeded the shared one."""
    from random import Random  # here, because only retries need it

    return Random()
