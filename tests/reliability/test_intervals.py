"""Intervals, against published figures, their defining equation and populations made up for it."""

from __future__ import annotations

import random
import statistics
from math import comb, sqrt
from typing import Any

import pytest

from agenteval.reliability import (
    NotEnoughRuns,
    pass_at_k,
    pass_hat_k,
    reliability_table,
    wilson_interval,
)

Outcomes = dict[Any, list[bool]]


# Computed independently: R's binom::binom.confint(method = "wilson").
@pytest.mark.parametrize(
    ("passed", "total", "low", "high"),
    [
        (8, 10, 0.490162, 0.943318),
        (10, 10, 0.722467, 1),
        (0, 10, 0, 0.277533),
        (4, 4, 0.510109, 1),
        (84, 200, 0.353736, 0.489279),
    ],
)
def test_wilson_figures(passed: int, total: int, low: float, high: float) -> None:
    assert wilson_interval(passed, total) == pytest.approx((low, high), abs=5e-7)


def test_wilson_ends_are_where_the_share_is_just_compatible() -> None:
    # An end e solves (p - e)**2 = z**2 e (1 - e) / n.
    rng = random.Random(1)
    for _ in range(300):
        total = rng.uniform(0.5, 500)
        passed = rng.uniform(0, total)
        confidence = rng.uniform(0.5, 0.999)
        z = statistics.NormalDist().inv_cdf((1 + confidence) / 2)
        low, high = wilson_interval(passed, total, confidence)
        share = passed / total
        assert 0 <= low < share < high <= 1
        for end in (low, high):
            assert abs(share - end) == pytest.approx(z * sqrt(end * (1 - end) / total))


def test_wilson_mirrors_and_narrows() -> None:
    for total in (1, 2.5, 10, 1000):
        for part in (0, 0.3, 0.5, 1):
            low, high = wilson_interval(part * total, total)
            turned = wilson_interval(total - part * total, total)
            assert (1 - high, 1 - low) == pytest.approx(turned, abs=1e-12)
            wider = wilson_interval(part * total, total, 0.99)
            assert wider[0] <= low < high <= wider[1]


@pytest.mark.parametrize("total", [1, 3, 10**6, 10**15])
def test_wilson_keeps_the_ends_of_the_scale_and_a_width(total: int) -> None:
    for confidence in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999):
        low, high = wilson_interval(0, total, confidence)
        assert low == 0 < high < 1
        low, high = wilson_interval(total, total, confidence)
        assert 0 < low < high == 1


