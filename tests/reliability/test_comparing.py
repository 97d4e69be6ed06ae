"""Two versions side by side: lists, rates, p-values, and the gate."""

from __future__ import annotations

import json
import random
import re
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from agenteval.reliability import assert_no_regressions, compare, regressions

T, F = True, False

OLD = {"fixed": [F, F, F], "same": [T, T, T], "broken": [T, T, T], "gone": [T], "bad": [F, F, T]}
NEW = {"new": [T], "broken": [F, F, T], "bad": [F, F, F], "fixed": [T, T, F], "same": [T, T, T]}


def test_a_stable_pass_rate_hides_one_task_fixed_and_one_broken() -> None:
    found = compare({"a": T, "b": F, "c": T}, {"a": F, "b": T, "c": T})
    assert found["old_pass_rate"] == found["new_pass_rate"] == 2 / 3
    assert (found["regressions"], found["fixed"]) == (["a"], ["b"])
    assert found["p_value"] == 1


def test_every_task_is_in_the_list_where_it_belongs() -> None:
    found = compare(OLD, NEW)
    assert found == {
        "old_pass_rate": pytest.approx(7 / 12),
        "new_pass_rate": pytest.approx(6 / 12),
        "regressions": ["broken"],
        "fixed": ["fixed"],
        "still_failing": ["bad"],
        "added": ["new"],
        "removed": ["gone"],
        "changes": [
            {"id": "fixed", "old_rate": 0.0, "new_rate": 2 / 3, "p": 0.4},
            {"id": "broken", "old_rate": 1.0, "new_rate": 1 / 3, "p": 0.4},
            {"id": "bad", "old_rate": 1 / 3, "new_rate": 0.0, "p": 1.0},
        ],
        "p_value": 1.0,
    }
    assert json.loads(json.dumps(found)) == found
    assert regressions(OLD, NEW) == ["broken"]


def test_lists_follow_the_old_side_and_added_ones_the_new_side() -> None:
    old = {"z": T, "y": F, "a": T, "x": F}
    new = {"n": T, "x": T, "y": T, "a": F, "z": F, "m": T}
    found = compare(old, new)
    assert found["regressions"] == ["z", "a"]
    assert found["fixed"] == ["y", "x"]
    assert found["added"] == ["n", "m"]
    assert [change["id"] for change in found["changes"]] == ["z", "y", "a", "x"]


@pytest.mark.parametrize(
    ("rule", "old", "new", "regressed"),
    [
        pytest.param("majority", [T, T, F], [T, F, F], True, id="two of three to one of three"),
        pytest.param("majority", [T, T], [T, F], True, id="half is not more than half"),
        pytest.param("majority", [T, F], [F, F], False, id="half did not pass before either"),
        pytest.param("majority", [T, T, T], [T, T, F], False, id="still most of them"),
        pytest.param("all", [T, T, T], [T, T, F], True, id="not all any more"),
        pytest.param("all", [T, T, F], [F, F, F], False, id="not all before either"),
        pytest.param("majority", T, [T, F, T, T], False, id="one outcome against several"),
        pytest.param("all", 1, 0, True, id="bare numbers"),
        pytest.param("majority", [1.0], False, True, id="list against bare"),
    ],
)
def test_when_a_task_with_repeats_passes(rule: Any, old: Any, new: Any, regressed: bool) -> None:
    assert regressions({"t": old}, {"t": new}, rule=rule) == (["t"] if regressed else [])
    found = compare({"t": old}, {"t": new}, rule=rule)
    assert found["regressions"] == (["t"] if regressed else [])


def test_a_task_that_only_one_side_has_is_no_regression() -> None:
    assert regressions({"a": T, "b": T}, {"b": T, "c": F}) == []


def test_ids_1_and_text_1_are_two_tasks() -> None:
    assert regressions({1: T, "1": T}, {1: T, "1": F}) == ["1"]


