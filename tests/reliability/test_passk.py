"""pass^k and pass@k, against published figures and against every subset counted one by one."""

from __future__ import annotations

import pickle
import random
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest

from agenteval.reliability import NotEnoughRuns, pass_at_k, pass_hat_k, reliability_curve

Outcomes = dict[Any, list[bool]]

PATTERNS = [list(runs) for n in range(1, 7) for runs in product([True, False], repeat=n)]


def by_subsets(runs_by_task: Outcomes, k: int, holds: Any) -> float:
    """Average, over tasks, the share of k-subsets of the repeats for which `holds` is true."""
    shares = []
    for runs in runs_by_task.values():
        chosen = [holds(subset) for subset in combinations(runs, k)]
        shares.append(Fraction(sum(chosen), len(chosen)))
    return float(sum(shares) / len(shares))


def by_first(runs_by_task: Outcomes, k: int, holds: Any) -> float:
    """Follow the definition: the share of tasks whose first k repeats do it."""
    return sum(holds(runs[:k]) for runs in runs_by_task.values()) / len(runs_by_task)


def random_outcomes(rng: random.Random, longest: int = 6) -> Outcomes:
    return {
        task: [rng.random() < 0.7 for _ in range(rng.randint(1, longest))]
        for task in range(rng.randint(1, 9))
    }


# Published: README of the tau-bench repository, pass^1 to pass^4, three decimals.
def test_tau_bench_airline(airline: Outcomes) -> None:
    curve = reliability_curve(airline, estimator="subsets")
    assert curve == pytest.approx({1: 0.420, 2: 0.273, 3: 0.220, 4: 0.200}, abs=5e-4)
    at_least_once = [pass_at_k(airline, k, estimator="subsets") for k in range(1, 5)]
    assert at_least_once == pytest.approx([0.42, 0.566667, 0.66, 0.72], abs=5e-7)


def test_tau_bench_retail(retail: Outcomes) -> None:
    curve = reliability_curve(retail, estimator="subsets")
    assert curve == pytest.approx({1: 0.604, 2: 0.491, 3: 0.430, 4: 0.383}, abs=5e-4)


@pytest.mark.parametrize("runs", PATTERNS, ids=lambda runs: "".join("FT"[run] for run in runs))
def test_every_pattern_up_to_six_repeats(runs: list[bool]) -> None:
    for k in range(1, len(runs) + 1):
        task = {"t": runs}
        assert pass_hat_k(task, k, estimator="subsets") == by_subsets(task, k, all)
        assert pass_at_k(task, k, estimator="subsets") == by_subsets(task, k, any)
        assert pass_hat_k(task, k) == by_first(task, k, all)
        assert pass_at_k(task, k) == by_first(task, k, any)


def test_tasks_with_different_numbers_of_repeats_count_alike() -> None:
    rng = random.Random(6)
    for _ in range(300):
        runs = random_outcomes(rng)
        fewest = min(map(len, runs.values()))
        for k in range(1, fewest + 1):
            assert pass_hat_k(runs, k, estimator="subsets") == by_subsets(runs, k, all)
            assert pass_at_k(runs, k, estimator="subsets") == by_subsets(runs, k, any)
            assert pass_hat_k(runs, k) == by_first(runs, k, all)
            assert pass_at_k(runs, k) == by_first(runs, k, any)


@pytest.mark.parametrize("estimator", ["first", "subsets"])
def test_the_curve_never_rises_and_pass_at_k_never_falls(estimator: Any) -> None:
    rng = random.Random(7)
    for _ in range(300):
        runs = random_outcomes(rng, longest=12)
        curve = list(reliability_curve(runs, estimator=estimator).values())
        assert curve == sorted(curve, reverse=True)
        rising = [pass_at_k(runs, k, estimator=estimator) for k in range(1, len(curve) + 1)]
        assert rising == sorted(rising)
        assert rising[0] == curve[0]
        assert all(0 <= value <= 1 for value in [*curve, *rising])


def test_subsets_do_not_depend_on_the_order_of_the_repeats() -> None:
    rng = random.Random(8)
    for _ in range(100):
        runs = random_outcomes(rng)
        shuffled = {task: rng.sample(outcomes, len(outcomes)) for task, outcomes in runs.items()}
        assert reliability_curve(shuffled, estimator="subsets") == reliability_curve(
            runs, estimator="subsets"
        )


def test_both_estimators_are_unbiased() -> None:
    # Over all orders of the same repeats, "first" averages to "subsets".
    rng = random.Random(9)
    runs = [True, True, True, False, True, False]
    draws = [pass_hat_k({"t": rng.sample(runs, 6)}, 2) for _ in range(4000)]
    assert sum(draws) / 4000 == pytest.approx(
        pass_hat_k({"t": runs}, 2, estimator="subsets"), abs=0.03
    )


