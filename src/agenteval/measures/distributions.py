"""How values spread: percentiles and a histogram, because the tail matters more than the mean."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from math import floor, fsum, inf, log10, ulp
from typing import TypedDict

__all__ = ["Bin", "Distribution", "distribution", "percentile"]

# More bars than this are not read one by one any more.
_MOST_BINS = 24


class Bin(TypedDict):
    """One bar of a histogram: `count` values with ``low <= value < high``."""

    low: float
    high: float
    count: int


class Distribution(TypedDict):
    """How one number spreads over runs.

    ``count`` values are known ``of`` so many runs; all else is over the known ones, and ``None``
    (the histogram empty) when there are none. The bins of ``histogram`` are of one width, side by
    side, and cover every value; whole numbers that lie close enough have a bin each.
    """

    count: int
    of: int
    min: float | None
    p50: float | None
    p90: float | None
    p95: float | None
    max: float | None
    mean: float | None
    histogram: list[Bin]


def percentile(ordered: Sequence[float], percent: float) -> float:
    """Return the value that `percent` per cent of the sorted values lie at or below.

    Between two values it lies on the straight line from one to the other, so that the smallest
    value is the 0th and the greatest the 100th percentile: definition 7 of Hyndman and Fan, "Sample
    Quantiles in Statistical Packages", The American Statistician 50 (1996), the default of NumPy,
    pandas and R, and ``statistics.quantiles(..., method="inclusive")``.

    >>> percentile([1, 2, 3, 4, 19], 90)
    13.0
    """
    below, part = divmod((len(ordered) - 1) * percent, 100)
    low = ordered[int(below)]
    if not part:
        return low
    high = ordered[int(below) + 1]
    try:
        between = (low * (100 - part) + high * part) / 100
    except OverflowError:  # as below, of whole numbers
        between = inf
    if between == inf:  # only the hundredfold was too much for a float
        between = low / 100 * (100 - part) + high / 100 * part
    return min(max(low, between), high)  # rounding could lead out of low..high


def distribution(values: Sequence[float], of: int) -> Distribution:
    """Return how the known `values` of `of` runs spread.

    >>> spread = distribution([4, 4, 5, 19], of=6)
    >>> spread["count"], spread["of"], spread["p50"], spread["max"], spread["mean"]
    (4, 6, 4.5, 19, 8.0)
    >>> spread["histogram"][:2]
    [{'low': 4, 'high': 5, 'count': 2}, {'low': 5, 'high': 6, 'count': 1}]
    """
    if not values:
        return {
            "count": 0,
            "of": of,
            "min": None,
            "p50": None,
            "p90": None,
            "p95": None,
            "max": None,
            "mean": None,
            "histogram": [],
        }
    ordered = sorted(values)
    return {
        "count": len(ordered),
        "of": of,
        "min": ordered[0],
        "p50": percentile(ordered, 50),
        "p90": percentile(ordered, 90),
        "p95": percentile(ordered, 95),
        "max": ordered[-1],
        "mean": _mean(ordered),
        "histogram": _histogram(ordered),
    }


def _mean(ordered: Sequence[float]) -> float:
    try:
        return fsum(ordered) / len(ordered)
    except OverflowError:  # the sum is beyond floats; the mean is not
        return min(fsum(value / len(ordered) for value in ordered), float(ordered[-1]))


def _histogram(ordered: Sequence[float]) -> list[Bin]:
    """Return bins of a round width, from the one with the least value to the one with the most."""
    whole = all(value == int(value) for value in ordered)
    # Where floats lie far apart, bins need the width of two steps to have an inside.
    least = 0.0 if whole else 2 * ulp(ordered[-1])
    digit, power = _round_width(ordered[-1] - ordered[0], least, whole=whole)

    def edge(index: int) -> float:
        # One division or multiplication of whole numbers, so that 3 x 0.1 is 0.3.
        value = index * digit * 10**power if power >= 0 else index * digit / 10**-power
        return int(value) if whole else value

    top, bottom = ordered[0].as_integer_ratio()
    first = top * 10 ** max(-power, 0) // (bottom * digit * 10 ** max(power, 0))
    # That is exact, but edges are rounded; they decide.
    if edge(first) > ordered[0]:
        first -= 1
    elif edge(first + 1) <= ordered[0]:
        first += 1
    edges = [edge(first)]
    while edges[-1] <= ordered[-1]:
        edges.append(edge(first + len(edges)))
    counts = [0] * (len(edges) - 1)
    for value in ordered:
        counts[bisect_right(edges, value) - 1] += 1
    return [
        {"low": low, "high": high, "count": count}
        for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
    ]


def _round_width(span: float, least: float, *, whole: bool) -> tuple[int, int]:
    """Return the digit (1, 2 or 5) and the power of ten of the narrowest round width that does."""
    if whole and span < _MOST_BINS:
        return 1, 0
    least = max(least, span / (_MOST_BINS - 1) if span else 0.01)
    power = floor(log10(least))
    for digit in (1, 2, 5):
        if digit * 10.0**power >= least:
            return digit, power
    return 1, power + 1