@pytest.mark.parametrize(
    ("broken", "fixed", "p"),
    [(5, 0, 0.0625), (8, 2, 0.109375), (10, 2, 0.038574), (7, 7, 1), (0, 0, 1)],
)
def test_one_run_a_task_gives_mcnemars_exact_test(broken: int, fixed: int, p: float) -> None:
    was = [T] * broken + [F] * fixed + [T, T, F]
    now = [F] * broken + [T] * fixed + [T, T, F]
    found = compare(dict(enumerate(was)), dict(enumerate(now)))
    assert found["p_value"] == pytest.approx(p, abs=5e-7)


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        pytest.param([1, -1, 2, 0, 3, 1, 0, -1, 2, 1], 0.140625, id="mixed"),
        pytest.param([2, 1, 1, 2, 3, 1], 0.03125, id="one way"),
    ],
)
def test_sign_flip_on_quarters(differences: list[int], p: float) -> None:
    old, new = {}, {}
    for task, quarters in enumerate(differences):
        old[task] = [T] * max(0, -quarters) + [F] * (4 - max(0, -quarters))
        new[task] = [T] * max(0, quarters) + [F] * (4 - max(0, quarters))
    assert compare(old, new)["p_value"] == p


def test_the_p_value_with_different_numbers_of_repeats_against_all_signs() -> None:
    rng = random.Random(1)
    for _ in range(60):
        old, new, differences = {}, {}, []
        for task in range(rng.randint(1, 8)):
            old[task] = [rng.random() < 0.7 for _ in range(rng.randint(1, 8))]
            new[task] = [rng.random() < 0.5 for _ in range(rng.randint(1, 8))]
            was = Fraction(sum(old[task]), len(old[task]))
            differences.append(Fraction(sum(new[task]), len(new[task])) - was)
        seen = abs(sum(differences))
        choices = [
            abs(sum(sign * value for sign, value in zip(signs, differences, strict=True)))
            for signs in product([1, -1], repeat=len(differences))
        ]
        share = Fraction(sum(total >= seen for total in choices), len(choices))
        found = compare(old, new)
        assert found["p_value"] == float(share)
        rates = [Fraction(sum(runs), len(runs)) for runs in old.values()]
        assert found["old_pass_rate"] == float(sum(rates) / len(rates))


def test_both_directions_are_alike() -> None:
    rng = random.Random(2)
    for _ in range(50):
        old, new = (
            {task: [rng.random() < 0.6 for _ in range(4)] for task in range(25)} for _ in range(2)
        )
        there, back = compare(old, new), compare(new, old)
        assert there["p_value"] == back["p_value"]
        assert 0 < there["p_value"] <= 1
        assert there["regressions"] == back["fixed"]
        assert [change["p"] for change in there["changes"]] == [
            change["p"] for change in back["changes"]
        ]


def test_equal_versions_seldom_look_different() -> None:
    # A p-value of at most 0.05 comes up in at most 5 % of comparisons of a version with itself.
    rng = random.Random(3)
    rates = [rng.random() for _ in range(30)]

    def run() -> dict[int, list[bool]]:
        return {task: [rng.random() < rate for _ in range(4)] for task, rate in enumerate(rates)}

    found = sum(compare(run(), run())["p_value"] <= 0.05 for _ in range(400))
    assert 5 <= found <= 32  # 20 expected, three standard deviations are 13


def test_a_change_in_rate_that_changes_no_verdict_is_listed() -> None:
    found = compare({"t": [T, T, T, T]}, {"t": [T, T, T, F]})
    assert (found["regressions"], found["fixed"], found["still_failing"]) == ([], [], [])
    assert [change["id"] for change in found["changes"]] == ["t"]


def test_equal_rates_of_different_numbers_of_repeats_are_no_change() -> None:
    assert compare({"t": [T, F]}, {"t": [T, F, F, T]})["changes"] == []


SIDES = [
    pytest.param(regressions, id="regressions"),
    pytest.param(compare, id="compare"),
    pytest.param(assert_no_regressions, id="assert_no_regressions"),
]


@pytest.mark.parametrize("function", SIDES)
def test_nothing_in_common_is_an_error(function: Any) -> None:
    message = (
        rf"^{function.__name__}: no task is in both sides, so there is nothing to compare; the "
        r"old side has \[1, 2\], the new one \['1', '2'\] \(1 and '1' are two ids\)"
    )
    with pytest.raises(ValueError, match=message):
        function({1: T, 2: T}, {"1": T, "2": T})


@pytest.mark.parametrize("function", SIDES)
def test_ids_that_went_through_json_are_not_taken_for_others(function: Any) -> None:
    """Two broken tasks would count as removed and added, and the gate would stay open."""
    old = json.loads(json.dumps({1: T, 2: T, "greet": T}))
    message = (
        rf"^{function.__name__}: the old side has the task '1', the new one 1, which are two ids; "
        "JSON turns the keys of a dict into text: turn them back"
    )
    with pytest.raises(ValueError, match=message):
        function(old, {1: F, 2: F, "greet": T})


