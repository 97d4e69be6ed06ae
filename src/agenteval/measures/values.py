"""Reads the numbers that runs carry, and refuses what is no number: unknown is never zero."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from numbers import Integral, Real
from sys import float_info
from typing import Any

from agenteval._messages import cut
from agenteval.records import Run

__all__ = ["as_runs", "known", "tool_calls"]


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
    if type(value) not in (int, float):
        if isinstance(value, bool) or not isinstance(value, (Real, Decimal)):
            raise TypeError(
                f"{function}: {key} of {_place(run)} must be a number or None, "
                f"got {type(value).__name__} {cut(value)}; leave it out where it is unknown"
            )
        value = int(value) if isinstance(value, Integral) else float(value)
    if not 0 <= value <= float_info.max:
        raise ValueError(
            f"{function}: {key} of {_place(run)} must be a finite number from 0, "
            f"got {cut(value)}; leave it out where it is unknown"
        )
    number: float = value
    return number


def tool_calls(run: Mapping[str, Any], function: str) -> float | None:
    """Return how many tool calls `run` made: as it says, else as it lists them, else ``None``.

    >>> tool_calls({"tool_calls": None, "calls": [{"name": "rm"}]}, "step_counts")
    1
    """
    count = known(run, "tool_calls", function)
    if count is None and run.get("calls") is not None:
        return len(run["calls"])
    return count


def _place(run: Mapping[str, Any]) -> str:
    repeat = run.get("repeat")
    return f"run {cut(run.get('id'))}" + ("" if repeat is None else f", repeat {cut(repeat)}")
