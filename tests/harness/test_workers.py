"""Runs side by side: the same results, the asked width, the caller's context, nothing left over."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import random
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from agenteval.harness import (
    evaluate,
    evaluate_async,
    grade,
    iter_runs,
    run_task,
    scripted_agent,
)
from agenteval.runlog import read_log

pytestmark = pytest.mark.usefixtures("no_threads_left")


def by_await(agent, tasks, **options):
    return asyncio.run(evaluate_async(agent, tasks, **options))


def by_iterating(agent, tasks, **options):
    runs = sorted(iter_runs(agent, tasks, **options), key=lambda run: (run["id"], run["repeat"]))
    return {"runs": runs}


WAYS = [
    pytest.param(evaluate, id="evaluate"),
    pytest.param(by_await, id="evaluate_async"),
    pytest.param(by_iterating, id="iter_runs"),
]


def as_async(agent):
    async def ask(given):
        await asyncio.sleep(0)
        return agent(given)

    return ask


def as_callable(agent):
    class Ask:
        async def __call__(self, given):
            await asyncio.sleep(0)
            return agent(given)

    return Ask()


def as_partial(agent):
    async def ask(more, given):
        await asyncio.sleep(0)
        return agent(given)

    return functools.partial(ask, 1)


def hidden(agent):
    """Make a plain function that returns an awaitable: nobody can tell before it is called."""
    return lambda given: as_async(agent)(given)


KINDS = [
    pytest.param(lambda agent: agent, id="sync"),
    pytest.param(as_async, id="async"),
    pytest.param(as_callable, id="async __call__"),
    pytest.param(as_partial, id="async partial"),
    pytest.param(hidden, id="hidden async"),
]


def without_times(report):
    return [
        {key: value for key, value in run.items() if key not in ("seconds", "traceback")}
        for run in report["runs"]
    ]


@pytest.fixture
def mixed():
    """Tasks and a script with everything in it: passes, failures, crashes, broken contracts."""
    dice = random.Random(3)
    entries = [
        {"status": "final", "answer": "yes", "tool_calls": 1, "tools_used": ["ls"], "cost": 0.1},
        {"status": "final", "answer": "no", "calls": [{"name": "rm", "args": {"x": [1]}}]},
        {"status": "stopped", "answer": None, "tool_calls": 9, "tools_used": []},
        {"status": "final", "answer": "yes"},
        None,
        KeyError("order"),
        SystemExit(3),
        asyncio.CancelledError(),
    ]
    script = {place: dice.choices(entries, k=3) for place in range(12)}
    tasks = [
        {
            "id": place,
            "input": place,
            "expected": "yes",
            "forbidden_tools": ["rm"] * (place % 2),
            "max_tool_calls": [None, 3][place % 2],
        }
        for place in script
    ]
    return scripted_agent(script), tasks


def even(task, result):
    return None if task["id"] % 2 == 0 else ["odd"]


async def third(task, result):
    await asyncio.sleep(0)
    if task["id"] % 3 == 0:
        raise KeyError("third")


def test_results_do_not_depend_on_the_number_of_workers(mixed):
    agent, tasks = mixed
    options = {"repeats": 3, "checks": [even, third]}
    wanted = without_times(evaluate(agent, tasks, **options))
    assert len({tuple(run["reasons"]) for run in wanted}) > 8
    for kind in KINDS:
        for way in WAYS:
            for workers in (1, 4, 32):
                report = way.values[0](kind.values[0](agent), tasks, max_workers=workers, **options)
                assert without_times(report) == wanted, (kind.id, way.id, workers)
    with ThreadPoolExecutor(3) as executor:
        assert without_times(evaluate(agent, tasks, executor=executor, **options)) == wanted


class Gauge:
    """Counts how many are inside at once; everybody waits until `width` are, but one more never."""

    def __init__(self, width):
        self.inside = self.most = 0
        self.width = width
        self.full = threading.Event()
        self.lock = threading.Lock()

    def enter(self):
        with self.lock:
            self.inside += 1
            self.most = max(self.most, self.inside)
            if self.inside == self.width:
                self.full.set()

    def leave(self):
        with self.lock:
            self.inside -= 1


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["sync", "async", "hidden"])
def test_the_width_is_the_one_that_was_asked_for(make_task, make_result, way, kind):
    gauge = Gauge(5)

    def agent(given):
        gauge.enter()
        assert gauge.full.wait(5)
        gauge.leave()
        return make_result()

    async def async_agent(given):
        gauge.enter()
        while not gauge.full.is_set():
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.001)
        gauge.leave()
        return make_result()

    chosen = {"sync": agent, "async": async_agent, "hidden": lambda given: async_agent(given)}[kind]
    report = way(chosen, [make_task(place) for place in range(20)], max_workers=5)
    assert all(run["passed"] for run in report["runs"])
    assert gauge.most == 5


VARIABLE = contextvars.ContextVar("variable")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("workers", [1, 4])
def test_context_variables(make_task, way, kind, workers):
    """The caller's are visible in every run; what a run sets, no other run and no caller sees."""

    def agent(given):
        seen = VARIABLE.get()
        VARIABLE.set("changed by a run")
        return {"status": "final", "answer": seen}

    def check(task, result):
        return [] if VARIABLE.get() in ("callers", "changed by a run") else "lost"

    def evaluation():
        VARIABLE.set("callers")
        tasks = [make_task(place, expected="callers") for place in range(8)]
        report = way(kind(agent), tasks, max_workers=workers, checks=[check])
        assert [run["reasons"] for run in report["runs"]] == [[]] * 8
        assert VARIABLE.get() == "callers"

    contextvars.copy_context().run(evaluation)


