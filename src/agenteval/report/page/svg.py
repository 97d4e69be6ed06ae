"""Charts as inline SVG: a reliability curve with its interval band, and a histogram.

A chart is drawn for the width of a phone and scales from there. It says what it shows in words, in
``<title>`` and ``<desc>``, carries no color of its own but ``currentColor``, so that it can be read
without a style sheet and on any background, and tells its lines apart by shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil, floor, isfinite, log10
from typing import Any

from agenteval.measures.distributions import Bin
from agenteval.records import ReliabilityRow
from agenteval.report.formatting import number, plural, rate
from agenteval.report.page.text import escaped

__all__ = ["curve_svg", "histogram_svg", "ticks"]

WIDTH = 360
HEIGHT = 220
LEFT, RIGHT, TOP, BOTTOM = 34, 268, 12, 184
LABEL_GAP = 13
"""The edges of a curve's plot; the labels of its lines stand to the right of it."""

Point = tuple[float, float]


def curve_svg(table: Sequence[ReliabilityRow], *, baseline: Sequence[ReliabilityRow] = ()) -> str:
    """Draw pass^k with its interval band and pass@k over k, and a baseline's pass^k beside them.

    Args:
        table: The rows of `agenteval.reliability_table`, at least one.
        baseline: The rows of the version to compare with, or none.

    Returns:
        One ``<svg>`` element.
    """
    last = max(row["k"] for row in (*table, *baseline))
    first = min(row["k"] for row in (*table, *baseline))

    def at(k: int, value: float) -> Point:
        share = 0.5 if last == first else (k - first) / (last - first)
        return LEFT + 8 + share * (RIGHT - LEFT - 16), BOTTOM - value * (BOTTOM - TOP)

    parts = [_y_grid(at), _k_axis(sorted({row["k"] for row in (*table, *baseline)}), at)]
    low = [at(row["k"], row["low"]) for row in table]
    high = [at(row["k"], row["high"]) for row in table]
    parts.append(_band(low, high))
    lines = [("pass^k", "line", "pass_hat_k", table), ("pass@k", "at", "pass_at_k", table)]
    if baseline:
        lines.insert(1, ("baseline", "old", "pass_hat_k", baseline))
    labels = []
    for label, kind, key, rows in lines:
        values: list[Mapping[str, Any]] = [*rows]
        points = [at(row["k"], row[key]) for row in values]
        parts.append(_line(points, kind))
        labels.append((points[-1][1], f"{label} {rate(values[-1][key])}", kind))
    if len(table) == 1 and not baseline:  # pass^k and pass@k are one number here
        labels = labels[:1]
    parts += _line_labels(labels)
    return _svg(
        "Reliability curve: pass^k over the number of repeats k",
        _curve_in_words(table, baseline),
        "curve",
        parts,
    )


def _curve_in_words(table: Sequence[ReliabilityRow], baseline: Sequence[ReliabilityRow]) -> str:
    said = [
        f"k {row['k']}: pass^k {rate(row['pass_hat_k'])} "
        f"({rate(row['low'])} to {rate(row['high'])}), pass@k {rate(row['pass_at_k'])}"
        for row in table
    ]
    said += [f"baseline k {row['k']}: pass^k {rate(row['pass_hat_k'])}" for row in baseline]
    return "; ".join(said) + "."


def _y_grid(at: Any) -> str:
    drawn = []
    for value in (0, 0.25, 0.5, 0.75, 1):
        y = at(0, value)[1]
        drawn.append(
            f'<path class="c-grid" d="M{LEFT} {_n(y)}H{RIGHT}" stroke="currentColor" '
            f'stroke-opacity="{0.5 if value == 0 else 0.15}"/>'
            f'<text class="c-tick" x="{LEFT - 6}" y="{_n(y + 4)}" '
            f'text-anchor="end">{value:g}</text>'
        )
    return "".join(drawn)


def _k_axis(ks: Sequence[int], at: Any) -> str:
    every = ceil(len(ks) / 10)
    marks = "".join(
        f'<text class="c-tick" x="{_n(at(k, 0)[0])}" y="{BOTTOM + 16}" '
        f'text-anchor="middle">{k}</text>'
        for k in ks[::every]
    )
    middle = _n((LEFT + RIGHT) / 2)
    return (
        f'{marks}<text class="c-axis" x="{middle}" y="{BOTTOM + 32}" text-anchor="middle">'
        "k, repeats that all have to pass</text>"
    )


