"""Gemini: contents with parts, whole responses, and the chunks of a stream.

Where a call lives: ``functionCall`` parts (``function_call`` in dumps of the Python SDK), their
results in ``functionResponse`` parts under any role. Ids are optional. A failed tool is told by
convention: the key ``error`` in the response, or ``isError`` where an MCP result was passed on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agenteval.records import AgentResult
from agenteval.traces.call_shapes import refuse_held
from agenteval.traces.encoded import refuse_encoded_messages
from agenteval.traces.endings import status_of_gemini_reason
from agenteval.traces.errors import TraceFormatError
from agenteval.traces.gemini_history import Told, content_key, has_calls, has_history, history
from agenteval.traces.gemini_parts import PartsReader, response_error
from agenteval.traces.marks import (
    CERTAIN,
    NO,
    POSSIBLE,
    Likeness,
    objects_in,
)
from agenteval.traces.reading import (
    either,
    mapping,
    opened,
    optional_mapping,
    optional_sequence,
    optional_text,
    plain,
    sequence,
)
from agenteval.traces.recorder import INCOMPLETE, REFUSED, IsError, Recorder

__all__ = ["FORMAT", "from_gemini", "looks_like", "response_error"]

FORMAT = "gemini"

_WANTED = "Gemini contents, or a GenerateContentResponse"
_CHAT = "history"  # the contents of a chat, as its get_history() has them
_FEEDBACK = ("promptFeedback", "prompt_feedback")


def looks_like(trace: Any) -> Likeness:
    """Say how much a trace looks like Gemini contents."""
    if isinstance(trace, Mapping):
        beside = (
            [one for _, one in _response_beside(trace)]
            if "contents" in trace or _CHAT in trace
            else []
        )
        if any(map(_is_response, objects_in([trace, *beside]))):
            return CERTAIN
        trace = [trace] if "parts" in trace else plain(trace.get("contents"))
        if isinstance(trace, Mapping):
            trace = [trace]
    likeness: Likeness = NO
    for content in objects_in(trace):
        if _is_response(content):
            return CERTAIN
        if content.get("role", "user") in ("user", "model", "function"):
            parts = list(objects_in(content.get("parts")))
            if any("type" in part for part in parts):
                continue
            if any(_is_marked(part) for part in parts):
                return CERTAIN
            likeness = POSSIBLE if "parts" in content else likeness
    return likeness


def _is_response(record: Mapping[str, Any]) -> bool:
    return (
        isinstance(plain(record.get("candidates")), list)
        or any(field in record for field in _FEEDBACK)
        or has_history(record)
    )


def _is_marked(part: Mapping[str, Any]) -> bool:
    return (
        either(part, "functionCall", "function_call") is not None
        or either(part, "functionResponse", "function_response") is not None
        or isinstance(part.get("text"), str)
    )


def from_gemini(trace: Any, *, is_error: IsError | None = None) -> AgentResult:
    """Read a Gemini conversation: which functions the model called, and what it answered.

    Args:
        trace: ``contents`` (a list, or a dict with that key), a whole GenerateContentResponse (its
            first candidate), the chunks of a stream (which broke off where none has a finish
            reason), a dict with the request's ``contents`` (or a chat's ``history``) and the
            response beside them or under ``response``, or a list that mixes contents and responses;
            with camelCase or snake_case keys, as parsed JSON or as the SDK's objects. The calls
            that the SDK ran by itself are read from a response's
            ``automaticFunctionCallingHistory``; the responses of a chat have none, its
            ``get_history()`` does.
        is_error: A predicate on a result's text that says whether the tool failed. A response that
            holds an ``error``, or ``isError`` as MCP results do, is an error without it.

    Returns:
        `AgentResult` with ``status``, ``answer``, ``tool_calls``, ``tools_used``, ``calls`` and
        ``trace``. Calls without ids are paired by name, first with first. Thought parts are no
        answer; code and tools that Gemini ran itself are ``hosted``. A last reply that ended in
        ``MALFORMED_FUNCTION_CALL`` tried a call that the trace does not hold: its ``status`` is
        ``"failed"``.

    Raises:
        TraceFormatError: It is no such trace, a record inside has the wrong kind, or it mixes
            formats.

    >>> call = {"functionCall": {"name": "lock", "args": {"door": 1}}}
    >>> answer = {"functionResponse": {"name": "lock", "response": {"error": "open"}}}
    >>> result = from_gemini(
    ...     [
    ...         {"role": "user", "parts": [{"text": "Lock up."}]},
    ...         {"role": "model", "parts": [call]},
    ...         {"role": "user", "parts": [answer]},
    ...         {"role": "model", "parts": [{"text": "The door is open."}]},
    ...     ]
    ... )
    >>> result["answer"], result["calls"]
    ('The door is open.', [Call(name='lock', args={'door': 1}, error='open')])
    """
    whole = opened(trace, "from_gemini", _WANTED)
    recorder = Recorder(FORMAT, is_error=is_error)
    reader = _Conversation(recorder)
    for place, record in _records(whole):
        reader.read(record, place)
    reader.close(listed=not isinstance(whole, Mapping))
    return recorder.finish(trace)


def _records(trace: Any) -> list[tuple[str, Any]]:
    """Return the contents and responses of a trace, each with its place."""
    if isinstance(trace, Mapping):
        if trace.get("messages"):
            raise TraceFormatError(
                "from_gemini", "a request with 'contents'", trace, "'messages' are not read here"
            )
        found = _before(trace)
        replies: list[tuple[str, Any]] = []
        if "candidates" in trace or "parts" in trace or _is_response(trace):
            reply = {key: one for key, one in trace.items() if key != _CHAT}
            replies.append(("from_gemini: response", reply))
        elif found:
            replies += _response_beside(trace)
        if trace.get("contents") is None and found and len(replies) == 1:
            found = found[: len(found) - _repeats(found[-1][1], replies[0][1])]
        found += replies
        if not found:
            raise TraceFormatError(
                "from_gemini", "an object with 'contents', 'candidates' or 'parts'", trace
            )
        return found
    return _numbered(trace, "from_gemini: ")


def _before(trace: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the contents before a reply: those of the request, or the history of a chat.

    Raises:
        TraceFormatError: Both are there, and the history tells of more.
    """
    place = "from_gemini: contents"
    contents = plain(trace.get("contents"))
    told = list(objects_in(trace.get(_CHAT)))
    if not any("parts" in one for one in told):
        told = []
    if contents is None:
        return _numbered(told, f"from_gemini: {_CHAT}")
    if isinstance(contents, (Mapping, str)):
        contents = [contents]
    contents = [_asked(one, place) for one in sequence(contents, place)]
    more = [one for one in told if has_calls(one)]
    known = set(map(content_key, contents)) if more else set()
    if any(content_key(one) not in known for one in more):
        raise TraceFormatError(
            f"from_gemini: {_CHAT}",
            "one list of contents before the reply",
            trace[_CHAT],
            "'contents' is a second one: put all contents in one list",
        )
    return _numbered(contents, place)


