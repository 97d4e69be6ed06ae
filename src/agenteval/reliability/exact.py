"""Two exact tests, by counting with Python's integers: no simulation, one rounding at the end.

Both are two-sided: they count everything that is at least as extreme as what was seen.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import comb, floor, gcd, isqrt, ulp
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
    seen = comb(old_total, old_passed) * comb(new_total, new_passed)
    extreme = 0
    for here in range(first, last + 1):
        if ways <= seen:
            extreme += ways
        there = passed - here
        ways = ways * (old_total - here) * there // ((here + 1) * (new_total - there + 1))
    return max(extreme / comb(old_total + new_total, passed), _SMALLEST)


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
    many different numbers of repeats would take longer, the totals are counted on a grid as fine
    as a second or two allows, and the share is near the exact one: within a few thousandths of it
    in the cases tried.

    Source: Fisher, "The Design of Experiments", 1935, section 21; McNemar, "Note on the sampling
    error of the difference between correlated proportions or percentages", 1947.

    >>> sign_flip_p([2, 1, 1, 2, 3, 1], scale=4)
    0.03125
    >>> sign_flip_p([1, 1, 1, 1, 1, 0], scale=1)
    0.0625
    """
    values = [value for value in differences if value]
    if not sum(values):
        return 1.0
    sizes, reach = _to_reach(values)
    # Integers as long as there are tasks take longer, from some thousands on.
    effort = reach * (1 + len(values) // 4000)
    if effort * len(sizes) <= _EFFORT:
        ways, _ = _ways_up_to(sizes, reach)
    elif len(values) <= _FEW:
        ways = _ways_one_by_one(sizes, reach)
    else:
        steps = _EFFORT * scale // (effort * gcd(*values))
        grid = max(_COARSEST, steps // len(sizes), isqrt(steps))
        if grid < scale:
            return _share_on_grid(values, scale, grid)
        ways, _ = _ways_up_to(sizes, reach)
    # The choices as far on the other side are as many.
    return max(2 * ways / (1 << len(values)), _SMALLEST)


def _share_on_grid(values: list[int], scale: int, grid: int) -> float:
    """Return the share of choices as far from zero as the one seen, with sizes on a coarser grid.

    What has been seen is not rounded, only what it is set against: the total of random signs, which
    keeps its variance. The sums that are possible lie closer together than the grid shows, so each
    of its steps stands for a stretch, of which the part counts that is far enough.
    """
    sizes = _on_grid(Counter(map(abs, values)), scale, grid)
    everything = sum(size * number for size, number in sizes.items())
    # Far enough are choices whose sizes with a minus add up to half of what is missing, or less.
    half = Fraction(everything * scale - abs(sum(values)) * grid, 2 * scale) + Fraction(1, 2)
    least = Fraction(2, 1 << len(values))  # the choice seen and its mirror
    if half <= 0:
        return max(float(least), _SMALLEST)
    ways, last = _ways_up_to(sizes, floor(half))
    part = ways - (1 - half % 1) * last
    share = Fraction(2 * part) / (1 << sizes.total())
    return max(float(max(least, min(share, Fraction(1)))), _SMALLEST)


def _on_grid(sizes: Mapping[int, int], scale: int, grid: int) -> Counter[int]:
    """Round sizes up or down to whole steps, so many of each that the sum of squares stays."""
    rounded: Counter[int] = Counter()
    over = 0  # so much the squares of the rounded sizes are short of the others', by scale ** 2
    for size, number in sorted(sizes.items()):
        low = size * grid // scale
        over += number * ((size * grid) ** 2 - (low * scale) ** 2)
        step = (2 * low + 1) * scale**2
        up = min(max((2 * over + step) // (2 * step), 0), number)
        over -= up * step
        rounded[low] += number - up
        rounded[low + 1] += up
    del rounded[0]
    return +rounded


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


def _ways_up_to(sizes: Counter[int], reach: int) -> tuple[int, int]:
    """Count the choices among the sizes (each there as often as counted) that sum up to `reach`.

    Returns:
        Those that sum to `reach` or less, and those that sum to `reach`.

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
    count = ways = 1
    for position in range(1, reach + 1):
        parts = [lane[0] for lane in waiting]
        ways = sum(map(mul, weights, parts)) // position
        count += ways
        for lane, part in zip(waiting, parts, strict=True):
            lane.append(ways - part)
    return count, ways


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
