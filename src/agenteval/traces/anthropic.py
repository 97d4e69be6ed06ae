"""Anthropic Messages: message lists and whole responses.

Where a call lives: a content block ``tool_use``; its result is a block ``tool_result`` of a later
message, with ``is_error`` when the tool failed. ``server_tool_use`` is run by the provider and no
call of the agent's; ``mcp_tool_use`` names a tool of the user's own server and is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenteval.records import AgentResult
from agenteval.traces.call_shapes import refuse_call, refuse_held
from agenteval.traces.encoded import refuse_encoded
from agenteval.traces.endings import kept_reason, reason_in, status_of_reason
from agenteval.traces.errors import TraceFormatError
from agenteval.traces.marks import (
    CERTAIN,
    NO,
    POSSIBLE,
    Likeness,
    objects_in,
    part_mark,
    refuse_foreign,
)
from agenteval.traces.reading import (
    either,
    flag,
    identifier,
    json_text,
    mapping,
    messages_in,
    opened,
    parts_text,
    plain,
    sequence,
    spoken,
    text,
    without_role,
)
from agenteval.traces.recorder import INCOMPLETE, IsError, Recorder

__all__ = ["FORMAT", "from_anthropic", "looks_like"]

FORMAT = "anthropic"

_ROLES = ("user", "assistant", "system", "tool")


def looks_like(trace: Any) -> Likeness:
    """Say how much a trace looks like Anthropic messages."""
    trace = spoken(trace)
    likeness: Likeness = NO
    for message in objects_in(trace):
        if "role" not in message:
            continue
        if _is_whole(message):
            return CERTAIN
        kinds = []
        for block in objects_in(message.get("content")):
            if part_mark(block) == FORMAT:
                return CERTAIN
            kinds.append(block.get("type"))
        if message.get("role") == "assistant" and ("text" in kinds or "thinking" in kinds):
            likeness = POSSIBLE
    if any(message.get("role") not in _ROLES for message in objects_in(trace)):
        return NO
    return likeness


def _is_whole(message: Mapping[str, Any]) -> bool:
    """Say whether a message is what the API returns; those of a request have no such fields."""
    return message.get("type") == "message" and "stop_reason" in message


def from_anthropic(trace: Any, *, is_error: IsError | None = None) -> AgentResult:
    """Read Anthropic messages: which calls the agent made, and what it answered.

    Args:
        trace: A list of messages; a dict with ``messages``, which may have the response beside
            them or under ``response``; a whole Message, or a list in which such stand; as parsed
            JSON or as the SDK's objects.
        is_error: A predicate on a result's text that tells failures which the tool did not mark
            with ``is_error``.

    Returns:
        `AgentResult` with ``status``, ``answer``, ``tool_calls``, ``tools_used``, ``calls`` and
        ``trace``. A whole Message without a ``stop_reason`` is what there was of a stream when it
        broke off: ``"incomplete"``.

    Raises:
        TraceFormatError: It is no such trace, a record inside has the wrong kind, or it mixes
            formats.

    >>> call = {"type": "tool_use", "id": "t1", "name": "delete", "input": {"path": "x"}}
    >>> failed = {"type": "tool_result", "tool_use_id": "t1", "content": "no x", "is_error": True}
    >>> result = from_anthropic(
    ...     [
    ...         {"role": "assistant", "content": [call]},
    ...         {"role": "user", "content": [failed]},
    ...         {"role": "assistant", "content": "There is no x."},
    ...     ]
    ... )
    >>> result["status"], result["answer"], result["calls"]
    ('final', 'There is no x.', [Call(name='delete', args={'path': 'x'}, error='no x')])
    """
    function = "from_anthropic"
    whole = opened(trace, function, "Anthropic messages or a Message")
    recorder = Recorder(FORMAT, is_error=is_error)
    for message, where in messages_in(whole, function):
        _read_message(message, recorder, where)
    if isinstance(whole, Mapping) and "messages" in whole:
        stopped = status_of_reason(kept_reason(whole))
        if stopped is not None:
            recorder.stop(stopped)
    return recorder.finish(trace)


def _read_message(message: Mapping[str, Any], recorder: Recorder, where: str) -> None:
    role = message.get("role")
    if role not in _ROLES:
        hint = without_role(message) if role is None else ""
        raise TraceFormatError(f"{where}.role", f"one of {', '.join(_ROLES)}", role, hint)
    refuse_foreign(message, FORMAT, where)
    refuse_held(message, (), where)
    if role == "assistant":
        recorder.turn(whole=True)
    content = plain(message.get("content"))
    if isinstance(content, str):
        refuse_encoded(content, f"{where}.content", by_user=role != "assistant")
        content = [{"type": "text", "text": content}]
    for at, one in enumerate(sequence(content, f"{where}.content")):
        _read_block(
            mapping(one, f"{where}.content[{at}]"), role, recorder, f"{where}.content[{at}]"
        )
    reason = reason_in(message, "stop_reason", where)
    stopped = status_of_reason(reason)
    if reason is None and role == "assistant" and _is_whole(message):
        stopped = INCOMPLETE  # what there was of a stream when it broke off
    if stopped is not None:
        recorder.stop(stopped)


def _read_block(block: Mapping[str, Any], role: str, recorder: Recorder, where: str) -> None:
    kind = text(block.get("type"), f"{where}.type")
    if kind == "text":
        said = text(block.get("text"), f"{where}.text")
        if role == "assistant":
            recorder.text(said)
        elif role == "user":
            recorder.user()
    elif kind in ("tool_use", "mcp_tool_use"):
        name = text(block.get("name"), f"{where}.name")
        recorder.call(name, block.get("input"), identifier(block.get("id"), f"{where}.id"))
    elif kind in ("tool_result", "mcp_tool_result"):
        _read_result(block, recorder, where)
    elif kind == "server_tool_use":
        name = text(block.get("name"), f"{where}.name")
        recorder.hosted(name, identifier(block.get("id"), f"{where}.id"))
    else:  # images, thinking, results of hosted tools, new kinds: no call and no answer
        refuse_foreign(block, FORMAT, where)
        refuse_call(block, where)
        if kind in ("image", "document") and role == "user":
            recorder.user()


def _read_result(block: Mapping[str, Any], recorder: Recorder, where: str) -> None:
    error = flag(either(block, "isError", "is_error"), f"{where}.is_error")
    content = plain(block.get("content"))
    result = (
        json_text(content)
        if isinstance(content, Mapping)
        else parts_text(content, f"{where}.content")
    )
    call_id = identifier(block.get("tool_use_id"), f"{where}.tool_use_id")
    recorder.result(call_id, text=result, error=error)
