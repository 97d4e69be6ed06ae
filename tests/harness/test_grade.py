"""The reasons, their order, and results that break the contract."""

from __future__ import annotations

import enum
import itertools
import json
import types
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import pytest

from agenteval.harness import grade, run_task
from agenteval.trajectory import Call


class Text(str, enum.Enum):
    FINAL = "final"
    YES = "Yes."


@pytest.mark.parametrize(
    ("expected", "answer", "passes"),
    [
        pytest.param("Paris", "paris.", True, id="normalized"),
        pytest.param("Paris", "Lyon", False, id="other text"),
        pytest.param("Paris", "It is Paris", False, id="containing is not equal"),
        pytest.param("Paris", None, False, id="None never matches"),
        pytest.param("None", None, False, id="None is not its text"),
        pytest.param("", None, False, id="None is not empty text"),
        pytest.param("", "", True, id="empty text"),
        pytest.param(5, "5", True, id="int as its text"),
        pytest.param(5, "5.", True, id="int and trailing stop"),
        pytest.param("5", "5", True, id="number as text"),
        pytest.param(5, "5.0", False, id="int is not a float's text"),
        pytest.param(5.0, "5.0", True, id="float as its text"),
        pytest.param(5.0, "5", False, id="float is not an int's text"),
        pytest.param(-0.5, "-0.5", True, id="negative"),
        pytest.param(Decimal("1.10"), "1.10", True, id="decimal"),
        pytest.param(Fraction(1, 3), "1/3", True, id="fraction"),
        pytest.param(["Paris", "City of Light"], "city of light!", True, id="one of several"),
        pytest.param(["Paris", "City of Light"], "Lyon", False, id="none of several"),
        pytest.param([5, "five", 5.0], "5.0", True, id="one of several numbers"),
        pytest.param(("a", "b"), "b", True, id="a tuple of several"),
        pytest.param(["a"], None, False, id="None and several"),
        pytest.param(None, None, True, id="no fixed answer, no answer"),
        pytest.param(None, "anything", True, id="no fixed answer"),
        pytest.param("yes", Text.YES, True, id="an enum member that is text"),
    ],
)
def test_the_answer(make_task, make_result, expected, answer, passes):
    reasons = grade(make_task(expected=expected), make_result(answer=answer))
    assert reasons == ([] if passes else ["wrong answer"])


def test_all_reasons_come_in_their_order(make_task):
    task = make_task(
        max_tool_calls=1, max_cost=0.1, max_seconds=2, forbidden_tools=["rm", "cp", "mv"]
    )
    result = {
        "status": "stopped",
        "answer": "no",
        "tool_calls": 2,
        "tools_used": ["rm", "ls", "cp", "rm"],
        "cost": 0.11,
    }

    def unhappy(task, result):
        return ["too long", "too rude"]

    def broken(task, result):
        return {}["claim"]

    def strict(task, result):
        return False

    assert grade(task, result, [unhappy, broken, strict], seconds=2.5) == [
        "not final",
        "wrong answer",
        "over budget",
        "over cost",
        "over time",
        "forbidden tool: cp",
        "forbidden tool: rm",
        "too long",
        "too rude",
        "check error: broken: KeyError",
        "check failed: strict",
    ]


def test_a_limit_may_be_reached(make_task, make_result):
    task = make_task(max_tool_calls=2, max_cost=0.5, max_seconds=3)
    assert grade(task, make_result(tool_calls=2, cost=0.5), seconds=3) == []
    assert grade(make_task(max_tool_calls=0), make_result()) == []
    assert grade(make_task(max_tool_calls=0), make_result(tool_calls=1)) == ["over budget"]


