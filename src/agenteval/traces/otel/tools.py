"""Tool spans: a span that says that a tool ran is a call, in each of the conventions in use.

| convention | marked by | name, arguments, result |
|---|---|---|
| OpenTelemetry GenAI | ``gen_ai.operation.name`` | ``gen_ai.tool.name``, ``gen_ai.tool.call.*`` |
| the same, incomplete | a call's id, arguments or result | as above |
| Google ADK | the same | ``gcp.vertex.agent.tool_call_args``, ``.tool_response`` |
| Pydantic AI, older | the span's name | ``tool_arguments``, ``tool_response`` |
| MCP | ``mcp.method.name`` | as GenAI |
| OpenInference | ``openinference.span.kind`` | ``tool.name``, ``input.value``, ``output.value`` |
| Strands Agents | the same as GenAI | events, see `agenteval.traces.otel.tool_events` |
| Traceloop | ``traceloop.span.kind`` | ``traceloop.entity.name``, ``.input``, ``.output`` |
| AI SDK | the name ``ai.toolCall`` | ``ai.toolCall.name``, ``.args``, ``.result`` |
| MLflow, Langfuse, LangSmith | their word for its kind | the span's name, their in- and output |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenteval.traces.arguments import decode_arguments
from agenteval.traces.endings import says_failed
from agenteval.traces.gemini import response_error
from agenteval.traces.otel.spans import Span
from agenteval.traces.otel.tool_events import arguments_of, result_of
from agenteval.traces.otel.tool_marks import HANDOFF, is_mcp_call, tool_name
from agenteval.traces.otel.values import from_json, from_json_or
from agenteval.traces.reading import identifier, json_text

__all__ = ["UNRECORDED", "Tool", "object_in", "tool_of"]

UNRECORDED = object()
"""The arguments of a call that the trace does not hold: unknown, which is not the same as none."""

_FAILED_HANDOFF = "the span of the handoff has the status ERROR and no message"
_IDS = ("gen_ai.tool.call.id", "tool.id", "ai.toolCall.id")
_ARGUMENTS = (
    "gen_ai.tool.call.arguments",
    "gcp.vertex.agent.tool_call_args",
    "tool_arguments",
    "gen_ai.tool.arguments",
    "gen_ai.tool.input",
    "ai.toolCall.args",
    "ai.toolCall.input",
)
_WRAPPED = (  # arguments under names, or those of a function of Python's
    "traceloop.entity.input",
    "mlflow.spanInputs",
    "langfuse.observation.input",
    "gen_ai.prompt",
)
_RESULTS = (
    "gen_ai.tool.call.result",
    "gen_ai.tool.output",
    "ai.toolCall.result",
    "ai.toolCall.output",
    "mlflow.spanOutputs",
    "langfuse.observation.output",
    "gcp.vertex.agent.tool_response",
    "tool_response",
    "output.value",
    "traceloop.entity.output",
    "gen_ai.completion",
    "gen_ai.tool.message",
)


class Tool:
    """One call as a tool span shows it."""

    __slots__ = ("arguments", "deferred", "error", "id", "is_mcp", "name", "result", "span")

    def __init__(self, span: Span, name: str, *, is_mcp: bool) -> None:
        self.span = span
        self.name = name
        self.is_mcp = is_mcp
        self.arguments: Any = UNRECORDED
        self.id: str | int | None = None
        self.result: str | None = None
        self.error: bool | str | None = None
        self.deferred = False

    def absorb(self, inner: Tool) -> None:
        """Take over what only a nested span of the same call recorded."""
        if self.arguments is UNRECORDED:
            self.arguments = inner.arguments
        if self.result is None:
            self.result = inner.result
        self.error = self.error or inner.error
        self.id = inner.id if self.id is None else self.id


def tool_of(span: Span) -> Tool | None:
    """Return the call that a span stands for, or ``None`` when it is no tool span.

    Raises:
        TraceFormatError: An attribute has the wrong kind.
    """
    name = tool_name(span)
    if name is None:
        return None
    tool = Tool(span, name, is_mcp=is_mcp_call(span))
    where = f"{span.where}.attributes"
    found = next((span.attributes[key] for key in _IDS if key in span.attributes), None)
    tool.id = identifier(found, f"{where}[tool call id]")
    tool.arguments = _arguments(span)
    _read_result(tool, span)
    tool.deferred = span.attributes.get("pydantic_ai.tool.deferral.name") is not None
    if tool.deferred:
        tool.error = None  # the tool was put off by an exception; nothing failed
    return tool


def _arguments(span: Span) -> Any:
    for key in _ARGUMENTS:
        if span.attributes.get(key) is not None:
            return span.attributes[key]
    for key in _WRAPPED:
        if span.attributes.get(key) is not None:
            return _wrapped_input(span.attributes[key])
    given = _openinference_input(span)
    return arguments_of(span, UNRECORDED) if given is UNRECORDED else given


def _wrapped_input(raw: Any) -> Any:
    """Take the arguments out of what decorators and Traceloop's LangChain handler write."""
    try:
        found = from_json(raw)
    except ValueError:
        return raw if isinstance(raw, str) and raw.lstrip().startswith("{") else {"_raw": raw}
    if not isinstance(found, Mapping):
        return {"_raw": json_text(raw)}
    if "input_str" in found and isinstance(found.get("inputs"), Mapping):
        return found["inputs"]
    if set(found) == {"args", "kwargs"} and isinstance(found["kwargs"], Mapping):
        return {**found["kwargs"], **({"args": found["args"]} if found["args"] else {})}
    return found


