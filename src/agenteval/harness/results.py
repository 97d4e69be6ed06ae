"""The agent's side of the contract: reading a result, and refusing one that breaks it.

A result that breaks the contract must never pass unmeasured. What an agent leaves out is None in
the run, unless the task asks for it: then it is an error.

``calls`` is the fuller record. ``tool_calls`` and ``tools_used`` follow from it where they are left
out, and may say more than it does (calls that a provider made itself, say), never less.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from typing import Any

from agenteval._messages import cut, nearest
from agenteval.harness.amounts import amount, count
from agenteval.trajectory.calls import as_dict

__all__ = ["copied", "read_result", "salvage"]


def read_result(task: Mapping[str, Any], result: object) -> dict[str, Any]:
    """Return what a run keeps of `result`, or raise the TypeError, KeyError or ValueError it earns.

    ``status``, ``answer``, ``tool_calls`` and ``tools_used`` are always there, None when unknown;
    the optional fields only where the agent gave them. All lists and dicts are copies.
    """
    if type(result) is not dict and not isinstance(result, Mapping):
        hint = (
            "; of a conversation return agenteval.from_trace(messages)"
            if isinstance(result, list)
            else ""
        )
        raise TypeError(
            f"{_who(task)} must be a dict with 'status', 'answer' and what it called ('calls', or "
            f"'tool_calls' and 'tools_used'), got {type(result).__name__} {cut(result)}{hint}"
        )
    fields: dict[str, Any] = dict.fromkeys(_REQUIRED)
    try:
        for key, value in result.items():
            if value is not None and key in _FIELDS:
                fields[key] = _FIELDS[key](value)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{_who(task)}: {error}") from None
    if fields["status"] is None:
        raise _missing(task, result, "status", "every result must say how it ended")
    if "calls" in fields:
        _follow_from_calls(task, fields)
    _hold_against_task(task, result, fields)
    return fields


def salvage(result: object) -> dict[str, Any]:
    """Return what can be read of a result that broke the contract, field by field.

    The money was spent and the calls were made, whatever else is wrong with the result.
    """
    kept: dict[str, Any] = {}
    if isinstance(result, Mapping):
        for key, read in _FIELDS.items():
            try:
                value = result.get(key)
                if value is not None:
                    kept[key] = read(value)
            except KeyboardInterrupt:  # noqa: PERF203 - each field stands for itself
                raise
            except BaseException:  # noqa: BLE001 - it may be what broke the contract
                kept.pop(key, None)
    return kept


def _status(value: Any) -> str:
    return _text(value, "'status'", "use 'final' when the agent finished")


def _answer(value: Any) -> str:
    return _text(
        value,
        "'answer'",
        "return text or None, and put structured output under 'metadata'",
    )


def _tool_calls(value: Any) -> int:
    return count(value, "'tool_calls'")


def _tools_used(value: Any) -> list[str]:
    if type(value) is not list and (
        isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Collection)
    ):
        raise TypeError(
            f"'tools_used' must be a list of tool names, got {type(value).__name__} {cut(value)}"
        )
    names = [
        name if type(name) is str else _text(name, f"'tools_used'[{at}]", "list names")
        for at, name in enumerate(value)
    ]
    # A set has another order in every process; the run's must be the same in all.
    return sorted(names) if type(value) is not list and isinstance(value, Set) else names


def _calls(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        raise TypeError(
            f"'calls' must be a list of Call or of {{'name', 'args'}} dicts, "
            f"got {type(value).__name__} {cut(value)}"
        )
    calls: list[dict[str, Any]] = []
    try:
        for call in value:
            calls.append(dict(as_dict(call)))  # noqa: PERF401 - its length says where it went wrong
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError  # no kind of their own
        raise kind(f"'calls'[{len(calls)}]: {error}") from None
    return calls


def _cost(value: Any) -> float:
    return amount(value, "'cost' (USD)")


def _first_output_seconds(value: Any) -> float:
    return amount(value, "'first_output_seconds'")


def _usage(value: Any) -> Any:
    return _mapping(value, "'usage'")


def _trace(value: Any) -> Any:
    return _mapping(value, "'trace'")


def _metadata(value: Any) -> Any:
    return copied(value)


_REQUIRED = ("status", "answer", "tool_calls", "tools_used")

_FIELDS: dict[str, Callable[[Any], Any]] = {
    "status": _status,
    "answer": _answer,
    "tool_calls": _tool_calls,
    "tools_used": _tools_used,
    "calls": _calls,
    "cost": _cost,
    "first_output_seconds": _first_output_seconds,
    "usage": _usage,
    "trace": _trace,
    "metadata": _metadata,
}


def _follow_from_calls(task: Mapping[str, Any], fields: dict[str, Any]) -> None:
    """Fill ``tool_calls`` and ``tools_used`` in from the calls, or refuse those that say less."""
    calls = fields["calls"]
    names = list(dict.fromkeys(call["name"] for call in calls))
    if fields["tool_calls"] is None:
        fields["tool_calls"] = len(calls)
    elif fields["tool_calls"] < len(calls):
        raise ValueError(
            f"{_who(task)}: 'tool_calls' is {fields['tool_calls']}, but 'calls' lists "
            f"{len(calls)}; leave 'tool_calls' out, it follows from 'calls'"
        )
    if fields["tools_used"] is None:
        fields["tools_used"] = names
        return
    used = set(fields["tools_used"])
    silent = [name for name in names if name not in used]
    if silent:
        raise ValueError(
            f"{_who(task)}: 'tools_used' lacks {cut(silent[0])}, which 'calls' lists; "
            "leave 'tools_used' out, it follows from 'calls'"
        )


def _hold_against_task(
    task: Mapping[str, Any], result: Mapping[str, Any], fields: dict[str, Any]
) -> None:
    """Refuse a result that leaves out what the task's grading needs."""
    if fields["tool_calls"] is None and task.get("max_tool_calls") is not None:
        raise _missing(
            task, result, "tool_calls", "the task has 'max_tool_calls'; return it, or 'calls'"
        )
    if fields["tools_used"] is None and task.get("forbidden_tools"):
        raise _missing(
            task, result, "tools_used", "the task has 'forbidden_tools'; return it, or 'calls'"
        )
    if "cost" not in fields and task.get("max_cost") is not None:
        raise _missing(task, result, "cost", "the task has 'max_cost'; return it, in USD")
    if "answer" not in result and fields["status"] == "final" and task["expected"] is not None:
        raise _missing(
            task, result, "answer", "the task expects one; return it, or None for no answer"
        )


