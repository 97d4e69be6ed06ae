"""A report as text of 80 columns, for a terminal and for the log of a build."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from agenteval.records import Comparison, PathRow, Report, Run
from agenteval.report.arguments import comparison_of, whole_of
from agenteval.report.comparisons import comparison_lines
from agenteval.report.figures import figures, repeats_note
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
from agenteval.report.names import task_names
from agenteval.report.overview import Overview, TaskOutcome, overview

__all__ = ["text"]

_WIDTH = 80
_LABEL = 13
_MOST_REASONS = 10
_WIDEST_TASK = 30
_LONGEST_LABEL = 200
_LONGEST_WHY = 120
_MOST_WHYS = 4
_ERROR_LINES = 4


def text(
    report: Report,
    *,
    rows: Iterable[PathRow] | None = None,
    comparison: Comparison | None = None,
    max_tasks: int | None = 20,
) -> str:
    """Show a report as text: what came out first, then the tasks, the worst first.

    Args:
        report: What `agenteval.evaluate` or `agenteval.summarize` returns.
        rows: The runs' rows of `agenteval.score_runs`, to show how good their paths were.
        comparison: What `agenteval.compare` says beside a baseline.
        max_tasks: How many tasks to show, ``None`` for all; how many are left out is said.

    Returns:
        Lines of at most 80 columns without a line break at the end. Nothing but the report's own
        text is beyond ASCII. A figure that no run gives has no line; one that only some give says
        how many. With repeats, pass^k is the ``"subsets"`` estimate of
        `agenteval.reliability_table`, and intervals are its 95 % intervals over tasks.

    Raises:
        TypeError: `report`, a run in it, `rows` or `comparison` is none, or `max_tasks` is no whole
            number.
        ValueError: A number in them is not allowed, or `rows` has one of a run that is not there.

    >>> from agenteval.harness import evaluate
    >>> task = {"id": "capital", "input": "The capital of France?", "expected": "Paris"}
    >>> agent = lambda question: {"status": "final", "answer": "Lyon", "calls": []}
    >>> print(text(evaluate(agent, [task])).splitlines()[0])
    pass rate    0.00 (0 of 1 run)
    """
    most = whole_of("text: max_tasks", max_tasks, missing=True)
    seen = overview(report, rows, "text")
    parts = [_summary(seen)]
    if len(seen.curve) > 1 or repeats_note(seen) is not None:
        parts.append(_reliability(seen))
    if seen.report["reasons"]:
        parts.append(_reasons(seen.report["reasons"]))
    if comparison is not None:
        inside = comparison_lines(
            comparison_of(comparison, "text"),
            most,
            _WIDTH - 4,
            among=[task.id for task in seen.tasks],
        )
        parts.append(["against the baseline", *(f"    {line}" for line in inside)])
    if seen.tasks:
        parts.append(_tasks(seen.tasks, most))
    return "\n\n".join("\n".join(lines) for lines in parts)


def _summary(seen: Overview) -> list[str]:
    lines = figures(seen)
    if seen.report.get("label") is not None:
        lines.insert(0, ("label", fit(seen.report["label"], _LONGEST_LABEL)))
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
    lines = table(cells, right={0, 1, 3}) if len(seen.curve) > 1 else []
    lines += wrap(repeats_note(seen) or "", _WIDTH - 4)
    return ["reliability over repeats", *(f"    {line}" for line in lines)]


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
    left = max(map(len, tallies), default=0)
    by_id = task_names((task.id for task in tasks), _WIDTH - left - 6)
    names = [by_id[task.id] for task in shown]
    wide = max((columns(name) for name in names if columns(name) <= _WIDEST_TASK), default=0)
    lines = ["tasks, the worst first"]
    for task, tally, name in zip(shown, tallies, names, strict=True):
        head = f"    {tally:>{left}}  "
        if columns(name) > _WIDEST_TASK:  # a long name has a line of its own
            lines.append(head + name)
            lines += _task(task, "", " " * len(head))
        else:
            lines += _task(task, f"{head}{pad(name, wide)}  ", " " * len(head))
    if rest:
        bad = sum(not task.clean for task in rest)
        failing = f"{bad:,}" if bad else "none"
        lines.append(f"    and {plural(len(rest), 'more task')}, {failing} of them with failures")
    return lines


def _task(task: TaskOutcome, head: str, indent: str) -> list[str]:
    """Return the task's line, why runs failed, and what the first of them said.

    Without a `head`, the task's name stands on the line before.
    """
    room = _WIDTH - len(indent)
    why = wrap(_why(task), _WIDTH - columns(head or indent), later=room)
    lines = [indent + line for line in why]
    if head:
        lines[:1] = [(head + "".join(why[:1])).rstrip()]
    failed = next((run for run in task.runs if not run["passed"]), None)
    if failed is not None:
        lines += [indent + line for line in _first_failure(failed, len(task.runs), room)]
    return lines


def _why(task: TaskOutcome) -> str:
    """Return why the task's runs failed, and why their paths did, with how often."""
    total = len(task.runs)
    whys = [(fit(reason, _LONGEST_WHY), count) for reason, count in task.reasons.items()]
    whys += [(f"path: {fit(why, _LONGEST_WHY)}", count) for why, count in task.untold.items()]
    said = [why if total == 1 else f"{why} ({count:,})" for why, count in whys[:_MOST_WHYS]]
    if len(whys) > _MOST_WHYS:
        said.append(f"{len(whys) - _MOST_WHYS:,} more")
    return "; ".join(said)


def _first_failure(run: Run, repeats: int, width: int) -> list[str]:
    """Return what the run said instead of the right answer: one line, of an error up to four."""
    which = run.get("repeat")
    where = "" if repeats == 1 or which is None else f"{repeat_name(which, repeats)}: "
    if run.get("error"):
        lines = wrap(fit(f"{where}{run['error']}", width * _ERROR_LINES), width)
        last = " ".join(lines[_ERROR_LINES - 1 :])
        return [*lines[: _ERROR_LINES - 1], fit(last, width)] if last else lines
    answer = run.get("answer")
    if answer is None:
        return [fit(f"{where}no answer, status {visible(run.get('status'))}", width)]
    return [f'{where}answered "{fit(answer, width - len(where) - 11)}"']
