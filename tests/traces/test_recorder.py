"""Pairing, the final answer, the status and the counts, which all importers share."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from agenteval.traces import TraceFormatError
from agenteval.traces.recorder import CUT_OFF, FAILED, FINAL, INCOMPLETE, REFUSED, Recorder


def fresh(**options: object) -> Recorder:
    return Recorder("test", **options)


def errors(recorder: Recorder) -> list[str | None]:
    """The error of each call; the tests let every result fail with its own text."""
    return [call.error for call in recorder.finish()["calls"]]


# Pairing


def test_results_out_of_order_go_to_their_calls() -> None:
    recorder = fresh()
    recorder.call("f", {}, "a")
    recorder.call("f", {}, "b")
    recorder.result("b", text="of b", error=True)
    recorder.result("a", text="of a", error=True)
    assert errors(recorder) == ["of a", "of b"]


def test_an_id_used_twice_pairs_with_the_nearest_earlier_unanswered_call() -> None:
    recorder = fresh()
    recorder.call("f", {}, "a")  # never answered
    recorder.call("f", {}, "a")
    recorder.result("a", text="second", error=True)
    recorder.call("f", {}, "a")
    recorder.result("a", text="third", error=True)
    assert errors(recorder) == [None, "second", "third"]
    assert recorder.finish()["trace"]["unanswered_calls"] == [0]


def test_among_calls_of_one_id_the_result_goes_to_the_one_of_its_name() -> None:
    recorder = fresh()
    recorder.call("f", {}, "same")
    recorder.call("g", {}, "same")
    recorder.result("same", name="f", text="of f", error=True)
    recorder.result("same", name="g", text="of g", error=True)
    assert errors(recorder) == ["of f", "of g"]


def test_a_result_whose_name_is_another_still_goes_by_its_id() -> None:
    recorder = fresh()
    recorder.call("f", {}, "a")
    recorder.result("a", name="server.f", text="failed", error=True)
    assert errors(recorder) == ["failed"]


def test_without_ids_results_pair_by_name_and_occurrence() -> None:
    recorder = fresh()
    for name in ("f", "g", "f"):
        recorder.call(name, {})
    recorder.result(name="g", text="g1", error=True)
    recorder.result(name="f", text="f1", error=True)
    recorder.result(name="f", text="f2", error=True)
    assert errors(recorder) == ["f1", "g1", "f2"]


def test_without_ids_and_names_results_pair_in_order() -> None:
    recorder = fresh()
    recorder.call("f", {}, "a")
    recorder.call("g", {})
    recorder.result(text="first", error=True)
    recorder.result(text="second", error=True)
    assert errors(recorder) == ["first", "second"]


def test_a_result_with_an_id_finds_a_call_without_one_by_name() -> None:
    recorder = fresh()
    recorder.call("f", {})
    recorder.result("late", name="f", text="found", error=True)
    assert errors(recorder) == ["found"]


@pytest.mark.parametrize(
    "result",
    [
        pytest.param({"id": "other"}, id="unknown id"),
        pytest.param({"id": "other", "name": "f"}, id="unknown id of a known name"),
        pytest.param({"name": "g"}, id="unknown name"),
    ],
)
def test_a_result_of_no_call_is_counted_and_changes_nothing(result: dict[str, str]) -> None:
    recorder = fresh()
    recorder.call("f", {}, "a")
    recorder.result(**result, text="stray", error=True)
    trace = recorder.finish()["trace"]
    assert errors(recorder) == [None]
    assert (trace["unpaired_results"], trace["unanswered_calls"]) == (1, [0])


def test_a_second_result_of_an_answered_call_is_unpaired() -> None:
    recorder = fresh()
    recorder.call("f", {}, "a")
    recorder.result("a", text="first", error=True)
    recorder.result("a", text="again", error=True)
    assert errors(recorder) == ["first"]
    assert recorder.finish()["trace"]["unpaired_results"] == 1


def test_a_later_result_replaces_the_one_before_where_the_format_says_so() -> None:
    recorder = fresh()
    recorder.call("f", "{", "a")
    recorder.call("g", {}, "b")
    outcomes = [
        ("a", {"error": "first"}),
        ("a", {}),
        ("b", {"text": "pending"}),
        ("b", {"text": "failed", "error": True}),
    ]
    for call_id, outcome in outcomes:
        recorder.result(call_id, replaces=True, **outcome)
    found = errors(recorder)
    assert found[0].startswith("arguments are not valid JSON"), "what no result can mend stays"
    assert found[1] == "failed"
    assert recorder.finish()["trace"]["unpaired_results"] == 0


def test_a_replacing_result_goes_to_an_open_call_of_its_id_first() -> None:
    recorder = fresh()
    recorder.call("f", {}, "a")
    recorder.result("a", replaces=True)
    recorder.call("f", {}, "a")
    recorder.result("a", error="second", replaces=True)
    recorder.result("a", error="second again", replaces=True)
    recorder.conversation()
    recorder.result("a", error="of another conversation", replaces=True)
    assert errors(recorder) == [None, "second again"]
    assert recorder.finish()["trace"]["unpaired_results"] == 1


def test_a_result_without_an_id_replaces_none() -> None:
    recorder = fresh()
    recorder.call("f", {})
    recorder.result(name="f", replaces=True)
    recorder.result(name="f", error="again", replaces=True)
    assert errors(recorder) == [None]
    assert recorder.finish()["trace"]["unpaired_results"] == 1


def test_is_error_is_asked_about_results_that_exist() -> None:
    seen: list[str] = []
    recorder = fresh(is_error=seen.append)
    recorder.answered_call("f", {})
    recorder.answered_call("g", {}, text="")
    recorder.answered_call("h", {}, text="ok")
    recorder.answered_call("i", {}, text="said", error="told by the format")
    recorder.call("j", {})
    recorder.finish()
    assert seen == ["", "ok"]


def test_a_result_before_its_call_is_unpaired() -> None:
    recorder = fresh()
    recorder.result("a", text="early")
    recorder.call("f", {}, "a")
    assert recorder.finish()["trace"]["unanswered_calls"] == [0]


def test_ids_1_and_text_1_are_two_ids() -> None:
    recorder = fresh()
    recorder.call("f", {}, 1)
    recorder.call("f", {}, "1")
    recorder.result(1, text="of the number", error=True)
    assert errors(recorder) == ["of the number", None]


def test_an_answered_call_takes_no_later_result() -> None:
    recorder = fresh()
    recorder.call("f", {"n": 1})
    recorder.answered_call("f", {"n": 2}, text="own", error=True)
    recorder.result(name="f", text="of the first", error=True)
    assert errors(recorder) == ["of the first", "own"]


def test_results_of_hosted_tools_are_not_unpaired() -> None:
    recorder = fresh()
    recorder.hosted("search", "s1")
    recorder.result("s1", text="found")
    recorder.text("Found.")
    result = recorder.finish()
    assert (result["status"], result["trace"]["unpaired_results"]) == (FINAL, 0)
    assert result["trace"]["hosted"] == ["search"]


def test_pairing_by_id_agrees_with_a_search_through_all_calls() -> None:
    rng = random.Random(7)
    for _ in range(300):
        recorder = fresh()
        made: list[list[object]] = []  # id, name, error
        unpaired = 0
        for step in range(rng.randrange(1, 25)):
            own = rng.choice(["a", "b", None])
            name = rng.choice(["f", "g"])
            if rng.random() < 0.5:
                recorder.call(name, {}, own)
                made.append([own, name, None])
                continue
            said = f"result {step}"
            given = name if own is None or rng.random() < 0.5 else None
            recorder.result(own, name=given, text=said, error=True)
            waiting = [call for call in made if call[2] is None]
            if own is None:
                same_name = [call for call in waiting if call[1] == given]
                fits = [call for call in same_name if call[0] is None][:1] or same_name[:1]
            else:
                same_id = [call for call in waiting if call[0] == own]
                fits = (
                    [call for call in same_id if call[1] == given][-1:]
                    or same_id[-1:]
                    or [call for call in waiting if call[0] is None and call[1] == given][:1]
                )
            if fits:
                fits[0][2] = said
            else:
                unpaired += 1
        if made or unpaired:
            result = recorder.finish()
            assert [call.error for call in result["calls"]] == [error for _, _, error in made]
            assert result["trace"]["unpaired_results"] == unpaired


# Errors


@pytest.mark.parametrize(
    ("error", "text", "wanted"),
    [
        pytest.param(None, "Error: no", None, id="no signal"),
        pytest.param(False, "Error: no", None, id="signal says fine"),
        pytest.param(True, "no such file", "no such file", id="signal"),
        pytest.param(True, "", "the tool failed without a message", id="signal without a text"),
        pytest.param("card expired", "", "card expired", id="signal with a text of its own"),
        pytest.param("", "said", "said", id="signal with an empty text"),
        pytest.param(" ", "", "the tool failed without a message", id="signal with nothing"),
    ],
)
def test_the_error_of_a_call(error: bool | str | None, text: str, wanted: str | None) -> None:
    recorder = fresh()
    recorder.call("f", {}, "a")
    recorder.result("a", text=text, error=error)
    assert errors(recorder) == [wanted]


@pytest.mark.parametrize("error", [None, False])
def test_is_error_decides_where_the_format_has_not_said_failed(error: bool | None) -> None:
    seen: list[str] = []

    def rule(text: str) -> bool:
        seen.append(text)
        return text.startswith("Error")

    recorder = fresh(is_error=rule)
    for name in "fgh":
        recorder.call(name, {}, name)
    recorder.result("f", text="Error: no", error=error)
    recorder.result("g", text="fine", error=error)
    recorder.result("h", text="broken", error=True)
    assert errors(recorder) == ["Error: no", None, "broken"]
    assert seen == ["Error: no", "fine"]


@pytest.mark.parametrize("rule", ["Error", 1, ["Error"]])
def test_is_error_must_be_a_function(rule: object) -> None:
    with pytest.raises(TypeError, match=r"from_test: is_error must be a function of a result's"):
        fresh(is_error=rule)


def test_an_exception_of_the_users_own_rule_is_theirs() -> None:
    def rule(text: str) -> bool:
        raise RuntimeError("bug in the rule")

    recorder = fresh(is_error=rule)
    recorder.call("f", {}, "a")
    with pytest.raises(RuntimeError, match="bug in the rule"):
        recorder.result("a", text="x")


# Answer and status


def say(recorder: Recorder) -> None:
    recorder.turn()
    recorder.text("Done.")


def ask(recorder: Recorder) -> None:
    recorder.turn()
    recorder.call("f", {}, "a")


def answered(recorder: Recorder) -> None:
    ask(recorder)
    recorder.result("a", text="ok")


def silent(recorder: Recorder) -> None:
    recorder.turn(whole=True)
    recorder.text(" ")


STORIES = [
    pytest.param([say], FINAL, "Done.", id="a plain answer"),
    pytest.param([answered, say], FINAL, "Done.", id="call, result, answer"),
    pytest.param([ask, say], FINAL, "Done.", id="an earlier turn's call has no result"),
    pytest.param([Recorder.user, say], FINAL, "Done.", id="question, answer"),
    pytest.param([say, Recorder.user], INCOMPLETE, "Done.", id="ends in a question"),
    pytest.param([Recorder.user], INCOMPLETE, None, id="only a question"),
    pytest.param([say, ask], INCOMPLETE, None, id="ends in a call"),
    pytest.param([say, answered], INCOMPLETE, None, id="ends in a result"),
    pytest.param([ask, lambda r: r.text("Done.")], INCOMPLETE, "Done.", id="text beside a call"),
    pytest.param(
        [ask, lambda r: r.text("Wait."), lambda r: r.result("a", text="ok")],
        INCOMPLETE,
        "Wait.",
        id="a result after the text",
    ),
    pytest.param([lambda r: r.turn(), lambda r: r.text(" \n")], INCOMPLETE, None, id="blank text"),
    pytest.param([say, silent], INCOMPLETE, "Done.", id="a last message that says nothing"),
    pytest.param([say, silent, say], FINAL, "Done.", id="said nothing, then went on"),
    pytest.param([say, silent, Recorder.turn], FINAL, "Done.", id="a border, no message"),
    pytest.param(
        [say, silent, lambda r: r.ended(FINAL)], FINAL, "Done.", id="hung up without a word"
    ),
    pytest.param([say, lambda r: r.stop(CUT_OFF)], CUT_OFF, "Done.", id="cut off"),
    pytest.param([say, lambda r: r.stop(CUT_OFF), say], FINAL, "Done.", id="cut off, then went on"),
    pytest.param(
        [lambda r: r.turn(), lambda r: r.refusal("I won't.")], REFUSED, "I won't.", id="refused"
    ),
    pytest.param([say, lambda r: r.ended(FAILED)], FAILED, "Done.", id="the run broke"),
    pytest.param(
        [say, Recorder.user, lambda r: r.ended(FINAL)], FINAL, "Done.", id="hung up by the user"
    ),
    pytest.param([ask, lambda r: r.ended(FINAL)], INCOMPLETE, None, id="final is not believed"),
    pytest.param(
        [say, lambda r: r.call("dial", {}, "u", by_user=True), lambda r: r.result("u")],
        INCOMPLETE,
        "Done.",
        id="the user's own call keeps the answer",
    ),
]


@pytest.mark.parametrize(("story", "status", "answer"), STORIES)
def test_how_a_trace_ends(
    story: list[Callable[[Recorder], None]], status: str, answer: str | None
) -> None:
    recorder = fresh()
    for event in story:
        event(recorder)
    result = recorder.finish()
    assert (result["status"], result["answer"]) == (status, answer)


def test_the_parts_of_one_message_are_joined_and_a_later_message_replaces_them() -> None:
    recorder = fresh()
    recorder.turn()
    recorder.text("First, ")
    recorder.text("a thought.")
    assert recorder.finish()["answer"] == "First, a thought."
    recorder.turn()
    assert recorder.finish()["answer"] == "First, a thought.", "an empty message replaces nothing"
    recorder.text("Two ")
    recorder.text(" ")
    recorder.text("parts.")
    assert recorder.finish()["answer"] == "Two  parts."


def test_text_after_a_hosted_tool_replaces_the_text_before_it() -> None:
    recorder = fresh()
    recorder.turn()
    recorder.text("Let me search.")
    recorder.hosted("web_search")
    assert recorder.finish()["answer"] == "Let me search."
    recorder.text("It is ")
    recorder.text("raining.")
    assert recorder.finish()["answer"] == "It is raining."


def test_the_formats_own_word_on_the_end_is_taken() -> None:
    recorder = fresh()
    say(recorder)
    recorder.ended(FAILED)
    assert recorder.finish()["status"] == FAILED


def test_nothing_seen_is_an_error_that_shows_the_trace() -> None:
    wanted = r"from_test: expected messages, calls or results, got list \[7\]; nothing was found"
    with pytest.raises(TraceFormatError, match=wanted):
        fresh().finish([7])


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(Recorder.turn, id="an empty message"),
        pytest.param(Recorder.user, id="a question"),
        pytest.param(lambda r: r.text(" "), id="blank text"),
        pytest.param(lambda r: r.stop(FAILED), id="a reason to stop"),
        pytest.param(lambda r: r.hosted("search"), id="a hosted tool"),
        pytest.param(lambda r: r.result("x"), id="a stray result"),
        pytest.param(lambda r: r.call("f", {}), id="a call"),
    ],
)
def test_whatever_was_seen_makes_a_result(event: Callable[[Recorder], None]) -> None:
    recorder = fresh()
    event(recorder)
    result = recorder.finish()
    assert result["answer"] is None
    assert result["status"] != FINAL


def test_blanks_before_a_text_are_no_part_of_it() -> None:
    recorder = fresh()
    recorder.text(" ")
    recorder.text("Done.")
    assert recorder.finish()["answer"] == "Done."


def test_a_call_with_its_result_comes_after_the_text_before_it() -> None:
    recorder = fresh()
    say(recorder)
    recorder.answered_call("f", {}, text="ok")
    result = recorder.finish()
    assert (result["status"], result["answer"]) == (INCOMPLETE, None)


# Several conversations


def test_nothing_pairs_or_joins_across_conversations() -> None:
    recorder = fresh()
    ask(recorder)
    recorder.conversation()
    recorder.result("a", text="of another conversation", error=True)
    say(recorder)
    result = recorder.finish()
    assert result["calls"][0].error is None
    assert result["trace"]["unpaired_results"] == 1
    assert result["status"] == INCOMPLETE, "of the first, which nobody announced"


def broken(recorder: Recorder) -> None:
    say(recorder)
    recorder.ended(FAILED)


def nothing(recorder: Recorder) -> None:
    pass


@pytest.mark.parametrize(
    ("stories", "status"),
    [
        pytest.param([say, say, say], FINAL, id="all end"),
        pytest.param([say, say, ask], INCOMPLETE, id="the last does not"),
        pytest.param([ask, say, say], INCOMPLETE, id="the first does not"),
        pytest.param([say, ask, say], INCOMPLETE, id="the one between does not"),
        pytest.param([say, broken, ask], FAILED, id="the first trouble wins"),
        pytest.param([broken, say, say], FAILED, id="its trouble is not the next one's"),
        pytest.param([nothing, say, say], INCOMPLETE, id="an empty one first"),
        pytest.param([say, nothing, say], INCOMPLETE, id="an empty one between"),
    ],
)
def test_several_conversations_are_final_when_all_are(
    stories: list[Callable[[Recorder], None]], status: str
) -> None:
    recorder = fresh()
    recorder.cases(["one", "two", "three"])
    for story in stories:
        recorder.conversation()
        story(recorder)
    result = recorder.finish()
    assert result["status"] == status
    assert result["trace"]["cases"] == ["one", "two", "three"]


def test_a_conversation_does_not_inherit_the_answer_of_the_one_before() -> None:
    recorder = fresh()
    say(recorder)
    recorder.conversation()
    recorder.user()
    assert recorder.finish()["answer"] is None


def test_a_result_without_an_id_stays_in_its_conversation_too() -> None:
    recorder = fresh()
    recorder.call("f", {})
    recorder.conversation()
    recorder.result(name="f", text="of another conversation", error=True)
    assert errors(recorder) == [None]


# Counts


def test_the_counts_and_the_tools() -> None:
    recorder = fresh()
    recorder.call("g", "{", "a")
    recorder.call("f", {}, "b")
    recorder.call("g", {}, "c")
    recorder.result("b", text="ok")
    recorder.result("x", text="stray")
    recorder.hosted("search")
    result = recorder.finish()
    assert result["tool_calls"] == 3
    assert result["tools_used"] == ["g", "f"]
    assert result["trace"] == {
        "format": "test",
        "calls": 3,
        "unanswered": 2,
        "unanswered_calls": [0, 2],
        "unpaired_results": 1,
        "unparsed_arguments": 1,
        "hosted": ["search"],
    }
