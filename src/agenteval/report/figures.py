"""The figures of a report as short sentences, the same in every text form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from agenteval.measures import CostPerTask, Distribution
from agenteval.report.formatting import duration, money, number, plural, rate
from agenteval.report.overview import Overview

__all__ = ["figures", "repeats_note"]


def figures(seen: Overview) -> list[tuple[str, str]]:
    """Return what there is to say of all runs together: a label and a sentence each.

    None of it is text of a run. A figure that no run gives is left out; one that only some give
    says how many.
    """
    report = seen.report
    lines = [("pass rate", _pass_rate(seen))]
    if seen.interval is None and len(set(seen.repeats)) > 1:
        lines.append(("per task", _per_task(seen)))
    if seen.flaky:
        lines.append(("flaky", f"{plural(seen.flaky, 'task')} passed in some runs, not in all"))
    if report.get("abandoned"):
        lines.append(("abandoned", f"{plural(report['abandoned'], 'run')} stuck past the timeout"))
    if seen.verdicts:
        lines.append(("path", _path(seen)))
    if seen.steps["count"]:
        lines.append(("tool calls", _spread(seen.steps, number)))
    if seen.cost["spent"] is not None:
        lines.append(("cost", _cost(seen.cost, seen.cost["spent"])))
    for label, times in (
        ("time", seen.latency["seconds"]),
        ("first output", seen.latency["first_output_seconds"]),
    ):
        if times["count"]:
            lines.append((label, _spread(times, duration)))
    if seen.errors["failed"]:
        lines.append(("tool errors", _tool_errors(seen)))
    return lines


def _cost(cost: CostPerTask, spent: float) -> str:
    each = cost["cost_per_completed_task"]
    said = "no task completed" if each is None else f"{money(each)} a completed task"
    return f"{money(spent)}, {said}{_covered(cost['known'], cost['of'])}"


def _pass_rate(seen: Overview) -> str:
    report = seen.report
    if not report["total"]:
        return "no runs"
    said = f"{rate(report['pass_rate'])} ({report['passed']:,} of {plural(report['total'], 'run')}"
    if len(seen.tasks) != report["total"]:
        said += f", {plural(len(seen.tasks), 'task')}"
    said += ")"
    if seen.interval is not None and len(seen.tasks) > 1:
        said += f", 95% interval {rate(seen.interval[0])} to {rate(seen.interval[1])}"
    return said


def _per_task(seen: Overview) -> str:
    """Say what the interval is about where tasks that were run more often count for more."""
    first = seen.curve[0]
    said = f"mean {rate(first['pass_hat_k'])}"
    if len(seen.tasks) > 1:
        said += f", 95% interval {rate(first['low'])} to {rate(first['high'])}"
    return f"{said}; {min(seen.repeats):,} to {plural(max(seen.repeats), 'run')} a task"


def repeats_note(seen: Overview) -> str | None:
    """Say why pass^k ends where it does, when some tasks were run less often than others."""
    if not seen.tasks:
        return None
    fewest, most = min(seen.repeats), max(seen.repeats)
    if fewest == most or fewest > len(seen.curve):
        return None
    short = plural(seen.repeats.count(fewest), "task")
    has = f"{short} {'has' if short == '1 task' else 'have'} only {plural(fewest, 'run')}"
    until = "no pass^k beyond one run" if fewest == 1 else f"pass^k up to k = {fewest:,}"
    return f"{until}: {has}, others up to {most:,}"


def _path(seen: Overview) -> str:
    verdicts = _listed(("fail", "warn", "pass"), seen.verdicts)
    diagnoses = _listed(("lucky", "blocked", "failed", "sound"), seen.diagnoses)
    known = _covered(sum(seen.verdicts.values()), sum(seen.repeats))
    return f"{verdicts}; with the outcome: {diagnoses}{known}"


def _listed(words: Iterable[str], counts: Mapping[str, int]) -> str:
    return ", ".join(f"{counts[word]:,} {word}" for word in words if counts.get(word))


def _spread(spread: Distribution, shown: Callable[[float], str]) -> str:
    """Return the percentiles of a distribution of which at least one value is known."""
    ends = (("p50", spread["p50"]), ("p90", spread["p90"]), ("max", spread["max"]))
    said = ", ".join(f"{label} {shown(value)}" for label, value in ends if value is not None)
    return said + _covered(spread["count"], spread["of"])


def _covered(known: int, of: int) -> str:
    return "" if known == of else f" (known for {known:,} of {plural(of, 'run')})"


def _tool_errors(seen: Overview) -> str:
    errors = seen.errors
    kinds = _listed(("invented", "gave up", "worked around", "retried"), seen.recovery)
    said = f"{errors['failed']:,} of {plural(errors['calls'], 'call')}; runs: {kinds}"
    if errors["hammered"]:
        said += f"; {plural(len(errors['hammered']), 'call')} hammered"
    return said + _covered(errors["known"], errors["of"])