def _band(low: Sequence[Point], high: Sequence[Point]) -> str:
    if len(low) == 1:  # one k has no area to fill: an error bar
        (x, bottom), (_, top) = low[0], high[0]
        return (
            f'<path class="c-bar" d="M{_n(x - 5)} {_n(top)}h10m-5 0V{_n(bottom)}m-5 0h10" '
            'fill="none" stroke="currentColor" stroke-opacity="0.6"/>'
        )
    around = " ".join(f"{_n(x)},{_n(y)}" for x, y in (*high, *reversed(low)))
    return f'<polygon class="c-band" points="{around}" fill="currentColor" fill-opacity="0.12"/>'


def _line(points: Sequence[Point], kind: str) -> str:
    path = "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in points)
    dash = {"line": "", "old": ' stroke-dasharray="7 4"', "at": ' stroke-dasharray="1.5 3.5"'}[kind]
    marks = "".join(_mark(x, y, kind) for x, y in points)
    return (
        f'<path class="c-{kind}" d="{path}" fill="none" stroke="currentColor" '
        f'stroke-width="{2.25 if kind == "line" else 1.5}"{dash}/>{marks}'
    )


def _mark(x: float, y: float, kind: str) -> str:
    hollow = 'fill="none" stroke="currentColor"'
    shape = {
        "line": f'circle cx="{_n(x)}" cy="{_n(y)}" r="3.5" fill="currentColor"',
        "old": f'path d="M{_n(x)} {_n(y - 4)}l4 4-4 4-4-4z" {hollow}',
        "at": f'circle cx="{_n(x)}" cy="{_n(y)}" r="2.5" {hollow}',
    }[kind]
    return f'<{shape} class="c-{kind} c-dot"/>'


def _line_labels(labels: Iterable[tuple[float, str, str]]) -> list[str]:
    """Set the lines' names beside their last points, pushed apart where they would touch."""
    ordered = sorted(labels)
    heights: list[float] = []
    for y, _, _ in ordered:
        heights.append(max(y, heights[-1] + LABEL_GAP) if heights else y)
    limit: float = BOTTOM
    for place in reversed(range(len(heights))):
        heights[place] = min(heights[place], limit)
        limit = heights[place] - LABEL_GAP
    return [
        f'<text class="c-{kind} c-name" x="{RIGHT + 2}" y="{_n(y + 4)}">{escaped(text)}</text>'
        for y, (_, text, kind) in zip(heights, ordered, strict=True)
    ]


def histogram_svg(
    bins: Sequence[Bin],
    *,
    title: str,
    axis: str,
    marks: Iterable[tuple[str, float]] = (),
    show: Callable[[float], str] = number,
) -> str:
    """Draw how often each value occurs.

    Args:
        bins: The ``histogram`` of a distribution of `agenteval.measures`, at least one bin.
        title: What is counted.
        axis: What stands under the horizontal axis.
        marks: Names and values to point out with a line, such as ``("p90", 9)``.
        show: How to write a value of the horizontal axis.

    Returns:
        One ``<svg>`` element.
    """
    left, right, top = LEFT, WIDTH - 10, TOP + 22
    # A bin that holds one whole number stands with its middle over that number.
    shift = 0.5 if _one_number_each(bins) else 0.0
    low, high = bins[0]["low"], bins[-1]["high"]
    most = max(one["count"] for one in bins)

    def across(value: float) -> float:
        return left + (value - low) / (high - low) * (right - left)

    parts = []
    for value in ticks(0, most, 4):
        if value == int(value):
            y = BOTTOM - value / most * (BOTTOM - top)
            parts.append(
                f'<path class="c-grid" d="M{left} {_n(y)}H{right}" stroke="currentColor" '
                f'stroke-opacity="{0.5 if value == 0 else 0.15}"/><text class="c-tick" '
                f'x="{left - 6}" y="{_n(y + 4)}" text-anchor="end">{number(value)}</text>'
            )
    for one in bins:
        if one["count"]:
            tall = one["count"] / most * (BOTTOM - top)
            x, width, y = _bar(across(one["low"]), across(one["high"]), tall)
            parts.append(
                f'<rect class="c-bar" x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" '
                f'height="{_n(BOTTOM - y)}" fill="currentColor" fill-opacity="0.55"/>'
            )
    written = {show(value): value for value in ticks(low, high - 2 * shift, 6)}
    parts += [
        f'<text class="c-tick" x="{_n(across(value + shift))}" y="{BOTTOM + 16}" '
        f'text-anchor="middle">{escaped(text)}</text>'
        for text, value in written.items()
        if not shift or value == int(value)
    ]
    parts.append(
        f'<text class="c-axis" x="{left - 6}" y="{TOP}" text-anchor="end">runs</text>'
        f'<text class="c-axis" x="{_n((left + right) / 2)}" y="{BOTTOM + 32}" '
        f'text-anchor="middle">{escaped(axis)}</text>'
    )
    parts += _pointed_out(
        [(name, across(value + shift), show(value)) for name, value in marks], right
    )
    return _svg(title, _bins_in_words(bins, show), "histogram", parts)


