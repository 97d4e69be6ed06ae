"""A record of another format inside a trace is an error in every importer, not a shorter run.

Each record of each format is put at each place of a good trace of every other format. The one
exception is a message of text alone: its shape belongs to several formats, and the importers that
have it read all of it.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from agenteval import traces
from agenteval.traces import TraceFormatError

GO = {"role": "user", "content": "Go."}
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
RECORDS: dict[str, list[dict[str, Any]]] = {
    "openai_chat": [
        GO,
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
        {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": "A."}}]},
    ],
    "openai_responses": [
        GO,
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "ok"},
        {"role": "assistant", "content": [{"type": "output_text", "text": "A."}]},
    ],
    "agents_sdk": [
        {"type": "tool_call_item", "raw_item": {"type": "function_call", "name": "f"}},
        {"type": "tool_call_output_item", "raw_item": {"type": "function_call_output"}},
        {"type": "message_output_item", "raw_item": {"role": "assistant", "content": "A."}},
    ],
    "anthropic": [
        GO,
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f"}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "A."}]},
        {"type": "message", "role": "assistant", "content": [], "stop_reason": "refusal"},
    ],
    "bedrock": [
        {"role": "user", "content": [{"text": "Go."}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c", "name": "f"}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "c", "content": []}}]},
        {"role": "assistant", "content": [{"text": "A."}]},
        {"output": {"message": {"role": "assistant", "content": [{"text": "A."}]}}},
    ],
    "gemini": [
        {"role": "user", "parts": [{"text": "Go."}]},
        {"role": "model", "parts": [{"functionCall": {"name": "f"}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]},
        {"role": "model", "parts": [{"text": "A."}]},
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "A."}]}}]},
    ],
    "vercel_ai": [
        GO,
        {"role": "assistant", "content": [{"type": "tool-call", "toolName": "f"}]},
        {"role": "tool", "content": [{"type": "tool-result", "toolName": "f", "output": "ok"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "A."}]},
    ],
    "vercel_ui": [
        {"role": "user", "parts": [{"type": "text", "text": "Go."}]},
        {"role": "assistant", "parts": [{"type": "tool-f", "state": "output-available"}]},
        {"role": "assistant", "content": "", "toolInvocations": [{"toolName": "f"}]},
        {"role": "assistant", "parts": [{"type": "text", "text": "A."}]},
    ],
    "langchain": [
        {"type": "human", "content": "Go."},
        {"type": "ai", "content": "", "tool_calls": [{"name": "f", "args": {}, "id": "c"}]},
        {"type": "tool", "content": "ok", "tool_call_id": "c"},
        {"type": "ai", "content": "A."},
    ],
    "langchain_data": [
        {"type": "human", "data": {"content": "Go."}},
        {"type": "tool", "data": {"content": "ok", "tool_call_id": "c"}},
        {"type": "ai", "data": {"content": "A."}},
    ],
    "langchain_dumpd": [
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", "messages", "AIMessage"],
            "kwargs": {"content": "A."},
        }
    ],
    "adk": [
        {"author": "user", "content": {"role": "user", "parts": [{"text": "Go."}]}},
        {"author": "vet", "content": {"parts": [{"function_call": {"name": "f"}}]}},
        {"author": "vet", "content": {"parts": [{"function_response": {"name": "f"}}]}},
        {"author": "vet", "invocation_id": "i", "content": {"parts": [{"text": "A."}]}},
    ],
    "otel": [
        {
            "trace_id": "t",
            "span_id": "1",
            "name": "execute_tool f",
            "attributes": {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "f"},
        },
        {
            "traceId": "t",
            "spanId": "2",
            "name": "execute_tool g",
            "attributes": {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "g"},
        },
    ],
    "otel_messages": [
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "c", "name": "f"}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c", "response": "ok"}]},
        {"role": "assistant", "parts": [{"type": "text", "content": "A."}]},
    ],
    "mcp": [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "f"}},
        {"jsonrpc": "2.0", "id": 1, "result": {"content": []}},
    ],
    "inspect": [
        {"id": 1, "epoch": 1, "messages": [GO, {"role": "assistant", "content": "A."}]},
        {"id": 2, "epoch": 1, "messages": [GO, {"role": "assistant", "content": "A."}]},
    ],
}
FAMILY = {
    "agents_sdk": "openai_responses",
    "vercel_ui": "vercel_ai",
    "langchain_data": "langchain",
    "langchain_dumpd": "langchain",
    "otel_messages": "otel",
}
HOSTS = [name for name in RECORDS if name not in ("langchain_dumpd", "otel_messages")]

TEXT, PART, BARE_PART, OUTPUT_PART = "text", "text part", "bare text part", "output_text part"
SHARED = {  # the shapes of a message of text alone that a format's own messages can have
    "openai_chat": {TEXT, PART, BARE_PART, OUTPUT_PART},  # the last two in the logs of benchmarks
    "openai_responses": {TEXT, PART, OUTPUT_PART},
    "anthropic": {TEXT, PART},
    "bedrock": {BARE_PART, PART},
    "vercel_ai": {TEXT, PART},
    "langchain": {TEXT, PART, BARE_PART},
}
OWN_DUMPS = {  # LangChain dumps its messages as chat messages, too
    ("langchain", "openai_chat")
}


def shape_of_text(record: dict[str, Any]) -> str | None:
    """Which shape a message of text alone has; ``None`` for every other record."""
    if set(record) != {"role", "content"}:
        return None
    if isinstance(record["content"], str):
        return TEXT
    if not isinstance(record["content"], list):
        return None
    (part,) = record["content"]
    if "text" not in part:
        return None
    return {"text": PART, "output_text": OUTPUT_PART}.get(part.get("type"), BARE_PART)


def family(name: str) -> str:
    return FAMILY.get(name, name)


PAIRS = [
    pytest.param(host, record, id=f"{name}-{at}-in-{host}")
    for host in HOSTS
    for name, records in RECORDS.items()
    for at, record in enumerate(records)
    if family(name) != family(host) and (family(host), name) not in OWN_DUMPS
]


@pytest.mark.parametrize("host", HOSTS)
def test_the_good_traces_are_good(host: str) -> None:
    importer = getattr(traces, f"from_{family(host)}")
    assert importer(copy.deepcopy(RECORDS[host]))["trace"]["format"] == family(host)


@pytest.mark.parametrize(("host", "record"), PAIRS)
def test_a_foreign_record_is_refused_wherever_it_stands(host: str, record: dict[str, Any]) -> None:
    importer = getattr(traces, f"from_{family(host)}")
    shared = shape_of_text(record) in SHARED.get(family(host), ())
    for at in range(len(RECORDS[host]) + 1):
        trace = copy.deepcopy(RECORDS[host])
        trace.insert(at, copy.deepcopy(record))
        if not shared:
            with pytest.raises(TraceFormatError):
                importer(trace)
    if shared:
        result = importer([*RECORDS[host], record])
        said = record["content"] if isinstance(record["content"], str) else "A."
        asked = record["role"] == "user"
        assert (result["status"] != "final") is asked
        assert asked or result["answer"] == said


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(record, id=f"{name}-{at}")
        for name, records in RECORDS.items()
        if name != "inspect"
        for at, record in enumerate(records)
    ],
)
def test_a_foreign_message_in_a_sample_of_inspect_is_refused(record: dict[str, Any]) -> None:
    own = [GO, {"role": "assistant", "content": "Done."}]
    same_shape = shape_of_text(record) in {TEXT, PART} or "tool_call_id" in record
    for at in range(3):
        messages = copy.deepcopy(own)
        messages.insert(at, copy.deepcopy(record))
        sample = {"id": 1, "epoch": 1, "messages": messages}
        if same_shape and "role" in record:
            traces.from_inspect({"samples": [sample]})
        else:
            with pytest.raises(TraceFormatError):
                traces.from_inspect({"samples": [sample]})
