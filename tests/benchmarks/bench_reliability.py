"""Reliability: the curve of many tasks against counting alone, and the exact tests at full size."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator

from timing import Row, medians, show

from agenteval.reliability import compare, reliability_curve, reliability_table

Outcomes = dict[int, list[bool]]


def make_outcomes(
    tasks: int, repeats: Callable[[random.Random], int], seed: int, rate: float | None = None
) -> Outcomes:
    """Make outcomes whose pass rate is `rate`, or the task's own, the same for every seed."""
    own, rng = random.Random(0), random.Random(seed)
    outcomes = {}
    for task in range(tasks):
        likely = own.random() if rate is None else rate
        outcomes[task] = [rng.random() < likely for _ in range(repeats(rng))]
    return outcomes


def rows() -> Iterator[Row]:
    many = make_outcomes(100_000, lambda rng: 8, seed=1, rate=0.8)

    def count() -> Counter[tuple[int, int]]:
        """Count as little as pass^k of all subsets can do with, and check nothing."""
        return Counter([(len(runs), runs.count(True)) for runs in many.values()])

    floor, first, subsets, table = medians(
        count,
        lambda: reliability_curve(many),
        lambda: reliability_curve(many, estimator="subsets"),
        lambda: reliability_table(many),
        scale=1e3,
    )
    work = "of 100,000 tasks x 8"
    yield Row(f"pass^1..8 {work}, first", first, "ms", floor, "50 ms at a floor of 22 ms")
    yield Row(f"pass^1..8 {work}, subsets", subsets, "ms", floor, "50 ms at a floor of 22 ms")
    yield Row(f"reliability table {work}", table, "ms", floor)

    for title, tasks, repeats, at_most in [
        ("5,000 tasks x 8", 5_000, lambda rng: 8, "2,000 ms"),
        ("5,000 tasks, 7 or 8 repeats", 5_000, lambda rng: rng.choice([7, 8]), ""),
        ("1,000 tasks, 5 to 8 repeats", 1_000, lambda rng: rng.randint(5, 8), ""),
    ]:
        old, new = (make_outcomes(tasks, repeats, seed) for seed in (1, 2))
        (taken,) = medians(lambda old=old, new=new: compare(old, new), rounds=3, scale=1e3)
        yield Row(f"compare {title}, exact p-values", taken, "ms", None, at_most)


if __name__ == "__main__":
    show(rows())
