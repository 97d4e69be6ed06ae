"""The calls of one LangChain message: where they stand, and each of them told once.

A message lists its calls in ``tool_calls`` and ``invalid_tool_calls``, may keep the provider's own
copy under ``additional_kwargs``, and may repeat them as blocks of its content.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from agenteval.traces.built_in_tools import BUILT_IN, built_in_arguments, runs_in_container
from agenteval.traces.call_shapes import refuse_call, refuse_held
from agenteval.traces.errors import TraceFormatError
from agenteval.traces.marks import objects_in
from agenteval.traces.reading import (
    identifier,
    mapping,
    optional_mapping,
    optional_sequence,
    optional_text,
    plain,
    text,
)
from agenteval.traces.recorder import Recorder

__all__ = ["CALL_FIELDS", "MadeCall", "MessageCalls", "made_calls", "refuse_calls"]

_BLOCKS = (
    "tool_call",
    "tool_use",
    "mcp_tool_use",  # a tool of the user's own server
    "function_call",
    "custom_tool_call",
    "invalid_tool_call",
)
_BUILT_IN = BUILT_IN.keys() - {"tool_search_call"}
_LISTS = ("tool_calls", "invalid_tool_calls")
CALL_FIELDS = ("tool_calls", "invalid_tool_calls", "function_call", "tool_call_chunks")
"""The fields of a message, or of what the provider sent beside it, whose calls are read."""

_UNNAMED = "invalid_tool_call"
_INVALID = "the call was invalid"
_NO_ARGUMENTS: tuple[Any, ...] = (None, "", {}, "{}")


class MadeCall:
    """One call of a message, told to the recorder once, wherever it stands first.

    ``id``, ``name``, ``arguments`` and ``error`` are as the message has them; ``empty`` says that
    it is a placeholder and no call.
    """

    def __init__(self, fields: Mapping[str, Any], where: str, *, invalid: bool) -> None:
        function = optional_mapping(fields.get("function"), f"{where}.function")
        inner = fields if function is None else function
        name = optional_text(inner.get("name"), f"{where}.name")
        found = (inner[key] for key in ("args", "arguments", "input") if key in inner)
        self.arguments = next(found, None)
        self.id = identifier(fields.get("call_id", fields.get("id")), f"{where}.id")
        self.empty = not name and self.id is None and plain(self.arguments) in _NO_ARGUMENTS
        self.name = name or _UNNAMED if invalid or self.empty else text(name, f"{where}.name")
        self.error: str | None = None
        if invalid:
            self.error = optional_text(fields.get("error"), f"{where}.error") or _INVALID
        self.told = False

    def tell(self, recorder: Recorder) -> None:
        """Tell a recorder of the call, the first time."""
        if not self.told:
            self.told = True
            recorder.call(self.name, self.arguments, self.id, error=self.error)


class MessageCalls:
    """The calls that an AI message lists beside its content, which may repeat them as blocks.

    Args:
        fields: The message's fields.
        where: Its place, for messages.

    Raises:
        TraceFormatError: A call in a list has the wrong kind.
    """

    def __init__(self, fields: Mapping[str, Any], where: str) -> None:
        self._listed = [call for call in _listed(fields, where) if not call.empty]
        self._ids = {call.id for call in self._listed}
        self._waiting: dict[tuple[str | int | None, str], deque[MadeCall]] = {}
        for call in self._listed:
            self._waiting.setdefault((call.id, call.name), deque()).append(call)

    def tell(self, recorder: Recorder) -> None:
        """Tell of all that are listed and were not told of as blocks."""
        for call in self._listed:
            call.tell(recorder)

    def tell_block(self, block: Mapping[str, Any], where: str, recorder: Recorder) -> bool:
        """Tell of the call that a block of the content is, and say whether it is one.

        A block that repeats a listed call tells of that one, in the block's place.
        """
        call = _block_call(block, where)
        if call is None:
            return False
        waiting = self._waiting.get((call.id, call.name))
        if waiting:
            waiting.popleft().tell(recorder)
        elif not call.empty and (call.id is None or call.id not in self._ids):
            call.tell(recorder)
        return True

    def has(self, block: Mapping[str, Any], where: str) -> bool:
        """Say whether a block of another kind is of a call that is told of, such as a piece."""
        value = block.get("call_id", block.get("id"))
        return value is not None and identifier(value, f"{where}.id") in self._ids


def refuse_calls(fields: Mapping[str, Any], where: str, *, asks: bool) -> None:
    """Raise where a message that is no AI message holds calls.

    Args:
        fields: The message's fields.
        where: Its place, for messages.
        asks: Whether the message asks the agent something; the content of a result is the tool's
            own, and may have any shape.

    Raises:
        TraceFormatError: It holds a call, which would be lost.
    """
    if made_calls(fields, where, in_content=asks):
        raise TraceFormatError(where, "calls in a message of type ai", fields)
    extra = optional_mapping(fields.get("additional_kwargs"), f"{where}.additional_kwargs") or {}
    for holder, place in ((extra, f"{where}.additional_kwargs"), (fields, where)):
        refuse_held(holder, (), place)
    if asks:
        for at, block in enumerate(objects_in(fields.get("content"))):
            refuse_call(block, f"{where}.content[{at}]")


def made_calls(fields: Mapping[str, Any], where: str, *, in_content: bool = True) -> list[MadeCall]:
    """Return the calls that a message makes, each once.

    Args:
        fields: The message's fields.
        where: Its place, for messages.
        in_content: Whether its content can hold calls; that of a result is data.
    """
    found = [call for call in _listed(fields, where) if not call.empty]
    ids = {call.id for call in found}
    content = plain(fields.get("content"))
    if in_content and isinstance(content, (list, tuple)):
        for at, one in enumerate(content):
            block = plain(one)
            if isinstance(block, Mapping):
                call = _block_call(block, f"{where}.content[{at}]")
                if call is not None and not call.empty and call.id not in ids:
                    found.append(call)
    return found


def _listed(fields: Mapping[str, Any], where: str) -> list[MadeCall]:
    """Return the calls that a message lists, the provider's copies only where it lists none.

    LangChain itself reads the copies where both its lists are empty. Some gateways fill every
    field: a copy with neither name nor id nor arguments is a placeholder, and no call.
    """
    calls = [
        MadeCall(mapping(one, place), place, invalid=key == "invalid_tool_calls")
        for key in _LISTS
        for at, one in enumerate(optional_sequence(fields.get(key), f"{where}.{key}"))
        for place in [f"{where}.{key}[{at}]"]
    ]
    if all(call.empty for call in calls):
        return list(_copies(fields, where))
    if all(fields.get(key) for key in _LISTS):
        return _as_made(calls, fields)
    return calls


def _as_made(calls: list[MadeCall], fields: Mapping[str, Any]) -> list[MadeCall]:
    """Return the calls of both lists in the order of the provider's own copy, which is one list."""
    extra = plain(fields.get("additional_kwargs"))
    copies = objects_in(extra.get("tool_calls")) if isinstance(extra, Mapping) else ()
    place = {str(copy.get("id")): at for at, copy in enumerate(copies)}
    known = [one for one in calls if str(one.id) in place]
    ordered = iter(sorted(known, key=lambda one: place[str(one.id)]))
    return [next(ordered) if str(one.id) in place else one for one in calls]


