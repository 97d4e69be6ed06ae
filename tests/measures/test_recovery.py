"""What an agent does after a tool has failed, class by class."""

from __future__ import annotations

import itertools
import random

import pytest

from agenteval.measures import admits_failure, recovery, recovery_counts, tool_errors

FAILED = {"passed": False, "answer": "It ships today."}
KINDS = ["no error", "retried", "worked around", "gave up", "invented"]

CLASSES = [
    pytest.param("look pay", {}, "no error", id="nothing-failed"),
    pytest.param("", {}, "no error", id="no-calls-made"),
    pytest.param("look! look", {}, "retried", id="the-same-tool-answered-later"),
    pytest.param("look! pay look", FAILED, "retried", id="retried-though-the-run-failed"),
    pytest.param("look! look! look", {}, "retried", id="answered-at-the-third-attempt"),
    pytest.param("look! look", {"status": "stopped"}, "retried", id="retried-then-stopped"),
    pytest.param("look! search", {}, "worked around", id="by-another-tool"),
    pytest.param("look! search look!", {}, "worked around", id="by-another-tool-in-between"),
    pytest.param("search look!", {}, "worked around", id="error-in-the-last-call-yet-it-passed"),
    pytest.param(
        "look! tell_human",
        {"answer": "I could not look it up and told a colleague."},
        "worked around",
        id="another-tool-answered-and-the-answer-admits",
    ),
    pytest.param(
        "look!", {"answer": "I could not look it up."}, "gave up", id="passed-by-admitting-it"
    ),
    pytest.param("look!", {**FAILED, "status": "max_steps"}, "gave up", id="not-final"),
    pytest.param("look!", {**FAILED, "status": None}, "gave up", id="crashed-after-it"),
    pytest.param("look!", {**FAILED, "answer": None}, "gave up", id="no-answer"),
    pytest.param("look!", {**FAILED, "answer": " \n"}, "gave up", id="a-blank-answer"),
    pytest.param(
        "look! search", {**FAILED, "answer": "I was unable to find it."}, "gave up", id="admitted"
    ),
    pytest.param("look!", FAILED, "invented", id="as-if-nothing-had-happened"),
    pytest.param("look! search", FAILED, "invented", id="searched-elsewhere-and-still-wrong"),
    pytest.param("look look!", FAILED, "invented", id="error-in-the-last-call"),
    pytest.param("look! look pay!", FAILED, "invented", id="one-mended-and-one-not"),
    pytest.param("look! pay! look pay", FAILED, "retried", id="both-mended"),
    pytest.param("look! look look!", FAILED, "invented", id="failed-again-after-it-had-answered"),
]


@pytest.mark.parametrize(("line", "given", "wanted"), CLASSES)
def test_each_class(run, calls, line, given, wanted) -> None:
    assert recovery(run(calls=calls(line), **given)) == wanted


@pytest.mark.parametrize("given", [{}, {"calls": None}], ids=["missing", "none"])
def test_a_run_that_did_not_record_its_calls_is_unknown(run, given) -> None:
    assert recovery(run(tool_calls=3, **given)) is None


def test_an_answer_with_other_arguments_is_a_retry(run, calls) -> None:
    given = calls("look! look")
    given[1]["args"] = {"order": 8}
    assert recovery(run(calls=given)) == "retried"


def test_a_call_without_a_result_has_not_answered(run, calls) -> None:
    silent = {"unanswered_calls": [1]}
    assert recovery(run(calls=calls("look! look"), trace=silent, **FAILED)) == "invented"
    assert recovery(run(calls=calls("look look"), trace=silent)) == "no error"
    # Not an answer from elsewhere either: the answer has to speak for itself.
    given = {"answer": "I could not look it up.", "trace": silent}
    assert recovery(run(calls=calls("look! search"), **given)) == "gave up"


def test_an_error_may_be_empty_text(run) -> None:
    assert recovery(run(calls=[{"name": "look", "args": {}, "error": ""}], **FAILED)) == "invented"


def test_own_judgment_of_admissions(run, calls) -> None:
    given = run(calls=calls("look!"), passed=False, answer="Das konnte ich nicht finden.")
    assert recovery(given) == "invented"
    heard = []

    def admits(answer: str) -> bool:
        heard.append(answer)
        return "konnte ich nicht" in answer

    assert recovery(given, admits=admits) == "gave up"
    assert heard == ["Das konnte ich nicht finden."]


ADMISSIONS = [
    "I could not find your order.",
    "Sorry, I couldn't reach the system.",
    "Sorry, I couldn’t reach the system.",
    "Unable to retrieve the policy.",
    "I was not able to create the claim.",
    "We weren't able to process this.",
    "I don't know which policy applies.",
    "I do not have access to that order.",
    "I'm having trouble with the lookup.",
    "The order system is currently unavailable.",
    "Our database is down.",
    "The lookup returned an unexpected error, so nothing was changed.",
    "An error occurred.",
    "The request timed out.",
    "Please try again later.",
    "I failed to load the page.",
    "I cannot tell.",
]
NO_ADMISSIONS = [
    "Your claim is C-1.",
    "I am sorry that it arrived damaged. I have refunded it.",
    "You cannot return it after 90 days.",
    "We cannot refund orders older than 90 days.",
    "The price is down by 10 %.",
    "That size is not available.",
    "I have fixed the error in your address.",
    "",
]


