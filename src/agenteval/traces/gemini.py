"""Gemini: contents with parts, whole responses, and the chunks of a stream.

Where a call lives: ``functionCall`` parts (``function_call`` in dumps of the Python SDK), their
results in ``functionResponse`` parts under any role. Ids are optional. A failed tool is told by
convention: the key ``error`` in the response, or ``isError`` where an MCP result was passed on.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from agenteval.records import AgentResult
from agenteval.traces.call_shapes import refuse_call, refuse_held
from agenteval.traces.endings import status_of_gemini_reason
from agenteval.traces.errors import TraceFormatError
from agenteval.traces.gemini_history import Told, has_history, history
from agenteval.traces.marks import (
    CERTAIN,
    NO,
    POSSIBLE,
    Likeness,
    objects_in,
    refuse_encoded,
    refuse_foreign,
)
from agenteval.traces.partial_arguments import add_pieces
from agenteval.traces.reading import (
    either,
    identifier,
    json_text,
    mapping,
    opened,
    optional_mapping,
    optional_sequence,
    optional_text,
    plain,
    sequence,
)
from agenteval.traces.recorder import INCOMPLETE, REFUSED, IsError, Recorder

__all__ = ["FORMAT", "PartsReader", "either", "from_gemini", "looks_like", "response_error"]

FORMAT = "gemini"

_WANTED = "Gemini contents, or a GenerateContentResponse"
_FEEDBACK = ("promptFeedback", "prompt_feedback")


def looks_like(trace: Any) -> Likeness:
    """Say how much a trace looks like Gemini contents."""
    if isinstance(trace, Mapping):
        if _is_response(trace):
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
            first candidate), the chunks of a stream, or a list that mixes contents and responses;
            with camelCase or snake_case keys, as parsed JSON or as the SDK's objects. The calls
            that the SDK ran by itself are read from a response's
            ``automaticFunctionCallingHistory``; the responses of a chat have none, its
            ``get_history()`` does.
        is_error: A predicate on a result's text that says whether the tool failed. A response that
            holds an ``error``, or ``isError`` as MCP results do, is an error without it.

    Returns:
        `AgentResult` with ``status``, ``answer``, ``tool_calls``, ``tools_used``, ``calls`` and
        ``trace``. Calls without ids are paired by name, first with first. Thought parts are no
        answer; code that Gemini ran itself is ``hosted``. A last reply that ended in
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
        found: list[tuple[str, Any]] = []
        if trace.get("contents") is not None:
            place = "from_gemini: contents"
            contents = plain(trace["contents"])
            if isinstance(contents, (Mapping, str)):
                contents = [contents]
            found += _numbered([_asked(one, place) for one in sequence(contents, place)], place)
        if "candidates" in trace or "parts" in trace or _is_response(trace):
            found.append(("from_gemini: response", trace))
        if not found:
            raise TraceFormatError(
                "from_gemini", "an object with 'contents', 'candidates' or 'parts'", trace
            )
        return found
    return _numbered(trace, "from_gemini: ")


def _asked(content: Any, where: str) -> Any:
    """Return a content of a request; the SDK takes the user's text alone for one, too."""
    if not isinstance(content, str):
        return content
    refuse_encoded(content, where)
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


