"""Which calls a reference step accepts: looked up by value, held against comparing all of them."""

from __future__ import annotations

import datetime
import decimal
import random
from unittest.mock import ANY

import pytest

from agenteval.trajectory import Call, compare_steps
from agenteval.trajectory.acceptance import accepted_calls
from agenteval.trajectory.references import as_slots
from agenteval.trajectory.rules import Rule, read_rules


class Decides:
    """An object that equals its value, and cannot be hashed."""

    __hash__ = None

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return other == self.value or (isinstance(other, Decides) and other.value == self.value)


DATA = [1, 1.0, 2, "x", None, [1], {"k": 1}, {"k": {"m": 2}}, True]
DATA += [datetime.date(2020, 1, 1), decimal.Decimal(1)]
OBJECTS = [ANY, [ANY], {"k": ANY}, Decides(1), Decides("x"), {"k": Decides(1)}]

RULES = [
    pytest.param("exact", id="exact"),
    pytest.param("ignore", id="ignore"),
    pytest.param("subset", id="subset"),
    pytest.param("superset", id="superset"),
    pytest.param(["p"], id="one name"),
    pytest.param(["p", "q"], id="two names"),
    pytest.param(["p.k", "q"], id="nested name"),
    pytest.param(["p.k.m"], id="deeply nested name"),
    pytest.param({"a": "superset", "*": ["q"]}, id="rule by tool"),
    pytest.param(lambda given, wanted: given.get("p") == wanted.get("p"), id="callable"),
]


def random_calls(rng: random.Random, count: int, objects: float) -> list[Call]:
    pool = DATA + OBJECTS if rng.random() < objects else DATA
    return [
        Call(rng.choice("ab"), {name: rng.choice(pool) for name in "pqr" if rng.random() < 0.5})
        for _ in range(count)
    ]


@pytest.mark.parametrize("args_match", RULES)
def test_the_same_as_by_comparing_each_with_each(args_match):
    rng = random.Random(96)
    rules = read_rules(args_match, "test")
    some = 0
    for _ in range(600):
        reference = random_calls(rng, rng.randrange(1, 6), objects=0.5)
        actual = random_calls(rng, rng.randrange(7), objects=0.2)
        by_comparing = [
            sum(
                1 << (len(actual) - 1 - place)
                for place, call in enumerate(actual)
                if call.name == step.name and rules.of(step.name).accepts(step.args, call.args)
            )
            for step in reference
        ]
        assert accepted_calls(as_slots(reference), actual, rules, "test") == by_comparing
        some += any(by_comparing)
    assert some > 20


@pytest.mark.parametrize("args_match", ["exact", "ignore", "subset", "superset", ["n"], ["k.m"]])
def test_plain_arguments_are_looked_up_not_compared(args_match, monkeypatch):
    asked = []

    def accepts(*_: object) -> bool:
        asked.append(1)
        return False

    monkeypatch.setattr(Rule, "accepts", accepts)
    calls = [Call("f", {"n": n, "day": datetime.date(2020, 1, 1), "k": {"m": n}}) for n in range(9)]
    rows = compare_steps(calls, calls, args_match=args_match)
    assert all(row["verdict"].startswith("matches") for row in rows)
    assert not asked


def test_an_object_that_decides_is_asked_only_where_the_rest_agrees():
    asked = []

    class Counts(Decides):
        __hash__ = None

        def __eq__(self, other: object) -> bool:
            asked.append(other)
            return True

    reference = [Call("f", {"n": n, "day": Counts(0)}) for n in range(50)]
    run = [Call("f", {"n": n, "day": str(n)}) for n in range(50)]
    rows = compare_steps(reference, run)
    assert all(row["verdict"].startswith("matches") for row in rows)
    assert len(asked) == 50