def _missing(task: Mapping[str, Any], result: Mapping[str, Any], key: str, why: str) -> KeyError:
    known = set(_FIELDS)
    slip = nearest(key, [str(name) for name in result if name not in known])
    hint = "" if slip is None else f" (is {slip!r} meant to be it?)"
    return KeyError(f"{_who(task)}: {key!r} is missing{hint}: {why}")


def _who(task: Mapping[str, Any]) -> str:
    return f"the agent's result for task {cut(task['id'])}"


def _text(value: Any, what: str, todo: str) -> str:
    if type(value) is str:
        return value
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a str, got {type(value).__name__} {cut(value)}; {todo}")
    return str.__str__(value)  # an enum member that is text, as plain text


def _mapping(value: Any, what: str) -> Any:
    if not isinstance(value, Mapping):
        raise TypeError(f"{what} must be a dict, got {type(value).__name__} {cut(value)}")
    return copied(dict(value))


def copied(value: Any) -> Any:
    """Copy plain dicts and lists, all the way down, so that an agent's later changes stay its own.

    Anything else (and anything that contains itself) is kept as it is: a copy might be dear, or
    impossible.
    """
    try:
        return _copied(value)
    except RecursionError:
        return value


def _copied(value: Any) -> Any:
    if type(value) is dict:
        return {key: _copied(inner) for key, inner in value.items()}
    if type(value) is list:
        return [_copied(inner) for inner in value]
    return value