@pytest.mark.parametrize("answer", ADMISSIONS)
def test_answers_that_admit(answer) -> None:
    assert admits_failure(answer)


@pytest.mark.parametrize("answer", NO_ADMISSIONS)
def test_answers_that_do_not(answer) -> None:
    assert not admits_failure(answer)


def test_a_long_answer_is_read_in_no_time() -> None:
    # A pattern that backtracks would not come back from this.
    assert not admits_failure("we i the system returned an " * 5_000)


def by_the_definition(run: dict) -> str:
    """The five classes as sentences, written a second time without the library's own steps."""
    calls = run["calls"]
    broken = [
        place
        for place, call in enumerate(calls)
        if call["error"]
        and not any(c["name"] == call["name"] and not c["error"] for c in calls[place:])
    ]
    if not any(call["error"] for call in calls):
        return "no error"
    if not broken:
        return "retried"
    elsewhere = any(not call["error"] for call in calls[broken[0] :])
    silent = run["status"] != "final" or not run["answer"] or "unable to" in run["answer"]
    if run["passed"]:
        return "worked around" if elsewhere or not silent else "gave up"
    return "gave up" if silent else "invented"


def test_every_short_run_is_what_the_definition_says(run, calls) -> None:
    words = ["look", "look!", "pay", "pay!"]
    endings = [
        {"passed": passed, "status": status, "answer": answer}
        for passed in (True, False)
        for status in ("final", "stopped")
        for answer in ("done", "unable to", None)
    ]
    seen = set()
    for length in range(4):
        for line in itertools.product(words, repeat=length):
            for ending in endings:
                made = run(calls=calls(" ".join(line)), **ending)
                wanted = by_the_definition(made)
                assert recovery(made) == wanted, made
                seen.add(wanted)
    assert seen == set(KINDS)


def test_counts_have_every_kind_and_add_up(run, calls) -> None:
    runs = [
        run(calls=calls("look")),
        run(calls=calls("look! look")),
        run(calls=calls("look! look")),
        run(calls=calls("look!"), **FAILED),
        run(),
    ]
    assert recovery_counts(runs) == {
        "no error": 1,
        "retried": 2,
        "worked around": 0,
        "gave up": 0,
        "invented": 1,
        "unknown": 1,
    }
    assert recovery_counts([]) == dict.fromkeys([*KINDS, "unknown"], 0)


def test_counts_use_the_given_judgment(run, calls) -> None:
    runs = [run(calls=calls("look!"), **FAILED)]
    assert recovery_counts(runs, admits=lambda answer: True)["gave up"] == 1


ATTEMPTS = [
    pytest.param("look pay", 0, [], id="no-error"),
    pytest.param("look!", 1, [1], id="not-tried-again"),
    pytest.param("look! look", 1, [2], id="answered-at-the-second-attempt"),
    pytest.param("look! look! look!", 3, [3], id="never-answered"),
    pytest.param("look! pay look! pay look", 2, [3], id="other-calls-in-between"),
    pytest.param("look! look look! look!", 3, [2, 2], id="failed-a-second-time"),
    pytest.param("look! pay! pay look", 2, [2, 2], id="two-tools"),
]


@pytest.mark.parametrize(("line", "failed", "attempts"), ATTEMPTS)
def test_attempts(run, calls, line, failed, attempts) -> None:
    found = tool_errors([run(calls=calls(line))])
    assert (found["calls"], found["failed"]) == (len(line.split()), failed)
    spread = found["attempts"]
    assert spread["count"] == len(attempts)
    assert spread["max"] == (max(attempts) if attempts else None)
    assert spread["mean"] == (sum(attempts) / len(attempts) if attempts else None)


def test_hammering_is_the_same_failing_call_three_times_and_more(run, calls) -> None:
    other = calls("look! look! look!")
    other[1]["args"] = {"order": 8}
    runs = [
        run("twice", calls=calls("look! look!")),
        run("thrice", 2, calls=calls("look! pay look! look! look")),
        run("other arguments", calls=other),
        run("five", calls=calls("pay! pay! pay! pay! pay!")),
        run("unknown"),
    ]
    found = tool_errors(runs)
    assert found["hammered"] == [
        {"id": "five", "repeat": 0, "name": "pay", "args": {"order": 7}, "times": 5},
        {"id": "thrice", "repeat": 2, "name": "look", "args": {"order": 7}, "times": 3},
    ]
    assert (found["known"], found["of"]) == (4, 5)


@pytest.mark.parametrize("seed", range(5))
def test_attempts_hold_every_failed_call(run, calls, seed) -> None:
    rng = random.Random(seed)
    for _ in range(50):
        line = " ".join(rng.choices(["a", "a!", "b", "b!"], k=rng.randrange(12)))
        spread = tool_errors([run(calls=calls(line))])["attempts"]
        answered = spread["count"] - sum(
            f"{name}!" in line.split()
            and f"{name}!" == next(word for word in line.split()[::-1] if word.rstrip("!") == name)
            for name in "ab"
        )
        # Each episode is made of failed calls and, where it ended well, of one answer.
        total = 0 if spread["mean"] is None else round(spread["mean"] * spread["count"])
        assert total == line.count("!") + answered


def test_a_run_must_be_a_run() -> None:
    with pytest.raises(TypeError, match=r"recovery: run must be a mapping, got list \[\]"):
        recovery([])
