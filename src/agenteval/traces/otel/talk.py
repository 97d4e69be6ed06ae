"""What the spans of models and agents tell of a conversation, in each of the conventions.

| convention | where |
|---|---|
| OpenTelemetry GenAI | ``gen_ai.input.messages``, ``gen_ai.output.messages``; span or event |
| its older events | ``gen_ai.choice``, ``gen_ai.assistant.message``, ``gen_ai.tool.message`` |
| Pydantic AI | ``events``, ``pydantic_ai.all_messages``, ``final_result`` |
| OpenInference, Traceloop | see `agenteval.traces.otel.flattened`; ``output.value`` |
| Google ADK | ``gcp.vertex.agent.llm_request``, ``gcp.vertex.agent.llm_response`` |
| AI SDK | see `agenteval.traces.otel.ai_sdk` |
| others | see `agenteval.traces.otel.whole_outputs` |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenteval.traces.errors import TraceFormatError
from agenteval.traces.otel.ai_sdk import (
    AI_SDK_CALLS,
    AI_SDK_GIVEN,
    ai_sdk_given,
    ai_sdk_said,
    is_ai_sdk_run,
    is_ai_sdk_step,
)
from agenteval.traces.otel.flattened import flattened_inputs, flattened_outputs
from agenteval.traces.otel.messages import genai_messages, openai_message, read_calls
from agenteval.traces.otel.parts import read_gemini
from agenteval.traces.otel.said import REFUSAL, Said
from agenteval.traces.otel.spans import Event, Span
from agenteval.traces.otel.tool_marks import kind_of
from agenteval.traces.otel.values import from_json, from_json_or
from agenteval.traces.otel.whole_outputs import whole_outputs
from agenteval.traces.reading import (
    either,
    json_text,
    mapping,
    optional_mapping,
    optional_sequence,
    optional_text,
)

__all__ = ["Talk", "answer_in", "read_closing", "talk_of"]

_AGENT_OPERATIONS = ("invoke_agent", "create_agent", "invoke_workflow")
_MODEL_OPERATIONS = ("chat", "generate_content", "text_completion")
_AGENT_KINDS = ("AGENT", "CHAIN", "WORKFLOW", "TASK")
_OF_A_RUN = ("pydantic_ai.all_messages", "all_messages_events", "final_result")
_INFERENCE = "gen_ai.client.inference.operation.details"
_OUTPUT_EVENTS = ("gen_ai.choice",)
_MODELS = ("ai", "assistant")
_MESSAGE_KEYS = ("parts", "content", "tool_calls")
_BLOCK_KEYS = ("text", "toolUse", "toolResult")
_CALL_FIELDS = ("tool_calls", "function_call")
_INPUT_EVENTS = (
    "gen_ai.assistant.message",
    "gen_ai.tool.message",
    "gen_ai.user.message",
    "gen_ai.system.message",
)


class Talk:
    """What one span tells of the conversation.

    Attributes:
        outputs: What the model, or the agent, said in this span.
        inputs: What it was given: the conversation so far.
        agent: Whether the span is an agent's, around the spans of its models and tools.
        model: Whether the span is a model's, whose words begin a turn, also if none are recorded.
        unread: How many lists of messages are not readable, since an exporter cut them.
        marked: Whether the span says at all that it is a model's or an agent's.
    """

    __slots__ = ("agent", "inputs", "marked", "model", "outputs", "unread")

    def __init__(self) -> None:
        self.outputs: list[Said] = []
        self.inputs: list[Said] = []
        self.agent = False
        self.model = False
        self.unread = 0
        self.marked = False


def talk_of(span: Span) -> Talk:
    """Return what a span tells of the conversation.

    Raises:
        TraceFormatError: An attribute has the wrong kind.
    """
    operation = span.text("gen_ai.operation.name")
    kind = kind_of(span)
    talk = Talk()
    unnamed_agent = (
        kind in _AGENT_KINDS
        or any(key in span.attributes for key in _OF_A_RUN)
        or is_ai_sdk_run(span)
    )
    talk.agent = operation in _AGENT_OPERATIONS or (operation is None and unnamed_agent)
    talk.model = not talk.agent and operation in (None, *_MODEL_OPERATIONS)
    for read in (_genai, _older_events, _flattened, _adk, _ai_sdk):
        if not talk.outputs and not talk.inputs:
            read(span, talk)
    if not talk.outputs and not talk.agent:
        talk.outputs += whole_outputs(span)
    talk.marked = bool(
        talk.outputs
        or talk.inputs
        or talk.unread
        or operation not in (None, "create_agent")
        or kind == "LLM"
        or unnamed_agent
        or is_ai_sdk_step(span)
    )
    return talk


def _decoded(raw: Any, talk: Talk) -> Any:
    """Return what an attribute holds as JSON; one that was cut is counted, and is nothing."""
    try:
        return from_json(raw)
    except ValueError:
        talk.unread += 1
        return None


def _genai(span: Span, talk: Talk) -> None:
    holders: list[tuple[Mapping[str, Any], str]] = [(span.attributes, f"{span.where}.attributes")]
    for event in span.events:
        if event.name == _INFERENCE:
            holders.append((event.attributes, f"{span.where}.events"))
            if isinstance(event.body, Mapping):
                holders.append((event.body, f"{span.where}.events.body"))
    for holder, where in holders:
        for key, found in (
            ("gen_ai.output.messages", talk.outputs),
            ("gen_ai.input.messages", talk.inputs),
        ):
            raw = holder.get(key)
            decoded = None if raw is None or found else _decoded(raw, talk)
            if decoded is not None:
                found.extend(genai_messages(decoded, f"{where}[{key!r}]"))
    if not talk.outputs:
        _whole_conversation(span, talk)


def _whole_conversation(span: Span, talk: Talk) -> None:
    """Read Pydantic AI's list of all messages; the earlier ones are of an earlier run."""
    key = "pydantic_ai.all_messages"
    raw = span.attributes.get(key)
    if raw is None:
        return
    decoded = _decoded(raw, talk)
    if decoded is None:
        return
    messages = genai_messages(decoded, f"{span.where}.attributes[{key!r}]")
    start = span.attributes.get("pydantic_ai.new_message_index")
    new = start if isinstance(start, int) and 0 <= start <= len(messages) else 0
    talk.inputs += messages[:new]
    talk.outputs += [said for said in messages[new:] if said.role == "assistant"]
    talk.inputs += [said for said in messages[new:] if said.role != "assistant"]


