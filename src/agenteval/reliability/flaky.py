"""Unsteady tasks: which ones are, and how likely so many repeats were to show it."""

from __future__ import annotations

from collections.abc import Mapping
from math import expm1, log1p
from typing import Any, TypeVar

from agenteval.reliability.arguments import MOST, share, whole
from agenteval.reliability.counting import counts

__all__ = ["chance_of_flip", "flaky_tasks"]

Id = TypeVar("Id")


def flaky_tasks(runs_by_task: Mapping[Id, Any]) -> dict[Id, float]:
    """Return the tasks that both passed and failed, with their pass rates, worst first.

    A task that passed 4 of 4 times is not among them, and may still be flaky: few repeats often go
    the same way. `agenteval.chance_of_flip` says how often.

    Args:
        runs_by_task: Task id to that task's outcomes, as in `agenteval.pass_hat_k`.

    Returns:
        Task id to pass rate, strictly between 0 and 1, lowest first; tasks with the same rate stay
        in their order. Empty when no task is mixed.

    Raises:
        TypeError: Not a mapping of lists, or an outcome that is neither true nor false.
        ValueError: No tasks.

    >>> flaky_tasks({"refund": [1, 1, 1, 1], "address": [1, 1, 0, 1], "policy": [0, 1, 0, 0]})
    {'policy': 0.25, 'address': 0.75}
    """
    rates = {
        task: passed / repeats
        for task, (repeats, passed) in counts("flaky_tasks", runs_by_task).items()
        if 0 < passed < repeats
    }
    return dict(sorted(rates.items(), key=lambda item: item[1]))


def chance_of_flip(pass_rate: float, repeats: int) -> float:
    """Return how likely a task is to show itself as flaky, by passing and failing in its repeats.

    It is ``1 - p**n - (1 - p)**n`` for n independent repeats that each pass with probability p.

    Args:
        pass_rate: The task's true pass rate, 0 to 1.
        repeats: How often it is run, at least 1.

    Returns:
        0 to 1. A task that passes nine times in ten looks steady in two repeats four times out of
        five, and in eight repeats still twice out of five.

    Raises:
        TypeError: `pass_rate` is no number or `repeats` no whole number.
        ValueError: `pass_rate` is not from 0 to 1 or `repeats` not from 1 to 1e15.

    >>> [round(chance_of_flip(0.9, repeats), 4) for repeats in (2, 4, 8)]
    [0.18, 0.3438, 0.5695]
    """
    p = share("chance_of_flip", "pass_rate", pass_rate, closed=True)
    repeats = whole("chance_of_flip", "repeats", repeats, most=MOST)
    if p in (0, 1) or repeats == 1:
        return 0.0
    rare = min(p, 1 - p)
    # By way of the logarithm, because 1 - (1 - rare)**n loses its digits where rare is small.
    return -expm1(repeats * log1p(-rare)) - rare**repeats
