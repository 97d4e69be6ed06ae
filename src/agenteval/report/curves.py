"""A reliability curve drawn with characters that any terminal and any log has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import floor
from typing import Any, NamedTuple

from agenteval._messages import cut
from agenteval.records import ReliabilityRow
from agenteval.report.formatting import rate

__all__ = ["curve_text"]

_ROWS = 10
_MOST_POINTS = 12
_ALLOWED = (
    "curve must be the rows of reliability_table or the mapping of reliability_curve, {k: value}"
)


class _Point(NamedTuple):
    k: int
    value: float
    interval: tuple[float, float] | None = None
    at_least_once: float | None = None


def curve_text(curve: Mapping[int, float] | Iterable[ReliabilityRow]) -> str:
    """Draw pass^k over k, with its interval where there is one, and the numbers below.

    Args:
        curve: The rows of `agenteval.reliability_table`, which have intervals, or the mapping of k
            to value that `agenteval.reliability_curve` returns. Of a long curve twelve points are
            drawn, the first and the last among them.

    Returns:
        Lines of ASCII without a line break at the end: ``*`` is the value, ``:`` the interval.

    Raises:
        TypeError: `curve` is neither of the two.
        ValueError: It is empty, or a value is outside 0 to 1.

    >>> print(curve_text({1: 0.6, 2: 0.35, 3: 0.3}))
       1.0 |
           |
           |
           |
           |  *
       0.5 |
           |        *
           |              *
           |
           |
       0.0 +------------------
         k    1     2     3
    pass^k   0.60  0.35  0.30
    """
    points = _thinned(_points(curve))
    shown = [rate(point.value) for point in points]
    cell = max(6, *(len(number) + 2 for number in shown))

    def line(label: str, marks: Iterable[str], edge: str = " ") -> str:
        return f"{label:>6} {edge}{''.join(f'{mark:^{cell}}' for mark in marks)}".rstrip()

    lines = []
    for level in range(_ROWS, 0, -1):
        label = f"{level / _ROWS:.1f}" if level in {_ROWS, _ROWS // 2} else ""
        lines.append(line(label, (_mark(point, level) for point in points), "|"))
    axis = "".join(f"{_mark(point, 0).strip():-^{cell}}" for point in points)
    lines.append(f"   0.0 +{axis}")
    lines.append(line("k", (str(point.k) for point in points)))
    lines.append(line("pass^k", shown))
    for label, numbers in (
        ("low", [point.interval[0] for point in points if point.interval]),
        ("high", [point.interval[1] for point in points if point.interval]),
        ("pass@k", [point.at_least_once for point in points if point.at_least_once is not None]),
    ):
        if numbers:
            lines.append(line(label, map(rate, numbers)))
    return "\n".join(lines)


def _mark(point: _Point, level: int) -> str:
    """Return what stands over the point's k at a level from 0 (the axis) to `_ROWS` (all)."""
    if level == _level(point.value):
        return "*"
    low, high = map(_level, point.interval or (point.value, point.value))
    return ":" if low <= level <= high else " "


def _level(value: float) -> int:
    return floor(value * _ROWS + 0.5)


def _points(curve: Any) -> list[_Point]:
    if isinstance(curve, Mapping):
        points = [_Point(k, value) for k, value in curve.items()]
    elif isinstance(curve, Iterable) and not isinstance(curve, (str, bytes)):
        points = [_point(row) for row in curve]
    else:
        raise TypeError(f"curve_text: {_ALLOWED}, got {type(curve).__name__} {cut(curve)}")
    if not points:
        raise ValueError("curve_text: the curve is empty; a curve needs at least one k")
    for k, value, interval, _ in points:
        for number in (value, *(interval or ())):
            if not 0 <= number <= 1:
                raise ValueError(f"curve_text: k={k} has {cut(number)}; values are from 0 to 1")
    return sorted(points)


def _point(row: Any) -> _Point:
    try:
        return _Point(row["k"], row["pass_hat_k"], (row["low"], row["high"]), row["pass_at_k"])
    except (TypeError, KeyError, IndexError):
        raise TypeError(
            f"curve_text: {_ALLOWED}, got a row {type(row).__name__} {cut(row)}"
        ) from None


def _thinned(points: Sequence[_Point]) -> Sequence[_Point]:
    """Return at most `_MOST_POINTS` of the points, evenly spread, with the first and the last."""
    if len(points) <= _MOST_POINTS:
        return points
    last = len(points) - 1
    return [points[place * last // (_MOST_POINTS - 1)] for place in range(_MOST_POINTS)]
