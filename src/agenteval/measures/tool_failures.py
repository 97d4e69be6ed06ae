"""What agents do after a tool has failed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypedDict

from agenteval._messages import cut
from agenteval.measures.distributions import Distribution, distribution
from agenteval.measures.values import as_runs
from agenteval.records import Recovery, Run, TaskId
from agenteval.trajectory import Call, as_call

__all__ = [
    "HAMMERING",
    "Hammered",
    "ToolErrors",
    "admits_failure",
    "recovery",
    "recovery_counts",
    "tool_errors",
]

HAMMERING = 3
"""From how many identical failing calls on a run counts as hammering."""

_KINDS: tuple[Recovery, ...] = ("no error", "retried", "worked around", "gave up", "invented")

_Outcome = Literal["answered", "failed", "unanswered"]

# Compiled at first use (`re` keeps it), because that takes longer than reading in this module.
_ADMITS = r"""
    \b (?: unable\s+to | try\s+again\s+later | timed\s+out | error\s+occurred ) \b
    | \b i \b [^.!?]{0,30}? \b
      (?: can\s?not | can't | (?:do\s+not|don't)\s+(?:know|have\s+access) ) \b
    | \b (?:i|we) \b [^.!?]{0,30}? \b
      (?: could\s+not | couldn't | failed\s+to | (?:did\s+not|didn't)\s+manage
        | (?: (?:was|were|am|are)\s+not | (?:wasn|weren|aren)'t ) \s+able
        | (?:have|had|having)\s+(?:no\s+access|trouble) ) \b
    | \b (?: system | service | tool | server | database | api | site | website | backend | lookup
        | search | data | information | record )s? \b [^.!?]{0,40}? \b
      (?: unavailable | not\s+available | not\s+respond(?:ing)? | down | out\s+of\s+service ) \b
    | \b (?: returned | encountered | hit | got | ran\s+into | there\s+(?:was|is) ) \s+ an? \b
      [^.!?]{0,30}? \b error \b
"""


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


def admits_failure(answer: str) -> bool:
    """Tell whether the answer says that something did not work.

    The default of ``admits=``: it knows the common English ways to say so ("I could not ...",
    "unable to", "is unavailable", "an error occurred", "try again later"). An apology alone admits
    nothing.
    For answers in other languages, or to let a judge decide, pass a callable of your own.

    >>> admits_failure("Sorry, I couldn't reach the order system.")
    True
    >>> admits_failure("I am sorry that it arrived damaged. Your claim is C-1.")
    False
    """
    said = answer.replace("\u2019", "'")
    return re.search(_ADMITS, said, re.IGNORECASE | re.VERBOSE) is not None


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
        TypeError: `run` is not a mapping, or one of its calls is not a call.

    >>> failed = {"name": "lookup", "args": {}, "error": "timeout"}
    >>> answered = {"name": "lookup", "args": {}, "error": None}
    >>> run = {"passed": False, "status": "final", "answer": "It ships today."}
    >>> recovery({**run, "calls": [failed, answered]}), recovery({**run, "calls": [failed]})
    ('retried', 'invented')
    """
    if not isinstance(run, Mapping):
        raise TypeError(f"recovery: run must be a mapping, got {type(run).__name__} {cut(run)}")
    calls = _calls(run)
    if calls is None:
        return None
    broken = _first_unresolved(calls)
    if broken is None:
        return "retried" if any(outcome == "failed" for _, outcome in calls) else "no error"
    if run.get("passed") and any(outcome == "answered" for _, outcome in calls[broken + 1 :]):
        return "worked around"
    answer = run.get("answer")
    if run.get("status") != "final" or answer is None or not str(answer).strip():
        return "gave up"
    if admits(str(answer)):
        return "gave up"
    return "worked around" if run.get("passed") else "invented"


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
        TypeError: `runs` are no runs.

    >>> recovery_counts([{"passed": True, "calls": []}, {"passed": True}])["unknown"]
    1
    """
    counts = dict.fromkeys((*_KINDS, "unknown"), 0)
    for run in as_runs(runs, "recovery_counts"):
        counts[recovery(run, admits=admits) or "unknown"] += 1
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
        calls = _calls(run)
        if calls is None:
            continue
        known += 1
        total += len(calls)
        failed += sum(outcome == "failed" for _, outcome in calls)
        attempts += _attempts(calls)
        hammered += _hammered(run, calls)
    hammered.sort(key=lambda entry: -entry["times"])
    return {
        "calls": total,
        "failed": failed,
        "attempts": distribution(attempts, len(attempts)),
        "hammered": hammered,
        "known": known,
        "of": len(listed),
    }


def _calls(run: Mapping[str, Any]) -> list[tuple[Call, _Outcome]] | None:
    """Return the run's calls, each with what came of it, or ``None`` where they are unknown."""
    recorded = run.get("calls")
    if recorded is None:
        return None
    silent = set((run.get("trace") or {}).get("unanswered_calls") or ())
    calls: list[tuple[Call, _Outcome]] = []
    for position, given in enumerate(recorded):
        call = as_call(given)
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


def _hammered(run: Mapping[str, Any], calls: list[tuple[Call, _Outcome]]) -> list[Hammered]:
    times = Counter(call for call, outcome in calls if outcome == "failed")
    return [
        {
            "id": run["id"],
            "repeat": run["repeat"],
            "name": call.name,
            "args": dict(call.args),
            "times": count,
        }
        for call, count in times.items()
        if count >= HAMMERING
    ]
