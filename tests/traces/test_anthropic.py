"""Anthropic messages: blocks of every kind, results under any role, how a message stops."""

from __future__ import annotations

from typing import Any

import pytest

from agenteval.traces import TraceFormatError, from_anthropic, from_trace


def use(name: str = "f", use_id: str | None = "t1", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": use_id, "name": name, "input": arguments}


def answer(content: Any = "ok", use_id: str | None = "t1", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": use_id, "content": content} | more


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def assistant(*blocks: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)} | more


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


@pytest.mark.parametrize(
    "trace",
    [
        pytest.param([assistant(use())], id="list"),
        pytest.param({"system": "Be kind.", "messages": [assistant(use())]}, id="request"),
        pytest.param(assistant(use(), type="message", stop_reason="tool_use"), id="message"),
        pytest.param(
            [user(text("Go.")), assistant(use(), type="message", stop_reason="tool_use")],
            id="both in a list",
        ),
    ],
)
def test_every_wrapping_gives_the_call(trace: Any) -> None:
    result = from_anthropic(trace)
    assert [made.name for made in result["calls"]] == ["f"]
    assert (result["status"], result["trace"]["unanswered_calls"]) == ("incomplete", [0])
    assert from_trace(trace) == result


@pytest.mark.parametrize(
    ("messages", "status", "said"),
    [
        pytest.param([assistant(text("Done."))], "final", "Done.", id="answer"),
        pytest.param([{"role": "assistant", "content": "Done."}], "final", "Done.", id="as text"),
        pytest.param([assistant(text("It "), text("rains."))], "final", "It rains.", id="parts"),
        pytest.param(
            [assistant({"type": "thinking", "thinking": "hm"}, text("Done."))],
            "final",
            "Done.",
            id="thinking is no answer",
        ),
        pytest.param([assistant(text("Wait."), use())], "incomplete", None, id="text, call"),
        pytest.param([assistant(use(), text("Wait."))], "incomplete", "Wait.", id="call, text"),
        pytest.param([assistant(use()), user(answer())], "incomplete", None, id="ends in a result"),
        pytest.param(
            [assistant(text("Done.")), user(text("And?"))], "incomplete", "Done.", id="question"
        ),
        pytest.param(
            [assistant(text("Done.")), user({"type": "image", "source": {}})],
            "incomplete",
            "Done.",
            id="an image as a question",
        ),
        pytest.param(
            [assistant(text("Done."), {"type": "image", "source": {}})],
            "final",
            "Done.",
            id="an image of the model's own",
        ),
        pytest.param(
            [assistant(text("Do"), stop_reason="max_tokens")], "cut off", "Do", id="max_tokens"
        ),
        pytest.param(
            [assistant(text("Do"), stop_reason="model_context_window_exceeded")],
            "cut off",
            "Do",
            id="context window",
        ),
        pytest.param([assistant(text("No."), stop_reason="refusal")], "refused", "No.", id="no"),
        pytest.param(
            [assistant(text("Searching."), stop_reason="pause_turn")],
            "incomplete",
            "Searching.",
            id="paused",
        ),
        pytest.param(
            [assistant(text("Done."), stop_reason="end_turn")], "final", "Done.", id="end_turn"
        ),
        pytest.param(
            [assistant(text("Do"), type="message", stop_reason=None)],
            "incomplete",
            "Do",
            id="a whole Message without a reason is a snapshot of a stream",
        ),
        pytest.param(
            [assistant(text("Done."), stop_reason=None)], "final", "Done.", id="no whole Message"
        ),
        pytest.param(
            [assistant(text("Do"), type="message", stop_reason=None), assistant(text("Done."))],
            "final",
            "Done.",
            id="a snapshot and what came of it",
        ),
        pytest.param(
            [assistant(text("Do"), stop_reason="max_tokens"), assistant(text("Done."))],
            "final",
            "Done.",
            id="cut off, then went on",
        ),
        pytest.param([assistant()], "incomplete", None, id="an empty message"),
    ],
)
def test_how_a_trace_ends(messages: Any, status: str, said: str | None) -> None:
    result = from_anthropic(messages)
    assert (result["status"], result["answer"]) == (status, said)


@pytest.mark.parametrize(
    ("result", "error"),
    [
        pytest.param({}, None, id="no mark is success"),
        pytest.param({"is_error": False}, None, id="false"),
        pytest.param({"is_error": None}, None, id="null"),
        pytest.param({"is_error": True}, "ok", id="true"),
        pytest.param({"isError": True}, "ok", id="in another spelling"),
        pytest.param({"is_error": 1}, "ok", id="a number for true"),
        pytest.param({"is_error": 0}, None, id="a number for false"),
        pytest.param(
            {"is_error": True, "content": None}, "the tool failed without a message", id="no text"
        ),
        pytest.param(
            {"is_error": True, "content": {"code": 1}}, '{"code": 1}', id="an object as content"
        ),
    ],
)
def test_is_error(result: dict[str, Any], error: str | None) -> None:
    trace = [assistant(use()), user(answer(**result))]
    assert from_anthropic(trace)["calls"][0].error == error


@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
def test_a_result_is_read_under_any_role(role: str) -> None:
    trace = [assistant(use()), {"role": role, "content": [answer()]}, assistant(text("Done."))]
    result = from_anthropic(trace)
    assert (result["trace"]["unanswered"], result["status"]) == (0, "final")


def test_server_tools_are_hosted_and_the_text_after_them_is_the_answer() -> None:
    result = from_anthropic(
        [
            assistant(
                text("Let me search."),
                {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
                {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
                {"type": "server_tool_use", "id": "s2", "name": "code_execution", "input": {}},
                {"type": "code_execution_tool_result", "tool_use_id": "s2", "content": {}},
                text("Nothing "),
                text("found."),
            )
        ]
    )
    assert (result["calls"], result["answer"]) == ([], "Nothing found.")
    assert result["trace"]["hosted"] == ["web_search", "code_execution"]
    assert result["trace"]["unpaired_results"] == 0


def test_a_tool_of_the_users_own_mcp_server_is_a_call() -> None:
    result = from_anthropic(
        [
            assistant(
                {"type": "mcp_tool_use", "id": "m1", "name": "echo", "input": {"x": 1}},
                {
                    "type": "mcp_tool_result",
                    "tool_use_id": "m1",
                    "is_error": True,
                    "content": [text("down")],
                },
            )
        ]
    )
    assert [(made.name, made.args, made.error) for made in result["calls"]] == [
        ("echo", {"x": 1}, "down")
    ]


def test_an_input_that_was_cut_off_is_kept() -> None:
    block = use() | {"input": '{"path": '}
    result = from_anthropic([assistant(block, stop_reason="max_tokens")])
    assert result["calls"][0].args == {"_raw": '{"path": '}
    assert (result["status"], result["trace"]["unparsed_arguments"]) == ("cut off", 1)


@pytest.mark.parametrize(
    ("trace", "wanted"),
    [
        pytest.param(None, "expected Anthropic messages or a Message, got None", id="nothing"),
        pytest.param([], "the trace is empty", id="empty list"),
        pytest.param("[]", "this is text: parse it first", id="text"),
        pytest.param({"type": "error"}, "an object with 'messages' or 'role'", id="API error"),
        pytest.param([None], r"\[0\]: expected an object, got None", id="no message"),
        pytest.param([{"role": "model"}], r"\[0\].role: expected one of user, assis", id="role"),
        pytest.param([{"role": "user"}], r"\[0\].content: expected a list, got None", id="content"),
        pytest.param([assistant(3)], r"content\[0\]: expected an object", id="block"),
        pytest.param([assistant({"text": "x"})], r"content\[0\].type: expected text", id="no type"),
        pytest.param([assistant(text(5))], r"content\[0\].text: expected text, got int", id="text"),
        pytest.param([assistant(use(None))], r"content\[0\].name: expected text", id="no name"),
        pytest.param([assistant(use(use_id=[]))], r"content\[0\].id: expected an id", id="id"),
        pytest.param(
            [user(answer(is_error="yes"))], r"is_error: expected true, false or no", id="error"
        ),
        pytest.param(
            [user(answer(5))], r"\[0\].content\[0\].content: expected a list", id="result"
        ),
        pytest.param(
            [assistant(stop_reason=[])], r"\[0\].stop_reason: expected text", id="stop reason"
        ),
        pytest.param(
            [assistant(use()), {"role": "tool", "tool_call_id": "t1", "content": "ok"}],
            "is of the format openai_chat",
            id="mixed with a chat result",
        ),
        pytest.param(
            [assistant(use()), assistant({"type": "x"}, {"type": "tool-call", "toolName": "f"})],
            "is of the format vercel_ai",
            id="mixed with the AI SDK",
        ),
        pytest.param(
            [assistant(use(), {"type": "function_call", "name": "f"})],
            "is of the format openai_responses",
            id="mixed with Responses items",
        ),
    ],
)
def test_bad_input_is_named_with_its_place(trace: Any, wanted: str) -> None:
    with pytest.raises(TraceFormatError, match=wanted):
        from_anthropic(trace)
