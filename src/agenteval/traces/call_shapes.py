"""The shape of a tool call, in whichever format, at a place where no call is read.

An importer passes over parts whose type it does not know: images, new kinds, what a provider notes
for itself. One among them that is a call all the same (its type is missing, misspelled or damaged,
or a list of calls stands where the content belongs) would vanish, and the trace would tell of a
shorter run. So what is passed over goes through `refuse_call` first.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

from agenteval.traces.errors import TraceFormatError
from agenteval.traces.reading import plain

__all__ = ["bears_call", "refuse_call", "refuse_calls_in", "refuse_held"]

_HOLDERS = frozenset(  # fields that hold a call or several, however they are spelled
    {
        "expectedtooluse",
        "functioncall",
        "functioncalls",
        "toolcall",
        "toolcalls",
        "toolinvocation",
        "toolinvocations",
        "tooluse",
        "tooluses",
    }
)
# One of these is in the name of a field that holds calls, whatever it is called.
_WORDS = ("action", "call", "function", "invo", "tool")
_LISTS = ("parts", "content")  # fields in which a whole message can hide inside a part
_NAMES = ("name", "toolName", "tool_name", "tool")
_ARGUMENTS = ("arguments", "args", "tool_input")
_IDS = ("id", "call_id", "callId", "toolCallId", "toolUseId")


def bears_call(record: Mapping[str, Any]) -> bool:
    """Say whether a record is a tool call, or holds one in a field of its own or one level down.

    A call has a function or a tool by name, and arguments; or a name, an ``input`` and an id. The
    definition of a tool has its ``parameters`` instead, and is none.

    >>> bears_call({"id": "c1", "name": "pay", "input": {"eur": 5}})
    True
    >>> bears_call({"toolUse": {"name": "pay"}}), bears_call({"type": "image", "name": "a.png"})
    (True, False)
    """
    inner = [one for key in _LISTS for one in _objects(record.get(key))]
    return any(_is_call(one) or _holds(one) for one in (record, *inner))


def refuse_call(record: Mapping[str, Any], where: str) -> None:
    """Raise `TraceFormatError` where a record that is passed over has the shape of a call."""
    if bears_call(record):
        raise TraceFormatError(
            where,
            "a part without a call",
            record,
            "this has the shape of a tool call, which is not read here and would be lost: check "
            "its type and its place",
        )


def refuse_held(message: Mapping[str, Any], read: Collection[str], where: str) -> None:
    """Raise `TraceFormatError` where a message holds calls in a field that is not read.

    Args:
        message: The message.
        read: The fields of calls that its importer reads.
        where: The place, for the message.
    """
    if _holds(message, read):
        raise TraceFormatError(
            where,
            "a message whose calls stand where the format has them",
            message,
            "it holds tool calls in a field that is not read here, where they would be lost",
        )


def refuse_calls_in(record: Mapping[str, Any], read: Collection[str], where: str) -> None:
    """Raise `TraceFormatError` where a field that is not read has calls, or what holds some.

    Args:
        record: One whose fields are all known, so that another is a damaged one.
        read: The fields that its importer reads, or that anything may stand in.
        where: The place, for the message.
    """
    for key, value in record.items():
        if key not in read and value is not None and not isinstance(value, str):
            for one in _objects(value):
                refuse_call(one, f"{where}.{key}")
    refuse_held(record, read, where)


def _is_call(record: Mapping[str, Any]) -> bool:
    function = plain(record.get("function"))
    if isinstance(function, Mapping) and "name" in function and "parameters" not in function:
        return True
    custom = plain(record.get("custom"))
    if isinstance(custom, Mapping) and "name" in custom and "input" in custom:
        return True
    if not (isinstance(function, str) or any(_said(record, name) for name in _NAMES)):
        return False
    if any(key in record for key in _ARGUMENTS):
        return True
    return "input" in record and any(record.get(key) is not None for key in _IDS)


def _said(record: Mapping[str, Any], name: str) -> bool:
    value = record.get(name)
    return isinstance(value, str) and value != ""


def _holds(record: Mapping[str, Any], read: Collection[str] = ()) -> bool:
    return any(
        _may_hold(_letters(key))
        and key not in read
        and any(one and (_letters(key) in _HOLDERS or _is_made(one)) for one in _objects(value))
        for key, value in record.items()
    )


def _is_made(record: Mapping[str, Any]) -> bool:
    """Say whether a call has arguments, which a tool that is offered or chosen has not."""
    inner = [plain(record.get(key)) for key in ("function", "custom")]
    given = (*_ARGUMENTS, "input")
    return _is_call(record) and any(
        key in one for one in (record, *inner) if isinstance(one, Mapping) for key in given
    )


@lru_cache(maxsize=1024)
def _may_hold(letters: str) -> bool:
    return any(word in letters for word in _WORDS)


@lru_cache(maxsize=1024)
def _letters(key: Any) -> str:
    return key.replace("_", "").replace("-", "").lower() if isinstance(key, str) else ""


def _objects(value: Any) -> list[Mapping[str, Any]]:
    """Return a value that is an object, or the objects of a list."""
    value = plain(value)
    if isinstance(value, Mapping):
        return [value]
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)):
        return [one for one in map(plain, value) if isinstance(one, Mapping)]
    return []