@pytest.mark.parametrize("function", SIDES)
def test_a_task_without_outcomes_is_an_error(function: Any) -> None:
    message = rf"^{function.__name__}\(new\): task 'b' has no outcomes; run it, or leave it out"
    with pytest.raises(ValueError, match=message):
        function({"a": T, "b": T}, {"a": T, "b": []})


@pytest.mark.parametrize("function", SIDES)
def test_an_unknown_rule_is_an_error(function: Any) -> None:
    message = rf"^{function.__name__}: unknown rule 'mayority'; use one of 'majority', 'all' \(did"
    with pytest.raises(ValueError, match=message):
        function({"a": T}, {"a": T}, rule="mayority")
    with pytest.raises(ValueError, match=r"unknown rule \['all'\]"):
        function({"a": T}, {"a": T}, rule=["all"])


@pytest.mark.parametrize("function", SIDES)
def test_a_bare_outcome_that_is_none_is_an_error(function: Any) -> None:
    with pytest.raises(TypeError, match=r"\(old\): task 'a', position 0: .*got float 0.7; choose"):
        function({"a": 0.7}, {"a": T})
    with pytest.raises(TypeError, match=r"\(new\): task 'a': .* got str 'pass'"):
        function({"a": T}, {"a": "pass"})


def test_the_gate_lets_pass_what_has_not_become_worse() -> None:
    assert_no_regressions({"a": [T, T, F], "b": F}, {"a": [T, F, T], "b": F, "c": F})


def test_the_gate_lists_what_broke_with_both_rates() -> None:
    old = {"a": [T] * 4, "b": [T, T, T, F], "c": [F], "d": [T]}
    new = {"a": [F] * 4, "b": [T, F], "c": [F], "d": [T]}
    with pytest.raises(AssertionError) as caught:
        assert_no_regressions(old, new)
    assert str(caught.value).splitlines() == [
        "2 of 4 tasks passed before and fail now (rule 'majority'):",
        "  'a': 1.00 (4 of 4) before, 0.00 (0 of 4) now",
        "  'b': 0.75 (3 of 4) before, 0.50 (1 of 2) now",
    ]


def test_the_gate_can_ask_for_every_repeat() -> None:
    old, new = {"a": [T] * 3}, {"a": [T, T, F]}
    assert_no_regressions(old, new)
    with pytest.raises(AssertionError, match=r"1 of 1 tasks passed before and fails now \(rule 'a"):
        assert_no_regressions(old, new, rule="all")


def test_the_gate_can_ask_for_every_task() -> None:
    old, new = {"a": T, "b": [T, T], "c": F}, {"a": T}
    assert_no_regressions(old, new)
    with pytest.raises(AssertionError) as caught:
        assert_no_regressions(old, new, allow_removed=False)
    assert str(caught.value).splitlines() == [
        "1 of 3 tasks passed before and was not run now:",
        "  'b': 1.00 (2 of 2) before",
    ]
    with pytest.raises(AssertionError, match=r"1 of 1 tasks .*\n  'a'.*\n2 of 3 tasks .* were not"):
        assert_no_regressions({"a": T, "b": T, "c": T}, {"a": F}, allow_removed=False)


@pytest.mark.parametrize("word", ["no", "", None, 0])
def test_the_gate_takes_no_word_for_whether_tasks_may_be_missing(word) -> None:
    message = r"assert_no_regressions: allow_removed must be True or False, got \w+ "
    with pytest.raises(TypeError, match=message + re.escape(repr(word))):
        assert_no_regressions({"a": T}, {"a": T}, allow_removed=word)


@pytest.mark.parametrize(
    ("old", "new", "p_value"),
    [
        # One way all: of 2**T signs only the one seen and its mirror reach as far.
        pytest.param((50, 49, 48, 47, 46), (50, 45, 44, 43, 41), 2 / 2**5, id="five tasks"),
        pytest.param((1000, 999), (997, 991), 2 / 2**2, id="two tasks of a thousand"),
        pytest.param(range(90, 110), range(111, 131), 2 / 2**20, id="twenty tasks"),
    ],
)
def test_all_one_way_with_as_many_numbers_of_repeats_as_tasks(old, new, p_value) -> None:
    """The rates have a huge common denominator, which must cost neither time nor memory."""
    before = {at: [True] * 20 + [False] * (total - 20) for at, total in enumerate(old)}
    after = {at: [True] * 35 + [False] * (total - 35) for at, total in enumerate(new)}
    assert compare(before, after)["p_value"] == pytest.approx(p_value)
