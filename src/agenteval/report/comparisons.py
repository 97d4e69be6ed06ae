"""Two versions side by side, as text: what broke first, then what was mended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agenteval._messages import cut
from agenteval.records import Change, Comparison, TaskId
from agenteval.report.formatting import fit, p_value, plural, rate, table

__all__ = ["comparison_text"]

_WIDTH = 80


def comparison_text(comparison: Comparison, *, max_tasks: int = 20) -> str:
    """Show what changed between two versions, regressions first.

    Args:
        comparison: What `agenteval.compare` returns.
        max_tasks: How many tasks to name in each list; the count is always shown.

    Returns:
        Lines of at most 80 columns without a line break at the end. A list that is empty has no
        lines, but that there are no regressions is said.

    Raises:
        TypeError: `comparison` is not what `agenteval.compare` returns.

    >>> from agenteval.reliability import compare
    >>> old, new = {"a": [1, 1, 1], "b": [0, 0]}, {"a": [0, 0, 0], "b": [0, 1]}
    >>> print(comparison_text(compare(old, new)))
    pass rate 0.50 -> 0.25 over the tasks in both, p 1.00
    1 regression
        1.00 -> 0.00  p 0.10  a
    1 still failing
        0.00 -> 0.50  p 1.00  b
    """
    _check(comparison)
    old, new = rate(comparison["old_pass_rate"]), rate(comparison["new_pass_rate"])
    chance = p_value(comparison["p_value"])
    changes = {change["id"]: change for change in comparison["changes"]}
    named = {*comparison["regressions"], *comparison["fixed"], *comparison["still_failing"]}
    regressions = comparison["regressions"]
    lists: list[tuple[str, Sequence[TaskId]]] = [
        (plural(len(regressions), "regression") if regressions else "no regressions", regressions),
        ("{} fixed", comparison["fixed"]),
        ("{} still failing", comparison["still_failing"]),
        ("{} with another pass rate", [task for task in changes if task not in named]),
        ("{} added", comparison["added"]),
        ("{} removed", comparison["removed"]),
    ]
    lines = [f"pass rate {old} -> {new} over the tasks in both, p {chance}"]
    for title, ids in lists:
        if ids or title == "no regressions":
            lines.append(title.format(f"{len(ids):,}"))
            lines += _tasks(ids, changes, max_tasks)
    return "\n".join(lines)


def _check(comparison: object) -> None:
    if not isinstance(comparison, Mapping) or "regressions" not in comparison:
        raise TypeError(
            "comparison_text: comparison must be what compare returns, "
            f"got {type(comparison).__name__} {cut(comparison)}; pass agenteval.compare(old, new)"
        )


def _tasks(ids: Sequence[TaskId], changes: Mapping[TaskId, Change], max_tasks: int) -> list[str]:
    """Return a line for each task: its rates where they changed, and its name."""
    shown = ids[:max_tasks]
    rows = [_rates(changes[task]) if task in changes else ["", ""] for task in shown]
    if not any(row[0] for row in rows):
        rows = [[] for _ in shown]
    lines = [
        fit(f"    {line}", _WIDTH)
        for line in table([*row, fit(task, _WIDTH)] for row, task in zip(rows, shown, strict=True))
    ]
    if len(ids) > max_tasks:
        lines.append(f"    and {len(ids) - max_tasks:,} more")
    return lines


def _rates(change: Change) -> list[str]:
    return [
        f"{rate(change['old_rate'])} -> {rate(change['new_rate'])}",
        f"p {p_value(change['p'])}",
    ]
