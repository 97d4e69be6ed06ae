"""Executors: threads, processes, a cluster."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sys
import threading
import types
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)

import pytest

from agenteval.harness import evaluate, evaluate_async, iter_runs
from agenteval.runlog import read_log


def by_await(agent, tasks, **options):
    return asyncio.run(evaluate_async(agent, tasks, **options))


WAYS = [pytest.param(evaluate, id="evaluate"), pytest.param(by_await, id="evaluate_async")]


@pytest.fixture
def tasks(make_task):
    return [make_task(place, input=place) for place in range(9)]


@pytest.fixture(params=["threads", "processes"])
def executor(request):
    if request.param == "processes":
        yield request.getfixturevalue("spawned")
    else:
        with ThreadPoolExecutor(3) as pool:
            yield pool


@pytest.mark.parametrize("way", WAYS)
def test_runs_are_those_of_a_plain_evaluation(agents, tasks, executor, way):
    options = {"repeats": 2, "checks": [agents.odd]}
    wanted = evaluate(agents.good, tasks, **options)
    for agent in (agents.good, agents.good_async):
        report = way(agent, tasks, executor=executor, **options)
        for run in (*report["runs"], *wanted["runs"]):
            run["seconds"] = 0.0
        assert report == wanted


def test_processes_are_used(agents, tasks, spawned):
    report = evaluate(agents.where, tasks, executor=spawned)
    processes = {run["metadata"][0] for run in report["runs"]}
    assert os.getpid() not in processes
    assert 1 <= len(processes) <= 2


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_in_a_worker_the_worker_gives_up(agents, make_task, executor, hold, kind):
    tasks = [make_task(place, input="hang" if place == 1 else "") for place in range(6)]
    if kind == "async":
        agent = agents.hangs_async
    elif isinstance(executor, ThreadPoolExecutor):

        def agent(given):
            if given:
                hold.wait()
            return agents.good(given)

    else:
        agent = agents.hangs
    report = evaluate(agent, tasks, executor=executor, timeout=0.15)
    assert [run["id"] for run in report["runs"] if not run["passed"]] == [1]
    assert report["runs"][1]["reasons"] == ["error: TimeoutError"]
    assert report.get("abandoned", 0) == (kind == "sync")  # a coroutine can be cancelled


def test_retries_take_place_in_the_worker(agents, make_task, spawned, tmp_path):
    tasks = [make_task(place, input=str(tmp_path / f"{place}")) for place in range(2)]
    report = evaluate(agents.flaky, tasks, executor=spawned, retry_on=agents.FlakyError)
    assert report["passed"] == 2
    for run in report["runs"]:
        assert (run["attempts"], run["retried_errors"]) == (2, ["FlakyError: once"])


def test_what_cannot_be_sent_back_is_an_error_of_its_run(agents, make_task, spawned):
    tasks = [
        make_task(place, input={"kind": kind, "list": [1, 2], "number": "yes"})
        for place, kind in enumerate(["", "returns what cannot be pickled", ""])
    ]
    report = evaluate(agents.hostile, tasks, executor=spawned)
    assert [run["passed"] for run in report["runs"]] == [True, False, True]
    run = report["runs"][1]
    assert run["reasons"] == ["error: TypeError"]
    assert run["error"] == (
        "TypeError: will not travel (the run could not be sent back from its worker; "
        "return plain data)"
    )
    assert (run["answer"], run["tools_used"]) == ("yes", ["ls"])
    assert "metadata" not in run
    with ThreadPoolExecutor(2) as threads:  # nothing has to travel there
        assert evaluate(agents.hostile, tasks, executor=threads)["passed"] == 3


def test_what_cannot_be_sent_out_is_an_error_of_its_run(agents, make_task, spawned):
    tasks = [make_task(0), make_task(1, input=threading.Lock()), make_task(2)]
    report = evaluate(agents.good, tasks, executor=spawned)
    assert [run["passed"] for run in report["runs"]] == [True, False, True]
    run = report["runs"][1]
    assert run["reasons"] == ["error: TypeError"]
    assert "could not be sent to a worker, or back from it" in run["error"]


def test_what_breaks_on_arrival_is_an_error_of_its_run(agents, make_task, spawned):
    """Either way: the task in the worker, the result in the caller's process."""
    tasks = [make_task(0), make_task(1, metadata=agents.BrokenOnArrival()), make_task(2)]
    report = evaluate(agents.good, tasks, executor=spawned)
    assert [run["reasons"] for run in report["runs"]] == [[], ["error: ValueError"], []]
    error = report["runs"][1]["error"]
    assert error.startswith("ValueError: broken on arrival (the run could not be sent to a worker")

    report = evaluate(agents.broken_on_arrival, tasks[::2], executor=spawned)
    assert report["reasons"] == {"error: ValueError": 2}
    error = report["runs"][0]["error"]
    assert error == "ValueError: broken on arrival (the run could not be read where it arrived)"