def test_reasons_are_independent_of_each_other(make_task):
    """Every combination of faults gives exactly its own reasons."""
    task = make_task(max_tool_calls=1, max_cost=1.0, forbidden_tools=["rm"])
    faults = {
        "not final": {"status": "gave up"},
        "wrong answer": {"answer": "no"},
        "over budget": {"tool_calls": 2},
        "over cost": {"cost": 2.0},
        "forbidden tool: rm": {"tools_used": ["rm"]},
    }
    healthy = {"status": "final", "answer": "yes", "tool_calls": 1, "tools_used": [], "cost": 1.0}
    for chosen in itertools.product([False, True], repeat=len(faults)):
        result = dict(healthy)
        for take, change in zip(chosen, faults.values(), strict=True):
            result.update(change if take else {})
        assert grade(task, result) == list(itertools.compress(faults, chosen))


@pytest.mark.parametrize(
    "result",
    [
        pytest.param({"calls": [Call("rm"), Call("ls")]}, id="Call objects"),
        pytest.param({"calls": [{"name": "rm", "args": {}}, {"name": "ls"}]}, id="dicts"),
        pytest.param(
            {"calls": (types.SimpleNamespace(name="rm", args={}, error=None),) * 2},
            id="look-alikes",
        ),
    ],
)
def test_counts_follow_from_the_calls(make_task, result):
    task = make_task(max_tool_calls=1, forbidden_tools=["rm"])
    reasons = grade(task, {"status": "final", "answer": "yes", **result})
    assert reasons == ["over budget", "forbidden tool: rm"]


def test_counts_may_say_more_than_the_calls(make_task):
    """A provider may have made calls that the agent has no arguments of."""
    result = {
        "status": "final",
        "answer": "yes",
        "calls": [Call("ls")],
        "tool_calls": 3,
        "tools_used": ["ls", "search"],
    }
    task = make_task(max_tool_calls=2, forbidden_tools=["search"])
    assert grade(task, result) == ["over budget", "forbidden tool: search"]


BUDGET = {"max_tool_calls": 2}
FORBIDS = {"forbidden_tools": ["rm"]}
PRICED = {"max_cost": 1.0}
DROP = object()

