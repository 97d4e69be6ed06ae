"""What agents do after a tool has failed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypedDict

from agenteval._messages import cut
from agenteval.measures.distributions import Distribution, distribution
from agenteval.measures.values import as_runs
from agenteval.records import Recovery, Run, TaskId
from agenteval.trajectory.calls import Call, as_calls

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

# What did not work, in the words of an agent that says so. Each line is one way; they are compiled
# at first use (`re` keeps them), because that takes longer than reading in this module.
_THING = r"""(?: system | service | tool | server | database | api | site | website | backend
    | lookup | search | request | call | connection | query | page | network )s?"""
_CANNOT = r"(?: can\s?not | can't | could\s+not | couldn't )"
_REACH = r"""(?: access | reach | find | retrieve | fetch | look | get | connect | complete | load
    | check | locate | open | determine | verify | process | tell | see | provide )"""
_ADMITS = rf"""
    \b (?: unable\s+to | timed\s+out | error\s+occurred | something\s+went\s+wrong ) \b
    | \b try (?: \s+again | \s+that\s+again | \s+once\s+more ) \b
    | \b (?:i|we) \b [^.!?]{{0,30}}? \b {_CANNOT} \s+ (?: \w+ly \s+ )? {_REACH} \b
    | \b (?:i|we) \b [^.!?]{{0,30}}? \b (?: do\s+not | don't | did\s+not | didn't ) \s+
      (?: currently\s+ )? (?: know | manage | have\s+(?:access | that | this | any\s+information
      | the\s+information) ) \b
    | \b (?:i|we) \b [^.!?]{{0,30}}? \b
      (?: failed\s+to
        | (?: (?:was|were|am|are)\s+not | (?:wasn|weren|aren)'t
            | (?:have|has)(?:\s+not|n't)\s+been ) \s+ able
        | (?:have|had|having)\s+(?:no\s+access|trouble|difficulty|problems) ) \b
    | \b {_THING} \b \s+ (?: (?:is|are|was|were|seems?|appears?) \s+ )? (?: to\s+be\s+ )?
      (?: currently\s+ | temporarily\s+ | still\s+ )?
      (?: failed | failing | unavailable | down (?!\s+\d) | broken | offline | out\s+of\s+service
        | not\s+(?:available|respond(?:ing)?|working) | timing\s+out ) \b
    | \b (?: information | data | record | order | result )s? \b \s+ (?:is|are|was|were) \s+
      (?: currently\s+ | temporarily\s+ )? (?: unavailable | not\s+available ) \b
    | \b could\s?(?:\s+not|n't) \s+ be \s+ (?:retrieved|found|reached|loaded|completed|processed
      |fetched|verified|accessed) \b
    | \b (?: i | we | it | {_THING} ) \b [^.!?]{{0,20}}? \b
      (?: returned | encountered | hit | got | getting | ran\s+into | received ) \s+
      (?: an? | some ) \b [^.!?]{{0,30}}? \b (?: error | issue | problem | [45]\d\d ) s? \b
    | \b there (?: \s+(?:was|is|were) | 's ) \s+ an? \b [^.!?]{{0,20}}? \b
      (?: error | problem | issue ) \s+ (?: while | when | retrieving | fetching | accessing
      | connecting | reaching | processing | checking | loading
      | (?:with|in)\s+the\s+(?:\w+\s+)?{_THING} ) \b
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

    The default of ``admits=``: it knows common English ways to say so ("I could not find ...",
    "unable to", "the lookup failed", "an error occurred", "try again"). It is a list of patterns
    and no judge of language: an unusual wording is missed, and then counts as an invention where
    the run failed. An apology alone admits nothing, and neither does what a policy forbids.
    For answers in other languages, or to let a judge decide, pass a callable of your own.

    >>> admits_failure("Sorry, I couldn't reach the order system.")
    True
    >>> admits_failure("I am sorry that it arrived damaged. Your claim is C-1.")
    False
    """
    if not isinstance(answer, str):
        raise TypeError(
            f"admits_failure: answer must be text, got {type(answer).__name__} {cut(answer)}"
        )
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
    if not callable(admits):
        raise TypeError(
            f"recovery: admits must be a callable, got {type(admits).__name__} {cut(admits)}; "
            "leave it out, or pass one that takes an answer and returns a bool"
        )
    calls = _calls(run, "recovery")
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
        if run.get("calls") is not None and "id" not in run:
            raise TypeError(f"tool_errors: a run has no 'id': {cut(run)}; pass report['runs']")
        calls = _calls(run, "tool_errors")
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


def _calls(run: Mapping[str, Any], where: str) -> list[tuple[Call, _Outcome]] | None:
    """Return the run's calls, each with what came of it, or ``None`` where they are unknown."""
    recorded = run.get("calls")
    if recorded is None:
        return None
    place = f"{where}: run {cut(run.get('id'))}, repeat {cut(run.get('repeat', 0))}"
    trace = run.get("trace")
    if trace is not None and not isinstance(trace, Mapping):
        raise TypeError(f"{place}: trace must be a dict, got {type(trace).__name__} {cut(trace)}")
    silent = set((trace or {}).get("unanswered_calls") or ())
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


def _hammered(run: Mapping[str, Any], calls: list[tuple[Call, _Outcome]]) -> list[Hammered]:
    alike: dict[object, list[Call]] = {}
    for call, outcome in calls:
        if outcome == "failed":
            alike.setdefault(_identity(call), []).append(call)
    return [
        {
            "id": run["id"],
            "repeat": run.get("repeat", 0),
            "name": same[0].name,
            "args": dict(same[0].args),
            "times": len(same),
        }
        for same in alike.values()
        if len(same) >= HAMMERING
    ]


def _identity(call: Call) -> object:
    """Return what identical calls share; an argument that cannot be hashed is told by its text."""
    key = call.key()
    try:
        hash(key)
    except TypeError:
        return call.name, cut(call.args, 10_000)
    return key
