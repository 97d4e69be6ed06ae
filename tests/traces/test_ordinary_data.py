"""Ordinary data that looks a little like a call, or like another format, is read all the same."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agenteval.traces import (
    from_adk,
    from_anthropic,
    from_openai_chat,
    from_openai_responses,
    from_trace,
)

CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
RUN = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "72"}]


@pytest.mark.parametrize(
    "content",
    [
        [{"name": "Bob", "args": "x"}],
        [{"id": 1, "tool_calls": [CALL]}],
        [{"type": "tool-kit"}],
        [{"toolUse": "x"}],
        [{"type": "tool_result", "content": "x"}],
        {"name": "Bob", "args": "x"},
    ],
    ids=json.dumps,
)
def test_the_result_of_a_tool_in_a_chat_may_be_any_data(content: Any) -> None:
    asked = []
    trace = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c", "content": content},
        {"role": "assistant", "content": "Done."},
    ]
    result = from_openai_chat(trace, is_error=lambda text: asked.append(text) or False)
    assert [call.name for call in result["calls"]] == ["f"]
    assert (result["status"], result["trace"]["unanswered"]) == ("final", 0)
    assert [json.loads(text) for text in asked] == [content]


@pytest.mark.parametrize("called", [True, False])
def test_a_refusal_among_responses_items_is_no_chat_message(called: bool) -> None:
    call = [
        {"type": "function_call", "call_id": "c", "name": "w", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "x"},
    ]
    refusal = {"type": "refusal", "refusal": "No."}
    items = [
        {"role": "user", "content": "q"},
        *(call if called else []),
        {"type": "message", "role": "assistant", "content": [refusal]},
    ]
    result = from_trace(items)
    assert result == from_openai_responses(items)
    assert (result["status"], result["answer"]) == ("refused", "No.")


@pytest.mark.parametrize(
    "output",
    [{"name": "refund", "args": {"order": 1}}, [{"tool": "drill", "arguments": ["a"]}]],
    ids=json.dumps,
)
def test_the_output_of_a_workflow_node_of_adk_is_data(output: Any) -> None:
    events = [
        {"author": "user", "content": {"role": "user", "parts": [{"text": "q"}]}},
        {"author": "a", "content": {"role": "model", "parts": [{"text": "Done."}]}},
        {"author": "wf", "content": None, "actions": {}, "output": output},
    ]
    result = from_adk(events)
    assert (result["status"], result["answer"], result["calls"]) == ("final", "Done.", [])


@pytest.mark.parametrize("read", [from_openai_chat, from_anthropic, from_trace])
@pytest.mark.parametrize(
    "beside",
    [
        {"output": {"answer": "72"}},
        {"output": ["72"]},
        {"output": [{"label": "a", "score": 1}]},
        {"message": {"id": "x", "text": "hi"}},
        {"response": {"status": 200}},
    ],
    ids=json.dumps,
)
def test_structured_output_beside_the_messages_is_passed_over(read: Any, beside: Any) -> None:
    result = read({"messages": RUN, **beside})
    assert (result["status"], result["answer"]) == ("final", "72")
