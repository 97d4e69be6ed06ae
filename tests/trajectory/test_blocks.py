"""The in-order alignment of groups against its definition, tried out in full."""

from __future__ import annotations

import random
from functools import lru_cache

import pytest

from agenteval.trajectory import Call, any_order_of, blocks, compare_steps, lanes, optional
from agenteval.trajectory.blocks import align_blocks


def random_case(rng: random.Random, most_steps: int) -> tuple[list, list, list, list]:
    """A few blocks of a few steps, each of which accepts one or two of four words."""
    run = rng.choices("abcd", k=rng.randrange(10))
    block_of, required, accepted = [], [], []
    for block in range(rng.randrange(1, 5)):
        for _ in range(rng.choice([1, 1, rng.randrange(1, most_steps + 1)])):
            words = rng.sample("abcd", rng.choice([1, 1, 2]))
            block_of.append(block)
            required.append(rng.random() < 0.7)
            width = len(run)
            accepted.append(
                sum(1 << (width - 1 - at) for at, word in enumerate(run) if word in words)
            )
    return block_of, required, accepted, [rng.random() < 0.3 for _ in run]


def most(block_of: list, required: list, accepted: list, failed: list) -> tuple[int, int]:
    """The most required steps, and then the most optional ones, that any choice of calls takes."""
    width = len(failed)

    @lru_cache(None)
    def within(call: int, block: int, left: frozenset) -> tuple[int, int]:
        """What the steps `left` of a block and all later blocks make of the calls from `call`."""
        if block not in block_of:
            return 0, 0
        later = frozenset(at for at, other in enumerate(block_of) if other == block + 1)
        found = within(call, block + 1, later)
        if call < width:
            found = max(found, within(call + 1, block, left))
            for step in left:
                if accepted[step] >> (width - 1 - call) & 1:
                    needed, other = within(call + 1, block, left - {step})
                    found = max(found, (needed + required[step], other + (not required[step])))
        return found

    return within(0, 0, frozenset(at for at, block in enumerate(block_of) if block == 0))


def check_order(block_of: list, accepted: list, failed: list, matched: dict) -> None:
    assert len(set(matched.values())) == len(matched)
    for step, call in matched.items():
        assert accepted[step] >> (len(failed) - 1 - call) & 1
        for other, other_call in matched.items():
            if block_of[step] < block_of[other]:
                assert call < other_call


@pytest.mark.parametrize("most_steps", [pytest.param(3, id="small"), pytest.param(6, id="large")])
def test_as_many_required_steps_as_possible_then_optional_ones(most_steps):
    rng = random.Random(91 + most_steps)
    for _ in range(1200):
        block_of, required, accepted, failed = case = random_case(rng, most_steps)
        matched = align_blocks(*case)
        check_order(block_of, accepted, failed, matched)
        needed = sum(required[step] for step in matched)
        assert (needed, len(matched) - needed) == most(*case), case


def test_in_lanes_and_by_fronts_comes_the_same(monkeypatch):
    rng = random.Random(92)
    cases = [random_case(rng, 6) for _ in range(1500)]
    aligned = []
    for in_lanes in (True, False):

        def choose(some, _, in_lanes=in_lanes):
            for block in some:
                block.in_lanes = in_lanes

        monkeypatch.setattr(blocks, "_choose_ways", choose)
        aligned.append([align_blocks(*case) for case in cases])
    assert aligned[0] == aligned[1]


def test_one_that_answered_goes_before_one_that_failed_then_the_earlier():
    reference = [any_order_of(Call("a"), Call("b")), optional(Call("c"))]
    run = [Call("b", error="down"), Call("a"), Call("b"), Call("b"), Call("c")]
    rows = compare_steps(reference, run)
    assert [row["verdict"] for row in rows] == [
        "extra",
        "matches step 1",
        "matches step 2",
        "extra",
        "matches step 3",
    ]


def test_a_large_group_after_many_steps():
    rng = random.Random(93)
    line = [Call("read", {"page": page}) for page in range(60)]
    parts = [Call("part", {"n": n}) for n in range(40)]
    run = [*line, *rng.sample(parts, 40), Call("end")]
    rows = compare_steps([*line, any_order_of(*parts), Call("end")], run)
    assert all(row["verdict"].startswith("matches") for row in rows)
    late = [*line, *parts[:39], Call("end"), parts[39]]
    rows = compare_steps([*line, any_order_of(*parts), Call("end")], late)
    assert [row["verdict"] for row in rows if not row["verdict"].startswith("matches")] == [
        "out of order"
    ]


def test_numbers_in_lanes_against_lists_of_numbers():
    rng = random.Random(94)
    for _ in range(400):
        width = rng.randrange(1, 14)
        full = (1 << width) - 1
        some, others = ([rng.randrange(9) for _ in range(width)] for _ in range(2))
        chosen = rng.randrange(full + 1)
        at_chosen = [number if chosen >> lane & 1 else 0 for lane, number in enumerate(some)]
        amount = rng.randrange(6)

        def numbers(slices: list[int], width: int = width) -> list[int]:
            return [lanes.at(slices, lane) for lane in range(width)]

        left, right = lanes.sliced(enumerate(some)), lanes.sliced(enumerate(others))
        assert numbers(left) == some
        assert numbers(lanes.plus(left, amount, chosen)) == [
            number + amount if chosen >> lane & 1 else 0 for lane, number in enumerate(some)
        ]
        assert numbers(lanes.largest(left, right, full)) == list(map(max, some, others))
        assert lanes.changes(left, full) == sum(
            1 << lane
            for lane, number in enumerate(some)
            if number != (some[lane - 1] if lane else 0)
        )
        nearest, expected = 0, []
        for lane in range(width):
            nearest = some[lane] if chosen >> lane & 1 else nearest
            expected.append(nearest)
        growing = [sum(some[: lane + 1]) for lane in range(width)]
        assert numbers(lanes.sums(left, full)) == growing
        assert numbers(lanes.rises(lanes.sliced(enumerate(growing)), full)) == some
        filled = [lane for lane in range(width) if some[lane]]
        assert lanes.numbers(left) == (filled, [some[lane] for lane in filled])
        given = lanes.sliced(enumerate(at_chosen))
        assert numbers(lanes.spread(given, chosen, full)) == expected
