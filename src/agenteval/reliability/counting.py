"""Reads outcomes: checks that each is a yes or a no, and counts them.

Every measure of this package reads its ``{task: [outcome, ...]}`` here, so that all of them take
the same containers and say the same thing about a bad one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from operator import index
from typing import Any

from agenteval._messages import cut
from agenteval.records import Outcome

__all__ = ["Outcomes", "checked", "counts", "is_outcome", "whole"]

Outcomes = Mapping[Any, Collection[Outcome]]
"""Task id to that task's outcomes, in the order of the repeats."""


def checked(
    where: str, outcomes: Mapping[Any, Any], *, single: bool = False
) -> Iterator[tuple[Sequence[Any], int, int]]:
    """Yield each task's outcomes as a list or tuple, how many there are, and how many passed.

    Args:
        where: The function to name in a message.
        outcomes: Task id to outcomes.
        single: Whether a bare outcome may stand for a list of one.
    """
    if not isinstance(outcomes, Mapping):
        raise TypeError(_not_a_mapping(where, outcomes))
    if not outcomes:
        raise ValueError(f"{where}: there are no tasks; a share of nothing is not a number")
    for task, given in outcomes.items():
        kind = type(given)
        plain = kind is list or kind is tuple
        runs = given if plain else _listed(where, task, given, single=single)
        total = len(runs)
        # Counting runs in C; what is neither counted as true nor as false is no outcome.
        try:
            passed = runs.count(True)
            known = passed + runs.count(False)
        except Exception:  # noqa: BLE001 - whatever a strange element's == does, it is no outcome
            known = -1
        if known != total:
            raise TypeError(_no_outcome(where, task, runs))
        yield runs, total, passed


def counts(
    where: str, outcomes: Mapping[Any, Any], *, single: bool = False
) -> list[tuple[int, int]]:
    """Return (repeats, passed) of each task, in the mapping's order."""
    return [(total, passed) for _, total, passed in checked(where, outcomes, single=single)]


def whole(where: str, name: str, value: Any) -> int:
    """Return `value` as an int of at least 1."""
    try:
        number = index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise TypeError(
            f"{where}: {name} must be a whole number, got {type(value).__name__} {cut(value)}"
        )
    if number < 1:
        raise ValueError(f"{where}: {name} must be at least 1, got {number}")
    return number


def _listed(where: str, task: Any, runs: Any, *, single: bool) -> Sequence[Any]:
    """Return `runs` as a list when it is an ordered container, or say why it is none."""
    advice = "pass a list of outcomes, one a repeat"
    if isinstance(runs, (str, bytes, bytearray, Mapping, Set)):
        if isinstance(runs, Set):
            advice += "; a set has no order and keeps equal outcomes once"
    elif isinstance(runs, Iterator):
        advice += "; an iterator can be read only once, so make it a list"
    else:
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


def _no_outcome(where: str, task: Any, runs: Sequence[Any]) -> str:
    """Say which element of `runs` is no outcome, and what to do about it."""
    position, found = next((at, run) for at, run in enumerate(runs) if not is_outcome(run))
    if found is None:
        advice = "decide what an unknown outcome means, or leave that repeat out"
    elif isinstance(found, (str, bytes)):
        advice = f"say which text means passed: [outcome == {cut(found, 20)} for outcome in ...]"
    else:
        advice = "choose a threshold: [score >= 0.5 for score in ...]"
    return (
        f"{where}: task {cut(task)}, position {position}: an outcome must be True or False (or 1 "
        f"or 0), got {type(found).__name__} {cut(found)}; {advice}"
    )


def is_outcome(value: Any) -> bool:
    """Say whether `value` equals True or False, as 1 and 0 of any number type do."""
    try:
        return [value].count(True) + [value].count(False) == 1
    except Exception:  # noqa: BLE001 - as in `checked`
        return False


def _not_a_mapping(where: str, outcomes: Any) -> str:
    advice = "pass {task id: [True, False, ...]}"
    if isinstance(outcomes, Collection) and not isinstance(outcomes, (str, bytes)):
        advice += "; agenteval.outcomes(runs) makes it from runs"
    return (
        f"{where}: the outcomes must be a mapping of task id to a list, "
        f"got {type(outcomes).__name__} {cut(outcomes)}; {advice}"
    )
