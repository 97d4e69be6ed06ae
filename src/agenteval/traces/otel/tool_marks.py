"""How a span says that it is a tool's, and which one's, in each of the conventions in use."""

from __future__ import annotations

import re

from agenteval.traces.errors import TraceFormatError
from agenteval.traces.otel.spans import Span

__all__ = ["HANDOFF", "is_mcp_call", "is_output_function", "kind_of", "tool_name"]

HANDOFF = "handoff to "
_MCP_CALL = "tools/call"
_MERGED = "(merged tools)"  # ADK's span of what parallel calls returned together: no call
_OUTPUT_FUNCTION = "running output function"
_NAMES = ("gen_ai.tool.name", "tool.name", "mcp.tool.name", "ai.toolCall.name")
_NAMING = ("execute_tool ", f"{_MCP_CALL} ", "running tool: ")  # a span's name before the tool's
_BARE = ("execute_tool", "ai.toolCall")
_RUNS_TOOL = (  # operations; the first is that of the conventions
    "execute_tool",
    "ai.toolcall",
    "call_tool",
    "invoke_tool",
    "run_tool",
    "tool",
    "tool_call",
    "tool_execution",
    "use_tool",
)
_OTHER_OPERATIONS = (
    "chat",
    "create_agent",
    "embeddings",
    "generate_content",
    "invoke_agent",
    "invoke_workflow",
    "retrieval",
    "text_completion",
)
_OTHER_KINDS = (  # of what a span is, in the words of stores that take spans
    "langfuse.observation.type",
    "langsmith.span.kind",
    "mlflow.spanType",
)
_KINDS_OF_ANYTHING = ("", "CHAIN", "TASK", "UNKNOWN")  # they say nothing of what ran
_ARGUMENTS = (
    "ai.toolCall.args",
    "ai.toolCall.input",
    "gen_ai.tool.arguments",
    "gen_ai.tool.call.arguments",
    "tool_arguments",
)
_OF_A_CALL = ("ai.toolCall.id", "gen_ai.tool.call.id", "gen_ai.tool.call.result")


def kind_of(span: Span) -> str:
    """Return what OpenInference or Traceloop call a span, in capitals: ``"TOOL"``, ``"LLM"``."""
    word = span.text("openinference.span.kind", "traceloop.span.kind") or ""
    return word.upper()


def is_output_function(span: Span) -> bool:
    """Say whether a span is of a function that makes Pydantic AI's answer, and not of a tool."""
    return any(
        name is not None and name.startswith(_OUTPUT_FUNCTION)
        for name in (span.name, span.text("logfire.msg"))
    )


def is_mcp_call(span: Span) -> bool:
    """Say whether a span is that of an MCP client or server which hands on a call."""
    method = span.text("mcp.method.name")
    return method == _MCP_CALL or (method is None and span.name.startswith(f"{_MCP_CALL} "))


def tool_name(span: Span) -> str | None:
    """Return the name of the tool whose call a span is; ``None`` where it is no tool's.

    Raises:
        TraceFormatError: An attribute has the wrong kind, or the name of the tool is missing.
    """
    named = span.text(*_NAMES)
    if is_output_function(span) or not (_is_marked(span) or _shows_a_call(span, named)):
        return None
    name = named or _name_in(span)
    return None if name == _MERGED else name


def _is_marked(span: Span) -> bool:
    """Say whether a span says that it is a tool's, be its name where it may."""
    operation, kind = _operation(span), kind_of(span)
    if operation in _RUNS_TOOL or kind == "TOOL" or is_mcp_call(span):
        return True
    if operation is None and not kind:
        return span.name in _BARE or span.name.startswith(_NAMING) or _is_tool_elsewhere(span)
    return False


def _operation(span: Span) -> str | None:
    """Return the operation in small letters, with the dashes of the conventions."""
    found = span.text("gen_ai.operation.name", "ai.operationId")
    return None if found is None else found.lower().replace("-", "_").replace(" ", "_")


def _is_tool_elsewhere(span: Span) -> bool:
    found = span.text(*_OTHER_KINDS)
    return found is not None and found.strip('"').lower() == "tool"


def _shows_a_call(span: Span, named: str | None) -> bool:
    """Say whether a span that does not say what it is has the attributes of a tool's call."""
    operation = _operation(span)
    if operation in _OTHER_OPERATIONS or kind_of(span) not in _KINDS_OF_ANYTHING:
        return False
    if named is not None and operation is None and span.name.startswith("running tool"):
        return True
    if named is not None:
        return any(span.attributes.get(key) is not None for key in (*_ARGUMENTS, *_OF_A_CALL))
    for key in _ARGUMENTS:
        if span.attributes.get(key) is not None:
            hint = f"the span {span.name!r} has the arguments of a call, which would be lost"
            raise TraceFormatError(f"{span.where}.attributes", f"{_NAMES[0]!r}", None, hint)
    return False


def _name_in(span: Span) -> str:
    """Return the tool's name from the span's, where no attribute has it."""
    entity = span.text("traceloop.entity.name")
    if entity is not None:
        return entity
    if span.name.startswith(HANDOFF):  # OpenAI's Agents SDK; the model called it transfer_to_...
        return "transfer_to_" + re.sub(r"\W", "_", span.name.removeprefix(HANDOFF)).lower()
    for prefix in (*_NAMING, f"{span.text('gen_ai.operation.name')} "):
        if span.name.startswith(prefix):
            return span.name.removeprefix(prefix)
    return span.name
