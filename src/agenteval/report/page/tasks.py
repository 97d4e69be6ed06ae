"""The tasks of a page, worst first, each with its runs and their steps folded away.

Pages of thousands of runs have to stay small enough to send and to open. What no longer fits is
left out, mostly at the end where the best tasks stand: details first, then the tasks' own lines;
the page says how many of each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from agenteval.records import PathRow, Run, Step, Task, TaskId
from agenteval.report.formatting import (
    call_text,
    duration,
    money,
    plural,
    rate,
    value_text,
    visible,
)
from agenteval.report.names import task_names
from agenteval.report.overview import TaskOutcome
from agenteval.report.page.inputs import Page
from agenteval.report.page.text import block, bounded, escaped, isolated, table
from agenteval.trajectory import as_call

__all__ = ["TaskSection", "tasks_section"]

LONG = 4_000
"""How many characters of an answer, an input or a traceback a page shows."""

MOST_STEPS = 300
"""How many rows of a step table it shows."""

_AROUND = 110
"""How many bytes the elements around one task take, at the most."""

VALUE = 300
"""How many characters of an argument's value or an error it shows in a table of steps."""

_MANY = 200
_MOST_MARKS = 20
_MOST_REASONS = 8
_REASONS_IN_LINE = 3
_WORDS = 200


class TaskSection(NamedTuple):
    """The markup of the tasks, where each stands, and what was left out to keep the page small."""

    markup: str
    anchors: Mapping[TaskId, str]
    without_details: int
    left_out: int


def tasks_section(page: Page, *, max_bytes: int) -> TaskSection:
    """Write the tasks, worst first, in at most `max_bytes` of UTF-8.

    The lines that are always to be seen come first and may take half of it. What they leave goes
    to the details.
    """
    lines: list[str] = []
    room = max_bytes
    names = task_names(task.id for task in page.overview.tasks)
    for task in page.overview.tasks:
        line = _task_line(task, names[task.id])
        size = len(line.encode()) + _AROUND
        if room - size < max_bytes / 2:
            break
        lines.append(line)
        room -= size
    shown = page.overview.tasks[: len(lines)]
    written: list[str] = []
    without_details = 0
    for place, (task, line) in enumerate(zip(shown, lines, strict=True), 1):
        inside = _inside(task, page) if room > max_bytes / 100 else ""
        size = len(inside.encode())
        if inside and size <= room:
            room -= size
            written.append(
                f'<details class="task" id="task-{place}"><summary>{line}</summary>\n'
                f'<div class="inside">\n{inside}</div></details>\n'
            )
        else:
            without_details += 1
            written.append(
                f'<div class="task" id="task-{place}"><div class="line">{line}</div></div>\n'
            )
    markup = "".join(written)
    if len(written) > _MANY:  # a browser need not lay out those that are not on the screen
        markup = f'<div class="many">\n{markup}</div>\n'
    return TaskSection(
        markup=markup,
        anchors={task.id: f"task-{place}" for place, task in enumerate(shown, 1)},
        without_details=without_details,
        left_out=len(page.overview.tasks) - len(lines),
    )


def _task_line(task: TaskOutcome, name: str) -> str:
    """Write the one line that is always to be seen: name, outcome, reasons."""
    total = len(task.runs)
    if total == 1:
        tally = _outcome(task.runs[0])
    else:
        kind = "good" if task.passed == total else "warn" if task.passed else "bad"
        tally = f'<span class="{kind}">{task.passed:,} of {total:,} passed</span>'
        if total <= _MOST_MARKS:
            marks = "".join("✓" if run["passed"] else "✗" for run in task.runs)
            tally += f' <span class="marks" aria-hidden="true">{marks}</span>'
    why = [*_counted(task.reasons), *(f"path: {word}" for word in _counted(task.whys))]
    return (
        f'<h3>{isolated(name)}</h3> <span class="tally">{tally}</span> '
        f'<span class="why">{" · ".join(why)}</span>'
    )


def _counted(counts: Mapping[str, int]) -> list[str]:
    words = [
        isolated(word) + (f" × {count:,}" if count > 1 else "")
        for word, count in list(counts.items())[:_MOST_REASONS]
    ]
    more = len(counts) - _MOST_REASONS
    return [*words, f"{plural(more, 'other reason')}"] if more > 0 else words


def _outcome(run: Run) -> str:
    # The style sheet sets a mark before each of the two words.
    return '<span class="ok">passed</span>' if run["passed"] else '<span class="no">failed</span>'


def _inside(task: TaskOutcome, page: Page) -> str:
    parts = []
    asked = page.tasks.get(task.id)
    if asked is not None:
        known = [(name.title(), asked.get(name)) for name in ("input", "expected")]
        facts = [(name, _long(value)) for name, value in known if value is not None]
        parts.append(_facts(facts))
    total = len(task.runs)
    for place, (run, row) in enumerate(zip(task.runs, task.rows, strict=True), 1):
        body = _run(run, row, asked, page.steps_of(run, row))
        if total > 1:
            body = (
                f'<details class="run"><summary><h4>Repeat {place:,} of {total:,}</h4> '
                f"{_outcome(run)}{_run_line(run, row)}</summary>\n{body}</details>\n"
            )
        parts.append(body)
    return "".join(parts)


def _run_line(run: Run, row: PathRow | None) -> str:
    said = [isolated(reason) for reason in run["reasons"][:_REASONS_IN_LINE]]
    if row is not None and row["verdict"] != "pass":
        said.append(f"path: {escaped(row['why'], quote=False)}")
    calls = run.get("tool_calls")
    if calls is not None:
        said.append(plural(calls, "call"))
    return "".join(f" · {word}" for word in said)


