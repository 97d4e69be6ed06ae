"""OpenAI Responses: input and output items, whole responses, Agents SDK run items.

Where a call lives: an item ``function_call`` or ``custom_tool_call``, paired with its output by
``call_id``; an ``mcp_call`` holds call and result in one. Tools that the provider runs itself
(``web_search_call`` and its like) are no calls of the agent's; the built-in tools that the caller
runs (local shell, patches, the computer) are. Only ``mcp_call`` and the built-in tools say that
they failed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agenteval.records import AgentResult
from agenteval.traces.agents_sdk import new_items, raw_item, repeated_approvals
from agenteval.traces.built_in_tools import (
    BUILT_IN,
    built_in_arguments,
    refuse_unknown_call,
    runs_in_container,
    shell_result,
)
from agenteval.traces.call_shapes import refuse_call, refuse_held
from agenteval.traces.encoded import content_parts
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
    either,
    identifier,
    json_text,
    mapping,
    opened,
    optional_mapping,
    optional_text,
    parts_text,
    plain,
    sequence,
    text,
)
from agenteval.traces.recorder import CUT_OFF, FAILED, INCOMPLETE, REFUSED, IsError, Recorder
from agenteval.traces.responses_parts import is_beside, is_state, parts_of, refuse_beside
from agenteval.traces.responses_stream import Stream

__all__ = ["FORMAT", "from_openai_responses", "looks_like"]

FORMAT = "openai_responses"

_TEXT_PARTS = ("output_text", "input_text", "text")
_RESPONSE_ENDS = {"failed": FAILED, "cancelled": FAILED}  # others are still running
_UNFINISHED = {"incomplete": CUT_OFF, "in_progress": INCOMPLETE}
_COMMENTARY = "commentary"  # the phase of what is said before the answer
_EVENT = "response."
_STREAM_ENDS = ("response.completed", "response.incomplete", "response.failed")


def looks_like(trace: Any) -> Likeness:
    """Say how much a trace looks like Responses items."""
    if isinstance(trace, Mapping):
        if trace.get("object") == "response" or new_items(trace) is not None:
            return CERTAIN
        if is_state(trace) or is_beside(trace):
            return CERTAIN
        lists = [trace.get("items"), trace.get("input"), trace.get("output")]
    else:
        lists = [trace]
    likeness: Likeness = NO
    for item in (item for found in lists for item in objects_in(found)):
        if item.get("object") == "response" or message_mark(item) == FORMAT:
            return CERTAIN
        kind = item.get("type")
        if kind == "reasoning" or (isinstance(kind, str) and kind.startswith(_EVENT)):
            return CERTAIN
        if "role" in item:
            kinds = [part.get("type") for part in objects_in(item.get("content"))]
            if "output_text" in kinds or "input_text" in kinds:
                return CERTAIN
            if isinstance(trace, Mapping) or item.get("type") == "message":
                likeness = POSSIBLE
    return likeness


def from_openai_responses(trace: Any, *, is_error: IsError | None = None) -> AgentResult:
    """Read OpenAI Responses items: which calls the agent made, and what it answered.

    Args:
        trace: A list of items; a dict with ``items``, or with ``input`` and ``output``; a whole
            Response, or a list of them; an Agents SDK result or a dict with its ``new_items``, in
            Python's names or in JavaScript's; the events of a stream, also of one that broke off.
            As parsed JSON or as the SDKs' objects. Items before a reply are read from ``items``,
            ``input``, ``messages`` or ``history`` beside it.
        is_error: A predicate on a result's text that says whether the tool failed: for function
            tools the format itself does not.

    Returns:
        `AgentResult` with ``status``, ``answer``, ``tool_calls``, ``tools_used``, ``calls`` and
        ``trace``. What a model says in the phase ``commentary`` is no answer. A custom tool's free
        text is its argument ``input``. A handoff is a call, as the
        model made it. Built-in tools that the caller runs are calls named ``local_shell``,
        ``shell`` (outside the provider's containers), ``apply_patch``, ``computer`` and
        ``tool_search`` (where the client searches); a command that times out or ends with a code
        other than 0 failed.

    Raises:
        TraceFormatError: It is no such trace, a record inside has the wrong kind, or it mixes
            formats.

    >>> result = from_openai_responses(
    ...     [
    ...         {"type": "function_call", "call_id": "c1", "name": "weigh", "arguments": "{}"},
    ...         {"type": "function_call_output", "call_id": "c1", "output": "2.5"},
    ...     ]
    ... )
    >>> result["status"], result["calls"]
    ('incomplete', [Call(name='weigh', args={}, error=None)])
    """
    function = "from_openai_responses"
    whole = opened(trace, function, "Responses items or a Response")
    recorder = Recorder(FORMAT, is_error=is_error)
    reader = _Reader(recorder)
    if not isinstance(whole, Mapping):
        reader.read_all(whole, f"{function}: ")
    else:
        reader.read_parts(whole, function)
    return recorder.finish(trace)


class _Reader:
    """Walks through the items and tells the recorder what each one is."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._stream = Stream()
        self._answered = False  # in the current turn
        self._commented = False  # in place of an answer
        self._kinds: dict[str, Callable[[Mapping[str, Any], str], None]] = {
            "message": self._message,
            "function_call": self._function_call,
            "custom_tool_call": self._custom_call,
            "mcp_call": self._mcp_call,
            "mcp_approval_request": self._approval_request,
            "mcp_approval_response": self._approval_response,
            "program": self._hosted,
            "hosted_tool_call": self._hosted_tool,
            "function_call_output": self._output,
            "function_call_result": self._output,
            "custom_tool_call_output": self._output,
            "computer_call_output": self._output,
            "computer_call_result": self._output,
            "local_shell_call_output": self._output,
            "shell_call_output": self._shell_output,
            "apply_patch_call_output": self._output,
            "tool_search_output": self._search_output,
            **dict.fromkeys(BUILT_IN, self._built_in),
        }

    def read_parts(self, whole: Mapping[str, Any], function: str) -> None:
        """Read an object: the conversation so far, and the reply to it."""
        parts = parts_of(whole, function)
        if parts.before is not None:
            self.read_all(parts.before[1], f"{function}: {parts.before[0]}")
        if parts.response is not None:
            self.read_response(parts.response, f"{function}: response")
        if parts.run is not None:
            self.read_all(parts.run[1], f"{function}: {parts.run[0]}")
            last = either(whole, "finalOutput", "final_output")
            if last is not None:
                self._recorder.text(json_text(last), join=False)

    def read_all(self, items: Any, where: str) -> None:
        """Read a list of items, run items, whole responses or stream events."""
        listed = sequence(items, where)
        repeated = repeated_approvals(listed)
        for at, one in enumerate(listed):
            place = f"{where}[{at}]"
            item = mapping(one, place)
            if item.get("object") == "response":
                refuse_beside(item, place)
                self.read_response(item, place)
            elif (raw := raw_item(item)) is not None:
                if at not in repeated:
                    self._read(mapping(raw, f"{place}.raw_item"), f"{place}.raw_item")
            else:
                self._read(item, place)
        self._break_off()
        self._end()

    def _turn(self) -> None:
        self._recorder.turn()
        self._answered = self._commented = False

    def _end(self) -> None:
        """Note that all the model said were comments on what it was going to do."""
        if self._commented:
            self._recorder.stop(INCOMPLETE)

    def read_response(self, response: Mapping[str, Any], where: str) -> None:
        """Read a whole Response: its output, and how it says that it ended."""
        self._turn()
        self.read_all(response.get("output"), f"{where}.output")
        status = optional_text(response.get("status"), f"{where}.status")
        if status == "incomplete":
            place = f"{where}.incomplete_details"
            details = optional_mapping(response.get("incomplete_details"), place) or {}
            filtered = details.get("reason") == "content_filter"
            self._recorder.stop(REFUSED if filtered else CUT_OFF)
        elif status is not None and status != "completed":
            self._recorder.stop(_RESPONSE_ENDS.get(status, INCOMPLETE))

    def _read(self, item: Mapping[str, Any], where: str) -> None:
        kind = optional_text(item.get("type"), f"{where}.type") or "message"
        if kind.startswith(_EVENT):
            self._event(kind, item, where)
            return
        self._break_off()
        if kind == "error":  # of a stream, in place of its last event
            self._recorder.stop(FAILED)
        elif kind in self._kinds:
            self._kinds[kind](item, where)
        elif kind.endswith("_call"):
            refuse_foreign(item, FORMAT, where)
            refuse_unknown_call(item, kind, where)
            self._hosted(item, where)
        else:  # reasoning, listed tools, new kinds: no call and no answer of the agent
            refuse_foreign(item, FORMAT, where)
            refuse_call(item, where)

    def _event(self, kind: str, event: Mapping[str, Any], where: str) -> None:
        """Read an event of a stream: its last one has the whole response."""
        place = f"{where}.response"
        response = optional_mapping(event.get("response"), place) or {}
        if response.get("object", "response") != "response":
            raise TraceFormatError(
                place, "a Response", response, "events of the Realtime API are not read"
            )
        if kind in _STREAM_ENDS:
            self._stream.clear()
            self.read_response(mapping(event.get("response"), place), place)
        elif kind == "response.created":
            self._break_off()
        else:
            self._stream.note(kind, event, where)

    def _break_off(self) -> None:
        """Read the items of a stream that broke off before its last event."""
        streamed = self._stream.take()
        if streamed:
            self._turn()
            for item, place in streamed:
                self._read(item, place)
            self._recorder.stop(INCOMPLETE)

    def _message(self, item: Mapping[str, Any], where: str) -> None:
        refuse_foreign(item, FORMAT, where)
        refuse_held(item, (), where)
        role = item.get("role")
        if role == "assistant":
            self._assistant(item, where)
        elif role == "user":
            self._parts(item, f"{where}.content")
            self._turn()
            self._recorder.user()
        elif role not in ("system", "developer"):
            wanted = "an item with 'type', or the role user, assistant, system or developer"
            raise TraceFormatError(where, wanted, item)

    def _parts(self, item: Mapping[str, Any], where: str) -> list[tuple[Mapping[str, Any], str]]:
        """Return the parts of a message's content with their places; text is one part."""
        by_user = item.get("role") != "assistant"
        parts = content_parts(item.get("content"), where, by_user=by_user)
        for part, place in parts:
            refuse_foreign(part, FORMAT, place)
            refuse_call(part, place)
            text(part.get("type"), f"{place}.type")
        return parts

    def _assistant(self, item: Mapping[str, Any], where: str) -> None:
        join = False
        comments = item.get("phase") == _COMMENTARY
        self._commented = self._commented or (comments and not self._answered)
        for part, place in self._parts(item, f"{where}.content"):
            if part.get("type") == "refusal":
                self._recorder.refusal(text(part.get("refusal"), f"{place}.refusal"))
            elif part.get("type") in _TEXT_PARTS and not comments:
                piece = optional_text(part.get("text"), f"{place}.text") or ""
                self._recorder.text(piece, join=join)
                join = join or bool(piece.strip())
        if join:
            self._answered, self._commented = True, False
        status = optional_text(item.get("status"), f"{where}.status")
        if status in _UNFINISHED:
            self._recorder.stop(_UNFINISHED[status])
            self._commented = False

    def _function_call(self, item: Mapping[str, Any], where: str) -> None:
        name = text(item.get("name"), f"{where}.name")
        self._answered = False
        self._recorder.call(name, item.get("arguments"), _call_id(item, where))
        if item.get("status") == "incomplete":
            self._recorder.stop(CUT_OFF)

    def _custom_call(self, item: Mapping[str, Any], where: str) -> None:
        name = text(item.get("name"), f"{where}.name")
        free_text = text(item.get("input"), f"{where}.input")
        self._recorder.call(name, {"input": free_text}, _call_id(item, where))

    def _mcp_call(self, item: Mapping[str, Any], where: str) -> None:
        name = text(item.get("name"), f"{where}.name")
        output = optional_text(item.get("output"), f"{where}.output")
        error = _mcp_error(item.get("error"), f"{where}.error")
        status = optional_text(item.get("status"), f"{where}.status")
        if output is None and error is None and status not in ("completed", "failed"):
            self._recorder.call(name, item.get("arguments"), _call_id(item, where))
            return
        failed = True if error is None and status == "failed" else error
        self._recorder.answered_call(name, item.get("arguments"), text=output, error=failed)

    def _approval_request(self, _item: Mapping[str, Any], _where: str) -> None:
        self._recorder.stop(INCOMPLETE)

    def _approval_response(self, _item: Mapping[str, Any], _where: str) -> None:
        self._turn()
        self._recorder.user()

    def _hosted(self, item: Mapping[str, Any], where: str) -> None:
        self._recorder.hosted(text(item.get("type"), f"{where}.type"), _call_id(item, where))

    def _hosted_tool(self, item: Mapping[str, Any], where: str) -> None:
        self._recorder.hosted(text(item.get("name"), f"{where}.name"), _call_id(item, where))

    def _built_in(self, item: Mapping[str, Any], where: str) -> None:
        kind = text(item.get("type"), f"{where}.type")
        searched_there = kind == "tool_search_call" and item.get("execution") != "client"
        if runs_in_container(item, where) or searched_there:
            self._hosted(item, where)
            return
        arguments = built_in_arguments(item, kind)
        self._recorder.call(kind.removesuffix("_call"), arguments, _call_id(item, where))

    def _output(self, item: Mapping[str, Any], where: str) -> None:
        output = plain(item.get("output"))
        if isinstance(output, Mapping) and output.get("type") == "text":
            output = [output]
        result = (
            json_text(output)
            if isinstance(output, Mapping)
            else parts_text(output, f"{where}.output")
        )
        error = True if item.get("status") == "failed" else None
        self._answer(item, where, result, error)

    def _shell_output(self, item: Mapping[str, Any], where: str) -> None:
        self._answer(item, where, *shell_result(item.get("output"), where))

    def _search_output(self, item: Mapping[str, Any], where: str) -> None:
        if item.get("execution") == "client":
            self._answer(item, where, json_text(item.get("tools")), None)

    def _answer(self, item: Mapping[str, Any], where: str, result: str, error: bool | None) -> None:
        call_id = identifier(either(item, "callId", "call_id"), f"{where}.call_id")
        if call_id is None and item.get("type") == "local_shell_call_output":
            call_id = identifier(item.get("id"), f"{where}.id")
        self._recorder.result(call_id, text=result, error=error)
        self._turn()


def _call_id(item: Mapping[str, Any], where: str) -> str | int | None:
    own = identifier(either(item, "callId", "call_id"), f"{where}.call_id")
    return identifier(item.get("id"), f"{where}.id") if own is None else own


def _mcp_error(error: Any, where: str) -> str | None:
    """Return the text of an MCP call's error: text in older responses, else one of three shapes."""
    error = plain(error)
    if error is None or isinstance(error, str):
        return error
    whole = mapping(error, where)
    if isinstance(whole.get("message"), str):
        return str(whole["message"])
    content = whole.get("content")
    said = parts_text(content, f"{where}.content") if content is not None else ""
    return said or json_text(whole)
