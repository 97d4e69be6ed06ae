"""pass^k and pass@k: whether a task succeeds every time, and whether it succeeds at all.

Both come from one count, because pass@k is pass^k of the failures, turned over: a task succeeds at
least once exactly when it does not fail every time. All sums are over integers and are divided
once, at the end, so a value is the float nearest to the exact one.
"""

from __future__ import annotations

from collections import Counter
from math import comb, lcm
from typing import Any

from agenteval._messages import cut, one_of
from agenteval.records import Estimator
from agenteval.reliability.arguments import whole
from agenteval.reliability.counting import Outcomes, patterns

__all__ = [
    "NotEnoughRuns",
    "pass_at_k",
    "pass_hat_k",
    "reliability_curve",
    "require_repeats",
    "share_all",
    "tally_all",
]

_ESTIMATORS = ("first", "subsets")
_LONGEST_CURVE = 8  # as far as the curve of the tau-bench paper goes


class NotEnoughRuns(ValueError):  # noqa: N818 - it reads as what happened, like StopIteration
    """A task was repeated less often than k asks for.

    Attributes:
        where: The function that was called.
        task: The id of the task with the fewest repeats.
        repeats: How many repeats that task has.
        k: How many were needed.
        others: How many more tasks have fewer than k repeats.

    >>> pass_hat_k({"a": [True, True], "b": [True] * 5}, k=5)
    Traceback (most recent call last):
        ...
    agenteval.reliability.passk.NotEnoughRuns: pass_hat_k: task 'a' has 2 repeats and k is 5; \
run it more often, or use a k of at most 2
    """

    def __init__(self, where: str, task: Any, repeats: int, k: int, others: int = 0) -> None:
        self.where = where
        self.task = task
        self.repeats = repeats
        self.k = k
        self.others = others
        more = ""
        if others:
            more = f" (and {others} more {'task falls' if others == 1 else 'tasks fall'} short)"
        times = "repeat" if repeats == 1 else "repeats"
        advice = f", or use a k of at most {repeats}" if repeats else ", or leave it out"
        super().__init__(
            f"{where}: task {cut(task)} has {repeats} {times} and k is {k}{more}; "
            f"run it more often{advice}"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.where, self.task, self.repeats, self.k, self.others)


def pass_hat_k(runs_by_task: Outcomes, k: int, *, estimator: Estimator = "first") -> float:
    """Return the share of tasks that succeed on every one of k repeats.

    Args:
        runs_by_task: Task id to that task's outcomes in the order of the repeats, each True/False
            or 1/0 of any number type. Tasks may have different numbers of repeats.
        k: How often in a row a task has to succeed, at least 1.
        estimator: ``"first"`` looks at each task's first k repeats, as the definition reads.
            ``"subsets"`` averages over all ways to choose k of the task's n repeats, which is
            ``C(c, k) / C(n, k)`` with c successes: it uses every repeat, so it varies less, and it
            does not depend on the order of the repeats. Both are unbiased.

    Returns:
        0 to 1, higher is better. It never rises with k.

    Raises:
        NotEnoughRuns: A task has fewer than k repeats.
        TypeError: Not a mapping of lists, or an outcome that is neither true nor false.
        ValueError: No tasks, k below 1, or an unknown estimator.

    Source: Yao, Shinn, Razavi and Narasimhan, "tau-bench: A Benchmark for Tool-Agent-User
    Interaction in Real-World Domains", 2024, arXiv:2406.12045.

    >>> runs = {"refund": [True, True, True, True], "address": [True, True, False, True]}
    >>> pass_hat_k(runs, k=2)
    1.0
    >>> pass_hat_k(runs, k=2, estimator="subsets")
    0.75
    """
    passed, of = _at("pass_hat_k", runs_by_task, k, estimator, value=True)
    return passed / of


def pass_at_k(runs_by_task: Outcomes, k: int, *, estimator: Estimator = "first") -> float:
    """Return the share of tasks that succeed on at least one of k repeats.

    It flatters an agent that guesses; `pass_hat_k` is the question of somebody who relies on it.

    Args:
        runs_by_task: Task id to that task's outcomes, as in `pass_hat_k`.
        k: How many attempts a task gets, at least 1.
        estimator: ``"first"`` looks at each task's first k repeats; ``"subsets"`` averages over
            all ways to choose k of the task's n repeats: ``1 - C(n - c, k) / C(n, k)``.

    Returns:
        0 to 1, higher is better. It never falls with k.

    Raises:
        NotEnoughRuns: A task has fewer than k repeats.
        TypeError: Not a mapping of lists, or an outcome that is neither true nor false.
        ValueError: No tasks, k below 1, or an unknown estimator.

    Source: Chen et al., "Evaluating Large Language Models Trained on Code", 2021,
    arXiv:2107.03374, equation 1.

    >>> pass_at_k({"refund": [False, True], "address": [False, False]}, k=2)
    0.5
    """
    failed, of = _at("pass_at_k", runs_by_task, k, estimator, value=False)
    return (of - failed) / of


