"""Tasks are checked before the first agent call is paid for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from agenteval._messages import cut, nearest
from agenteval.harness.amounts import amount, count, is_number
from agenteval.records import Task
from agenteval.trajectory.task_keys import TASK_KEYS, refuse_slips
from agenteval.trajectory.tasks import PATH_KEYS, read_task_path

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
        raise TypeError(
            f"{caller}: tasks must be a list of task dicts, "
            f"got {type(tasks).__name__} {cut(tasks)}{_no_list_hint(given)}"
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
        raise TypeError(
            f"{caller}: {where} must be a dict, "
            f"got {type(task).__name__} {cut(task)}{_no_dict_hint(task)}"
        )
    unknown = task.keys() - TASK_KEYS
    if unknown:
        refuse_slips(task, unknown, _place(task, caller, position))
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
        if any(task.get(key) is not None for key in PATH_KEYS):
            read_task_path(task, _place(task, caller, position))


def _no_list_hint(tasks: Any) -> str:
    """Say what to do about `tasks` that are no list."""
    if isinstance(tasks, Mapping):
        return "; pass tasks['tasks']" if "tasks" in tasks else "; wrap one task in a list"
    if isinstance(tasks, (str, bytes)):
        return "; load them first, for instance with json.loads"
    return ""


def _no_dict_hint(task: Any) -> str:
    """Say what to do about a task that is no dict: text, most often."""
    if not isinstance(task, (str, bytes)):
        return ""
    if task.lstrip()[:1] in ("{", b"{"):
        return "; decode each line with json.loads"
    return "; of a DataFrame pass df.to_dict('records')"


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
}


def _place(task: Mapping[str, Any], caller: str, position: int | None) -> str:
    at = "" if position is None else f" (position {position})"
    name = cut(task["id"]) if "id" in task else "without an id"
    return f"{caller}: task {name}{at}"
