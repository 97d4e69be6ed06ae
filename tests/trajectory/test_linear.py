"""No mode compares a long trajectory with itself: the work grows as the calls do."""

from __future__ import annotations

import pytest

from agenteval.trajectory import Call, covers, score_trajectory

MODES = ("exact", "in_order", "any_order", "unordered", "subset")


class Counting:
    """A key that counts how often it is hashed or compared."""

    used = 0

    def __init__(self, value: int) -> None:
        self.value = value

    def __hash__(self) -> int:
        Counting.used += 1
        return hash(self.value)

    def __eq__(self, other: object) -> bool:
        Counting.used += 1
        return isinstance(other, Counting) and self.value == other.value


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("swapped", [False, True])
def test_the_work_of_covers_grows_with_the_calls(mode, swapped):
    used = []
    for size in (2_000, 4_000, 8_000):
        reference = [Counting(n) for n in range(size)]
        actual = [Counting(n) for n in range(size)]
        if swapped:
            actual.reverse()
        Counting.used = 0
        covers(reference, actual, mode)
        used.append(Counting.used / size)
    assert max(used) < 8
    assert used[-1] < used[0] * 1.2 + 0.1


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("length", [64, 65, 2_000])
@pytest.mark.parametrize("rule", ["exact", "ignore", {"f": ["a"]}])
def test_scores_of_long_runs_ask_for_no_alignment(mode, length, rule, monkeypatch):
    from agenteval.trajectory import scoring

    def never(*_: object) -> None:
        raise AssertionError("an alignment was made")

    monkeypatch.setattr(scoring, "read_path", never)
    reference = [Call("f", {"a": n, "b": [n]}) for n in range(length)]
    actual = [*reference[::-1], *(Call("f", {"a": -n}) for n in range(1, 2_000))]
    scores = score_trajectory(reference, actual, mode, write_tools={"f"}, args_match=rule)
    assert scores["coverage"] is (mode == "any_order" or (rule == "ignore" and mode == "in_order"))
    assert scores["duplicate_writes"] == 0
