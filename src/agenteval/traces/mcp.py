"""MCP: a log of JSON-RPC messages, of which ``tools/call`` requests are the calls.

A tool fails in one of two ways, and both are an error here: a result with ``isError``, or a
JSON-RPC ``error`` in place of a result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from agenteval.records import AgentResult
from agenteval.traces.errors import TraceFormatError
from agenteval.traces.marks import CERTAIN, NO, Likeness
from agenteval.traces.reading import (
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
_NO_CALL = "\0no call"  # the id of an answer that belongs to no call; no request can have it


def looks_like(trace: Any) -> Likeness:
    """Say how much a trace looks like a log of MCP messages."""
    if isinstance(trace, Mapping) and isinstance(trace.get("messages"), (list, tuple)):
        trace = trace["messages"]
    if isinstance(trace, (list, tuple)):
        return CERTAIN if any(_is_rpc(one) for one in _flat(trace)) else NO
    return CERTAIN if _is_rpc(trace) else NO


def _is_rpc(record: Any) -> bool:
    record = plain(record)
    return isinstance(record, Mapping) and ("jsonrpc" in record or record.get("method") == _CALL)


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
        log.read(mapping(message, place), place)
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


class _Log:
    """Reads the messages one after the other.

    Client and server number their requests independently, so an answer can have the number of a
    request of either; what is open is counted by number.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.requests = 0
        self._open_calls: Counter[str | int] = Counter()
        self._open_others: Counter[str | int] = Counter()

    def read(self, message: Mapping[str, Any], where: str) -> None:
        number = identifier(message.get("id"), f"{where}.id")
        if message.get("method") is not None:
            self.requests += 1
            if text(message["method"], f"{where}.method") == _CALL:
                self._call(message, number, where)
            elif number is not None:
                self._open_others[number] += 1
                self.recorder.user()
        elif message.get("error") is not None or "result" in message:
            self._answer(message, number, where)
        else:
            raise TraceFormatError(where, "'method', 'result' or 'error'", message)

    def _call(self, message: Mapping[str, Any], number: str | int | None, where: str) -> None:
        params = mapping(message.get("params"), f"{where}.params")
        name = text(params.get("name"), f"{where}.params.name")
        self.recorder.call(name, params.get("arguments"), number)
        if number is not None:
            self._open_calls[number] += 1

    def _answer(self, message: Mapping[str, Any], number: str | int | None, where: str) -> None:
        if number is None:
            number = _NO_CALL
        error = optional_mapping(message.get("error"), f"{where}.error")
        by_a_tool = error is not None or _is_tool_result(message.get("result"))
        calls, others = self._open_calls[number], self._open_others[number]
        if others and not (calls and by_a_tool):
            self._open_others[number] -= 1
            return
        self._open_calls[number] -= bool(calls)
        if error is not None:
            said = optional_text(error.get("message"), f"{where}.error.message")
            self.recorder.result(number, error=said or json_text(error))
            return
        result = optional_mapping(message.get("result"), f"{where}.result") or {}
        said = parts_text(result.get("content"), f"{where}.result.content")
        self.recorder.result(
            number,
            text=said or json_text(result.get("structuredContent")),
            error=True if result.get("isError") is True else None,
        )


def _is_tool_result(result: Any) -> bool:
    result = plain(result)
    return isinstance(result, Mapping) and (
        isinstance(plain(result.get("content")), (list, tuple)) or "structuredContent" in result
    )