def _older_events(span: Span, talk: Talk) -> None:
    for event in span.events:
        _read_event(event, talk, f"{span.where}.events")
    for key in ("events", "all_messages_events"):
        raw = span.attributes.get(key)
        decoded = None if raw is None else _decoded(raw, talk)
        where = f"{span.where}.attributes[{key!r}]"
        for at, one in enumerate(optional_sequence(decoded, where)):
            body = mapping(one, f"{where}[{at}]")
            name = optional_text(body.get("event.name"), f"{where}[{at}]['event.name']")
            _read_event(Event(name or "", {}, body), talk, f"{where}[{at}]")
    if talk.agent and not talk.outputs:
        talk.outputs += [said for said in talk.inputs if said.role == "assistant"]


def _read_event(event: Event, talk: Talk, where: str) -> None:
    if event.name not in _OUTPUT_EVENTS and event.name not in _INPUT_EVENTS:
        return
    body = event.body
    if not isinstance(body, Mapping):
        body = event.attributes
        content = body.get("gen_ai.event.content")
        if content is not None:
            body = _decoded(content, talk)
            if body is None:
                return
    fields = {key: _structure(key, raw) for key, raw in mapping(body, where).items()}
    if event.name in _OUTPUT_EVENTS:
        if fields.get("index") in (None, 0, "0"):  # the others are alternatives to the first
            talk.outputs.append(_choice(fields, where))
        return
    if event.name == "gen_ai.tool.message":
        fields["role"] = "tool"
    elif "role" not in fields:
        fields["role"] = event.name.split(".")[1]
    talk.inputs.append(openai_message(fields, where))


def _structure(key: str, raw: Any) -> Any:
    """Return the message, blocks or calls that an attribute holds as JSON text.

    Other text stays text, also where it is JSON: an answer can be.
    """
    if key in _CALL_FIELDS:
        return from_json_or(raw, raw)
    if not isinstance(raw, str) or raw.lstrip()[:1] not in ("[", "{"):
        return raw
    try:
        found = from_json(raw)
    except ValueError:
        return raw
    if isinstance(found, Mapping):
        keys = (*_MESSAGE_KEYS, "function_call") if key == "message" else _MESSAGE_KEYS
        return found if any(one in found for one in keys) else raw
    if isinstance(found, list) and found and all(isinstance(one, Mapping) for one in found):
        return found if any(key in one for one in found for key in _BLOCK_KEYS) else raw
    return raw


