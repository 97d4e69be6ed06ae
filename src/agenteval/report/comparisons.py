"""Two versions side by side, as text: what broke first, then what was mended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from agenteval.records import Change, Comparison, TaskId
from agenteval.report.arguments import comparison_of, whole_of
from agenteval.report.formatting import p_value, plural, rate, table
from agenteval.report.names import task_names

__all__ = ["comparison_lines", "comparison_text", "worst_first"]

_WIDTH = 80


def comparison_text(comparison: Comparison, *, max_tasks: int | None = 20) -> str:
    """Show what changed between two versions, regressions first and the greatest drop first.

    Args:
        comparison: What `agenteval.compare` returns.
        max_tasks: How many tasks to name in each list, ``None`` for all; the count is always
            shown.

    Returns:
        Lines of at most 80 columns without a line break at the end. A list that is empty has no
        lines, but that there are no regressions is said.

    Raises:
        TypeError: `comparison` is not what `agenteval.compare` returns, or `max_tasks` is no whole
            number.
        ValueError: A rate in it is outside 0 to 1, or `max_tasks` is below 0.

    >>> from agenteval.reliability import compare
    >>> old, new = {"a": [1, 1, 1], "b": [0, 0]}, {"a": [0, 0, 0], "b": [0, 1]}
    >>> print(comparison_text(compare(old, new)))
    pass rate 0.50 -> 0.25 over the tasks in both, p 1.00
    1 regression
        1.00 -> 0.00  p 0.10  a
    1 still failing
        0.00 -> 0.50  p 1.00  b
    """
    most = whole_of("comparison_text: max_tasks", max_tasks, missing=True)
    return "\n".join(comparison_lines(comparison_of(comparison, "comparison_text"), most, _WIDTH))


def comparison_lines(
    comparison: Comparison, max_tasks: int, width: int, *, among: Iterable[TaskId] = ()
) -> list[str]:
    """Return the lines of `comparison_text`, each of at most `width` columns.

    Names differ from those of the tasks `among` which they are shown.
    """
    old, new = rate(comparison["old_pass_rate"]), rate(comparison["new_pass_rate"])
    chance = p_value(comparison["p_value"])
    changes = {change["id"]: change for change in comparison["changes"]}
    regressions, still_failing, others = worst_first(comparison)
    lists: list[tuple[str, Sequence[TaskId]]] = [
        (plural(len(regressions), "regression") if regressions else "no regressions", regressions),
        ("{} fixed", comparison["fixed"]),
        ("{} still failing", still_failing),
        ("{} with another pass rate", others),
        ("{} added", comparison["added"]),
        ("{} removed", comparison["removed"]),
    ]
    lines = [f"pass rate {old} -> {new} over the tasks in both, p {chance}"]
    widest = max((len("  ".join(_rates(change))) for change in changes.values()), default=0)
    every = [*among, *(task for _, ids in lists for task in ids)]
    names = task_names(every, width - 4 - widest - 2)
    for title, ids in lists:
        if ids or title == "no regressions":
            lines.append(title.format(f"{len(ids):,}"))
            lines += _tasks(ids, changes, names, max_tasks)
    return lines


def worst_first(comparison: Comparison) -> tuple[list[TaskId], list[TaskId], list[TaskId]]:
    """Return the regressions, those still failing, and the others with another pass rate.

    In each the greatest drop comes first, and the greatest gain last.
    """
    changes = {change["id"]: change for change in comparison["changes"]}
    named = {*comparison["regressions"], *comparison["fixed"], *comparison["still_failing"]}

    def gain(task: TaskId) -> float:
        change = changes.get(task)
        return 0.0 if change is None else change["new_rate"] - change["old_rate"]

    return (
        sorted(comparison["regressions"], key=gain),
        sorted(comparison["still_failing"], key=gain),
        sorted((task for task in changes if task not in named), key=gain),
    )


def _tasks(
    ids: Sequence[TaskId],
    changes: Mapping[TaskId, Change],
    names: Mapping[TaskId, str],
    max_tasks: int,
) -> list[str]:
    """Return a line for each task: its rates where they changed, and its name."""
    shown = ids[:max_tasks]
    rows = [_rates(changes[task]) if task in changes else ["", ""] for task in shown]
    if not any(row[0] for row in rows):
        rows = [[] for _ in shown]
    lines = [
        f"    {line}"
        for line in table([*row, names[task]] for row, task in zip(rows, shown, strict=True))
    ]
    if len(ids) > max_tasks:
        lines.append(f"    and {len(ids) - max_tasks:,} more")
    return lines


def _rates(change: Change) -> list[str]:
    return [
        f"{rate(change['old_rate'])} -> {rate(change['new_rate'])}",
        f"p {p_value(change['p'])}",
    ]
