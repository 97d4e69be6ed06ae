"""The agent that plays a script."""

from __future__ import annotations

import copy
import pickle

import pytest

from agenteval.harness import evaluate, scripted_agent

YES = {"status": "final", "answer": "yes"}
NO = {"status": "final", "answer": "no"}


def test_it_answers_as_scripted():
    agent = scripted_agent({"a": YES, ("b", 1): None, "c": KeyError("c"), "d": SystemExit})
    assert agent("a") == YES
    assert agent(("b", 1)) is None
    with pytest.raises(KeyError, match="c"):
        agent("c")
    with pytest.raises(SystemExit):
        agent("d")


def test_results_are_copies():
    script = {"a": {"calls": [{"name": "x"}]}}
    agent = scripted_agent(script)
    agent("a")["calls"].clear()
    assert agent("a") == {"calls": [{"name": "x"}]}
    script["a"] = None
    assert agent("a") == {"calls": [{"name": "x"}]}


def test_a_list_is_one_entry_a_call():
    agent = scripted_agent({"a": [YES, KeyError, NO], "b": [NO]})
    assert agent("a") == YES
    assert agent("b") == NO
    with pytest.raises(KeyError):
        agent("a")
    assert agent("a") == NO
    with pytest.raises(LookupError, match="'a' has 3 entries, one a repeat, and repeat 3"):
        agent("a")


@pytest.mark.parametrize("workers", [1, 4])
def test_a_list_is_one_entry_a_repeat_whoever_comes_first(workers):
    agent = scripted_agent({"a": [YES, NO, YES, NO], "b": [NO, NO, YES, KeyError("b")]})
    tasks = [{"id": name, "input": name, "expected": "yes"} for name in "ab"]
    for _ in range(5):
        report = evaluate(agent, tasks, repeats=4, max_workers=workers)
        assert [run["passed"] for run in report["runs"]] == [1, 0, 1, 0, 0, 0, 1, 0]


def test_an_exception_gathers_no_history():
    error = KeyError("x")
    agent = scripted_agent({"a": error})
    for _ in range(3):
        with pytest.raises(KeyError) as caught:
            agent("a")
        assert caught.value is not error
    assert error.__traceback__ is None


def test_it_pickles_and_copies():
    agent = scripted_agent({"a": [YES, NO]})
    for again in (pickle.loads(pickle.dumps(agent)), copy.deepcopy(agent)):
        assert [again("a"), again("a")] == [YES, NO]


def test_an_input_that_is_not_in_the_script():
    agent = scripted_agent({"a": YES})
    with pytest.raises(LookupError, match=r"no entry for the input 'b'; the script has \['a'\]"):
        agent("b")


@pytest.mark.parametrize("script", [None, [YES], "a"], ids=repr)
def test_the_script_must_be_a_mapping(script):
    with pytest.raises(TypeError, match="scripted_agent: script must map inputs to results, got"):
        scripted_agent(script)
