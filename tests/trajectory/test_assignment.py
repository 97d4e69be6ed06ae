from __future__ import annotations

import itertools
import random

from agenteval.trajectory.assignment import Assignment, Exchange


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


def test_the_latest_takers_that_can_be_served_together_stay():
    """Served from the latest back, each has precedence over the earlier ones."""
    rng = random.Random(74)
    for _ in range(300):
        latest = Exchange(5)
        allowed: list[int] = []
        staying: set[int] = set()
        for taker in range(rng.randrange(1, 8)):
            allowed.append(rng.getrandbits(5) & rng.getrandbits(5) or 1 << rng.randrange(5))
            left = latest.serve(taker, allowed[-1])
            before = staying | {taker}
            staying = {taker - place for place in served_by_brute_force(allowed[::-1])}
            assert before - staying == ({left} - {-1}), allowed
