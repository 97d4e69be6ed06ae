"""One page that needs nothing else: an evaluation to read, to send and to print."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agenteval.measures.distributions import distribution
from agenteval.records import (
    ArgsMatch,
    Comparison,
    Mode,
    PathRow,
    ReliabilityRow,
    Report,
    Task,
    TaskId,
    WriteTools,
)
from agenteval.report.formatting import duration, money, number, plural
from agenteval.report.names import task_names
from agenteval.report.overview import Overview
from agenteval.report.page.comparison import comparison_section
from agenteval.report.page.figures import figures, top_figures
from agenteval.report.page.inputs import Matching, Page, gather
from agenteval.report.page.sections import (
    MOST_LISTED,
    path_section,
    reasons_section,
    reliability_section,
    section,
    spread_section,
)
from agenteval.report.page.style import PAGE_STYLE
from agenteval.report.page.tasks import TaskSection, tasks_section
from agenteval.report.page.text import escaped, isolated
from agenteval.trajectory import WRITE_TOOLS

__all__ = ["html"]

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""What the page may load and run: nothing but its own style sheet."""


def html(
    report: Report,
    *,
    rows: Iterable[PathRow] | None = None,
    tasks: Iterable[Task] | None = None,
    table: Sequence[ReliabilityRow] | None = None,
    baseline: Report | None = None,
    comparison: Comparison | None = None,
    title: str | None = None,
    mode: Mode = "in_order",
    args_match: ArgsMatch = "exact",
    write_tools: WriteTools = WRITE_TOOLS,
    max_bytes: int = 9_500_000,
) -> str:
    """Show an evaluation as one page that needs no other file, no network and no script.

    The page has the pass rate with its interval, the reliability curve, the reasons, what runs
    took, and the tasks, worst first, with each run's answer and steps folded away. It is light or
    dark as the reader's system is, and prints.

    Args:
        report: What `agenteval.evaluate` or `agenteval.summarize` returns.
        rows: The rows of `agenteval.score_runs`, for the verdict on each run's path. Left out, they
            are made from `tasks` where a task has a reference.
        tasks: The tasks that were run, for inputs, expected answers and the step tables.
        table: The rows of `agenteval.reliability_table`. Left out, they are made from the report.
        baseline: The report of the version before: the page compares the two.
        comparison: The same as `agenteval.compare` gives it, where there is no report.
        title: The heading. Left out, it is the report's label.
        mode: How paths are matched, for tasks that do not say; see `agenteval.covers`.
        args_match: How arguments are compared, for tasks that do not say; see
            `agenteval.score_trajectory`.
        write_tools: Which tools change the world. Give these three as `rows` were made with, so
            that the step tables agree with them.
        max_bytes: How large the part with the tasks may grow. What is beyond it, mostly of the best
            tasks, stands without details, or not at all, and the page says how many.

    Returns:
        The page as text that encodes as UTF-8. All that came from tasks and runs is escaped.

    Raises:
        TypeError: `report` or `baseline` is no report, or its runs are no runs.
        ValueError: A key is missing, a row belongs to no run, or both `baseline` and `comparison`
            are given.

    A report without runs gives a page that says so.

    >>> from agenteval import evaluate, scripted_agent
    >>> agent = scripted_agent({"2 + 3": {"status": "final", "answer": "5", "tool_calls": 0}})
    >>> page = html(evaluate(agent, [{"id": "add", "input": "2 + 3", "expected": "5"}]))
    >>> page.startswith("<!DOCTYPE html>"), "1 of 1 run passed" in page
    (True, True)
    """
    page = gather(
        report,
        rows=rows,
        tasks=tasks,
        table=table,
        baseline=baseline,
        comparison=comparison,
        matching=Matching(mode, args_match, write_tools),
    )
    heading = title or report.get("label") or "Evaluation report"
    if not page.overview.tasks:
        return _document(heading, "<p>There are no runs to report.</p>\n", "")
    sections = _sections(page, tasks_section(page, max_bytes=max_bytes))
    top = (
        f"<p>{_counts(page.overview)}</p>\n{figures(top_figures(page))}"
        f"{_contents([(anchor, name) for anchor, name, _ in sections])}"
    )
    return _document(heading, top, "".join(markup for _, _, markup in sections))