def _run(run: Run, row: PathRow | None, task: Task | None, steps: Sequence[Step] | None) -> str:
    facts = []
    reasons = run["reasons"]
    if len(reasons) > _REASONS_IN_LINE or any(len(reason) > _WORDS for reason in reasons):
        facts.append(("Reasons", _listed(reasons)))  # the line above does not have them all
    status = run.get("status")
    if status is not None and status != "final":
        facts.append(("Status", isolated(status)))
    answer = run.get("answer")
    facts.append(("Answer", '<span class="soft">none</span>' if answer is None else _long(answer)))
    if row is not None:
        facts.append(("Path", _path(row)))
    facts += _spent(run, row, task)
    if run.get("error"):
        facts.append(("Error", _long(run["error"])))
    if run.get("traceback"):
        facts.append(
            (
                "Traceback",
                f"<details><summary>where it happened</summary>{_long(run['traceback'])}</details>",
            )
        )
    return _facts(facts) + _steps(run, steps)


def _path(row: PathRow) -> str:
    verdict = row["verdict"]
    kind = {"pass": "good", "warn": "warn", "fail": "bad"}[verdict]
    why = f": {escaped(row['why'], quote=False)}" if row["why"] else ""
    said = f'<span class="{kind}">{verdict}</span>{why} ({escaped(row["diagnosis"])})'
    coverage, accuracy, extra, twice = (
        row["coverage"],
        row["argument_accuracy"],
        row["extra_steps"],
        row["duplicate_writes"],
    )
    if coverage is None or accuracy is None or extra is None:
        return said
    return (
        f"{said}<br/>coverage {'pass' if coverage else 'fail'}, argument accuracy "
        f"{rate(accuracy)}, extra steps {f'{extra:+d}' if extra else '0'}, duplicate writes {twice}"
    )


def _spent(run: Run, row: PathRow | None, task: Task | None) -> list[tuple[str, str]]:
    took = []
    cost, seconds, first = run.get("cost"), run.get("seconds"), run.get("first_output_seconds")
    if cost is not None:
        beside = row.get("reference_cost") if row is not None else None
        if beside is None and task is not None:
            beside = task.get("reference_cost")
        against = "" if beside is None else f" against a reference of {money(beside)}"
        took.append(f"{money(cost)}{against}")
    if seconds is not None:
        took.append(duration(seconds))
    if first is not None:
        took.append(f"first output after {duration(first)}")
    facts = [("Took", ", ".join(took))] if took else []
    attempts = run.get("attempts")
    if attempts is not None and attempts > 1:
        errors = run.get("retried_errors")
        facts.append(("Attempts", f"{attempts:,}{f': {_listed(errors)}' if errors else ''}"))
    if run.get("abandoned"):
        facts.append(("Abandoned", "still running when its time was up, and left behind"))
    return facts


def _listed(words: Sequence[str]) -> str:
    more = len(words) - _MOST_REASONS
    said = "; ".join(map(isolated, words[:_MOST_REASONS]))
    return said + (f"; and {more:,} more" if more > 0 else "")


def _facts(facts: Sequence[tuple[str, str]]) -> str:
    inside = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts)
    return f"<dl>{inside}</dl>"


def _long(value: object) -> str:
    text = value if isinstance(value, str) else value_text(value)
    if len(text) <= VALUE and "\n" not in text:
        return isolated(text, limit=VALUE)
    return block(text, limit=LONG)


def _steps(run: Run, steps: Sequence[Step] | None) -> str:
    calls = run.get("calls") or ()
    if steps is None:
        if not calls:
            return ""
        head = ["Step", "Call"]
        rows = [
            [str(place), _call(call.name, call.args, call.error)]
            for place, call in enumerate(map(as_call, calls[:MOST_STEPS]), 1)
        ]
    else:
        head = ["Step", "Call", "Verdict"]
        rows = [
            [
                "–" if step["step"] is None else str(step["step"]),
                _call(step["name"], step["args"], step["error"]),
                _verdict(step),
            ]
            for step in steps[:MOST_STEPS]
        ]
    more = len(calls if steps is None else steps) - MOST_STEPS
    if more > 0:
        rows.append(["…", f"{plural(more, 'step')} more, not shown", ""][: len(head)])
    if run.get("status") == "final":
        rows.append([str(len(calls) + 1), "<span>final answer</span>", ""][: len(head)])
    caption = "Calls" if steps is None else "Calls against the reference"
    return table(caption, head, rows, kind="steps")


def _call(name: str, args: Mapping[str, Any], error: str | None) -> str:
    # A cell keeps right-to-left text to itself, so it needs no element of its own.
    text = bounded(call_text(name, args), 4 * VALUE)
    if error is None:
        return text
    return f'{text}<div class="bad">error: {bounded(visible(error), VALUE)}</div>'


def _verdict(step: Step) -> str:
    verdict = step["verdict"]
    if verdict.startswith("matches"):
        return escaped(verdict)
    kind = "warn" if verdict in {"extra", "out of order"} else "bad"
    if verdict in {"missing", "out of order"} and step["reference_step"] is not None:
        verdict += f" (step {step['reference_step']})"
    text = f'<span class="{kind}">{escaped(verdict)}</span>'
    for name, difference in step["differences"].items():
        text += f"<br/>{isolated(name)}: {_difference(difference)}"
    return text


def _difference(difference: Mapping[str, Any]) -> str:
    if "actual" not in difference:
        return f"missing, {_value(difference['reference'])} in the reference"
    if "reference" not in difference:
        return f"{_value(difference['actual'])}, not in the reference"
    return f"{_value(difference['actual'])} instead of {_value(difference['reference'])}"


def _value(value: object) -> str:
    return f"<bdi>{bounded(value_text(value), VALUE)}</bdi>"
