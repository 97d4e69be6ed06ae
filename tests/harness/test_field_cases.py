"""What users and their agents did that no table foresaw."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from agenteval import evaluate, read_log, run_task, scripted_agent, summarize


class ExitsInRepr:
    def __repr__(self) -> str:
        raise SystemExit(3)


def test_a_value_whose_repr_exits_stops_neither_evaluation_nor_resume(make_task, tmp_path) -> None:
    result = {"status": "final", "answer": "yes", "calls": []}

    def agent(given):
        return {**result, "metadata": ExitsInRepr()} if given == 2 else result

    tasks = [make_task(n, input=n) for n in range(5)]
    log = tmp_path / "runs.jsonl"
    assert evaluate(agent, tasks, log=log)["passed"] == 5
    assert len(list(read_log(log))) == 5


class RateLimitError(Exception):
    def __init__(self, message: str, *, response: int) -> None:
        super().__init__(message)
        self.response = response


def test_a_script_raises_exceptions_that_cannot_be_copied(make_task) -> None:
    agent = scripted_agent({"x": RateLimitError("slow down", response=429)})
    run = run_task(agent, make_task(1, input="x"))
    assert (run["reasons"], run["error"]) == (
        ["error: RateLimitError"],
        "RateLimitError: slow down",
    )


def test_a_check_changes_neither_run_nor_task_nor_what_the_next_one_sees(make_task) -> None:
    seen = []

    def agent(given):
        seen.append(len(given))
        return {"status": "final", "answer": "yes", "tool_calls": 1, "tools_used": ["a"]}

    def meddle(task, result):
        task["input"].append(1)
        result["tools_used"].clear()

    def look(task, result):
        return None if result["tools_used"] == ["a"] else "changed"

    report = evaluate(agent, [make_task(1, input=[])], repeats=3, checks=[meddle, look])
    assert (report["reasons"], seen) == ({}, [0, 0, 0])
    assert report["runs"][0]["tools_used"] == ["a"]


def test_an_async_progress_is_refused(make_task) -> None:
    async def progress(done, total, run): ...

    with pytest.raises(TypeError, match="evaluate: progress must be a plain callable, got the"):
        evaluate(lambda given: {}, [make_task()], progress=progress)


@pytest.mark.parametrize("hidden", [False, True], ids=["async", "hidden async"])
def test_an_agent_that_ignores_its_cancellation_is_counted(make_task, hidden, short_grace) -> None:
    async def agent(given):
        for _ in range(12 if given == 1 else 0):
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0.1)
        return {"status": "final", "answer": "yes", "calls": []}

    chosen = (lambda given: agent(given)) if hidden else agent
    tasks = [make_task(n, input=n) for n in range(3)]
    report = evaluate(chosen, tasks, timeout=0.1, max_workers=3)
    assert (report["abandoned"], report["passed"]) == (1, 2)


def test_a_timeout_of_a_lifetime(make_task) -> None:
    async def agent(given):
        return {"status": "final", "answer": "yes", "calls": []}

    assert evaluate(lambda given: agent(given), [make_task()], timeout=1e300)["passed"] == 1


RUN = {"id": 1, "passed": True, "reasons": []}


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        pytest.param(None, "summarize: runs must be a list of runs, got NoneType", id="none"),
        pytest.param({"runs": [RUN]}, r"pass report\['runs'\]", id="report"),
        pytest.param([RUN | {"passed": "False"}], "'passed' must be True or False", id="text"),
        pytest.param([RUN | {"passed": float("nan")}], "'passed' must be True", id="nan"),
        pytest.param([RUN | {"reasons": "wrong"}], "'reasons' must be a list of text", id="reason"),
        pytest.param([RUN | {"reasons": [["x"]]}], "'reasons' must be a list of text", id="nested"),
        pytest.param([RUN | {"id": [1]}], "'id' must be a str or an int, got list", id="id"),
    ],
)
def test_runs_that_are_none_are_not_summed_up(runs, message) -> None:
    with pytest.raises(TypeError, match=message):
        summarize(runs)


def test_the_path_of_a_log_is_a_path() -> None:
    with pytest.raises(TypeError, match="read_log: path must be the path of a log, got NoneType"):
        read_log(None)
