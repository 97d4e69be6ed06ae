"""Gathers what the text forms show of a report: the measures, and the tasks worst first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from agenteval._messages import cut
from agenteval.measures import (
    CostPerTask,
    Distribution,
    Latency,
    ToolErrors,
    cost_per_completed_task,
    latency,
    recovery_counts,
    step_counts,
    tool_errors,
)
from agenteval.records import PathRow, ReliabilityRow, Report, Run, TaskId, Verdict
from agenteval.reliability import reliability_table
from agenteval.report.arguments import report_of, rows_of

__all__ = ["Overview", "TaskOutcome", "overview"]

_SEVERITY: dict[Verdict | None, int] = {"fail": 0, "warn": 1, "pass": 2, None: 2}


@dataclass(frozen=True)
class TaskOutcome:
    """All runs of one task in the order of the repeats, each with its path row where there is one.

    ``verdict`` is the worst of the rows', ``None`` without any. ``reasons`` counts why runs failed,
    the commonest first.
    """

    id: TaskId
    runs: Sequence[Run]
    rows: Sequence[PathRow | None]
    passed: int
    reasons: Mapping[str, int]
    verdict: Verdict | None

    @property
    def clean(self) -> bool:
        """Whether every run passed, and none by a path that failed or was warned of."""
        return self.passed == len(self.runs) and self.verdict in ("pass", None)

    @property
    def whys(self) -> Mapping[str, int]:
        """Why paths failed or were warned of, with how often, the commonest first."""
        return _counted(
            row["why"] for row in self.rows if row is not None and row["verdict"] != "pass"
        )

    @property
    def untold(self) -> Mapping[str, int]:
        """The `whys`, but for the runs whose `reasons` say already why they told no calls."""
        return _counted(
            row["why"]
            for run, row in zip(self.runs, self.rows, strict=True)
            if row is not None
            and row["verdict"] != "pass"
            and (run["passed"] or run.get("calls") is not None)
        )


@dataclass(frozen=True)
class Overview:
    """What the text forms show. ``curve`` is empty when there are no runs."""

    report: Report
    tasks: Sequence[TaskOutcome]
    curve: Sequence[ReliabilityRow]
    steps: Distribution
    cost: CostPerTask
    latency: Latency
    recovery: Mapping[str, int]
    errors: ToolErrors
    verdicts: Mapping[str, int]
    diagnoses: Mapping[str, int]

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval for the pass rate.

        It is over tasks, so it is about the mean of the tasks' rates; ``None`` where that is not
        the pass rate over runs, because some tasks were run more often than others.
        """
        if not self.curve or abs(self.curve[0]["pass_hat_k"] - self.report["pass_rate"]) > 1e-9:
            return None
        return self.curve[0]["low"], self.curve[0]["high"]

    @property
    def repeats(self) -> Sequence[int]:
        """How often each task was run."""
        return [len(task.runs) for task in self.tasks]

    @property
    def flaky(self) -> int:
        """How many tasks have passed in some runs and failed in others."""
        return sum(0 < task.passed < len(task.runs) for task in self.tasks)


def overview(report: Report, rows: Iterable[PathRow] | None, function: str) -> Overview:
    """Return what the text forms show of `report` and of its runs' path `rows`."""
    report, runs = report_of(report, function)
    tasks = _task_outcomes(runs, rows_of(rows, function), function)
    outcomes = {task.id: [bool(run["passed"]) for run in task.runs] for task in tasks}
    paths = [row for task in tasks for row in task.rows if row is not None]
    return Overview(
        report=report,
        tasks=sorted(tasks, key=_badness),
        curve=reliability_table(outcomes) if outcomes else [],
        steps=step_counts(runs),
        cost=cost_per_completed_task(runs),
        latency=latency(runs),
        recovery=recovery_counts(runs),
        errors=tool_errors(runs),
        verdicts=_counted(row["verdict"] for row in paths),
        diagnoses=_counted(row["diagnosis"] for row in paths),
    )


def _task_outcomes(
    runs: Sequence[Run], rows: Sequence[PathRow], function: str
) -> list[TaskOutcome]:
    """Return the runs by task, in the order of the runs, each with its row."""
    by_task: dict[TaskId, list[Run]] = {}
    for run in runs:
        by_task.setdefault(run["id"], []).append(run)
    paths = {(row["id"], row["repeat"]): row for row in rows}
    known = {(run["id"], run.get("repeat", 0)) for run in runs}
    for task, repeat in paths.keys() - known:
        raise ValueError(
            f"{function}: rows has one of task {cut(task)}, repeat {cut(repeat)}, of which the "
            "report has no run; pass agenteval.score_runs(report['runs'], tasks)"
        )
    return [_task_outcome(task, its_runs, paths) for task, its_runs in by_task.items()]


def _task_outcome(
    task: TaskId, runs: list[Run], paths: Mapping[tuple[TaskId, int], PathRow]
) -> TaskOutcome:
    runs = sorted(runs, key=lambda run: run.get("repeat", 0))
    rows = [paths.get((task, run.get("repeat", 0))) for run in runs]
    verdicts = [row["verdict"] for row in rows if row is not None]
    return TaskOutcome(
        id=task,
        runs=runs,
        rows=rows,
        passed=sum(bool(run["passed"]) for run in runs),
        reasons=_counted(reason for run in runs for reason in run["reasons"]),
        verdict=min(verdicts, key=lambda verdict: _SEVERITY[verdict]) if verdicts else None,
    )


def _badness(task: TaskOutcome) -> tuple[float, int]:
    return task.passed / len(task.runs), _SEVERITY[task.verdict]


def _counted(words: Iterable[Any]) -> Mapping[str, int]:
    return dict(cast("list[tuple[str, int]]", Counter(words).most_common()))
