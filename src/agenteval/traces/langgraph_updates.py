"""Where the messages of an update stand: what the nodes of a LangGraph graph changed or returned.

| a node's value | its messages |
|---|---|
| a state | under ``messages``, or, where no update has these, under other names |
| a message, or a list of them | the value itself |
| a list of those | each |
| a list of pairs of a name and a value, as older ``tasks`` have it | as of a state |
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agenteval.traces.encoded import parsed
from agenteval.traces.errors import TraceFormatError
from agenteval.traces.langchain_calls import MadeCall, made_calls
from agenteval.traces.langchain_chains import is_memory, refuse_memory, refuse_steps
from agenteval.traces.langchain_shapes import (
    FORMAT,
    RESULT_KINDS,
    Message,
    is_known_message,
    is_node_message,
    read_message,
)
from agenteval.traces.marks import refuse_foreign
from agenteval.traces.reading import json_text, mapping, optional_sequence, plain

__all__ = [
    "INTERRUPT",
    "Found",
    "beside_messages",
    "changed",
    "each",
    "has_messages",
    "inside",
    "is_message_like",
    "listed_messages",
    "refuse_hidden",
    "refuse_lost",
    "refuse_others",
]

INTERRUPT = "__interrupt__"
"""The name of no node: what waits for a person."""

_RETURNED = "__return__"  # under which a task of the functional API has what it returned
_HINT = (
    "only 'messages' is read of a state that has them: stream updates, or pass the list that tells "
    "of the whole run"
)
_MODEL_INPUT = "llm_input_messages"  # what a hook of LangGraph's agents gives the model to read
_DEEPEST = 4  # levels at which messages are looked for where they are not read
_OTHERS = (  # keys that no update has together, of records that bear no other mark
    {"attributes", "name"},
    {"object", "output"},
    {"output", "stopReason"},
    {"parts"},
)


@dataclass(frozen=True, slots=True)
class Found:
    """A message as it stands in the trace: its place, and which list of messages it stands in.

    One that is ``beside`` stands where a run has data of its own, its messages being elsewhere, and
    is not read; ``hint`` says how to get at one that is in JSON text or too far inside.
    """

    message: Any
    where: str
    listed: int
    beside: bool = False
    hint: str = ""


def has_messages(update: Mapping[str, Any], where: str) -> bool:
    """Say whether a node of an update changed ``messages`` by what an agent said."""
    return any(
        read_message(one.message, one.where).kind == "ai"
        for record, place, given in _values(update, where)
        if isinstance(record, Mapping) and record.get("messages") and not given
        for one in listed_messages(record["messages"], f"{place}.messages", 0)
    )


def changed(update: Mapping[str, Any], where: str, number: int, *, named: bool) -> Iterator[Found]:
    """Find the messages of an update: what each node changed in the state, or returned.

    Of a run whose messages are under other names, all that holds messages is read, unless that is
    a memory.

    Args:
        update: The update, or a task, or a snapshot.
        where: Its place, for messages.
        number: The number of the list that its messages stand in.
        named: Whether what an agent said is in ``messages`` of the run: others are not read then.
    """
    if not named:
        refuse_memory(_update(update), where)
    for record, place, given in _values(update, where):
        if not isinstance(record, Mapping):
            yield from () if given else _hidden(record, place, number)
        elif "messages" in record:
            refuse_steps(record, place)
            yield from listed_messages(record["messages"], f"{place}.messages", number)
            yield from beside_messages(record, place, number)
        elif is_known_message(record):
            yield Found(record, place, number)
        else:
            if not named:
                refuse_memory(record, place)
            for channel, held in record.items():
                for message, there in each(held, f"{place}.{channel}"):
                    if not is_message_like(message):
                        yield from () if given else _hidden(message, there, number)
                    else:
                        yield Found(message, there, number, beside=named)


def _update(update: Mapping[str, Any]) -> Mapping[str, Any]:
    if "values" in update and "next" in update:  # a snapshot, whose tasks are yet to run, or ran
        return {"values": update["values"]}
    return update


def _values(update: Mapping[str, Any], where: str) -> Iterator[tuple[Any, str, bool]]:
    """Yield what each node gave, its place, and whether it is what a task was given."""
    for node, value in _update(update).items():
        if node == INTERRUPT:
            continue
        place = inside(where, node)
        inner = plain(value)
        if isinstance(inner, Mapping) and inner.keys() == {_RETURNED}:
            inner, place = inner[_RETURNED], f"{place}.{_RETURNED}"
        for one, there in each(inner, place):
            yield _as_state(one), there, node == "input" and "triggers" in update


def beside_messages(state: Mapping[str, Any], where: str, number: int) -> Iterator[Found]:
    """Yield the messages of a state under other names than ``messages``, a memory's aside."""
    for channel, held in state.items():
        if channel in ("messages", _MODEL_INPUT) or is_memory(channel):
            continue
        for message, there in each(held, inside(where, channel)):
            if is_message_like(message):
                yield Found(message, there, number, beside=True)


