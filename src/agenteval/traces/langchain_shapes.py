"""The styles that LangChain's messages are dumped in, and the containers around them.

| style | a message |
|---|---|
| ``model_dump`` | ``{"type": "ai", "content": ...}`` |
| ``messages_to_dict`` | ``{"type": "ai", "data": {...}}`` |
| ``dumpd``, Python and JavaScript | ``{"lc": 1, "id": [..., "AIMessage"], "kwargs": {...}}`` |
| OpenAI's | ``{"role": "assistant", ...}``; LangGraph's servers accept it beside the others |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agenteval.traces.errors import TraceFormatError
from agenteval.traces.marks import objects_in
from agenteval.traces.reading import mapping, optional_sequence, optional_text, plain, sequence

__all__ = ["Message", "interrupted", "is_langchain", "read_messages"]

_KINDS = {
    "ai": "ai",
    "aimessage": "ai",
    "assistant": "ai",
    "tool": "tool",
    "toolmessage": "tool",
    "function": "function",
    "functionmessage": "function",
    "human": "human",
    "humanmessage": "human",
    "user": "human",
    "system": "system",
    "systemmessage": "system",
    "developer": "system",
    "chat": "chat",
    "chatmessage": "chat",
    "remove": "remove",
    "removemessage": "remove",
}
_TYPES = ("ai", "human", "tool", "function", "system", "chat", "remove")
_CALL_PIECES = ("tool_use", "tool_call", "tool_call_chunk", "function_call", "input_json_delta")
_MODES = ("updates", "values", "messages")
_INTERRUPT = "__interrupt__"


@dataclass(frozen=True, slots=True)
class Message:
    """One message, whatever its style: what it is, its fields, and its place in the trace."""

    kind: str
    fields: Mapping[str, Any]
    where: str
    chunk: bool = False


def is_langchain(trace: Any) -> bool:
    """Say whether a trace has a message in one of LangChain's own styles."""
    if isinstance(trace, Mapping):
        return _is_own_style(trace) or any(_has_own_style(_messages_of(v)) for v in _nodes(trace))
    for one, _ in _records(trace, "") if isinstance(trace, (list, tuple)) else ():
        record = plain(one)
        if isinstance(record, Mapping) and "role" not in record:
            if _is_own_style(record):
                return True
            if any(_has_own_style(_messages_of(value)) for value in _nodes(record)):
                return True
    return False


def _nodes(record: Mapping[str, Any]) -> list[Any]:
    """Return the places of a state or an update that may hold messages."""
    return [record, *(plain(value) for value in record.values())]


def _messages_of(value: Any) -> Any:
    if isinstance(value, Mapping):
        found = plain(value.get("messages"))
        return [found] if isinstance(found, Mapping) else found
    return None


def _has_own_style(messages: Any) -> bool:
    return any(_is_own_style(message) for message in objects_in(messages))


def _is_own_style(message: Mapping[str, Any]) -> bool:
    if message.get("lc") == 1 and "kwargs" in message:
        return True
    kind = message.get("type")
    if "role" in message or not isinstance(kind, str):
        return False
    return (kind in _TYPES or kind.endswith("MessageChunk")) and (
        "content" in message or isinstance(plain(message.get("data")), Mapping)
    )


def _kind_of(word: str) -> str | None:
    return _KINDS.get(word.lower().removesuffix("chunk"))


def interrupted(trace: Any) -> bool:
    """Say whether the last thing that a graph streamed is that it waits for a person."""
    if isinstance(trace, Mapping):
        return bool(trace.get(_INTERRUPT))
    updates = [record for record, _ in _records(trace, "")]
    last = plain(updates[-1]) if updates else None
    return isinstance(last, Mapping) and bool(last.get(_INTERRUPT))


def read_messages(trace: Any, function: str) -> list[Message]:
    """Return the messages of a trace in order, chunks of one message put together.

    Raises:
        TraceFormatError: A record has the wrong kind, or no message is found.
    """
    found = list(_find(trace, f"{function}: "))
    if not found:
        raise TraceFormatError(function, "LangChain messages", trace, "no message was found")
    messages = [_message(one, place) for one, place in found]
    return _joined(_once(messages) if _is_stream(trace) else messages)


def _is_stream(trace: Any) -> bool:
    """Say whether a trace is a list of states or updates, and not of messages."""
    return isinstance(trace, (list, tuple)) and not any(
        isinstance(record := plain(one), Mapping) and _is_message(record)
        for one, _ in _records(trace, "")
    )


def _once(messages: list[Message]) -> list[Message]:
    """Drop a message that is another's copy, its id included.

    Nodes return messages that the state has already, a supervisor its whole history, and the state
    keeps each once. Ids alone do not tell: some recorders give two messages the same.
    """
    latest: dict[tuple[str, str], Message] = {}  # only these are compared, so reading stays linear
    kept: list[Message] = []
    for message in messages:
        name = message.fields.get("id")
        if isinstance(name, str) and name and not message.chunk and message.kind != "remove":
            earlier = latest.get((message.kind, name))
            if earlier is not None and earlier.fields == message.fields:
                continue
            latest[message.kind, name] = message
        kept.append(message)
    return kept


def _find(trace: Any, where: str) -> Iterator[tuple[Any, str]]:
    """Find the messages of a list, a state, an update, or a list of those."""
    if isinstance(trace, Mapping):
        yield from [(trace, f"{where}message")] if _is_message(trace) else _find_in(trace, where)
        return
    records = [(mapping(one, place), place) for one, place in _records(trace, where)]
    states = [record for record, _ in records]
    if any(_is_message(state) for state in states):
        yield from records
    elif len(states) > 1 and _grows(states):
        yield from _find_in(states[-1], f"{records[-1][1]}.")
    else:
        for state, place in records:
            yield from _find_in(state, f"{place}.")


