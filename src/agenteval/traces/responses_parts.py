"""Where in an object the conversation of OpenAI Responses items stands: before a reply, and in it.

Logs keep the request beside the response, and results of runs the input beside the new items, under
names of their own. What is read is one conversation before the reply and the reply; another field
that holds more of the conversation is refused, for its place in it is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from agenteval.traces.agents_sdk import new_items, raw_item
from agenteval.traces.call_shapes import bears_call
from agenteval.traces.encoded import refuse_encoded_messages
from agenteval.traces.errors import TraceFormatError
from agenteval.traces.marks import message_mark, objects_in
from agenteval.traces.reading import json_text, plain

__all__ = ["Parts", "is_beside", "is_state", "parts_of", "refuse_beside"]

_BEFORE = ("items", "input", "messages", "history")
_ROLES = ("assistant", "developer", "system", "tool", "user")
_WANTED = "a list of items, or an object with 'items', 'output' or 'new_items'"
_STATES = (("generated_items", "original_input"), ("generatedItems", "originalInput"))
_RAW = ("raw_responses", "rawResponses")


class Parts(NamedTuple):
    """The parts of a conversation; ``None`` for those that an object does not have."""

    before: tuple[str, Any] | None
    """The key and the items of the conversation so far."""
    run: tuple[str, Any] | None
    """The key and the items that a run of the Agents SDK made."""
    response: Mapping[str, Any] | None
    """The Response, or what has its output."""


def parts_of(whole: Mapping[str, Any], function: str) -> Parts:
    """Return the parts of the conversation that an object holds.

    Raises:
        TraceFormatError: It holds none, or one whose place in the conversation is not known.
    """
    run = new_items(whole)
    response = None if run is not None else _response(whole)
    before = [key for key in _BEFORE if _tells(whole, key, function)]
    if run is None and response is None and "items" not in whole:
        raise TraceFormatError(function, _WANTED, whole, _hint(whole))
    first = (before[0], whole[before[0]]) if before else None
    read = [] if first is None else [first[1]]
    if run is not None:
        if first is not None and _ends_in(first[1], run[1]):
            run = (run[0], [])
        read.append(run[1])
        before.append("output")
    elif response is not None and first is not None:
        read.append(response.get("output"))
        if _ends_in(first[1], response.get("output")):
            response = {**response, "output": []}
    for key in before[1:] if first is not None else before:
        _refuse_more(whole, key, read, function)
    return Parts(first, run, response)


def refuse_beside(response: Mapping[str, Any], where: str) -> None:
    """Raise where a Response in a list has calls beside its output.

    Raises:
        TraceFormatError: It does; each of the others in the list may repeat them.
    """
    for key in _BEFORE:
        for _ in _marked(response.get(key)):
            raise TraceFormatError(
                f"{where}.{key}",
                "a Response without the conversation before it, as one of several",
                response[key],
                "read the Responses one by one, or put all items in one list",
            )


def _response(whole: Mapping[str, Any]) -> Mapping[str, Any] | None:
    if whole.get("object") == "response" or "output" in whole:
        return whole
    inner = plain(whole.get("response"))
    return inner if isinstance(inner, Mapping) and "output" in inner else None


def _tells(whole: Mapping[str, Any], key: str, function: str) -> bool:
    """Say whether a field holds items of the conversation; the user's question alone is none."""
    found = plain(whole.get(key))
    if isinstance(found, str) and key == "input":
        refuse_encoded_messages(found, f"{function}: input")
        return False
    if new_items(whole) is None and whole.get("object") != "response":
        # whatever stands there: nothing else says for certain that this is such a trace
        if key == "items":
            return key in whole
        if key == "input":
            return found is not None
    return any(_is_item(one) for one in objects_in([found, *objects_in(found)]))


def _is_item(record: Mapping[str, Any]) -> bool:
    spoken = record.get("role") in _ROLES and "content" in record
    return spoken or _is_marked(record)


def _is_marked(record: Mapping[str, Any]) -> bool:
    """Say whether a record is a call or a result, or wraps one."""
    return message_mark(record) is not None or raw_item(record) is not None or bears_call(record)


def _raw(items: Any) -> Iterator[Mapping[str, Any]]:
    for one in objects_in(items):
        inner = plain(raw_item(one))
        yield inner if isinstance(inner, Mapping) else one


def _marked(items: Any) -> Iterator[Mapping[str, Any]]:
    return (one for one in _raw(items) if _is_marked(one))


def _ends_in(items: Any, last: Any) -> bool:
    """Say whether a conversation ends in a reply, which stands a second time for itself."""
    whole, tail = list(_raw(items)), list(_raw(last))
    if not tail or len(tail) > len(whole):
        return False
    return list(map(json_text, whole[-len(tail) :])) == list(map(json_text, tail))


def _refuse_more(whole: Mapping[str, Any], key: str, read: list[Any], function: str) -> None:
    """Raise where a field has calls or results that what is read does not have."""
    more = list(_marked(whole.get(key)))
    known = {json_text(one) for items in read for one in _raw(items)} if more else set()
    if any(json_text(one) not in known for one in more):
        raise TraceFormatError(
            f"{function}: {key}",
            "one list of the conversation beside the reply",
            whole[key],
            "there is a second one, and which comes first is not known: put all items in one list",
        )


def _hint(whole: Mapping[str, Any]) -> str:
    """Say what to pass instead of what the Agents SDK has of a run in other shapes."""
    for made, asked in _STATES:
        if made in whole:
            return (
                "this is the state of a run (RunState): pass "
                f"{{'input': state[{asked!r}], 'new_items': state[{made!r}]}}"
            )
    for key in _RAW:
        if key in whole:
            return (
                f"{key!r} are without the results of tools: pass the result itself, or its "
                "new items, as {'new_items': [...]}"
            )
    if "input" in whole:
        return "this is a request: pass the response's 'output' with it, or its list alone"
    return ""


def is_beside(whole: Mapping[str, Any]) -> bool:
    """Say whether an object has a Response under ``response``, as logs of requests do."""
    inner = plain(whole.get("response"))
    return isinstance(inner, Mapping) and inner.get("object") == "response"


def is_state(whole: Mapping[str, Any]) -> bool:
    """Say whether an object is the state of a run, or what models replied in one."""
    states = any(made in whole and asked in whole for made, asked in _STATES)
    return states or any("output" in one for key in _RAW for one in objects_in(whole.get(key)))
