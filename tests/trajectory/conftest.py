"""The definitions that the scores are held against, written out as plainly as they read."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from agenteval.trajectory import Call

MODES = ("exact", "in_order", "any_order", "unordered", "subset")


def textbook_covers(reference: list, actual: list, mode: str) -> bool:
    if mode == "exact":
        return reference == actual
    if mode == "in_order":  # one greedy pass
        found = 0
        for key in actual:
            if found < len(reference) and key == reference[found]:
                found += 1
        return found == len(reference)
    left, outside = list(reference), []
    for key in actual:
        if key in left:
            left.remove(key)
        else:
            outside.append(key)
    return {
        "any_order": not left,
        "unordered": not left and not outside,
        "subset": not outside,
    }[mode]


def textbook_scores(reference: list[Call], actual: list[Call], mode: str, writing: set) -> dict:
    """The four numbers by their definitions, with the stricter cases: an empty reference has
    argument accuracy 1.0, a failed write did not happen, a repeat of the reference is allowed."""
    wanted = [(call.name, dict(call.args)) for call in reference]
    made = [(call.name, dict(call.args)) for call in actual]
    names = {name for name, _ in wanted}
    asked = [call for call in made if call[0] in names]
    right = [call for call in asked if call in wanted]
    writes = [
        (call.name, dict(call.args))
        for call in actual
        if call.name in writing and call.error is None
    ]
    duplicates = 0
    while writes:
        same = [write for write in writes if write == writes[0]]
        duplicates += max(0, len(same) - max(1, wanted.count(writes[0])))
        writes = [write for write in writes if write != writes[0]]
    return {
        "coverage": textbook_covers(wanted, made, mode),
        "argument_accuracy": (1.0 if not reference else len(right) / len(asked) if asked else 0.0),
        "extra_steps": len(actual) - len(reference),
        "duplicate_writes": duplicates,
    }


VALUES = (1, 2, "x", None, [1], [1, {"k": 2}], {"k": 1}, {"k": [2]}, True, 1.0)


def random_call(rng: random.Random, names: str = "abc", errors: float = 0.2) -> Call:
    args = {name: rng.choice(VALUES) for name in "pq" if rng.random() < 0.35}
    return Call(rng.choice(names), args, "down" if rng.random() < errors else None)


def random_pairs(seed: int, count: int) -> Iterator[tuple[list[Call], list[Call]]]:
    """Short alphabets, so that repeats and near misses are common; half the runs are close."""
    rng = random.Random(seed)
    for _ in range(count):
        reference = [random_call(rng) for _ in range(rng.randrange(6))]
        actual = [random_call(rng) for _ in range(rng.randrange(8))]
        if rng.random() < 0.5:
            actual = list(reference)
            if rng.random() < 0.5:
                rng.shuffle(actual)
            for _ in range(rng.randrange(4)):
                again = rng.choice(reference) if reference and rng.random() < 0.5 else None
                actual.insert(rng.randrange(len(actual) + 1), again or random_call(rng))
            if actual and rng.random() < 0.3:
                del actual[rng.randrange(len(actual))]
            actual = [
                Call(call.name, call.args, "down" if rng.random() < 0.2 else None)
                for call in actual
            ]
        yield reference, actual


@pytest.fixture(scope="session")
def textbook() -> Callable[..., dict]:
    return textbook_scores


@pytest.fixture(scope="session")
def cover_by_definition() -> Callable[..., bool]:
    return textbook_covers


@pytest.fixture(scope="session")
def pairs() -> Callable[[int, int], Iterator[tuple[list[Call], list[Call]]]]:
    return random_pairs


@pytest.fixture
def verdicts() -> Callable[[list], list[str]]:
    """The rows' verdicts, a missing step as ``missing N``."""

    def read(rows: list) -> list[str]:
        return [
            f"missing {row['reference_step']}" if row["step"] is None else row["verdict"]
            for row in rows
        ]

    return read


@pytest.fixture
def counted() -> Callable[[list], Counter]:
    def count(rows: list) -> Counter:
        return Counter(row["verdict"].split(" step ")[0] for row in rows)

    return count
