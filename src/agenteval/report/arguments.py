"""What reports are made of, checked once at the entrance, so that all else can rely on it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from operator import index
from typing import Any, NoReturn, cast

from agenteval._messages import cut, one_of
from agenteval.records import (
    Comparison,
    PathRow,
    ReliabilityRow,
    Report,
    Run,
    Scores,
    Step,
    Verdict,
)
from agenteval.report.formatting import visible
from agenteval.trajectory.calls import as_calls

__all__ = [
    "comparison_of",
    "cost_of",
    "curve_of",
    "outcome_of",
    "report_of",
    "row_of",
    "rows_of",
    "scores_of",
    "steps_of",
    "verdict_of",
    "whole_of",
]

_VERDICTS: tuple[Verdict, ...] = ("pass", "warn", "fail")
_REPORT = "report must be what evaluate or summarize returns"
_SUMMARIZE = "agenteval.summarize(runs) makes one of runs"
_ROWS = "pass agenteval.score_runs(report['runs'], tasks)"
_COMPARE = "pass agenteval.compare(old, new)"
_STEPS = "pass agenteval.compare_steps(reference, calls)"
_SCORES = "pass agenteval.score_trajectory(reference, calls)"
_CURVE = "the rows of reliability_table or the mapping of reliability_curve, {k: value}"
_RUN = "pass the runs as evaluate gave them"


def _refuse(where: str, allowed: str, given: object, todo: str = "") -> NoReturn:
    raise TypeError(
        f"{where} must be {allowed}, got {type(given).__name__} {cut(given)}"
        + (f"; {todo}" if todo else "")
    )


def _listed(where: str, allowed: str, given: object, todo: str) -> list[Any]:
    """Return an iterable as a list; neither text nor one mapping is one."""
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        _refuse(where, allowed, given, todo)
    return list(given)


def _mapping(where: str, keys: Iterable[str], given: object, todo: str) -> Mapping[str, Any]:
    """Return a mapping that has all `keys`."""
    if not isinstance(given, Mapping):
        _refuse(where, "a mapping", given, todo)
    for key in keys:
        if key not in given:
            raise TypeError(f"{where} has no {key!r}, got {cut(given)}; {todo}")
    return given


def _number(where: str, value: object, *, most: float | None = None) -> float:
    """Return `value` when it is a number from 0 (to `most`, where there is a most)."""
    if isinstance(value, bool) or not isinstance(value, Real):
        _refuse(where, "a number", value)
    number = float(value)
    if not 0 <= number <= (sys.float_info.max if most is None else most):
        allowed = "finite and 0 or more" if most is None else f"from 0 to {most:g}"
        raise ValueError(f"{where} must be {allowed}, got {cut(value)}")
    return number


def whole_of(
    where: str, value: Any, *, least: int = 0, missing: bool = False, todo: str = ""
) -> int:
    """Return `value` as an int of at least `least`; None is no bound where `missing` is allowed."""
    if value is None and missing:
        return sys.maxsize
    try:
        whole = None if isinstance(value, bool) else index(value)
    except TypeError:
        whole = None
    if whole is None:
        _refuse(where, "a whole number" + (", or None for all" if missing else ""), value, todo)
    if whole < least:
        raise ValueError(f"{where} must be at least {least}, got {whole}")
    return whole


def report_of(report: object, function: str) -> tuple[Report, list[Run]]:
    """Return a report, and its runs with reasons that are text."""
    if not isinstance(report, Mapping):
        _refuse(f"{function}: report", _REPORT.partition(" must be ")[2], report, _SUMMARIZE)
    for key in ("runs", "pass_rate", "passed", "total", "reasons"):
        if key not in report:
            raise ValueError(f"{function}: {_REPORT}, but has no {key!r}; {_SUMMARIZE}")
    _number(f"{function}: report['pass_rate']", report["pass_rate"], most=1)
    for key in ("passed", "total", "abandoned"):
        if report.get(key) is not None:
            whole_of(f"{function}: report[{key!r}]", report[key])
    reasons = _mapping(f"{function}: report['reasons']", (), report["reasons"], _SUMMARIZE)
    for reason, count in reasons.items():
        whole_of(f"{function}: report['reasons'][{cut(reason)}]", count)
    runs = _listed(f"{function}: report['runs']", "a list of runs", report["runs"], _SUMMARIZE)
    return cast("Report", report), [_run(run, f"{function}: run", n) for n, run in enumerate(runs)]


def _run(run: object, where: str, position: int) -> Run:
    given = _mapping(f"{where} {position}", ("id", "passed", "reasons"), run, _RUN)
    task = given["id"]
    try:
        hash(task)
    except TypeError:
        _refuse(f"{where} {position}: id", "a str or an int", task)
    where = f"{where} {cut(task)}"
    if "repeat" in given:
        whole_of(f"{where}: repeat", given["repeat"], todo="count repeats from 0")
        where += f", repeat {given['repeat']}"
    if outcome_of(f"{where}: passed", given["passed"]) is None:
        _refuse(f"{where}: passed", "a bool", None, "a run passed or it did not")
    if given.get("calls") is not None:
        as_calls(given["calls"], f"{where}: calls")
    if given.get("trace") is not None:
        trace = _mapping(f"{where}: trace", (), given["trace"], "pass what the importer gave")
        if trace.get("unanswered_calls") is not None:
            place = f"{where}: trace['unanswered_calls']"
            for n, call in enumerate(_listed(place, "a list", trace["unanswered_calls"], "")):
                whole_of(f"{place}[{n}]", call)
    reasons = _listed(f"{where}: reasons", "a list of texts", given["reasons"], _RUN)
    if all(isinstance(reason, str) for reason in reasons):
        return cast("Run", given)
    return cast("Run", {**given, "reasons": [visible(reason) for reason in reasons]})


def outcome_of(where: str, value: Any) -> bool | None:
    """Return a bool, 0 or 1 as a bool; None where it is None."""
    if value is None:
        return None
    # NumPy's bool is none of Python's numbers.
    number = isinstance(value, Real) or type(value).__name__ in {"bool", "bool_"}
    if not number or value not in (0, 1):
        _refuse(where, "a bool", value, "a run passed or it did not")
    return bool(value)


def cost_of(where: str, value: object) -> float | None:
    """Return an amount of money; None where it is None."""
    return None if value is None else _number(where, value)


def row_of(row: object, function: str) -> PathRow:
    """Return one row of `agenteval.score_runs`, or an empty one for None."""
    if row is None:
        return {}
    return cast("PathRow", _mapping(f"{function}: row", (), row, _ROWS))


def rows_of(rows: object, function: str) -> list[PathRow]:
    """Return the rows of `agenteval.score_runs`; None is none."""
    if rows is None:
        return []
    listed = _listed(f"{function}: rows", "the rows of score_runs", rows, _ROWS)
    for position, given in enumerate(listed):
        where = f"{function}: row {position}"
        row = _mapping(where, ("id", "repeat", "verdict", "why", "diagnosis"), given, _ROWS)
        try:
            hash((row["id"], row["repeat"], row["diagnosis"], row["why"]))
        except TypeError:
            _refuse(f"{where}: id, repeat, why and diagnosis", "plain values", row, _ROWS)
        _verdict_word(f"{where}, task {cut(row['id'])}: verdict", row["verdict"])
    return listed


def _verdict_word(where: str, word: object) -> None:
    if word not in _VERDICTS:
        lower = word.lower() if isinstance(word, str) else word
        raise ValueError(f"{where}: unknown {cut(word)}; {one_of(lower, _VERDICTS)}")


def comparison_of(comparison: object, function: str) -> Comparison:
    """Return what `agenteval.compare` gave."""
    where = f"{function}: comparison"
    numbers = ("old_pass_rate", "new_pass_rate", "p_value")
    lists = ("regressions", "fixed", "still_failing", "added", "removed", "changes")
    if not isinstance(comparison, Mapping) or not all(
        key in comparison for key in (*numbers, *lists)
    ):
        _refuse(where, "what compare returns", comparison, _COMPARE)
    for key in numbers:
        _number(f"{where}[{key!r}]", comparison[key], most=1)
    for key in lists[:-1]:
        for place, task in enumerate(
            _listed(f"{where}[{key!r}]", "a list of ids", comparison[key], _COMPARE)
        ):
            _hashable(f"{where}[{key!r}][{place}]", task)
    changes = _listed(f"{where}['changes']", "a list of changes", comparison["changes"], _COMPARE)
    for place, given in enumerate(changes):
        inside = f"{where}['changes'][{place}]"
        change = _mapping(inside, ("id", "old_rate", "new_rate", "p"), given, _COMPARE)
        _hashable(f"{inside}['id']", change["id"])
        for key in ("old_rate", "new_rate", "p"):
            _number(f"{inside}[{key!r}]", change[key], most=1)
    return cast("Comparison", comparison)


def _hashable(where: str, task: object) -> None:
    try:
        hash(task)
    except TypeError:
        _refuse(where, "a str or an int", task)


def steps_of(steps: object, function: str) -> list[Step]:
    """Return the rows of `agenteval.compare_steps`."""
    listed = _listed(f"{function}: steps", "the rows of compare_steps", steps, _STEPS)
    keys = ("step", "name", "args", "verdict", "reference_step", "differences", "error")
    for position, given in enumerate(listed):
        step = _mapping(f"{function}: step {position}", keys, given, _STEPS)
        where = f"{function}: step {position}"
        _mapping(f"{where}['args']", (), step["args"], _STEPS)
        differences = _mapping(f"{where}['differences']", (), step["differences"], _STEPS)
        for name, difference in differences.items():
            inside = f"{where}['differences'][{cut(name)}]"
            if not _mapping(inside, (), difference, _STEPS).keys() & {"actual", "reference"}:
                raise TypeError(f"{inside} has no 'actual' and no 'reference'; {_STEPS}")
        if not isinstance(step["verdict"], str):
            _refuse(f"{where}['verdict']", "text", step["verdict"], _STEPS)
    return listed


def scores_of(scores: object, function: str) -> Scores | None:
    """Return the four scores; None where there are none."""
    if scores is None:
        return None
    keys = ("coverage", "argument_accuracy", "extra_steps", "duplicate_writes")
    given = _mapping(f"{function}: scores", keys, scores, _SCORES)
    outcome_of(f"{function}: scores['coverage']", given["coverage"])
    if given["argument_accuracy"] is not None:
        _number(f"{function}: scores['argument_accuracy']", given["argument_accuracy"], most=1)
    if given["extra_steps"] is not None:
        whole_of(f"{function}: scores['extra_steps']", given["extra_steps"], least=-sys.maxsize)
    if given["duplicate_writes"] is not None:
        whole_of(f"{function}: scores['duplicate_writes']", given["duplicate_writes"])
    return cast("Scores", given)


def verdict_of(verdict: object, function: str) -> tuple[Verdict, str] | None:
    """Return the pair of a verdict and its reason; None where there is none."""
    if verdict is None:
        return None
    if isinstance(verdict, str) or not isinstance(verdict, Sequence) or len(verdict) != 2:
        _refuse(
            f"{function}: verdict",
            "a pair of verdict and reason",
            verdict,
            "pass agenteval.trajectory_verdict(scores)",
        )
    _verdict_word(f"{function}: verdict", verdict[0])
    return verdict[0], verdict[1]


def curve_of(curve: object, function: str) -> list[tuple[int, float, ReliabilityRow | None]]:
    """Return a curve's points by k, each with its row where the curve is made of rows."""
    if isinstance(curve, Mapping):
        if "runs" in curve:
            raise TypeError(
                f"{function}: curve must be {_CURVE}, got a report; "
                "pass reliability_table(outcomes(report['runs']))"
            )
        points = [_point(k, value, None, function) for k, value in curve.items()]
    elif isinstance(curve, Iterable) and not isinstance(curve, (str, bytes)):
        points = [_point_of_row(row, function) for row in curve]
    else:
        _refuse(f"{function}: curve", _CURVE, curve)
    if not points:
        raise ValueError(f"{function}: the curve is empty; a curve needs at least one k")
    return sorted(points, key=lambda point: point[0])