def _repeats(content: Any, response: Any) -> bool:
    """Say whether a response's content is the last one before it: a chat notes it by itself."""
    response = plain(response)
    if not isinstance(response, Mapping) or not isinstance(plain(content), Mapping):
        return False
    for candidate in objects_in(response.get("candidates")):
        own = plain(candidate.get("content"))
        return isinstance(own, Mapping) and content_key(own) == content_key(content)
    return False


def _response_beside(request: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the response, or the chunks of it, that a log keeps with the request."""
    place = "from_gemini: response"
    response = plain(request.get("response"))
    if isinstance(response, (list, tuple)):
        return _numbered(response, place)
    return [(place, response)] if isinstance(response, Mapping) else []


def _asked(content: Any, where: str) -> Any:
    """Return a content of a request; the SDK takes the user's text alone for one, too."""
    if not isinstance(content, str):
        return content
    refuse_encoded_messages(content, where)
    return {"role": "user", "parts": [{"text": content}]}


def _numbered(records: Sequence[Any], place: str) -> list[tuple[str, Any]]:
    return [(f"{place}[{at}]", record) for at, record in enumerate(records)]


class _Conversation:
    """Reads contents and responses one after the other."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.parts = PartsReader(recorder)
        self._told = Told()
        self._model_speaks = False
        self._searches = 0
        self._chunks = 0  # of the last reply, as long as none says why the model stopped
        self._only_chunks = True

    def close(self, *, listed: bool) -> None:
        """Note what is only known, or only harmless to note, at the end.

        Args:
            listed: Whether the trace is a list, which may be that of a stream's chunks.
        """
        self.parts.close()
        if self._chunks > 1 or (self._chunks and self._only_chunks and listed):
            self.recorder.stop(INCOMPLETE)  # the last chunk of a reply says why it ended
        for _ in range(self._searches):
            self.recorder.hosted("google_search")

    def read(self, record: Any, where: str) -> None:
        fields = mapping(record, where)
        if "parts" in fields:
            self._only_chunks = False
            self._content(fields, where)
            self._told.note(fields)
        elif "candidates" in fields or _is_response(fields):
            self._response(fields, where)
        else:
            raise TraceFormatError(where, "a content with 'parts', or a response", fields)

    def _history(self, contents: Sequence[Any], where: str) -> None:
        """Read what is new in the history of a response."""
        for at, (one, is_new) in enumerate(zip(contents, self._told.news(contents), strict=True)):
            if is_new:
                self._content(mapping(one, f"{where}[{at}]"), f"{where}[{at}]")

    def _response(self, response: Mapping[str, Any], where: str) -> None:
        if any(map(has_calls, objects_in(response.get(_CHAT)))):
            raise TraceFormatError(
                f"{where}.{_CHAT}",
                "a response without the contents before it",
                response[_CHAT],
                "pass them beside 'candidates', or in one list with the response",
            )
        before = history(response, where)
        if before:
            self._history(before, f"{where}.automaticFunctionCallingHistory")
        candidates = optional_sequence(response.get("candidates"), f"{where}.candidates")
        if not candidates:
            feedback = either(response, *_FEEDBACK)
            if feedback is not None:
                place = f"{where}.promptFeedback"
                blocked = either(mapping(feedback, place), "blockReason", "block_reason")
                self._turn()
                if blocked is not None:
                    self.recorder.stop(REFUSED)
            return
        place = f"{where}.candidates[0]"
        candidate = mapping(candidates[0], place)
        content = optional_mapping(candidate.get("content"), f"{place}.content")
        if content is None or not self._told.repeats_a_call(content, before):
            self._turn()
            if content is not None:
                self.parts.read(content.get("parts"), f"{place}.content.parts", speaks=True)
                self._told.note(content)
        self._searches += _has_grounding(candidate, place)
        reason = _word(either(candidate, "finishReason", "finish_reason"), f"{place}.finishReason")
        status = status_of_gemini_reason(reason)
        if status is not None:
            self.recorder.stop(status)
        self._chunks += 1
        if reason:  # in a stream only the last chunk of a reply has one
            self._model_speaks = False
            self._only_chunks = False
            self._chunks = 0

    def _content(self, content: Mapping[str, Any], where: str) -> None:
        self._chunks = 0
        role = optional_text(content.get("role"), f"{where}.role")
        refuse_held(content, (), where)
        speaks = role == "model"
        if speaks:
            self._turn()
        elif role in ("user", "function", "tool", None):
            self._model_speaks = False
        else:
            raise TraceFormatError(f"{where}.role", "'user', 'model' or 'function'", role)
        self.parts.read(content.get("parts"), f"{where}.parts", speaks=speaks)

    def _turn(self) -> None:
        """Begin a reply, unless the model goes on with one: a stream comes in chunks."""
        if not self._model_speaks:
            self.recorder.turn()
            self._chunks = 0
        self._model_speaks = True


def _has_grounding(candidate: Mapping[str, Any], where: str) -> bool:
    place = f"{where}.groundingMetadata"
    found = optional_mapping(either(candidate, "groundingMetadata", "grounding_metadata"), place)
    if found is None:
        return False
    queries = either(found, "webSearchQueries", "web_search_queries")
    return len(optional_sequence(queries, f"{place}.webSearchQueries")) > 0


def _word(reason: Any, where: str) -> str | None:
    """Return a finish reason as text; the SDK's own objects have it as an enumeration."""
    return optional_text(getattr(reason, "value", reason), where)