def _choice(fields: Mapping[str, Any], where: str) -> Said:
    message = fields.get("message")
    if message is None:
        return openai_message({**fields, "role": "assistant"}, where)
    if not isinstance(message, Mapping):
        message = {"content": message}
    said = openai_message({"role": "assistant", **message}, f"{where}.message")
    read_calls(fields, said, where)
    finish = optional_text(fields.get("finish_reason"), f"{where}.finish_reason")
    if finish is not None and said.finish != REFUSAL:
        said.finish = finish
    return said


def _flattened(span: Span, talk: Talk) -> None:
    talk.outputs += flattened_outputs(span.attributes, span.where)
    talk.inputs += flattened_inputs(span.attributes, span.where)


def _adk(span: Span, talk: Talk) -> None:
    key = "gcp.vertex.agent.llm_request"
    where = f"{span.where}.attributes[{key!r}]"
    request = optional_mapping(_adk_value(span, key, talk), where) or {}
    for at, one in enumerate(optional_sequence(request.get("contents"), f"{where}.contents")):
        place = f"{where}.contents[{at}]"
        given = mapping(one, place)
        role = optional_text(given.get("role"), f"{place}.role") or "user"
        said = Said("assistant" if role == "model" else role)
        read_gemini(given, said, place)
        talk.inputs.append(said)
    key = "gcp.vertex.agent.llm_response"
    where = f"{span.where}.attributes[{key!r}]"
    response = optional_mapping(_adk_value(span, key, talk), where) or {}
    content = optional_mapping(response.get("content"), f"{where}.content")
    if content is None or response.get("partial") is True:
        return
    said = Said("assistant")
    reason = either(response, "finishReason", "finish_reason")
    said.finish = optional_text(reason, f"{where}.finish_reason")
    read_gemini(content, said, f"{where}.content")
    talk.outputs.append(said)


def _adk_value(span: Span, key: str, talk: Talk) -> Any:
    raw = span.attributes.get(key)
    return _decoded(raw, talk) if raw else None


def _ai_sdk(span: Span, talk: Talk) -> None:
    if not (is_ai_sdk_run(span) or is_ai_sdk_step(span)):
        return
    calls, given = (
        None if raw is None else _decoded(raw, talk)
        for raw in (span.text(*AI_SDK_CALLS), span.attributes.get(AI_SDK_GIVEN))
    )
    talk.outputs += ai_sdk_said(span, calls)
    talk.inputs += ai_sdk_given(span, given)


def read_closing(span: Span, talk: Talk, *, outermost: bool) -> None:
    """Add the answer of an agent that has it as one value.

    Args:
        span: The agent's.
        talk: What it tells; gets the answer as its last message.
        outermost: Whether no span of an agent is around this one. Inside, the output of a step of
            a workflow is no answer; Pydantic AI's ``final_result`` always is one.
    """
    last = talk.outputs[-1] if talk.outputs else None
    if last is not None and last.calls and not "".join(last.texts).strip():
        return  # the run ended in calls that somebody else is to answer
    result = span.attributes.get("final_result")
    words = json_text(result) if result else None
    if words is None and outermost and last is None:
        words = answer_in(span.attributes.get("output.value"))
    if words:
        said = Said("assistant")
        said.texts.append(words)
        said.finish = None if last is None else last.finish
        talk.outputs.append(said)


def answer_in(raw: Any) -> str | None:
    """Return the answer that an agent's or a graph's output is or holds, or ``None``.

    Text is the answer; of a state it is the last message, if that is the model's, or ``output``.
    """
    try:
        found = from_json(raw)
    except ValueError:
        return raw if isinstance(raw, str) else None
    if not isinstance(found, Mapping):
        return None if found is None or isinstance(found, list) else json_text(raw)
    messages = found.get("messages")
    if not isinstance(messages, list) or not messages:
        output = found.get("output")
        return output if isinstance(output, str) else None
    last = messages[-1] if isinstance(messages[-1], Mapping) else {}
    inner = last.get("kwargs", last.get("data", last))
    if not isinstance(inner, Mapping) or inner.get("type", inner.get("role")) not in _MODELS:
        return None
    try:
        return "".join(openai_message({**inner, "role": "assistant"}, "").texts) or None
    except TraceFormatError:
        return None
