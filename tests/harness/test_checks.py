"""What checks say, and the check made of a judge and a rubric."""

from __future__ import annotations

import asyncio
import functools
import pickle

import pytest

from agenteval.harness import evaluate, grade, rubric_check, run_task


def numpy_like(name, *, value):
    """Make a bool like numpy's: neither True nor False by `is`; it goes by two names."""
    return type(name, (), {"__bool__": lambda self: value})()


@pytest.mark.parametrize(
    ("said", "reasons"),
    [
        pytest.param(None, [], id="None"),
        pytest.param(True, [], id="True"),
        pytest.param([], [], id="empty list"),
        pytest.param((), [], id="empty tuple"),
        pytest.param("no claim", ["no claim"], id="text"),
        pytest.param(["a", "b"], ["a", "b"], id="list"),
        pytest.param(False, ["check failed: check"], id="False"),
        pytest.param(numpy_like("bool_", value=True), [], id="numpy 1 true"),
        pytest.param(numpy_like("bool", value=False), ["check failed: check"], id="numpy 2 false"),
        pytest.param(0, ["check error: check: TypeError"], id="a number"),
        pytest.param({}, ["check error: check: TypeError"], id="a dict"),
        pytest.param([None], ["check error: check: TypeError"], id="list of None"),
        pytest.param("", ["check error: check: ValueError"], id="empty text"),
        pytest.param([""], ["check error: check: ValueError"], id="list of empty text"),
    ],
)
def test_what_a_check_may_say(make_task, make_result, said, reasons):
    def check(task, result):
        return said

    assert grade(make_task(), make_result(), [check]) == reasons

    async def check(task, result):
        return said

    assert grade(make_task(), make_result(), [check]) == reasons


class Named:
    name = "state"

    def __call__(self, task, result):
        return False


class Plain:
    def __call__(self, task, result):
        return False


def failing(task, result):
    return False


@pytest.mark.parametrize(
    ("check", "name"),
    [
        pytest.param(failing, "failing", id="function"),
        pytest.param(functools.partial(functools.partial(failing)), "failing", id="partial"),
        pytest.param(Named(), "state", id="own name"),
        pytest.param(Plain(), "Plain", id="class"),
        pytest.param(lambda task, result: False, "<lambda>", id="lambda"),
        pytest.param(Plain().__call__, "__call__", id="method"),
    ],
)
def test_the_name_of_a_check(make_task, make_result, check, name):
    assert grade(make_task(), make_result(), [check]) == [f"check failed: {name}"]


@pytest.mark.parametrize("kind", [KeyError, SystemExit, asyncio.CancelledError, GeneratorExit])
def test_a_check_that_raises_fails_its_run_and_no_other_check(make_task, make_result, kind):
    def broken(task, result):
        raise kind("boom")

    def after(task, result):
        return "asked, too"

    run = run_task(lambda given: make_result(), make_task(), checks=[broken, after])
    assert run["reasons"] == [f"check error: broken: {kind.__name__}", "asked, too"]
    assert not run["passed"]
    (said,) = run["check_errors"]
    assert said.startswith(f"broken: {kind.__name__}: ")
    assert "boom" in said


def test_keyboard_interrupt_of_a_check_stops(make_task, make_result):
    def check(task, result):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grade(make_task(), make_result(), [check])


def test_a_check_sees_the_whole_task_and_result(make_task):
    seen = []

    def check(task, result):
        seen.append((task, result))

    task = make_task(metadata={"db": 7}, own=1)
    result = {"status": "final", "answer": "yes", "calls": [{"name": "rm"}], "extra": [1]}
    run_task(lambda given: result, task, checks=[check])
    assert seen == [(task, {**result, "tool_calls": 1, "tools_used": ["rm"]})]


