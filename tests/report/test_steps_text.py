"""One run as a table: the textbook's example character for character, and what it leaves open."""

from __future__ import annotations

import copy
import random

import pytest

from agenteval.report import steps_text
from agenteval.report.formatting import columns
from agenteval.trajectory import (
    Call,
    any_order_of,
    compare_steps,
    one_of,
    optional,
    score_runs,
    score_trajectory,
    trajectory_verdict,
)

TABLE = """\
step  call                                              verdict
   1  lookup_order(order_id="88120")                    matches step 1
   2  search_orders(query="88120")                      extra
   3  get_policy(topic="returns")                       wrong argument
   4  get_policy(topic="damaged_delivery")              matches step 2
   5  create_claim(order_id="88120", reason="damaged")  matches step 3
   6  create_claim(order_id="88120", reason="damaged")  DUPLICATE WRITE
   7  final answer"""

SCORES = """\
outcome            pass
coverage           pass
argument accuracy  0.80 (4 of 5)
extra steps        +3
duplicate writes   1
cost               $0.21 against a reference of $0.09
trajectory         FAIL, a write tool ran twice with identical arguments"""


def test_the_refund_desk_step_by_step(refund) -> None:
    reference, calls = refund
    assert steps_text(compare_steps(reference, calls)) == TABLE


def test_the_refund_desk_with_its_scores(refund) -> None:
    reference, calls = refund
    scores = score_trajectory(reference, calls)
    shown = steps_text(
        compare_steps(reference, calls),
        scores,
        passed=True,
        verdict=trajectory_verdict(scores),
        cost=0.21,
        reference_cost=0.09,
    )
    assert shown == f"{TABLE}\n\n{SCORES}"


def test_a_row_says_the_same_as_its_parts(refund, run) -> None:
    reference, calls = refund
    task = {"id": 1, "input": "", "expected": None, "reference": reference, "reference_cost": 0.09}
    [row] = score_runs([run(1, calls=calls, cost=0.21)], [task])
    before = copy.deepcopy(row)
    assert steps_text(compare_steps(reference, calls), row=row) == f"{TABLE}\n\n{SCORES}"
    assert steps_text(compare_steps(reference, calls), row) == f"{TABLE}\n\n{SCORES}"
    assert row == before


def test_a_part_that_is_given_goes_before_the_row(refund) -> None:
    reference, calls = refund
    row = {"id": 1, "repeat": 0, "passed": True, "verdict": "pass", "why": "", "cost": 0.5}
    shown = steps_text(compare_steps(reference, calls), row=row, passed=False, cost=0.75)
    assert shown.split("\n\n")[1] == "outcome     FAIL\ncost        $0.75\ntrajectory  pass"


def test_what_is_unknown_has_no_line(refund) -> None:
    reference, calls = refund
    row = {
        "id": 1,
        "repeat": 0,
        "passed": False,
        "coverage": None,
        "argument_accuracy": None,
        "extra_steps": None,
        "duplicate_writes": None,
        "verdict": "fail",
        "why": "the run did not record its calls",
    }
    block = steps_text(compare_steps(reference, calls), row=row).split("\n\n")[1]
    assert block == "outcome     FAIL\ntrajectory  FAIL, the run did not record its calls"


SHARES = [
    pytest.param("a b", "a b", "1.00 (2 of 2)", id="all-right"),
    pytest.param("a b", "a x", "1.00", id="the-rows-do-not-say-whether-x-counts"),
    pytest.param("a b", "a2 a x", "0.50 (1 of 2)", id="other-tools-do-not-count"),
    pytest.param("a b", "a2 b b", "0.67 (2 of 3)", id="repeats-count"),
    pytest.param("a b", "b a", "1.00 (2 of 2)", id="out-of-order-is-right"),
    pytest.param("w1", "w2 w2 w2", "0.00 (0 of 3)", id="a-wrong-write-repeated"),
    pytest.param("w1", "w1 w2 w2 w1", "0.50 (2 of 4)", id="a-right-and-a-wrong-write-repeated"),
    pytest.param("a", "w w a2 a", "0.50 (1 of 2)", id="a-write-outside-the-reference-repeated"),
    pytest.param("a", "x", "0.00", id="none-called"),
    pytest.param("", "x", "1.00", id="empty-reference"),
    pytest.param("", "", "1.00", id="nothing-at-all"),
]


def call_of(word: str) -> Call:
    return Call(word[0], {"n": word[1:]})


@pytest.mark.parametrize(("reference", "calls", "wanted"), SHARES)
def test_the_calls_that_argument_accuracy_is_made_of(reference, calls, wanted) -> None:
    expected, made = ([call_of(word) for word in line.split()] for line in (reference, calls))
    assert share_of(expected, made) == wanted


def share_of(expected: list, made: list, mode: str = "in_order") -> str:
    """What stands in the line of argument accuracy."""
    given = {"mode": mode, "write_tools": {"w"}}
    steps, scores = (
        compare_steps(expected, made, **given),
        score_trajectory(expected, made, **given),
    )
    lines = steps_text(steps, scores).splitlines()
    [line] = [line for line in lines if line.startswith("argument accuracy")]
    return line.removeprefix("argument accuracy").strip()