def test_a_sync_call_works_inside_a_running_loop(mixed):
    """As in a notebook, whose main thread runs a loop already."""
    agent, tasks = mixed
    wanted = without_times(evaluate(agent, tasks, checks=[even, third]))

    async def cell():
        return [
            evaluate(as_async(agent), tasks, max_workers=3, checks=[even, third]),
            evaluate(hidden(agent), tasks, checks=[even, third]),
            {"runs": [run_task(as_async(agent), task, checks=[even, third]) for task in tasks]},
        ]

    for report in asyncio.run(cell()):
        assert without_times(report) == wanted


def test_grade_asks_async_checks_inside_a_running_loop(make_task, make_result):
    async def check(task, result):
        await asyncio.sleep(0)
        return "no"

    async def cell():
        return grade(make_task(), make_result(), [check])

    assert asyncio.run(cell()) == ["no"]
    assert grade(make_task(), make_result(), [check]) == ["no"]


def test_async_runs_share_one_loop(make_task, make_result):
    loops = set()

    async def agent(given):
        loops.add(asyncio.get_running_loop())
        await asyncio.sleep(0)
        return make_result()

    async def check(task, result):
        loops.add(asyncio.get_running_loop())

    tasks = [make_task(place) for place in range(6)]
    evaluate(agent, tasks, max_workers=3, checks=[check])
    assert len(loops) == 1
    loops.clear()
    evaluate(lambda given: agent(given), tasks, max_workers=3, checks=[check])
    assert len(loops) == 1
    loops.clear()

    async def main():
        loops.add(asyncio.get_running_loop())
        for chosen in (agent, lambda given: agent(given)):
            await evaluate_async(chosen, tasks, max_workers=3, checks=[check])

    asyncio.run(main())
    assert len(loops) == 1


def test_the_callers_loop_stays_free(make_task, make_result):
    """Others on it go on while sync agents and sync checks block."""
    ticked = threading.Event()

    def agent(given):
        assert ticked.wait(5)
        return make_result()

    def check(task, result):
        assert ticked.wait(5)

    async def ticking():
        await asyncio.sleep(0.001)
        ticked.set()

    async def main(chosen, **options):
        ticked.clear()
        report, _ = await asyncio.gather(
            evaluate_async(chosen, [make_task()], **options), ticking()
        )
        assert report["reasons"] == {}

    async def quick(given):
        return make_result()

    asyncio.run(main(agent))
    asyncio.run(main(quick, checks=[check]))


