"""OpenAI Chat Completions: messages, whole responses, and the dialects of published benchmarks.

Where a call lives: ``tool_calls`` of an assistant message (``function`` or ``custom``), or the
older ``function_call``; results are messages of the role ``tool`` or ``function``. The format has
no signal for a failed tool, so only `is_error` can tell; the dialects that have one are read by
`agenteval.traces.chat_dialects`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenteval.records import AgentResult
from agenteval.traces import chat_dialects
from agenteval.traces.call_shapes import refuse_call, refuse_held
from agenteval.traces.chat_dialects import Conversation
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
    refuse_foreign,
)
from agenteval.traces.reading import (
    choose_cases,
    json_text,
    mapping,
    opened,
    optional_mapping,
    optional_sequence,
    optional_text,
    plain,
    sequence,
    spoken,
    text,
    without_role,
)
from agenteval.traces.recorder import IsError, Recorder

__all__ = ["FORMAT", "from_openai_chat", "looks_like"]

FORMAT = "openai_chat"

_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_OTHER_PARTS = ("refusal", "image_url", "input_audio", "file")
_OWN_PARTS = ("image_url",)  # no other format's parts have this type
_CALL_FIELDS = ("tool_calls", "function_call")
_RESULT_FIELDS = (*_CALL_FIELDS, "tool_call")  # the last of an AgentDojo result
_CHOICE = ("function_call",)  # by name, of the request that a log keeps with its reply
_CHUNKS = "put the chunks of a stream together first"
_TEXT_PARTS = ("text", "input_text", "output_text")


def looks_like(trace: Any) -> Likeness:
    """Say how much a trace looks like chat messages."""
    if chat_dialects.is_dialect(trace):
        return CERTAIN
    if isinstance(trace, Mapping):
        if isinstance(plain(trace.get("choices")), list):
            return CERTAIN
        trace = spoken(trace)
    likeness: Likeness = NO
    for message in objects_in(trace):
        if isinstance(message.get("choices"), list) or message_mark(message) == FORMAT:
            return CERTAIN
        if message.get("role") in _ROLES and "content" in message:
            if "refusal" in message or _has_own_part(message):
                return CERTAIN
            likeness = POSSIBLE
    return likeness


def _has_own_part(message: Mapping[str, Any]) -> bool:
    return any(part.get("type") in _OWN_PARTS for part in objects_in(message["content"]))


def from_openai_chat(
    trace: Any, *, is_error: IsError | None = None, case: str | int | None = None
) -> AgentResult:
    """Read OpenAI chat messages: which calls the agent made, and what it answered.

    Args:
        trace: A list of messages; a dict with ``messages``, which may have the response beside
            them or under ``response``; a whole ChatCompletion (its first choice), or a list of
            messages and ChatCompletions; as parsed JSON or as the SDK's objects. Also an AgentDojo
            run, a tau-bench row, a tau2-bench simulation or results file, and a SWE-agent
            trajectory.
        is_error: A predicate on a result's text that says whether the tool failed: the format
            itself does not.
        case: Of a tau2-bench results file, the id or the position of the one simulation to read.
            Without it the calls of all simulations are read in order; ``status`` is then that of
            the first that did not end in an answer.

    Returns:
        `AgentResult` with ``status``, ``answer``, ``tool_calls``, ``tools_used``, ``calls`` and
        ``trace``. A custom tool's free text is its argument ``input``.

    Raises:
        TraceFormatError: It is no such trace, a record inside has the wrong kind, or it mixes
            formats.
        ValueError: No simulation is called `case`.

    >>> result = from_openai_chat(
    ...     [
    ...         {"role": "user", "content": "Is room 5 free?"},
    ...         {
    ...             "role": "assistant",
    ...             "content": None,
    ...             "tool_calls": [
    ...                 {
    ...                     "id": "call_1",
    ...                     "type": "function",
    ...                     "function": {"name": "room_free", "arguments": '{"room": 5}'},
    ...                 }
    ...             ],
    ...         },
    ...         {"role": "tool", "tool_call_id": "call_1", "content": "free"},
    ...         {"role": "assistant", "content": "Yes."},
    ...     ]
    ... )
    >>> result["status"], result["answer"], result["calls"]
    ('final', 'Yes.', [Call(name='room_free', args={'room': 5}, error=None)])
    """
    function = "from_openai_chat"
    whole = opened(trace, function, "chat messages or a ChatCompletion")
    recorder = Recorder(FORMAT, is_error=is_error)
    found = chat_dialects.conversations(whole, function)
    names = [name for name, _ in found if name is not None]
    if names:
        recorder.cases(names)
    for _, conversation in choose_cases(found, case, function):
        recorder.conversation()
        _read_conversation(conversation, recorder)
    if isinstance(whole, Mapping) and "messages" in whole:
        _note_reason(kept_reason(whole), recorder)
    return recorder.finish(trace)


def _read_conversation(conversation: Conversation, recorder: Recorder) -> None:
    for message, where in conversation.messages:
        if "choices" in message:
            _read_completion(message, conversation, recorder, where)
        else:
            _read_message(message, conversation, recorder, where)
    if conversation.ended is not None:
        recorder.ended(conversation.ended)


def _read_completion(
    completion: Mapping[str, Any], conversation: Conversation, recorder: Recorder, where: str
) -> None:
    """Read the first choice of a ChatCompletion: the others are not part of the same run."""
    choices = sequence(completion["choices"], f"{where}.choices")
    if not choices:
        hint = _CHUNKS if completion.get("object") == "chat.completion.chunk" else ""
        raise TraceFormatError(f"{where}.choices", "at least one choice", choices, hint)
    place = f"{where}.choices[0]"
    choice = mapping(choices[0], place)
    if "delta" in choice:
        raise TraceFormatError(place, "a choice with a message", choice, _CHUNKS)
    message = mapping(choice.get("message"), f"{place}.message")
    _read_message(message, conversation, recorder, f"{place}.message")
    refuse_held(choice, (), place)
    refuse_held(completion, _CHOICE, where)
    _note_reason(kept_reason(completion), recorder)
    _note_reason(reason_in(choice, "finish_reason", place), recorder)


def _note_reason(reason: str | None, recorder: Recorder) -> None:
    stopped = status_of_reason(reason)
    if stopped is not None:
        recorder.stop(stopped)


def _read_message(
    message: Mapping[str, Any], conversation: Conversation, recorder: Recorder, where: str
) -> None:
    refuse_foreign(message, FORMAT, where)
    role = message.get("role")
    refuse_held(message, _RESULT_FIELDS if role == "tool" else _CALL_FIELDS, where)
    calls = chat_dialects.read_calls(message, where)
    if role == "assistant" and (calls or message.get("tool_call_id") is None):
        recorder.turn(whole=True)
        _read_content(message, recorder, where)
        for name, arguments, call_id in calls:
            recorder.call(name, arguments, call_id)
        _note_reason(reason_in(message, "finish_reason", where), recorder)
    elif role == "user" and message.get("tool_call_id") is None:
        said = _content_text(message.get("content"), f"{where}.content")
        refuse_encoded(said, f"{where}.content", by_user=True)
        for name, arguments, call_id in calls:
            recorder.call(name, arguments, call_id, by_user=True)
        if conversation.closing is None or conversation.closing not in said:
            recorder.user()
    elif calls:
        raise TraceFormatError(
            where, "calls in a message of the role assistant (or user, in tau2-bench)", message
        )
    elif role in ("tool", "function") or message.get("tool_call_id") is not None:
        for one, place in chat_dialects.results(message, where):
            _read_result(one, conversation, recorder, place)
    elif role in ("system", "developer"):
        _content_text(message.get("content"), f"{where}.content")
    else:
        hint = without_role(message) if role is None else ""
        raise TraceFormatError(f"{where}.role", f"one of {', '.join(_ROLES)}", role, hint)


def _read_content(message: Mapping[str, Any], recorder: Recorder, where: str) -> None:
    content = plain(message.get("content"))
    if isinstance(content, str):
        refuse_encoded(content, f"{where}.content")
        recorder.text(content)
    else:
        for at, one in enumerate(optional_sequence(content, f"{where}.content")):
            place = f"{where}.content[{at}]"
            if isinstance(one, str):
                recorder.text(one)
                continue
            part = mapping(one, place)
            if part.get("type") == "refusal":
                recorder.refusal(text(part.get("refusal"), f"{place}.refusal"))
            else:
                recorder.text(_part_text(part, place))
    refusal = optional_text(message.get("refusal"), f"{where}.refusal")
    if refusal:
        recorder.refusal(refusal)
    audio = optional_mapping(message.get("audio"), f"{where}.audio")
    if audio is not None and not content:
        recorder.text(optional_text(audio.get("transcript"), f"{where}.audio.transcript") or "")


def _read_result(
    message: Mapping[str, Any], conversation: Conversation, recorder: Recorder, where: str
) -> None:
    ids = chat_dialects.result_ids(message, where)
    key = "name" if message.get("name") is not None else "tool_name"  # the latter is Ollama's
    name = optional_text(message.get(key), f"{where}.{key}")
    said_whose = name is not None or ids != [None]
    content = _result_text(message.get("content"), f"{where}.content", said_whose=said_whose)
    failed = chat_dialects.result_failed(message, content, conversation, where)
    for call_id in ids:
        recorder.result(call_id, name=name, text=content, error=failed)


def _result_text(content: Any, where: str, *, said_whose: bool) -> str:
    """Return the text of a result; data in its place as JSON, as no call can hide in a result.

    Where the message does not say what it answers, its parts may, in another format.
    """
    content = plain(content)
    parts = list(objects_in(content))
    if not said_whose:
        for part in parts:
            refuse_foreign(part, FORMAT, where)
    return _content_text(content, where) if all(map(_is_part, parts)) else json_text(content)


def _is_part(record: Mapping[str, Any]) -> bool:
    kind = record.get("type")
    if kind is None:
        return isinstance(record.get("text", record.get("content")), str)
    return kind in (*_TEXT_PARTS, *_OTHER_PARTS)


def _content_text(content: Any, where: str) -> str:
    """Return the text of a content; an object in its place (no API does that, logs do) as JSON."""
    content = plain(content)
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return json_text(content)
    pieces = []
    for at, part in enumerate(optional_sequence(content, where)):
        place = f"{where}[{at}]"
        pieces.append(part if isinstance(part, str) else _part_text(mapping(part, place), place))
    return "".join(pieces)


def _part_text(part: Mapping[str, Any], where: str) -> str:
    """Return a part's text, under AgentDojo's name for it too; images and the like have none."""
    kind = part.get("type")
    if kind not in _TEXT_PARTS:
        refuse_foreign(part, FORMAT, where)
    refuse_call(part, where)
    if kind not in (*_TEXT_PARTS, None):
        return ""
    key = "text" if "text" in part else "content"
    return optional_text(part.get(key), f"{where}.{key}") or ""
