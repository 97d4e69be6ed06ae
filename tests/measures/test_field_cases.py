"""What an answer admits, what hammering is, and where the tail begins: cases from the field."""

from __future__ import annotations

import re
from unittest.mock import ANY

import pytest

from agenteval import (
    Call,
    admits_failure,
    evaluate,
    recovery,
    recovery_counts,
    tail,
    tool_errors,
)
from agenteval.measures.admissions import _WAYS

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
    "The system isn't responding.",
    "Our systems are experiencing an outage.",
    "I can't seem to find that order.",
    "I could not issue the refund.",
    "There was no response from the server.",
    "I didn't get a response from the shop.",
    "My attempts to look up the order were unsuccessful.",
    "Access was denied.",
    "Due to a technical issue, nothing was changed.",
    "It looks like the service is having issues.",
    "The request did not go through.",
    "There seems to be a problem with the booking system.",
    "I have no way to see that.",
    "The API keeps failing.",
    "I've been unable to verify it.",
    "We can't process your request right now.",
    "The order system is broken.",
    "I checked if the order exists but could not find it.",
    "The data isn't available.",
    "We are unable to reach the warehouse.",
    "I'm not able to see your bookings.",
    "I keep running into errors.",
    "I tried to look up your order but got an error.",
    "I cannot confirm whether the refund was issued.",
    "The operation failed.",
    "Sorry, an unexpected error has occurred.",
    "The refund could not be issued.",
    "There was an error: timeout.",
    "Failed to fetch the weather.",
    "Cannot retrieve the order at this time.",
    "I hit a rate limit.",
    "The tool doesn't seem to be working.",
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
    "I understand that you could not access your account, so I reset it.",
    "I see you are having trouble with the lamp; a new one ships today.",
    "If the page is down, call us.",
    "If you are unable to open it, use the other key.",
    "You were unable to log in because the password was old. I reset it.",
    "We are unable to refund gift cards after 30 days.",
    "We cannot process returns after 30 days.",
    "We don't have that color in stock.",
    "I could not agree more!",
    "We can't get it to you before Monday.",
    "No error occurred and the refund is done.",
    "I got a refund for the billing error.",
    "I got a 450 ml bottle for you.",
    "This service is not available in your region.",
    "The size is not available.",
    "The service returned 25 flights.",
    "The lookup succeeded.",
    "The search shows 503 results.",
    "I'm not able to offer a discount on sale items.",
    "We have no issue with that.",
    "That network is down the street.",
    "I received your issue report and filed it.",
    "I don't know how to thank you.",
    "It did not work for you in red, so I switched it to blue.",
    "There is no problem with your order.",
    "The customer said that the lamp does not work, so I filed a claim.",
    "You didn't receive your order, so I sent a new one.",
    "I have looked into the problem and fixed it.",
    "I have canceled the order you could not pay for.",
    "If it flickers, unplug the lamp and try it once more.",
]


@pytest.mark.parametrize("answer", ADMITS)
def test_an_answer_that_says_what_did_not_work(answer: str) -> None:
    assert admits_failure(answer)


@pytest.mark.parametrize("answer", ADMITS_NOTHING)
def test_an_answer_that_says_no_such_thing(answer: str) -> None:
    assert not admits_failure(answer)


def test_each_way_to_admit_is_found_by_its_own_pattern() -> None:
    for example, pattern in _WAYS:
        found = re.search(rf"(?: {pattern} ) \b", example, re.IGNORECASE | re.VERBOSE)
        assert found, (example, pattern)
        assert admits_failure(example)


def test_an_answer_must_be_text() -> None:
    with pytest.raises(TypeError, match="admits_failure: answer must be text, got NoneType None; "):
        admits_failure(None)


class Equal:
    """Equal to its like, and without a hash."""

    __hash__ = None

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __repr__(self) -> str:
        return f"<{id(self)}>"


class Vague(Equal):  # noqa: PLW1641 - it inherits that it has no hash
    """Compared as arrays are: to something that is neither true nor false."""

    def __eq__(self, other: object) -> object:
        return Vague()

    def __bool__(self) -> bool:
        raise ValueError("ambiguous")

    def __repr__(self) -> str:
        return "vague"


class Hostile(Vague):
    """Has a hash, a comparison and a text that raise."""

    def __hash__(self) -> int:
        raise RuntimeError("no hash")

    def __eq__(self, other: object) -> object:
        raise RuntimeError("no comparison")

    def __repr__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: ANY, id="mock.ANY"),
        pytest.param(lambda: bytearray(b"x"), id="bytearray"),
        pytest.param(lambda: [bytearray(b"x")], id="in-a-list"),
        pytest.param(lambda: {"x": Equal()}, id="in-a-dict"),
        pytest.param(Equal, id="no-hash"),
        pytest.param(Vague, id="no-truth"),
        pytest.param(Hostile, id="raises"),
    ],
)
def test_calls_that_cannot_be_hashed_are_hammered_all_the_same(make) -> None:
    calls = [{"name": "embed", "args": {"v": make()}, "error": "timeout"} for _ in range(3)]
    others = [{"name": "embed", "args": {"v": "x"}, "error": "timeout"}] * 2
    runs = [{"id": 1, "repeat": 0, "passed": True, "calls": [*calls, *others]}]
    [entry] = tool_errors(runs)["hammered"]
    assert (entry["name"], entry["times"]) == ("embed", 3)


def test_different_calls_that_cannot_be_hashed_are_not_hammered() -> None:
    calls = [{"name": "embed", "args": {"v": bytearray([n])}, "error": "timeout"} for n in range(3)]
    assert tool_errors([{"id": 1, "repeat": 0, "calls": calls}])["hammered"] == []


def test_a_report_of_such_calls_prints() -> None:
    def agent(text: str) -> dict:
        calls = [Call("embed", {"v": Hostile()}, error="timeout")] * 3
        return {"answer": text, "status": "final", "calls": calls}

    report = evaluate(agent, [{"id": "a", "input": "x", "expected": None}])
    assert "1 call hammered" in str(report)


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
        pytest.param(
            {"calls": [{"name": "f", "error": 5}]},
            r"'a', repeat 2: calls\[0\]: Call\('f'\): error must be",
            id="error",
        ),
        pytest.param(
            {"calls": [{"name": None}]}, r"'a', repeat 2: calls\[0\]: Call: name must", id="name"
        ),
        pytest.param(
            {"calls": [], "trace": {"unanswered_calls": 5}},
            r"'a', repeat 2: trace\['unanswered_calls'\] must be a list of positions, got int 5",
            id="unanswered",
        ),
    ],
)
@pytest.mark.parametrize("measure", [recovery_counts, tool_errors, recovery])
def test_bad_calls_are_named(measure, changes: dict, message: str) -> None:
    run = FAILED | changes
    with pytest.raises(TypeError, match=rf"^{measure.__name__}: run {message}"):
        measure(run if measure is recovery else [run])


def test_hammering_is_told_with_the_id_of_the_run() -> None:
    with pytest.raises(TypeError, match=r"^tool_errors: a run has no 'id': .*; pass report"):
        tool_errors([{"calls": []}])


@pytest.mark.parametrize("admits", [None, 5, "sorry"], ids=repr)
def test_admits_must_be_a_callable_also_where_it_is_not_asked(admits) -> None:
    message = r": admits must be a callable, got \w+ .*; leave it out, or pass one that takes"
    with pytest.raises(TypeError, match=f"^recovery{message}"):
        recovery(FAILED | {"calls": []}, admits=admits)
    with pytest.raises(TypeError, match=f"^recovery_counts{message}"):
        recovery_counts([], admits=admits)