class PartsReader:
    """Tells a recorder what the parts of Gemini contents hold; ADK's events consist of them too.

    Args:
        recorder: What is told.
        questions: Names of calls with which a framework asks its user something. They are none of
            the agent's; `waiting` says whether the user has said nothing since.
    """

    def __init__(self, recorder: Recorder, questions: Collection[str] = ()) -> None:
        self.recorder = recorder
        self._questions = questions
        self._asked: set[str | int | None] = set()
        self._open: tuple[str, str | int | None, dict[str, Any]] | None = None

    def read(self, parts: Any, where: str, *, speaks: bool) -> None:
        """Read one content's parts.

        Args:
            parts: The list under ``parts``, or ``None``.
            where: The place, for messages.
            speaks: Whether the text among them is the model's own.
        """
        for at, one in enumerate(optional_sequence(parts, where)):
            place = f"{where}[{at}]"
            part = mapping(one, place)
            if part.get("type") is not None:
                refuse_foreign(part, FORMAT, place)
                raise TraceFormatError(place, "a part of Gemini's, which has no 'type'", part)
            self._read_part(part, place, speaks=speaks)

    def _read_part(self, part: Mapping[str, Any], where: str, *, speaks: bool) -> None:
        call = either(part, "functionCall", "function_call")
        response = either(part, "functionResponse", "function_response")
        if call is not None:
            self.call(mapping(call, f"{where}.functionCall"), f"{where}.functionCall")
        if response is not None:
            place = f"{where}.functionResponse"
            self.response(mapping(response, place), place)
        if call is None and response is None:
            refuse_call(part, where)
        if either(part, "executableCode", "executable_code") is not None:
            self.recorder.hosted("code_execution")
        said = optional_text(part.get("text"), f"{where}.text")
        if said is not None and not part.get("thought"):
            if speaks:
                self.recorder.text(said)
            else:
                self._asked.clear()
                self.recorder.user()

    def call(self, call: Mapping[str, Any], where: str) -> None:
        """Note a function call, or the next piece of one that is streamed."""
        pieces = either(call, "partialArgs", "partial_args")
        place = f"{where}.partialArgs"
        more = either(call, "willContinue", "will_continue")
        name = optional_text(call.get("name"), f"{where}.name")
        if self._open is not None and not name:
            add_pieces(self._open[2], pieces, place)
            if not more:
                self.close()
            return
        self.close()
        if not name:
            raise TraceFormatError(f"{where}.name", "the function's name", name)
        call_id = identifier(call.get("id"), f"{where}.id")
        if name in self._questions:
            self._asked.add(call_id)
            return
        if pieces is None and not more:
            self.recorder.call(name, call.get("args"), call_id)
            return
        arguments = dict(optional_mapping(call.get("args"), f"{where}.args") or {})
        add_pieces(arguments, pieces, place)
        self._open = (name, call_id, arguments)
        if not more:
            self.close()

    @property
    def waiting(self) -> bool:
        """Whether the framework asked its user something and has had no response."""
        return bool(self._asked)

    def close(self) -> None:
        """Note the call whose pieces have been collected, if there is one."""
        if self._open is not None:
            name, call_id, arguments = self._open
            self._open = None
            self.recorder.call(name, arguments, call_id)

    def response(self, response: Mapping[str, Any], where: str) -> None:
        """Note a function's response.

        A function can respond several times under one id: first that it is pending or how far it
        has come, in the end with its result. The last response is the one that counts.
        """
        self.close()
        value = plain(response.get("response"))
        call_id = identifier(response.get("id"), f"{where}.id")
        name = optional_text(response.get("name"), f"{where}.name") or None
        if call_id in self._asked or name in self._questions:
            self._asked.discard(call_id)
            self.recorder.user()
            return
        self.recorder.result(
            call_id,
            name=name,
            text=_response_text(value),
            error=response_error(value),
            replaces=True,
        )


def response_error(response: Any) -> bool | str | None:
    """Return what a function's response says of a failure, by the convention of Gemini's SDKs.

    >>> response_error({"error": "no station"}), response_error({"output": "low"})
    ('no station', None)
    """
    if not isinstance(response, Mapping):
        return None
    error = plain(response.get("error"))
    if error:
        return True if error is True else json_text(error)
    return True if response.get("isError") is True or response.get("is_error") is True else None


def _response_text(response: Any) -> str:
    """Return a response as text: its one value where it has only that, else all of it as JSON."""
    if not isinstance(response, Mapping):
        return json_text(response)
    content = plain(response.get("content"))
    if isinstance(content, list):  # an MCP result
        pieces = [one.get("text") for one in objects_in(content)]
        said = "\n".join(piece for piece in pieces if isinstance(piece, str))
        if said:
            return said
    if len(response) == 1:
        for key in ("output", "result", "error"):
            if key in response:
                return json_text(response[key])
    return json_text(response)
