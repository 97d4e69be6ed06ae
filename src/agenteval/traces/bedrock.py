"""Amazon Bedrock Converse: message lists and whole responses; Strands stores the same shape.

Where a call lives: a content block ``toolUse``; its result is a block ``toolResult`` with the
``status`` ``error`` when the tool failed. A ``toolUse`` of the type ``server_tool_use`` is run by
the provider and no call of the agent's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenteval.records import AgentResult
from agenteval.traces.call_shapes import refuse_call, refuse_held
from agenteval.traces.endings import kept_reason, reason_in, says_failed, status_of_reason
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
    optional_mapping,
    optional_sequence,
    optional_text,
    parts_text,
    plain,
    sequence,
    spoken,
    text,
    without_role,
)
from agenteval.traces.recorder import IsError, Recorder

__all__ = ["FORMAT", "from_bedrock", "looks_like"]

FORMAT = "bedrock"

_ROLES = ("user", "assistant", "system", "tool")


def looks_like(trace: Any) -> Likeness:
    """Say how much a trace looks like Converse messages."""
    trace = spoken(trace)
    likeness: Likeness = NO
    for message in objects_in(trace):
        output = plain(message.get("output"))
        if isinstance(output, Mapping) and "message" in output:
            return CERTAIN
        if "role" not in message:
            continue
        for block in objects_in(message.get("content")):
            if part_mark(block) == FORMAT:
                return CERTAIN
            if "text" in block and "type" not in block:
                likeness = POSSIBLE
    return likeness


def from_bedrock(trace: Any, *, is_error: IsError | None = None) -> AgentResult:
    """Read Bedrock Converse messages: which calls the agent made, and what it answered.

    Args:
        trace: A list of messages; a dict with ``messages``, which may have the response beside
            them or under ``response``; a whole Converse response, or a list in which such stand.
        is_error: A predicate on a result's text that tells failures which the tool did not mark
            with the status ``error``.

    Returns:
        `AgentResult` with ``status``, ``answer``, ``tool_calls``, ``tools_used``, ``calls`` and
        ``trace``.

    Raises:
        TraceFormatError: It is no such trace, a record inside has the wrong kind, or it mixes
            formats.

    >>> call = {"toolUse": {"toolUseId": "t1", "name": "convert", "input": {"value": 5}}}
    >>> from_bedrock([{"role": "assistant", "content": [call]}])["calls"]
    [Call(name='convert', args={'value': 5}, error=None)]
    """
    function = "from_bedrock"
    whole = opened(trace, function, "Converse messages or a Converse response")
    recorder = Recorder(FORMAT, is_error=is_error)
    for message, where in messages_in(whole, function, ("role", "output")):
        if "output" in message:
            _read_response(message, recorder, where)
        else:
            _read_message(message, recorder, where)
    if isinstance(whole, Mapping) and "messages" in whole:
        _note_reason(kept_reason(whole), recorder)
    return recorder.finish(trace)


def _read_response(response: Mapping[str, Any], recorder: Recorder, where: str) -> None:
    output = mapping(response["output"], f"{where}.output")
    for record, place in ((response, where), (output, f"{where}.output")):
        refuse_held(record, (), place)
    where_message = f"{where}.output.message"
    _read_message(mapping(output.get("message"), where_message), recorder, where_message)
    _note_reason(reason_in(response, "stopReason", where), recorder)


def _note_reason(reason: str | None, recorder: Recorder) -> None:
    stopped = status_of_reason(reason)
    if stopped is not None:
        recorder.stop(stopped)


def _read_message(message: Mapping[str, Any], recorder: Recorder, where: str) -> None:
    role = message.get("role")
    if role not in _ROLES:
        hint = without_role(message) if role is None else ""
        raise TraceFormatError(f"{where}.role", f"one of {', '.join(_ROLES)}", role, hint)
    refuse_foreign(message, FORMAT, where)
    refuse_held(message, (), where)
    if role == "assistant":
        recorder.turn(whole=True)
    for at, one in enumerate(sequence(message.get("content"), f"{where}.content")):
        place = f"{where}.content[{at}]"
        _read_block(mapping(one, place), role, recorder, place)
    if role == "assistant":
        _note_reason(reason_in(message, "stopReason", where), recorder)


def _read_block(block: Mapping[str, Any], role: str, recorder: Recorder, where: str) -> None:
    if all(value is None for value in block.values()):
        raise TraceFormatError(where, "a content block with something in it", block)
    call = optional_mapping(block.get("toolUse"), f"{where}.toolUse")
    result = optional_mapping(block.get("toolResult"), f"{where}.toolResult")
    if call is None and result is None:
        refuse_foreign(block, FORMAT, where)
        refuse_call(block, where)
        if role == "user":
            recorder.user()
    if role == "assistant":
        _read_text(block, recorder, where)
    if call is not None:
        _read_call(call, recorder, f"{where}.toolUse")
    if result is not None:
        _read_result(result, recorder, f"{where}.toolResult")


def _read_text(block: Mapping[str, Any], recorder: Recorder, where: str) -> None:
    recorder.text(optional_text(block.get("text"), f"{where}.text") or "")
    if block.get("citationsContent") is not None:
        place = f"{where}.citationsContent"
        cited = mapping(block["citationsContent"], place)
        recorder.text(parts_text(cited.get("content"), f"{place}.content"))


def _read_call(call: Mapping[str, Any], recorder: Recorder, where: str) -> None:
    name = text(call.get("name"), f"{where}.name")
    call_id = identifier(call.get("toolUseId"), f"{where}.toolUseId")
    if call.get("type") == "server_tool_use":
        recorder.hosted(name, call_id)
    else:
        recorder.call(name, call.get("input"), call_id)


def _read_result(result: Mapping[str, Any], recorder: Recorder, where: str) -> None:
    status = optional_text(result.get("status"), f"{where}.status")
    pieces = []
    for at, one in enumerate(optional_sequence(result.get("content"), f"{where}.content")):
        place = f"{where}.content[{at}]"
        part = mapping(one, place)
        if "json" in part:
            pieces.append(json_text(part["json"]))
        else:
            pieces.append(optional_text(part.get("text"), f"{place}.text") or "")
    call_id = identifier(result.get("toolUseId"), f"{where}.toolUseId")
    failed = says_failed(status) or flag(either(result, "isError", "is_error"), f"{where}.is_error")
    recorder.result(call_id, text="".join(pieces), error=failed)
