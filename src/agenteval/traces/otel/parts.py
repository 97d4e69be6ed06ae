"""The parts and blocks of messages in spans, in the shapes of every provider.

Instrumentations pass on what a provider's API has, so a call can be a part of the GenAI
conventions, a block of Anthropic's or Bedrock's, a part of Gemini's or the AI SDK's, or an item of
OpenAI's Responses API. One in another shape is refused: it would be lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenteval.traces.call_shapes import bears_call, refuse_call
from agenteval.traces.encoded import encoded_parts
from agenteval.traces.endings import says_failed
from agenteval.traces.gemini import response_error
from agenteval.traces.marks import part_mark
from agenteval.traces.otel.items import read_item
from agenteval.traces.otel.said import Result, Said
from agenteval.traces.otel.texts import block_words, call_in_text, response_text
from agenteval.traces.reading import (
    either,
    identifier,
    json_text,
    mapping,
    optional_sequence,
    optional_text,
    plain,
    sequence,
    text,
)

__all__ = ["has_results", "is_part", "read_call", "read_content", "read_gemini", "read_part"]

_TEXTS = ("text", "output_text")
_HOSTED = ("server_tool_call", "server_tool_use", "mcp_tool_use")
_CALLS = ("tool_call", "tool-call", "tool_use", "invalid_tool_call", "function")
_RESULTS = ("tool_result", "tool-result", "tool-error", "function_call_output")
_RESULT_KEYS = ("toolResult", "functionResponse", "function_response")
_OF_A_MESSAGE = ("content", "tool_calls", "function_call")
_NAMES = ("name", "toolName")
_IDS = ("id", "call_id", "toolCallId")
_ARGUMENTS = ("arguments", "args", "input")
_FAILED_OUTPUTS = ("error-text", "error-json", "execution-denied")


def read_content(content: Any, said: Said, where: str) -> None:
    """Read a message's content: text, blocks, or an answer in a structure.

    Attributes hold no structures, so blocks are JSON text in many of them.

    Raises:
        TraceFormatError: A block has the wrong kind, or is a call in a shape that is not known.
    """
    content = plain(content)
    if content is None or isinstance(content, str):
        parts = encoded_parts(content or "", by_user=said.role != "assistant")
        if not parts:
            said.texts.append(content or "")
            return
        content = parts
    if isinstance(content, Mapping):
        if "parts" in content:
            read_gemini(content, said, where)
            return
        if not (part_mark(content) and bears_call(content)):
            said.texts.append(json_text(content))  # an answer in a structure
            return
        content = [content]
    for at, one in enumerate(sequence(content, where)):
        place = f"{where}[{at}]"
        if isinstance(one, str):
            said.texts.append(one)
        else:
            read_part(mapping(one, place), said, place)


def read_gemini(content: Mapping[str, Any], said: Said, where: str) -> None:
    """Read a Gemini content, which ADK's spans and events hold.

    Raises:
        TraceFormatError: A part has the wrong kind, or is a call in a shape that is not known.
    """
    for at, one in enumerate(optional_sequence(content.get("parts"), f"{where}.parts")):
        place = f"{where}.parts[{at}]"
        read_part(mapping(one, place), said, place)


def has_results(content: Any) -> bool:
    """Say whether a content has blocks that are the results of calls."""
    return isinstance(content, (list, tuple)) and any(
        isinstance(block, Mapping)
        and (block.get("type") in _RESULTS or any(key in block for key in _RESULT_KEYS))
        for block in content
    )


def is_part(record: Mapping[str, Any]) -> bool:
    """Say whether a record that stands for a message is what a part is elsewhere."""
    if part_mark(record) is not None or any(key in record for key in _RESULT_KEYS):
        return True
    return bears_call({key: one for key, one in record.items() if key not in _OF_A_MESSAGE})


def read_part(part: Mapping[str, Any], said: Said, where: str) -> None:
    """Read one part or block of a message.

    Raises:
        TraceFormatError: A field has the wrong kind, or it is a call in a shape that is not known.
    """
    kind = optional_text(part.get("type"), f"{where}.type")
    if _read_wrapped(part, said, where):
        return
    if kind in _HOSTED or (kind in _CALLS and _ran_there(part)):
        said.host(text(_first(part, _NAMES), f"{where}.name"))
    elif kind in _CALLS:
        read_call(part, said, where)
    elif kind == "tool_call_response":
        if part.get("builtin") is not True:
            result = part.get("response", part.get("result"))
            said.results.append(Result(identifier(part.get("id"), f"{where}.id"), _words(result)))
    elif kind == "tool_result":
        call_id = identifier(part.get("tool_use_id"), f"{where}.tool_use_id")
        failed = part.get("is_error") is True or None
        said.results.append(Result(call_id, block_words(part.get("content")), error=failed))
    elif kind in ("tool-result", "tool-error"):
        said.results.append(_ai_sdk_result(part, where))
    elif kind == "refusal":
        refusal = optional_text(part.get("refusal", part.get("content")), f"{where}.refusal")
        said.refuse(refusal or "")
    elif kind is None or kind in _TEXTS:
        _read_text(part, kind, said, where)
    elif not read_item(part, kind, said, where):
        refuse_call(part, where)


def _words(result: Any) -> str:
    return response_text(plain(result))


def _read_wrapped(part: Mapping[str, Any], said: Said, where: str) -> bool:
    """Read what stands under a key that names it: blocks of Bedrock's and parts of Gemini's."""
    for camel, snake, read in (
        ("toolUse", "tool_use", _tool_use),
        ("toolResult", "tool_result", _tool_result),
        ("functionCall", "function_call", _function_call),
        ("functionResponse", "function_response", _function_response),
        ("toolCall", "tool_call", _gemini_s_own),
    ):
        inner = plain(either(part, camel, snake))
        if inner is not None:
            read(mapping(inner, f"{where}.{camel}"), said, f"{where}.{camel}")
            return True
    return False


def _tool_use(use: Mapping[str, Any], said: Said, where: str) -> None:
    call_id = identifier(use.get("toolUseId"), f"{where}.toolUseId")
    said.ask(text(use.get("name"), f"{where}.name"), use.get("input"), call_id)


def _tool_result(result: Mapping[str, Any], said: Said, where: str) -> None:
    call_id = identifier(result.get("toolUseId"), f"{where}.toolUseId")
    failed = says_failed(result.get("status")) or None
    said.results.append(Result(call_id, block_words(plain(result.get("content"))), error=failed))


def _function_call(call: Mapping[str, Any], said: Said, where: str) -> None:
    name = text(call.get("name"), f"{where}.name")
    arguments = call.get("args", call.get("arguments"))
    said.ask(name, arguments, identifier(call.get("id"), f"{where}.id"))


def _function_response(response: Mapping[str, Any], said: Said, where: str) -> None:
    call_id = identifier(response.get("id"), f"{where}.id")
    answer = plain(response.get("response"))
    named = optional_text(response.get("name"), f"{where}.name")
    error = response_error(answer)
    said.results.append(Result(call_id, json_text(answer), name=named, error=error))


def _gemini_s_own(call: Mapping[str, Any], said: Said, where: str) -> None:
    """Note the use of a tool that Gemini ran itself, unless it is a call under that key."""
    refuse_call(call, where)
    said.host(optional_text(either(call, "toolType", "tool_type"), f"{where}.toolType") or "tool")


def _ran_there(part: Mapping[str, Any]) -> bool:
    return part.get("builtin") is True or bool(part.get("providerExecuted"))


def read_call(call: Mapping[str, Any], said: Said, where: str) -> None:
    """Read a call with its name, its arguments and its id, or with OpenAI's ``function``."""
    function = plain(call.get("function"))
    place = where if function is None else f"{where}.function"
    inner = call if function is None else mapping(function, place)
    name = text(_first(inner, _NAMES), f"{place}.name")
    said.ask(name, _first(inner, _ARGUMENTS), identifier(_first(call, _IDS), f"{where}.id"))


