"""Tasks are checked before the first agent call is paid for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from agenteval._messages import cut, nearest, one_of
from agenteval.harness.amounts import amount, count, is_number
from agenteval.harness.slips import slip_of
from agenteval.records import MODES, Task
from agenteval.trajectory.calls import as_call

__all__ = ["validate_task", "validate_tasks"]


def validate_tasks(tasks: Iterable[Task], *, caller: str = "validate_tasks") -> list[Task]:
    """Return `tasks` as a list when every one of them can be run and graded.

    `evaluate` does this before its first agent call; call it alone to check a file of tasks.

    Args:
        tasks: Task dicts: ``id``, ``input`` and ``expected`` at least, ids unique (1 and ``"1"``
            are two). Own extra keys are allowed, unless one nearly spells a known key. An optional
            key whose value is None counts as left out.
        caller: The function that messages name.

    Returns:
        The same dicts, unchanged, in a new list.

    Raises:
        TypeError: `tasks` is not a collection of dicts, or a value is of the wrong kind.
        ValueError: There are no tasks; a key is missing or nearly spells a known one; an id comes
            twice; or a value is out of its range.

    >>> tasks = [{"id": "capital", "input": "Capital of France?", "expected": "Paris"}]
    >>> validate_tasks(tasks) == tasks
    True
    >>> validate_tasks([{**tasks[0], "forbiden_tools": ["rm"]}])
    Traceback (most recent call last):
    ...
    ValueError: validate_tasks: task 'capital' (position 0): unknown key 'forbiden_tools' nearly \
spells 'forbidden_tools'; correct it, or rename it if it is your own
    """
    given: Any = tasks  # what arrives need not be what the annotation says
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        hint = "; wrap one task in a list" if isinstance(given, Mapping) else ""
        raise TypeError(
            f"{caller}: tasks must be a list of task dicts, "
            f"got {type(tasks).__name__} {cut(tasks)}{hint}"
        )
    listed = list(tasks)
    if not listed:
        raise ValueError(f"{caller}: there are no tasks; pass at least one")
    positions: dict[Any, int] = {}
    for position, task in enumerate(listed):
        validate_task(task, caller, position)
        first = positions.setdefault(task["id"], position)
        if first != position:
            raise ValueError(
                f"{caller}: task id {cut(task['id'])} stands at positions {first} and "
                f"{position}; give every task an id of its own"
            )
    return listed


def validate_task(task: Any, caller: str, position: int | None = None) -> None:
    """Raise when `task` cannot be run and graded; `position` is its place in a list, if any."""
    if not isinstance(task, Mapping):
        where = "the task" if position is None else f"the task at position {position}"
        hint = (
            "; of a DataFrame pass df.to_dict('records')"
            if isinstance(task, str) and position is not None
            else ""
        )
        raise TypeError(
            f"{caller}: {where} must be a dict, got {type(task).__name__} {cut(task)}{hint}"
        )
    unknown = task.keys() - _KNOWN
    if unknown:
        _refuse_slips(task, unknown, caller, position)
    for key in _REQUIRED:
        if key not in task:
            close = nearest(key, [name for name in unknown if isinstance(name, str)])
            hint = "" if close is None else f" (is {close!r} meant to be it?)"
            extra = " (None where a check decides)" if key == "expected" else ""
            raise ValueError(
                f"{_place(task, caller, position)}: {key!r} is missing{hint}; "
                f"a task needs 'id', 'input' and 'expected'{extra}"
            )
    if type(task["id"]) not in (str, int):
        _check_id(task, caller, position)
    if type(task["expected"]) is not str:
        _check_expected(task["expected"], _place(task, caller, position))
    if len(task) - len(unknown) > len(_REQUIRED):
        for key, check in _OPTIONAL.items():
            value = task.get(key)
            if value is not None:
                check(value, f"{_place(task, caller, position)}: {key!r}")
        if task.get("reference") is not None and task.get("references") is not None:
            raise ValueError(
                f"{_place(task, caller, position)} has both 'reference' and 'references'; put "
                "every acceptable reference into 'references'"
            )


def _refuse_slips(
    task: Mapping[str, Any], unknown: Collection[Any], caller: str, position: int | None
) -> None:
    for key in sorted(key for key in unknown if isinstance(key, str)):
        meant = slip_of(key, _KNOWN)
        if meant is None or (meant in _HARMLESS and task.get(meant) is not None):
            continue
        raise ValueError(
            f"{_place(task, caller, position)}: unknown key {key!r} nearly spells {meant!r}; "
            "correct it, or rename it if it is your own"
        )


def _check_id(task: Mapping[str, Any], caller: str, position: int | None) -> None:
    value = task["id"]
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise TypeError(
            f"{_place(task, caller, position)}: 'id' must be a str or an int, "
            f"got {type(value).__name__} {cut(value)}"
        )


def _check_expected(value: Any, place: str) -> None:
    if value is None:
        return
    if isinstance(value, (list, tuple)):
        if not value:
            raise ValueError(
                f"{place}: 'expected' is an empty list, which no answer can match; "
                "use None where a check decides"
            )
        for at, one in enumerate(value):
            _check_acceptable(one, f"{place}: 'expected'[{at}]", "a str or a number")
        return
    _check_acceptable(value, f"{place}: 'expected'", "a str, a number, a list of these or None")


def _check_acceptable(value: Any, what: str, allowed: str) -> None:
    if isinstance(value, str):
        return
    if not is_number(value):
        hint = "; answers are text: write 'yes', 'true', ..." if isinstance(value, bool) else ""
        raise TypeError(f"{what} must be {allowed}, got {type(value).__name__} {cut(value)}{hint}")
    if value != value:  # only NaN differs from itself, in every number type
        raise ValueError(
            f"{what} is NaN, often an empty cell of a table; use None where a check decides"
        )


def _check_names(value: Any, what: str) -> None:
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Collection):
        hint = f"; write [{cut(value)}]" if isinstance(value, str) else ""
        raise TypeError(
            f"{what} must be a list of tool names, got {type(value).__name__} {cut(value)}{hint}"
        )
    for at, name in enumerate(value):
        if not isinstance(name, str):
            raise TypeError(
                f"{what}[{at}] must be a tool's name, got {type(name).__name__} {cut(name)}"
            )


def _check_reference(value: Any, what: str) -> None:
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Sequence):
        raise TypeError(f"{what} must be a list of calls, got {type(value).__name__} {cut(value)}")
    for at, step in enumerate(value):
        _check_step(step, f"{what}[{at}]")


def _check_references(value: Any, what: str) -> None:
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Sequence):
        raise TypeError(
            f"{what} must be a list of references, each a list of calls, "
            f"got {type(value).__name__} {cut(value)}"
        )
    if not value:
        raise ValueError(f"{what} is an empty list; leave it out, or list a reference")
    for at, reference in enumerate(value):
        _check_reference(reference, f"{what}[{at}]")


def _check_step(step: Any, what: str) -> None:
    """Refuse what cannot be a reference step; what a group may hold is the trajectory's to say."""
    if isinstance(step, Mapping) and "name" not in step and "args" not in step:
        if len(step) != 1 or not step.keys() <= _GROUPS:
            raise ValueError(
                f"{what} must have 'name' and 'args', or be one group: got {cut(step)}; for a "
                f"group {one_of(next(iter(step), None), sorted(_GROUPS))}"
            )
        return
    try:
        as_call(step)
    except TypeError as error:
        raise TypeError(f"{what}: {error}") from None


