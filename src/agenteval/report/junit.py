"""A report as JUnit XML, for the servers that build and test.

There is no one standard. What is written here is valid against both schemas that are in use: the
one of Maven Surefire (version 3), whose elements for reruns say how repeats went, and the one that
Jenkins holds reports against (``junit-10.xsd`` of its xUnit plugin).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import Literal, NamedTuple

from agenteval._messages import cut, one_of
from agenteval.records import PathRow, Report, Rule, Run
from agenteval.report.figures import figures
from agenteval.report.formatting import (
    call_text,
    duration,
    fit,
    money,
    plural,
    repeat_name,
    visible,
)
from agenteval.report.names import task_names
from agenteval.report.overview import TaskOutcome, overview
from agenteval.trajectory.calls import as_calls

__all__ = ["junit_xml"]

_LONG = 4_000
_MESSAGE = 1_000
_SHORT = 200
_MOST_CALLS = 100
_RULES: tuple[Rule, ...] = ("majority", "all")
_BY = ("passed", "trajectory", "both")


class _Attempt(NamedTuple):
    """One run, and what is wrong with it: no reasons when nothing is."""

    run: Run
    row: PathRow | None
    reasons: list[str]

    @property
    def crashed(self) -> bool:
        """Whether it broke before it could be judged, which JUnit calls an error."""
        return all(reason.startswith(("error: ", "check error: ")) for reason in self.reasons)


def junit_xml(
    report: Report,
    *,
    rows: Iterable[PathRow] | None = None,
    by: Literal["passed", "trajectory", "both"] = "passed",
    rule: Rule = "majority",
    name: str = "agenteval",
) -> str:
    """Show a report as JUnit XML: one test case a task, with its repeats inside.

    A task passes when more than half of its runs do. If others of its runs failed, each of those is
    a ``flakyFailure`` (or ``flakyError``) in it, as Maven Surefire writes them for tests that pass
    when run again. A task that fails has a ``failure``, or an ``error`` when its runs crashed and
    were never judged. Where all of its runs failed, those after the first are ``rerunFailure`` and
    ``rerunError``; where some passed, the failed ones are flaky here too.

    Args:
        report: What `agenteval.evaluate` or `agenteval.summarize` returns.
        rows: The runs' rows of `agenteval.score_runs`.
        by: What a run is judged by: its outcome (``"passed"``), its path (``"trajectory"``: the
            verdict of its row is not ``"fail"``), or ``"both"``. The last two need a row a run.
        rule: ``"majority"``, or ``"all"`` for a task to pass only when every run does.
        name: The suite's name, and the class name of its test cases.

    Returns:
        One ``<testsuite>``, to be written as UTF-8. Every text is cut: names, types and a status at
        200 characters, a message at 1,000, an answer, an error, a traceback and a run's reasons at
        4,000, calls at 100 of 200 columns. What XML cannot hold is spelled out.

    Raises:
        TypeError: `report`, a run in it or `rows` is none.
        ValueError: A number in them is not allowed, `rows` has one of a run that is not there,
            `by` or `rule` is not allowed, or a run has no row to be judged by.

    Source: Apache Maven Surefire's ``surefire-test-report.xsd`` and page "Rerun Failing Tests".

    >>> from agenteval.harness import evaluate
    >>> task = {"id": "capital", "input": "The capital of France?", "expected": "Paris"}
    >>> agent = lambda question: {"status": "final", "answer": "Lyon", "calls": []}
    >>> junit_xml(evaluate(agent, [task])).count("<failure ")
    1
    """
    if by not in _BY:
        raise ValueError(f"junit_xml: unknown by {cut(by)}; {one_of(by, _BY)}")
    if rule not in _RULES:
        raise ValueError(f"junit_xml: unknown rule {cut(rule)}; {one_of(rule, _RULES)}")
    seen = overview(report, rows, "junit_xml")
    names = task_names((task.id for task in seen.tasks), _SHORT)
    name = fit(name, _SHORT)
    cases = [_case(task, names[task.id], name, by, rule) for task in seen.tasks]
    told = [] if report.get("label") is None else [("label", fit(report["label"], _SHORT))]
    told += figures(seen)
    told += [(f"pass^{row['k']}", f"{row['pass_hat_k']:.6g}") for row in seen.curve]
    properties = [_element("property", {"name": key, "value": value}) for key, value in told]
    suite = _element(
        "testsuite",
        {
            "name": name,
            "tests": str(len(cases)),
            "failures": str(sum(case.outcome == "failure" for case in cases)),
            "errors": str(sum(case.outcome == "error" for case in cases)),
            "skipped": "0",
            "time": _seconds(run for task in seen.tasks for run in task.runs),
        },
        [_element("properties", {}, properties), *(case.markup for case in cases)],
    )
    # Without an encoding, which is UTF-8 then, so that readers of text take it as well.
    return f'<?xml version="1.0"?>\n{suite}\n'


class _Case(NamedTuple):
    markup: str
    outcome: Literal["passed", "failure", "error"]


def _case(task: TaskOutcome, name: str, suite: str, by: str, rule: Rule) -> _Case:
    attempts = [
        _Attempt(run, row, _reasons(run, row, by))
        for run, row in zip(task.runs, task.rows, strict=True)
    ]
    failed = [attempt for attempt in attempts if attempt.reasons]
    passed = len(attempts) - len(failed)
    good = not failed if rule == "all" else 2 * passed > len(attempts)
    outcome: Literal["passed", "failure", "error"] = "passed"
    if not good:
        outcome = "error" if all(attempt.crashed for attempt in failed) else "failure"
    # First what stands for the whole task, then the failed runs one by one.
    parts = []
    if not good:
        first = next(attempt for attempt in failed if attempt.crashed == (outcome == "error"))
        tally = f"passed {passed:,} of {len(attempts):,} repeats: " if len(attempts) > 1 else ""
        parts.append(_problem(outcome, first, len(attempts), tally))
        if not passed:
            failed.remove(first)
    again = "flaky" if passed else "rerun"
    parts += [
        _problem(again + ("Error" if attempt.crashed else "Failure"), attempt, len(attempts))
        for attempt in failed
    ]
    parts.sort(key=lambda part: _ORDER.index(part[0]))
    inside = [markup for _, markup in parts]
    if len(attempts) > 1:
        inside.append(_element("system-out", {}, _log(attempts, passed)))
    attributes = {"name": name, "classname": suite, "time": _seconds(task.runs)}
    return _Case(_element("testcase", attributes, inside), outcome)


_ORDER = (
    "failure",
    "rerunFailure",
    "flakyFailure",
    "error",
    "rerunError",
    "flakyError",
)
"""The order in which Surefire's schema wants them."""


