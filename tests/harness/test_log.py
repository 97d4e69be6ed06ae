"""A log of the evaluation: written as it goes, resumed, and never a run done twice."""

from __future__ import annotations

import asyncio
import json
import pickle
import random
import threading
from collections import Counter

import pytest

from agenteval.harness import evaluate, evaluate_async, iter_runs
from agenteval.runlog import RunLogError, read_log


def by_await(agent, tasks, **options):
    return asyncio.run(evaluate_async(agent, tasks, **options))


WAYS = [pytest.param(evaluate, id="evaluate"), pytest.param(by_await, id="evaluate_async")]


@pytest.fixture
def log(tmp_path):
    return tmp_path / "log.jsonl"


@pytest.fixture
def tasks(make_task):
    return [make_task(place, input=place) for place in (3, "3", 1, 2)]


class Stop(BaseException):
    pass


class Counting:
    """Counts its calls for each input; raises KeyboardInterrupt at the call it is told to."""

    def __init__(self, stop_at=None):
        self.calls = Counter()
        self.stop_at = stop_at
        self.lock = threading.Lock()

    def __call__(self, given):
        with self.lock:
            self.calls[given] += 1
            if self.calls.total() == self.stop_at:
                raise KeyboardInterrupt
        return {"status": "final", "answer": "yes", "tool_calls": 0, "tools_used": []}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("workers", [1, 3])
def test_the_log_has_the_runs_of_the_report(tasks, log, way, workers):
    report = way(Counting(), tasks, repeats=2, log=log, label="v1", max_workers=workers)
    stored = list(read_log(log))
    place = {("int", 3): 0, ("str", "3"): 1, ("int", 1): 2, ("int", 2): 3}
    stored.sort(key=lambda run: (place[type(run["id"]).__name__, run["id"]], run["repeat"]))
    assert stored == report["runs"]
    assert report["label"] == "v1"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("workers", [1, 3])
def test_a_stopped_evaluation_goes_on_where_it_was(tasks, log, way, workers, no_threads_left):
    agent = Counting(stop_at=6)
    with pytest.raises(KeyboardInterrupt):
        way(agent, tasks, repeats=3, log=log, max_workers=workers)
    done = [(run["id"], run["repeat"]) for run in read_log(log)]
    assert len(done) < 12
    assert workers > 1 or len(done) >= 5  # a thread may do one more before it is stopped

    rest = Counting()
    report = way(rest, tasks, repeats=3, log=log, resume=True, max_workers=workers)
    assert rest.calls.total() == 12 - len(done)
    assert [(run["id"], run["repeat"]) for run in report["runs"]] == [
        (task["id"], repeat) for task in tasks for repeat in range(3)
    ]
    assert len(list(read_log(log))) == 12
    nothing = Counting()
    assert way(nothing, tasks, repeats=3, log=log, resume=True)["runs"] == report["runs"]
    assert nothing.calls == {}


def test_stopped_at_random_moments_nothing_is_lost_and_nothing_done_twice(tasks, log):
    dice = random.Random(5)
    finished = Counter()
    for _ in range(100):
        agent = Counting(stop_at=dice.randrange(1, 8))
        runs = iter_runs(agent, tasks, repeats=10, log=log, resume=True, max_workers=3)
        try:
            for run in runs:
                finished[type(run["id"]), run["id"], run["repeat"]] += 1
            break
        except KeyboardInterrupt:
            pass
    stored = Counter((type(run["id"]), run["id"], run["repeat"]) for run in read_log(log))
    assert len(stored) == 40
    assert set(stored.values()) == {1}
    assert set(finished) == set(stored)


def test_resume_without_a_log_starts_one(tasks, log):
    assert evaluate(Counting(), tasks, log=log, resume=True)["total"] == 4
    assert len(list(read_log(log))) == 4


def test_more_repeats_and_tasks_are_added(tasks, log):
    evaluate(Counting(), tasks[:2], log=log, repeats=2)
    agent = Counting()
    report = evaluate(agent, tasks, log=str(log), repeats=3, resume=True)
    assert (report["total"], agent.calls.total()) == (12, 8)


def test_iter_runs_gives_the_logs_runs_first(tasks, log):
    evaluate(Counting(), tasks[2:], log=log)
    agent = Counting()
    runs = iter_runs(agent, tasks, log=log, resume=True)
    assert [next(runs)["id"], next(runs)["id"]] == [1, 2]
    assert agent.calls == {}
    assert [run["id"] for run in runs] == [3, "3"]