def _openinference_input(span: Span) -> Any:
    """Return ``input.value``, or ``tool.parameters`` where that is no schema of the tool.

    LangChain's instrumentation writes a dict as Python shows it; a tool that takes one text has
    just that text, which is no fault.
    """
    raw = span.attributes.get("input.value")
    parameters = span.attributes.get("tool.parameters")
    if raw is not None and not span.name.startswith(HANDOFF):
        found = object_in(raw)
        if found is not None:
            return found
    if parameters is not None:
        found = object_in(parameters)
        if found is not None and "properties" not in found and "$schema" not in found:
            return found
    if raw is None or span.name.startswith(HANDOFF):  # there it is the agent that hands over
        return UNRECORDED
    return raw if span.text("input.mime_type") == "application/json" else {"_raw": json_text(raw)}


def object_in(raw: Any) -> dict[str, Any] | None:
    """Return the object that a value is, or holds as JSON or as Python shows it, or ``None``."""
    found, problem = decode_arguments(raw)
    if problem is None:
        return found
    return _literal(raw) if isinstance(raw, str) and raw.lstrip().startswith("{") else None


def _literal(raw: str) -> dict[str, Any] | None:
    """Return a dict that was written as Python shows it."""
    import ast  # here, because importing agenteval must stay quick
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes inside the text, which is not ours
            literal = ast.literal_eval(raw.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    if not isinstance(literal, dict):
        return None
    return {str(key): one for key, one in literal.items()}


def _read_result(tool: Tool, span: Span) -> None:
    tool.error = _failure(span)
    for key in _RESULTS:
        raw = span.attributes.get(key)
        if raw is None or (key == "output.value" and span.name.startswith(HANDOFF)):
            continue  # a handoff's output is the name of the agent that takes over
        tool.result = json_text(raw)
        if tool.error is None:
            tool.error = _told_by(key, raw)
        if tool.id is None and key == "output.value":
            message = _tool_message(raw)
            call_id = None if message is None else message.get("tool_call_id")
            tool.id = call_id if isinstance(call_id, str) else None
        return
    noted = result_of(span)
    if noted is not None:
        tool.result = noted.text
        tool.error = noted.error if tool.error is None else tool.error


def _told_by(key: str, raw: Any) -> bool | str | None:
    """Return what a result itself says of a failure, in the conventions that have a way to."""
    if key == "gcp.vertex.agent.tool_response":
        return response_error(from_json_or(raw, None))
    if key == "output.value":
        message = _tool_message(raw)
        if message is not None and says_failed(message.get("status")):
            return json_text(message.get("content"))
    return None


def _tool_message(raw: Any) -> Mapping[str, Any] | None:
    """Return LangChain's tool message, where a result is one."""
    found = from_json_or(raw, None)
    return found if isinstance(found, Mapping) and "tool_call_id" in found else None


def _failure(span: Span) -> bool | str | None:
    """Return what a span says went wrong: its status, an exception, its ``error.type``."""
    exception = None
    for event in span.events:
        if event.name in ("exception", "error") or "exception.type" in event.attributes:
            for key in ("exception.message", "message", "exception.type"):
                exception = exception or event.attributes.get(key)
            exception = json_text(exception) or "exception"
    kind = span.text("error.type")
    told = span.text("gen_ai.tool.status", "tool.status")
    failed = span.failed or kind is not None or (exception is not None and not span.ok)
    if told is not None and told.lower() not in ("success", "ok", "completed"):
        failed = True
    if not failed:
        return None
    words = span.why or exception or span.text("error.message") or kind
    if not words and span.name.startswith(HANDOFF):
        return _FAILED_HANDOFF
    return words or True
