"""Trajectories: one pair of a reference and a run, very long runs, and a table of 10,000 calls."""

from __future__ import annotations

import copy
import random
import tracemalloc
from collections.abc import Iterator
from functools import partial
from unittest.mock import ANY

from timing import Row, medians, show

from agenteval.records import MODES
from agenteval.trajectory import (
    Call,
    any_order_of,
    compare_steps,
    optional,
    score_trajectory,
)

TOOLS = [f"tool_{number}" for number in range(8)] + ["create_claim", "send_message"]
ANY_SUPERSET = {"mode": "any_order", "args_match": "superset"}
Pairs = list[tuple[list[Call], list[Call]]]


def make_args(rng: random.Random, nested: bool) -> dict:
    args = {"order_id": str(rng.randrange(30)), "reason": rng.choice(["damaged", "late", "lost"])}
    if nested:
        args["items"] = [
            {"sku": f"s{rng.randrange(9)}", "count": rng.randrange(3), "tags": ["a", "b"]}
            for _ in range(3)
        ]
        args["options"] = {"ship": {"days": [1, 2, 3]}, "kind": rng.randrange(4)}
    return args


def make_pairs(nested: bool, count: int = 2_000) -> Pairs:
    """Make references of 2 to 12 calls and runs of 2 to 20: the same calls, some wrong, extras."""
    rng = random.Random(5)

    def call() -> Call:
        return Call(rng.choice(TOOLS), make_args(rng, nested))

    pairs = []
    for _ in range(count):
        reference = [call() for _ in range(rng.randint(2, 12))]
        actual = [Call(step.name, copy.deepcopy(step.args)) for step in reference]
        if rng.random() < 0.3:
            actual[rng.randrange(len(actual))] = call()
        for _ in range(rng.randint(0, 8)):
            actual.insert(rng.randrange(len(actual) + 1), call())
        pairs.append((reference, actual))
    return pairs


def in_order(reference: list[Call], actual: list[Call]) -> bool:
    """Say in plain Python, by ``==`` on raw arguments, whether the steps are there in order."""
    rest = iter(actual)
    for step in reference:
        for call in rest:
            if step.name == call.name and step.args == call.args:
                break
        else:
            return False
    return True


def by_keys(reference: list[Call], actual: list[Call]) -> bool:
    """Say the same by building a key for every call."""
    rest = iter([call.key() for call in actual])
    return all(key in rest for key in [step.key() for step in reference])


def each(score: object, pairs: Pairs) -> None:
    for reference, actual in pairs:
        score(reference, actual)


def one_pair() -> Iterator[Row]:
    for nested, at_most in ((False, "9 us"), (True, "20 us")):
        pairs = make_pairs(nested)
        floor, keys, ours = medians(
            partial(each, in_order, pairs),
            partial(each, by_keys, pairs),
            partial(each, score_trajectory, pairs),
            rounds=9,
            scale=1e6 / len(pairs),
        )
        kind = "nested" if nested else "flat"
        yield Row(f"one pair, {kind} arguments: four scores, over ==", ours, "us", floor, at_most)
        yield Row(f"one pair, {kind} arguments: the same, over keys", ours, "us", keys)


def long_runs() -> Iterator[Row]:
    """Score 100,000 calls against as many, all different, over half as many."""
    rng = random.Random(6)
    calls = [Call(rng.choice(TOOLS), {"n": n, "to": [n % 7]}) for n in range(100_000)]
    half = calls[: len(calls) // 2]
    for mode in MODES:
        part, whole = medians(
            partial(score_trajectory, half, half, mode),
            partial(score_trajectory, calls, calls, mode),
            rounds=3,
            scale=1e3,
        )
        yield Row(f"100,000 calls, {mode}, over 50,000", whole, "ms", part, "linear: ratio 2")


def tables() -> Iterator[Row]:
    """Align 10,000 calls with 10,000, of few kinds and of many, with groups and under rules."""
    for kinds in (10, 1_000_000):
        rng = random.Random(7)
        reference, noise = (
            [Call(rng.choice(TOOLS), {"n": rng.randrange(kinds)}) for _ in range(10_000)]
            for _ in range(2)
        )
        for what, steps, actual, options in (
            ("all at random", reference, noise, {}),
            ("every tenth optional", some_optional(reference), nearly(reference, noise), {}),
            ("groups of three", in_groups(reference, 3), nearly(reference, noise), {}),
            ("groups of sixteen at random", in_groups(reference, 16), noise, {}),
            ("half optional in groups", in_groups(half_optional(reference), 5), noise, {}),
            ("superset", reference, with_more(reference), {"args_match": "superset"}),
            ("superset in any order", with_fewer(reference), noise, ANY_SUPERSET),
            ("an object that decides", with_any(reference), with_more(reference), {}),
        ):
            compare = partial(compare_steps, steps, actual, **options)
            [taken] = medians(compare, rounds=1, scale=1)
            name = f"compare_steps, 10,000 x 10,000, {kinds} values, {what}"
            yield Row(name, taken, "s", None, "5 s")
            tracemalloc.start()
            compare()
            peak = tracemalloc.get_traced_memory()[1] / 2**20
            tracemalloc.stop()
            yield Row("the same, memory at its peak", peak, "MB", None, "200 MB")


def nearly(reference: list[Call], noise: list[Call]) -> list[Call]:
    """Make a run that lacks every 20th call and has as many others."""
    return [
        call
        for place, (step, other) in enumerate(zip(reference, noise, strict=True))
        for call in ([other, step], [step], [], *[[step]] * 17)[place % 20]
    ]


def some_optional(reference: list[Call]) -> list:
    return [optional(step) if place % 10 == 0 else step for place, step in enumerate(reference)]


def half_optional(reference: list[Call]) -> list:
    return [optional(step) if place % 2 else step for place, step in enumerate(reference)]


def in_groups(steps: list, size: int) -> list:
    return [any_order_of(*steps[at : at + size]) for at in range(0, len(steps), size)]


def with_fewer(calls: list[Call]) -> list[Call]:
    return [call if place % 2 else Call(call.name) for place, call in enumerate(calls)]


def with_more(calls: list[Call]) -> list[Call]:
    return [Call(call.name, {**call.args, "day": "today"}) for call in calls]


def with_any(calls: list[Call]) -> list[Call]:
    return [Call(call.name, {**call.args, "day": ANY}) for call in calls]


def rows() -> Iterator[Row]:
    yield from tables()
    yield from one_pair()
    yield from long_runs()


if __name__ == "__main__":
    show(rows())
