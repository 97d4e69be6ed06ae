"""What runs took: steps, money and time, and which of them took far more than the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import fsum, inf, nextafter
from typing import Any, Literal, TypedDict

from agenteval._messages import cut, one_of
from agenteval.measures.distributions import Distribution, distribution
from agenteval.measures.distributions import percentile as percentile_of
from agenteval.measures.values import as_runs, known, passed, plain, task_id, tool_calls
from agenteval.records import Run, Task, TaskId

__all__ = [
    "By",
    "CostPerTask",
    "Latency",
    "TailRun",
    "cost_per_completed_task",
    "latency",
    "step_counts",
    "tail",
]

By = Literal["tool_calls", "seconds", "first_output_seconds", "cost"]
"""What `tail` looks at."""

_BY: tuple[By, ...] = ("tool_calls", "seconds", "first_output_seconds", "cost")


class CostPerTask(TypedDict):
    """What a completed task costs, in US dollars: see `cost_per_completed_task`.

    ``spent`` is what the `known` runs cost together, ``completed`` how many of them passed;
    `known` runs of ``of`` carry a cost.
    """

    cost_per_completed_task: float | None
    spent: float | None
    completed: int
    known: int
    of: int


class Latency(TypedDict):
    """How long runs took and how long until there was something to see, in seconds."""

    seconds: Distribution
    first_output_seconds: Distribution


class _TailRunRequired(TypedDict):
    id: TaskId
    repeat: int
    passed: bool
    value: float
    threshold: float


class TailRun(_TailRunRequired, total=False):
    """One run that took more than `threshold`; ``input`` is there when the tasks were given."""

    input: Any


def step_counts(runs: Iterable[Run]) -> Distribution:
    """Tell how many tool calls runs make, and how long the tail is.

    Args:
        runs: The runs of a report. The count is the run's ``tool_calls``, or the number of its
            ``calls``; a run with neither, such as one that crashed, is unknown and left out.

    Returns:
        A `Distribution` in calls a run, lower is better: ``count`` runs are known of ``of``;
        percentiles lie on a straight line between two values (NumPy's default).

    Raises:
        TypeError: `runs` are no runs, or a count is no number.
        ValueError: A count is negative or not finite.

    >>> counts = step_counts([{"tool_calls": n} for n in (4, 4, 5, 4, 19)] + [{"tool_calls": None}])
    >>> counts["p50"], counts["max"], counts["count"], counts["of"]
    (4, 19, 5, 6)
    """
    listed = as_runs(runs, "step_counts")
    counts = [tool_calls(run, "step_counts") for run in listed]
    return distribution([count for count in counts if count is not None], len(listed))


def cost_per_completed_task(runs: Iterable[Run]) -> CostPerTask:
    """Tell what a task that gets done costs, the failed attempts paid for as well.

    All the money spent, on runs that passed and on those that did not, over the runs that passed:
    each repeat stands for the work coming in once more. A run without a ``cost`` is left out of
    both, whatever its outcome, and shows in ``known`` and ``of``. A run that does not say whether
    it passed has not been shown to.

    Args:
        runs: The runs of a report.

    Returns:
        A `CostPerTask` in US dollars, lower is better. ``cost_per_completed_task`` is ``None``
        when no run with a known cost passed, and ``spent`` when no cost is known.

    Raises:
        TypeError: `runs` are no runs, a cost is no number, or ``passed`` is neither true nor false.
        ValueError: A cost is negative or not finite, or all together are beyond floats.

    >>> cost = cost_per_completed_task(
    ...     [{"passed": True, "cost": 0.25}, {"passed": False, "cost": 0.5}, {"passed": True}]
    ... )
    >>> cost["cost_per_completed_task"], cost["known"], cost["of"]
    (0.75, 2, 3)
    """
    listed = as_runs(runs, "cost_per_completed_task")
    costs: list[float] = []
    completed = 0
    for run in listed:
        cost = known(run, "cost", "cost_per_completed_task")
        if cost is not None:
            costs.append(cost)
            completed += passed(run, "cost_per_completed_task")
    try:
        spent = fsum(costs) if costs else None
    except OverflowError:
        raise ValueError(
            "cost_per_completed_task: the costs of the runs add up to more than a float can hold, "
            f"the greatest is {max(costs):.3g}; give them in US dollars"
        ) from None
    return {
        "cost_per_completed_task": spent / completed if spent is not None and completed else None,
        "spent": spent,
        "completed": completed,
        "known": len(costs),
        "of": len(listed),
    }


def latency(runs: Iterable[Run]) -> Latency:
    """Tell how long runs take, and how long they show nothing.

    A run of forty seconds that shows its first useful output after two is another thing to use
    than one that is silent for thirty-five.

    Args:
        runs: The runs of a report: their ``seconds`` and, where the agent told,
            ``first_output_seconds``.

    Returns:
        Two `Distribution`s in seconds, lower is better, each over the runs where it is known.

    Raises:
        TypeError: `runs` are no runs, or a time is no number.
        ValueError: A time is negative or not finite.

    >>> times = latency([{"seconds": 40.0, "first_output_seconds": 35.0}, {"seconds": 10.0}])
    >>> times["seconds"]["p50"], times["first_output_seconds"]["count"]
    (25.0, 1)
    """
    listed = as_runs(runs, "latency")

    def spread(key: str) -> Distribution:
        times = [known(run, key, "latency") for run in listed]
        return distribution([time for time in times if time is not None], len(listed))

    return {
        "seconds": spread("seconds"),
        "first_output_seconds": spread("first_output_seconds"),
    }


def tail(
    runs: Iterable[Run],
    tasks: Iterable[Task] | None = None,
    *,
    by: By = "tool_calls",
    percentile: float = 90,
) -> list[TailRun]:
    """Find the runs that took far more than the rest, and what they were asked.

    Runs that cluster at four steps with a few at nineteen have a class of input that sends the
    agent wandering; this is the filter that finds it.

    Args:
        runs: The runs of a report.
        tasks: The tasks that were run, to show each run's ``input``.
        by: What to look at: ``"tool_calls"``, ``"seconds"``, ``"first_output_seconds"`` or
            ``"cost"``. Runs where it is unknown are left out.
        percentile: Only runs that took more than this percentile of the known values, a number
            from 0 to 100; one between 0 and 1 is refused as a share. Where so many runs took the
            most that the percentile is itself the most, no run is above it; then all that took the
            most are the tail.

    Returns:
        One `TailRun` a run, the greatest first, equals in the order of `runs`: ``value`` is what it
        took and ``threshold`` the percentile. Empty when all known values are the same, when none
        is known, and for the 100th percentile, which no run is above.

    Raises:
        TypeError: `runs` are no runs or `tasks` no tasks, a value or `percentile` is no number,
            or a run of the tail has no id or a ``passed`` that is neither true nor false.
        ValueError: `by` or `percentile` is not allowed, or `tasks` lacks the task of a run.

    >>> runs = [{"id": n, "repeat": 0, "passed": True, "tool_calls": n} for n in (4, 4, 5, 4, 19)]
    >>> [(run["id"], run["value"], run["threshold"]) for run in tail(runs)]
    [(19, 19, 13.4)]
    """
    if by not in _BY:
        raise ValueError(f"tail: by must be what a run took, got {cut(by)}; {one_of(by, _BY)}")
    percent = plain(percentile)
    if percent is None:
        raise TypeError(
            f"tail: percentile must be a number, got {type(percentile).__name__} "
            f"{cut(percentile)}; use one of 0 to 100"
        )
    if not 0 <= percent <= 100:
        raise ValueError(f"tail: percentile must be 0 to 100, got {cut(percentile)}")
    if 0 < percent < 1:
        raise ValueError(
            f"tail: percentile is a number from 0 to 100, got the share {cut(percentile)}; "
            f"pass {100 * percent:g}"
        )
    listed = as_runs(runs, "tail")
    values = [
        tool_calls(run, "tail") if by == "tool_calls" else known(run, by, "tail") for run in listed
    ]
    ordered = sorted(value for value in values if value is not None)
    if not ordered:
        return []
    threshold = percentile_of(ordered, percent)
    if threshold == ordered[-1] > ordered[0] and percent < 100:
        at_least = threshold  # nothing is above: the tail are those that took the most
    else:
        at_least = nextafter(threshold, inf)
    found = [
        (value, run)
        for value, run in zip(values, listed, strict=True)
        if value is not None and value >= at_least
    ]
    found.sort(key=lambda pair: pair[0], reverse=True)
    inputs = None if tasks is None else _inputs(tasks)
    return [_tail_run(run, value, threshold, inputs) for value, run in found]


def _inputs(tasks: object) -> dict[TaskId, Any]:
    if isinstance(tasks, (str, bytes, Mapping)) or not isinstance(tasks, Iterable):
        raise TypeError(
            f"tail: tasks must be a list of task dicts, got {type(tasks).__name__} {cut(tasks)}; "
            "pass the tasks that were run, or leave it out"
        )
    inputs = {}
    for position, task in enumerate(tasks):
        if not isinstance(task, Mapping) or "id" not in task or "input" not in task:
            raise TypeError(
                f"tail: tasks[{position}] must be a task dict with 'id' and 'input', "
                f"got {type(task).__name__} {cut(task)}; pass the tasks that were run"
            )
        try:
            inputs[task["id"]] = task["input"]
        except TypeError:
            raise TypeError(
                f"tail: tasks[{position}]: the id must be a str or an int, "
                f"got {type(task['id']).__name__} {cut(task['id'])}; use the ids of the runs"
            ) from None
    return inputs


def _tail_run(
    run: Mapping[str, Any], value: float, threshold: float, inputs: Mapping[TaskId, Any] | None
) -> TailRun:
    task = task_id(run, "tail")
    row: TailRun = {
        "id": task,
        "repeat": run.get("repeat", 0),
        "passed": passed(run, "tail"),
        "value": value,
        "threshold": threshold,
    }
    if inputs is not None:
        if task not in inputs:
            raise ValueError(
                f"tail: tasks has no task {cut(task)}, which a run is of; "
                "pass all tasks that were run"
            )
        row["input"] = inputs[task]
    return row
