"""Who takes which step in any order, against its definition, tried out in full."""

from __future__ import annotations

import itertools
import random

from agenteval.trajectory import Call, compare_steps
from agenteval.trajectory.shares import assign_steps


def most_required(accepted: list, required: list, calls: list, width: int) -> int | None:
    """The most required steps among all ways in which every one of `calls` takes a step."""
    ways = (
        sum(required[step] for step in steps)
        for steps in itertools.permutations(range(len(accepted)), len(calls))
        if all(
            accepted[step] >> (width - 1 - call) & 1
            for step, call in zip(steps, calls, strict=True)
        )
    )
    return max(ways, default=None)


def by_brute_force(accepted: list, required: list, failed: list) -> tuple[list, int]:
    """The calls served, the answered and then the earlier ones first, and `most_required`."""
    width = len(failed)
    served: list[int] = []
    for call in sorted(range(width), key=lambda call: (failed[call], call)):
        if most_required(accepted, required, [*served, call], width) is not None:
            served.append(call)
    return sorted(served), most_required(accepted, required, served, width) or 0


def test_the_first_calls_are_served_and_then_as_many_required_steps_as_possible():
    rng = random.Random(72)
    for _ in range(600):
        width = rng.randrange(1, 6)
        kinds = [rng.getrandbits(width) & rng.getrandbits(width) for _ in range(3)]
        accepted = [rng.choice(kinds) for _ in range(rng.randrange(1, 6))]
        required = [rng.random() < 0.6 for _ in accepted]
        failed = [rng.random() < 0.3 for _ in range(width)]
        owner = assign_steps(accepted, range(len(accepted)), range(width), failed, required)
        assert all(accepted[step] >> (width - 1 - call) & 1 for step, call in owner.items())
        taken = sorted(owner.values()), sum(required[step] for step in owner)
        assert taken == by_brute_force(accepted, required, failed), (accepted, required, failed)


def test_only_the_steps_and_calls_that_are_given_take_part():
    assert assign_steps([0b11, 0b11, 0b11], [1, 2], [1], [False, False], [True] * 3) == {1: 1}


def test_required_steps_get_calls_that_optional_ones_hold():
    # calls 0 and 1; step 0 optional takes both, step 1 required takes call 0 (bit 1) only
    owner = assign_steps([0b11, 0b10], [0, 1], [0, 1], [False, True], [False, True])
    assert owner == {1: 0, 0: 1}
    owner = assign_steps([0b1, 0b1], [0, 1], [0], [False], [False, True])
    assert owner == {1: 0}


def test_required_steps_are_searched_for_once_however_many_calls_are_alike():
    """4,000 steps that accept the same 4,000 calls: no list of all pairs, no search twice."""
    count = 4_000
    everyone = (1 << count) - 1
    required = [False] + [True] * count
    owner = assign_steps(
        [everyone] * (count + 1), range(count + 1), range(count), [False] * count, required
    )
    assert sorted(owner) == list(range(1, count + 1))
    assert sorted(owner.values()) == list(range(count))


def test_thousands_of_calls_under_a_rule_move_through_their_kinds():
    """A search through single calls would look at every call of every kind, again and again."""
    rng = random.Random(73)
    reference, run = (
        [
            Call("f", {name: rng.randrange(4) for name in rng.sample("abcd", rng.randrange(5))})
            for _ in range(3000)
        ]
        for _ in range(2)
    )
    rows = compare_steps(reference, run, mode="any_order", args_match="superset")
    again = compare_steps(rng.sample(reference, 3000), run, mode="any_order", args_match="superset")
    matched = [row["step"] for row in rows if row["verdict"].startswith("matches")]
    assert matched == [row["step"] for row in again if row["verdict"].startswith("matches")]
    assert len(matched) > 2500
