"""Reads outcomes: checks that each is a yes or a no, and counts them.

Every measure of this package reads its ``{task: [outcome, ...]}`` here, so that all of them take
the same containers and say the same thing about a bad one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from typing import Any

from agenteval._messages import cut
from agenteval.records import Outcome

__all__ = ["Outcomes", "counts", "is_outcome", "patterns"]

Outcomes = Mapping[Any, Collection[Outcome]]
"""Task id to that task's outcomes, in the order of the repeats."""


def patterns(where: str, outcomes: Mapping[Any, Any]) -> Counter[tuple[Any, ...]]:
    """Count the tasks by their outcomes: ``(True, False, True)`` and the like.

    A few repeats make few patterns, however many tasks there are, so that the work in Python does
    not grow with the tasks. 1, 1.0 and True are equal and fall together.

    Args:
        where: The function to name in a message.
        outcomes: Task id to outcomes.
    """
    lists = _lists(where, outcomes, single=False)
    try:
        found = Counter(map(tuple, lists))
        sound = all(map(_is_sound, found))
    except Exception:  # noqa: BLE001 - whatever an element's hash or == does, it is no outcome
        sound = False
    if not sound:
        raise TypeError(_no_outcome(where, outcomes, lists))
    return found


def counts(
    where: str, outcomes: Mapping[Any, Any], *, single: bool = False
) -> dict[Any, tuple[int, int]]:
    """Return how many repeats each task has and how many of them passed.

    Args:
        where: The function to name in a message.
        outcomes: Task id to outcomes.
        single: Whether a bare outcome may stand for a list of one.
    """
    lists = _lists(where, outcomes, single=single)
    try:
        counted = [(len(runs), runs.count(True)) for runs in lists]
        sound = all(map(_is_sound, lists))
    except Exception:  # noqa: BLE001 - as in `patterns`
        sound = False
    if not sound:
        raise TypeError(_no_outcome(where, outcomes, lists))
    return dict(zip(outcomes, counted, strict=True))


def is_outcome(value: Any) -> bool:
    """Say whether `value` equals True or False, as 1 and 0 of any number type do."""
    try:
        return _is_sound([value])
    except Exception:  # noqa: BLE001 - as in `patterns`
        return False


def _is_sound(runs: Sequence[Any]) -> bool:
    """Say whether each element equals True or False, and not both; counting runs in C."""
    return runs.count(True) + runs.count(False) == len(runs)


def _lists(where: str, outcomes: Any, *, single: bool) -> list[Sequence[Any]]:
    """Return each task's outcomes as a list or a tuple."""
    if not isinstance(outcomes, Mapping) or ("pass_rate" in outcomes and "runs" in outcomes):
        raise TypeError(_not_outcomes(where, outcomes))
    if not outcomes:
        raise ValueError(f"{where}: there are no tasks, and a share of nothing is not a number")
    lists = list(outcomes.values())
    if set(map(type, lists)) <= {list, tuple}:
        return lists
    return [_listed(where, task, runs, single=single) for task, runs in outcomes.items()]


def _listed(where: str, task: Any, runs: Any, *, single: bool) -> Sequence[Any]:
    """Return `runs` as a list when it is an ordered container, or say why it is none."""
    if isinstance(runs, (list, tuple)):
        return runs
    advice = "pass a list of outcomes, one a repeat"
    if isinstance(runs, Set):
        advice += "; a set has no order and keeps equal outcomes once"
    elif isinstance(runs, Iterator):
        advice += "; an iterator can be read only once, so make it a list"
    elif not isinstance(runs, (str, bytes, bytearray, Mapping)):
        try:
            len(runs)
            return list(runs)
        except TypeError:
            pass  # no container: one bare outcome, or nothing we know
        if single:
            return [runs]
        advice += ", also for a single one: [True]"
    raise TypeError(
        f"{where}: task {cut(task)}: the outcomes must be a list, "
        f"got {type(runs).__name__} {cut(runs)}; {advice}"
    )


def _no_outcome(where: str, outcomes: Mapping[Any, Any], lists: Sequence[Sequence[Any]]) -> str:
    """Say which element is no outcome, and what to do about it."""
    task, position, found = next(
        (task, position, value)
        for task, runs in zip(outcomes, lists, strict=True)
        for position, value in enumerate(runs)
        if not is_outcome(value)
    )
    if found is None:
        advice = "decide what an unknown outcome means, or leave that repeat out"
    elif isinstance(found, (str, bytes)):
        advice = "say which text means passed: [text == 'pass' for text in ...]"
    else:
        advice = "choose a threshold: [score >= 0.5 for score in ...]"
    return (
        f"{where}: task {cut(task)}, position {position}: an outcome must be True or False (or 1 "
        f"or 0), got {type(found).__name__} {cut(found)}; {advice}"
    )


def _not_outcomes(where: str, outcomes: Any) -> str:
    """Say what was passed in place of a mapping of outcomes."""
    advice = "pass {task id: [True, False, ...]}"
    if isinstance(outcomes, Mapping):
        advice += "; for a report that is agenteval.outcomes(report['runs'])"
    elif isinstance(outcomes, Collection) and not isinstance(outcomes, (str, bytes)):
        advice += "; agenteval.outcomes(runs) makes it from runs"
    return (
        f"{where}: the outcomes must be a mapping of task id to a list, "
        f"got {type(outcomes).__name__} {cut(outcomes)}; {advice}"
    )
