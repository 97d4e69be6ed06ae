"""Two versions side by side: which tasks broke, which were mended, and whether it can be chance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from math import lcm
from typing import Any, TypeVar

from agenteval._messages import cut, one_of
from agenteval.records import Change, Comparison, Rule, TaskId
from agenteval.reliability.counting import counts
from agenteval.reliability.exact import fisher_p, sign_flip_p

__all__ = ["assert_no_regressions", "compare", "regressions"]

Id = TypeVar("Id")
Counted = tuple[int, int]
"""A task's repeats and how many of them passed."""


def regressions(
    old: Mapping[Id, Any], new: Mapping[Id, Any], *, rule: Rule = "majority"
) -> list[Id]:
    """List the tasks that passed with the old version and fail with the new one.

    Args:
        old: Task id to that task's outcome, or to the list of its repeats' outcomes.
        new: The same for the new version. The numbers of repeats may differ.
        rule: When a task with several repeats counts as passed: ``"majority"``, in more than half
            of them (so not in one of two), or ``"all"``, in every one.

    Returns:
        The ids, in the old side's order. A task that only one side has is no regression.

    Raises:
        TypeError: A side is no mapping, or an outcome is neither true nor false.
        ValueError: No tasks, no task in both sides, an id that is a number on one side and text on
            the other, a task without outcomes, or an unknown rule.

    With few repeats an unsteady task changes sides by chance; `agenteval.compare` gives the rates
    and how surprising they are.

    >>> regressions({"a": True, "b": True}, {"a": False, "b": True})
    ['a']
    >>> regressions({"a": [True, True, False]}, {"a": [True, False]})
    ['a']
    """
    passes = _passes("regressions", rule)
    both = _in_both("regressions", *_sides("regressions", old, new))
    return [task for task, (was, now) in both.items() if passes(*was) and not passes(*now)]


