"""How many repeats and tasks an evaluation needs to be able to show what it is asked to show."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from math import ceil, exp, expm1, inf, log, log1p, sqrt
from typing import Any

from agenteval._messages import cut
from agenteval.reliability.arguments import MOST, number, share, whole
from agenteval.reliability.intervals import normal_quantile

__all__ = ["repeats_needed", "smallest_difference", "tasks_needed"]

_HAIR = 1e-9
"""A count that rounding puts this little above a whole number, in proportion, is that number."""

_DIGITS = 60
_DECIMAL_HAIR = Decimal("1e-40")
"""The same with so many decimal digits, where the count of even the most repeats is exact."""


def repeats_needed(pass_hat_k: float, k: int = 1, *, confidence: float = 0.95) -> int:
    """Return how many repeats have to pass in a row to claim that pass^k is at least so high.

    An agent that passes one attempt with probability r passes k attempts with r**k and n attempts
    with r**n. When r**k were below the claim, n passes in a row would be rarer than
    ``1 - confidence`` as soon as ``claim ** (n / k) <= 1 - confidence``, so
    ``n = k log(1 - confidence) / log(claim)``, rounded up. For one attempt this is the "rule of
    three": n is about 3 / (1 - claim) with 95 % confidence.

    Args:
        pass_hat_k: The claim, between 0 and 1.
        k: How many attempts in a row the claim is about.
        confidence: How sure the claim has to be, between 0 and 1.

    Returns:
        The number of straight passes, at least 1. One failure among them voids the claim; then
        `agenteval.wilson_interval` says what is left. The passes may be repeats of one task, which
        shows it for that task, or single runs of as many tasks drawn at random, which shows it for
        such tasks.

    Raises:
        TypeError: An argument is no number, or `k` no whole one.
        ValueError: `pass_hat_k` or `confidence` not between 0 and 1, `k` below 1, or more than
            1e15 passes, which nobody can run.

    Source: Hanley and Lippman-Hand, "If Nothing Goes Wrong, Is Everything All Right?", 1983.

    >>> repeats_needed(0.9), repeats_needed(0.9, k=8)
    (29, 228)
    """
    where = "repeats_needed"
    claim = share(where, "pass_hat_k", pass_hat_k)
    k = whole(where, "k", k, most=MOST)
    confidence = share(where, "confidence", confidence)
    with localcontext(Context(prec=_DIGITS)):
        passes = k * (1 - Decimal(repr(confidence))).ln() / Decimal(repr(claim)).ln()
        _refuse_more_than_possible(where, float(passes))
        return max(1, ceil(passes * (1 - _DECIMAL_HAIR)))


def smallest_difference(
    tasks: int,
    repeats: int = 1,
    *,
    pass_rate: float = 0.5,
    task_spread: float = 0.0,
    confidence: float = 0.95,
    power: float = 0.8,
) -> float:
    """Return the smallest difference in pass rate that so many tasks and repeats can show.

    Smaller true differences between two versions are missed more often than `power` allows: a
    comparison that finds nothing then says little. With T tasks of K repeats on either side it is
    ``(z(1 - a / 2) + z(power)) * sqrt((w**2 + 2 p (1 - p) / K) / (T - z(1 - a / 2)**2))``, where a
    is ``1 - confidence`` and z the standard normal quantile. What is taken off T is twice
    Guenther's correction for a t-test with few observations: the exact sign-flip test, whose
    p-values come in coarse steps where tasks are few, needs about as much again. In simulations of
    `agenteval.compare` with 95 % confidence, p = 0.5 and a power of 0.8, differences of this size
    were found in 0.77 to 0.89 of the cases from 12 tasks on, and with p from 0.8 to 1 in 0.77 to
    0.83. With fewer tasks and p = 0.5 they were found more often, in up to all cases with one or
    two repeats, and so with 99 % confidence and fewer than 20 tasks: there the figure is on the
    safe side. More repeats shrink the second term only; where the versions differ by task, only
    more tasks help.

    Where nearly all tasks pass, or nearly none, a difference shows in a few tasks alone. Then the
    difference is ``1 - (1 - q)**(1 / K)``, which makes a task change with probability q, and q so
    large that with the probability `power` m tasks or more do: so many have to change in the same
    direction for the sign-flip test of `agenteval.compare` to give so small a p-value, 6 with 95 %
    confidence. The larger of the two figures is returned.

    Args:
        tasks: The number of tasks that both versions are run on.
        repeats: The number of repeats of each task and version.
        pass_rate: The typical pass rate p of a single task, 0 to 1; 0.5, where outcomes vary most,
            is the cautious choice, and tasks that mostly go one way have a p near 0 or 1.
        task_spread: The standard deviation w, over tasks, of the true difference between the
            versions, 0 to 1. The default, 0, says that a change moves every task alike, which is
            the most hopeful case.
        confidence: One minus the p-value below which `agenteval.compare` counts as a finding.
        power: How often a true difference of this size is to be found.

    Returns:
        A difference between two pass rates, above 0 and up to 1.

    Raises:
        TypeError: An argument is no number, or `tasks` or `repeats` no whole one.
        ValueError: An argument out of its range, or an evaluation so small that it cannot show any
            difference, such as one of fewer than m tasks.

    Source: Miller, "Adding Error Bars to Evals: A Statistical Approach to Language Model
    Evaluations", 2024, arXiv:2411.00640, its formula for paired questions with resampled answers;
    Guenther, "Sample Size Formulas for Normal Theory T Tests", 1981, for the correction.

    >>> round(smallest_difference(tasks=50, repeats=4), 3)
    0.146
    >>> round(smallest_difference(tasks=50, repeats=4, task_spread=0.2), 3)
    0.168
    """
    where = "smallest_difference"
    tasks = whole(where, "tasks", tasks, most=MOST)
    variance = _variance(where, repeats, pass_rate, task_spread)
    reach = _reach(where, confidence, power)
    fewest = _fewest_tasks(confidence)
    if tasks < fewest:
        raise ValueError(
            f"{where}: {tasks} tasks cannot show any difference with a confidence of {confidence}, "
            f"however often they are repeated; use at least {fewest} tasks"
        )
    effective = tasks - _taken_off(confidence)
    spread = sqrt(variance / effective) if effective > 0 else inf
    found = max(reach * spread, _least_to_change(tasks, repeats, fewest, power))
    if found > 1:
        raise ValueError(
            f"{where}: {tasks} tasks with {repeats} repeats cannot show any difference with a "
            f"power of {power}: it would have to be {found:.2f}; use more tasks"
        )
    return found


def tasks_needed(
    difference: float,
    repeats: int = 1,
    *,
    pass_rate: float = 0.5,
    task_spread: float = 0.0,
    confidence: float = 0.95,
    power: float = 0.8,
) -> int:
    """Return how many tasks it takes to show so large a difference in pass rate.

    It is `smallest_difference` solved for the number of tasks, with the same arguments.

    Args:
        difference: The true difference between two versions' pass rates, above 0, up to 1.
        repeats: The number of repeats of each task and version.
        pass_rate: The typical pass rate of a single task, 0 to 1.
        task_spread: The standard deviation, over tasks, of the true difference.
        confidence: One minus the p-value below which `agenteval.compare` counts as a finding.
        power: How often the difference is to be found.

    Returns:
        The number of tasks, at least 1; with 95 % confidence at least 6.

    Raises:
        TypeError: An argument is no number, or `repeats` no whole one.
        ValueError: An argument out of its range, or a difference below 1e-7.

    >>> tasks_needed(0.1, repeats=1), tasks_needed(0.1, repeats=5)
    (397, 83)
    """
    where = "tasks_needed"
    wanted = number(where, "difference", difference)
    if not 0 < wanted <= 1:
        raise ValueError(f"{where}: difference must be above 0 and at most 1, got {wanted}")
    variance = _variance(where, repeats, pass_rate, task_spread)
    reach = _reach(where, confidence, power)
    if wanted < 1e-7:
        raise ValueError(f"{where}: difference must be at least 1e-07, got {cut(difference)}")
    needed = _up(where, (reach / wanted) ** 2 * variance + _taken_off(confidence))
    fewest = _fewest_tasks(confidence)
    return max(needed, _tasks_to_change(where, wanted, repeats, fewest, power))


def _variance(where: str, repeats: Any, pass_rate: Any, task_spread: Any) -> float:
    """Return the variance of one task's measured difference."""
    attempts = whole(where, "repeats", repeats, most=MOST)
    rate = share(where, "pass_rate", pass_rate, closed=True)
    spread = share(where, "task_spread", task_spread, closed=True)
    return spread * spread + 2 * rate * (1 - rate) / attempts