def _bar(left: float, right: float, height: float) -> tuple[float, float, float]:
    """Return x, width and y of a bar: apart from its neighbors, thick enough to see, not a slab."""
    gap = 1.0 if right - left > 4 else 0.0
    width = min(max(right - left - gap, 1.5), 40.0)
    return (left + right - width) / 2, width, BOTTOM - max(height, 1.5)


def _pointed_out(marks: Sequence[tuple[str, float, str]], right: float) -> list[str]:
    drawn = []
    taken = float("-inf")  # where the last label ends: one that would touch it stands higher
    for name, x, value in sorted(marks, key=lambda mark: mark[1]):
        text = f"{name} {value}"
        width = 6.5 * len(text)
        fits = x + 3 + width <= right + 8
        start = x + 3 if fits else x - 3 - width
        y = TOP + 12 if start > taken else TOP
        taken = start + width + 4
        drawn.append(
            f'<path class="c-mark" d="M{_n(x)} {BOTTOM}V{_n(y - 8)}" stroke="currentColor" '
            f'stroke-dasharray="2 3"/><text class="c-name" x="{_n(x + (3 if fits else -3))}" '
            f'y="{_n(y)}" text-anchor="{"start" if fits else "end"}">{escaped(text)}</text>'
        )
    return drawn


def _one_number_each(bins: Sequence[Bin]) -> bool:
    return all(isinstance(one["low"], int) and one["high"] - one["low"] == 1 for one in bins)


def _bins_in_words(bins: Sequence[Bin], show: Callable[[float], str]) -> str:
    single = _one_number_each(bins)
    return (
        "; ".join(
            f"{show(one['low'])}{'' if single else ' up to ' + show(one['high'])}: "
            f"{plural(one['count'], 'run')}"
            for one in bins
            if one["count"]
        )
        + "."
    )


def ticks(low: float, high: float, about: int) -> list[float]:
    """Return about that many round values from `low` to `high`: 1, 2 or 5 times a power of 10.

    >>> ticks(0, 37, 4), ticks(0.0, 0.3, 3), ticks(5, 5, 4)
    ([0, 10, 20, 30], [0.0, 0.1, 0.2, 0.3], [5])
    """
    if not (isfinite(low) and isfinite(high)) or high <= low:
        return [low]
    rough = (high - low) / about
    power = 10.0 ** floor(log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    digits = max(0, -floor(log10(step)))
    whole = [round(place * step, digits) for place in range(first, last + 1)]
    return [int(value) for value in whole] if isinstance(low, int) and step >= 1 else whole


def _n(value: float) -> str:
    """Write a coordinate with a tenth of a unit, which is finer than any screen shows."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


def _svg(title: str, desc: str, kind: str, parts: Iterable[str]) -> str:
    return (
        f'<svg class="chart {kind}" role="img" aria-label="{escaped(title)}" '
        f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" font-family="system-ui, sans-serif" font-size="11" '
        f'fill="currentColor"><title>{escaped(title)}</title><desc>{escaped(desc)}</desc>'
        f"{''.join(parts)}</svg>\n"
    )
