"""Numbers and ids as other libraries make them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from agenteval import cost_per_completed_task, outcomes, step_counts, tail, wilson_interval

RUN = {"id": "a", "repeat": 0, "passed": True}


@pytest.mark.parametrize("task", [1.5, (1,), True, None], ids=repr)
def test_an_id_is_text_or_a_whole_number(task: object) -> None:
    with pytest.raises(TypeError, match="outcomes: run 0: 'id' must be a str or an int"):
        outcomes([RUN | {"id": task}])


def test_a_repeat_is_no_bool() -> None:
    with pytest.raises(TypeError, match="'repeat' must be a whole number, got bool True"):
        outcomes([RUN | {"repeat": True}])


def test_as_sure_as_a_float_can_be() -> None:
    low, high = wilson_interval(1, 2, 0.9999999999999999)
    assert 0 < low < 0.02 < 0.98 < high < 1


def test_decimals_are_numbers() -> None:
    runs = [RUN | {"cost": Decimal("0.25")}]
    assert cost_per_completed_task(runs)["cost_per_completed_task"] == 0.25


def test_a_count_beyond_floats_is_refused() -> None:
    with pytest.raises(ValueError, match="step_counts: tool_calls of run 'a', repeat 0 must be"):
        step_counts([RUN | {"tool_calls": 10**400}])


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        pytest.param(5, "tail: tasks must be a list of task dicts, got int 5", id="number"),
        pytest.param([3], r"tail: tasks\[0\] must be a task dict", id="no dict"),
        pytest.param([{"id": 0}], r"tail: tasks\[0\] must be a task dict", id="no input"),
    ],
)
def test_tail_names_bad_tasks(tasks: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        tail([RUN | {"tool_calls": n} for n in (1, 2)], tasks)