def _records(trace: Sequence[Any], where: str) -> list[tuple[Any, str]]:
    """Return the entries of a list with their places, taken out of what a stream puts around them.

    A stream of several modes gives ``[mode, data]``, of which one mode is enough; a stream of
    messages gives ``[message, metadata]``.
    """
    found: list[tuple[Any, str]] = []
    by_mode: dict[str, list[tuple[Any, str]]] = {}
    for at, one in enumerate(trace):
        place = f"{where}[{at}]"
        if isinstance(one, (list, tuple)) and len(one) == 2:
            if isinstance(one[0], str):
                by_mode.setdefault(one[0], []).append((one[1], f"{place}[1]"))
            else:
                found.append((one[0], f"{place}[0]"))
        else:
            found.append((one, place))
    for mode in _MODES:
        if mode in by_mode:
            return found + by_mode[mode]
    return found


def _grows(states: Sequence[Mapping[str, Any]]) -> bool:
    """Say whether these are a run's streamed values: each state repeats the one before."""
    before: list[Any] = []
    for state in states:
        messages = plain(state.get("messages"))
        if not isinstance(messages, list) or messages[: len(before)] != before:
            return False
        before = messages
    return True


def _is_message(record: Mapping[str, Any]) -> bool:
    return ("lc" in record and "kwargs" in record) or (
        ("type" in record or "role" in record) and ("content" in record or "data" in record)
    )


def _find_in(update: Mapping[str, Any], where: str) -> Iterator[tuple[Any, str]]:
    """Find the messages of a state, or of an update: what each node changed in the state."""
    if "messages" in update:
        yield from _listed(update["messages"], f"{where}messages")
        return
    for node, value in update.items():
        inner = plain(value)
        if node == _INTERRUPT or inner is None:
            continue
        for one in inner if isinstance(inner, (list, tuple)) else [inner]:
            state = plain(one)
            if isinstance(state, Mapping) and "messages" in state:
                yield from _listed(state["messages"], f"{where}{node}.messages")


def _listed(messages: Any, where: str) -> Iterator[tuple[Any, str]]:
    messages = plain(messages)
    if isinstance(messages, Mapping):
        yield messages, where
        return
    for at, one in enumerate(optional_sequence(messages, where)):
        yield one, f"{where}[{at}]"


def _message(one: Any, where: str) -> Message:
    record = mapping(one, where)
    if record.get("lc") is not None:
        name = sequence(record.get("id"), f"{where}.id")
        word = name[-1] if name else None
        fields = mapping(record.get("kwargs"), f"{where}.kwargs")
        where = f"{where}.kwargs"
    else:
        word = record.get("type", record.get("role"))
        fields = record
        if "data" in record and "content" not in record:
            fields = mapping(record["data"], f"{where}.data")
            where = f"{where}.data"
    kind = _kind_of(word) if isinstance(word, str) else None
    if kind == "chat":
        role = optional_text(fields.get("role"), f"{where}.role") or ""
        kind = _kind_of(role) or "human"
    if kind is None:
        raise TraceFormatError(where, f"a message of type {', '.join(_TYPES)}", word)
    return Message(kind, fields, where, str(word).endswith("Chunk"))


def _joined(messages: list[Message]) -> list[Message]:
    """Put the chunks of one message together: they follow each other and share an id."""
    joined: list[Message] = []
    chunks: list[Message] = []
    for message in messages:
        if chunks and not (
            message.chunk and message.fields.get("id") == chunks[0].fields.get("id")
        ):
            joined.append(_whole(chunks))
            chunks = []
        if message.chunk and message.kind == "ai":
            chunks.append(message)
        else:
            joined.append(message)
    if chunks:
        joined.append(_whole(chunks))
    return joined


def _whole(chunks: list[Message]) -> Message:
    """Return one AI message made of its chunks."""
    first = chunks[0]
    if len(chunks) == 1:
        return first
    content: list[Any] = []
    calls: dict[Any, dict[str, Any]] = {}
    for chunk in chunks:
        said = plain(chunk.fields.get("content"))
        place = f"{chunk.where}.content"
        blocks = [said] if isinstance(said, str) else optional_sequence(said, place)
        content += [block for block in blocks if not _is_piece_of_call(block)]
        place = f"{chunk.where}.tool_call_chunks"
        for at, one in enumerate(optional_sequence(chunk.fields.get("tool_call_chunks"), place)):
            _add_piece(calls, mapping(one, f"{place}[{at}]"), f"{place}[{at}]")
    last = chunks[-1].fields
    fields = {
        "content": content,
        "response_metadata": last.get("response_metadata"),
        "tool_calls": [{**call, "args": "".join(call["args"])} for call in calls.values()],
    }
    return Message(first.kind, fields, first.where)


def _is_piece_of_call(block: Any) -> bool:
    """Say whether a block of a chunk is part of a call: those come in ``tool_call_chunks`` too."""
    return isinstance(block, Mapping) and block.get("type") in _CALL_PIECES


def _add_piece(calls: dict[Any, dict[str, Any]], piece: Mapping[str, Any], where: str) -> None:
    """Add a piece of a call to the call of its index; a piece without an index is a call."""
    index = piece.get("index")
    if index is not None and not isinstance(index, (int, str)):
        raise TraceFormatError(f"{where}.index", "a position", index)
    call = calls.setdefault(
        len(calls) + 0.5 if index is None else index, {"name": None, "id": None, "args": []}
    )
    for key in ("name", "id"):
        call[key] = call[key] or optional_text(piece.get(key), f"{where}.{key}")
    call["args"].append(optional_text(piece.get("args"), f"{where}.args") or "")
