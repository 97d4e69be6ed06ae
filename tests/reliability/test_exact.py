"""The exact tests, against every choice gone through one by one."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from math import comb

import pytest

from agenteval.reliability import exact
from agenteval.reliability.exact import fisher_p, sign_flip_p


def fisher_one_by_one(old: tuple[int, int], new: tuple[int, int]) -> float:
    """Go through all ways to say which of all repeats belong to the old side."""
    runs = [1] * (old[1] + new[1]) + [0] * (old[0] - old[1] + new[0] - new[1])
    splits: dict[int, int] = {}
    for chosen in combinations(runs, old[0]):
        splits[sum(chosen)] = splits.get(sum(chosen), 0) + 1
    extreme = sum(ways for ways in splits.values() if ways <= splits[old[1]])
    return float(Fraction(extreme, sum(splits.values())))


def signs_one_by_one(differences: list[int]) -> float:
    """Go through all 2**T choices of signs."""
    seen = abs(sum(differences))
    totals = [
        abs(sum(sign * value for sign, value in zip(signs, differences, strict=True)))
        for signs in product([1, -1], repeat=len(differences))
    ]
    return float(Fraction(sum(total >= seen for total in totals), len(totals)))


SIDES = [(n, c) for n in range(1, 6) for c in range(n + 1)]


@pytest.mark.parametrize("old", SIDES, ids=lambda side: f"{side[1]}of{side[0]}")
def test_fisher_against_all_ways_to_deal_the_passes_out(old: tuple[int, int]) -> None:
    for new in SIDES:
        assert fisher_p(old, new) == fisher_one_by_one(old, new)


# Two-sided p-values of R's fisher.test for the same tables.
@pytest.mark.parametrize(
    ("old", "new", "p"),
    [
        pytest.param((3, 3), (3, 0), 0.1, id="3/3 to 0/3"),
        pytest.param((4, 4), (4, 0), 0.028571, id="4/4 to 0/4"),
        pytest.param((5, 5), (5, 0), 0.007937, id="5/5 to 0/5"),
        pytest.param((4, 4), (4, 2), 0.428571, id="4/4 to 2/4"),
        pytest.param((5, 5), (5, 2), 0.166667, id="5/5 to 2/5"),
        pytest.param((1, 1), (1, 0), 1.0, id="1/1 to 0/1"),
    ],
)
def test_fisher_figures(old: tuple[int, int], new: tuple[int, int], p: float) -> None:
    assert fisher_p(old, new) == pytest.approx(p, abs=5e-7)


def test_fisher_knows_no_direction_and_stays_a_probability() -> None:
    rng = random.Random(1)
    for _ in range(500):
        old_total, new_total = rng.randint(1, 200), rng.randint(1, 200)
        old = (old_total, rng.randint(0, old_total))
        new = (new_total, rng.randint(0, new_total))
        turned = [(total, total - passed) for total, passed in (old, new)]
        assert 0 < fisher_p(old, new) <= 1
        assert fisher_p(old, new) == fisher_p(new, old) == fisher_p(*turned)


def test_fisher_with_many_repeats_never_comes_to_zero() -> None:
    assert fisher_p((2000, 2000), (2000, 0)) > 0
    assert fisher_p((2000, 1000), (2000, 1000)) == 1


def test_sign_flip_against_all_choices_of_signs() -> None:
    rng = random.Random(2)
    for _ in range(400):
        values = [rng.randint(-12, 12) for _ in range(rng.randint(1, 9))]
        assert sign_flip_p(values, 12) == signs_one_by_one(values)


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        pytest.param([1, -1, 2, 0, 3, 1, 0, -1, 2, 1], 0.140625, id="mixed"),
        pytest.param([2, 1, 1, 2, 3, 1], 0.03125, id="one way"),
        pytest.param([-1] * 5, 0.0625, id="McNemar 5 and 0"),
        pytest.param([-1] * 8 + [1] * 2, 0.109375, id="McNemar 8 and 2"),
        pytest.param([-1] * 10 + [1] * 2, 0.038574, id="McNemar 10 and 2"),
        pytest.param([-1] * 7 + [1] * 7, 1.0, id="McNemar 7 and 7"),
        pytest.param([0, 0], 1.0, id="nothing differs"),
        pytest.param([], 1.0, id="nothing at all"),
    ],
)
def test_sign_flip_figures(differences: list[int], p: float) -> None:
    assert sign_flip_p(differences, 4) == pytest.approx(p, abs=5e-7)


def test_sign_flip_of_equal_sizes_is_a_binomial_tail() -> None:
    for broken, fixed in [(30, 12), (400, 340), (900, 850)]:
        tasks = broken + fixed
        tail = sum(comb(tasks, at_most) for at_most in range(min(broken, fixed) + 1))
        expected = float(Fraction(2 * tail, 2**tasks))
        assert sign_flip_p([-1] * broken + [1] * fixed, 1) == expected


def test_sign_flip_knows_neither_direction_nor_scale_nor_steady_tasks() -> None:
    rng = random.Random(3)
    for _ in range(100):
        values = [rng.randint(-8, 8) for _ in range(40)]
        p = sign_flip_p(values, 8)
        assert 0 < p <= 1
        assert p == sign_flip_p([-value for value in values], 8)
        assert p == sign_flip_p([7 * value for value in values], 56)
        assert p == sign_flip_p([*values, 0, 0, 0], 8)
        assert p == sign_flip_p(rng.sample(values, 40), 8)


def test_sign_flip_never_comes_to_zero() -> None:
    assert 0 < sign_flip_p([1] * 5000, 1) < 1e-300


def test_few_tasks_on_a_fine_scale_are_gone_through_one_by_one() -> None:
    # Rates of, say, 997 and 1009 repeats have a common scale of a million steps.
    rng = random.Random(4)
    for _ in range(20):
        values = [rng.randint(-(10**12), 10**12) for _ in range(10)]
        assert sign_flip_p(values, 10**12) == signs_one_by_one(values)


def test_the_two_ways_to_count_agree() -> None:
    rng = random.Random(5)
    for _ in range(50):
        values = [rng.choice([-1, 1]) * rng.randint(1, 30) for _ in range(15)]
        sizes, reach = exact._to_reach(values)
        ways, last = exact._ways_up_to(sizes, reach)
        assert ways == exact._ways_one_by_one(sizes, reach)
        assert last == ways - (exact._ways_one_by_one(sizes, reach - 1) if reach else 0)


def test_many_tasks_on_a_fine_scale_are_counted_on_a_grid_and_stay_close(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = random.Random(6)
    for drift in (0, 50, 130):
        values = [rng.randint(-840, 840 + drift) for _ in range(45)]
        monkeypatch.undo()
        p = sign_flip_p(values, 840)
        monkeypatch.setattr(exact, "_EFFORT", 20_000)
        near = sign_flip_p(values, 840)
        assert near != p  # the other way was taken
        assert near == pytest.approx(p, rel=0.005)
        assert near == sign_flip_p([-value for value in values], 840)


def test_what_is_seen_is_not_rounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many tasks with the same small difference: rounded one by one they would all shift it."""
    rng = random.Random(8)
    scale = 360  # a step of the coarsest grid is 3.6
    values = [rng.choice([-1, 1]) * rng.randint(60, 360) for _ in range(60)] + [-5] * 60
    p = sign_flip_p(values, scale)
    monkeypatch.setattr(exact, "_EFFORT", 20_000)
    assert sign_flip_p(values, scale) == pytest.approx(p, rel=0.005)
    assert sign_flip_p([5 * value for value in values], 5 * scale) == pytest.approx(p, rel=0.005)


def test_on_a_grid_the_choice_that_was_seen_is_one_at_least(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = [200 + at for at in range(40)]  # all one way: only it and its mirror reach as far
    monkeypatch.setattr(exact, "_EFFORT", 20)
    for sign in (1, -1):
        assert sign_flip_p([sign * value for value in values], 839) >= 2 / 2**40
    assert sign_flip_p([*values, *[-value for value in values]], 839) == 1.0


def test_sizes_on_a_grid_keep_their_squares() -> None:
    rng = random.Random(9)
    for _ in range(200):
        scale, grid = rng.randint(100, 900), rng.randint(20, 99)
        sizes = Counter(rng.randint(1, scale) for _ in range(rng.randint(1, 60)))
        found = exact._on_grid(sizes, scale, grid)
        before = sum(number * (size * grid / scale) ** 2 for size, number in sizes.items())
        after = sum(number * size**2 for size, number in found.items())
        assert (
            abs(after - before) <= grid + 1
        )  # half of the widest step from one square to the next
        assert found.total() <= sizes.total()
        assert min(found, default=1) >= 1
