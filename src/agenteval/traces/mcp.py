"""MCP: a log of JSON-RPC messages, of which ``tools/call`` requests are the calls.

A tool fails in one of two ways, and both are an error here: a result with ``isError``, or a
JSON-RPC ``error`` in place of a result. A server may put off the result: it asks back (a result
``input_required``, after which the client sends the request again with its answer), or makes a task
of the call, whose result comes with ``tasks/result`` or, later, with ``tasks/get``. Either way it
stays one call.

The protocol has names such as ``isError``; the Python SDK's objects, from its second version on,
have ``is_error`` for that. Both are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from agenteval.records import AgentResult
from agenteval.traces.errors import TraceFormatError
from agenteval.traces.marks import CERTAIN, NO, Likeness
from agenteval.traces.reading import (
    either,
    flag,
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
from agenteval.traces.recorder import IsError, Recorder

__all__ = ["FORMAT", "from_mcp", "looks_like"]

FORMAT = "mcp"

_CALL = "tools/call"
_TASK_RESULT = "tasks/result"
_QUESTION = "input_required"
_TASK = "task"
_NO_CALL = "no call"  # the id of an answer that belongs to no call; those of calls are numbers
_UNKNOWN_METHOD = -32601  # a tool that is not known is another error
_SENDERS = ("direction", "sender", "from", "source", "origin")
_STATE = ("requestState", "request_state")  # the protocol's name, and the Python SDK's
_INPUTS = ("inputResponses", "input_responses")
_KIND = ("resultType", "result_type")
_FAILED = ("isError", "is_error")
_STRUCTURED = ("structuredContent", "structured_content")
_TASK_ID = ("taskId", "task_id")
_CLIENT_ACTIONS = ("accept", "decline", "cancel")


class _Request(NamedTuple):
    """A request that waits for its answer."""

    at: int
    """How many requests were before it."""
    call: int | None
    """The call that it is part of; ``None`` for another method."""
    params: Any


def looks_like(trace: Any) -> Likeness:
    """Say how much a trace looks like a log of MCP messages."""
    if isinstance(trace, Mapping) and isinstance(trace.get("messages"), (list, tuple)):
        trace = trace["messages"]
    if isinstance(trace, (list, tuple)):
        return CERTAIN if any(_is_rpc(one) for one in _flat(trace)) else NO
    return CERTAIN if _is_rpc(trace) else NO


def _is_rpc(record: Any) -> bool:
    record = plain(record)
    if not isinstance(record, Mapping):
        return False
    message = _unwrapped(record)
    return "jsonrpc" in message or message.get("method") == _CALL


def _flat(messages: Any) -> Iterator[Any]:
    """Yield the messages of a log; a batch is a list of them."""
    for one in messages:
        if isinstance(one, (list, tuple)):
            yield from one
        else:
            yield one


def from_mcp(trace: Any, *, is_error: IsError | None = None) -> AgentResult:
    """Read a log of MCP messages: which tools were called, and which calls failed.

    Args:
        trace: JSON-RPC requests and responses in the order they were logged, also of other methods
            and of both directions; batches are lists among them. As parsed JSON or as the SDK's
            objects.
        is_error: A predicate on a result's text that says whether the tool failed, for servers
            that do not say so.

    Returns:
        `AgentResult` with ``status``, ``answer``, ``tool_calls``, ``tools_used``, ``calls`` and
        ``trace``. The log ends before the agent's answer, so ``answer`` is ``None`` and ``status``
        ``"incomplete"``.

    Raises:
        TraceFormatError: It has no request at all, or a record inside has the wrong kind.

    >>> result = from_mcp(
    ...     [
    ...         {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ping"}},
    ...         {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "Unknown tool"}},
    ...     ]
    ... )
    >>> result["calls"]
    [Call(name='ping', args={}, error='Unknown tool')]
    """
    whole = opened(trace, "from_mcp", "a list of MCP messages (JSON-RPC)")
    recorder = Recorder(FORMAT, is_error=is_error)
    log = _Log(recorder)
    for place, message in _messages(whole):
        log.read(_unwrapped(mapping(message, place)), place)
    if not log.requests:
        raise TraceFormatError(
            "from_mcp", f"a log with {_CALL!r} requests", trace, "it has no request at all"
        )
    return recorder.finish(trace)


def _messages(trace: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(trace, Mapping):
        if "messages" not in trace:
            yield "from_mcp: message", trace
            return
        trace = sequence(trace["messages"], "from_mcp: messages")
    for at, one in enumerate(trace):
        if isinstance(one, (list, tuple)):  # a batch
            for within, inner in enumerate(one):
                yield f"from_mcp: [{at}][{within}]", inner
        else:
            yield f"from_mcp: [{at}]", one


def _unwrapped(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a message, with what a log noted of its direction, out of the log's own record."""
    inner = plain(record.get("message"))
    if not isinstance(inner, Mapping) or "jsonrpc" not in inner:
        return record
    return {**{key: record[key] for key in _SENDERS if key in record}, **inner}


