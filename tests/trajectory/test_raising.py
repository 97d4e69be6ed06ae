"""A callable or an ``==`` of the user's that raises: the message says where, and what it was."""

from __future__ import annotations

from decimal import Decimal

import pytest

from agenteval.trajectory import Call, compare_steps, one_of, score_runs, score_trajectory


class Sour:
    """Cannot be compared."""

    __hash__ = None

    def __eq__(self, other: object) -> bool:
        raise LookupError("sour")


def broken(actual: dict, reference: dict) -> bool:
    if actual["n"] == 2:
        raise KeyError("total")
    return False


MODES = ("exact", "in_order", "any_order", "unordered", "subset")
CALLS = [Call("look"), Call("pay", {"n": 1}), Call("pay", {"n": 2})]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("score", [score_trajectory, compare_steps])
@pytest.mark.parametrize(
    "reference",
    [
        pytest.param([Call("look"), Call("pay", {"n": 3})], id="a line"),
        pytest.param([Call("look"), one_of(Call("x"), Call("pay", {"n": 3}))], id="a group"),
    ],
)
def test_a_rule_that_raises_is_named_with_its_place(score, mode, reference):
    message = (
        f"^{score.__name__}: args_match raised KeyError: 'total'; it was asked whether "
        "call 3 of the run will do for step 2 of the reference, tool 'pay'"
    )
    with pytest.raises(ValueError, match=message) as caught:
        score(reference, CALLS, mode, args_match={"pay": broken})
    assert isinstance(caught.value.__cause__, KeyError)


def test_the_task_is_named_with_a_rule_that_raises():
    task = {"id": "t", "reference": [Call("pay", {"n": 3})], "args_match": broken}
    with pytest.raises(
        ValueError,
        match=r"^score_runs: task 't', repeat 4: args_match raised KeyError: 'total'; it was asked",
    ):
        score_runs([{"id": "t", "passed": True, "repeat": 4, "calls": CALLS}], [task])


@pytest.mark.parametrize("mode", MODES)
def test_an_equality_that_raises_is_named_with_its_place(mode):
    reference = [Call("look"), one_of(Call("x"), Call("pay", {"n": Sour()}))]
    message = (
        "^compare_steps: the == of an argument raised LookupError: sour; it was asked "
        "whether call 2 of the run will do for step 2 of the reference, tool 'pay'"
    )
    with pytest.raises(ValueError, match=message) as caught:
        compare_steps(reference, CALLS[:2], mode)
    assert isinstance(caught.value.__cause__, LookupError)


def test_two_writes_that_cannot_be_compared_are_named():
    calls = [Call("pay", {"n": Sour()}), Call("pay", {"n": Sour()})]
    for score in (compare_steps, score_trajectory):
        message = rf"^{score.__name__}: the == of an argument raised LookupError .*'pay' were"
        with pytest.raises(ValueError, match=message):
            score([], calls, write_tools={"pay"})


def test_what_cannot_be_compared_is_a_difference_where_another_one_decided_already():
    sour = Sour()
    reference = [Call("pay", {"n": 1, "note": sour})]
    [row, _] = compare_steps(reference, [Call("pay", {"n": 2, "note": "x"})])
    assert row["verdict"] == "wrong argument"
    assert row["differences"] == {
        "n": {"reference": 1, "actual": 2},
        "note": {"reference": sour, "actual": "x"},
    }


@pytest.mark.parametrize("side", ["reference", "run"])
def test_a_signaling_nan_is_an_equality_that_raises(side):
    sides = {"reference": [Call("pay", {"n": 1})], "run": [Call("pay", {"n": 1})]}
    sides[side] = [Call("pay", {"n": Decimal("sNaN")})]
    message = "^compare_steps: the == of an argument raised InvalidOperation: .*tool 'pay'"
    with pytest.raises(ValueError, match=message):
        compare_steps(sides["reference"], sides["run"])
