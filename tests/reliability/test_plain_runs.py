"""Which ids and repeats are no ids and no repeats, and how sure a float can be."""

from __future__ import annotations

from fractions import Fraction

import pytest

from agenteval.reliability import outcomes, wilson_interval

RUN = {"id": "a", "repeat": 0, "passed": True}


@pytest.mark.parametrize("task", [1.5, (1,), True, None, b"a", Fraction(1)], ids=repr)
def test_an_id_is_text_or_a_whole_number(task: object) -> None:
    with pytest.raises(TypeError, match="outcomes: run 0: 'id' must be a str or an int, got"):
        outcomes([RUN | {"id": task}])


@pytest.mark.parametrize("repeat", [True, False, 1.0, "1"], ids=repr)
def test_a_repeat_is_a_whole_number(repeat: object) -> None:
    with pytest.raises(TypeError, match="task 'a': 'repeat' must be a whole number, got"):
        outcomes([RUN | {"repeat": repeat}])


def test_as_sure_as_a_float_can_be() -> None:
    low, high = wilson_interval(1, 2, 0.9999999999999999)
    assert 0 < low < 0.02 < 0.98 < high < 1