def reliability_curve(
    runs_by_task: Outcomes, max_k: int | None = None, *, estimator: Estimator = "first"
) -> dict[int, float]:
    """Return pass^k for k = 1, 2, 3 and on: how it falls as k grows.

    A curve that drops steeply between k = 1 and k = 3 describes an agent that works in a
    demonstration and fails in use.

    Args:
        runs_by_task: Task id to that task's outcomes, as in `pass_hat_k`.
        max_k: The last k. Without it the curve goes to 8, or to the fewest repeats of any task
            where that is less.
        estimator: As in `pass_hat_k`.

    Returns:
        ``{1: pass^1, 2: pass^2, ...}``, each 0 to 1, never rising.

    Raises:
        NotEnoughRuns: A task has fewer than `max_k` repeats: the curve has no flat tail.
        TypeError: Not a mapping of lists, or an outcome that is neither true nor false.
        ValueError: No tasks, `max_k` below 1, or an unknown estimator.

    >>> reliability_curve({"refund": [True, True, False], "address": [True, True, True]})
    {1: 1.0, 2: 1.0, 3: 0.5}
    """
    where = "reliability_curve"
    tally = tally_all(where, runs_by_task, estimator, value=True)
    last = require_repeats(where, runs_by_task, min(tally)[0], max_k, name="max_k")
    curve = {}
    for k in range(1, last + 1):
        passed, of = share_all(tally, k, estimator)
        curve[k] = passed / of
    return curve


def require_repeats(
    where: str, runs_by_task: Outcomes, fewest: int, k: int | None, name: str = "k"
) -> int:
    """Return `k`, or the longest curve's when it is None, after holding every task to it.

    `fewest` is how many repeats the task with the fewest has.
    """
    needed = max(1, min(_LONGEST_CURVE, fewest)) if k is None else whole(where, name, k)
    if fewest < needed:
        short = {task: len(runs) for task, runs in runs_by_task.items() if len(runs) < needed}
        task = min(short, key=short.__getitem__)
        raise NotEnoughRuns(where, task, short[task], needed, len(short) - 1)
    return needed


def tally_all(
    where: str, runs_by_task: Outcomes, estimator: Estimator, *, value: bool
) -> Counter[tuple[int, int]]:
    """Count the tasks by (repeats, alike), as `share_all` takes them.

    Alike is, for ``"subsets"``, how many of the repeats have the outcome `value`; for ``"first"``,
    how many have it before the first one that has not.
    """
    if estimator not in _ESTIMATORS:
        raise ValueError(
            f"{where}: unknown estimator {cut(estimator)}; {one_of(estimator, _ESTIMATORS)}"
        )
    tally: Counter[tuple[int, int]] = Counter()
    for pattern, tasks in patterns(where, runs_by_task).items():
        alike = pattern.count(value)
        if estimator == "first" and alike < len(pattern):
            alike = pattern.index(not value)
        tally[len(pattern), alike] += tasks
    return tally


def share_all(tally: Counter[tuple[int, int]], k: int, estimator: Estimator) -> tuple[int, int]:
    """Return the share of k repeats that are all alike, as a numerator and a denominator."""
    tasks = sum(tally.values())
    if estimator == "first":
        return sum(number for (_, alike), number in tally.items() if alike >= k), tasks
    common = lcm(*{comb(repeats, k) for repeats, _ in tally})
    total = sum(
        comb(alike, k) * (common // comb(repeats, k)) * number
        for (repeats, alike), number in tally.items()
    )
    return total, common * tasks


def _at(
    where: str, runs_by_task: Outcomes, k: int, estimator: Estimator, *, value: bool
) -> tuple[int, int]:
    """Return `share_all` of the outcome `value` at one k."""
    k = whole(where, "k", k)
    tally = tally_all(where, runs_by_task, estimator, value=value)
    return share_all(tally, require_repeats(where, runs_by_task, min(tally)[0], k), estimator)