def _point_of_row(row: Any, function: str) -> tuple[int, float, ReliabilityRow | None]:
    if not isinstance(row, Mapping) or not {"k", "pass_hat_k", "low", "high", "pass_at_k"} <= {
        *row
    }:
        raise TypeError(
            f"{function}: curve must be {_CURVE}, got a row {type(row).__name__} {cut(row)}; "
            "a row has k, pass_hat_k, low, high and pass_at_k"
        )
    for key in ("low", "high", "pass_at_k"):
        _share(f"{function}: k={cut(row['k'])} has {key}", row[key])
    return _point(row["k"], row["pass_hat_k"], cast("ReliabilityRow", row), function)


def _point(
    k: Any, value: Any, row: ReliabilityRow | None, function: str
) -> tuple[int, float, ReliabilityRow | None]:
    whole = whole_of(f"{function}: k", k, least=1)
    return whole, _share(f"{function}: k={whole} has", value), row


def _share(where: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        hint = "; of outcomes pass reliability_table(outcomes)" if isinstance(value, list) else ""
        raise TypeError(f"{where} {type(value).__name__} {cut(value)}; values are numbers{hint}")
    share = float(value)
    if not 0 <= share <= 1:
        raise ValueError(f"{where} {cut(value)}; values are from 0 to 1")
    return share
