"""Chunks of streamed LangChain messages, put together by message.

Nodes that run side by side stream side by side, so the chunks of one message do not always follow
each other: its id holds them together. A call comes in pieces of its JSON text, which belong
together by their index; the arguments that LangChain shows beside them are its guess at what the
text may become, and are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agenteval.traces.endings import says_failed, status_of_reason
from agenteval.traces.errors import TraceFormatError
from agenteval.traces.langchain_shapes import Message
from agenteval.traces.reading import (
    mapping,
    optional_mapping,
    optional_sequence,
    optional_text,
    plain,
)

__all__ = ["join_chunks"]

_CALL_PIECES = ("tool_use", "tool_call", "tool_call_chunk", "function_call", "input_json_delta")
_LISTS = ("tool_calls", "invalid_tool_calls")


def join_chunks(messages: Sequence[Message]) -> list[Message]:
    """Return the messages with the chunks of each put together, in the place of the first.

    A chunk without an id goes on with the chunk right before it. A result of one of its calls ends
    a message: chunks that bear its id after that are another message, of a recorder that gives
    several the same id.

    Args:
        messages: Whole messages and chunks, in the order of the stream.

    Raises:
        TraceFormatError: A chunk has a part of the wrong kind.
    """
    groups: list[list[Message]] = []
    by_id: dict[str, list[Message]] = {}
    by_call: dict[Any, str] = {}
    before: list[Message] | None = None  # what a chunk without an id goes on with
    for message in messages:
        answered = message.fields.get("tool_call_id")
        if isinstance(answered, (str, int)) and answered in by_call:
            by_id.pop(by_call.pop(answered), None)
        if not (message.chunk and message.kind in ("ai", "tool")):
            groups.append([message])
            before = None
            continue
        name = message.id
        group = before if name is None else by_id.get(name)
        if group is None or group[0].kind != message.kind:
            group = []
            groups.append(group)
        group.append(message)
        if name is not None:
            by_id[name] = group
            for _, piece, _ in _pieces(message):
                made = piece.get("id")
                if isinstance(made, (str, int)):
                    by_call[made] = name
        before = None if message.fields.get("chunk_position") == "last" else group
    return [_whole(group) if group[0].chunk else group[0] for group in groups]


def _whole(chunks: Sequence[Message]) -> Message:
    """Return one message made of its chunks."""
    first = chunks[0]
    if first.kind != "ai":
        return first if len(chunks) == 1 else _whole_result(chunks)
    fields: dict[str, Any] = {"id": first.fields.get("id"), **_calls(chunks)}
    has_calls = any(fields[key] for key in _LISTS)
    fields["content"] = [
        block for block in _blocks(chunks) if not (has_calls and _is_piece_of_call(block))
    ]
    fields["response_metadata"] = _merged(chunks, "response_metadata")
    extra = _merged(chunks, "additional_kwargs")
    extra.pop("tool_calls", None)  # pieces of calls, read with the others
    if extra.get("function_call") is not None:
        extra["function_call"] = {
            key: _text_of(chunks, "function_call", key) for key in ("name", "arguments")
        }
    if extra.get("refusal") is not None:
        extra["refusal"] = _text_of(chunks, "refusal")
    fields["additional_kwargs"] = extra
    return Message(first.kind, fields, first.where, listed=first.listed)


def _whole_result(chunks: Sequence[Message]) -> Message:
    """Return a tool's message made of its chunks: one that failed makes it a failure."""
    first = chunks[0]
    fields = {**first.fields, "content": list(_blocks(chunks))}
    if any(says_failed(chunk.fields.get("status")) for chunk in chunks):
        fields["status"] = "error"
    return Message(first.kind, fields, first.where, listed=first.listed)


def _blocks(chunks: Sequence[Message]) -> Iterator[Any]:
    for chunk in chunks:
        content = plain(chunk.fields.get("content"))
        if isinstance(content, str):
            yield content
        else:
            yield from optional_sequence(content, f"{chunk.where}.content")


