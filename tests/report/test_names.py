"""Names of tasks: never the same for two tasks, never wider than asked."""

from __future__ import annotations

import random

import pytest

from agenteval.report.formatting import columns
from agenteval.report.names import distinct, task_names

NAMES = [
    pytest.param([1, "1"], ["1", '"1"'], id="number-and-text"),
    pytest.param([1, "refund"], ["1", "refund"], id="nothing-meets"),
    pytest.param(["a\n", r"a\n"], [r'"a\n"', r'"a\\n"'], id="spelled-out"),
    pytest.param(["", " ", "a "], ['""', '" "', '"a "'], id="blanks"),
    pytest.param([1, "1", '"1"'], ["1", '"1"', r'"\"1\""'], id="spells-the-json"),
]


@pytest.mark.parametrize(("ids", "wanted"), NAMES)
def test_names(ids, wanted) -> None:
    assert task_names(ids) == dict(zip(ids, wanted, strict=True))


def test_names_that_differ_in_the_middle_are_numbered() -> None:
    ids = [f"{'a' * 40}{n}{'b' * 40}" for n in range(12)]
    names = list(task_names(ids, 20).values())
    assert names[0] == "aaaaaaaaaaaaaa... #1"
    assert names[11] == "aaaaaaaaaaaaa... #12"


def test_a_number_that_a_task_has_already_is_not_given_again() -> None:
    assert distinct(["x" * 40 + "1" + "y" * 40, "x" * 40 + "2" + "y" * 40, "xxx... #1"], 9) == [
        "xxx... #2",
        "xxx... #3",
        "xxx... #1",
    ]


@pytest.mark.parametrize("seed", range(8))
def test_any_ids_have_as_many_names(odd_texts, seed) -> None:
    rng = random.Random(seed)
    parts = [*odd_texts.values(), "a", "b", "\n", r"\n", '"', "🇩🇪", "❤️", " "]
    ids = [1, "1", *("".join(rng.choices(parts, k=rng.randrange(1, 5))) for _ in range(40))]
    for width in (12, 30, 80):
        names = task_names(ids, width)
        assert len({*names.values()}) == len({*ids})
        assert max(map(columns, names.values())) <= width