BROKEN = [
    pytest.param(
        {}, None, TypeError, "must be a dict with 'status'.* got NoneType None", id="None"
    ),
    pytest.param({}, "final", TypeError, "must be a dict .* got str 'final'", id="text"),
    pytest.param({}, [("status", "final")], TypeError, "must be a dict .* got list", id="pairs"),
    pytest.param(
        {},
        [{"role": "assistant", "content": "yes"}],
        TypeError,
        r"must be a dict .* got list .*of a conversation return agenteval.from_trace\(messages\)",
        id="messages",
    ),
    pytest.param({}, {"status": DROP}, KeyError, "'status' is missing", id="no status"),
    pytest.param({}, {"status": None}, KeyError, "'status' is missing", id="status None"),
    pytest.param(
        {}, {"status": True}, TypeError, "'status' must be a str, got bool", id="status bool"
    ),
    pytest.param(
        {}, {"answer": DROP}, KeyError, "'answer' is missing: the task expects one", id="no answer"
    ),
    pytest.param(
        {},
        {"answer": DROP, "anwser": "yes"},
        KeyError,
        r"'answer' is missing \(is 'anwser' meant to be it\?\)",
        id="misspelled answer",
    ),
    pytest.param(
        {},
        {"answer": 5},
        TypeError,
        "'answer' must be a str, got int 5; return text or None",
        id="number as answer",
    ),
    pytest.param(
        {},
        {"answer": {"a": 1}},
        TypeError,
        "structured output under 'metadata'",
        id="dict as answer",
    ),
    pytest.param(
        {},
        {"tool_calls": True},
        TypeError,
        "'tool_calls' must be an int .* got bool True",
        id="count bool",
    ),
    pytest.param(
        {},
        {"tool_calls": 1.0},
        TypeError,
        "'tool_calls' must be an int .* got float 1.0",
        id="count float",
    ),
    pytest.param(
        {}, {"tool_calls": "1"}, TypeError, "'tool_calls' must be an int", id="count text"
    ),
    pytest.param(
        {},
        {"tool_calls": -1},
        ValueError,
        "'tool_calls' must be an int of at least 0, got -1",
        id="count negative",
    ),
    pytest.param(
        {},
        {"tools_used": "rm"},
        TypeError,
        "'tools_used' must be a list of tool names, got str",
        id="names text",
    ),
    pytest.param(
        {}, {"tools_used": {"rm": 1}}, TypeError, "'tools_used' must be a list", id="names dict"
    ),
    pytest.param({}, {"tools_used": 3}, TypeError, "'tools_used' must be a list", id="names int"),
    pytest.param(
        {}, {"tools_used": [None]}, TypeError, r"'tools_used'\[0\] must be a str", id="name None"
    ),
    pytest.param({}, {"calls": "rm"}, TypeError, "'calls' must be a list of Call", id="calls text"),
    pytest.param(
        {}, {"calls": {"name": "rm"}}, TypeError, "'calls' must be a list", id="calls dict"
    ),
    pytest.param(
        {},
        {"calls": [{"args": {}}]},
        TypeError,
        r"'calls'\[0\]: a call needs a 'name'",
        id="call without name",
    ),
    pytest.param(
        {},
        {"calls": [Call("ls"), {"name": "rm", "args": "{}"}]},
        TypeError,
        r"'calls'\[1\]: Call\('rm'\): args must be a mapping",
        id="arguments text",
    ),
    pytest.param(
        {},
        {"calls": [{"name": "rm", "error": 3}]},
        TypeError,
        r"'calls'\[0\]: .*error must be a str or None",
        id="error no text",
    ),
    pytest.param(
        {},
        {"calls": [Call("ls")] * 3, "tool_calls": 1, "tools_used": ["ls"]},
        ValueError,
        "'tool_calls' is 1, but 'calls' lists 3",
        id="fewer counted than listed",
    ),
    pytest.param(
        {},
        {"calls": [Call("rm")], "tool_calls": 1, "tools_used": []},
        ValueError,
        "'tools_used' lacks 'rm', which 'calls' lists",
        id="a tool left out",
    ),
    pytest.param(
        {},
        {"cost": -0.1},
        ValueError,
        r"'cost' \(USD\) must be a number of at least 0",
        id="cost negative",
    ),
    pytest.param({}, {"cost": float("nan")}, ValueError, "'cost' .*got nan", id="cost NaN"),
    pytest.param({}, {"cost": float("inf")}, ValueError, "'cost' .*got inf", id="cost infinite"),
    pytest.param({}, {"cost": "0.1"}, TypeError, "'cost' .*got str '0.1'", id="cost text"),
    pytest.param({}, {"cost": True}, TypeError, "'cost' .*got bool", id="cost bool"),
    pytest.param(
        {},
        {"first_output_seconds": -1},
        ValueError,
        "'first_output_seconds' must be",
        id="negative wait",
    ),
    pytest.param(
        {}, {"usage": [1]}, TypeError, "'usage' must be a dict, got list", id="usage list"
    ),
    pytest.param(
        BUDGET,
        {"tool_calls": DROP},
        KeyError,
        "'tool_calls' is missing: the task has 'max_tool_calls'",
        id="budget, no count",
    ),
    pytest.param(
        BUDGET, {"tool_calls": None}, KeyError, "'tool_calls' is missing", id="budget, None"
    ),
    pytest.param(
        FORBIDS,
        {"tools_used": DROP},
        KeyError,
        "'tools_used' is missing: the task has 'forbidden_tools'",
        id="forbidden, no names",
    ),
    pytest.param(
        FORBIDS,
        {"tools_used": DROP, "tool_used": ["rm"]},
        KeyError,
        r"is 'tool_used' meant to be it",
        id="forbidden, misspelled names",
    ),
    pytest.param(PRICED, {}, KeyError, "'cost' is missing: the task has 'max_cost'", id="no cost"),
]


