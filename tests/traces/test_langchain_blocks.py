"""Blocks of the content of a LangChain AI message: tools of every kind, text, reasoning."""

from __future__ import annotations

from typing import Any

import pytest

from agenteval.traces.langchain import from_langchain
from agenteval.trajectory import Call
from langchain_messages import ai, call, tool

HOSTED = [
    {"type": "text", "text": "Let me look."},
    {"type": "server_tool_call", "id": "s", "name": "web_search", "args": {"query": "q"}},
    {"type": "server_tool_result", "tool_call_id": "s", "status": "success", "output": {}},
    {"type": "text", "text": "It is "},
    {"type": "text", "text": "9 kg."},
]


@pytest.mark.parametrize(
    ("content", "hosted", "answer"),
    [
        pytest.param(HOSTED, ["web_search"], "It is 9 kg.", id="content blocks of version 1"),
        pytest.param(
            [
                {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
                {"type": "web_search_tool_result", "tool_use_id": "s", "content": []},
                {"type": "text", "text": "9 kg."},
            ],
            ["web_search"],
            "9 kg.",
            id="Anthropic's",
        ),
        pytest.param(
            [{"type": "web_search_call", "id": "ws"}, {"type": "text", "text": "9 kg."}],
            ["web_search"],
            "9 kg.",
            id="the Responses API's",
        ),
        pytest.param(
            [{"type": "executable_code", "executable_code": "2"}, "9 kg."],
            ["code_execution"],
            "9 kg.",
            id="Gemini's",
        ),
    ],
)
def test_tools_of_the_provider_are_hosted(content: Any, hosted: list[str], answer: str) -> None:
    result = from_langchain([ai(content)])
    assert result["trace"]["hosted"] == hosted
    assert result["answer"] == answer
    assert result["calls"] == []


RESULTS = [
    pytest.param([{"type": "tool_use", "id": "1", "name": "n", "input": {}}], id="tool_use"),
    pytest.param([{"type": "tool_call", "id": "1", "name": "n", "args": {}}], id="tool_call"),
    pytest.param([{"type": "function_call"}], id="function_call"),
    pytest.param([{"type": "function_call", "id": []}, 7, None, [1], {"text": 3}], id="any shape"),
]


@pytest.mark.parametrize("content", RESULTS)
@pytest.mark.parametrize("name", ["tool", "function"])
def test_the_content_of_a_result_may_have_any_shape(content: Any, name: str) -> None:
    asked = ai(tool_calls=[call("f", {}, "c1")], id="a1")
    content = [{"type": "text", "text": "no: "}, *content]
    answered = {**tool("c1", content), "type": name, "name": "f"}
    whole = [asked, answered, ai("Done.", id="a2")]
    event = {"event": "on_chain_end", "run_id": "n", "parent_ids": ["r"], "name": "x"}
    updates = [{"x": {"messages": [one]}} for one in whole]
    for trace in (
        whole,
        {"messages": whole},
        [*updates, {"save": {"copy": whole, "nested": [whole]}}],
        [{**event, "data": {"input": whole[:at], "output": whole[at]}} for at in range(3)],
    ):
        result = from_langchain(trace, is_error=lambda text: text.startswith("no: "))
        assert (result["calls"], result["status"]) == ([Call("f")], "final")
        if name == "tool":
            assert (result["calls"][0].error or "").startswith("no: ")


@pytest.mark.parametrize(
    ("block", "wanted"),
    [
        pytest.param(
            {"type": "computer_call", "call_id": "c1", "id": "cu", "action": {"type": "click"}},
            Call("computer", {"type": "click"}),
            id="the computer",
        ),
        pytest.param(
            {"type": "computer_call", "call_id": "c1", "actions": [{"type": "click"}]},
            Call("computer", {"actions": [{"type": "click"}]}),
            id="the computer, several actions",
        ),
        pytest.param(
            {"type": "local_shell_call", "call_id": "c1", "action": {"command": ["ls"]}},
            Call("local_shell", {"command": ["ls"]}),
            id="the shell",
        ),
        pytest.param(
            {"type": "apply_patch_call", "call_id": "c1", "operation": {"path": "x"}},
            Call("apply_patch", {"path": "x"}),
            id="a patch",
        ),
        pytest.param(
            {
                "type": "non_standard",
                "value": {"type": "computer_call", "call_id": "c1", "action": {"type": "wait"}},
            },
            Call("computer", {"type": "wait"}),
            id="inside a block that is none of the standard's",
        ),
        pytest.param(
            {"type": "mcp_tool_use", "id": "c1", "name": "f", "input": {"a": 1}},
            Call("f", {"a": 1}),
            id="a tool of the user's MCP server",
        ),
    ],
)
def test_a_tool_that_the_caller_runs_is_a_call(block: Any, wanted: Call) -> None:
    result = from_langchain([ai([block]), tool("c1", "done"), ai("Done.")])
    assert result["calls"] == [wanted]
    assert (result["trace"]["hosted"], result["trace"]["unanswered"]) == ([], 0)
    assert result["trace"]["unpaired_results"] == 0


def test_a_shell_in_the_providers_container_is_hosted() -> None:
    block = {"type": "shell_call", "call_id": "c1", "environment": {"type": "container_auto"}}
    result = from_langchain([ai([block, {"type": "text", "text": "Done."}])])
    assert (result["calls"], result["trace"]["hosted"]) == ([], ["shell"])


@pytest.mark.parametrize(
    ("content", "error"),
    [
        pytest.param(
            [
                {"type": "mcp_tool_use", "id": "m", "name": "f", "input": {"a": 1}},
                {"type": "mcp_tool_result", "tool_use_id": "m", "is_error": True, "content": "no"},
                {"type": "text", "text": "It failed."},
            ],
            "no",
            id="Anthropic's, failed",
        ),
        pytest.param(
            [
                {"type": "mcp_tool_use", "id": "m", "name": "f", "input": {"a": 1}},
                {
                    "type": "mcp_tool_result",
                    "tool_use_id": "m",
                    "is_error": False,
                    "content": [{"type": "text", "text": "ok"}],
                },
                {"type": "text", "text": "It worked."},
            ],
            None,
            id="Anthropic's",
        ),
        pytest.param(
            [
                {
                    "type": "mcp_call",
                    "id": "m",
                    "name": "f",
                    "arguments": '{"a": 1}',
                    "error": "no",
                },
                {"type": "text", "text": "It failed."},
            ],
            "no",
            id="OpenAI's, failed",
        ),
        pytest.param(
            [
                {
                    "type": "mcp_call",
                    "id": "m",
                    "name": "f",
                    "arguments": '{"a": 1}',
                    "output": "ok",
                },
                {"type": "text", "text": "It worked."},
            ],
            None,
            id="OpenAI's",
        ),
    ],
)
def test_an_mcp_call_is_answered_in_its_message(content: Any, error: str | None) -> None:
    result = from_langchain([ai(content)])
    assert result["calls"] == [Call("f", {"a": 1})]
    assert result["calls"][0].error == error
    assert (result["status"], result["trace"]["unanswered"]) == ("final", 0)


def test_an_mcp_call_without_a_result_is_open_and_nobody_is_asked_about_it() -> None:
    asked: list[str] = []
    block = {"type": "mcp_call", "id": "m", "name": "f", "arguments": "{}", "output": None}
    trace = [ai([block, {"type": "text", "text": "Wait."}])]
    result = from_langchain(trace, is_error=lambda text: bool(asked.append(text)))
    assert (result["status"], result["trace"]["unanswered_calls"]) == ("incomplete", [0])
    assert asked == []


def test_content_blocks_stand_in_for_an_empty_content() -> None:
    blocks = [
        {"type": "text", "text": "Let me look."},
        {"type": "tool_call", "id": "c1", "name": "f", "args": {"a": 1}},
    ]
    result = from_langchain([ai(content_blocks=blocks, tool_calls=[call("f", {"a": 1})])])
    assert result["calls"] == [Call("f", {"a": 1})]


def test_reasoning_is_no_answer() -> None:
    blocks = [{"type": "reasoning", "reasoning": "hm"}, {"type": "thinking", "thinking": "hm"}]
    result = from_langchain([ai([*blocks, {"type": "text", "text": "Yes."}])])
    assert result["answer"] == "Yes."
