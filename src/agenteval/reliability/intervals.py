"""How far a measured share can be from the true one, and the reliability table that says so."""

from __future__ import annotations

from collections import Counter
from math import comb, fsum, sqrt

from agenteval.records import ReliabilityRow
from agenteval.reliability.arguments import number, share
from agenteval.reliability.counting import Outcomes
from agenteval.reliability.passk import require_repeats, share_all, tally_all

__all__ = ["normal_quantile", "reliability_table", "wilson_interval"]


def wilson_interval(passed: float, total: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return the range of true shares that `passed` of `total` is compatible with.

    Unlike the interval of the mean plus or minus some standard errors, it never leaves 0 to 1 and
    never has zero width: 4 of 4 shows that the share is above 0.51, not that it is 1.

    Args:
        passed: How many passed; it may be fractional.
        total: How many there were, above 0; it may be fractional, as an effective number is.
        confidence: How often such ranges hold the true share, between 0 and 1.

    Returns:
        The lower and the upper end, 0 to 1.

    Raises:
        TypeError: An argument is no number.
        ValueError: `total` is not above 0, `passed` is not from 0 to `total`, or `confidence` is
            not between 0 and 1.

    Source: Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", 1927.

    >>> low, high = wilson_interval(8, 10)
    >>> f"{low:.3f} to {high:.3f}"
    '0.490 to 0.943'
    """
    where = "wilson_interval"
    passed = number(where, "passed", passed)
    total = number(where, "total", total)
    confidence = share(where, "confidence", confidence)
    if total <= 0:
        raise ValueError(f"{where}: total must be above 0, got {total}; nothing shows nothing")
    if not 0 <= passed <= total:
        raise ValueError(f"{where}: passed must be from 0 to total ({total}), got {passed}")
    z = normal_quantile((1 + confidence) / 2)
    middle = passed + z * z / 2
    half = z * sqrt(passed * (total - passed) / total + z * z / 4)
    low = max(0.0, (middle - half) / (total + z * z))
    high = min(1.0, (middle + half) / (total + z * z))
    return low, high if passed < total else 1.0  # exactly, whatever the rounding


def reliability_table(
    runs_by_task: Outcomes, max_k: int | None = None, *, confidence: float = 0.95
) -> list[ReliabilityRow]:
    """Return pass^k with its interval, and pass@k, for k = 1, 2, 3 and on.

    Both measures use every repeat (estimator ``"subsets"``). The interval says how far pass^k can
    be from that of all the tasks that these ones stand for. It is taken over tasks, because repeats
    of one task are not independent: ten runs of each of five tasks are not fifty tasks.

    With v the tasks' own values, p their mean, s2 their sample variance and T the number of tasks,
    it is Wilson's interval for p with as many observations as would make a plain share vary that
    much: ``p (1 - p) / (s2 / T)``, not fewer than T and not more than all runs; T where s2 is 0.

    Args:
        runs_by_task: Task id to that task's outcomes, as in `agenteval.pass_hat_k`.
        max_k: The last k. Without it the table goes to 8, or to the fewest repeats of any task
            where that is less.
        confidence: How often such intervals hold the true value, between 0 and 1.

    Returns:
        One dict a k: ``k``, ``tasks`` (their number), ``pass_hat_k``, ``low``, ``high`` and
        ``pass_at_k``, all shares 0 to 1, higher is better.

    Raises:
        NotEnoughRuns: A task has fewer than `max_k` repeats.
        TypeError: Not a mapping of lists, or an outcome that is neither true nor false.
        ValueError: No tasks, `max_k` below 1, or `confidence` not between 0 and 1.

    Source: Wilson as in `agenteval.wilson_interval`; effective sample size: Kish, "Survey
    Sampling", 1965, with tasks as clusters.

    >>> for row in reliability_table({"refund": [1, 1, 1], "address": [1, 0, 1]}):
    ...     print("{k} {pass_hat_k:.3f} {low:.3f} {high:.3f} {pass_at_k:.3f}".format(**row))
    1 0.833 0.403 0.974 0.833
    2 0.667 0.159 0.955 1.000
    3 0.500 0.095 0.905 1.000
    """
    where = "reliability_table"
    confidence = share(where, "confidence", confidence)
    passes = tally_all(where, runs_by_task, "subsets", value=True)
    failures = Counter(
        {(repeats, repeats - passed): tasks for (repeats, passed), tasks in passes.items()}
    )
    last = require_repeats(where, runs_by_task, min(passes)[0], max_k, name="max_k")
    rows: list[ReliabilityRow] = []
    for k in range(1, last + 1):
        passed, of = share_all(passes, k, "subsets")
        failed, _ = share_all(failures, k, "subsets")
        low, high = _interval_over_tasks(passes, k, passed / of, confidence)
        rows.append(
            {
                "k": k,
                "tasks": sum(passes.values()),
                "pass_hat_k": passed / of,
                "low": low,
                "high": high,
                "pass_at_k": (of - failed) / of,
            }
        )
    return rows


def normal_quantile(probability: float) -> float:
    """Return the point below which a standard normal variable falls with `probability`."""
    from statistics import (
        NormalDist,
    )  # here, because it is slow to import and only intervals need it

    return NormalDist().inv_cdf(min(probability, 1 - 2**-53))  # the float next to 1


def _interval_over_tasks(
    tally: Counter[tuple[int, int]], k: int, mean: float, confidence: float
) -> tuple[float, float]:
    tasks = sum(tally.values())
    runs = sum(repeats * number for (repeats, _), number in tally.items())
    spread = fsum(
        number * (comb(passed, k) / comb(repeats, k) - mean) ** 2
        for (repeats, passed), number in tally.items()
    )
    observations = float(tasks)
    if spread and tasks > 1:
        variance = spread / (tasks - 1)
        observations = max(tasks, min(mean * (1 - mean) / (variance / tasks), runs))
    return wilson_interval(min(mean * observations, observations), observations, confidence)