@pytest.mark.parametrize(("more", "change", "kind", "text"), BROKEN)
def test_a_broken_contract_never_passes(make_task, make_result, more, change, kind, text):
    task = make_task(**more)
    result = change
    if isinstance(change, dict):
        whole = make_result(**change)
        result = {key: value for key, value in whole.items() if value is not DROP}
    with pytest.raises(kind, match=text) as caught:
        grade(task, result)
    assert "the agent's result for task 't'" in str(caught.value)

    run = run_task(lambda given: result, task)
    assert run["reasons"] == [f"error: {kind.__name__}"]
    assert not run["passed"]
    assert run["error"] == f"{kind.__name__}: {caught.value.args[0]}"
    assert "traceback" not in run


def test_what_can_be_read_of_a_broken_result_is_kept(make_task):
    """The money was spent, whatever else is wrong."""
    result = {"status": "final", "answer": "yes", "tool_calls": "two", "cost": 0.4, "usage": [1]}
    run = run_task(lambda given: result, make_task())
    assert run["reasons"] == ["error: TypeError"]
    assert (run["answer"], run["cost"], run["tool_calls"]) == ("yes", 0.4, None)
    assert "usage" not in run


def test_what_no_task_asks_for_may_be_left_out(make_task):
    run = run_task(lambda given: {"status": "final", "answer": "yes"}, make_task())
    assert run["passed"]
    assert (run["tool_calls"], run["tools_used"]) == (None, None)
    assert not {"calls", "cost", "usage", "metadata", "first_output_seconds"} & run.keys()


def test_an_empty_list_of_forbidden_tools_asks_for_nothing(make_task):
    assert grade(make_task(forbidden_tools=[]), {"status": "final", "answer": "yes"}) == []


def test_an_unfinished_run_need_not_have_an_answer(make_task):
    assert grade(make_task(), {"status": "out of steps"}) == ["not final", "wrong answer"]


def test_any_mapping_is_a_result(make_task, make_result):
    assert grade(make_task(), types.MappingProxyType(make_result())) == []


def test_plain_values_of_special_ones(make_task):
    result = {
        "status": Text.FINAL,
        "answer": Text.YES,
        "tools_used": {"c", "a", "b"},
        "cost": Decimal("0.25"),
        "first_output_seconds": Fraction(1, 2),
        "usage": Counter(tokens=3),
    }
    run = run_task(lambda given: result, make_task())
    assert run["passed"]
    assert run["tools_used"] == ["a", "b", "c"]
    assert json.loads(json.dumps(run)) == run
    assert type(run["status"]) is type(run["answer"]) is str


def test_a_run_can_be_graded_again(make_task, make_result):
    task = make_task(forbidden_tools=["rm"], max_seconds=5)
    run = run_task(lambda given: make_result(tools_used=["rm"]), task)
    assert grade(task, run, seconds=run["seconds"]) == run["reasons"] == ["forbidden tool: rm"]


def test_nothing_is_changed(make_task):
    task = make_task(forbidden_tools=["b", "a"])
    result = {"status": "final", "answer": "yes", "calls": [{"name": "a", "args": {"x": [1]}}]}
    before = json.dumps([task, result])

    def vandal(task, result):
        task.clear()
        result.clear()

    grade(task, result, [vandal, vandal])
    assert json.dumps([task, result]) == before


def test_the_time_must_be_known_where_it_counts(make_task, make_result):
    task = make_task(max_seconds=1)
    with pytest.raises(TypeError, match="grade: task 't' has 'max_seconds'; pass seconds="):
        grade(task, make_result())
    with pytest.raises(ValueError, match="grade: seconds must be a number of at least 0, got -1"):
        grade(task, make_result(), seconds=-1)


def test_the_task_is_checked_too(make_task, make_result):
    with pytest.raises(ValueError, match="grade: task 't': unknown key 'forbiden_tools'"):
        grade(make_task(forbiden_tools=["rm"]), make_result())
