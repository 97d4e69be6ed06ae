"""Percentiles and histograms, held against the standard library and against brute force."""

from __future__ import annotations

import itertools
import json
import math
import random
import statistics

import pytest

from agenteval.measures.distributions import distribution, percentile

# By Hyndman and Fan's definition 7: position (n - 1) p from 0, then the straight line.
BY_HAND = [
    pytest.param([4], 90, 4, id="one-value"),
    pytest.param([1, 2, 3, 4, 19], 90, 13.0, id="between-the-last-two"),
    pytest.param([1, 2, 3, 4, 19], 50, 3, id="median-of-an-odd-number"),
    pytest.param([1, 2, 3, 4], 50, 2.5, id="median-of-an-even-number"),
    pytest.param([1, 2, 3, 4], 0, 1, id="least"),
    pytest.param([1, 2, 3, 4], 100, 4, id="greatest"),
    pytest.param([0, 10], 95, 9.5, id="two-values"),
]


@pytest.mark.parametrize(("values", "percent", "wanted"), BY_HAND)
def test_percentile_by_hand(values: list[float], percent: float, wanted: float) -> None:
    assert percentile(values, percent) == wanted


@pytest.mark.parametrize("seed", range(20))
def test_percentiles_are_those_of_statistics(seed: int) -> None:
    rng = random.Random(seed)
    values = sorted(rng.choice([rng.random(), rng.randrange(20)]) for _ in range(2 + seed * 7))
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    for percent, wanted in enumerate(cuts, 1):
        assert percentile(values, percent) == pytest.approx(wanted, rel=1e-12, abs=0)


@pytest.mark.parametrize("seed", range(10))
def test_percentiles_stay_between_their_neighbors_and_never_fall(seed: int) -> None:
    rng = random.Random(seed)
    values = sorted(rng.choice([0.1, 0.3, 0.7, rng.random()]) for _ in range(30))
    found = [percentile(values, percent / 4) for percent in range(401)]
    assert found == sorted(found)
    assert values[0] <= found[0]
    assert found[-1] <= values[-1]


def test_equal_values_have_themselves_as_every_percentile() -> None:
    assert {percentile([0.1] * 7, percent) for percent in range(101)} == {0.1}


def test_a_distribution_says_what_it_covers() -> None:
    spread = distribution([5, 4, 19, 4], of=6)
    assert spread == {
        "count": 4,
        "of": 6,
        "min": 4,
        "p50": 4.5,
        "p90": pytest.approx(14.8),
        "p95": pytest.approx(16.9),
        "max": 19,
        "mean": 8.0,
        "histogram": spread["histogram"],
    }
    assert sum(bar["count"] for bar in spread["histogram"]) == 4


def test_nothing_known_is_none_and_not_zero() -> None:
    spread = distribution([], of=3)
    assert (spread["count"], spread["of"], spread["histogram"]) == (0, 3, [])
    assert {spread[key] for key in ("min", "p50", "p90", "p95", "max", "mean")} == {None}


def test_the_mean_is_summed_exactly() -> None:
    assert distribution([0.1] * 10, of=10)["mean"] == 0.1


def test_whole_numbers_close_together_have_a_bin_each() -> None:
    bins = distribution([4, 4, 6], of=3)["histogram"]
    assert bins == [
        {"low": 4, "high": 5, "count": 2},
        {"low": 5, "high": 6, "count": 0},
        {"low": 6, "high": 7, "count": 1},
    ]


def test_edges_are_the_decimal_numbers_that_they_look_like() -> None:
    edges = [bar["low"] for bar in distribution([0.0, 0.3, 0.7, 2.2], of=4)["histogram"]]
    assert edges == [round(edge, 1) for edge in edges]
    assert 0.3 in edges


def test_a_value_just_below_an_edge_stays_below_it() -> None:
    # Divided by the width, 2e-11, as floats, this value comes out at the edge above it.
    least = 7.9955346043799995
    bins = distribution([least, 7.9955346047799996], of=2)["histogram"]
    assert (bins[0]["low"], bins[0]["high"]) == (7.99553460436, 7.99553460438)
    assert least < 7.99553460438
    assert bins[0]["count"] == 1


SHAPES = [
    pytest.param(lambda rng: rng.randrange(10), id="few-steps"),
    pytest.param(lambda rng: rng.randrange(10_000), id="many-steps"),
    pytest.param(lambda rng: rng.random(), id="seconds"),
    pytest.param(lambda rng: rng.random() * 1e-6, id="tiny"),
    pytest.param(lambda rng: 10 ** rng.uniform(-6, 6), id="twelve-orders-of-magnitude"),
    pytest.param(lambda rng: 1e6 + rng.random() * 1e-6, id="far-from-zero"),
    pytest.param(lambda rng: rng.randrange(10) / 10, id="on-the-edges"),
    pytest.param(lambda rng: 2**60 + rng.randrange(1000), id="beyond-float-precision"),
    pytest.param(lambda rng: 0.1, id="all-equal"),
]


@pytest.mark.parametrize("draw", SHAPES)
@pytest.mark.parametrize("seed", range(15))
def test_bins_are_side_by_side_of_one_width_and_count_every_value(draw, seed: int) -> None:
    rng = random.Random(seed)
    values = [draw(rng) for _ in range(1 + seed * 3)]
    bins = distribution(values, of=len(values))["histogram"]
    assert len(bins) <= 25
    for left, right in itertools.pairwise(bins):
        assert left["high"] == right["low"]
    widths = [bar["high"] - bar["low"] for bar in bins]
    assert max(widths) == pytest.approx(min(widths), abs=4 * math.ulp(bins[-1]["high"]))
    for bar in bins:
        assert bar["count"] == sum(bar["low"] <= value < bar["high"] for value in values)
    assert sum(bar["count"] for bar in bins) == len(values)
    assert bins[0]["count"]
    assert bins[-1]["count"]
    json.dumps(bins)