def _is_piece_of_call(block: Any) -> bool:
    """Say whether a block of a chunk is part of a call: those come in ``tool_call_chunks`` too."""
    return isinstance(block, Mapping) and block.get("type") in _CALL_PIECES


def _merged(chunks: Sequence[Message], key: str) -> dict[str, Any]:
    """Return what the chunks say under a key together, the last word counting.

    A reason for stopping that is no ordinary end stays: a later chunk with the usage alone, or with
    another word, does not make a reply whole that was cut off.
    """
    merged: dict[str, Any] = {}
    for chunk in chunks:
        said = optional_mapping(chunk.fields.get(key), f"{chunk.where}.{key}") or {}
        for name, value in said.items():
            there = merged.get(name)
            stopped = isinstance(there, str) and status_of_reason(there) is not None
            if value is not None and not stopped:
                merged[name] = value
    return merged


def _text_of(chunks: Sequence[Message], *keys: str) -> str:
    """Return the pieces of a text under ``additional_kwargs``, put together."""
    pieces = []
    for chunk in chunks:
        place = f"{chunk.where}.additional_kwargs"
        value: Any = optional_mapping(chunk.fields.get("additional_kwargs"), place) or {}
        for key in keys:
            value = (optional_mapping(value, place) or {}).get(key)
            place = f"{place}.{key}"
        pieces.append(optional_text(value, place) or "")
    return "".join(pieces)


def _calls(chunks: Sequence[Message]) -> dict[str, list[Any]]:
    """Return the calls that the chunks make, as a message lists them.

    A piece joins the call of its index, unless both have an id and the ids differ: some providers
    number every call 0. A piece without an index is a call of its own.
    """
    found: dict[str, list[Any]] = {key: [] for key in _LISTS}
    open_calls: dict[int | str, dict[str, Any]] = {}
    made: list[dict[str, Any]] = []
    for chunk in chunks:
        pieces = list(_pieces(chunk))
        for index, piece, where in pieces:
            call = None if index is None else open_calls.get(index)
            own = piece.get("id")
            if call is None or (own and call["id"] and own != call["id"]):
                call = {"name": None, "id": None, "args": []}
                made.append(call)
                if index is not None:
                    open_calls[index] = call
            for key in ("name", "id"):
                call[key] = call[key] or optional_text(piece.get(key), f"{where}.{key}")
            call["args"].append(optional_text(piece.get("args"), f"{where}.args") or "")
        if not pieces:
            for key in _LISTS:
                place = f"{chunk.where}.{key}"
                found[key] += optional_sequence(chunk.fields.get(key), place)
    for call in made:
        whole = {**call, "args": "".join(call["args"])}
        found["tool_calls" if call["name"] else "invalid_tool_calls"].append(whole)
    return found


def _pieces(chunk: Message) -> Iterator[tuple[int | str | None, Mapping[str, Any], str]]:
    """Yield the pieces of calls in a chunk: the index, the fields, the place."""
    place = f"{chunk.where}.tool_call_chunks"
    listed = optional_sequence(chunk.fields.get("tool_call_chunks"), place)
    for at, one in enumerate(listed):
        piece = mapping(one, f"{place}[{at}]")
        yield _index(piece, f"{place}[{at}]"), piece, f"{place}[{at}]"
    if listed or any(chunk.fields.get(key) for key in _LISTS):
        return
    place = f"{chunk.where}.additional_kwargs"
    extra = optional_mapping(chunk.fields.get("additional_kwargs"), place) or {}
    place = f"{place}.tool_calls"
    for at, one in enumerate(optional_sequence(extra.get("tool_calls"), place)):
        delta = mapping(one, f"{place}[{at}]")
        function = optional_mapping(delta.get("function"), f"{place}[{at}].function") or {}
        piece = {
            "id": delta.get("id"),
            "name": function.get("name"),
            "args": function.get("arguments"),
        }
        yield _index(delta, f"{place}[{at}]"), piece, f"{place}[{at}]"


def _index(piece: Mapping[str, Any], where: str) -> int | str | None:
    index = piece.get("index")
    if index is not None and not isinstance(index, (int, str)):
        raise TraceFormatError(f"{where}.index", "a position", index)
    return index