def test_the_first_repeats_are_the_first_ones() -> None:
    runs = {"a": [True, True, False], "b": [True, False, True]}
    assert pass_hat_k(runs, 2) == 0.5
    assert pass_at_k({"a": [False, True]}, 1) == 0
    assert pass_hat_k(runs, 2, estimator="subsets") == 1 / 3


@pytest.mark.parametrize(
    ("repeats", "max_k", "last"),
    [
        pytest.param([3, 5], None, 3, id="to the fewest repeats"),
        pytest.param([20, 12], None, 8, id="to eight"),
        pytest.param([20, 12], 12, 12, id="further when asked"),
        pytest.param([20, 12], 2, 2, id="less far when asked"),
        pytest.param([1], None, 1, id="one repeat"),
    ],
)
def test_how_far_the_curve_goes(repeats: list[int], max_k: int | None, last: int) -> None:
    runs = {task: [True] * count for task, count in enumerate(repeats)}
    assert reliability_curve(runs, max_k) == dict.fromkeys(range(1, last + 1), 1.0)


def test_large_numbers_of_repeats_stay_exact() -> None:
    runs = {"a": [True] * 3000 + [False], "b": [True] * 2000}
    share = (Fraction(3001 - 500, 3001) + 1) / 2
    assert pass_hat_k(runs, 500, estimator="subsets") == float(share)


@pytest.mark.parametrize("estimator", ["first", "subsets"])
@pytest.mark.parametrize("measure", [pass_hat_k, pass_at_k, reliability_curve])
def test_k_above_the_repeats_is_an_error(measure: Any, estimator: Any) -> None:
    runs = {"a": [True] * 5, "b": [True] * 3, "c": [False] * 2, "d": [False] * 2}
    message = (
        rf"^{measure.__name__}: task 'c' has 2 repeats and k is 4 \(and 2 more tasks fall short\); "
        r"run it more often, or use a k of at most 2$"
    )
    with pytest.raises(NotEnoughRuns, match=message) as caught:
        measure(runs, 4, estimator=estimator)
    error = caught.value
    assert isinstance(error, ValueError)
    assert (error.where, error.task, error.repeats) == (measure.__name__, "c", 2)
    assert (error.k, error.others) == (4, 2)


def test_not_enough_runs_counts_in_words_that_fit() -> None:
    with pytest.raises(NotEnoughRuns, match=r"'a' has 1 repeat and k is 2; run it more often, or"):
        pass_hat_k({"a": [True], "b": [True] * 2}, 2)
    with pytest.raises(NotEnoughRuns, match=r"\(and 1 more task falls short\)"):
        pass_hat_k({"a": [True], "b": [True]}, 2)
    with pytest.raises(NotEnoughRuns, match=r"task 'a' has 0 repeats and k is 1; .* leave it out$"):
        reliability_curve({"a": [], "b": [True]})


def test_not_enough_runs_survives_pickling() -> None:
    with pytest.raises(NotEnoughRuns) as caught:
        pass_hat_k({("a", 1): [True], "b": []}, 3)
    loaded = pickle.loads(pickle.dumps(caught.value))
    assert type(loaded) is NotEnoughRuns
    assert str(loaded) == str(caught.value)
    assert vars(loaded) == vars(caught.value)


@pytest.mark.parametrize("measure", [pass_hat_k, pass_at_k])
@pytest.mark.parametrize(
    ("k", "error", "message"),
    [
        pytest.param(0, ValueError, "k must be at least 1, got 0", id="zero"),
        pytest.param(-3, ValueError, "k must be at least 1, got -3", id="negative"),
        pytest.param(2.0, TypeError, "k must be a whole number, got float 2.0", id="float"),
        pytest.param("2", TypeError, "k must be a whole number, got str '2'", id="text"),
        pytest.param(None, TypeError, "k must be a whole number, got NoneType None", id="None"),
        pytest.param(True, TypeError, "k must be a whole number, got bool True", id="bool"),
    ],
)
def test_a_bad_k(measure: Any, k: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{measure.__name__}: {message}"):
        measure({"a": [True, True, True]}, k)


def test_a_bad_max_k() -> None:
    with pytest.raises(ValueError, match=r"^reliability_curve: max_k must be at least 1, got 0"):
        reliability_curve({"a": [True]}, 0)
    with pytest.raises(TypeError, match=r"^reliability_curve: max_k must be a whole number"):
        reliability_curve({"a": [True]}, "all")  # type: ignore[arg-type]  # the slip under test


@pytest.mark.parametrize("estimator", ["frist", None, ["first"]])
def test_an_unknown_estimator_is_named_with_the_choices(estimator: Any) -> None:
    with pytest.raises(ValueError, match=r"unknown estimator .*; use one of 'first', 'subsets'"):
        pass_hat_k({"a": [True]}, 1, estimator=estimator)


def test_a_misspelled_estimator_is_told_its_neighbor() -> None:
    with pytest.raises(ValueError, match=r"\(did you mean 'subsets'\?\)"):
        pass_at_k({"a": [True]}, 1, estimator="subset")  # type: ignore[arg-type]  # the slip under test
