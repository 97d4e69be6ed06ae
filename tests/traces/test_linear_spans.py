"""Reading spans, contents, events and logs is linear, too: steps counted, not timed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from agenteval import traces
from counted_steps import counted_steps


def tool_span(at: int, parent: int | None = None, **attributes: Any) -> dict[str, Any]:
    return {
        "trace_id": "t",
        "span_id": f"s{at}",
        "parent_span_id": None if parent is None else f"s{parent}",
        "name": "execute_tool f",
        "start_time": at + 1,
        "end_time": at + 2,
        "attributes": {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "f",
            "gen_ai.tool.call.arguments": '{"n": 1}',
            **attributes,
        },
    }


def chat_span(at: int, call_id: str | None = None, **attributes: Any) -> dict[str, Any]:
    part = {"type": "tool_call", "name": "f", "arguments": {"n": 1}, "id": call_id}
    messages = json.dumps([{"role": "assistant", "parts": [part]}])
    told = {"gen_ai.operation.name": "chat", "gen_ai.output.messages": messages, **attributes}
    return {**tool_span(at), "name": "chat", "attributes": told}


def nested(turns: int) -> list[dict[str, Any]]:
    return [tool_span(at, at - 1 if at else None) for at in range(turns)]


def nested_mcp(turns: int) -> list[dict[str, Any]]:
    mcp = {"mcp.method.name": "tools/call"}
    return [tool_span(at, at - 1 if at else None, **mcp) for at in range(turns)]


def in_a_circle(turns: int) -> list[dict[str, Any]]:
    return [tool_span(at, (at + 1) % turns) for at in range(turns)]


def one_id(turns: int) -> list[dict[str, Any]]:
    asked = [chat_span(at, "c") for at in range(turns)]
    return asked + [tool_span(turns + at, **{"gen_ai.tool.call.id": "c"}) for at in range(turns)]


def one_id_in_a_history(turns: int) -> list[dict[str, Any]]:
    """Calls of one id, all open before the first result, each a second time beside its block."""
    block = {"type": "tool_use", "id": "c", "name": "f", "input": {}}
    listed = {"id": "c", "name": "f", "args": {}}
    asked = {"role": "assistant", "content": [block], "tool_calls": [listed]}
    told = {"type": "function_call_output", "call_id": "c", "output": "x"}
    messages = json.dumps([asked] * turns + [told] * turns)
    return [chat_span(0, **{"gen_ai.input.messages": messages, "gen_ai.output.messages": "[]"})]


def calls_without_a_sign(turns: int) -> list[dict[str, Any]]:
    """Models inside of each other that asked for calls of which nothing was recorded."""
    silent = {"gen_ai.operation.name": "chat", "gen_ai.response.finish_reasons": ["tool_calls"]}
    return [{**tool_span(at, at - 1 if at else None), "attributes": silent} for at in range(turns)]


def without_ids(turns: int) -> list[dict[str, Any]]:
    return [chat_span(at) for at in range(turns)] + [tool_span(turns + at) for at in range(turns)]


def one_turn_without_spans(turns: int) -> list[dict[str, Any]]:
    parts = [{"type": "tool_call", "name": "f", "id": f"c{at}"} for at in range(turns)]
    messages = json.dumps([{"role": "assistant", "parts": parts}])
    spans = [chat_span(0, **{"gen_ai.output.messages": messages})]
    return [*spans, tool_span(turns, **{"gen_ai.tool.call.id": "c0"})]


def ids_that_differ(turns: int) -> list[dict[str, Any]]:
    spans = []
    for at in range(turns):
        part = {"type": "tool_call", "name": "f", "arguments": {}, "id": f"c{at}"}
        messages = json.dumps([{"role": "assistant", "parts": [part]}])
        spans.append(chat_span(2 * at, **{"gen_ai.output.messages": messages}))
        own = {"gen_ai.tool.call.id": f"fc{at}", "gen_ai.tool.call.arguments": "{}"}
        spans.append(tool_span(2 * at + 1, **own))
    return spans


def nested_agents(turns: int) -> list[dict[str, Any]]:
    agents = [chat_span(at, **{"gen_ai.operation.name": "invoke_agent"}) for at in range(turns)]
    for at, one in enumerate(agents):
        one |= {"parent_span_id": f"s{at - 1}", "end_time": 3 * turns - at}
    last = chat_span(turns, **{"gen_ai.response.finish_reasons": ["length"]})
    return [*agents, {**last, "parent_span_id": f"s{turns - 1}"}]


def agents_side_by_side(turns: int) -> list[dict[str, Any]]:
    spans = []
    for at in range(turns):
        agent = chat_span(2 * at, **{"gen_ai.operation.name": "invoke_agent"})
        spans += [agent, {**chat_span(2 * at + 1), "parent_span_id": f"s{2 * at}"}]
    return spans


def flattened(turns: int) -> list[dict[str, Any]]:
    prefix = "llm.output_messages"
    names = {
        f"{prefix}.{at}.message.tool_calls.0.tool_call.function.name": "f" for at in range(turns)
    }
    return [{**tool_span(0), "attributes": names}]


def langchain(turns: int) -> list[dict[str, Any]]:
    call = {"name": "f", "args": {}, "id": None}
    pair = [{"type": "ai", "content": "", "tool_calls": [call]}, {"type": "tool", "content": "x"}]
    return pair * turns


def langchain_chunks(turns: int) -> list[dict[str, Any]]:
    piece = {"name": "f", "args": " ", "id": "c", "index": 0}
    chunk = {"type": "AIMessageChunk", "id": "r", "content": "x", "tool_call_chunks": [piece]}
    return [chunk] * turns


def langchain_blocks(turns: int) -> list[dict[str, Any]]:
    calls = [{"name": "f", "args": {}, "id": f"c{at}"} for at in range(turns)]
    blocks = [{"type": "tool_use", "name": "f", "id": f"c{at}"} for at in range(turns)]
    return [{"type": "ai", "content": blocks, "tool_calls": calls}]


def langgraph(turns: int) -> list[dict[str, Any]]:
    return [{"agent": {"messages": [message]}} for message in langchain(turns)]


def agent_executor(turns: int) -> dict[str, Any]:
    return {"output": "x", "intermediate_steps": [[{"tool": "f", "tool_input": {}}, "x"]] * turns}


def langchain_events(turns: int) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    for at in range(turns):
        message = {"type": "ai", "content": "", "id": f"m{at}"}
        message["tool_calls"] = [{"name": "f", "args": {}, "id": f"c{at}"}]
        events.append({"event": "on_chat_model_end", "data": {"output": message}})
    ended = {"event": "on_tool_end", "name": "f", "data": {"input": {"n": 1}, "output": "x"}}
    return [*events, *({**ended, "run_id": f"t{at}"} for at in range(turns))]


def gemini(turns: int) -> list[dict[str, Any]]:
    call = {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}
    result = {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]}
    return [call] * turns + [result] * turns


def adk(turns: int) -> list[dict[str, Any]]:
    return [{"author": "a", "content": content} for content in gemini(turns)]


def eval_set(turns: int) -> dict[str, Any]:
    turn = {"user_content": {}, "intermediate_data": {"tool_uses": [{"name": "f"}]}}
    case = {"eval_id": "x", "conversation": [turn]}
    return {"eval_cases": [{**case, "eval_id": f"e{at}"} for at in range(turns)]}


def mcp(turns: int) -> list[dict[str, Any]]:
    ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "f"}}
    other = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    return [ask, other] * turns + [{"jsonrpc": "2.0", "id": 1, "result": {"content": []}}] * turns


def inspect(turns: int) -> dict[str, Any]:
    call = {"id": "c", "function": "f", "arguments": {}}
    messages = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "x"},
    ]
    samples = [{"id": 1, "epoch": at, "messages": messages} for at in range(turns)]
    return {"samples": [*samples, {"id": 2, "epoch": 1, "messages": messages * turns}]}


@pytest.mark.parametrize(
    "make",
    [
        nested,
        nested_mcp,
        in_a_circle,
        one_id,
        one_id_in_a_history,
        calls_without_a_sign,
        without_ids,
        one_turn_without_spans,
        ids_that_differ,
        nested_agents,
        agents_side_by_side,
        flattened,
        langchain,
        langchain_chunks,
        langchain_blocks,
        langgraph,
        agent_executor,
        langchain_events,
        gemini,
        adk,
        eval_set,
        mcp,
        inspect,
    ],
)
def test_twice_the_length_takes_twice_the_steps(make: Callable[[int], Any]) -> None:
    small, large = (counted_steps(traces.from_trace, make(turns)) for turns in (50, 100))
    assert large < 2.1 * small