def refuse_lost(beside: Iterable[Found], messages: Iterable[Message]) -> None:
    """Raise where a message that is not read makes a call that none of those that are read makes.

    Raises:
        TraceFormatError: The call would be lost.
    """
    beside = list(beside)
    if not beside:
        return
    made = (made_calls(one.fields, one.where) for one in messages if one.kind == "ai")
    read = {_key(call) for calls in made for call in calls}
    for one in beside:
        record = mapping(one.message, one.where)
        inner = plain(record.get("kwargs", record.get("data")))
        fields = inner if isinstance(inner, Mapping) else record
        in_content = record.get("type", record.get("role")) not in RESULT_KINDS
        calls = made_calls(fields, one.where, in_content=in_content)
        if any(_key(call) not in read for call in calls):
            raise TraceFormatError(
                one.where, "calls that are in the state's messages, too", record, one.hint or _HINT
            )


def refuse_hidden(found: Iterable[Found]) -> None:
    """Raise where the only messages of a trace are not where an update has them.

    Raises:
        TraceFormatError: There is one, and the message says how to get at it.
    """
    for one in found:
        if one.hint:
            wanted = "messages, a state or an update"
            raise TraceFormatError(one.where, wanted, one.message, one.hint)


def _key(call: MadeCall) -> Hashable:
    return (call.name, json_text(plain(call.arguments))) if call.id is None else call.id


def _as_state(value: Any) -> Any:
    """Return what a node changed as a record, also where it is a pair of a name and a value."""
    inner = plain(value)
    is_pair = isinstance(inner, (list, tuple)) and len(inner) == 2 and isinstance(inner[0], str)
    return {inner[0]: inner[1]} if is_pair else inner


def _hidden(value: Any, where: str, number: int) -> Iterator[Found]:
    """Yield the messages that are not where an update has them: in JSON text, or further inside.

    A program keeps such data of its own, so they are not read; only a call must not get lost.
    """
    inner = plain(value)
    hint = "take them out of what holds them"
    if isinstance(inner, str):
        inner, hint = parsed(inner), "this text is JSON: parse it first"
    for message in _messages_in(inner, _DEEPEST):
        yield Found(message, where, number, beside=True, hint=hint)


def _messages_in(value: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    """Yield the messages that a value is or holds, not too many levels down."""
    value = plain(value)
    if isinstance(value, Mapping):
        if is_node_message(value):
            yield value
            return
        value = list(value.values())
    if depth > 0 and isinstance(value, (list, tuple)):
        for one in value:
            yield from _messages_in(one, depth - 1)


def is_message_like(value: Any) -> bool:
    """Say whether a value is a message, also as an object of the framework."""
    record = plain(value)
    return isinstance(record, Mapping) and is_known_message(record)


def each(value: Any, where: str) -> Iterator[tuple[Any, str]]:
    """Yield the entries of a list with their places, or the one value that stands alone."""
    inner = plain(value)
    if isinstance(inner, (list, tuple)):
        for at, one in enumerate(inner):
            yield one, f"{where}[{at}]"
    else:
        yield inner, where


def inside(where: str, key: str) -> str:
    """Return the place of a key; the place of a whole trace is the importer's name and a blank."""
    return f"{where}{key}" if where.endswith(" ") else f"{where}.{key}"


def listed_messages(messages: Any, where: str, number: int, skipped: int = 0) -> Iterator[Found]:
    """Yield the messages of a list from one of them on, or the one that stands alone."""
    messages = plain(messages)
    if isinstance(messages, Mapping):
        yield Found(messages, where, number)
        return
    listed = optional_sequence(messages, where)
    for at in range(skipped, len(listed)):
        yield Found(listed[at], f"{where}[{at}]", number)


def refuse_others(record: Mapping[str, Any], where: str) -> None:
    """Refuse an entry without messages that is another format's record, not an update."""
    refuse_foreign(record, FORMAT, where)
    for keys in _OTHERS:
        if keys <= record.keys():
            named = " and ".join(map(repr, sorted(keys)))
            raise TraceFormatError(
                where.rstrip(": "),
                "a message, a state or an update of LangGraph",
                record,
                f"a record with {named} is of another format: take the mixture apart",
            )
