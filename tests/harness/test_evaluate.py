"""All tasks: the report, its order, and the options."""

from __future__ import annotations

import asyncio
import itertools
import json
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from agenteval.harness import evaluate, evaluate_async, iter_runs, scripted_agent, summarize


def test_three_tasks():
    """One right, one right with a forbidden tool, one that crashes."""
    agent = scripted_agent(
        {
            "2 + 3": {"status": "final", "answer": "5", "tool_calls": 1, "tools_used": ["calc"]},
            "7 - 4": {"status": "final", "answer": "3", "tool_calls": 1, "tools_used": ["rm"]},
            "1 / 0": KeyError("order"),
        }
    )
    tasks = [
        {
            "id": f"t{place}",
            "input": given,
            "expected": expected,
            "max_tool_calls": 2,
            "forbidden_tools": ["rm"],
        }
        for place, (given, expected) in enumerate([("2 + 3", "5"), ("7 - 4", "3"), ("1 / 0", "")])
    ]
    report = evaluate(agent, tasks)
    assert report["pass_rate"] == pytest.approx(1 / 3)
    assert [run["reasons"] for run in report["runs"]] == [
        [],
        ["forbidden tool: rm"],
        ["error: KeyError"],
    ]
    assert (report["passed"], report["total"], report["tasks"]) == (1, 3, 3)
    assert report["reasons"] == {"forbidden tool: rm": 1, "error: KeyError": 1}
    assert report.keys() == {"pass_rate", "passed", "total", "tasks", "reasons", "runs"}


def test_a_report_is_plain_data(make_task, good):
    report = evaluate(good, [make_task()], repeats=2, label="v7")
    assert isinstance(report, dict)
    assert report["label"] == "v7"
    assert json.loads(json.dumps(report)) == report
    assert pickle.loads(pickle.dumps(report)) == report


def test_runs_come_in_task_order_then_by_repeat(make_task, make_result):
    """Whatever finishes first: here later runs finish before earlier ones."""
    gates = {(name, turn): threading.Event() for name in "ba" for turn in range(2)}
    turns = {name: itertools.count() for name in "ba"}

    def agent(name):
        turn = next(turns[name])
        later = ("a", turn) if name == "b" else None
        if later:
            assert gates[later].wait(5)
        gates[name, turn].set()
        return make_result()

    tasks = [make_task(name, input=name) for name in "ba"]
    report = evaluate(agent, tasks, repeats=2, max_workers=4)
    assert [(run["id"], run["repeat"]) for run in report["runs"]] == [
        ("b", 0),
        ("b", 1),
        ("a", 0),
        ("a", 1),
    ]
    assert report["passed"] == 4


def test_reasons_are_counted_commonest_first(make_task):
    answers = ["yes", "no", "no", "no", "yes"]
    agent = scripted_agent(
        {
            "question": [
                {"status": "final", "answer": answer, "tools_used": ["rm"] * (place > 2)}
                for place, answer in enumerate(answers)
            ]
        }
    )
    report = evaluate(agent, [make_task(forbidden_tools=["rm"])], repeats=5)
    assert list(report["reasons"].items()) == [("wrong answer", 3), ("forbidden tool: rm", 2)]


def test_iter_runs_yields_as_they_come_and_no_further(make_task, make_result):
    started = []

    def agent(given):
        started.append(given)
        return make_result()

    runs = iter_runs(agent, [make_task(place, input=place) for place in range(9)])
    assert started == []
    assert next(runs)["id"] == 0
    assert started == [0]
    assert [run["id"] for run in runs] == list(range(1, 9))


def test_iter_runs_in_threads_stays_within_its_window(make_task, make_result, no_threads_left):
    started = []

    def agent(given):
        started.append(given)
        return make_result()

    runs = iter_runs(agent, [make_task(place) for place in range(100)], max_workers=3)
    next(runs)
    threading.Event().wait(0.05)
    assert len(started) <= 3 * 2 + 1
    runs.close()


def test_a_report_of_runs_is_the_report(make_task, good):
    tasks = [make_task(place) for place in range(3)]
    report = evaluate(good, tasks, repeats=2)
    again = summarize(iter(report["runs"]))
    assert again == report


