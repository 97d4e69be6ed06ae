"""What a page is made of, asked of the modules that compute it; nothing is written here yet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from agenteval._messages import cut
from agenteval.records import (
    ArgsMatch,
    Comparison,
    Mode,
    PathRow,
    ReliabilityRow,
    Report,
    Run,
    Step,
    Task,
    TaskId,
    WriteTools,
)
from agenteval.reliability import compare, outcomes, reliability_table
from agenteval.report.arguments import comparison_of
from agenteval.report.overview import Overview, overview
from agenteval.trajectory import WRITE_TOOLS, compare_run, score_runs

__all__ = ["Matching", "Page", "gather"]


class Matching(NamedTuple):
    """How runs are set against references, where a task does not say."""

    mode: Mode
    args_match: ArgsMatch
    write_tools: WriteTools


class Page(NamedTuple):
    """All that a page shows, as plain data.

    The three tables are empty where there is nothing to make them of; ``own_table`` says that the
    first one came from outside, so that its confidence is not known here.
    """

    overview: Overview
    rows: Sequence[PathRow]
    tasks: Mapping[TaskId, Task]
    matching: Matching
    table: Sequence[ReliabilityRow]
    own_table: bool
    with_path: Sequence[ReliabilityRow]
    baseline_table: Sequence[ReliabilityRow]
    comparison: Comparison | None

    @property
    def interval_name(self) -> str:
        """What the intervals of the table are called."""
        return "interval" if self.own_table else "95% interval"

    def steps_of(self, run: Run, row: PathRow | None) -> list[Step] | None:
        """Return the run's calls set against its task's reference, or None where one is missing."""
        task = self.tasks.get(run["id"])
        if task is None or run.get("calls") is None:
            return None
        if task.get("reference") is None and task.get("references") is None:
            return None
        return compare_run(
            run,
            task,
            self.matching.mode,
            write_tools=self.matching.write_tools,
            args_match=self.matching.args_match,
            reference=(row or {}).get("reference"),
        )


def gather(
    report: Report,
    *,
    rows: Iterable[PathRow] | None = None,
    tasks: Iterable[Task] | None = None,
    table: Sequence[ReliabilityRow] | None = None,
    baseline: Report | None = None,
    comparison: Comparison | None = None,
    matching: Matching | None = None,
    function: str = "html",
) -> Page:
    """Ask every module for its part of the page; see `agenteval.report.html` for the arguments."""
    if baseline is not None and comparison is not None:
        raise ValueError(
            f"{function}: got a baseline and a comparison, which may not agree; "
            "pass the baseline's report, or the comparison alone"
        )
    matching = matching or Matching("in_order", "exact", WRITE_TOOLS)
    if comparison is not None:
        comparison = comparison_of(comparison, function)
    listed = _tasks_of(tasks, function)
    scored = list(rows) if rows is not None else _scored(report, listed, matching)
    seen = overview(report, scored, function)
    now = _outcomes(seen)
    both = outcomes(scored, by="both")
    before: dict[TaskId, list[bool]] = {}
    if baseline is not None:
        before = _outcomes_before(baseline, function)
        comparison = compare(before, now) if before and now else None
    return Page(
        overview=seen,
        rows=scored,
        tasks={task["id"]: task for task in listed},
        matching=matching,
        table=seen.curve if table is None else table,
        own_table=table is not None,
        # Beside the curve of outcomes only where it is over the same tasks.
        with_path=reliability_table(both) if both and both.keys() == now.keys() else [],
        baseline_table=reliability_table(before) if before else [],
        comparison=comparison,
    )


def _tasks_of(tasks: object, function: str) -> list[Task]:
    """Return the tasks as a list; rows of paths have ids, too, but nothing to show of a task."""
    if tasks is None:
        return []
    if isinstance(tasks, (str, bytes, Mapping)) or not isinstance(tasks, Iterable):
        raise TypeError(
            f"{function}: tasks must be a list of task dicts, "
            f"got {type(tasks).__name__} {cut(tasks)}; pass the tasks that were run"
        )
    listed = list(tasks)
    for position, task in enumerate(listed):
        if not isinstance(task, Mapping) or "id" not in task or "diagnosis" in task:
            raise TypeError(
                f"{function}: tasks[{position}] must be a task dict with an 'id', "
                f"got {type(task).__name__} {cut(task)}; pass the tasks that were run, and rows of "
                "score_runs as rows="
            )
    return listed


def _outcomes(seen: Overview) -> dict[TaskId, list[bool]]:
    return {task.id: [bool(run["passed"]) for run in task.runs] for task in seen.tasks}


def _outcomes_before(baseline: Any, function: str) -> dict[TaskId, list[bool]]:
    if isinstance(baseline, Mapping) and "p_value" in baseline:
        raise TypeError(
            f"{function}: baseline must be the report of the version before, "
            f"got a comparison {cut(baseline)}; pass it as comparison="
        )
    return _outcomes(overview(baseline, None, f"{function}, baseline"))


def _scored(report: Any, tasks: Sequence[Task], matching: Matching) -> list[PathRow]:
    if not any("reference" in task or "references" in task for task in tasks):
        return []
    if not isinstance(report, Mapping) or "runs" not in report:
        return []  # `overview` says so
    return score_runs(report["runs"], tasks, **matching._asdict())
