"""Runs, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import cast

from agenteval._messages import cut
from agenteval.records import DrawnReport, Report, Run

__all__ = ["summarize"]


def summarize(runs: Iterable[Run], *, label: str | None = None) -> Report:
    """Return what `runs` come to: how many passed, and why the others did not.

    Args:
        runs: Graded runs, of `evaluate`, `iter_runs` or a log, in any order.
        label: The agent's version, where it should stand in the report.

    Returns:
        A dict that prints as text: ``pass_rate`` (passed runs over all runs, 0 to 1, higher is
        better), ``passed``, ``total``, ``tasks`` (different ids), ``reasons`` (reason to count,
        commonest first) and ``runs``. ``label`` and ``abandoned`` (agents left behind at their
        timeout) stand in it where there are any.

    Raises:
        TypeError: A run is not a dict.
        ValueError: There are no runs, or one has no ``id``, ``passed`` or ``reasons``.

    >>> report = summarize([
    ...     {"id": "a", "repeat": 0, "passed": True, "reasons": []},
    ...     {"id": "b", "repeat": 0, "passed": False, "reasons": ["wrong answer"]},
    ... ])
    >>> report["pass_rate"], report["reasons"]
    (0.5, {'wrong answer': 1})
    """
    given: object = runs
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        hint = "pass report['runs']" if isinstance(given, Mapping) else "pass a list of runs"
        raise TypeError(
            "summarize: runs must be a list of runs, "
            f"got {type(given).__name__} {cut(given)}; {hint}"
        )
    listed = list(runs)
    if not listed:
        raise ValueError("summarize: there are no runs, so no pass rate; pass at least one")
    for position, run in enumerate(listed):
        _check(run, position)
    reasons = Counter(reason for run in listed for reason in run["reasons"])
    passed = sum(bool(run["passed"]) for run in listed)
    report = DrawnReport(
        pass_rate=passed / len(listed),
        passed=passed,
        total=len(listed),
        tasks=len({run["id"] for run in listed}),
        reasons=dict(reasons.most_common()),
        runs=listed,
    )
    abandoned = sum(bool(run.get("abandoned")) for run in listed)
    if abandoned:
        report["abandoned"] = abandoned
    if label is not None:
        report["label"] = label
    return cast("Report", report)


def _check(run: object, position: int) -> None:
    if not isinstance(run, Mapping):
        raise TypeError(
            f"summarize: the run at position {position} must be a dict, "
            f"got {type(run).__name__} {cut(run)}"
        )
    missing = [key for key in ("id", "passed", "reasons") if key not in run]
    if missing:
        raise ValueError(
            f"summarize: the run at position {position} has no {missing[0]!r}; "
            "pass runs as evaluate makes them"
        )
    where = f"summarize: run {cut(run['id'])} (position {position})"
    if isinstance(run["id"], bool) or not isinstance(run["id"], (str, int)):
        raise TypeError(
            f"{where}: 'id' must be a str or an int, "
            f"got {type(run['id']).__name__} {cut(run['id'])}"
        )
    if run["passed"] is not True and run["passed"] is not False:
        raise TypeError(
            f"{where}: 'passed' must be True or False, got {type(run['passed']).__name__} "
            f"{cut(run['passed'])}; convert it first: text == 'True', number == 1"
        )
    reasons = run["reasons"]
    if not isinstance(reasons, (list, tuple)) or not all(isinstance(why, str) for why in reasons):
        raise TypeError(
            f"{where}: 'reasons' must be a list of text, got {type(reasons).__name__} "
            f"{cut(reasons)}; [] says that nothing was wrong"
        )
