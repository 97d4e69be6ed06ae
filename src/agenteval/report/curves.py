"""A reliability curve drawn with characters that any terminal and any log has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import floor
from typing import NamedTuple

from agenteval.records import ReliabilityRow
from agenteval.report.arguments import curve_of
from agenteval.report.formatting import fit, rate

__all__ = ["curve_text"]

_ROWS = 10
_MOST_POINTS = 12
_LEAST_CELL = 6
_ROOM = _MOST_POINTS * _LEAST_CELL
"""Columns for the points: those of a line of 80 without its label."""

_WIDEST_K = 20


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
        Lines of ASCII, of at most 80 columns, without a line break at the end: ``*`` is the value,
        ``:`` the interval. Where many numbers need more than two decimals, they are shown as
        ``<.01`` or ``>.99``.

    Raises:
        TypeError: `curve` is neither of the two, or holds what is no number.
        ValueError: It is empty, a k is below 1, or a value is outside 0 to 1.

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
    points = _thinned(_points(curve), _MOST_POINTS)
    table = _numbers(points, _rate)
    if _cell(table) * len(points) > _ROOM:
        points = _thinned(points, _ROOM // _cell(_numbers(points, _short_rate)))
        table = _numbers(points, _short_rate)
    cell = _cell(table)

    def line(label: str, marks: Iterable[str], edge: str = " ") -> str:
        return f"{label:>6} {edge}{''.join(f'{mark:^{cell}}' for mark in marks)}".rstrip()

    lines = []
    for level in range(_ROWS, 0, -1):
        label = f"{level / _ROWS:.1f}" if level in {_ROWS, _ROWS // 2} else ""
        lines.append(line(label, (_mark(point, level) for point in points), "|"))
    axis = "".join(f"{_mark(point, 0).strip():-^{cell}}" for point in points)
    lines.append(f"   0.0 +{axis}")
    lines += [line(label, numbers) for label, numbers in table]
    return "\n".join(lines)


def _mark(point: _Point, level: int) -> str:
    """Return what stands over the point's k at a level from 0 (the axis) to `_ROWS` (all)."""
    if level == _level(point.value):
        return "*"
    low, high = map(_level, point.interval or (point.value, point.value))
    return ":" if low <= level <= high else " "


def _level(value: float) -> int:
    return floor(value * _ROWS + 0.5)


def _points(curve: object) -> list[_Point]:
    return [
        _Point(k, value)
        if row is None
        else _Point(k, value, (float(row["low"]), float(row["high"])), float(row["pass_at_k"]))
        for k, value, row in curve_of(curve, "curve_text")
    ]


def _numbers(
    points: Sequence[_Point], shown: Callable[[float], str]
) -> list[tuple[str, list[str]]]:
    """Return the table below the picture: a label and a number for each point."""
    rows = [
        ("k", [fit(point.k, _WIDEST_K) for point in points]),
        ("pass^k", [shown(point.value) for point in points]),
    ]
    if any(point.interval for point in points):
        intervals = [point.interval or (point.value, point.value) for point in points]
        rows.append(("low", [shown(low) for low, _ in intervals]))
        rows.append(("high", [shown(high) for _, high in intervals]))
    chances = [point.at_least_once for point in points if point.at_least_once is not None]
    if chances:
        rows.append(("pass@k", [shown(chance) for chance in chances]))
    return rows


def _cell(rows: Iterable[tuple[str, Sequence[str]]]) -> int:
    """Return how many columns a point takes, so that two blanks are between any two numbers."""
    return max(_LEAST_CELL, *(len(number) + 2 for _, numbers in rows for number in numbers))


def _rate(value: float) -> str:
    return rate(value).replace("below ", "<").replace("above ", ">")


def _short_rate(value: float) -> str:
    """Return `_rate` in four characters, for curves of many points."""
    text = _rate(value)
    if len(text) <= 4:
        return text
    return "<.01" if value < 0.5 else ">.99"


def _thinned(points: Sequence[_Point], most: int) -> Sequence[_Point]:
    """Return at most `most` of the points, evenly spread, with the first and the last."""
    if len(points) <= most:
        return points
    last = len(points) - 1
    return [points[place * last // (most - 1)] for place in range(most)]
