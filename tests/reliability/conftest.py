"""Shared by the tests of reliability: published benchmark counts as outcomes."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest

Outcomes = dict[str, list[bool]]


@pytest.fixture
def from_counts() -> Callable[[Sequence[int]], Outcomes]:
    """Return outcomes in which ``counts[c]`` tasks passed c times of ``len(counts) - 1``."""

    def build(counts: Sequence[int]) -> Outcomes:
        repeats = len(counts) - 1
        rng = random.Random(0)
        outcomes = {}
        for passed, tasks in enumerate(counts):
            for number in range(tasks):
                runs = [True] * passed + [False] * (repeats - passed)
                rng.shuffle(runs)
                outcomes[f"{passed}-{number}"] = runs
        return outcomes

    return build


@pytest.fixture
def airline(from_counts: Callable[[Sequence[int]], Outcomes]) -> Outcomes:
    """tau-bench airline, gpt-4o with tool calling: 50 tasks, 4 repeats."""
    return from_counts([14, 12, 10, 4, 10])


@pytest.fixture
def retail(from_counts: Callable[[Sequence[int]], Outcomes]) -> Outcomes:
    """tau-bench retail, gpt-4o with tool calling: 115 tasks, 4 repeats."""
    return from_counts([22, 18, 9, 22, 44])
