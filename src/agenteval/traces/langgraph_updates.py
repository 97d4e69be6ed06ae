"""Where the messages of an update stand: what the nodes of a LangGraph graph changed or returned.

| a node's value | its messages |
|---|---|
| a state | under ``messages``, or under other names if they are the run |
| a message, or a list of them | the value itself |
| a list of those | each |
| a list of pairs of a name and a value, as older ``tasks`` have it | as of a state |
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agenteval.traces.errors import TraceFormatError
from agenteval.traces.langchain_calls import MadeCall, made_calls
from agenteval.traces.langchain_chains import is_memory, refuse_memory, refuse_steps
from agenteval.traces.langchain_shapes import FORMAT, Message, is_node_message
from agenteval.traces.marks import refuse_foreign
from agenteval.traces.reading import json_text, mapping, optional_sequence, plain

__all__ = [
    "INTERRUPT",
    "Found",
    "beside_messages",
    "changed",
    "each",
    "inside",
    "is_message_like",
    "listed_messages",
    "refuse_lost",
    "refuse_others",
]

INTERRUPT = "__interrupt__"
"""The name of no node: what waits for a person."""

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

    One that is ``beside`` stands in a state that has its messages elsewhere, and is not read.
    """

    message: Any
    where: str
    listed: int
    beside: bool = False


def changed(update: Mapping[str, Any], where: str, number: int) -> Iterator[Found]:
    """Find the messages of an update: what each node changed in the state, or returned.

    Of a state whose messages are under another name, all that holds messages is read, unless that
    is a memory.
    """
    if "values" in update and "next" in update:  # a snapshot, whose tasks are yet to run, or ran
        update = {"values": update["values"]}
    refuse_memory(update, where)
    for node, value in update.items():
        if node == INTERRUPT:
            continue
        for one, place in each(value, inside(where, node)):
            record = _as_state(one)
            if not isinstance(record, Mapping):
                _refuse_hidden(record, place)
                continue
            if "messages" in record:
                refuse_steps(record, place)
                yield from listed_messages(record["messages"], f"{place}.messages", number)
                yield from beside_messages(record, place, number)
            elif is_node_message(record):
                yield Found(one, place, number)
            else:
                refuse_memory(record, place)
                for channel, held in record.items():
                    for message, there in each(held, f"{place}.{channel}"):
                        if is_message_like(message):
                            yield Found(message, there, number)
                        else:
                            _refuse_hidden(message, there)


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
    read = {_key(call) for one in messages for call in made_calls(one.fields, one.where)}
    for one in beside:
        record = mapping(one.message, one.where)
        fields = mapping(record.get("kwargs", record.get("data", record)), one.where)
        if any(_key(call) not in read for call in made_calls(fields, one.where)):
            raise TraceFormatError(
                one.where,
                "calls that are in the state's messages, too",
                record,
                "only 'messages' is read of a state that has them: stream updates, or pass the "
                "list that tells of the whole run",
            )


def _key(call: MadeCall) -> Hashable:
    return (call.name, json_text(plain(call.arguments))) if call.id is None else call.id


def _as_state(value: Any) -> Any:
    """Return what a node changed as a record, also where it is a pair of a name and a value."""
    inner = plain(value)
    is_pair = isinstance(inner, (list, tuple)) and len(inner) == 2 and isinstance(inner[0], str)
    return {inner[0]: inner[1]} if is_pair else inner


def _refuse_hidden(value: Any, where: str) -> None:
    """Refuse messages that are not where an update has them: in JSON text, or a list in a list."""
    inner = plain(value)
    text = isinstance(inner, str)
    if text:
        inner = _parsed(inner)
    if (text or not isinstance(inner, Mapping)) and _holds_message(inner, _DEEPEST):
        hint = "this text is JSON: parse it first" if text else "take them out of the list in it"
        raise TraceFormatError(where, "messages, a state or an update", value, hint)


def _parsed(text: str) -> Any:
    if text.lstrip()[:1] not in ("{", "["):
        return None
    import json  # here, because importing agenteval must stay quick

    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _holds_message(value: Any, depth: int) -> bool:
    """Say whether a value is a message or holds one, not too many levels down."""
    value = plain(value)
    if isinstance(value, Mapping):
        if is_node_message(value):
            return True
        value = list(value.values())
    return (
        depth > 0
        and isinstance(value, (list, tuple))
        and any(_holds_message(one, depth - 1) for one in value)
    )


def is_message_like(value: Any) -> bool:
    """Say whether a value is a message, also as an object of the framework."""
    record = plain(value)
    return isinstance(record, Mapping) and is_node_message(record)


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
