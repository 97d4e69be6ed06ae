"""Reading is linear: twice the messages take twice the steps, counted, not timed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agenteval import traces
from counted_steps import counted_steps

OPEN = "unanswered"


def chat(turns: int, *, same_id: bool = False, results: bool = True) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for turn in range(turns):
        call_id = "c" if same_id else f"c{turn}"
        function = {"name": "f", "arguments": '{"n": 1}'}
        call = {"id": call_id, "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        if results:
            messages.append({"role": "tool", "tool_call_id": call_id, "content": "ok"})
    return messages


def chat_without_ids(turns: int) -> list[dict[str, Any]]:
    call = {"function": {"name": "f", "arguments": "{}"}}
    made = [{"role": "assistant", "content": None, "tool_calls": [call]}] * turns
    return made + [{"role": "tool", "content": "ok"}] * turns


def chat_of_one_id_and_other_names(turns: int) -> list[dict[str, Any]]:
    made = chat(turns, same_id=True, results=False)
    return made + [{"role": "tool", "tool_call_id": "c", "name": "g", "content": "ok"}] * turns


def anthropic(turns: int) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for turn in range(turns):
        block = {"type": "tool_use", "id": f"t{turn}", "name": "f", "input": {}}
        answer = {"type": "tool_result", "tool_use_id": f"t{turn}", "content": "ok"}
        messages.append({"role": "assistant", "content": [block]})
        messages.append({"role": "user", "content": [answer]})
    return messages


def responses(turns: int) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for turn in range(turns):
        items.append(
            {"type": "function_call", "call_id": f"c{turn}", "name": "f", "arguments": "{}"}
        )
        items.append({"type": "function_call_output", "call_id": f"c{turn}", "output": "ok"})
    return items


def bedrock(turns: int) -> list[dict[str, Any]]:
    block = {"toolUse": {"toolUseId": "t", "name": "f", "input": {}}}
    answer = {"toolResult": {"toolUseId": "t", "content": [], "status": "error"}}
    pair = [{"role": "assistant", "content": [block]}, {"role": "user", "content": [answer]}]
    return pair * turns


def vercel(turns: int) -> list[dict[str, Any]]:
    part = {"type": "tool-f", "toolCallId": "t", "state": "output-available", "input": {}}
    return [{"role": "assistant", "parts": [part]}] * turns


def one_message(turns: int) -> list[dict[str, Any]]:
    return [{"role": "assistant", "content": [{"type": "text", "text": "x "}] * turns}]


def automatic(turns: int) -> dict[str, Any]:
    """Gemini's own calls, in the history of a response and beside it, under one call each."""
    call = {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}
    answer = {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]}
    contents = [call, answer] * turns
    return {
        "contents": contents,
        "automaticFunctionCallingHistory": contents,
        "candidates": [{"content": call}],
    }


def approvals(turns: int) -> list[dict[str, Any]]:
    return [
        {"type": kind, "raw_item": {"type": "function_call", "call_id": f"c{turn}", "name": "f"}}
        for turn in range(turns)
        for kind in ("tool_approval_item", "tool_call_item")
    ]


def request_and_response(turns: int) -> dict[str, Any]:
    """Items beside a reply, in two copies that both end in it."""
    items = [
        {"type": "function_call", "call_id": f"c{turn}", "name": "f", "arguments": "{}"}
        for turn in range(turns)
    ]
    return {"object": "response", "input": items, "history": items, "output": items[-turns // 2 :]}


def gemini_history(turns: int) -> dict[str, Any]:
    contents = automatic(turns)["contents"]
    reply = {"role": "model", "parts": [{"text": "x"}]}
    return {"contents": contents, "history": contents, "candidates": [{"content": reply}]}


def broken_off(turns: int) -> list[dict[str, Any]]:
    item = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    event = {"type": "response.output_item.done", "item": item}
    return [event, {"type": "response.created"}] * turns


def long_running(turns: int) -> list[dict[str, Any]]:
    call = {"function_call": {"id": "c", "name": "f", "args": {}}}
    answer = {"function_response": {"id": "c", "name": "f", "response": {}}}
    first, later = ({"author": "a", "content": {"parts": [part]}} for part in (call, answer))
    return [first, *[later] * turns]


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(chat, id="chat"),
        pytest.param(lambda n: chat(n, same_id=True), id="chat, one id for all"),
        pytest.param(lambda n: chat(n, results=False), id="chat without results"),
        pytest.param(chat_without_ids, id="chat without ids"),
        pytest.param(chat_of_one_id_and_other_names, id="chat, one id, names of no call"),
        pytest.param(anthropic, id="anthropic"),
        pytest.param(responses, id="responses"),
        pytest.param(bedrock, id="bedrock"),
        pytest.param(vercel, id="vercel"),
        pytest.param(one_message, id="one message with many parts"),
        pytest.param(automatic, id="gemini, a history"),
        pytest.param(approvals, id="approvals"),
        pytest.param(request_and_response, id="a request's items and the response"),
        pytest.param(gemini_history, id="gemini, the history of a chat"),
        pytest.param(broken_off, id="streams that broke off"),
        pytest.param(long_running, id="one call with many responses"),
    ],
)
def test_twice_the_messages_take_twice_the_steps(make: Callable[[int], Any]) -> None:
    small, large = (counted_steps(traces.from_trace, make(turns)) for turns in (200, 400))
    assert large < 2.1 * small