def _first(record: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((record[key] for key in keys if record.get(key) is not None), None)


def _ai_sdk_result(part: Mapping[str, Any], where: str) -> Result:
    call_id = identifier(part.get("toolCallId"), f"{where}.toolCallId")
    if part.get("type") == "tool-error":
        return Result(call_id, json_text(part.get("error")), error=True)
    output = plain(part.get("output", part.get("result")))
    failed = bool(part.get("isError"))
    if "output" in part and isinstance(output, Mapping) and isinstance(output.get("type"), str):
        failed = output["type"] in _FAILED_OUTPUTS
        output = output.get("value", output.get("reason"))
    return Result(call_id, response_text(plain(output)), error=failed or None)


def _read_text(part: Mapping[str, Any], kind: str | None, said: Said, where: str) -> None:
    words = part.get("text") if kind is None else part.get("content", part.get("text"))
    if isinstance(words, Mapping) and isinstance(words.get("value"), str):
        words = words["value"]  # of the Assistants API
    if kind is None:
        refuse_call(part, where)
    if part.get("thought"):
        return
    said_so = optional_text(words, f"{where}.{'text' if kind is None else 'content'}") or ""
    call = call_in_text(said_so)
    if call is not None:
        said.ask(*call)
    elif kind is not None or words is not None:
        read_content(said_so, said, where)
