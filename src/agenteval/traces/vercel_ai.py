"""Vercel AI SDK: model messages and UI messages.

Where a call lives: in model messages a part ``tool-call``, paired with a part ``tool-result`` by
``toolCallId``; in UI messages one part, ``tool-`` and the tool's name or ``dynamic-tool``, that is
call and result in one and says with its ``state`` how far it has come. Outputs of the types
``error-text``, ``error-json`` and ``execution-denied``, and the states ``output-error`` and
``output-denied``, tell that the tool failed; so does ``isError`` of the SDK's fourth version.
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
    message_mark,
    objects_in,
    part_mark,
    refuse_foreign,
)
from agenteval.traces.reading import (
    flag,
    identifier,
    json_text,
    mapping,
    messages_in,
    opened,
    optional_sequence,
    optional_text,
    plain,
    sequence,
    spoken,
    text,
    without_role,
)
from agenteval.traces.recorder import INCOMPLETE, IsError, Recorder

__all__ = ["FORMAT", "from_vercel_ai", "looks_like"]

FORMAT = "vercel_ai"

_ROLES = ("system", "user", "assistant", "tool", "data")
_FAILED_OUTPUTS = ("error-text", "error-json", "execution-denied")
_MODEL_PARTS = (  # a tool of such a name has the same type in a UI message, but with a state
    "tool-call",
    "tool-result",
    "tool-error",
    "tool-approval-request",
    "tool-approval-response",
    "tool-invocation",
)
_DENIED = "the user denied the call"


def looks_like(trace: Any) -> Likeness:
    """Say how much a trace looks like messages of the AI SDK."""
    if isinstance(trace, Mapping) and "messages" in trace and "finishReason" in trace:
        return CERTAIN
    trace = spoken(trace)
    likeness: Likeness = NO
    for message in objects_in(trace):
        if message_mark(message) == FORMAT:
            return CERTAIN
        if message.get("role") not in _ROLES:
            continue
        for key in ("parts", "content"):
            for part in objects_in(message.get(key)):
                if part_mark(part) == FORMAT:
                    return CERTAIN
                if part.get("type") == "text" and "text" in part:
                    if key == "parts":
                        return CERTAIN
                    likeness = POSSIBLE
    return likeness


def from_vercel_ai(trace: Any, *, is_error: IsError | None = None) -> AgentResult:
    """Read messages of the Vercel AI SDK: which calls the agent made, and what it answered.

    Args:
        trace: A list of model messages or UI messages, or a dict with ``messages``, which may have
            what `generateText` returned beside them (its ``response`` with ``messages``). A
            ``finishReason`` beside them, or in a message, tells of a reply that was stopped.
        is_error: A predicate on a result's text that tells failures which the SDK did not mark.

    Returns:
        `AgentResult` with ``status``, ``answer``, ``tool_calls``, ``tools_used``, ``calls`` and
        ``trace``. Tools that the provider executed are in ``trace["hosted"]``.

    Raises:
        TraceFormatError: It is no such trace, a record inside has the wrong kind, or it mixes
            formats.

    >>> part = {"type": "tool-price", "toolCallId": "t1", "state": "output-available"}
    >>> part |= {"input": {"good": "tea"}, "output": {"eur": 3}}
    >>> from_vercel_ai([{"role": "assistant", "parts": [part]}])["calls"]
    [Call(name='price', args={'good': 'tea'}, error=None)]
    """
    function = "from_vercel_ai"
    whole = opened(trace, function, "messages of the Vercel AI SDK")
    recorder = Recorder(FORMAT, is_error=is_error)
    for message, where in messages_in(whole, function):
        _read_message(message, recorder, where)
        _note_reason(reason_in(message, "finishReason", where), recorder)
    if isinstance(whole, Mapping) and "messages" in whole:
        if whole.get("response") is None:  # which has the messages that the steps came to
            for at, step in enumerate(objects_in(whole.get("steps"))):
                refuse_held(step, (), f"{function}: steps[{at}]")
        _note_reason(kept_reason(whole), recorder)
    return recorder.finish(trace)


def _read_message(message: Mapping[str, Any], recorder: Recorder, where: str) -> None:
    role = message.get("role")
    if role not in _ROLES:
        hint = without_role(message) if role is None else ""
        raise TraceFormatError(f"{where}.role", f"one of {', '.join(_ROLES)}", role, hint)
    refuse_foreign(message, FORMAT, where)
    refuse_held(message, ("toolInvocations",), where)
    if role == "assistant":
        recorder.turn(whole=True)
    elif role == "user":
        recorder.user()
    parts = message.get("parts")
    key = "content" if parts is None or (not parts and "content" in message) else "parts"
    if key == "content" or not _has_tools(parts):  # of the fourth version, which has them twice
        place = f"{where}.toolInvocations"
        for at, one in enumerate(optional_sequence(message.get("toolInvocations"), place)):
            _read_invocation(mapping(one, f"{place}[{at}]"), recorder, f"{place}[{at}]")
    if key == "parts" and message.get("content") and not isinstance(message["content"], str):
        raise TraceFormatError(f"{where}.content", "text beside the parts", message["content"])
    content = plain(message.get(key))
    if isinstance(content, str) and key == "content":
        refuse_encoded(content, f"{where}.content", by_user=role != "assistant")
        if role == "assistant":
            recorder.text(content)
    else:
        for at, one in enumerate(sequence(content, f"{where}.{key}")):
            place = f"{where}.{key}[{at}]"
            _read_part(mapping(one, place), role, recorder, place)


def _has_tools(parts: Any) -> bool:
    kinds = [part.get("type") for part in objects_in(parts)]
    return any(isinstance(k, str) and (k.startswith("tool-") or k == "dynamic-tool") for k in kinds)


def _note_reason(reason: str | None, recorder: Recorder) -> None:
    stopped = status_of_reason(reason)
    if stopped is not None:
        recorder.stop(stopped)


def _read_part(part: Mapping[str, Any], role: str, recorder: Recorder, where: str) -> None:
    kind = text(part.get("type"), f"{where}.type")
    if kind == "text":
        said = text(part.get("text"), f"{where}.text")
        if role == "assistant":
            recorder.text(said)
            if part.get("state") == "streaming":
                recorder.stop(INCOMPLETE)  # its own sign that there was more to come
    elif kind == "step-start":
        recorder.turn(whole=True)
    elif kind.startswith("tool-") and ("state" in part or kind not in _MODEL_PARTS):
        _read_ui_call(part, kind.removeprefix("tool-"), recorder, where)
    elif kind == "tool-call":
        _read_call(part, recorder, where)
    elif kind in ("tool-result", "tool-error"):
        _read_result(part, recorder, where)
    elif kind in ("tool-approval-request", "tool-approval-response"):
        recorder.stop(INCOMPLETE)  # until the message that follows
    elif kind == "tool-invocation":
        place = f"{where}.toolInvocation"
        _read_invocation(mapping(part.get("toolInvocation"), place), recorder, place)
    elif kind == "dynamic-tool":
        _read_ui_call(part, text(part.get("toolName"), f"{where}.toolName"), recorder, where)
    else:  # reasoning, files, sources, data: no call and no answer of the agent
        refuse_foreign(part, FORMAT, where)
        refuse_call(part, where)


def _read_call(part: Mapping[str, Any], recorder: Recorder, where: str) -> None:
    name = text(part.get("toolName"), f"{where}.toolName")
    if part.get("providerExecuted"):
        recorder.hosted(name, _id(part, where))
        return
    arguments = part["input"] if "input" in part else part.get("args")
    recorder.call(name, arguments, _id(part, where))


def _read_result(part: Mapping[str, Any], recorder: Recorder, where: str) -> None:
    name = optional_text(part.get("toolName"), f"{where}.toolName")
    error: bool | str | None = None
    if part.get("type") == "tool-error":
        result, error = json_text(part.get("error")), True
    elif "output" in part:
        output = plain(part["output"])
        kind = output.get("type") if isinstance(output, Mapping) else None
        if isinstance(output, Mapping) and isinstance(kind, str):
            result = _output_text(output, f"{where}.output")
            error = kind in _FAILED_OUTPUTS
        else:
            result = json_text(output)
    else:
        result = json_text(part.get("result"))
        error = flag(part.get("isError"), f"{where}.isError")
    recorder.result(_id(part, where), name=name, text=result, error=error)


def _output_text(output: Mapping[str, Any], where: str) -> str:
    if output.get("type") == "execution-denied":
        return optional_text(output.get("reason"), f"{where}.reason") or _DENIED
    value = plain(output.get("value"))
    if output.get("type") != "content":
        return json_text(value)
    pieces = []
    for at, one in enumerate(sequence(value, f"{where}.value")):
        part = mapping(one, f"{where}.value[{at}]")
        pieces.append(optional_text(part.get("text"), f"{where}.value[{at}].text") or "")
    return "".join(pieces)


def _read_ui_call(part: Mapping[str, Any], name: str, recorder: Recorder, where: str) -> None:
    """Read a UI message's tool part: its state says how far the call has come."""
    if part.get("providerExecuted"):
        recorder.hosted(name)
        return
    state = text(part.get("state"), f"{where}.state")
    arguments = part.get("input")
    if arguments is None:
        arguments = part.get("rawInput")
    if state == "output-available" and not part.get("preliminary"):
        recorder.answered_call(name, arguments, text=json_text(part.get("output")))
    elif state == "output-error":
        error = optional_text(part.get("errorText"), f"{where}.errorText")
        recorder.answered_call(name, arguments, error=error or True)
    elif state == "output-denied":
        recorder.answered_call(name, arguments, error=_DENIED)
    else:
        recorder.call(name, arguments, _id(part, where))


def _read_invocation(call: Mapping[str, Any], recorder: Recorder, where: str) -> None:
    """Read a tool invocation as version 4 of the SDK stores it."""
    name = text(call.get("toolName"), f"{where}.toolName")
    if call.get("state") == "result":
        recorder.answered_call(name, call.get("args"), text=json_text(call.get("result")))
    else:
        recorder.call(name, call.get("args"), _id(call, where))


def _id(part: Mapping[str, Any], where: str) -> str | int | None:
    return identifier(part.get("toolCallId"), f"{where}.toolCallId")