@pytest.mark.parametrize("way", WAYS)
def test_a_log_that_cannot_be_used_costs_nothing(tasks, log, tmp_path, way, no_threads_left):
    agent = Counting()
    evaluate(agent, tasks, log=log, label="v1")
    agent.calls.clear()
    changed = [{**tasks[0], "expected": "no"}, *tasks[1:]]
    cases = [
        ({"log": log}, tasks, "exists already; pass resume=True"),
        ({"log": log, "resume": True, "label": "v2"}, tasks, "label 'v1'.* is 'v2'"),
        ({"log": log, "resume": True, "label": "v1"}, changed, "task 3 .*has changed"),
        ({"log": tmp_path}, tasks, "is a folder"),
        ({"log": tmp_path / "none" / "log.jsonl"}, tasks, "its folder does not exist"),
    ]
    for options, chosen, text in cases:
        with pytest.raises(RunLogError, match=text):
            way(agent, chosen, **options)
    log.write_text(log.read_text().replace('"version":1', '"version":99'))
    with pytest.raises(RunLogError, match="99"):
        way(agent, tasks, log=log, resume=True, label="v1")
    assert agent.calls == {}


def test_two_evaluations_cannot_share_a_log(tasks, log):
    runs = iter_runs(Counting(), tasks, log=log)
    next(runs)
    with pytest.raises(RunLogError, match="another evaluation is writing it"):
        evaluate(Counting(), tasks, log=log, resume=True)
    runs.close()
    assert evaluate(Counting(), tasks, log=log, resume=True)["total"] == 4


def test_the_log_is_free_again_when_an_evaluation_fails(tasks, log):
    """Also while the exception, and with it every frame, is still held."""
    with pytest.raises(KeyboardInterrupt) as caught:
        evaluate(Counting(stop_at=2), tasks, log=log)
    assert evaluate(Counting(), tasks, log=log, resume=True)["total"] == 4
    assert caught.value


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("workers", [1, 3])
def test_what_a_progress_callable_raises_stops_with_the_run_in_the_log(
    tasks, log, way, workers, no_threads_left
):
    told = []

    def progress(done, total, run):
        told.append((run["id"], run["repeat"]))
        if done == 3:
            raise Stop

    with pytest.raises(Stop):
        way(Counting(), tasks, repeats=2, log=log, progress=progress, max_workers=workers)
    stored = {(run["id"], run["repeat"]) for run in read_log(log)}
    assert set(told) <= stored
    assert len(told) == 3


def test_a_run_finished_while_an_iterator_is_closed_is_in_the_log(make_task, log):
    """It is paid for, even if nobody asks for it any more."""
    started = threading.Barrier(3, timeout=5)
    go_on = threading.Event()

    def agent(given):
        if given:
            started.wait()
            go_on.wait(5)
        return {"status": "final", "answer": "yes"}

    tasks = [make_task(place, input=place) for place in range(3)]
    runs = iter_runs(agent, tasks, max_workers=3, log=log)
    assert next(runs)["id"] == 0
    started.wait()
    threading.Timer(0.05, go_on.set).start()
    runs.close()
    assert sorted(run["id"] for run in read_log(log)) == [0, 1, 2]


def test_runs_that_json_cannot_hold_are_logged(make_task, log):
    def agent(given):
        return {"status": "final", "answer": "yes", "metadata": {1: {2, 3}, "f": float("nan")}}

    report = evaluate(agent, [make_task()], log=log)
    assert report["passed"] == 1
    (stored,) = read_log(log)
    assert stored["passed"]
    for line in log.read_text().splitlines():
        json.loads(line)


def test_a_log_error_survives_pickling(tasks, log):
    with pytest.raises(RunLogError) as caught:
        evaluate(Counting(), tasks, log=log.parent)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_abandoned_runs_are_told_from_the_log(make_task, log, hold):
    tasks = [make_task(1), make_task(2)]
    report = evaluate(lambda given: hold.wait(), tasks, log=log, timeout=0.03)
    again = evaluate(lambda given: pytest.fail("called"), tasks, log=log, resume=True)
    assert again == report
    assert again["abandoned"] == 2