def compare(
    old: Mapping[Any, Any], new: Mapping[Any, Any], *, rule: Rule = "majority"
) -> Comparison:
    """Say what changed between two versions, and whether it can be chance.

    A stable pass rate can hide one task that was fixed and one that broke; the lists show both.

    Args:
        old: Task id to that task's outcome, or to the list of its repeats' outcomes.
        new: The same for the new version. The numbers of repeats may differ.
        rule: When a task with several repeats counts as passed, as in `agenteval.regressions`.

    Returns:
        A dict that ``json.dumps`` takes as it is:

        - ``old_pass_rate``, ``new_pass_rate``: mean of the tasks' pass rates, over the tasks that
          both sides have, 0 to 1.
        - ``regressions``, ``fixed``, ``still_failing``: ids, by `rule`, in the old side's order.
        - ``added``, ``removed``: ids that only the new or only the old side has.
        - ``changes``: one dict a task whose pass rate changed, in the old side's order: ``id``,
          ``old_rate``, ``new_rate`` and ``p``, Fisher's exact two-sided p-value of its repeats.
          Among many tasks some p are small by chance.
        - ``p_value``: how often two equally good versions would differ at least as much over these
          tasks: the exact two-sided sign-flip test on the tasks' differences, above 0, up to 1.
          It treats the tasks, not the repeats, as the independent observations. With one run a
          task it is McNemar's exact test.
          It is counted, not simulated. Only where many tasks have so many different numbers of
          repeats that counting would take long are the totals of random signs counted on a grid,
          of 0.01 or finer; p is then within some thousandths of its exact value.

    Raises:
        TypeError: A side is no mapping, or an outcome is neither true nor false.
        ValueError: No tasks, no task in both sides, an id that is a number on one side and text on
            the other, a task without outcomes, or an unknown rule.

    >>> found = compare({"a": [1, 1, 1], "b": [0, 0, 0]}, {"a": [0, 0, 0], "b": [1, 1, 1]})
    >>> found["old_pass_rate"], found["new_pass_rate"], found["regressions"], found["fixed"]
    (0.5, 0.5, ['a'], ['b'])
    >>> found["changes"][0]
    {'id': 'a', 'old_rate': 1.0, 'new_rate': 0.0, 'p': 0.1}
    >>> found["p_value"]
    1.0
    """
    passes = _passes("compare", rule)
    was, now = _sides("compare", old, new)
    both = _in_both("compare", was, now)

    regressed: list[TaskId] = []
    fixed: list[TaskId] = []
    failing: list[TaskId] = []
    for task, (before, after) in both.items():
        if passes(*after):
            if not passes(*before):
                fixed.append(task)
        else:
            (regressed if passes(*before) else failing).append(task)

    # On the scale of a common multiple of all numbers of repeats, every rate is an integer.
    scale = lcm(*{repeats for pair in both.values() for repeats, _ in pair})
    scaled = [
        tuple(passed * (scale // repeats) for repeats, passed in pair) for pair in both.values()
    ]
    return {
        "old_pass_rate": sum(before for before, _ in scaled) / (scale * len(scaled)),
        "new_pass_rate": sum(after for _, after in scaled) / (scale * len(scaled)),
        "regressions": regressed,
        "fixed": fixed,
        "still_failing": failing,
        "added": [task for task in now if task not in was],
        "removed": [task for task in was if task not in now],
        "changes": _changes(both),
        "p_value": sign_flip_p([after - before for before, after in scaled], scale),
    }


def assert_no_regressions(
    old: Mapping[Any, Any],
    new: Mapping[Any, Any],
    *,
    rule: Rule = "majority",
    allow_removed: bool = True,
) -> None:
    """Fail a test when a task that passed with the old version fails with the new one.

    This is the gate for a test suite, so it raises ``AssertionError``, as a test expects, also
    under ``python -O``.

    Args:
        old: The baseline: task id to that task's outcome, or to the list of its repeats' outcomes.
        new: The same for the version under test.
        rule: When a task with several repeats counts as passed, as in `agenteval.regressions`.
        allow_removed: Whether the new side may lack a task that passed in the baseline, as when
            only a part of the tasks is run. ``False`` makes that fail too: what was not run has
            not been shown to pass.

    Raises:
        AssertionError: There are regressions; the message lists each with both rates.
        TypeError: A side is no mapping, an outcome is neither true nor false, or `allow_removed` is
            no bool.
        ValueError: No tasks, no task in both sides, an id that is a number on one side and text on
            the other, a task without outcomes, or an unknown rule.

    >>> assert_no_regressions({"refund": [True] * 5}, {"refund": [True] * 4 + [False]})
    >>> assert_no_regressions({"refund": [True] * 5}, {"refund": [True] + [False] * 4})
    Traceback (most recent call last):
        ...
    AssertionError: 1 of 1 tasks passed before and fails now (rule 'majority'):
      'refund': 1.00 (5 of 5) before, 0.20 (1 of 5) now
    """
    __tracebackhide__ = True  # pytest then shows the line of the test, not this one
    where = "assert_no_regressions"
    if not isinstance(allow_removed, bool):
        raise TypeError(
            f"{where}: allow_removed must be True or False, got {type(allow_removed).__name__} "
            f"{cut(allow_removed)}"
        )
    passes = _passes(where, rule)
    was, now = _sides(where, old, new)
    both = _in_both(where, was, now)
    broken = [
        f"  {cut(task)}: {_rate(before)} before, {_rate(after)} now"
        for task, (before, after) in both.items()
        if passes(*before) and not passes(*after)
    ]
    missing = [
        f"  {cut(task)}: {_rate(before)} before"
        for task, before in was.items()
        if passes(*before) and task not in now and not allow_removed
    ]
    lines = []
    if broken:
        fail = "fails" if len(broken) == 1 else "fail"
        lines = [
            f"{len(broken)} of {len(both)} tasks passed before and {fail} now (rule {rule!r}):"
        ]
        lines += broken
    if missing:
        were = "was" if len(missing) == 1 else "were"
        lines += [f"{len(missing)} of {len(was)} tasks passed before and {were} not run now:"]
        lines += missing
    if lines:
        raise AssertionError("\n".join(lines))


def _passes(where: str, rule: Any) -> Callable[[int, int], bool]:
    """Return what `rule` says about a task's repeats and passes."""
    rules: dict[str, Callable[[int, int], bool]] = {
        "majority": lambda repeats, passed: 2 * passed > repeats,
        "all": lambda repeats, passed: passed == repeats,
    }
    if not isinstance(rule, str) or rule not in rules:
        raise ValueError(f"{where}: unknown rule {cut(rule)}; {one_of(rule, rules)}")
    return rules[rule]


def _sides(
    where: str, old: Mapping[Any, Any], new: Mapping[Any, Any]
) -> tuple[dict[Any, Counted], dict[Any, Counted]]:
    """Return both sides, counted."""
    return _side(f"{where}(old)", old), _side(f"{where}(new)", new)


def _side(where: str, outcomes: Mapping[Any, Any]) -> dict[Any, Counted]:
    side = counts(where, outcomes, single=True)
    for task, (repeats, _) in side.items():
        if not repeats:
            raise ValueError(
                f"{where}: task {cut(task)} has no outcomes; run it, or leave it out of this side"
            )
    return side


def _in_both(
    where: str, old: dict[Any, Counted], new: dict[Any, Counted]
) -> dict[Any, tuple[Counted, Counted]]:
    """Return the tasks that both sides have, in the old side's order; there must be one."""
    both = {task: (counted, new[task]) for task, counted in old.items() if task in new}
    if not both:
        raise ValueError(
            f"{where}: no task is in both sides, so there is nothing to compare; the old side has "
            f"{cut(list(old))}, the new one {cut(list(new))} (1 and '1' are two ids)"
        )
    gone = {str(task): task for task in old if task not in new}
    for task in new:
        if task not in old and str(task) in gone:
            raise ValueError(
                f"{where}: the old side has the task {cut(gone[str(task)])}, the new one "
                f"{cut(task)}, which are two ids; JSON turns the keys of a dict into text: turn "
                "them back before you compare"
            )
    return both


def _changes(both: dict[Any, tuple[Counted, Counted]]) -> list[Change]:
    fisher = lru_cache(maxsize=None)(fisher_p)  # many tasks share the same few pairs of counts
    return [
        {
            "id": task,
            "old_rate": before[1] / before[0],
            "new_rate": after[1] / after[0],
            "p": fisher(before, after),
        }
        for task, (before, after) in both.items()
        if before[1] * after[0] != after[1] * before[0]
    ]


def _rate(counted: Counted) -> str:
    repeats, passed = counted
    return f"{passed / repeats:.2f} ({passed} of {repeats})"
