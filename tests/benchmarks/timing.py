"""Timing for the benchmarks: medians of interleaved rounds, so that a ratio outlives noise.

Each ``bench_*.py`` beside this file defines ``rows()``, which yields a `Row` a line of the table;
``python tests/benchmarks/run.py`` prints them all, ``python tests/benchmarks/bench_x.py`` its own.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple


class Row(NamedTuple):
    """One line of the table: what was done, how long it took and what it is held against."""

    work: str
    ours: float
    unit: str
    floor: float | None = None
    at_most: str = ""


def medians(
    *works: Callable[[], object], rounds: int = 7, number: int = 1, scale: float = 1e6
) -> list[float]:
    """Return the median time of one call of each work, in microseconds, rounds interleaved."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for work, taken in zip(works, times, strict=True):
            start = time.perf_counter()
            for _ in range(number):
                work()
            taken.append((time.perf_counter() - start) / number * scale)
    return [statistics.median(taken) for taken in times]


def show(rows: Iterable[Row]) -> None:
    """Print the table."""
    print(f"{'work':<58} {'ours':>10} {'floor':>10} {'ratio':>7}  to reach")
    for row in rows:
        floor = "" if row.floor is None else f"{row.floor:.2f}"
        ratio = "" if not row.floor else f"{row.ours / row.floor:.2f}"
        ours = f"{row.ours:.2f} {row.unit}"
        print(f"{row.work:<58} {ours:>10} {floor:>10} {ratio:>7}  {row.at_most}")
