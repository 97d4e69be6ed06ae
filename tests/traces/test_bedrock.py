"""Bedrock Converse messages: blocks of every kind, server tools, whole responses."""

from __future__ import annotations

from typing import Any

import pytest

from agenteval.traces import TraceFormatError, from_bedrock, from_trace


def use(name: str = "f", use_id: str | None = "t1", **more: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": use_id, "name": name, "input": {"x": 1}} | more}


def answer(*content: Any, use_id: str | None = "t1", **more: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": use_id, "content": list(content)} | more}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def response(message: Any, reason: str | None = "end_turn") -> dict[str, Any]:
    return {"output": {"message": message}, "stopReason": reason, "usage": {}}


@pytest.mark.parametrize(
    "trace",
    [
        pytest.param([assistant(use())], id="list"),
        pytest.param({"messages": [assistant(use())]}, id="request"),
        pytest.param(assistant(use()), id="message"),
        pytest.param(response(assistant(use()), "tool_use"), id="response"),
        pytest.param([user({"text": "Go."}), response(assistant(use()))], id="both in a list"),
    ],
)
def test_every_wrapping_gives_the_call(trace: Any) -> None:
    result = from_bedrock(trace)
    assert [(made.name, made.args) for made in result["calls"]] == [("f", {"x": 1})]
    assert (result["status"], result["trace"]["unanswered_calls"]) == ("incomplete", [0])
    assert from_trace(trace) == result


@pytest.mark.parametrize(
    ("trace", "status", "said"),
    [
        pytest.param(
            [assistant({"text": "It "}, {"text": "rains."})], "final", "It rains.", id="parts"
        ),
        pytest.param(
            [assistant({"reasoningContent": {"reasoningText": {"text": "hm"}}}, {"text": "Done."})],
            "final",
            "Done.",
            id="reasoning is no answer",
        ),
        pytest.param(
            [assistant({"citationsContent": {"content": [{"text": "Done."}], "citations": []}})],
            "final",
            "Done.",
            id="text with citations",
        ),
        pytest.param(
            [assistant({"text": "One."}), assistant({"text": "Two."})], "final", "Two.", id="two"
        ),
        pytest.param(
            [assistant(use()), assistant({"text": "Done."})],
            "final",
            "Done.",
            id="an earlier call without a result",
        ),
        pytest.param([assistant({"text": "Wait."}, use())], "incomplete", None, id="text, call"),
        pytest.param([assistant(use()), user(answer())], "incomplete", None, id="ends in a result"),
        pytest.param(
            [assistant({"text": "Done."}), user({"text": "And?"})],
            "incomplete",
            "Done.",
            id="ends in a question",
        ),
        pytest.param(response(assistant({"text": "Done."})), "final", "Done.", id="end_turn"),
        pytest.param(response(assistant({"text": "D"}), "max_tokens"), "cut off", "D", id="tokens"),
        pytest.param(
            response(assistant({"text": "No."}), "guardrail_intervened"),
            "refused",
            "No.",
            id="rail",
        ),
        pytest.param(
            response(assistant({"text": "No."}), "content_filtered"), "refused", "No.", id="filter"
        ),
        pytest.param(
            response(assistant({"text": "x"}), "malformed_tool_use"), "failed", "x", id="tool use"
        ),
        pytest.param(
            response(assistant({"text": "x"}), "malformed_model_output"), "failed", "x", id="output"
        ),
    ],
)
def test_how_a_trace_ends(trace: Any, status: str, said: str | None) -> None:
    result = from_bedrock(trace)
    assert (result["status"], result["answer"]) == (status, said)


@pytest.mark.parametrize(
    ("block", "error"),
    [
        pytest.param(answer({"text": "ok"}), None, id="no status is success"),
        pytest.param(answer({"text": "ok"}, status="success"), None, id="success"),
        pytest.param(answer({"text": "no "}, {"text": "x"}, status="error"), "no x", id="texts"),
        pytest.param(answer({"json": {"code": 1}}, status="error"), '{"code": 1}', id="json"),
        pytest.param(answer({"text": "no"}, status="FAILED"), "no", id="in other words"),
        pytest.param(answer({"text": "no"}, isError=True), "no", id="a mark as others have it"),
        pytest.param(
            answer({"image": {}}, status="error"), "the tool failed without a message", id="image"
        ),
    ],
)
def test_the_status_of_a_result(block: dict[str, Any], error: str | None) -> None:
    assert from_bedrock([assistant(use()), user(block)])["calls"][0].error == error


@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
def test_a_result_is_read_under_any_role(role: str) -> None:
    trace = [assistant(use()), {"role": role, "content": [answer()]}, assistant({"text": "Done."})]
    result = from_bedrock(trace)
    assert (result["trace"]["unanswered"], result["status"]) == (0, "final")


def test_a_block_with_several_fields_loses_none() -> None:
    failed = {"toolUseId": "t1", "status": "error", "content": [{"text": "no rate"}]}
    both = {"text": "Let me see.", "toolUse": use()["toolUse"], "toolResult": failed}
    result = from_bedrock([assistant(both)])
    assert [(made.name, made.error) for made in result["calls"]] == [("f", "no rate")]
    assert (result["status"], result["answer"]) == ("incomplete", None)
    assert result["trace"]["unanswered"] == result["trace"]["unpaired_results"] == 0
    said = from_bedrock([assistant({"text": "Done.", "toolResult": failed, "toolUse": None})])
    assert (said["answer"], said["trace"]["unpaired_results"]) == ("Done.", 1)


def test_a_server_tool_is_hosted_and_its_result_no_stray() -> None:
    result = from_bedrock(
        [
            assistant(
                use("nova_code_interpreter", "s1", type="server_tool_use"),
                answer({"json": {}}, use_id="s1", type="nova_code_interpreter_result"),
                use("final_result", "t2", type="tool_use"),
            )
        ]
    )
    assert [made.name for made in result["calls"]] == ["final_result"]
    assert result["trace"]["hosted"] == ["nova_code_interpreter"]
    assert result["trace"]["unpaired_results"] == 0


@pytest.mark.parametrize(
    ("trace", "wanted"),
    [
        pytest.param(None, "expected Converse messages or a Converse response", id="nothing"),
        pytest.param([], "the trace is empty", id="empty list"),
        pytest.param("[]", "this is text: parse it first", id="text"),
        pytest.param({"x": 1}, "an object with 'messages' or 'role' or 'output'", id="object"),
        pytest.param({"output": 3}, r"response.output: expected an object", id="output"),
        pytest.param({"output": {}}, r"response.output.message: expected an object", id="message"),
        pytest.param([{"role": "model"}], r"\[0\].role: expected one of user", id="role"),
        pytest.param([{"role": "user", "content": "x"}], r"\[0\].content: expected", id="content"),
        pytest.param([assistant("x")], r"content\[0\]: expected an object", id="block"),
        pytest.param([assistant({"text": 5})], r"content\[0\].text: expected text", id="text"),
        pytest.param([assistant({"toolUse": None})], r"a content block with something", id="null"),
        pytest.param([assistant({"toolUse": []})], r"toolUse: expected an object", id="call"),
        pytest.param([assistant(use(None))], r"toolUse.name: expected text", id="name"),
        pytest.param([user(answer("x"))], r"toolResult.content\[0\]: expected an ob", id="result"),
        pytest.param([user(answer(status=1))], r"toolResult.status: expected text", id="status"),
        pytest.param(
            [assistant(use()), {"role": "assistant", "content": [], "tool_calls": [{"id": "c"}]}],
            "is of the format openai_chat",
            id="mixed with chat",
        ),
        pytest.param(
            [assistant(use()), assistant({"type": "tool_use", "name": "f"})],
            "is of the format anthropic",
            id="mixed with Anthropic",
        ),
        pytest.param(
            [assistant(use()), user({"functionResponse": {"name": "f"}})],
            "is of the format gemini",
            id="mixed with Gemini",
        ),
    ],
)
def test_bad_input_is_named_with_its_place(trace: Any, wanted: str) -> None:
    with pytest.raises(TraceFormatError, match=wanted):
        from_bedrock(trace)