def _sections(page: Page, written: TaskSection) -> list[tuple[str, str, str]]:
    """Return the anchor, the name and the markup of each section that there is data for."""
    named = [task.id for task in page.overview.tasks]
    if page.comparison is not None:
        named += [*page.comparison["removed"], *page.comparison["still_failing"]]
        named += [*page.comparison["regressions"], *page.comparison["fixed"]]
    names = task_names(named)

    def linked(task: TaskId) -> str:
        name, anchor = isolated(names.get(task, task)), written.anchors.get(task)
        return name if anchor is None else f'<a href="#{anchor}">{name}</a>'

    found = []
    if page.comparison is not None:
        compared = comparison_section(page.comparison, linked)
        found.append(("comparison", "Baseline", compared))
    if page.table:
        found.append(("reliability", "Reliability", reliability_section(page)))
    found.append(("reasons", "Reasons", reasons_section(page.overview)))
    if page.rows:
        found.append(("paths", "Paths", path_section(page.overview)))
    spread = _spread(page.overview)
    if spread:
        found.append(("spread", "Steps and cost", spread))
    found.append(("tasks", "Tasks", _tasks(page, written)))
    return found


def _spread(seen: Overview) -> str:
    runs = seen.report["runs"]
    costs = [cost for run in runs if (cost := run.get("cost")) is not None]
    return spread_section(
        [
            ("Tool calls", "tool calls a run", seen.steps, number),
            ("Cost", "US dollars a run", distribution(costs, len(runs)), money),
            ("Time", "", seen.latency["seconds"], duration),
            ("First output", "", seen.latency["first_output_seconds"], duration),
        ]
    )


def _tasks(page: Page, written: TaskSection) -> str:
    notes = ["Worst first. Open a task for its runs, and a run for its answer and its calls."]
    if written.without_details:
        bare = plural(written.without_details, "task stands", "tasks stand")
        notes.append(f"To keep the page small, {bare} without details.")
    if written.left_out:
        more = plural(written.left_out, "more task is", "more tasks are")
        notes.append(f"The page is full: {more} not listed, the best of all.")
    has_runs = {task.id for task in page.overview.tasks}
    idle = [task for task in page.tasks if task not in has_runs]
    if idle:
        names = ", ".join(map(isolated, idle[:MOST_LISTED]))
        more = f" and {len(idle) - MOST_LISTED:,} more" if len(idle) > MOST_LISTED else ""
        notes.append(f"Never run: {names}{more}.")
    lead = "".join(f"<p>{note}</p>\n" for note in notes)
    return section("tasks", "Tasks", lead, written.markup)


def _counts(seen: Overview) -> str:
    report = seen.report
    repeats = sorted({len(task.runs) for task in seen.tasks})
    each = f"{repeats[0]:,} to " if len(repeats) > 1 else ""
    said = (
        f"{plural(len(seen.tasks), 'task')}, {each}{plural(repeats[-1], 'repeat')} each: "
        f"{report['passed']:,} of {plural(report['total'], 'run')} passed."
    )
    abandoned = report.get("abandoned")
    if abandoned:
        said += f" {plural(abandoned, 'agent was', 'agents were')} left behind at the time limit."
    return said


def _contents(sections: Sequence[tuple[str, str]]) -> str:
    links = "".join(f'<li><a href="#{anchor}">{name}</a></li>' for anchor, name in sections)
    return f'<nav aria-label="Sections"><ul>{links}</ul></nav>\n'


def _document(heading: str, top: str, body: str) -> str:
    name = escaped(heading)
    skip = '<a class="skip" href="#tasks">Skip to the tasks</a>\n' if body else ""
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"/>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        '<meta name="color-scheme" content="light dark"/>\n'
        f"<title>{name}</title>\n<style>{PAGE_STYLE}</style>\n</head>\n<body>\n{skip}"
        f"<header>\n<h1>{isolated(heading)}</h1>\n{top}</header>\n<main>\n{body}</main>\n"
        "</body>\n</html>\n"
    )
