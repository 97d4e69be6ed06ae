"""Reads the numbers that runs carry, and refuses what is no number: unknown is never zero."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from decimal import Decimal
from math import inf, nan
from numbers import Integral, Real
from sys import float_info
from typing import Any

from agenteval._messages import cut
from agenteval.records import Run, TaskId

__all__ = ["as_runs", "known", "passed", "plain", "task_id", "tool_calls"]


def as_runs(runs: object, function: str) -> list[Run]:
    """Return the runs as a list, or say what arrived in their place.

    >>> as_runs({"pass_rate": 1.0, "runs": []}, "latency")
    Traceback (most recent call last):
    ...
    TypeError: latency: runs must be the runs of a report, got the report; pass report['runs']
    """
    if isinstance(runs, Mapping):
        what = "the report; pass report['runs']" if "runs" in runs else "one mapping; pass [run]"
        raise TypeError(f"{function}: runs must be the runs of a report, got {what}")
    if isinstance(runs, (str, bytes)) or not isinstance(runs, Iterable):
        raise TypeError(
            f"{function}: runs must be the runs of a report, got {type(runs).__name__} "
            f"{cut(runs)}; pass report['runs'] or a list of run dicts"
        )
    listed = list(runs)
    for position, run in enumerate(listed):
        if not isinstance(run, Mapping):
            raise TypeError(
                f"{function}: run {position} must be a mapping, got {type(run).__name__} "
                f"{cut(run)}; pass report['runs'] or a list of run dicts"
            )
    return listed


def known(run: Mapping[str, Any], key: str, function: str) -> float | None:
    """Return the number that `run` has under `key`, or ``None`` where it has none.

    >>> known({"id": "a", "cost": 0.5}, "cost", "tail"), known({"id": "a"}, "cost", "tail")
    (0.5, None)
    """
    value = run.get(key)
    if value is None:
        return None
    number = plain(value)
    if number is None:
        raise TypeError(
            f"{function}: {key} of {_place(run)} must be a number or None, "
            f"got {type(value).__name__} {cut(value)}; leave it out where it is unknown"
        )
    if not 0 <= number <= float_info.max:
        raise ValueError(
            f"{function}: {key} of {_place(run)} must be a finite number from 0, "
            f"got {cut(value)}; leave it out where it is unknown"
        )
    return number


def plain(value: object) -> float | None:
    """Return a number of any type as an int or a float, and ``None`` for what is no number.

    >>> plain(Decimal("0.5")), plain(7), plain(True), plain("7")
    (0.5, 7, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, (Real, Decimal)):
        return None
    if isinstance(value, Integral):
        return int(value)
    try:
        return float(value)
    except OverflowError:  # a fraction, say, beyond all floats
        return inf if abs(value) == value else -inf
    except ValueError:  # the decimal that signals when it is read
        return nan


def tool_calls(run: Mapping[str, Any], function: str) -> float | None:
    """Return how many tool calls `run` made: as it says, else as it lists them, else ``None``.

    >>> tool_calls({"tool_calls": None, "calls": [{"name": "rm"}]}, "step_counts")
    1
    """
    count = known(run, "tool_calls", function)
    calls = run.get("calls")
    if count is not None or calls is None:
        return count
    if isinstance(calls, (str, bytes, Mapping)) or not isinstance(calls, Sized):
        raise TypeError(
            f"{function}: calls of {_place(run)} must be a list of calls or None, "
            f"got {type(calls).__name__} {cut(calls)}; leave it out where it is unknown"
        )
    return len(calls)


def passed(run: Mapping[str, Any], function: str) -> bool:
    """Return whether `run` passed; one that does not say has not been shown to.

    >>> passed({"id": "a", "passed": True}, "tail"), passed({"id": "a"}, "tail")
    (True, False)
    """
    value = run.get("passed", False)
    if value is True or value is False:
        return value
    try:
        sound = [value].count(True) + [value].count(False) == 1
    except Exception:  # noqa: BLE001 - whatever its == does, it is neither
        sound = False
    if not sound:
        raise TypeError(
            f"{function}: passed of {_place(run)} must be True or False, "
            f"got {type(value).__name__} {cut(value)}; decide which it means, or leave the run out"
        )
    return bool(value)


def task_id(run: Mapping[str, Any], function: str) -> TaskId:
    """Return the id of the task that `run` is of.

    >>> task_id({"id": "refund", "repeat": 0}, "tail")
    'refund'
    """
    if "id" not in run:
        raise TypeError(f"{function}: a run has no 'id': {cut(run)}; pass report['runs']")
    task: TaskId = run["id"]
    if isinstance(task, bool) or not isinstance(task, (str, Integral)):
        raise TypeError(
            f"{function}: the id of a run must be a str or an int, "
            f"got {type(task).__name__} {cut(task)}; use the ids of the tasks"
        )
    return task


def _place(run: Mapping[str, Any]) -> str:
    repeat = run.get("repeat")
    return f"run {cut(run.get('id'))}" + ("" if repeat is None else f", repeat {cut(repeat)}")
