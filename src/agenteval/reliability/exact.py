"""Two exact tests, by counting with Python's integers: no simulation, one rounding at the end.

Both are two-sided: they count everything that is at least as extreme as what was seen.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from math import comb, gcd, isqrt, ulp
from operator import mul

__all__ = ["fisher_p", "sign_flip_p"]

_SMALLEST = ulp(0.0)
"""Stands for a share too small for a float: what has been seen is not impossible."""

_EFFORT = 8_000_000
"""How many products of small integers are counted with before the differences are rounded."""

_COARSEST = 100
"""Differences are never rounded to fewer steps than this between 0 and 1."""

_FEW = 20
"""Up to so many differing tasks all their signs can be gone through."""


def fisher_p(old: tuple[int, int], new: tuple[int, int]) -> float:
    """Say how often two equally good versions would differ at least this much, by Fisher's test.

    With the passes of both sides together held fixed, every way to deal them out to the repeats is
    equally likely. The p-value is the share of the ways whose split is no likelier than the one
    seen. Likelihoods are compared as integers, so a tie is a tie.

    Args:
        old: Repeats and passes of one side.
        new: Repeats and passes of the other.

    Returns:
        Above 0, up to 1.

    Source: Fisher, "The Logic of Inductive Inference", 1935; two-sided by adding up the small
    probabilities, as R's ``fisher.test`` and SciPy's ``fisher_exact`` do.

    >>> fisher_p((3, 3), (3, 0))
    0.1
    """
    (old_total, old_passed), (new_total, new_passed) = old, new
    passed = old_passed + new_passed
    first, last = max(0, passed - new_total), min(old_total, passed)
    ways = comb(old_total, first) * comb(new_total, passed - first)
    splits = []
    for here in range(first, last + 1):
        splits.append(ways)
        there = passed - here
        ways = ways * (old_total - here) * there // ((here + 1) * (new_total - there + 1))
    seen = splits[old_passed - first]
    return max(sum(ways for ways in splits if ways <= seen) / sum(splits), _SMALLEST)


def sign_flip_p(differences: Iterable[int], scale: int) -> float:
    """Say how often random signs would give a total at least as far from zero.

    If two versions are equally good, each task's difference could as well have had the other sign.
    The p-value is the share of the 2**T choices of signs whose total is at least as far from zero
    as the one seen. With differences of -1, 0 and 1 it is McNemar's exact test.

    Args:
        differences: New rate minus old rate of each task, times `scale`, which makes them integers.
        scale: What stands for a difference of 1.

    Returns:
        Above 0, up to 1. It is 1 when nothing differs.

    The time grows with the number of distinct sizes times their sum. Where hundreds of tasks with
    many different numbers of repeats would take longer, the differences are first rounded to a
    grid as fine as a second or two allows. The test stays exact, for the rounded differences:
    rounding treats both signs alike, so the signs are as random as before.

    Source: Fisher, "The Design of Experiments", 1935, section 21; McNemar, "Note on the sampling
    error of the difference between correlated proportions or percentages", 1947.

    >>> sign_flip_p([2, 1, 1, 2, 3, 1], scale=4)
    0.03125
    >>> sign_flip_p([1, 1, 1, 1, 1, 0], scale=1)
    0.0625
    """
    values = [value for value in differences if value]
    sizes, reach = _to_reach(values)
    few = len(values) <= _FEW
    # Integers as long as there are tasks take longer, from some thousands on.
    effort = reach * (1 + len(values) // 4000)
    heavy = effort * len(sizes) > _EFFORT
    if heavy and not few:
        steps = _EFFORT * scale // (effort * gcd(*values))
        grid = max(_COARSEST, steps // len(sizes), isqrt(steps))
        if grid < scale:
            values = [_rounded(value * grid, scale) for value in values]
            values = [value for value in values if value]
            sizes, reach = _to_reach(values)
    ways = _ways_one_by_one(sizes, reach) if heavy and few else _ways_up_to(sizes, reach)
    # The choices as far on the other side are as many; with a total of zero they are the same ones.
    share = 2 * ways / (1 << len(values)) if sum(values) else 1.0
    return max(share, _SMALLEST)


def _to_reach(values: list[int]) -> tuple[Counter[int], int]:
    """Return how often each size occurs, and what the sizes with one sign may add up to.

    A total is the sum of all sizes minus twice the sum of those that have a minus. So it is at
    least as high as the one seen, taken without its sign, when those with a minus add up to half of
    what is missing, or less. All is divided by the sizes' greatest common divisor.
    """
    unit = gcd(*values) or 1
    sizes = Counter(abs(value) // unit for value in values)
    everything = sum(size * number for size, number in sizes.items())
    return sizes, (everything - abs(sum(values)) // unit) // 2


def _ways_up_to(sizes: Counter[int], reach: int) -> int:
    """Count the choices among the sizes (each there as often as counted) that sum up to `reach`.

    The number of choices with the sum n is F_n, the coefficient of x**n in F, the product of
    (1 + x**d)**m over the sizes d and their numbers m. As x F' / F is the sum of
    m d x**d / (1 + x**d), n F_n is the sum of m d G_n over the sizes, where G is
    F x**d / (1 + x**d), that is G_n = F_(n-d) - G_(n-d). So each F_n takes one product and one
    subtraction a size, whatever the number of tasks.
    """
    within = {size: number for size, number in sizes.items() if size <= reach}  # others never fit
    weights = [size * number for size, number in within.items()]
    waiting = [deque([0] * size, maxlen=size) for size in within]  # the last d values of F - G
    for lane in waiting:
        lane.append(1)
    count = 1
    for position in range(1, reach + 1):
        parts = [lane[0] for lane in waiting]
        ways = sum(map(mul, weights, parts)) // position
        count += ways
        for lane, part in zip(waiting, parts, strict=True):
            lane.append(ways - part)
    return count


def _ways_one_by_one(sizes: Counter[int], reach: int) -> int:
    """Count the same as `_ways_up_to`, in time that grows with 2**T and not with the sizes."""
    ways = {0: 1}
    for size in sizes.elements():
        more = dict(ways)
        for reached, number in ways.items():
            if reached + size <= reach:
                more[reached + size] = more.get(reached + size, 0) + number
        ways = more
    return sum(ways.values())


def _rounded(value: int, scale: int) -> int:
    """Return `value / scale` as the nearest integer, the same for both signs."""
    size = (2 * abs(value) + scale) // (2 * scale)
    return size if value > 0 else -size