def test_wilson_never_leaves_the_scale_by_rounding() -> None:
    rng = random.Random(4)
    for _ in range(500):
        total = rng.uniform(1, 1000)
        hardly_any = total * 10 ** -rng.uniform(8, 20)
        assert wilson_interval(hardly_any, total)[0] >= 0
        assert wilson_interval(total - hardly_any, total)[1] <= 1


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        pytest.param((1, 0), ValueError, r"total must be above 0, got 0.0; nothing", id="none"),
        pytest.param((0, -2), ValueError, r"total must be above 0, got -2.0", id="negative total"),
        pytest.param(
            (5, 4), ValueError, r"passed must be from 0 to total \(4.0\), got 5.0", id="too many"
        ),
        pytest.param((-1, 4), ValueError, r"passed must be from 0 to total", id="negative"),
        pytest.param((float("nan"), 4), ValueError, r"passed must be finite, got nan", id="nan"),
        pytest.param((1, float("inf")), ValueError, r"total must be finite, got inf", id="inf"),
        pytest.param(("3", 4), TypeError, r"passed must be a number, got str '3'", id="text"),
        pytest.param((None, 4), TypeError, r"passed must be a number, got NoneType", id="None"),
        pytest.param((1, 4, 95), ValueError, r"confidence must be between 0 and 1,.* 95", id="95"),
        pytest.param((1, 4, 1), ValueError, r"confidence must be between 0 and 1", id="certain"),
        pytest.param((1, 4, 0), ValueError, r"confidence must be between 0 and 1", id="zero"),
        pytest.param((1, 4, "95%"), TypeError, r"confidence must be a number", id="text share"),
    ],
)
def test_bad_input_to_wilson(given: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^wilson_interval: {message}"):
        wilson_interval(*given)


def interval_by_hand(runs_by_task: Outcomes, k: int) -> tuple[float, float]:
    """Follow the definition on the tasks' own values, one by one."""
    values = [comb(sum(runs), k) / comb(len(runs), k) for runs in runs_by_task.values()]
    mean, tasks = statistics.fmean(values), len(values)
    runs = sum(map(len, runs_by_task.values()))
    spread = statistics.variance(values) if tasks > 1 else 0
    like = max(tasks, min(mean * (1 - mean) / (spread / tasks), runs)) if spread else tasks
    return wilson_interval(mean * like, like)


def test_the_table_of_tau_bench_airline(airline: Outcomes) -> None:
    table = reliability_table(airline)
    assert [row["k"] for row in table] == [1, 2, 3, 4]
    assert {row["tasks"] for row in table} == {50}
    assert [row["pass_hat_k"] for row in table] == pytest.approx([0.42, 0.273, 0.22, 0.2], abs=5e-4)
    assert [row["pass_at_k"] for row in table] == pytest.approx(
        [0.42, 0.566667, 0.66, 0.72], abs=5e-7
    )
    for row in table:
        by_hand = interval_by_hand(airline, row["k"])
        assert (row["low"], row["high"]) == pytest.approx(by_hand, abs=1e-12)
    # At k = 4 every task is a yes or a no, so that the tasks alone count: 10 of 50, nearly.
    assert (table[3]["low"], table[3]["high"]) == pytest.approx(wilson_interval(10, 50), abs=2e-3)
    # At k = 1 repeats narrow the interval, but not as much as 200 independent runs would.
    width = table[0]["high"] - table[0]["low"]
    narrow, wide = wilson_interval(84, 200), wilson_interval(21, 50)
    assert narrow[1] - narrow[0] < width < wide[1] - wide[0]


def test_the_table_against_the_definition() -> None:
    rng = random.Random(2)
    for _ in range(200):
        runs = {
            task: [rng.random() < rng.choice([0.2, 0.9]) for _ in range(rng.randint(2, 7))]
            for task in range(rng.randint(1, 12))
        }
        for row in reliability_table(runs):
            assert row["pass_hat_k"] == pass_hat_k(runs, row["k"], estimator="subsets")
            assert row["pass_at_k"] == pass_at_k(runs, row["k"], estimator="subsets")
            by_hand = interval_by_hand(runs, row["k"])
            assert (row["low"], row["high"]) == pytest.approx(by_hand, abs=1e-9)
            assert 0 <= row["low"] <= row["pass_hat_k"] <= row["high"] <= 1
            assert row["low"] < row["high"]


@pytest.mark.parametrize(
    ("runs", "like"),
    [
        pytest.param({"a": [True] * 8}, (1, 1), id="one task"),
        pytest.param({"a": [True, False]}, (0.5, 1), id="one mixed task"),
        pytest.param({"a": [True] * 8, "b": [True] * 8}, (2, 2), id="all alike"),
        pytest.param({"a": [True, False], "b": [False, True]}, (1, 2), id="all alike and mixed"),
        pytest.param({"a": [True] * 4, "b": [False] * 4}, (1, 2), id="as apart as can be"),
        pytest.param(
            {"a": [True, False] * 4, "b": [True] * 5 + [False] * 3}, (9, 16), id="nearly alike"
        ),
    ],
)
def test_how_many_observations_the_tasks_come_to(runs: Outcomes, like: tuple[float, float]) -> None:
    row = reliability_table(runs, 1)[0]
    assert (row["low"], row["high"]) == pytest.approx(wilson_interval(*like))


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    # Tasks drawn from a population with rates of 0.3 to 1: pass^2 is the mean of the squares.
    rng = random.Random(3)
    truth = (1 - 0.3**3) / 3 / 0.7
    held = 0
    for _ in range(400):
        runs = {}
        for task in range(40):
            rate = rng.uniform(0.3, 1)
            runs[task] = [rng.random() < rate for _ in range(5)]
        row = reliability_table(runs, 2)[1]
        held += row["low"] <= truth <= row["high"]
    assert 0.92 <= held / 400 <= 0.99


def test_more_confidence_needs_more_room(airline: Outcomes) -> None:
    sure, unsure = (reliability_table(airline, 1, confidence=share)[0] for share in (0.99, 0.8))
    assert sure["low"] < unsure["low"] < unsure["high"] < sure["high"]


def test_bad_input_to_the_table() -> None:
    with pytest.raises(NotEnoughRuns, match=r"^reliability_table: task 'a' has 2 repeats and k is"):
        reliability_table({"a": [True, True]}, 3)
    with pytest.raises(NotEnoughRuns, match=r"^reliability_table: task 'a' has 0 repeats"):
        reliability_table({"a": []})
    with pytest.raises(ValueError, match=r"^reliability_table: max_k must be at least 1"):
        reliability_table({"a": [True]}, 0)
    with pytest.raises(ValueError, match=r"^reliability_table: confidence must be between 0 and 1"):
        reliability_table({"a": [True]}, confidence=95)