def _check_mode(value: Any, what: str) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{what}: got {type(value).__name__} {cut(value)}; {one_of(value, MODES)}")
    if value not in MODES:
        raise ValueError(f"{what}: {cut(value)} is no mode; {one_of(value, MODES)}")


def _check_args_match(value: Any, what: str) -> None:
    if isinstance(value, Mapping):
        for tool, rule in value.items():
            if not isinstance(tool, str):
                raise TypeError(
                    f"{what} must map tool names to rules, "
                    f"got the key {type(tool).__name__} {cut(tool)}"
                )
            _check_rule(rule, f"{what}[{tool!r}]")
    else:
        _check_rule(value, what)


def _check_rule(value: Any, what: str) -> None:
    if isinstance(value, str):
        if value not in _RULES:
            raise ValueError(f"{what}: {cut(value)} is no rule; {one_of(value, _RULES)}")
    elif not callable(value) and (
        isinstance(value, (bytes, Mapping)) or not isinstance(value, Collection)
    ):
        raise TypeError(
            f"{what} must be one of {', '.join(map(repr, _RULES))}, a list of argument names "
            f"or a callable, got {type(value).__name__} {cut(value)}"
        )
    elif not callable(value) and not value:
        raise ValueError(
            f"{what} lists no argument to compare; say 'ignore' if that is meant, or leave it out"
        )


def _check_count(value: Any, what: str) -> None:
    count(value, what)


def _check_amount(value: Any, what: str) -> None:
    amount(value, what)


_REQUIRED = ("id", "input", "expected")

_OPTIONAL: dict[str, Callable[[Any, str], None]] = {
    "max_tool_calls": _check_count,
    "max_cost": _check_amount,
    "max_seconds": _check_amount,
    "forbidden_tools": _check_names,
    "reference": _check_reference,
    "references": _check_references,
    "mode": _check_mode,
    "args_match": _check_args_match,
    "reference_cost": _check_amount,
}

_KNOWN = frozenset((*_REQUIRED, *_OPTIONAL, "metadata"))

_HARMLESS = frozenset((*_REQUIRED, "metadata"))
"""Keys whose look-alikes switch nothing off when the key itself is there."""

_GROUPS = frozenset(("any_order_of", "one_of", "optional"))

_RULES = ("exact", "ignore", "subset", "superset")


def _place(task: Mapping[str, Any], caller: str, position: int | None) -> str:
    at = "" if position is None else f" (position {position})"
    name = cut(task["id"]) if "id" in task else "without an id"
    return f"{caller}: task {name}{at}"