def test_what_a_check_changes_stays_with_it(make_task, make_result):
    def vandal(task, result):
        assert task["expected"] == "yes"
        assert result["answer"] == "yes"
        task["expected"] = "no"
        result["answer"] = "no"

    tasks = [make_task()]
    report = evaluate(lambda given: make_result(), tasks, checks=[vandal, vandal], repeats=2)
    assert report["reasons"] == {}
    assert tasks == [make_task()]


def test_no_check_is_asked_after_an_error(make_task):
    asked = []
    run = run_task(lambda given: 1 / 0, make_task(), checks=[lambda *_: asked.append(1)])
    assert (run["reasons"], asked) == (["error: ZeroDivisionError"], [])


@pytest.mark.parametrize(
    ("verdict", "reasons"),
    [
        pytest.param(True, [], id="met"),
        pytest.param(False, ["check failed: tone"], id="not met"),
        pytest.param(0.7, [], id="at the threshold"),
        pytest.param(0.69, ["tone: score 0.69 is below 0.70"], id="below"),
        pytest.param(1, [], id="a whole score"),
        pytest.param(0, ["tone: score 0.00 is below 0.70"], id="zero"),
        pytest.param((True, "fine"), [], id="met, with why"),
        pytest.param((False, "rude"), ["tone: rude"], id="not met, with why"),
        pytest.param((False, ""), ["check failed: tone"], id="not met, empty why"),
        pytest.param(
            (0.1, "rude"), ["tone: rude (score 0.10 is below 0.70)"], id="below, with why"
        ),
        pytest.param(1.5, ["check error: tone: ValueError"], id="above 1"),
        pytest.param(float("nan"), ["check error: tone: ValueError"], id="NaN"),
        pytest.param("good", ["check error: tone: TypeError"], id="text"),
        pytest.param(None, ["check error: tone: TypeError"], id="None"),
        pytest.param((None, "?"), ["check error: tone: TypeError"], id="None, with why"),
    ],
)
def test_a_judge_and_a_rubric(make_task, make_result, verdict, reasons):
    asked = []

    def judge(**given):
        asked.append(given)
        return verdict

    async def slow_judge(**given):
        return verdict

    check = rubric_check(judge, "Be kind.", threshold=0.7, name="tone")
    assert grade(make_task(), make_result(), [check]) == reasons
    assert asked == [{"rubric": "Be kind.", "input": "question", "answer": "yes"}]
    check = rubric_check(slow_judge, "Be kind.", threshold=0.7, name="tone")
    assert grade(make_task(), make_result(), [check]) == reasons


def test_no_answer_is_not_judged(make_task, make_result):
    check = rubric_check(lambda **_: pytest.fail("asked"), "Be kind.")
    reasons = grade(make_task(expected=None), make_result(answer=None), [check])
    assert reasons == ["rubric: no answer to judge"]


def judge_of_this_module(**given):
    return 0.0


def test_a_rubric_check_pickles(make_task, make_result):
    check = pickle.loads(pickle.dumps(rubric_check(judge_of_this_module, "Be kind.")))
    assert grade(make_task(), make_result(), [check]) == ["rubric: score 0.00 is below 0.50"]


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        (("judge", "r"), TypeError, "rubric_check: judge must be callable, got str 'judge'"),
        ((len, "r", "0.5"), TypeError, "rubric_check: threshold must be a number from 0 to 1"),
        ((len, "r", True), TypeError, "rubric_check: threshold must be a number from 0 to 1"),
        ((len, "r", 1.1), ValueError, "threshold must be a number from 0 to 1, got 1.1"),
        ((len, "r", float("nan")), ValueError, "threshold must be a number from 0 to 1, got nan"),
    ],
    ids=["judge", "text", "bool", "above", "NaN"],
)
def test_bad_rubric_checks(arguments, kind, text):
    judge, rubric, *threshold = arguments
    with pytest.raises(kind, match=text):
        rubric_check(judge, rubric, **dict(zip(["threshold"], threshold, strict=False)))
