"""Messages whose fields an exporter spread over attributes with numbers in their names.

OpenInference writes ``llm.output_messages.0.message.tool_calls.0.tool_call.function.name``, older
Traceloop ``gen_ai.completion.0.tool_calls.0.name``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenteval.traces.call_shapes import refuse_call
from agenteval.traces.otel.messages import openai_message, read_calls
from agenteval.traces.otel.parts import read_content
from agenteval.traces.otel.said import Result, Said
from agenteval.traces.otel.values import from_json_or
from agenteval.traces.reading import identifier, json_text, mapping, optional_text, text

__all__ = ["flattened_inputs", "flattened_outputs"]


def flattened_outputs(attributes: Mapping[str, Any], where: str) -> list[Said]:
    """Return what the model said, as the attributes of its span have it."""
    return _openinference(attributes, "llm.output_messages.", where) or _prompts(
        attributes, "gen_ai.completion.", where
    )


def flattened_inputs(attributes: Mapping[str, Any], where: str) -> list[Said]:
    """Return what the model was given, as the attributes of its span have it."""
    return _openinference(attributes, "llm.input_messages.", where) or _prompts(
        attributes, "gen_ai.prompt.", where
    )


def _openinference(attributes: Mapping[str, Any], prefix: str, where: str) -> list[Said]:
    return [
        _openinference_message(outer.get("message", {}), f"{where}.attributes[{prefix!r}]")
        for outer in _messages(attributes, prefix)
    ]


def _prompts(attributes: Mapping[str, Any], prefix: str, where: str) -> list[Said]:
    return [
        openai_message(
            {**fields, "tool_calls": _listed(fields.get("tool_calls"))},
            f"{where}.attributes[{prefix!r}]",
        )
        for fields in _messages(attributes, prefix)
    ]


def _messages(attributes: Mapping[str, Any], prefix: str) -> list[Mapping[str, Any]]:
    """Put keys such as ``llm.output_messages.0.message.role`` together again, in their order."""
    tree: dict[str, Any] = {}
    for key, found in attributes.items():
        if key.startswith(prefix):
            steps = key[len(prefix) :].split(".")
            node = tree
            for step in steps[:-1]:
                inner = node.setdefault(step, {})
                if not isinstance(inner, dict):
                    break
                node = inner
            else:
                node.setdefault(steps[-1], found)
    return _in_order(tree)


def _in_order(tree: Any) -> list[Mapping[str, Any]]:
    """Return the objects under numbered keys, by number."""
    if not isinstance(tree, dict):
        return []
    numbered = sorted((int(key), one) for key, one in tree.items() if _is_number(key, one))
    return [one for _, one in numbered]


def _listed(calls: Any) -> Any:
    """Return the calls of a message, also of one that has them in one attribute."""
    return _in_order(calls) if isinstance(calls, dict) else from_json_or(calls, calls) or ()


def _is_number(key: str, found: Any) -> bool:
    return key.isascii() and key.isdigit() and len(key) < 10 and isinstance(found, dict)


def _openinference_message(message: Any, where: str) -> Said:
    fields = mapping(message, where)
    said = Said(optional_text(fields.get("role"), f"{where}.role") or "assistant")
    said.finish = optional_text(fields.get("finish_reason"), f"{where}.finish_reason")
    content = fields.get("content")
    if isinstance(content, dict):
        content = "".join(one for one in content.values() if isinstance(one, str))
    parts = _in_order(fields.get("contents"))
    if said.role == "tool" or fields.get("tool_call_id") is not None:
        words = "".join(_part_words(part) for part in parts) or content
        call_id = identifier(fields.get("tool_call_id"), f"{where}.tool_call_id")
        said.results.append(Result(call_id, json_text(words)))
        return said
    if isinstance(content, str) and not any(_part_words(part) for part in parts):
        read_content(content, said, where)
    for part in parts:
        if "tool_call" in part:
            _ask(part["tool_call"], said, where)
        else:
            refuse_call(mapping(part.get("message_content", part), where), where)
            said.texts.append(_part_words(part))
    calls = [mapping(one, where) for one in _listed(fields.get("tool_calls"))]
    read_calls({"tool_calls": [one.get("tool_call", one) for one in calls]}, said, where)
    legacy = fields.get("function_call_name")
    if legacy is not None:
        said.ask(text(legacy, where), fields.get("function_call_arguments_json"), None)
    return said


def _part_words(part: Mapping[str, Any]) -> str:
    inner = part.get("message_content", part)
    if not isinstance(inner, Mapping) or inner.get("type", "text") != "text":
        return ""
    words = inner.get("text")
    return words if isinstance(words, str) else ""


def _ask(call: Any, said: Said, where: str) -> None:
    fields = mapping(call, f"{where}.tool_call")
    inner = mapping(fields.get("function", fields), f"{where}.tool_call.function")
    name = text(inner.get("name"), f"{where}.tool_call.function.name")
    call_id = identifier(fields.get("id"), f"{where}.tool_call.id")
    said.ask(name, inner.get("arguments"), call_id)
