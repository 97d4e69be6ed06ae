"""From runs to outcomes: one list of yes and no for each task, in the order of its repeats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral
from operator import index
from typing import Any, Literal

from agenteval._messages import cut, one_of
from agenteval.records import TaskId
from agenteval.reliability.counting import is_outcome

__all__ = ["outcomes"]

_BY = ("passed", "trajectory", "both")
_VERDICTS = ("pass", "warn", "fail")


def outcomes(
    runs: Iterable[Mapping[str, Any]], by: Literal["passed", "trajectory", "both"] = "passed"
) -> dict[TaskId, list[bool]]:
    """Return how each task's repeats went, in their order.

    The result is what the other functions here take: `agenteval.pass_hat_k`,
    `agenteval.reliability_curve`, `agenteval.compare`.

    Args:
        runs: Runs of `agenteval.evaluate`, lines of its log, or rows of `agenteval.score_runs`, in
            any order. Each has ``id`` and ``repeat``, and what `by` looks at.
        by: ``"passed"`` takes the outcome. On rows of `agenteval.score_runs`, ``"trajectory"``
            takes the path (its verdict is not ``"fail"``) and ``"both"`` asks for both.

    Returns:
        Task id to outcomes, tasks in the order of their first run, outcomes in the order of
        ``repeat``. The ids 1 and ``"1"`` are two tasks. No runs give an empty dict.

        A repeat that is missing, for example because an evaluation was stopped, is left out, not
        counted as a failure: that task's list is shorter, and a k beyond it is refused. Mind that
        runs are seldom missing by chance: the slow ones are the first to be cut off.

    Raises:
        TypeError: `runs` is no iterable of mappings, or a value in one has the wrong kind.
        ValueError: An unknown `by` or verdict, a run without one of the keys, or a repeat of a
            task that is there twice.

    >>> outcomes([
    ...     {"id": "refund", "repeat": 1, "passed": False},
    ...     {"id": "refund", "repeat": 0, "passed": True},
    ... ])
    {'refund': [True, False]}
    """
    if by not in _BY:
        raise ValueError(f"outcomes: unknown by {cut(by)}; {one_of(by, _BY)}")
    if isinstance(runs, Mapping):
        hint = 'outcomes(report["runs"])' if "runs" in runs else "outcomes([run])"
        raise TypeError(f"outcomes: runs must be a list of runs, got a mapping; call {hint}")
    try:
        numbered = enumerate(runs)
    except TypeError:
        raise TypeError(
            f"outcomes: runs must be a list of runs, got {type(runs).__name__} {cut(runs)}"
        ) from None
    found: dict[TaskId, dict[int, bool]] = {}
    for position, run in numbered:
        if not isinstance(run, Mapping):
            raise TypeError(
                f"outcomes: run {position} must be a mapping with 'id', 'repeat' and 'passed', "
                f"got {type(run).__name__} {cut(run)}"
            )
        task = _task(run, position)
        repeats = found.setdefault(task, {})
        repeat = _repeat(run, position, task)
        if repeat in repeats:
            raise ValueError(
                f"outcomes: run {position}: task {cut(task)} has repeat {repeat} twice; "
                "when these are two evaluations, call outcomes once for each"
            )
        repeats[repeat] = _outcome(run, position, task, by)
    return {task: [repeats[at] for at in sorted(repeats)] for task, repeats in found.items()}


def _task(run: Mapping[str, Any], position: int) -> TaskId:
    task: TaskId = _value(run, "id", position)
    if isinstance(task, (str, Integral)) and not isinstance(task, bool):
        return task
    raise TypeError(
        f"outcomes: run {position}: 'id' must be a str or an int, "
        f"got {type(task).__name__} {cut(task)}"
    )


def _repeat(run: Mapping[str, Any], position: int, task: TaskId) -> int:
    value = _value(run, "repeat", position)
    try:
        if isinstance(value, bool):
            raise TypeError
        repeat = index(value)
    except TypeError:
        raise TypeError(
            f"outcomes: run {position}: task {cut(task)}: 'repeat' must be a whole number, "
            f"got {type(value).__name__} {cut(value)}"
        ) from None
    if repeat < 0:
        raise ValueError(
            f"outcomes: run {position}: task {cut(task)}: 'repeat' counts from 0, got {repeat}"
        )
    return repeat


def _outcome(run: Mapping[str, Any], position: int, task: TaskId, by: str) -> bool:
    good = True
    if by != "passed":
        verdict = _value(run, "verdict", position)
        if verdict not in _VERDICTS:
            raise ValueError(
                f"outcomes: run {position}: task {cut(task)}: unknown verdict {cut(verdict)}; "
                f"{one_of(verdict, _VERDICTS)}"
            )
        good = verdict != "fail"
    if by != "trajectory":
        passed = _value(run, "passed", position)
        if not is_outcome(passed):
            raise TypeError(
                f"outcomes: run {position}: task {cut(task)}: 'passed' must be True or False, "
                f"got {type(passed).__name__} {cut(passed)}"
            )
        good = good and bool(passed)
    return good


def _value(run: Mapping[str, Any], key: str, position: int) -> Any:
    try:
        return run[key]
    except KeyError:
        hint = "; the rows of agenteval.score_runs have it" if key == "verdict" else ""
        raise ValueError(
            f"outcomes: run {position} has no {key!r}, only {cut(sorted(map(str, run)))}{hint}"
        ) from None
