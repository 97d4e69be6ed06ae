"""The section that sets a version against the one before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agenteval.records import Comparison, TaskId
from agenteval.report.comparisons import worst_first
from agenteval.report.formatting import plural, rate
from agenteval.report.page.figures import figures
from agenteval.report.page.sections import section
from agenteval.report.page.text import table

__all__ = ["comparison_section"]

MOST_LISTED = 100

Linked = Callable[[TaskId], str]
"""Gives a task's name as markup, as a link where the page shows that task."""


def comparison_section(comparison: Comparison, linked: Linked) -> str:
    """Say which tasks broke and which were mended, and how surprising the difference is."""
    old, new = comparison["old_pass_rate"], comparison["new_pass_rate"]
    top = figures(
        [
            ("Baseline", rate(old), "pass rate before, mean over the tasks in both"),
            ("Now", rate(new), _by(new - old)),
            ("p", rate(comparison["p_value"]), "exact sign-flip test over the tasks in both"),
        ]
    )
    regressions, still_failing, _ = worst_first(comparison)
    lists: list[tuple[str, Sequence[TaskId]]] = [
        ("Regressions", regressions),
        ("Fixed", comparison["fixed"]),
        ("Still failing", still_failing),
        ("Added", comparison["added"]),
        ("Removed", comparison["removed"]),
    ]
    # That nothing got worse is news; that nothing was added is not.
    listed = "".join(
        f"<dt>{name}</dt><dd>{_names(ids, linked)}</dd>\n"
        for name, ids in lists
        if ids or name == "Regressions"
    )
    return section(
        "comparison",
        "Against the baseline",
        top,
        f"<dl>\n{listed}</dl>\n",
        _changes(comparison, linked),
        '<p class="soft">p is how often chance alone would give a difference at least as large, '
        "were both versions equally good.</p>\n",
    )


def _by(change: float) -> str:
    if abs(change) < 1e-12:
        return "pass rate now, unchanged"
    return f"pass rate now, {rate(abs(change))} {'higher' if change > 0 else 'lower'}"


def _names(ids: Sequence[TaskId], linked: Linked) -> str:
    if not ids:
        return '<span class="soft">none</span>'
    more = len(ids) - MOST_LISTED
    names = ", ".join(map(linked, ids[:MOST_LISTED]))
    return names + (f" and {more:,} more" if more > 0 else "")


def _changes(comparison: Comparison, linked: Linked) -> str:
    changes = sorted(
        comparison["changes"], key=lambda change: change["new_rate"] - change["old_rate"]
    )
    if not changes:
        return "<p>No task's pass rate changed.</p>\n"
    caption = (
        "Tasks whose pass rate changed; p is Fisher's exact test over that task's repeats, and is "
        "seldom small with few repeats"
    )
    if len(changes) > MOST_LISTED:
        caption += f". The first {MOST_LISTED} of {plural(len(changes), 'task')}"
    rows = [
        [
            linked(change["id"]),
            rate(change["old_rate"]),
            rate(change["new_rate"]),
            _direction(change["old_rate"], change["new_rate"]),
            rate(change["p"]),
        ]
        for change in changes[:MOST_LISTED]
    ]
    return table(caption, ["Task", "Before", "Now", "Change", "p"], rows, numbers={1, 2, 4})


def _direction(old: float, new: float) -> str:
    return '<span class="good">better</span>' if new > old else '<span class="bad">worse</span>'