def _reach(where: str, confidence: Any, power: Any) -> float:
    """Return how many standard errors a difference has to be away from zero."""
    sure = share(where, "confidence", confidence)
    found = share(where, "power", power)
    return normal_quantile((1 + sure) / 2) + normal_quantile(found)


def _taken_off(confidence: float) -> float:
    """Return how many tasks the coarseness of the exact test costs."""
    return normal_quantile((1 + confidence) / 2) ** 2


def _fewest_tasks(confidence: float) -> int:
    """Return from how many differing tasks on the smallest p-value, 2 / 2**tasks, is so small."""
    return _up("smallest_difference", 1 - log1p(-confidence) / log(2))


def _least_to_change(tasks: int, repeats: int, fewest: int, power: float) -> float:
    """Return the difference with which `fewest` tasks change that all passed, or none did."""
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2) < high:
        if _chance_of_changes(tasks, middle, fewest) < power:
            low = middle
        else:
            high = middle
    return -expm1(log1p(-high) / repeats) if high < 1 else 1.0


def _tasks_to_change(where: str, wanted: float, repeats: int, fewest: int, power: float) -> int:
    """Return how many tasks it takes, so that with the difference `wanted` `fewest` of them do."""
    changing = -expm1(repeats * log1p(-wanted)) if wanted < 1 else 1.0
    too_few, enough = fewest - 1, fewest
    while _chance_of_changes(enough, changing, fewest) < power:
        too_few, enough = enough, 2 * enough
        _refuse_more_than_possible(where, enough)
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if _chance_of_changes(middle, changing, fewest) < power:
            too_few = middle
        else:
            enough = middle
    return enough


def _chance_of_changes(tasks: int, changing: float, fewest: int) -> float:
    """Return how likely it is that at least `fewest` of the tasks change, each as likely as all."""
    if changing >= 1:
        return 1.0
    exactly = exp(tasks * log1p(-changing))
    below = 0.0
    for changed in range(fewest):
        below += exactly
        exactly *= (tasks - changed) / (changed + 1) * changing / (1 - changing)
    return 1 - below


def _up(where: str, count: float) -> int:
    _refuse_more_than_possible(where, count)
    return ceil(count * (1 - _HAIR))


def _refuse_more_than_possible(where: str, count: float) -> None:
    if count > MOST:
        raise ValueError(
            f"{where}: that would take {count:.2g}, more than anybody can run; ask for less"
        )