def _reasons(run: Run, row: PathRow | None, by: str) -> list[str]:
    """Return what is wrong with a run, which is nothing when it counts as passed."""
    reasons: list[str] = []
    if by != "trajectory" and not run["passed"]:
        reasons += run["reasons"] or ["failed"]
    if by != "passed":
        if row is None:
            raise ValueError(
                f"junit_xml: run {cut(run['id'])}, repeat {cut(run.get('repeat'))}, has no row "
                "to be judged by; pass rows=agenteval.score_runs(...) of all runs, or by='passed'"
            )
        # A run that failed before it could tell its calls has said why already.
        if row["verdict"] == "fail" and not (reasons and run.get("calls") is None):
            reasons.append(f"trajectory: {row['why']}")
    return reasons


def _problem(element: str, attempt: _Attempt, repeats: int, tally: str = "") -> tuple[str, str]:
    """Return the element's name and the element for one failed run."""
    first = attempt.reasons[0]
    kind, _, detail = first.partition(": ")
    attributes = {
        "message": _cut(tally + "; ".join(attempt.reasons), _MESSAGE),
        "type": fit(detail if kind == "error" else kind, _SHORT),
    }
    body = _text(_account(attempt, repeats))
    if element not in {"failure", "error"}:
        body = _element("stackTrace", {}, body)
    return element, _element(element, attributes, body)


def _account(attempt: _Attempt, repeats: int) -> str:
    """Return what a person wants to know of a failed run."""
    run = attempt.run
    lines = [f"{repeat_name(run.get('repeat'), repeats)}: {_cut('; '.join(attempt.reasons))}"]
    lines.append(f"status: {fit(run.get('status'), _SHORT)}")
    answer = run.get("answer")
    lines.append("no answer" if answer is None else f"answer: {_cut(answer)}")
    lines += [f"{key}: {_cut(run.get(key))}" for key in ("error", "traceback") if run.get(key)]
    calls = run.get("calls") or []
    for place, call in enumerate(as_calls(list(calls[:_MOST_CALLS]), "junit_xml: calls"), 1):
        made = fit(call_text(call.name, call.args), _SHORT)
        error = "" if call.error is None else f"  error: {fit(call.error, _SHORT)}"
        lines.append(f"{place:4}  {made}{error}")
    if len(calls) > _MOST_CALLS:
        lines.append(f"and {plural(len(calls) - _MOST_CALLS, 'more call')}")
    return "\n".join(lines)


def _cut(text: object, most: int = _LONG) -> str:
    whole = text if isinstance(text, str) else visible(text, keep="\n\t")
    # Spelling out makes text longer, so what it gives is cut as well.
    shown = visible(whole[:most], keep="\n\t")
    if len(whole) <= most and len(shown) <= most:
        return shown
    return f"{shown[:most]}... ({len(whole):,} characters)"


def _log(attempts: Sequence[_Attempt], passed: int) -> str:
    """Return one line a repeat."""
    lines = [f"passed {passed:,} of {len(attempts):,} repeats"]
    for run, row, reasons in attempts:
        said = [_cut("; ".join(reasons), _MESSAGE) if reasons else "passed"]
        if run.get("tool_calls") is not None:
            said.append(plural(run["tool_calls"] or 0, "call"))
        if run.get("seconds") is not None:
            said.append(duration(run["seconds"]))
        cost = run.get("cost")
        if cost is not None:
            said.append(money(cost))
        if row is not None:
            said.append(f"trajectory {row['verdict']}")
        lines.append(f"{repeat_name(run.get('repeat'), len(attempts))}: {', '.join(said)}")
    return _text("\n".join(lines))


def _seconds(runs: Iterable[Run]) -> str:
    """Return what runs took; an unknown time adds nothing, as the schema wants a number."""
    return f"{fsum(run.get('seconds') or 0 for run in runs):.3f}"


def _element(name: str, attributes: Mapping[str, str], inside: str | Sequence[str] = "") -> str:
    """Return an element that holds text, already escaped, or other elements."""
    start = name + "".join(f' {key}="{_text(value, keep="")}"' for key, value in attributes.items())
    if not inside:
        return f"<{start}/>"
    if isinstance(inside, str):
        return f"<{start}>{inside}</{name}>"
    return "\n".join((f"<{start}>", *inside, f"</{name}>"))


def _text(text: str, keep: str = "\n\t") -> str:
    from html import escape  # here, because only those who write XML need it

    return escape(visible(text, keep=keep))
