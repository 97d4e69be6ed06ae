"""The in-order alignment against the recurrence of a longest common subsequence."""

from __future__ import annotations

import random
from functools import lru_cache

from agenteval.trajectory import Call, compare_steps
from agenteval.trajectory.alignment import align
from agenteval.trajectory.references import Slot


def aligned(words: str, run: str, failed: list[bool]) -> dict[int, int]:
    width = len(run)
    accepted = [
        sum(1 << (width - 1 - place) for place, name in enumerate(run) if name == word)
        for word in words
    ]
    slots = [Slot((Call(word),), block) for block, word in enumerate(words)]
    return align(slots, accepted, failed, "in_order").matched


def by_recurrence(words: str, run: str, failed: list[bool]) -> dict[int, int]:
    """Walk the steps from the first: each takes a call that leaves the length within reach, an
    answered one if there is one, then the earliest."""

    @lru_cache(None)
    def length(step: int, call: int) -> int:
        if step == len(words) or call == len(run):
            return 0
        best = max(length(step + 1, call), length(step, call + 1))
        if words[step] == run[call]:
            best = max(best, 1 + length(step + 1, call + 1))
        return best

    matched: dict[int, int] = {}
    start = 0
    for step, word in enumerate(words):
        choices = [
            call
            for call in range(start, len(run))
            if run[call] == word and 1 + length(step + 1, call + 1) == length(step, start)
        ]
        if choices:
            matched[step] = min(choices, key=lambda call: (failed[call], call))
            start = matched[step] + 1
    assert len(matched) == length(0, 0)
    return matched


def test_a_longest_common_subsequence_by_its_recurrence():
    rng = random.Random(81)
    for _ in range(1500):
        words = "".join(rng.choices("abc", k=rng.randrange(9)))
        run = "".join(rng.choices("abc", k=rng.randrange(12)))
        failed = [rng.random() < 0.3 for _ in run]
        assert aligned(words, run, failed) == by_recurrence(words, run, failed), (words, run)


def test_many_words_at_once():
    rng = random.Random(82)
    for _ in range(3):
        words, run = ("".join(rng.choices("abcdefgh", k=150)) for _ in range(2))
        failed = [rng.random() < 0.1 for _ in run]
        assert aligned(words, run, failed) == by_recurrence(words, run, failed)


def test_two_thousand_by_two_thousand():
    rng = random.Random(83)
    reference = [Call(rng.choice("abc"), {"n": rng.randrange(40)}) for _ in range(2000)]
    rows = compare_steps(reference, rng.sample(reference, 2000))
    assert sum(row["step"] is not None for row in rows) == 2000
    assert not [row for row in rows if row["verdict"] in ("missing", "extra", "wrong argument")]
