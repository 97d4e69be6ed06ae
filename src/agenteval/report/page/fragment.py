"""A report drawn inside someone else's page: the piece that a notebook shows under a cell."""

from __future__ import annotations

from agenteval.records import Report
from agenteval.report.formatting import plural
from agenteval.report.names import task_names
from agenteval.report.overview import Overview
from agenteval.report.page.figures import figures, top_figures
from agenteval.report.page.inputs import Page, gather
from agenteval.report.page.sections import curve_table, reasons_table
from agenteval.report.page.style import FRAGMENT_STYLE
from agenteval.report.page.svg import curve_svg
from agenteval.report.page.text import isolated, table

__all__ = ["html_fragment"]

_MOST_TASKS = 10
_MOST_REASONS = 5


def html_fragment(report: Report) -> str:
    """Show a report as a piece of HTML to stand inside another page, such as a notebook.

    It takes its colors from the page around it, so it is right on light and on dark, and its style
    sheet touches nothing outside it. It is the short form; `html` has all there is.

    Args:
        report: What `agenteval.evaluate` or `agenteval.summarize` returns.

    Returns:
        One ``<div>`` with its style sheet.

    Raises:
        TypeError: `report` is no report.

    >>> from agenteval.harness import evaluate, scripted_agent
    >>> agent = scripted_agent({"2 + 3": {"status": "final", "answer": "5", "tool_calls": 0}})
    >>> fragment = html_fragment(evaluate(agent, [{"id": 1, "input": "2 + 3", "expected": "5"}]))
    >>> fragment.startswith('<div class="agenteval-report">'), "<script" in fragment
    (True, False)
    """
    page = gather(report, function="html_fragment")
    parts = [figures(top_figures(page)), _curve(page)] if page.table else ["<p>No runs.</p>\n"]
    if report["reasons"]:
        parts.append(reasons_table(page.overview, _MOST_REASONS))
        parts.append(_worst(page.overview))
    return (
        f'<div class="agenteval-report">\n<style>{FRAGMENT_STYLE}</style>\n{"".join(parts)}</div>\n'
    )


def _curve(page: Page) -> str:
    if page.table[-1]["k"] == 1:  # one point is no curve, and stands among the figures
        return ""
    return f'<div class="pair">{curve_svg(page.table)}<div>{curve_table(page)}</div></div>\n'


def _worst(seen: Overview) -> str:
    failing = [task for task in seen.tasks if task.passed < len(task.runs)]
    names = task_names(task.id for task in seen.tasks)
    rows = [
        [
            isolated(names[task.id]),
            f"{task.passed:,} of {len(task.runs):,}",
            "; ".join(map(isolated, list(task.reasons)[:3])),
        ]
        for task in failing[:_MOST_TASKS]
    ]
    caption = "Tasks that did not always pass, worst first"
    more = len(failing) - _MOST_TASKS
    if more > 0:
        caption += f": the worst {_MOST_TASKS} of {plural(len(failing), 'task')}"
    return table(caption, ["Task", "Passed", "Why not"], rows, numbers={1})
