"""The parts of Gemini contents: calls, responses, what the provider ran, and text.

ADK's events and eval sets consist of them, too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from agenteval.traces.call_shapes import refuse_call
from agenteval.traces.errors import TraceFormatError
from agenteval.traces.marks import objects_in, refuse_foreign
from agenteval.traces.partial_arguments import add_pieces
from agenteval.traces.reading import (
    either,
    flagged,
    identifier,
    json_text,
    mapping,
    optional_mapping,
    optional_sequence,
    optional_text,
    plain,
)
from agenteval.traces.recorder import Recorder

__all__ = ["PartsReader", "response_error"]

_FORMAT = "gemini"
_FAILED = ("isError", "is_error")  # of MCP results, in the protocol's and in the Python SDK's name


class PartsReader:
    """Tells a recorder what the parts of Gemini contents hold.

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
                refuse_foreign(part, _FORMAT, place)
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
        hosted = either(part, "toolCall", "tool_call")
        if hosted is not None:
            self._hosted(mapping(hosted, f"{where}.toolCall"), f"{where}.toolCall")
        elif call is None and response is None:
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

    def _hosted(self, call: Mapping[str, Any], where: str) -> None:
        """Note the use of a tool that Gemini ran itself; the part ``toolResponse`` has its result.

        A ``toolCall`` of the Live API has the agent's calls inside and is refused.
        """
        refuse_call(call, where)
        kind = optional_text(either(call, "toolType", "tool_type"), f"{where}.toolType")
        self.recorder.hosted(kind or "tool", identifier(call.get("id"), f"{where}.id"))

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
    >>> response_error({"result": {"isError": True, "content": []}})
    True
    """
    if not isinstance(response, Mapping):
        return None
    error = plain(response.get("error"))
    if error:
        return True if error is True else json_text(error)
    return True if any(map(_says_failure, (response, _wrapped(response)))) else None


def _says_failure(result: Mapping[str, Any]) -> bool:
    return any(flagged(result.get(key)) for key in _FAILED)


def _wrapped(response: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the object that a function returned, under the key that the SDKs put it in."""
    for key in ("result", "output"):
        inner = plain(response.get(key))
        if isinstance(inner, Mapping):
            return inner
    return {}


def _response_text(response: Any) -> str:
    """Return a response as text: its one value where it has only that, else all of it as JSON."""
    if not isinstance(response, Mapping):
        return json_text(response)
    for holder in (response, _wrapped(response)):
        content = plain(holder.get("content"))
        if isinstance(content, list) and (holder is response or _says_failure(holder)):
            pieces = [one.get("text") for one in objects_in(content)]  # of an MCP result
            said = "\n".join(piece for piece in pieces if isinstance(piece, str))
            if said:
                return said
    if len(response) == 1:
        for key in ("output", "result", "error"):
            if key in response:
                return json_text(response[key])
    return json_text(response)
