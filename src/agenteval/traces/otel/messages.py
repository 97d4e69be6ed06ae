"""The messages in spans: those of the GenAI conventions, OpenAI's, and what stands for one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from agenteval.traces.call_shapes import refuse_call, refuse_held
from agenteval.traces.endings import says_failed
from agenteval.traces.otel.parts import (
    has_results,
    is_part,
    read_call,
    read_content,
    read_part,
)
from agenteval.traces.otel.said import Asked, Result, Said
from agenteval.traces.otel.texts import block_words
from agenteval.traces.reading import (
    identifier,
    mapping,
    optional_mapping,
    optional_sequence,
    optional_text,
    plain,
    sequence,
)

__all__ = ["genai_messages", "openai_message", "read_calls"]

_CALL_FIELDS = ("tool_calls", "function_call")
_LANGCHAIN = ("kwargs", "data")
_TOOLS = ("tool", "function")
_SAID = ("content", *_CALL_FIELDS)


def genai_messages(raw: Any, where: str) -> list[Said]:
    """Read messages of the GenAI conventions: a role and parts each.

    Raises:
        TraceFormatError: A message or a part has the wrong kind, or a call would be lost.
    """
    found = []
    for at, one in enumerate(sequence(raw, where)):
        place = f"{where}[{at}]"
        message = mapping(one, place)
        if "parts" not in message:
            found.append(openai_message(message, place))
            continue
        said = Said(optional_text(message.get("role"), f"{place}.role") or "assistant")
        said.finish = optional_text(message.get("finish_reason"), f"{place}.finish_reason")
        for within, part in enumerate(optional_sequence(message["parts"], f"{place}.parts")):
            inner = f"{place}.parts[{within}]"
            read_part(mapping(part, inner), said, inner)
        refuse_call({"content": message.get("content")}, place)
        read_calls(message, said, place)
        found.append(said)
    return found


def openai_message(message: Mapping[str, Any], where: str) -> Said:
    """Read a message in OpenAI's shape, which older conventions and events use.

    Its content may also be a list of blocks: Bedrock's ``toolUse``, Anthropic's ``tool_use``.

    Raises:
        TraceFormatError: A field has the wrong kind, or a call would be lost.
    """
    for key in _LANGCHAIN:
        inner = plain(message.get(key))
        if isinstance(inner, Mapping) and "content" in inner and "content" not in message:
            return openai_message(inner, f"{where}.{key}")
    role = optional_text(message.get("role"), f"{where}.role")
    said = Said(role or "assistant")
    said.finish = optional_text(message.get("finish_reason"), f"{where}.finish_reason")
    if role is None and is_part(message):
        read_part(message, said, where)
        return said
    content = plain(message.get("content"))
    call_id = message.get("tool_call_id")
    if (call_id is not None or role in _TOOLS) and not has_results(content):
        said.results.append(_result(message, role, where))
        return said
    read_content(content, said, f"{where}.content")
    read_calls(message, said, where)
    refusal = optional_text(message.get("refusal"), f"{where}.refusal")
    if refusal:
        said.refuse(refusal)
    refuse_call({key: one for key, one in message.items() if key not in _SAID}, where)
    return said


def _result(message: Mapping[str, Any], role: str | None, where: str) -> Result:
    call_id = message.get("tool_call_id")
    own = identifier(message.get("id") if call_id is None else call_id, f"{where}.id")
    named = message.get("name") if role == "function" else None  # of OpenAI's older API
    return Result(
        own,
        block_words(plain(message.get("content"))),
        name=optional_text(named, f"{where}.name"),
        error=says_failed(message.get("status")) or None,  # LangChain's tool messages
    )


def read_calls(message: Mapping[str, Any], said: Said, where: str) -> None:
    """Read the calls that a message has in a field of its own.

    Libraries that keep a provider's blocks list their calls a second time there.

    Raises:
        TraceFormatError: A field has the wrong kind, or a call stands in one that is not known.
    """
    blocks = _Shown(said.calls)
    beside = Said(said.role)
    place = f"{where}.tool_calls"
    for at, one in enumerate(optional_sequence(message.get("tool_calls"), place)):
        read_call(mapping(one, f"{place}[{at}]"), beside, f"{place}[{at}]")
    place = f"{where}.function_call"
    legacy = optional_mapping(message.get("function_call"), place)
    if legacy:
        read_call(legacy, beside, place)
    for asked in beside.calls:
        if not blocks.take(asked):
            said.ask(asked.name, asked.arguments, asked.id)
    refuse_held(message, _CALL_FIELDS, where)


class _Shown:
    """Calls that blocks of a message show, each of which its own list may repeat once."""

    def __init__(self, calls: Iterable[Asked]) -> None:
        calls = list(calls)
        self._ids = Counter(one.id for one in calls if one.id is not None)
        self._without = [one for one in calls if one.id is None]
        self._all = calls

    def take(self, asked: Asked) -> bool:
        """Take the block that shows a call; say whether there is one.

        It has the same id; where one of the two has none, the same name and arguments.
        """
        if asked.id is not None and self._ids[asked.id]:
            self._ids[asked.id] -= 1
            return True
        among = self._all if asked.id is None else self._without
        for at, one in enumerate(among):
            if one.name == asked.name and one.same() == asked.same():
                del among[at]
                return True
        return False
