"""What was said in a conversation, in one shape for all conventions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenteval.traces.gemini import response_error
from agenteval.traces.otel.values import canonical
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

__all__ = [
    "Asked",
    "Result",
    "Said",
    "genai_messages",
    "openai_message",
    "read_gemini",
    "response_text",
]

_TEXT_PARTS = ("text", "output_text")
_SHOWN_CALL = "ResponseFunctionToolCall("
_HOSTED_PARTS = ("server_tool_call", "server_tool_use", "mcp_tool_use")


class Asked:
    """A call that a model asked for."""

    __slots__ = ("_same", "arguments", "id", "name")

    def __init__(self, name: str, arguments: Any, call_id: str | int | None) -> None:
        self.name = name
        self.arguments = arguments
        self.id = call_id
        self._same: str | None = None

    def same(self) -> str:
        """Return one text for all the ways in which a trace may write these arguments."""
        if self._same is None:
            self._same = canonical(self.arguments)
        return self._same


class Result:
    """A call's result as it was handed to a model.

    ``name`` is the tool's where a format pairs by it, ``error`` what the message says of a failure.
    """

    __slots__ = ("error", "id", "name", "text")

    def __init__(
        self,
        call_id: str | int | None,
        text: str,
        *,
        name: str | None = None,
        error: bool | str | None = None,
    ) -> None:
        self.id = call_id
        self.text = text
        self.name = name
        self.error = error


class Said:
    """One message: its calls, what it says after and (asides) before the last, its results."""

    __slots__ = ("asides", "calls", "finish", "hosted", "results", "role", "texts")

    def __init__(self, role: str) -> None:
        self.role = role
        self.texts: list[str] = []
        self.asides: list[str] = []
        self.calls: list[Asked] = []
        self.results: list[Result] = []
        self.hosted: list[str] = []
        self.finish: str | None = None

    def ask(self, name: str, arguments: Any, call_id: str | int | None) -> None:
        """Note a call; what was said before it is no answer."""
        self.asides += self.texts
        self.texts.clear()
        self.calls.append(Asked(name, arguments, call_id))


def genai_messages(raw: Any, where: str) -> list[Said]:
    """Read messages of the GenAI conventions: a role and parts each.

    Raises:
        TraceFormatError: A message or a part has the wrong kind.
    """
    found = []
    for at, one in enumerate(sequence(raw, where)):
        place = f"{where}[{at}]"
        message = mapping(one, place)
        if "parts" not in message:
            found.append(openai_message(message, place))
            continue
        said = Said(optional_text(message.get("role"), f"{place}.role") or "assistant")
        said.finish = optional_text(message.get("finish_reason"), f"{place}.finish_reason")
        for within, part in enumerate(optional_sequence(message["parts"], f"{place}.parts")):
            _read_part(part, said, f"{place}.parts[{within}]")
        found.append(said)
    return found


def _read_part(one: Any, said: Said, where: str) -> None:
    part = mapping(one, where)
    kind = optional_text(part.get("type"), f"{where}.type")
    if kind in _TEXT_PARTS:
        words = optional_text(part.get("content", part.get("text")), f"{where}.content") or ""
        call = _call_in_text(words)
        if call is None:
            said.texts.append(words)
        else:
            said.ask(*call)
    elif kind in _HOSTED_PARTS or (kind == "tool_call" and part.get("builtin") is True):
        said.texts.clear()
        said.hosted.append(text(part.get("name"), f"{where}.name"))
    elif kind == "tool_call":
        said.ask(
            text(part.get("name"), f"{where}.name"),
            part.get("arguments"),
            identifier(part.get("id"), f"{where}.id"),
        )
    elif kind == "tool_call_response":
        if part.get("builtin") is not True:
            result = part.get("response", part.get("result"))
            call_id = identifier(part.get("id"), f"{where}.id")
            said.results.append(Result(call_id, response_text(result)))
    elif kind is None:
        _read_gemini_part(part, said, where)
    else:
        _read_block(part, said, where)


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


def _call_in_text(words: str) -> tuple[str, Any, str | None] | None:
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


def openai_message(message: Mapping[str, Any], where: str) -> Said:
    """Read a message in OpenAI's shape, which older conventions and events use.

    Its content may also be a list of blocks: Bedrock's ``toolUse``, Anthropic's ``tool_use``.

    Raises:
        TraceFormatError: A field has the wrong kind.
    """
    role = optional_text(message.get("role"), f"{where}.role") or "assistant"
    said = Said(role)
    said.finish = optional_text(message.get("finish_reason"), f"{where}.finish_reason")
    content = plain(message.get("content"))
    call_id = message.get("tool_call_id")
    if call_id is not None or role == "tool":
        own = identifier(message.get("id") if call_id is None else call_id, f"{where}.id")
        if not _has_blocks(content):
            failed = message.get("status") == "error" or None  # LangChain's tool messages
            said.results.append(Result(own, _words(content, where), error=failed))
            return said
    _read_content(content, said, f"{where}.content")
    place = f"{where}.tool_calls"
    for at, one in enumerate(optional_sequence(message.get("tool_calls"), place)):
        _read_call(mapping(one, f"{place}[{at}]"), said, f"{place}[{at}]")
    return said


def _read_call(call: Mapping[str, Any], said: Said, where: str) -> None:
    function = call.get("function")
    inner = call if function is None else mapping(function, f"{where}.function")
    arguments = inner.get("arguments", inner.get("args", inner.get("input")))
    name = text(inner.get("name"), f"{where}.name")
    said.ask(name, arguments, identifier(call.get("id"), f"{where}.id"))


def _has_blocks(content: Any) -> bool:
    return isinstance(content, (list, tuple)) and any(
        isinstance(block, Mapping) and ("toolResult" in block or block.get("type") == "tool_result")
        for block in content
    )


def _words(content: Any, where: str) -> str:
    if isinstance(content, (list, tuple)):
        said = Said("tool")
        _read_content(content, said, where)
        return "".join(said.texts) or json_text(content)
    return json_text(content)


def _read_content(content: Any, said: Said, where: str) -> None:
    if content is None or isinstance(content, str):
        said.texts.append(content or "")
        return
    if isinstance(content, Mapping):
        if "parts" in content:
            read_gemini(content, said, where)
        else:
            said.texts.append(json_text(content))  # an answer in a structure
        return
    for at, one in enumerate(sequence(content, where)):
        place = f"{where}[{at}]"
        if isinstance(one, str):
            said.texts.append(one)
            continue
        _read_block(mapping(one, place), said, place)


def _read_block(block: Mapping[str, Any], said: Said, where: str) -> None:
    """Read a block of Bedrock's or Anthropic's, which instrumentations pass on as they are."""
    use = block.get("toolUse")
    result = block.get("toolResult")
    kind = block.get("type")
    if use is not None:
        fields = mapping(use, f"{where}.toolUse")
        call_id = identifier(fields.get("toolUseId"), f"{where}.toolUse.toolUseId")
        said.ask(text(fields.get("name"), f"{where}.name"), fields.get("input"), call_id)
    elif result is not None:
        fields = mapping(result, f"{where}.toolResult")
        call_id = identifier(fields.get("toolUseId"), f"{where}.toolResult.toolUseId")
        failed = fields.get("status") == "error" or None
        said.results.append(Result(call_id, _words(fields.get("content"), where), error=failed))
    elif kind == "tool_use":
        call_id = identifier(block.get("id"), f"{where}.id")
        said.ask(text(block.get("name"), f"{where}.name"), block.get("input"), call_id)
    elif kind == "tool_result":
        call_id = identifier(block.get("tool_use_id"), f"{where}.tool_use_id")
        failed = block.get("is_error") is True or None
        said.results.append(Result(call_id, _words(block.get("content"), where), error=failed))
    elif kind in (None, *_TEXT_PARTS) and isinstance(block.get("text"), str):
        said.texts.append(block["text"])
    elif kind in _HOSTED_PARTS:
        said.texts.clear()
        said.hosted.append(text(block.get("name"), f"{where}.name"))


def read_gemini(content: Mapping[str, Any], said: Said, where: str) -> None:
    """Read a Gemini content, which ADK's spans and events hold.

    Raises:
        TraceFormatError: A part has the wrong kind.
    """
    for at, one in enumerate(optional_sequence(content.get("parts"), f"{where}.parts")):
        place = f"{where}.parts[{at}]"
        _read_gemini_part(mapping(one, place), said, place)


def _read_gemini_part(part: Mapping[str, Any], said: Said, where: str) -> None:
    call = either(part, "functionCall", "function_call")
    response = either(part, "functionResponse", "function_response")
    if call is not None:
        fields = mapping(call, f"{where}.function_call")
        name = text(fields.get("name"), f"{where}.function_call.name")
        said.ask(name, fields.get("args"), identifier(fields.get("id"), f"{where}.id"))
    elif response is not None:
        fields = mapping(response, f"{where}.function_response")
        call_id = identifier(fields.get("id"), f"{where}.id")
        answer = fields.get("response")
        named = optional_text(fields.get("name"), f"{where}.function_response.name")
        said.results.append(
            Result(call_id, json_text(answer), name=named, error=response_error(answer))
        )
    elif part.get("text") is not None and not part.get("thought"):
        said.texts.append(text(part["text"], f"{where}.text"))
