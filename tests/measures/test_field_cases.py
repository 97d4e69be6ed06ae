"""What an answer admits, what hammering is, and where the tail begins: cases from the field."""

from __future__ import annotations

from unittest.mock import ANY

import pytest

from agenteval import admits_failure, recovery, recovery_counts, tail, tool_errors

ADMITS = [
    "The lookup failed.",
    "The request failed with a timeout.",
    "Something went wrong while checking your order.",
    "There was a problem retrieving your order.",
    "The order could not be retrieved.",
    "I don't have that information right now.",
    "The system is not working.",
    "I haven't been able to find it.",
    "Please try again in a few minutes.",
    "We can't reach the system.",
    "The service returned a 503.",
    "I encountered an issue.",
    "I apologize, but I'm getting an error when trying to fetch the weather",
    "Sorry, I couldn't reach the order system.",
    "The service is currently unavailable.",
    "I was unable to look that up.",
    "The search tool timed out.",
    "I can't access your account.",
    "I could not find order 7.",
    "There is an error in the payment service.",
    "The database is down.",
    "I don't know.",
    "Unfortunately we were not able to complete this.",
    "An error occurred.",
    "I ran into a problem.",
    "I’m having trouble connecting.",
]
ADMITS_NOTHING = [
    "The price on our site is down 20%.",
    "I found that your service plan includes down payment of $5.",
    "I can't wait for you to get it! It ships today.",
    "There was a billing error on your account, I corrected it.",
    "I checked the policy: we cannot refund gift cards after 30 days.",
    "I am sorry that it arrived damaged. Your claim is C-1.",
    "Your claim is filed.",
    "We do not ship to Mars.",
    "The refund is 20 dollars.",
    "Your order was not delivered, a search is open.",
    "You can return it within 30 days.",
    "The lamp is broken, so I filed a claim.",
    "It ships today.",
    "I got a refund for you.",
    "The flight is at 503.",
    "Call us if there is a problem with the lamp.",
    "The page count is 12.",
    "I hit the target price.",
]


@pytest.mark.parametrize("answer", ADMITS)
def test_an_answer_that_says_what_did_not_work(answer: str) -> None:
    assert admits_failure(answer)


@pytest.mark.parametrize("answer", ADMITS_NOTHING)
def test_an_answer_that_says_no_such_thing(answer: str) -> None:
    assert not admits_failure(answer)


@pytest.mark.parametrize("value", [ANY, bytearray(b"x"), [ANY]], ids=["any", "bytes", "nested"])
def test_calls_that_cannot_be_hashed_are_hammered_all_the_same(value: object) -> None:
    failed = {"name": "embed", "args": {"v": value}, "error": "timeout"}
    [entry] = tool_errors([{"id": 1, "repeat": 0, "calls": [failed] * 3}])["hammered"]
    assert (entry["name"], entry["times"]) == ("embed", 3)


def test_the_tail_is_those_that_took_the_most_where_they_are_many() -> None:
    runs = [
        {"id": n, "repeat": 0, "passed": True, "tool_calls": calls}
        for n, calls in enumerate([4] * 80 + [19] * 20)
    ]
    assert [run["value"] for run in tail(runs)] == [19] * 20
    assert tail(runs, percentile=100) == []
    assert tail(runs[:80]) == []


FAILED = {"id": "a", "repeat": 2, "passed": False, "status": "final", "answer": "x"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param({"calls": ["f"]}, r"'a', repeat 2: calls\[0\]: a call must be", id="text"),
        pytest.param({"calls": 5}, r"'a', repeat 2: calls must be a list", id="number"),
        pytest.param({"calls": [], "trace": [1]}, r"'a', repeat 2: trace must be", id="trace"),
    ],
)
@pytest.mark.parametrize("measure", [recovery_counts, tool_errors])
def test_bad_calls_are_named(measure, changes: dict, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        measure([FAILED | changes])


def test_admits_must_be_a_callable_also_where_it_is_not_asked() -> None:
    with pytest.raises(TypeError, match=r"recovery: admits must be a callable, got NoneType"):
        recovery(FAILED | {"calls": []}, admits=None)
    with pytest.raises(TypeError, match=r"admits_failure: answer must be text, got NoneType"):
        admits_failure(None)