def test_an_agent_that_the_worker_cannot_read_stops_the_evaluation(tasks, spawned):
    """As one of a notebook's cell: it pickles by its name, and the worker has no such module."""
    module = types.ModuleType("only_here")
    exec("def agent(given): ...", module.__dict__)
    sys.modules["only_here"] = module
    try:
        with pytest.raises(RuntimeError, match=r"a worker cannot read the agent .*No module named"):
            evaluate(module.agent, tasks, executor=spawned)
    finally:
        del sys.modules["only_here"]


@pytest.mark.parametrize(
    ("what", "options"),
    [
        pytest.param("agent", {}, id="agent"),
        pytest.param("checks", {"checks": [lambda task, result: None]}, id="check"),
    ],
)
def test_an_agent_that_cannot_travel_is_refused_at_once(
    agents, tasks, spawned, tmp_path, what, options
):
    agent = agents.good if options else (lambda given: None)
    log = tmp_path / "log.jsonl"
    with pytest.raises(TypeError, match=f"evaluate: {what} cannot be sent to another process"):
        evaluate(agent, tasks, executor=spawned, log=log, **options)
    assert not log.exists()


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_an_executor_that_is_shut_down_is_refused_at_once(agents, tasks, tmp_path, kind):
    executor = kind(1)
    executor.shutdown()
    log = tmp_path / "log.jsonl"
    with pytest.raises(RuntimeError, match="evaluate: the executor takes no more work"):
        evaluate(agents.good, tasks, executor=executor, log=log)
    assert not log.exists()


def test_a_worker_that_dies_stops_the_evaluation_and_the_log_has_the_rest(
    agents, make_task, spawned, tmp_path
):
    marker = str(tmp_path / "died")
    tasks = [
        make_task(place, input={"kind": "", "list": [1, 2], "number": "yes"}) for place in range(30)
    ]
    tasks[17]["input"] = {"kind": "kills its process", "marker": marker}
    log = tmp_path / "log.jsonl"
    context = multiprocessing.get_context("spawn")
    with (
        ProcessPoolExecutor(2, mp_context=context) as pool,
        pytest.raises(BrokenExecutor, match="evaluate: the executor broke") as caught,
    ):
        evaluate(agents.hostile, tasks, executor=pool, log=log)
    assert "under way, the first of them repeat 0 of task" in str(caught.value)
    assert "resume=True with a new executor does the rest" in str(caught.value)
    stored = list(read_log(log))
    assert 9 <= len(stored) < 30
    assert all(run["passed"] for run in stored)
    report = evaluate(agents.hostile, tasks, executor=spawned, log=log, resume=True)
    assert (report["passed"], report["total"]) == (30, 30)
    assert len(list(read_log(log))) == 30


def test_keyboard_interrupt_in_a_worker_stops(agents, tasks, executor):
    with pytest.raises(KeyboardInterrupt):
        evaluate(agents.interrupts, tasks, executor=executor)


class Recording(Executor):
    """Runs in the caller's thread when told to, and knows how much was handed out at once."""

    def __init__(self, width=None, fail_after=None):
        if width is not None:
            self._max_workers = width
        self.handed_out = []
        self.most = 0
        self.submitted = 0
        self.fail_after = fail_after

    def submit(self, function, /, *args, **kwargs):
        if self.fail_after is not None and self.submitted >= self.fail_after:
            raise RuntimeError("cannot schedule new futures after shutdown")
        self.submitted += 1
        future = Future()
        self.handed_out.append((future, function, args, kwargs))
        self.most = max(self.most, len(self.handed_out))
        if len(self.handed_out) >= (getattr(self, "_max_workers", 250)):
            self.work()
        return future

    def work(self):
        for future, function, args, kwargs in self.handed_out:
            future.set_result(function(*args, **kwargs))
        self.handed_out.clear()


def test_only_a_bounded_window_is_handed_out(agents, make_task):
    executor = Recording(width=5)
    tasks = (make_task(place) for place in range(1000))
    runs = iter_runs(agents.good, list(tasks), executor=executor)
    next(runs)
    assert executor.submitted <= 4 * 5
    assert sum(1 for _ in runs) == 999


def test_an_executor_that_is_shut_down_midway(agents, make_task, tmp_path):
    log = tmp_path / "log.jsonl"
    executor = Recording(width=1, fail_after=7)
    with pytest.raises(RuntimeError, match=r"takes no more work .*; 1 run was not done, the first"):
        evaluate(agents.good, [make_task(p) for p in range(20)], executor=executor, log=log)
    assert len(list(read_log(log))) == 7


def test_an_executor_stays_open(agents, tasks, executor):
    evaluate(agents.good, tasks, executor=executor)
    assert executor.submit(len, "abc").result() == 3


def test_dask(agents, tasks, tmp_path):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        executor = client.get_executor()
        report = evaluate(agents.where, tasks, repeats=2, executor=executor, checks=[agents.odd])
        assert os.getpid() not in {run["metadata"][0] for run in report["runs"]}
        assert [run["reasons"] for run in report["runs"]] == [
            ["odd"] if task["id"] % 2 else [] for task in tasks for _ in range(2)
        ]
        hung = [{**tasks[0], "input": "hang"}, tasks[1]]
        report = evaluate(agents.hangs, hung, executor=executor, timeout=0.5)
        assert [run["reasons"] for run in report["runs"]] == [["error: TimeoutError"], []]
