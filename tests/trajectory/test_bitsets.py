from __future__ import annotations

import random

import pytest

from agenteval.trajectory.bitsets import bits, members


@pytest.mark.parametrize(
    "places",
    [
        pytest.param([], id="none"),
        pytest.param([0], id="first"),
        pytest.param([3, 1], id="unsorted"),
        pytest.param([5000], id="one far up"),
        pytest.param(list(range(0, 3000, 40)), id="sparse"),
        pytest.param(random.Random(1).sample(range(300), 200), id="dense"),
    ],
)
def test_bits_and_members_are_inverse(places):
    assert list(members(bits(places))) == sorted(places)
