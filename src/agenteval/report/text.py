"""A report as text of 80 columns, for a terminal and for the log of a build."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from agenteval.records import Comparison, PathRow, Report, Run
from agenteval.report.comparisons import comparison_text
from agenteval.report.figures import figures
from agenteval.report.formatting import (
    columns,
    fit,
    pad,
    plural,
    rate,
    repeat_name,
    table,
    visible,
    wrap,
)
from agenteval.report.overview import Overview, TaskOutcome, overview

__all__ = ["text"]

_WIDTH = 80
_LABEL = 13
_MOST_REASONS = 10
_WIDEST_TASK = 30


def text(
    report: Report,
    *,
    rows: Iterable[PathRow] | None = None,
    comparison: Comparison | None = None,
    max_tasks: int = 20,
) -> str:
    """Show a report as text: what came out first, then the tasks, the worst first.

    Args:
        report: What `agenteval.evaluate` or `agenteval.summarize` returns.
        rows: The runs' rows of `agenteval.score_runs`, to show how good their paths were.
        comparison: What `agenteval.compare` says beside a baseline.
        max_tasks: How many tasks to show; how many are left out is said.

    Returns:
        Lines of at most 80 columns without a line break at the end. Nothing but the report's own
        text is beyond ASCII. A figure that no run gives has no line; one that only some give says
        how many. With repeats, pass^k is the ``"subsets"`` estimate of
        `agenteval.reliability_table`, and intervals are its 95 % intervals over tasks.

    Raises:
        TypeError: `report` is not a report, or a run's number is none.

    >>> from agenteval.harness import evaluate
    >>> task = {"id": "capital", "input": "The capital of France?", "expected": "Paris"}
    >>> agent = lambda question: {"status": "final", "answer": "Lyon", "calls": []}
    >>> print(text(evaluate(agent, [task])).splitlines()[0])
    pass rate    0.00 (0 of 1 run)
    """
    seen = overview(report, rows, "text")
    parts = [_summary(seen)]
    if len(seen.curve) > 1:
        parts.append(_reliability(seen))
    if report["reasons"]:
        parts.append(_reasons(report["reasons"]))
    if comparison is not None:
        inside = comparison_text(comparison, max_tasks=max_tasks).splitlines()
        parts.append(["against the baseline", *(fit(f"    {line}", _WIDTH) for line in inside)])
    if seen.tasks:
        parts.append(_tasks(seen.tasks, max_tasks))
    return "\n\n".join("\n".join(lines) for lines in parts)


def _summary(seen: Overview) -> list[str]:
    lines = figures(seen)
    if seen.report.get("label") is not None:
        lines.insert(0, ("label", visible(seen.report["label"])))
    return [
        f"{'' if place else label:<{_LABEL}}{line}"
        for label, said in lines
        for place, line in enumerate(wrap(said, _WIDTH - _LABEL))
    ]


def _reliability(seen: Overview) -> list[str]:
    cells = [["k", "pass^k", "95% interval", "pass@k"]]
    cells += [
        [
            str(row["k"]),
            rate(row["pass_hat_k"]),
            f"{rate(row['low'])} to {rate(row['high'])}",
            rate(row["pass_at_k"]),
        ]
        for row in seen.curve
    ]
    return ["reliability over repeats", *(f"    {line}" for line in table(cells, right={0, 1, 3}))]


def _reasons(reasons: Mapping[str, int]) -> list[str]:
    listed = list(reasons.items())[:_MOST_REASONS]
    cells = [[f"{count:,}", fit(reason, _WIDTH)] for reason, count in listed]
    lines = ["why runs failed", *(fit(f"    {line}", _WIDTH) for line in table(cells, right={0}))]
    if len(reasons) > _MOST_REASONS:
        lines.append(f"    and {plural(len(reasons) - _MOST_REASONS, 'more reason')}")
    return lines


def _tasks(tasks: Sequence[TaskOutcome], max_tasks: int) -> list[str]:
    shown, rest = tasks[:max_tasks], tasks[max_tasks:]
    tallies = [f"{task.passed:,}/{len(task.runs):,}" for task in shown]
    names = [fit(task.id, _WIDEST_TASK) for task in shown]
    left = max(map(len, tallies), default=0)
    wide = max(map(columns, names), default=0)
    lines = ["tasks, the worst first"]
    for task, tally, name in zip(shown, tallies, names, strict=True):
        lines += _task(task, f"    {tally:>{left}}  {pad(name, wide)}  ", " " * (left + 6))
    if rest:
        bad = sum(not task.clean for task in rest)
        lines.append(
            f"    and {plural(len(rest), 'more task')}, {bad or 'none'} of them with failures"
        )
    return lines


def _task(task: TaskOutcome, head: str, indent: str) -> list[str]:
    """Return the task's line, why runs failed, and what the first of them said."""
    room = _WIDTH - len(indent)
    why = wrap(_why(task), _WIDTH - columns(head), later=room)
    lines = [(head + "".join(why[:1])).rstrip(), *(indent + line for line in why[1:])]
    failed = next((run for run in task.runs if not run["passed"]), None)
    if failed is not None:
        lines.append(indent + _first_failure(failed, len(task.runs), room))
    return lines


def _why(task: TaskOutcome) -> str:
    """Return why the task's runs failed, and why their paths did, with how often."""
    total = len(task.runs)
    whys = [(visible(reason), count) for reason, count in task.reasons.items()]
    whys += [(f"path: {visible(why)}", count) for why, count in task.untold.items()]
    return "; ".join(why if total == 1 else f"{why} ({count:,})" for why, count in whys)


def _first_failure(run: Run, repeats: int, width: int) -> str:
    """Return what the run said instead of the right answer, on one line."""
    which = run.get("repeat")
    where = "" if repeats == 1 or which is None else f"{repeat_name(which, repeats)}: "
    if run.get("error"):
        return fit(f"{where}{run['error']}", width)
    answer = run.get("answer")
    if answer is None:
        return fit(f"{where}no answer, status {visible(run.get('status'))}", width)
    return f'{where}answered "{fit(answer, width - len(where) - 11)}"'