def test_sync_checks_of_async_agents_do_not_hold_up_the_others(make_task, make_result):
    """All of them are inside the check at the same time."""
    gate = threading.Barrier(4, timeout=5)

    async def agent(given):
        return make_result()

    def check(task, result):
        gate.wait()

    report = evaluate(agent, [make_task(p) for p in range(8)], max_workers=4, checks=[check])
    assert report["reasons"] == {}


def test_a_task_of_the_agents_own_that_exits_ends_its_run_only(make_task, make_result):
    async def exit_soon():
        raise SystemExit(3)

    async def agent(given):
        if given == "exit":
            await asyncio.create_task(exit_soon())
        await asyncio.sleep(0.001)
        return make_result()

    tasks = [make_task(place, input="exit" if place == 2 else "") for place in range(8)]
    report = evaluate(agent, tasks, max_workers=4)
    assert report["reasons"] == {"error: SystemExit": 1}


def test_what_an_agent_leaves_on_the_loop_is_cancelled(make_task, make_result):
    ended = []

    async def forever():
        try:
            await asyncio.sleep(1000)
        finally:
            ended.append(1)

    kept = []

    async def agent(given):
        kept.append(asyncio.ensure_future(forever()))
        await asyncio.sleep(0)
        return make_result()

    assert evaluate(agent, [make_task()])["passed"] == 1
    assert ended == [1]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("workers", [1, 3])
def test_keyboard_interrupt_of_one_run_stops_all(make_task, make_result, way, kind, workers):
    called = []

    def agent(given):
        called.append(given)
        if given == 5:
            raise KeyboardInterrupt
        if given > 5:
            threading.Event().wait(0.01)  # so that not all are done before the news is out
        return make_result()

    tasks = [make_task(place, input=place) for place in range(500)]
    with pytest.raises(KeyboardInterrupt):
        way(kind(agent), tasks, max_workers=workers)
    assert len(called) < 100


def test_a_cancelled_evaluation_stops(make_task, make_result):
    started = threading.Event()
    cancelled = []

    async def agent(given):
        started.set()
        try:
            await asyncio.sleep(1000)
        except asyncio.CancelledError:
            cancelled.append(given)
            raise

    async def main():
        task = asyncio.ensure_future(evaluate_async(agent, [make_task(1), make_task(2)]))
        while not started.is_set():
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert cancelled == ["question"]


def test_the_callers_loop_is_torn_down(make_task, make_result, tmp_path):
    """All its tasks are cancelled at once, as ``asyncio.run`` does: no run has failed by that."""
    log = tmp_path / "log.jsonl"
    started = threading.Event()

    async def agent(given):
        if given == 2:
            started.set()
        await asyncio.sleep(1000 if given == 2 else 0)
        return make_result()

    async def main():
        tasks = [make_task(place, input=place) for place in range(5)]
        task = asyncio.ensure_future(evaluate_async(agent, tasks, max_workers=2, log=log))
        while not started.is_set():
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.01)
        for each in asyncio.all_tasks() - {asyncio.current_task()}:
            each.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert all(run["passed"] for run in read_log(log))


def test_an_agent_that_cancels_itself_ends_its_run_only(make_task, make_result):
    async def agent(given):
        if given == 1:
            asyncio.current_task().cancel()
        await asyncio.sleep(0)
        return make_result()

    tasks = [make_task(place, input=place) for place in range(3)]
    for way in (evaluate, by_await):
        report = way(agent, tasks, max_workers=2)
        assert [run["reasons"] for run in report["runs"]] == [[], ["error: CancelledError"], []]


def test_an_iterator_that_is_closed_early_stops(make_task, make_result):
    async def agent(given):
        await asyncio.sleep(0 if given == 0 else 1000)
        return make_result()

    runs = iter_runs(agent, [make_task(place, input=place) for place in range(9)], max_workers=3)
    assert next(runs)["id"] == 0
    runs.close()
    assert list(runs) == []


def test_an_agent_may_print(make_task, make_result, capsys):
    def agent(given):
        sys.stdout.write("from the agent\n")
        return make_result()

    evaluate(agent, [make_task()])
    assert capsys.readouterr() == ("from the agent\n", "")
