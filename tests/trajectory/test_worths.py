from __future__ import annotations

import random
from itertools import accumulate

import pytest

from agenteval.trajectory import lanes
from agenteval.trajectory.fronts import Rises
from agenteval.trajectory.worths import Worths


@pytest.mark.parametrize("most", [1, 3, 70_000])
def test_numbers_are_the_same_as_slices_as_rises_and_when_kept(most):
    rng = random.Random(95)
    for _ in range(100):
        width = rng.randrange(1, 40)
        amounts = [rng.choice([0, 1, rng.randint(1, most)]) for _ in range(width)]
        numbers = list(accumulate(amounts))
        full = (1 << width) - 1
        rises = Rises(
            [lane for lane, amount in enumerate(amounts) if amount],
            [amount for amount in amounts if amount],
        )
        by_rises = Worths(full, rises=rises)
        by_slices = Worths(full, slices=lanes.sliced(enumerate(numbers)))
        assert by_slices.rises == rises
        assert [lanes.at(by_rises.slices, lane) for lane in range(width)] == numbers
        for worths in (Worths(full, rises=rises), Worths(full, slices=by_slices.slices)):
            kept = worths.kept()
            assert [kept.at(lane) for lane in range(-1, width)] == [0, *numbers]
            for lane in range(width):
                end = kept.room_below(lane)
                below = numbers[lane - 1] if lane else 0
                assert (numbers[end - 1] if end else 0) == below  # what begins there has as much
                assert end == 0 or amounts[end - 1]  # and no more room


def test_where_numbers_change_is_known_without_them():
    worths = Worths(0b1111, slices=[0b1110, 0b1000])  # 0, 1, 1, 3
    assert [worths.kept_changes().room_below(lane) for lane in range(4)] == [0, 0, 2, 2]