@pytest.mark.parametrize(
    ("runs", "kind", "text"),
    [
        pytest.param([], ValueError, "summarize: there are no runs, so no pass rate", id="none"),
        pytest.param(
            ["run"], TypeError, "summarize: the run at position 0 must be a dict", id="text"
        ),
        pytest.param(
            [{"id": 1, "reasons": []}], ValueError, "position 0 has no 'passed'", id="key"
        ),
    ],
)
def test_what_cannot_be_summarized(runs, kind, text):
    with pytest.raises(kind, match=text):
        summarize(runs)


SHUT_DOWN = ThreadPoolExecutor(1)
SHUT_DOWN.shutdown()

BAD = [
    pytest.param(
        {"repeats": 0}, ValueError, "repeats must be an int of at least 1, got 0", id="repeats=0"
    ),
    pytest.param(
        {"repeats": True}, TypeError, "repeats must be an int .*got bool", id="repeats=True"
    ),
    pytest.param(
        {"repeats": 1.5}, TypeError, "repeats must be an int .*got float", id="repeats=1.5"
    ),
    pytest.param(
        {"max_workers": 0}, ValueError, "max_workers must be an int of at least 1", id="no workers"
    ),
    pytest.param({"max_workers": "4"}, TypeError, "max_workers must be an int", id="workers text"),
    pytest.param(
        {"max_workers": 2, "executor": SHUT_DOWN},
        ValueError,
        "got both max_workers=2 and an executor",
        id="both",
    ),
    pytest.param(
        {"executor": 4},
        TypeError,
        "executor must be a concurrent.futures.Executor, got int",
        id="executor",
    ),
    pytest.param(
        {"executor": type("Client", (), {"get_executor": None})()},
        TypeError,
        r"of a Dask client pass client.get_executor\(\)",
        id="client",
    ),
    pytest.param(
        {"executor": SHUT_DOWN},
        RuntimeError,
        "takes no more work .*Pass an executor that is not shut down",
        id="shut down",
    ),
    pytest.param(
        {"timeout": -1}, ValueError, r"timeout \(s\) must be a number above 0, got -1", id="timeout"
    ),
    pytest.param(
        {"retry_on": ["x"]}, TypeError, "retry_on must list exception types", id="retry_on"
    ),
    pytest.param(
        {"max_retries": -1},
        ValueError,
        "max_retries must be an int of at least 0",
        id="max_retries",
    ),
    pytest.param({"checks": [1]}, TypeError, r"checks\[0\] must be a callable", id="check"),
    pytest.param(
        {"resume": True},
        ValueError,
        "resume needs a log to go on with; pass log=",
        id="resume alone",
    ),
    pytest.param({"log": 7}, TypeError, "log must be a path or None, got int 7", id="log"),
    pytest.param(
        {"label": 7}, TypeError, "label must be a str, the agent's version, or None", id="label"
    ),
    pytest.param(
        {"progress": "yes"}, TypeError, "progress must be a bool or a callable", id="progress"
    ),
]


@pytest.mark.parametrize(("options", "kind", "text"), BAD)
def test_bad_options_cost_nothing(make_task, options, kind, text, no_threads_left):
    asked = []
    with pytest.raises(kind, match=text) as caught:
        evaluate(asked.append, [make_task()], **options)
    assert str(caught.value).startswith("evaluate: ")
    with pytest.raises(kind, match=text):
        list(iter_runs(asked.append, [make_task()], **options))
    with pytest.raises(kind, match=text):
        asyncio.run(evaluate_async(asked.append, [make_task()], **options))
    assert asked == []


@pytest.mark.parametrize("agent", [None, "agent"], ids=repr)
def test_the_agent_must_be_callable(make_task, agent):
    with pytest.raises(TypeError, match=r"evaluate: agent must be a callable agent\(input\), got"):
        evaluate(agent, [make_task()])


def test_tasks_are_not_changed(make_task, good):
    tasks = [make_task(input={"x": [1]}, forbidden_tools=["b", "a"])]
    before = json.dumps(tasks)
    evaluate(good, tasks, repeats=2, checks=[lambda task, result: task.clear()])
    assert json.dumps(tasks) == before
