"""What agents do after a tool has failed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Literal, TypedDict

from agenteval._messages import cut
from agenteval.measures.admissions import admits_failure
from agenteval.measures.distributions import Distribution, distribution
from agenteval.measures.values import as_runs, passed, task_id
from agenteval.records import Recovery, Run, TaskId
from agenteval.trajectory.calls import Call, as_calls

__all__ = [
    "HAMMERING",
    "Hammered",
    "ToolErrors",
    "recovery",
    "recovery_counts",
    "tool_errors",
]

HAMMERING = 3
"""From how many identical failing calls on a run counts as hammering."""

_LONGEST_TEXT = 10_000
"""So much of two arguments is compared as text, where nothing else can compare them."""

_KINDS: tuple[Recovery, ...] = ("no error", "retried", "worked around", "gave up", "invented")

_Outcome = Literal["answered", "failed", "unanswered"]


class Hammered(TypedDict):
    """One call that a run made again and again although it failed `times` times."""

    id: TaskId
    repeat: int
    name: str
    args: dict[str, Any]
    times: int


class ToolErrors(TypedDict):
    """How often tools failed, and how agents went at them: see `tool_errors`.

    ``known`` runs of ``of`` recorded their calls. ``calls`` are all calls of those, ``failed`` the
    ones that reported an error. ``attempts`` has one value for each time a tool began to fail.
    """

    calls: int
    failed: int
    attempts: Distribution
    hammered: list[Hammered]
    known: int
    of: int


def recovery(run: Run, *, admits: Callable[[str], object] = admits_failure) -> Recovery | None:
    """Tell what the agent did after a tool had failed.

    ===================  ========================================================================
    ``"no error"``       no call reported an error
    ``"retried"``        every tool that failed answered later, to whatever arguments
    ``"worked around"``  one never did, yet the run passed: by a call that answered later or,
                         without one, by an answer that does not admit the failure
    ``"gave up"``        one never did, and the run is not final, has no answer, or the answer
                         admits it (`admits`)
    ``"invented"``       one never did, and there is a final answer as if nothing had happened; the
                         run failed
    ===================  ========================================================================

    The tool that stayed broken decides: a run that got past one failure and not past another is
    judged by the other. A call that the trace shows no result of
    (``run["trace"]["unanswered_calls"]``) has not answered.

    Args:
        run: One run with its ``calls``.
        admits: Whether an answer admits the failure; gets the answer's text.

    Returns:
        One of the five, or ``None`` for a run that did not record its calls: unknown.

    Raises:
        TypeError: `run` is not a mapping, one of its calls is not a call, `admits` is no callable,
            or ``passed``, where it decides, is neither true nor false.

    >>> failed = {"name": "lookup", "args": {}, "error": "timeout"}
    >>> answered = {"name": "lookup", "args": {}, "error": None}
    >>> run = {"passed": False, "status": "final", "answer": "It ships today."}
    >>> recovery({**run, "calls": [failed, answered]}), recovery({**run, "calls": [failed]})
    ('retried', 'invented')
    """
    if not isinstance(run, Mapping):
        raise TypeError(
            f"recovery: run must be a mapping, got {type(run).__name__} {cut(run)}; "
            "pass one of report['runs']"
        )
    _check_admits(admits, "recovery")
    return _recovery(run, admits, "recovery")


def _check_admits(admits: object, where: str) -> None:
    if not callable(admits):
        raise TypeError(
            f"{where}: admits must be a callable, got {type(admits).__name__} {cut(admits)}; "
            "leave it out, or pass one that takes an answer and returns a bool"
        )


def _recovery(run: Run, admits: Callable[[str], object], where: str) -> Recovery | None:
    calls = _calls(run, where)
    if calls is None:
        return None
    broken = _first_unresolved(calls)
    if broken is None:
        return "retried" if any(outcome == "failed" for _, outcome in calls) else "no error"
    good = passed(run, where)
    if good and any(outcome == "answered" for _, outcome in calls[broken + 1 :]):
        return "worked around"
    answer = run.get("answer")
    if run.get("status") != "final" or answer is None or not str(answer).strip():
        return "gave up"
    if admits(str(answer)):
        return "gave up"
    return "worked around" if good else "invented"


def recovery_counts(
    runs: Iterable[Run], *, admits: Callable[[str], object] = admits_failure
) -> dict[str, int]:
    """Count how agents recovered from the failures of their tools.

    Args:
        runs: The runs of a report.
        admits: Whether an answer admits a failure, as in `recovery`.

    Returns:
        How many runs there are of each kind of `recovery`, and ``"unknown"`` for those that did not
        record their calls: all six keys, always, adding up to the number of runs.

    Raises:
        TypeError: `runs` are no runs, or as in `recovery`.

    >>> recovery_counts([{"passed": True, "calls": []}, {"passed": True}])["unknown"]
    1
    """
    counts = dict.fromkeys((*_KINDS, "unknown"), 0)
    _check_admits(admits, "recovery_counts")
    for run in as_runs(runs, "recovery_counts"):
        counts[_recovery(run, admits, "recovery_counts") or "unknown"] += 1
    return counts


def tool_errors(runs: Iterable[Run]) -> ToolErrors:
    """Tell how often tools failed, how many attempts that took, and who hammered.

    Args:
        runs: The runs of a report; those that did not record their calls are left out.

    Returns:
        A `ToolErrors`. Each time a tool begins to fail in a run, ``attempts`` has one value: the
        calls to that tool from the failure up to its next answer, or to the end of the run; 1 means
        that it was not tried again. ``hammered`` lists the identical calls that failed three times
        and more (`HAMMERING`) in one run, the most often repeated first.

    Raises:
        TypeError: `runs` are no runs, or one of their calls is not a call.

    >>> failed = {"name": "lookup", "args": {"id": 7}, "error": "timeout"}
    >>> errors = tool_errors([{"id": "a", "repeat": 0, "calls": [failed] * 4}])
    >>> errors["failed"], errors["attempts"]["max"], errors["hammered"][0]["times"]
    (4, 4, 4)
    """
    listed = as_runs(runs, "tool_errors")
    total = failed = known = 0
    attempts: list[int] = []
    hammered: list[Hammered] = []
    for run in listed:
        calls = _calls(run, "tool_errors")
        if calls is None:
            continue
        known += 1
        total += len(calls)
        failed += sum(outcome == "failed" for _, outcome in calls)
        attempts += _attempts(calls)
        hammered += _hammered(task_id(run, "tool_errors"), run.get("repeat", 0), calls)
    hammered.sort(key=lambda entry: -entry["times"])
    return {
        "calls": total,
        "failed": failed,
        "attempts": distribution(attempts, len(attempts)),
        "hammered": hammered,
        "known": known,
        "of": len(listed),
    }


def _calls(run: Mapping[str, Any], where: str) -> list[tuple[Call, _Outcome]] | None:
    """Return the run's calls, each with what came of it, or ``None`` where they are unknown."""
    recorded = run.get("calls")
    if recorded is None:
        return None
    place = f"{where}: run {cut(run.get('id'))}, repeat {cut(run.get('repeat', 0))}"
    trace = run.get("trace")
    if trace is not None and not isinstance(trace, Mapping):
        raise TypeError(
            f"{place}: trace must be a dict, got {type(trace).__name__} {cut(trace)}; "
            "pass what agenteval.from_trace returns, or leave it out"
        )
    silent = (trace or {}).get("unanswered_calls") or ()
    if not isinstance(silent, Collection) or isinstance(silent, (str, bytes)):
        raise TypeError(
            f"{place}: trace['unanswered_calls'] must be a list of positions, "
            f"got {type(silent).__name__} {cut(silent)}; leave it out where all calls answered"
        )
    calls: list[tuple[Call, _Outcome]] = []
    for position, call in enumerate(as_calls(recorded, f"{place}: calls")):
        if call.error is not None:
            calls.append((call, "failed"))
        else:
            calls.append((call, "unanswered" if position in silent else "answered"))
    return calls


