"""The styles that LangChain's messages are dumped in.

| style | a message |
|---|---|
| ``model_dump`` | ``{"type": "ai", "content": ...}`` |
| ``messages_to_dict`` | ``{"type": "ai", "data": {...}}`` |
| ``dumpd``, Python and JavaScript | ``{"lc": 1, "id": [..., "AIMessage"], "kwargs": {...}}`` |
| OpenAI's | ``{"role": "assistant", ...}``; LangGraph's servers accept it beside the others |
| a pair | ``["ai", "text"]``, which holds no calls |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agenteval.traces.call_shapes import refuse_held
from agenteval.traces.errors import TraceFormatError
from agenteval.traces.marks import objects_in, part_mark, refuse_foreign
from agenteval.traces.reading import mapping, optional_text, plain, sequence

__all__ = [
    "FORMAT",
    "RESULT_KINDS",
    "Message",
    "is_known_message",
    "is_message",
    "is_node_message",
    "is_own_style",
    "read_message",
    "refuse_foreign_part",
    "spelled_out",
]

FORMAT = "langchain"
RESULT_KINDS = ("tool", "function")
"""The kinds of messages that are a tool's result."""

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
_SAID = ("content", "content_blocks", "tool_calls", "function_call", "additional_kwargs")
_PAIRED = ("human", "user", "ai", "assistant", "system")
_TYPES = ("ai", "human", "tool", "function", "system", "chat", "remove")
_PASSED_ON_TYPES = ("input_text", "output_text")  # parts that neither call nor answer a tool
_PASSED_ON_KEYS = ("cachePoint", "citationsContent", "guardContent", "reasoningContent")
_RESULTS = ("tool_result", "function_call_output", "custom_tool_call_output")
_OTHERS_LISTS = ("parts", "toolInvocations")  # where the messages of other formats keep their calls


@dataclass(frozen=True, slots=True)
class Message:
    """One message, whatever its style: what it is, its fields, and where it stands in the trace.

    ``listed`` is the number of the list of messages that it stands in, of a trace with several.
    """

    kind: str
    fields: Mapping[str, Any]
    where: str
    chunk: bool = False
    listed: int = 0

    @property
    def id(self) -> str | None:
        """The message's id, if it has one."""
        own = self.fields.get("id")
        return own if isinstance(own, str) and own else None


def is_own_style(record: Mapping[str, Any]) -> bool:
    """Say whether a record is a message in one of LangChain's own styles, which no other has."""
    if record.get("lc") == 1 and "kwargs" in record:
        return True
    kind = record.get("type")
    if "role" in record or not isinstance(kind, str):
        return False
    return (kind in _TYPES or kind.endswith("MessageChunk")) and (
        "content" in record or isinstance(plain(record.get("data")), Mapping)
    )


def is_message(record: Mapping[str, Any]) -> bool:
    """Say whether a record stands for a message, of any style or of another format."""
    if "lc" in record and "kwargs" in record:
        return True
    if "content" in record or "data" in record:
        return "type" in record or "role" in record
    return "messages" not in record and isinstance(record.get("type", record.get("role")), str)


def is_node_message(record: Mapping[str, Any]) -> bool:
    """Say whether what a node returned is a message; an update may have a ``type`` of its own."""
    return is_own_style(record) or (isinstance(record.get("role"), str) and "content" in record)


def is_known_message(record: Mapping[str, Any]) -> bool:
    """Say whether a record is a message of a known role; a program's own data can have a role, too.

    >>> is_known_message({"role": "user", "content": "x"})
    True
    >>> is_known_message({"role": "lead", "content": "x"})
    False
    """
    return is_own_style(record) or (is_node_message(record) and record["role"].lower() in _KINDS)


def spelled_out(one: Any) -> Any:
    """Return a message that is a pair of its role and its text as a record, all else as it is.

    >>> spelled_out(("human", "Hi"))
    {'type': 'human', 'content': 'Hi'}
    """
    if isinstance(one, (list, tuple)) and len(one) == 2 and one[0] in _PAIRED:
        role, content = one
        if isinstance(content, str):
            return {"type": _KINDS[role], "content": content}
    return one


def read_message(one: Any, where: str, listed: int = 0) -> Message:
    """Return a message of any style.

    Args:
        one: The record.
        where: Its place, for messages.
        listed: The number of the list of messages that it stands in.

    Raises:
        TraceFormatError: It is none, or one of another format's: what it holds would be lost.
    """
    record = mapping(spelled_out(one), where)
    outside = where
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
    kind = _KINDS.get(word.lower().removesuffix("chunk")) if isinstance(word, str) else None
    if kind == "chat":
        role = optional_text(fields.get("role"), f"{where}.role") or ""
        kind = _KINDS.get(role.lower(), "human")
    if kind is None:
        got = record if word is None else word
        raise TraceFormatError(where, f"a message of type {', '.join(_TYPES)}", got)
    _refuse_others(kind, fields, where)
    if fields is not record:
        refuse_held(record, (), outside)
    if kind != "remove" and not any(key in fields for key in _SAID):
        raise TraceFormatError(where, "a message with 'content'", fields)
    return Message(kind, fields, where, str(word).endswith("Chunk"), listed)


def refuse_foreign_part(block: Mapping[str, Any], kind: str, where: str) -> None:
    """Refuse a block of a content that is another format's call or result.

    LangChain passes on the blocks of Anthropic's and OpenAI's AI messages; results, in all of its
    messages, are messages of their own.

    Raises:
        TraceFormatError: The block is of another format.
    """
    kind_of_block = block.get("type")
    if kind_of_block in _PASSED_ON_TYPES or any(key in block for key in _PASSED_ON_KEYS):
        return
    passed_on = kind == "ai" and part_mark(block) in ("anthropic", "openai_responses")
    if passed_on and kind_of_block not in _RESULTS:
        return
    refuse_foreign(block, FORMAT, where)


def _refuse_others(kind: str, fields: Mapping[str, Any], where: str) -> None:
    """Refuse a message whose role LangChain knows, but whose calls or results stand elsewhere."""
    for key in _OTHERS_LISTS:
        if key in fields:
            raise TraceFormatError(
                where,
                f"a record of the format {FORMAT}",
                fields,
                f"a message with {key!r} is of another format: take the mixture apart",
            )
    if "type" not in fields and "role" in fields:
        for at, block in enumerate(objects_in(fields.get("content"))):
            refuse_foreign(block, FORMAT, f"{where}.content[{at}]")
    elif kind in ("human", "system"):
        for at, block in enumerate(objects_in(fields.get("content"))):
            refuse_foreign_part(block, kind, f"{where}.content[{at}]")
