"""Flaky tasks, and how much has to be run: against enumeration and against simulation."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import Any

import pytest

from agenteval.reliability import (
    chance_of_flip,
    compare,
    flaky_tasks,
    repeats_needed,
    smallest_difference,
    tasks_needed,
    wilson_interval,
)


def test_flaky_tasks_are_the_mixed_ones_worst_first() -> None:
    runs = {
        "steady": [True] * 4,
        "mostly": [True, False, True, True],
        "seldom": [False, False, False, True],
        "broken": [False] * 4,
        "also mostly": [1, 1, 1, 0],
        "never run": [],
    }
    found = flaky_tasks(runs)
    assert list(found.items()) == [("seldom", 0.25), ("mostly", 0.75), ("also mostly", 0.75)]


@pytest.mark.parametrize(("repeats", "chance"), [(1, 0), (2, 0.18), (4, 0.3438), (8, 0.569533)])
def test_the_chance_to_see_a_flip(repeats: int, chance: float) -> None:
    assert chance_of_flip(0.9, repeats) == pytest.approx(chance, abs=5e-7)


def test_the_chance_to_see_a_flip_over_every_pattern() -> None:
    for rate in (0, 0.1, 0.5, 0.75, 1):
        for repeats in range(1, 8):
            mixed = [runs for runs in product([0, 1], repeat=repeats) if 0 < sum(runs) < repeats]
            chance = sum(prod(rate if run else 1 - rate for run in runs) for runs in mixed)
            assert chance_of_flip(rate, repeats) == pytest.approx(chance, abs=1e-12)


def test_the_chance_to_see_a_flip_keeps_its_digits_for_rare_failures() -> None:
    for rate in (1e-9, 3e-8, 1 - 1e-9, 1 - 3e-8):
        for repeats in (2, 7, 1000):
            exact = 1 - Fraction(rate) ** repeats - (1 - Fraction(rate)) ** repeats
            assert chance_of_flip(rate, repeats) == pytest.approx(float(exact), rel=1e-12, abs=0)


# 0.9 needs 29 and 0.95 needs 59 by the usual tables; pass^8 of 0.9 is eight attempts' worth.
@pytest.mark.parametrize(
    ("claim", "k", "confidence", "needed"),
    [
        pytest.param(0.9, 1, 0.95, 29, id="0.9"),
        pytest.param(0.95, 1, 0.95, 59, id="0.95"),
        pytest.param(0.99, 1, 0.95, 299, id="0.99"),
        pytest.param(0.9, 8, 0.95, 228, id="pass^8 of 0.9"),
        pytest.param(0.5, 1, 0.5, 1, id="a coin, half sure"),
        pytest.param(0.5, 1, 0.75, 2, id="two coins exactly"),
        pytest.param(0.1, 1, 0.9, 1, id="exactly one"),
        pytest.param(0.1, 3, 0.9, 3, id="exactly three"),
        pytest.param(0.001, 1, 0.5, 1, id="at least one"),
        pytest.param(0.5, 1, 5e-324, 1, id="at least one, however little sure"),
        # 1000 ln(0.01) / ln(0.99984) is 28,780,011.016
        pytest.param(0.99984, 1000, 0.99, 28_780_012, id="a hundredth of a pass, of millions"),
    ],
)
def test_straight_passes_to_a_claim(claim: float, k: int, confidence: float, needed: int) -> None:
    assert repeats_needed(claim, k, confidence=confidence) == needed


def test_straight_passes_are_the_fewest_that_will_do() -> None:
    rng = random.Random(1)
    for _ in range(300):
        claim, confidence, k = rng.uniform(0.05, 0.98), rng.uniform(0.5, 0.99), rng.randint(1, 8)
        passes = 1
        while claim ** (passes / k) > 1 - confidence:
            passes += 1
        assert repeats_needed(claim, k, confidence=confidence) == passes


def test_tasks_and_difference_are_one_formula() -> None:
    rng = random.Random(2)
    for _ in range(300):
        settings = {
            "repeats": rng.randint(1, 8),
            "pass_rate": rng.uniform(0.05, 0.95),
            "task_spread": rng.uniform(0, 0.4),
            "confidence": rng.uniform(0.8, 0.99),
            "power": rng.uniform(0.5, 0.95),
        }
        wanted = rng.uniform(0.02, 0.2)
        tasks = tasks_needed(wanted, **settings)
        assert smallest_difference(tasks, **settings) <= wanted * (1 + 1e-8)
        if tasks > 20:
            assert smallest_difference(tasks - 1, **settings) > wanted


@pytest.mark.parametrize(
    ("tasks", "repeats", "settings", "difference"),
    [
        # (1.959964 + 0.841621) * sqrt(v / (T - 1.959964**2)), v = w**2 + 2 p (1 - p) / K
        pytest.param(50, 4, {}, 2.801585 * (0.5 / 4 / 46.158541) ** 0.5, id="as given"),
        pytest.param(
            50,
            4,
            {"task_spread": 0.2},
            2.801585 * ((0.04 + 0.125) / 46.158541) ** 0.5,
            id="by task",
        ),
        pytest.param(
            100, 1, {"pass_rate": 0.9}, 2.801585 * (0.18 / 96.158541) ** 0.5, id="mostly passing"
        ),
        pytest.param(
            100,
            1,
            {"confidence": 0.99, "power": 0.9},
            (2.575829 + 1.281552) * (0.5 / 93.365103) ** 0.5,
            id="sure",
        ),
        # 1 - (1 - q)**(1 / K) where SciPy's betaincinv(6, T - 5, power) gives q
        pytest.param(100, 3, {"pass_rate": 1}, 0.026675619643779624, id="six changes at least"),
        pytest.param(
            12, 1, {"pass_rate": 1, "power": 0.9}, 0.6377240386371892, id="half of twelve change"
        ),
    ],
)
def test_the_smallest_difference(
    tasks: int, repeats: int, settings: dict[str, Any], difference: float
) -> None:
    found = smallest_difference(tasks, repeats, **settings)
    assert found == pytest.approx(difference, rel=1e-6)


def test_more_repeats_do_not_help_where_the_versions_differ_by_task() -> None:
    few, many = (smallest_difference(50, repeats, task_spread=0.3) for repeats in (8, 8000))
    assert few / 1.4 < many < few


@pytest.mark.parametrize(
    ("tasks", "repeats", "runs", "most"),
    [
        pytest.param(6, 4, 400, 0.93, id="6x4"),
        pytest.param(10, 2, 400, 0.95, id="10x2"),
        pytest.param(10, 4, 400, 0.93, id="10x4"),
        pytest.param(20, 4, 300, 0.88, id="20x4"),
        pytest.param(50, 4, 200, 0.88, id="50x4"),
        pytest.param(50, 1, 200, 0.88, id="50x1"),
    ],
)
def test_the_smallest_difference_is_found_as_often_as_it_says(
    tasks: int, repeats: int, runs: int, most: float
) -> None:
    rng = random.Random(3)
    shift = smallest_difference(tasks, repeats)
    found = 0
    for _ in range(runs):
        old, new = (
            {task: [rng.random() < rate for _ in range(repeats)] for task in range(tasks)}
            for rate in (0.5 - shift / 2, 0.5 + shift / 2)
        )
        found += compare(old, new)["p_value"] <= 0.05
    assert 0.72 <= found / runs <= most


@pytest.mark.parametrize("confidence", [0.5, 0.75, 0.8, 0.875, 0.9, 0.95, 0.99, 0.999])
def test_the_fewest_tasks_that_can_show_anything(confidence: float) -> None:
    def smallest_p(tasks: int) -> float:
        return compare(dict.fromkeys(range(tasks), 1), dict.fromkeys(range(tasks), 0))["p_value"]

    fewest = 1
    while smallest_p(fewest) > 1 - confidence + 1e-12:
        fewest += 1
    assert tasks_needed(1, repeats=1000, confidence=confidence) == fewest
    assert smallest_difference(fewest, 1000, confidence=confidence) < 0.3
    with pytest.raises(ValueError, match=rf"use at least {fewest} tasks"):
        smallest_difference(fewest - 1, 1000, confidence=confidence)


def test_so_many_tasks_have_to_change_at_least() -> None:
    # Of 40 tasks with 5 repeats, all sure to pass, 6 tasks have to fail once to give p <= 0.05.
    tasks, repeats = 40, 5
    old = {task: [True] * repeats for task in range(tasks)}
    for changed, shown in [(5, False), (6, True)]:
        new = old | {task: [True] * 4 + [False] for task in range(changed)}
        assert (compare(old, new)["p_value"] <= 0.05) is shown
    least = smallest_difference(tasks, repeats, pass_rate=1)
    failing = 1 - (1 - least) ** repeats  # the chance that a task does not pass every time
    six = sum(
        comb(tasks, count) * failing**count * (1 - failing) ** (tasks - count)
        for count in range(6, tasks + 1)
    )
    assert six == pytest.approx(0.8)
    assert tasks_needed(least, repeats, pass_rate=1) == tasks


@pytest.mark.parametrize(
    ("tasks", "repeats", "pass_rate"),
    [
        pytest.param(30, 1, 0.95, id="30x1 at 0.95"),
        pytest.param(12, 1, 0.9, id="12x1 at 0.9"),
        pytest.param(20, 4, 0.98, id="20x4 at 0.98"),
        pytest.param(50, 4, 0.99, id="50x4 at 0.99"),
        pytest.param(tasks_needed(0.1, pass_rate=1.0), 1, 1.0, id="as many as needed for 0.1"),
    ],
)
def test_the_smallest_difference_is_found_where_nearly_all_tasks_pass(
    tasks: int, repeats: int, pass_rate: float
) -> None:
    rng = random.Random(4)
    shift = smallest_difference(tasks, repeats, pass_rate=pass_rate)
    best = min(1.0, pass_rate + shift / 2)
    found = 0
    for _ in range(300):
        old, new = (
            {task: [rng.random() < rate for _ in range(repeats)] for task in range(tasks)}
            for rate in (best, best - shift)
        )
        found += compare(old, new)["p_value"] <= 0.05
    assert 0.72 <= found / 300 <= 0.88


def test_an_evaluation_too_small_to_show_anything_says_so() -> None:
    message = (
        r"^smallest_difference: 5 tasks cannot show any difference with a confidence of 0.95, "
        r"however often they are repeated; use at least 6 tasks"
    )
    with pytest.raises(ValueError, match=message):
        smallest_difference(5, 100)
    message = r"6 tasks with 1 repeats cannot show any .* power of 0.8: .* be 2.34; use more tasks"
    with pytest.raises(ValueError, match=message):
        smallest_difference(6, task_spread=1)
    with pytest.raises(ValueError, match=r"7 tasks with 1 repeats cannot show any .* be 1.11; use"):
        smallest_difference(7)
    assert 0.9 < smallest_difference(8) < 1


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        pytest.param(
            lambda: chance_of_flip(1.5, 2),
            ValueError,
            r"chance_of_flip: pass_rate must be from 0 to 1, got 1.5",
            id="rate above 1",
        ),
        pytest.param(
            lambda: chance_of_flip(0.5, 0),
            ValueError,
            r"chance_of_flip: repeats must be at least 1, got 0",
            id="no repeats",
        ),
        pytest.param(
            lambda: chance_of_flip("high", 2),
            TypeError,
            r"chance_of_flip: pass_rate must be a number, got str 'high'",
            id="text rate",
        ),
        pytest.param(
            lambda: repeats_needed(1),
            ValueError,
            r"repeats_needed: pass_hat_k must be between 0 and 1, without the two, got 1",
            id="claim of certainty",
        ),
        pytest.param(
            lambda: repeats_needed(0.9, k=0),
            ValueError,
            r"repeats_needed: k must be at least 1, got 0",
            id="k of zero",
        ),
        pytest.param(
            lambda: repeats_needed(0.9, confidence=95),
            ValueError,
            r"repeats_needed: confidence must be between 0 and 1",
            id="95 for 0.95",
        ),
        pytest.param(
            lambda: tasks_needed(0),
            ValueError,
            r"tasks_needed: difference must be above 0 and at most 1, got 0.0",
            id="no difference",
        ),
        pytest.param(
            lambda: tasks_needed(1.5),
            ValueError,
            r"tasks_needed: difference must be above 0 and at most 1, got 1.5",
            id="more than all",
        ),
        pytest.param(
            lambda: tasks_needed(0.1, repeats=2.5),
            TypeError,
            r"tasks_needed: repeats must be a whole number, got float 2.5",
            id="half a repeat",
        ),
        pytest.param(
            lambda: tasks_needed(0.1, task_spread=-1),
            ValueError,
            r"tasks_needed: task_spread must be from 0 to 1, got -1",
            id="negative spread",
        ),
        pytest.param(
            lambda: smallest_difference(50, power=1),
            ValueError,
            r"smallest_difference: power must be between 0 and 1",
            id="never missed",
        ),
        pytest.param(
            lambda: smallest_difference("many"),
            TypeError,
            r"smallest_difference: tasks must be a whole number, got str 'many'",
            id="text count",
        ),
    ],
)
def test_bad_input(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        call()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        pytest.param(lambda: tasks_needed(1e-300), "tasks_needed: difference must be", id="tiny"),
        pytest.param(lambda: repeats_needed(0.9, 10**400), "repeats_needed: k must be", id="huge"),
        pytest.param(lambda: repeats_needed(1 - 1e-16), "more than anybody can run", id="sure"),
        pytest.param(
            lambda: smallest_difference(10**400),
            r"^smallest_difference: tasks must be at most 1e\+15, got 10000",
            id="tasks",
        ),
        pytest.param(
            lambda: smallest_difference(50, 10**400),
            r"^smallest_difference: repeats must be at most 1e\+15, got 10000",
            id="repeats",
        ),
        pytest.param(
            lambda: tasks_needed(0.1, 10**400),
            r"^tasks_needed: repeats must be at most 1e\+15, got 10000",
            id="repeats of tasks",
        ),
        pytest.param(
            lambda: chance_of_flip(0.9, 10**400),
            r"^chance_of_flip: repeats must be at most 1e\+15, got 10000",
            id="flips",
        ),
        pytest.param(
            lambda: tasks_needed(10**400),
            "^tasks_needed: difference must be a number that a float can hold, got 10000",
            id="difference",
        ),
        pytest.param(
            lambda: wilson_interval(1, 10**400),
            "^wilson_interval: total must be a number that a float can hold, got 10000",
            id="total",
        ),
    ],
)
def test_what_nobody_can_run_is_refused(ask: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ask()