def _first_unresolved(calls: list[tuple[Call, _Outcome]]) -> int | None:
    """Return the position of the first failed call whose tool never answered after it."""
    found = None
    answers_later = set()
    for position in range(len(calls) - 1, -1, -1):
        call, outcome = calls[position]
        if outcome == "answered":
            answers_later.add(call.name)
        elif outcome == "failed" and call.name not in answers_later:
            found = position
    return found


def _attempts(calls: list[tuple[Call, _Outcome]]) -> list[int]:
    """Return how many calls each failing tool got, once for each time it began to fail."""
    ended: list[int] = []
    failing: dict[str, int] = {}
    for call, outcome in calls:
        if call.name in failing:
            failing[call.name] += 1
            if outcome == "answered":
                ended.append(failing.pop(call.name))
        elif outcome == "failed":
            failing[call.name] = 1
    return [*ended, *failing.values()]


def _hammered(task: TaskId, repeat: int, calls: list[tuple[Call, _Outcome]]) -> list[Hammered]:
    failed = [call for call, outcome in calls if outcome == "failed"]
    return [
        {
            "id": task,
            "repeat": repeat,
            "name": same[0].name,
            "args": dict(same[0].args),
            "times": len(same),
        }
        for same in _alike(failed)
        if len(same) >= HAMMERING
    ]


def _alike(calls: list[Call]) -> list[list[Call]]:
    """Return identical calls together, in the order of the first of each."""
    groups: list[list[Call]] = []
    by_key: dict[object, list[Call]] = {}
    others: list[list[Call]] = []  # those that no one can hash are compared one by one
    for call in calls:
        try:
            key = call.key()
            group = by_key.get(key)
            if group is None:
                group = by_key[key] = []
                groups.append(group)
        except Exception:  # noqa: BLE001 - an argument's own hash may raise anything
            group = next((group for group in others if _same(group[0], call)), None)
            if group is None:
                group = []
                groups.append(group)
                others.append(group)
        group.append(call)
    return groups


def _same(one: Call, other: Call) -> bool:
    """Say whether two calls are equal; by their text where ``==`` gives no yes or no."""
    if one.name != other.name:
        return False
    try:
        equal: object = one.args == other.args
    except Exception:  # noqa: BLE001 - an array's == has no truth, another's may raise anything
        equal = None
    if isinstance(equal, bool):
        return equal
    return cut(one.args, _LONGEST_TEXT) == cut(other.args, _LONGEST_TEXT)
