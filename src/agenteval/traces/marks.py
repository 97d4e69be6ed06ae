"""How sure a format is that a trace is its own, and the marks that tell the formats apart.

Each format module has:

- ``FORMAT``: its name, as in ``trace["format"]``; the importer is ``from_`` and this name;
- ``looks_like(trace) -> Likeness``: gets the whole trace (a mapping, a sequence, or text for the
  formats that are text), never raises, and is quick: it looks at keys, it does not read.

`CERTAIN` needs a mark that no other format has, such as a ``tool_use`` block. A conversation
without any call often has none: its shape is shared by several formats, which then all say
`POSSIBLE`. Two formats that are both `CERTAIN` are a mixture.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from agenteval.traces.errors import TraceFormatError
from agenteval.traces.reading import plain

__all__ = [
    "CERTAIN",
    "NO",
    "POSSIBLE",
    "Likeness",
    "message_mark",
    "objects_in",
    "part_mark",
    "refuse_foreign",
    "wrapping_mark",
]

Likeness = Literal[0, 1, 2]

NO: Likeness = 0
POSSIBLE: Likeness = 1
CERTAIN: Likeness = 2

_PART_TYPES = {
    "tool_use": "anthropic",
    "tool_result": "anthropic",
    "server_tool_use": "anthropic",
    "mcp_tool_use": "anthropic",
    "mcp_tool_result": "anthropic",
    "message_start": "anthropic",
    "message_delta": "anthropic",
    "message_stop": "anthropic",
    "content_block_start": "anthropic",
    "content_block_delta": "anthropic",
    "content_block_stop": "anthropic",
    "tool_call": "langchain",
    "invalid_tool_call": "langchain",
    "server_tool_call": "langchain",
    "tool_call_response": "otel",
    "tool-call": "vercel_ai",
    "tool-result": "vercel_ai",
    "tool-error": "vercel_ai",
    "tool-invocation": "vercel_ai",
    "dynamic-tool": "vercel_ai",
    "step-start": "vercel_ai",
    "input_text": "openai_responses",
    "output_text": "openai_responses",
}

_PART_KEYS = {
    "toolUse": "bedrock",
    "toolResult": "bedrock",
    "citationsContent": "bedrock",
    "reasoningContent": "bedrock",
    "guardContent": "bedrock",
    "cachePoint": "bedrock",
    "functionCall": "gemini",
    "functionResponse": "gemini",
    "function_call": "gemini",
    "function_response": "gemini",
}

_WRAPPINGS = (  # keys of a whole record, and the format that has them together
    (("jsonrpc",), "mcp"),
    (("epoch", "messages"), "inspect"),
    (("spanId",), "otel"),
    (("span_id",), "otel"),
    (("spanID",), "otel"),
    (("resourceSpans",), "otel"),
    (("lc", "kwargs"), "langchain"),
    (("author", "content"), "adk"),
    (("author", "invocation_id"), "adk"),
    (("author", "invocationId"), "adk"),
    (("candidates",), "gemini"),
    (("choices",), "openai_chat"),
    (("raw_item",), "openai_responses"),
    (("rawItem",), "openai_responses"),
)

_LANGCHAIN_KINDS = frozenset({"human", "ai", "tool", "function", "system", "AIMessageChunk"})

_ITEM_TYPES = frozenset(
    {
        "function_call",
        "function_call_output",
        "function_call_result",
        "computer_call_result",
        "hosted_tool_call",
        "custom_tool_call",
        "custom_tool_call_output",
        "mcp_call",
        "mcp_list_tools",
        "mcp_approval_request",
        "computer_call",
        "computer_call_output",
        "local_shell_call",
        "local_shell_call_output",
        "shell_call",
        "shell_call_output",
        "apply_patch_call",
        "apply_patch_call_output",
        "tool_search_call",
        "tool_search_output",
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "tool_call_item",
        "tool_call_output_item",
        "tool_approval_item",
        "tool_search_call_item",
        "tool_search_output_item",
        "message_output_item",
        "handoff_call_item",
        "handoff_output_item",
        "reasoning_item",
        "compaction_item",
        "mcp_approval_request_item",
        "mcp_approval_response_item",
        "mcp_list_tools_item",
    }
)


def objects_in(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a list as mappings, passing over everything else."""
    value = plain(value)
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)):
        for one in value:
            inner = plain(one)
            if isinstance(inner, Mapping):
                yield inner


def part_mark(part: Mapping[str, Any]) -> str | None:
    """Return the format whose mark a part of a message's content bears, or ``None``."""
    kind = part.get("type")
    if isinstance(kind, str):
        if kind in _PART_TYPES:
            return _PART_TYPES[kind]
        if kind.startswith("tool-"):
            return "vercel_ai"
        if kind.endswith("_tool_result"):
            return "anthropic"
        if kind in _ITEM_TYPES:
            return "openai_responses"
        return None
    for key in part:
        if key in _PART_KEYS and part[key] is not None:
            return _PART_KEYS[key]
    return None


def message_mark(message: Mapping[str, Any]) -> str | None:
    """Return the format whose mark a message itself bears, its content aside, or ``None``.

    >>> message_mark({"role": "assistant", "tool_calls": [{"id": "c1"}]})
    'openai_chat'
    """
    kind = message.get("type")
    if isinstance(kind, str) and kind in _ITEM_TYPES:
        return "openai_responses"
    if "role" not in message:
        return None
    if kind == "message" and "stop_reason" in message:
        return "anthropic"
    if "toolInvocations" in message:
        return "vercel_ai"
    if "parts" in message:
        return _mark_of_parts(message["parts"])
    if message.get("tool_calls") or message.get("tool_call_id") or message.get("function_call"):
        return "openai_chat"
    return None


def _mark_of_parts(parts: Any) -> str | None:
    """Return the mark of a message's ``parts``: Gemini's, the AI SDK's, or that of spans."""
    for part in objects_in(parts):
        if "type" not in part:
            return "gemini"
        if part["type"] in ("tool_call", "tool_call_response") or "content" in part:
            return "otel"
        return "vercel_ai"
    return None


def _record_mark(record: Mapping[str, Any]) -> str | None:
    if "role" in record:
        return message_mark(record)
    mark = part_mark(record)
    if mark is not None:
        return mark
    if record.get("type") in _LANGCHAIN_KINDS and ("data" in record or "content" in record):
        return "langchain"
    return wrapping_mark(record)


def wrapping_mark(record: Mapping[str, Any]) -> str | None:
    """Return the format whose wrapping a whole record has, or ``None``.

    >>> wrapping_mark({"id": 7, "epoch": 1, "messages": []})
    'inspect'
    """
    for keys, format_name in _WRAPPINGS:
        if all(key in record for key in keys):
            return format_name
    return None


def refuse_foreign(record: Mapping[str, Any], own: str, where: str) -> None:
    """Raise `TraceFormatError` where a record or a part of one bears another format's mark.

    What it stands for would be lost: to pass over it would turn a mixture into a shorter run.
    """
    kind = record.get("type")
    if kind is not None and not isinstance(kind, str):
        raise TraceFormatError(f"{where}.type", "text", kind)
    mark = _record_mark(record)
    if mark is not None and mark != own:
        raise TraceFormatError(
            where,
            f"a record of the format {own}",
            record,
            f"this one is of the format {mark}: use from_{mark}, or take the mixture apart",
        )
