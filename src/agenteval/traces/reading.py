"""Reading foreign records: every value is checked where it is taken out, and errors name the place.

A place is text such as ``"from_openai_chat: messages[3].tool_calls"``: the importer's name, a
colon, and the way into the trace.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

from agenteval.traces.errors import TraceFormatError
from agenteval.traces.json_texts import as_json

__all__ = [
    "choose_cases",
    "either",
    "flag",
    "flagged",
    "identifier",
    "json_text",
    "mapping",
    "messages_in",
    "opened",
    "optional_mapping",
    "optional_sequence",
    "optional_text",
    "parts_text",
    "plain",
    "sequence",
    "spoken",
    "text",
    "without_role",
]

Case = TypeVar("Case")

_NO_ROLE = "a message has a role; the events of a stream have to be put together first"
_WRAPPERS = ("message", "response", "result", "body")
_INSIDE = ("role", "messages", "choices", "candidates", "content", *_WRAPPERS)
"""Fields of a message, a response, or another wrapping of one."""


_REPLIES = ("response", "message", "output", "choices", "candidates")
"""Under which a reply stands in an object that has the messages of its request, too."""
_SAID = ("content", "parts", "tool_calls")


def plain(value: Any) -> Any:
    """Return `value` as plain data where it is an object of a framework.

    Objects with ``model_dump()`` (the SDKs' pydantic models) and dataclass instances become dicts;
    everything else is returned as it is. Only this one level is looked at: each accessor below
    applies it to what it takes out.
    """
    if isinstance(value, (dict, list, str, int, float, type(None), type)):
        return value
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump()
    if is_dataclass(value):
        return {field.name: getattr(value, field.name, None) for field in fields(value)}
    return value


def opened(trace: Any, function: str, wanted: str) -> Any:
    """Return the whole trace as a mapping or a sequence that is not empty.

    Args:
        trace: What the user handed in.
        function: The importer's public name.
        wanted: What this importer reads, for the message.

    Raises:
        TraceFormatError: Nothing, text instead of parsed JSON, or another kind of object.
    """
    value = plain(trace)
    if isinstance(value, (str, bytes, bytearray)):
        raise TraceFormatError(
            function, wanted, value, "this is text: parse it first, for example with json.loads"
        )
    if not isinstance(value, (Mapping, Sequence)):
        raise TraceFormatError(function, wanted, value, "pass the parsed JSON of a trace")
    if not value:
        raise TraceFormatError(function, wanted, value, "the trace is empty")
    return value


def without_role(record: Any) -> str:
    """Say what to do about a record that has no role: what is read is messages.

    Stores of sessions (Claude Code's, Strands') keep each message in a record of their own.

    >>> without_role({"uuid": "1", "message": {"role": "user", "content": "Go."}})
    "the message is one level down, under 'message': pass what stands there"
    """
    record = plain(record)
    if isinstance(record, Mapping) and record.get("type") != "message_start":  # of a stream
        if _listed(record.get("steps")) or ("toolCalls" in record and "toolResults" in record):
            return "of an AI SDK result pass the messages: those asked, then its response.messages"
        for key in _WRAPPERS:
            inner = plain(record.get(key))
            if isinstance(inner, Mapping) and any(field in inner for field in _INSIDE):
                return f"the message is one level down, under {key!r}: pass what stands there"
    return _NO_ROLE


def messages_in(
    trace: Any, function: str, single: Sequence[str] = ("role",)
) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Yield the messages of a list, of an object's ``messages``, or one that is the trace.

    An object can hold a request and the response to it: the response's fields beside ``messages``,
    or in an object under ``response``. Then the response follows the messages.

    Args:
        trace: As `opened` returned it.
        function: The importer's public name.
        single: Keys of an object that is a message, or a response with one, itself.

    Yields:
        Each message and its place.

    Raises:
        TraceFormatError: There are no messages, or a reply beside them is none that is read.
    """
    if isinstance(trace, Mapping) and "messages" not in trace:
        if not any(key in trace for key in single):
            keys = " or ".join(map(repr, ("messages", *single)))
            wanted = f"a list of messages, or an object with {keys}"
            hint = without_role(trace)
            raise TraceFormatError(function, wanted, trace, "" if hint == _NO_ROLE else hint)
        yield trace, f"{function}: response"
        return
    where = f"{function}: messages" if isinstance(trace, Mapping) else f"{function}: "
    messages = trace["messages"] if isinstance(trace, Mapping) else trace
    for at, one in enumerate(sequence(messages, where)):
        yield mapping(one, f"{where}[{at}]"), f"{where}[{at}]"
    if isinstance(trace, Mapping):
        yield from _response_beside(trace, function, single)


def _response_beside(
    trace: Mapping[str, Any], function: str, single: Sequence[str]
) -> Iterator[tuple[Mapping[str, Any], str]]:
    if any(_replies(trace, key) for key in single):
        yield trace, f"{function}: response"
    for key in _REPLIES:
        reply = plain(trace.get(key))
        if key in single or not reply or isinstance(reply, (str, int, float)):
            continue
        where = f"{function}: {key}"
        if key == "response" and isinstance(reply, Mapping):
            if any(field in reply for field in single):
                yield reply, where
                continue
            if "messages" in reply:
                place = f"{where}.messages"
                for at, one in enumerate(sequence(reply["messages"], place)):
                    yield mapping(one, f"{place}[{at}]"), f"{place}[{at}]"
                continue
            if not any(field in reply for field in (*_REPLIES, *_SAID)):
                continue  # what a client notes of the transfer
        if not _is_reply(reply):
            continue  # structured output
        raise TraceFormatError(
            where,
            "a response with " + " or ".join(map(repr, single)),
            reply,
            "a reply beside the messages is not read like this: append its message to them",
        )


def _is_reply(reply: Any) -> bool:
    """Say whether a value, or the records of a list, are messages or hold some."""
    records = map(plain, reply if isinstance(reply, (list, tuple)) else [reply])
    return any(
        field in record
        for record in records
        if isinstance(record, Mapping)
        for field in ("role", *_REPLIES, *_SAID)
    )


def _replies(trace: Mapping[str, Any], key: str) -> bool:
    """Say whether a field beside ``messages`` makes the object itself a reply to them."""
    if key == "role":
        return "role" in trace and any(field in trace for field in _SAID)
    return isinstance(plain(trace.get(key)), (Mapping, list, tuple))


def spoken(trace: Any) -> Any:
    """Return what may be messages of a trace, for a look at them: its list, or its object's.

    Where an object holds a request and a response, both are there. Never raises.
    """
    if not isinstance(trace, Mapping):
        return trace
    found = [trace] if "role" in trace or "output" in trace else []
    response = plain(trace.get("response"))
    if "messages" in trace and isinstance(response, Mapping):
        found = [*found, response, *_listed(response.get("messages"))]
    return [*_listed(trace.get("messages")), *found]


def _listed(value: Any) -> Sequence[Any]:
    value = plain(value)
    return value if isinstance(value, (list, tuple)) else ()


def mapping(value: Any, where: str) -> Mapping[str, Any]:
    """Return `value` as a mapping, or raise `TraceFormatError` that names the place.

    >>> mapping([1], "from_mcp: [0].params")
    Traceback (most recent call last):
    agenteval.traces.errors.TraceFormatError: from_mcp: [0].params: expected an object, got list [1]
    """
    if isinstance(value, dict):  # nearly always: the question about any mapping is a slow one
        return value
    value = plain(value)
    if not isinstance(value, Mapping):
        raise TraceFormatError(where, "an object", value)
    return value


def optional_mapping(value: Any, where: str) -> Mapping[str, Any] | None:
    """Return `value` as a mapping, ``None`` as it is, or raise `TraceFormatError`."""
    return None if value is None else mapping(value, where)


def sequence(value: Any, where: str) -> Sequence[Any]:
    """Return `value` as a list or tuple, or raise `TraceFormatError` that names the place."""
    if isinstance(value, list):
        return value
    value = plain(value)
    if isinstance(value, (str, bytes, bytearray)) or not isinstance(value, Sequence):
        raise TraceFormatError(where, "a list", value)
    return value


def optional_sequence(value: Any, where: str) -> Sequence[Any]:
    """Return `value` as a list or tuple, an empty one for ``None``, or raise `TraceFormatError`."""
    return () if value is None else sequence(value, where)


def text(value: Any, where: str) -> str:
    """Return `value`, which must be text, or raise `TraceFormatError` that names the place."""
    if not isinstance(value, str):
        raise TraceFormatError(where, "text", value)
    return value


def optional_text(value: Any, where: str) -> str | None:
    """Return `value`, which must be text or ``None``, or raise `TraceFormatError`."""
    return None if value is None else text(value, where)


def flagged(value: Any) -> bool:
    """Say whether a value means true: ``True``, or a number other than 0 as some stores write it.

    >>> flagged(True), flagged(1), flagged(0), flagged("no"), flagged(None)
    (True, True, False, False, False)
    """
    return isinstance(value, (bool, int, float)) and bool(value)


def flag(value: Any, where: str) -> bool:
    """Return a field that is true or false; a missing one is false.

    Raises:
        TraceFormatError: It is neither, nor a number that stands for it.
    """
    if value is not None and not isinstance(value, (bool, int, float)):
        raise TraceFormatError(where, "true, false or nothing", value)
    return flagged(value)


def identifier(value: Any, where: str) -> str | int | None:
    """Return a call's id: text or a whole number; ``None`` and ``""`` are no id."""
    if value is None or value == "":
        return None
    if isinstance(value, (str, int)):
        return value
    raise TraceFormatError(where, "an id (text or a whole number)", value)


def either(record: Mapping[str, Any], camel: str, snake: str) -> Any:
    """Return a field under its camelCase or its snake_case name, whichever is filled."""
    value = record.get(camel)
    return record.get(snake) if value is None else value


def json_text(value: Any) -> str:
    """Return a result as text: text as it is, ``None`` as ``""``, other values as JSON.

    >>> json_text({"eur": 3}), json_text(None)
    ('{"eur": 3}', '')
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return as_json(plain(value))


def parts_text(content: Any, where: str, key: str = "text") -> str:
    """Return the text of a content that is text, a list of parts, or nothing.

    Args:
        content: Text; ``None``; or a list whose items are text, or objects with text under `key`.
            Parts of other kinds (images, files) have no text and are passed over.
        where: The place, for the message.
        key: The name of the text in a part.

    Raises:
        TraceFormatError: `content` is of another kind, or a part's text is no text.
    """
    content = plain(content)
    if isinstance(content, str):
        return content
    pieces = []
    for at, part in enumerate(optional_sequence(content, where)):
        if isinstance(part, str):
            pieces.append(part)
        else:
            piece = mapping(part, f"{where}[{at}]").get(key)
            pieces.append(optional_text(piece, f"{where}[{at}].{key}") or "")
    return "".join(pieces)


def choose_cases(
    cases: Sequence[tuple[Any, Case]], case: str | int | None, function: str
) -> list[tuple[Any, Case]]:
    """Return the conversations to read of a file that holds several.

    Args:
        cases: Each conversation with its id.
        case: The id of the one to read, or its position (from 0); ``None`` for all of them. Where a
            number is both, it is the id.
        function: The importer's public name, for the message.

    Raises:
        ValueError: No conversation has that id or position.
    """
    if case is None:
        return list(cases)
    for name, content in cases:
        if name == case and type(name) is type(case):
            return [(name, content)]
    if isinstance(case, int) and not isinstance(case, bool) and 0 <= case < len(cases):
        return [cases[case]]
    if len(cases) == 1 and cases[0][0] is None:
        raise ValueError(f"{function}: no case {case!r}: this trace is one conversation")
    known = ", ".join(repr(name) for name, _ in cases[:10]) + (", ..." if len(cases) > 10 else "")
    raise ValueError(
        f"{function}: no case {case!r} in this trace; use one of {known}, "
        f"or a position from 0 to {len(cases) - 1}"
    )
