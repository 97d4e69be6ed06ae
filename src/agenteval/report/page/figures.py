"""The few numbers that a reader looks for first."""

from __future__ import annotations

from collections.abc import Iterable

from agenteval.report.formatting import money, number, plural, rate
from agenteval.report.page.inputs import Page

__all__ = ["Figure", "figures", "top_figures"]

Figure = tuple[str, str, str]
"""One number: its name, the number, and what to know about it, as markup."""


def figures(rows: Iterable[Figure]) -> str:
    """Return the numbers side by side, each with its name above and its note below."""
    inside = "".join(
        f'<div><dt>{name}</dt><dd class="value">{value}</dd><dd class="note">{note}</dd></div>\n'
        for name, value, note in rows
    )
    return f'<dl class="figures">\n{inside}</dl>\n'


def top_figures(page: Page) -> list[Figure]:
    """Return the numbers of an evaluation that stand above all others."""
    seen = page.overview
    found = [("Pass rate", rate(seen.report["pass_rate"]), _about_the_rate(page))]
    last = page.table[-1] if page.table else None
    if last is not None and last["k"] > 1:
        k = last["k"]
        often = f"of tasks pass {k} times out of {k}"
        found.append((f"pass^{k}", rate(last["pass_hat_k"]), often))
        for row in page.with_path:
            if row["k"] == k:
                held = f"{often}, by a path that holds"
                found.append((f"pass^{k}, path too", rate(row["pass_hat_k"]), held))
        flaky = "passed in some runs, failed in others"
        found.append(("Flaky tasks", f"{seen.flaky:,} of {len(seen.tasks):,}", flaky))
    steps = seen.steps
    if steps["p50"] is not None and steps["p90"] is not None and steps["max"] is not None:
        tail = f"median; p90 {number(steps['p90'])}, most {number(steps['max'])}"
        known = _known(steps["count"], steps["of"])
        found.append(("Tool calls a run", number(steps["p50"]), tail + known))
    cost = seen.cost
    if cost["spent"] is not None:
        each = cost["cost_per_completed_task"]
        spent = f"{money(cost['spent'])} spent, {plural(cost['completed'], 'run')} completed"
        known = _known(cost["known"], cost["of"])
        shown = "–" if each is None else money(each)
        found.append(("Cost per completed task", shown, spent + known))
    return found


def _about_the_rate(page: Page) -> str:
    report = page.overview.report
    said = f"{report['passed']:,} of {plural(report['total'], 'run')}"
    first = next((row for row in page.table if row["k"] == 1), None)
    if first is None:
        return said
    said += f"; {page.interval_name} {rate(first['low'])} to {rate(first['high'])}"
    if abs(first["pass_hat_k"] - report["pass_rate"]) > 1e-9:
        # Some tasks were run more often than others, and the interval is over tasks.
        return f"{said} for {rate(first['pass_hat_k'])}, the mean over tasks"
    return f"{said}, over {plural(first['tasks'], 'task')}"


def _known(count: int, of: int) -> str:
    return "" if count == of else f"; known for {count:,} of {plural(of, 'run')}"
