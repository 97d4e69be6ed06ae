"""A report as Markdown to paste into a pull request.

Everything that comes from runs stands in code spans: nothing in there is read as markup, names
nobody and links nowhere, on GitHub as elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from agenteval.records import Change, Comparison, PathRow, Report
from agenteval.report.arguments import comparison_of, whole_of
from agenteval.report.comparisons import worst_first
from agenteval.report.figures import figures, repeats_note
from agenteval.report.formatting import fit, p_value, plural, rate
from agenteval.report.names import task_names
from agenteval.report.overview import Overview, TaskOutcome, overview

__all__ = ["markdown"]

_VALUE = 120
_MOST_WHYS = 4


def markdown(
    report: Report,
    *,
    rows: Iterable[PathRow] | None = None,
    comparison: Comparison | None = None,
    max_tasks: int | None = 20,
) -> str:
    """Show a report as Markdown: the pass rate, what changed, and the tasks worst first.

    Args:
        report: What `agenteval.evaluate` or `agenteval.summarize` returns.
        rows: The runs' rows of `agenteval.score_runs`, to show how good their paths were.
        comparison: What `agenteval.compare` says beside a baseline.
        max_tasks: How many tasks to show in each table or list, ``None`` for all; the rest is
            counted.

    Returns:
        GitHub's kind of Markdown (tables), with a line break at the end. Figures are those of
        `agenteval.report.text`.

    Raises:
        TypeError: `report`, a run in it, `rows` or `comparison` is none, or `max_tasks` is no whole
            number.
        ValueError: A number in them is not allowed, or `rows` has one of a run that is not there.

    >>> from agenteval.harness import evaluate
    >>> task = {"id": "capital", "input": "The capital of France?", "expected": "Paris"}
    >>> agent = lambda question: {"status": "final", "answer": "Lyon", "calls": []}
    >>> print(markdown(evaluate(agent, [task])).splitlines()[-1])
    | 0/1 | `capital` | `wrong answer` |
    """
    most = whole_of("markdown: max_tasks", max_tasks, missing=True)
    seen = overview(report, rows, "markdown")
    parts = [_title(seen), _figures(seen)]
    if comparison is not None:
        parts.append(_comparison(seen, comparison_of(comparison, "markdown"), most))
    if len(seen.curve) > 1:
        parts.append(_reliability(seen))
    note = repeats_note(seen)
    if note is not None:
        parts.append(f"{note[0].upper()}{note[1:]}.")
    if seen.tasks:
        parts.append(_tasks(seen.tasks, most))
    return "\n\n".join(parts) + "\n"


def _code(value: object, *, cell: bool = False) -> str:
    r"""Return `value` as a code span, cut, also for a table's cell.

    >>> _code("a `b` | c", cell=True)
    '`` a `b` \\| c ``'
    """
    text = fit(value, _VALUE)
    if not text.strip():
        return "(blank)"
    if cell:
        text = text.replace("|", r"\|")
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    # One blank on either side is taken off again.
    blank = " " if len(fence) > 1 or text[0] == text[-1] == " " else ""
    return f"{fence}{blank}{text}{blank}{fence}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], right: Collection[int] = ()) -> str:
    aligned = ["--:" if place in right else "---" for place in range(len(head))]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, aligned, *rows))


def _title(seen: Overview) -> str:
    label = seen.report.get("label")
    return "### Agent evaluation" + ("" if label is None else f": {_code(label)}")


def _figures(seen: Overview) -> str:
    return "\n".join(f"- **{label}** {said}" for label, said in figures(seen))


def _comparison(seen: Overview, comparison: Comparison, max_tasks: int) -> str:
    old, new = rate(comparison["old_pass_rate"]), rate(comparison["new_pass_rate"])
    chance = p_value(comparison["p_value"])
    lines = [
        "**Against the baseline**: pass rate "
        f"{old} before, {new} now, over the tasks in both (p {chance}).",
    ]
    regressions, still_failing, others = worst_first(comparison)
    listed = [
        (word, task)
        for word, ids in (
            ("**regression**", regressions),
            ("fixed", comparison["fixed"]),
            ("still failing", still_failing),
            ("passes as before", others),
        )
        for task in ids
    ]
    changes = {change["id"]: change for change in comparison["changes"]}
    every = [task.id for task in seen.tasks] + [task for _, task in listed]
    every += [*comparison["added"], *comparison["removed"]]
    names = task_names(every, _VALUE)
    if listed:
        cells = [
            [word, _code(names[task], cell=True), *_rates(changes.get(task))]
            for word, task in listed[:max_tasks]
        ]
        lines += ["", _table(["change", "task", "before", "now", "p"], cells, right={2, 3, 4})]
    if len(listed) > max_tasks:
        lines += ["", f"And {plural(len(listed) - max_tasks, 'more task')}."]
    for title, ids in (("Added", comparison["added"]), ("Removed", comparison["removed"])):
        if ids:
            more = f" and {len(ids) - max_tasks:,} more" if len(ids) > max_tasks else ""
            lines += [
                "",
                f"{title}: {', '.join(_code(names[task]) for task in ids[:max_tasks])}{more}.",
            ]
    return "\n".join(lines)


def _rates(change: Change | None) -> list[str]:
    if change is None:
        return ["", "", ""]
    return [rate(change["old_rate"]), rate(change["new_rate"]), p_value(change["p"])]


def _reliability(seen: Overview) -> str:
    cells = [
        [
            str(row["k"]),
            rate(row["pass_hat_k"]),
            f"{rate(row['low'])} to {rate(row['high'])}",
            rate(row["pass_at_k"]),
        ]
        for row in seen.curve
    ]
    return _table(["k", "pass^k", "95% interval", "pass@k"], cells, right={0, 1, 3})


def _tasks(tasks: Sequence[TaskOutcome], max_tasks: int) -> str:
    names = task_names((task.id for task in tasks), _VALUE)
    cells = [
        [f"{task.passed:,}/{len(task.runs):,}", _code(names[task.id], cell=True), _why(task)]
        for task in tasks[:max_tasks]
    ]
    shown = _table(["passed", "task, the worst first", "why runs failed"], cells, right={0})
    rest = tasks[max_tasks:]
    if rest:
        bad = sum(not task.clean for task in rest)
        failing = f"{bad:,}" if bad else "none"
        shown += f"\n\nAnd {plural(len(rest), 'more task')}, {failing} of them with failures."
    return shown


def _why(task: TaskOutcome) -> str:
    """Return why the task's runs failed, and why their paths did, with how often."""
    total = len(task.runs)
    whys = [(_code(reason, cell=True), count) for reason, count in task.reasons.items()]
    whys += [(f"path: {_code(why, cell=True)}", count) for why, count in task.untold.items()]
    said = [why if total == 1 else f"{why} × {count:,}" for why, count in whys[:_MOST_WHYS]]
    if len(whys) > _MOST_WHYS:
        said.append(f"{len(whys) - _MOST_WHYS:,} more")
    return ", ".join(said)