def _copies(fields: Mapping[str, Any], where: str) -> Iterator[MadeCall]:
    place = f"{where}.additional_kwargs"
    extra = optional_mapping(fields.get("additional_kwargs"), place) or {}
    found = False
    for at, one in enumerate(optional_sequence(extra.get("tool_calls"), f"{place}.tool_calls")):
        call = MadeCall(
            mapping(one, f"{place}.tool_calls[{at}]"), f"{place}.tool_calls[{at}]", invalid=False
        )
        found = found or not call.empty
        yield call
    for holder, there in ((extra, place), (fields, where)):  # OpenAI's style has it in the message
        legacy = optional_mapping(holder.get("function_call"), f"{there}.function_call")
        if legacy is not None and not found:
            call = MadeCall(legacy, f"{there}.function_call", invalid=False)
            found = not call.empty
            yield call


def _block_call(block: Mapping[str, Any], where: str) -> MadeCall | None:
    """Return the call that a block of a message's content is, or ``None``."""
    kind = block.get("type")
    if kind in _BLOCKS:
        return MadeCall(block, where, invalid=kind == "invalid_tool_call")
    if kind == "non_standard":  # carries a block that LangChain's standard has no word for
        value = plain(block.get("value"))
        return _block_call(value, f"{where}.value") if isinstance(value, Mapping) else None
    if isinstance(kind, str) and kind in _BUILT_IN and not runs_in_container(block, where):
        action = {"name": kind.removesuffix("_call"), "args": built_in_arguments(block, kind)}
        ids = {key: block[key] for key in ("call_id", "id") if key in block}
        return MadeCall({**action, **ids}, where, invalid=False)
    return None
