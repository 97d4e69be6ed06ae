from __future__ import annotations

import itertools
import random

import pytest

from agenteval.trajectory.assignment import Assignment, assign_steps, bits, members


@pytest.mark.parametrize("places", [[], [0], [3, 1], list(range(0, 100, 3)), [500]])
def test_bits_and_members_are_inverse(places):
    assert list(members(bits(places))) == sorted(places)


def served_by_brute_force(allowed: list[int]) -> set[int]:
    """The takers that can be served, each of the earlier ones having precedence."""

    def possible(takers: list[int]) -> bool:
        return any(
            all(allowed[taker] >> place & 1 for taker, place in zip(takers, order, strict=True))
            for order in itertools.permutations(range(5), len(takers))
        )

    served: list[int] = []
    for taker in range(len(allowed)):
        if len(served) < 5 and possible([*served, taker]):
            served.append(taker)
    return set(served)


def test_as_many_as_possible_are_served_and_the_earlier_first():
    rng = random.Random(71)
    for _ in range(400):
        allowed = [rng.getrandbits(5) & rng.getrandbits(5) for _ in range(rng.randrange(7))]
        pairs = Assignment()
        worked = [pairs.serve(taker, places) for taker, places in enumerate(allowed)]
        owner = pairs.owner
        assert all(allowed[taker] >> place & 1 for place, taker in owner.items())
        assert len(set(owner.values())) == len(owner)
        assert set(owner.values()) == {taker for taker, ok in enumerate(worked) if ok}
        assert set(owner.values()) == served_by_brute_force(allowed), allowed


def test_a_long_chain_of_moves_needs_no_recursion():
    pairs = Assignment()
    size = 3000
    for taker in range(size):
        assert pairs.serve(taker, 0b11 << taker)  # each takes its first place
    assert pairs.serve(size, 1)  # all have to move on
    assert pairs.owner == {0: size, **{taker + 1: taker for taker in range(size)}}


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