class _Log:
    """Reads the messages one after the other.

    Client and server number their requests independently, so an answer can have the number of a
    request of either. What is open is kept by number, and there by who sent it and whether it is
    part of a call, the newest last.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.requests = 0
        self._calls = 0
        self._open: dict[str | int, dict[tuple[str | None, bool], list[_Request]]] = {}
        self._questions: dict[str, list[_Request]] = {}
        self._replied: set[int] = set()
        self._tasks: dict[str, int] = {}

    def read(self, message: Mapping[str, Any], where: str) -> None:
        number = identifier(message.get("id"), f"{where}.id")
        if message.get("method") is not None:
            self._request(message, number, where)
        elif message.get("error") is not None or "result" in message:
            self._answer(message, number, where)
        else:
            raise TraceFormatError(where, "'method', 'result' or 'error'", message)

    def _request(self, message: Mapping[str, Any], number: str | int | None, where: str) -> None:
        self.requests += 1
        method = text(message["method"], f"{where}.method")
        params = plain(message.get("params"))
        call = None
        if method == _CALL:
            call = self._call(mapping(params, f"{where}.params"), f"{where}.params")
        elif method == _TASK_RESULT:
            call = self._tasks.get(_task_id(params))
        if number is None:
            return
        if method != _CALL:
            self.recorder.user()
        kind = (_sender(message), call is not None)
        request = _Request(self.requests, call, params)
        self._open.setdefault(number, {}).setdefault(kind, []).append(request)

    def _call(self, params: Mapping[str, Any], where: str) -> int:
        """Return the call of a request; one that brings what the server asked for is no new one."""
        name = text(params.get("name"), f"{where}.name")
        if any(either(params, *names) is not None for names in (_INPUTS, _STATE)):
            for key in _question_keys(params, either(params, *_STATE)):
                asked = self._questions.get(key, [])
                while asked:
                    request = asked.pop()
                    if request.call is not None and request.at not in self._replied:
                        self._replied.add(request.at)
                        return request.call
        self._calls += 1
        self.recorder.call(name, params.get("arguments"), self._calls)
        return self._calls

    def _answer(self, message: Mapping[str, Any], number: str | int | None, where: str) -> None:
        error = optional_mapping(message.get("error"), f"{where}.error")
        request = None if number is None else self._answered(message, error, number)
        result = optional_mapping(message.get("result"), f"{where}.result") or {}
        if request is None:
            self.recorder.result(_NO_CALL)
        elif request.call is None:
            self._polled(request, result, f"{where}.result")
        elif error is not None or not self._goes_on(request, result):
            self._settle(request.call, error, result, where)

    def _settle(
        self,
        call: int,
        error: Mapping[str, Any] | None,
        result: Mapping[str, Any],
        where: str,
    ) -> None:
        if error is not None:
            said = optional_text(error.get("message"), f"{where}.error.message")
            self.recorder.result(call, error=said or json_text(error))
            return
        said = parts_text(result.get("content"), f"{where}.result.content")
        self.recorder.result(
            call,
            text=said or json_text(either(result, *_STRUCTURED)),
            error=flag(either(result, *_FAILED), f"{where}.result.isError"),
        )

    def _polled(self, request: _Request, state: Mapping[str, Any], where: str) -> None:
        """Read the state of a task: in the newer protocol it brings the result, once there is one.

        The states that a client sees before have neither.
        """
        error = optional_mapping(state.get("error"), f"{where}.error")
        result = optional_mapping(state.get("result"), f"{where}.result")
        if error is None and result is None:
            return
        call = self._tasks.pop(_task_id(request.params), None)
        if call is not None:
            self._settle(call, error, result or {}, where)

    def _goes_on(self, request: _Request, result: Mapping[str, Any]) -> bool:
        """Note that a call has no result yet: its server asks back, or made a task of it."""
        kind = either(result, *_KIND)
        task = _task_id(result if kind == _TASK else result.get("task"))
        if task and request.call is not None:
            self._tasks[task] = request.call
        elif kind == _QUESTION:
            for key in _question_keys(request.params, either(result, *_STATE)):
                self._questions.setdefault(key, []).append(request)
        else:
            return False
        return True

    def _answered(
        self, message: Mapping[str, Any], error: Mapping[str, Any] | None, number: str | int
    ) -> _Request | None:
        """Take the request that a message answers off what is open; ``None`` where there is none.

        No side answers itself. Of the requests that are left under a number, the answer's shape
        tells whether it is that of a call; an error is that of the newest, for while a tool works
        its server may ask the client something.
        """
        sender = _sender(message)
        fitting = [
            (of_call, waiting)
            for (asker, of_call), waiting in self._open.get(number, {}).items()
            if waiting and (sender is None or asker != sender)
        ]
        kinds = {of_call for of_call, _ in fitting}
        if error is not None:
            if error.get("code") == _UNKNOWN_METHOD and False in kinds:
                kinds = {False}
        elif _is_client_s(message.get("result")):
            kinds = {False}
        elif len(kinds) > 1:
            kinds = {_is_tool_result(message.get("result"))}
        newest = max(
            (waiting for of_call, waiting in fitting if of_call in kinds),
            key=lambda waiting: waiting[-1].at,
            default=None,
        )
        return newest.pop() if newest else None


def _sender(message: Mapping[str, Any]) -> str | None:
    """Return the side that sent a message, in whatever words the log has for it."""
    for key in _SENDERS:
        if isinstance(message.get(key), str):
            return f"{key} {message[key]}"
    return None


def _task_id(record: Any) -> str:
    record = plain(record)
    found = either(record, *_TASK_ID) if isinstance(record, Mapping) else None
    return found if isinstance(found, str) else ""


def _question_keys(params: Mapping[str, Any], state: Any) -> list[str]:
    """Return what a request that a server answered with a question shares with the next one.

    Best is the state, which the server hands out to get it back; not every question has one.
    """
    own = json_text([params.get("name"), params.get("arguments")])
    return [own] if state is None else [json_text({"requestState": state}), own]


def _is_tool_result(result: Any) -> bool:
    result = plain(result)
    return isinstance(result, Mapping) and (
        isinstance(plain(result.get("content")), (list, tuple))
        or any(field in result for field in (*_FAILED, *_STRUCTURED, "task"))
        or either(result, *_KIND) in (_QUESTION, _TASK)
    )


def _is_client_s(result: Any) -> bool:
    """Say whether a result is a client's answer to what a server asked it."""
    result = plain(result)
    return isinstance(result, Mapping) and (
        isinstance(plain(result.get("roots")), (list, tuple))
        or ("role" in result and "content" in result)
        or result.get("action") in _CLIENT_ACTIONS
    )