@pytest.mark.parametrize("mode", ["exact", "in_order", "any_order", "unordered", "subset"])
def test_the_count_is_that_of_the_calls_for_any_line_of_calls(mode) -> None:
    rng = random.Random(71)
    for _ in range(250):
        expected, made = (
            [
                Call(rng.choice("abw"), {"n": rng.randrange(3)}, rng.choice([None, None, "down"]))
                for _ in range(rng.randrange(1, 6))
            ]
            for _ in range(2)
        )
        check_share(expected, expected, made, mode)


@pytest.mark.parametrize("mode", ["exact", "in_order", "any_order", "unordered", "subset"])
def test_the_count_is_that_of_the_calls_for_references_with_groups(mode) -> None:
    rng = random.Random(72)
    for _ in range(80):
        wanted, made = (
            [Call(rng.choice("abw"), {"n": rng.randrange(2)}) for _ in range(rng.randrange(1, 6))]
            for _ in range(2)
        )
        first, *rest = wanted
        groups = [optional(first), *rest], [one_of(*wanted)], [any_order_of(*wanted)]
        for reference in (*groups, [*rest, optional(first)]):
            check_share(reference, wanted, made, mode)


def check_share(reference: list, accepted: list, made: list, mode: str) -> None:
    """Hold the count against the calls themselves; it may be left out where none is wrong."""
    asked = [call for call in made if call.name in {step.name for step in accepted}]
    right = sum(call in accepted for call in asked)
    shown = share_of(reference, made, mode)
    if right < len(asked) or (asked and len(asked) == len(made) and "(" in shown):
        assert shown.endswith(f" ({right} of {len(asked)})"), (reference, made, shown)
    else:
        assert "(" not in shown, (reference, made, shown)


def test_missing_and_misplaced_steps_say_which() -> None:
    names = ["lookup_order", "get_policy", "create_claim", "notify"]
    reference = [Call(name) for name in names]
    calls = [reference[1], reference[2], reference[0]]
    assert steps_text(compare_steps(reference, calls), final=False).splitlines() == [
        "step  call            verdict",
        "   1  get_policy()    matches step 2",
        "   2  create_claim()  matches step 3",
        "   3  lookup_order()  out of order (step 1)",
        "   -  notify()        missing (step 4)",
    ]


def test_differences_stand_under_their_call() -> None:
    reference = [Call("pay", {"order": "7", "sum": 5, "by": "card"})]
    calls = [Call("pay", {"order": "8", "sum": 5, "note": "\n"})]
    shown = steps_text(compare_steps(reference, calls), differences=True)
    assert shown.splitlines() == [
        "step  call                              verdict",
        '   1  pay(order="8", sum=5, note="\\n")  wrong argument',
        '        order: "8", not "7"',
        '        by: not given, "card" in the reference',
        '        note: "\\n", not in the reference',
        '   -  pay(order="7", sum=5, by="card")  missing (step 1)',
        "   2  final answer",
    ]


def test_the_error_of_a_call_is_shown() -> None:
    calls = [Call("pay", {}, error="timeout\nafter 30 s"), Call("pay")]
    shown = steps_text(compare_steps([Call("pay")], calls))
    assert "   1  pay()         extra; error: timeout\\nafter 30 s" in shown.splitlines()


def test_a_run_of_no_calls() -> None:
    assert steps_text([]) == "step  call          verdict\n   1  final answer"
    assert steps_text([], final=False) == "step  call  verdict"


@pytest.mark.parametrize("width", [40, 60, 80, 100])
@pytest.mark.parametrize("seed", range(5))
def test_lines_keep_within_the_width_whatever_the_calls_hold(odd_texts, seed, width) -> None:
    texts = list(odd_texts.values())
    texts = texts[seed:] + texts[:seed]
    calls = [
        Call(name, {arg: value}, error=error)
        for name, arg, value, error in zip(texts, texts[1:], texts[2:], texts[3:], strict=False)
    ]
    steps = compare_steps([*calls[::3], Call(texts[0], {"other": 1})], calls)
    shown = steps_text(steps, differences=True, width=width)
    shown.encode()
    assert {line for line in shown.splitlines() if columns(line) > width} == set()
    assert len(shown.split("\n")) == len(shown.splitlines())
    assert "verdict" in shown
    assert len([line for line in shown.splitlines() if "extra" in line or "matches" in line]) >= 3


def test_steps_are_not_changed(refund) -> None:
    reference, calls = refund
    steps = compare_steps(reference, calls)
    before = copy.deepcopy(steps)
    assert steps_text(iter(steps), differences=True) == steps_text(steps, differences=True)
    assert steps == before


@pytest.mark.parametrize("width", [1, 10, 40, 80])
def test_the_lines_of_the_scores_are_safe_and_keep_the_width(odd_texts, refund, width) -> None:
    reference, calls = refund
    steps = compare_steps(reference, calls)
    for why in odd_texts.values():
        shown = steps_text(
            steps, verdict=("fail", why), cost=1e18, reference_cost=1e300, width=width
        )
        shown.encode()
        assert {line for line in shown.splitlines() if columns(line) > width} == set()
        assert len(shown.split("\n")) == len(shown.splitlines())
        assert "\x1b" not in shown
    assert "trajectory  FAIL, a\\x1b[31m"[:width] in steps_text(
        steps, verdict=("fail", "a\x1b[31m"), width=max(width, 40)
    )
