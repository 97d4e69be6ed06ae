"""Nine kinds of hostile agents among fifty healthy tasks: all healthy ones come out right."""

from __future__ import annotations

import asyncio
import multiprocessing
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor

import pytest

from agenteval.harness import evaluate, evaluate_async
from agenteval.runlog import read_log

HEALTHY = 50

OUTCOMES = {
    "exits": "error: SystemExit",
    "raises CancelledError": "error: CancelledError",
    "recurses": "error: RecursionError",
    "mutates its input": None,
    "hangs": "error: TimeoutError",
    "prints": None,
    "starts threads": None,
    "returns what cannot be pickled": None,
}


@pytest.fixture
def mixed_tasks(make_task):
    """Fifty healthy tasks, a hostile one after every fifth."""

    def make(**more):
        tasks = []
        kinds = iter({**OUTCOMES, **more})
        for number in range(HEALTHY):
            given = {"kind": "healthy", "number": number, "list": [1, 2]}
            tasks.append(make_task(number, input=given, expected=number))
            if number % 5 == 4 and (kind := next(kinds, None)):
                given = {"kind": kind, "list": [1, 2], "patience": 30, "marker": more.get(kind)}
                tasks.append(make_task(kind, input=given))
        return tasks

    return make


def check(report, outcomes):
    reasons = {run["id"]: run["reasons"] for run in report["runs"]}
    assert [reasons.pop(number) for number in range(HEALTHY)] == [[]] * HEALTHY
    assert reasons == {kind: [said] if said else [] for kind, said in outcomes.items()}


@pytest.mark.parametrize("repeats", [1, 2])
def test_in_threads(agents, mixed_tasks, repeats, capsys):
    report = evaluate(agents.hostile, mixed_tasks(), max_workers=6, timeout=0.2, repeats=repeats)
    check(report, OUTCOMES)
    assert report["abandoned"] == repeats
    assert capsys.readouterr().out.count("noise") == repeats


def test_on_an_event_loop(agents, mixed_tasks):
    report = evaluate(agents.hostile_async, mixed_tasks(), max_workers=6, timeout=0.2)
    check(report, OUTCOMES)


def test_on_the_callers_event_loop(agents, mixed_tasks):
    options = {"max_workers": 6, "timeout": 0.2}
    report = asyncio.run(evaluate_async(agents.hostile_async, mixed_tasks(), **options))
    check(report, OUTCOMES)
    report = asyncio.run(evaluate_async(agents.hostile, mixed_tasks(), **options))
    check(report, OUTCOMES)


def test_in_processes(agents, mixed_tasks, spawned):
    report = evaluate(agents.hostile, mixed_tasks(), executor=spawned, timeout=0.2)
    check(report, {**OUTCOMES, "returns what cannot be pickled": "error: TypeError"})


def test_in_processes_of_which_one_is_killed(agents, mixed_tasks, spawned, tmp_path):
    """The ninth kind: it takes its worker with it, and with the worker the executor."""
    tasks = mixed_tasks(**{"kills its process": str(tmp_path / "died")})
    log = tmp_path / "log.jsonl"
    options = {"log": log, "timeout": 0.2}
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool, pytest.raises(BrokenExecutor):
        evaluate(agents.hostile, tasks, executor=pool, **options)
    before = list(read_log(log))
    assert len(before) >= 40
    report = evaluate(agents.hostile, tasks, executor=spawned, resume=True, **options)
    outcomes = {**OUTCOMES, "returns what cannot be pickled": "error: TypeError"}
    check(report, {**outcomes, "kills its process": None})
    after = list(read_log(log))
    assert len(after) == len(tasks)
    assert after[: len(before)] == before
