"""LangChain and LangGraph: messages in every style that they are dumped in, states and updates.

Where a call lives: ``tool_calls`` and ``invalid_tool_calls`` of an AI message; where both are
empty, the provider's own copy under ``additional_kwargs``, as LangChain itself reads it; and
content blocks. Results are tool messages; ``status: "error"`` says that the tool failed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from agenteval.records import AgentResult
from agenteval.traces.endings import status_of_reason
from agenteval.traces.langchain_shapes import Message, interrupted, is_langchain, read_messages
from agenteval.traces.marks import CERTAIN, NO, Likeness, part_mark, refuse_foreign
from agenteval.traces.reading import (
    identifier,
    json_text,
    mapping,
    opened,
    optional_mapping,
    optional_sequence,
    optional_text,
    plain,
    text,
)
from agenteval.traces.recorder import INCOMPLETE, IsError, Recorder

__all__ = ["FORMAT", "from_langchain", "looks_like"]

FORMAT = "langchain"

_CALL_BLOCKS = (
    "tool_call",
    "tool_use",
    "function_call",
    "custom_tool_call",
    "invalid_tool_call",
)
_HOSTED_BLOCKS = ("server_tool_call", "server_tool_use", "mcp_tool_use")
_TEXT_BLOCKS = ("text", "output_text")
_UNNAMED = "invalid_tool_call"
_INVALID = "the call was invalid"


def looks_like(trace: Any) -> Likeness:
    """Say how much a trace looks like LangChain messages or LangGraph states."""
    return CERTAIN if is_langchain(trace) else NO


def from_langchain(trace: Any, *, is_error: IsError | None = None) -> AgentResult:
    """Read LangChain messages or a LangGraph run: which tools were called, what was answered.

    Args:
        trace: Messages (a list, or a state with ``messages``) as message objects, or as
            ``model_dump``, ``messages_to_dict``, ``dumpd`` or LangChain.js wrote them; or what a
            graph streamed, ``updates`` or ``values``. Chunks of one message are put together.
        is_error: A predicate on a result's text that says whether the tool failed. A result of
            status ``"error"`` is one without it.

    Returns:
        `AgentResult` with ``status``, ``answer``, ``tool_calls``, ``tools_used``, ``calls`` and
        ``trace``. A call of ``invalid_tool_calls`` is kept with its error.

    Raises:
        TraceFormatError: It is no such trace, a record inside has the wrong kind, or it mixes
            formats.

    >>> result = from_langchain(
    ...     {
    ...         "messages": [
    ...             {"type": "human", "content": "Add milk."},
    ...             {
    ...                 "type": "ai",
    ...                 "content": "",
    ...                 "tool_calls": [{"name": "add", "args": {"item": "milk"}, "id": "c1"}],
    ...             },
    ...             {"type": "tool", "tool_call_id": "c1", "status": "error", "content": "full"},
    ...             {"type": "ai", "content": "The list is full."},
    ...         ]
    ...     }
    ... )
    >>> result["status"], result["calls"]
    ('final', [Call(name='add', args={'item': 'milk'}, error='full')])
    """
    wanted = "LangChain messages, a LangGraph state, or streamed updates"
    whole = opened(trace, "from_langchain", wanted)
    recorder = Recorder(FORMAT, is_error=is_error)
    for message in read_messages(whole, "from_langchain"):
        _read_message(message, recorder)
    if interrupted(whole):
        recorder.stop(INCOMPLETE)
    return recorder.finish()


def _read_message(message: Message, recorder: Recorder) -> None:
    if message.kind == "ai":
        recorder.turn()
        _read_ai(message.fields, message.where, recorder)
    elif message.kind in ("tool", "function"):
        _read_result(message.fields, message.where, recorder)
    elif message.kind == "human":
        recorder.user()


def _read_result(fields: Mapping[str, Any], where: str, recorder: Recorder) -> None:
    status = optional_text(fields.get("status"), f"{where}.status")
    recorder.result(
        identifier(fields.get("tool_call_id"), f"{where}.tool_call_id"),
        name=optional_text(fields.get("name"), f"{where}.name"),
        text=_content_text(fields.get("content"), f"{where}.content"),
        error=True if status == "error" else None,
    )


def _content_text(content: Any, where: str) -> str:
    content = plain(content)
    if not isinstance(content, Sequence) or isinstance(content, str):
        return json_text(content)
    pieces = []
    for at, one in enumerate(content):
        block = {"text": one} if isinstance(one, str) else mapping(one, f"{where}[{at}]")
        pieces.append(optional_text(block.get("text"), f"{where}[{at}].text") or "")
    return "".join(pieces)


def _read_ai(fields: Mapping[str, Any], where: str, recorder: Recorder) -> None:
    extra = optional_mapping(fields.get("additional_kwargs"), f"{where}.additional_kwargs") or {}
    calls = _Listed(_listed_calls(fields, extra, where))
    content = plain(fields.get("content"))
    if isinstance(content, str):
        recorder.text(content)
    else:
        place = f"{where}.content"
        for at, one in enumerate(optional_sequence(content, place)):
            _read_block(one, calls, f"{place}[{at}]", recorder)
    for call in calls.calls:
        call.tell(recorder)
    refusal = optional_text(extra.get("refusal"), f"{where}.additional_kwargs.refusal")
    if refusal:
        recorder.refusal(refusal)
    status = status_of_reason(_reason(fields, where))
    if status is not None:
        recorder.stop(status)


def _reason(fields: Mapping[str, Any], where: str) -> str | None:
    place = f"{where}.response_metadata"
    metadata = optional_mapping(fields.get("response_metadata"), place) or {}
    for key in ("finish_reason", "stop_reason", "stopReason", "finishReason"):
        if metadata.get(key) is not None:
            return optional_text(metadata[key], f"{place}.{key}")
    return None


class _Call:
    """One call of a message, told to the recorder once, wherever it stands first."""

    def __init__(self, fields: Mapping[str, Any], where: str, *, invalid: bool) -> None:
        function = optional_mapping(fields.get("function"), f"{where}.function")
        inner = fields if function is None else function
        name = optional_text(inner.get("name"), f"{where}.name")
        self.name = name or _UNNAMED if invalid else text(name, f"{where}.name")
        found = (inner[key] for key in ("args", "arguments", "input") if key in inner)
        self.arguments = next(found, None)
        self.id = identifier(fields.get("call_id", fields.get("id")), f"{where}.id")
        self.error: str | None = None
        if invalid:
            self.error = optional_text(fields.get("error"), f"{where}.error") or _INVALID
        self.told = False

    def tell(self, recorder: Recorder) -> None:
        if not self.told:
            self.told = True
            recorder.call(self.name, self.arguments, self.id, error=self.error)


class _Listed:
    """The calls that a message lists beside its content, which may repeat them as blocks."""

    def __init__(self, calls: list[_Call]) -> None:
        self.calls = calls
        self.ids = {call.id for call in calls}
        self.by_name: dict[tuple[str | int | None, str], deque[_Call]] = {}
        for call in calls:
            self.by_name.setdefault((call.id, call.name), deque()).append(call)


def _listed_calls(fields: Mapping[str, Any], extra: Mapping[str, Any], where: str) -> list[_Call]:
    """Return the calls that a message lists beside its content."""
    calls = [
        _Call(mapping(one, place), place, invalid=key == "invalid_tool_calls")
        for key in ("tool_calls", "invalid_tool_calls")
        for at, one in enumerate(optional_sequence(fields.get(key), f"{where}.{key}"))
        for place in [f"{where}.{key}[{at}]"]
    ]
    if calls:
        return calls
    place = f"{where}.additional_kwargs.tool_calls"
    copies = optional_sequence(extra.get("tool_calls"), place)
    calls = [
        _Call(mapping(one, f"{place}[{at}]"), f"{place}[{at}]", invalid=False)
        for at, one in enumerate(copies)
    ]
    place = f"{where}.additional_kwargs.function_call"
    legacy = optional_mapping(extra.get("function_call"), place)
    if legacy is not None and not calls:
        calls.append(_Call(legacy, place, invalid=False))
    return calls


def _read_block(one: Any, calls: _Listed, where: str, recorder: Recorder) -> None:
    if isinstance(one, str):
        recorder.text(one)
        return
    block = mapping(one, where)
    if part_mark(block) in ("bedrock", "gemini", "vercel_ai"):
        refuse_foreign(block, FORMAT, where)
    kind = optional_text(block.get("type"), f"{where}.type") or "text"
    if kind in _TEXT_BLOCKS:
        recorder.text(optional_text(block.get("text"), f"{where}.text") or "")
    elif kind == "refusal":
        recorder.refusal(text(block.get("refusal"), f"{where}.refusal"))
    elif kind in _CALL_BLOCKS:
        _told_or_new(_Call(block, where, invalid=kind == "invalid_tool_call"), calls, recorder)
    elif kind in _HOSTED_BLOCKS:
        recorder.hosted(text(block.get("name"), f"{where}.name"))
    elif kind == "executable_code":
        recorder.hosted("code_execution")
    elif kind.endswith("_call"):  # the Responses API's own tools, such as web_search_call
        recorder.hosted(kind.removesuffix("_call"))


def _told_or_new(block: _Call, calls: _Listed, recorder: Recorder) -> None:
    """Tell of the listed call that a block repeats, in its place, or of the block's own."""
    waiting = calls.by_name.get((block.id, block.name))
    if waiting:
        waiting.popleft().tell(recorder)
    elif block.id is None or block.id not in calls.ids:
        block.tell(recorder)
