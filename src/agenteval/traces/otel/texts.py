"""The text of what tools returned, and calls that stand in a text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenteval.traces.reading import json_text

__all__ = ["block_words", "call_in_text", "response_text"]

_SHOWN_CALL = "ResponseFunctionToolCall("


def response_text(response: Any) -> str:
    """Return a tool's response as text: that of its blocks where all of them have one, else JSON.

    >>> response_text([{"text": "3 "}, {"text": "kg"}]), response_text([{"json": 3}])
    ('3 kg', '[{"json": 3}]')
    """
    if not isinstance(response, (list, tuple)) or not response:
        return json_text(response)
    texts = [one.get("text") if isinstance(one, Mapping) else None for one in response]
    words = [one for one in texts if isinstance(one, str)]
    return "".join(words) if len(words) == len(texts) else json_text(response)


def block_words(content: Any) -> str:
    """Return the text of the blocks of a result, where any of them has one, else all of it as JSON.

    Images and files beside a text have none. A result is data: whatever is in it is no call.

    >>> block_words([{"text": "3 kg"}, {"image": {}}]), block_words([{"name": "f", "args": {}}])
    ('3 kg', '[{"name": "f", "args": {}}]')
    """
    if not isinstance(content, (list, tuple)):
        return json_text(content)
    words = [one.get("text") if isinstance(one, Mapping) else one for one in content]
    return "".join(one for one in words if isinstance(one, str)) or json_text(content)


def call_in_text(words: str) -> tuple[str, Any, str | None] | None:
    """Return the call that a text is, as Python shows OpenAI's object.

    OpenTelemetry's own instrumentation of the OpenAI Agents SDK writes calls so.
    """
    if not words.startswith(_SHOWN_CALL):
        return None
    import ast  # here, because importing agenteval must stay quick

    try:
        shown = ast.parse(words, mode="eval").body
        fields = {one.arg: ast.literal_eval(one.value) for one in getattr(shown, "keywords", ())}
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return None
    name, call_id = fields.get("name"), fields.get("call_id")
    if not isinstance(name, str):
        return None
    return name, fields.get("arguments"), call_id if isinstance(call_id, str) else None
