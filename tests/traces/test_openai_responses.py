"""Responses items: hosted, built-in and MCP tools, whole responses, Agents SDK items, streams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from agenteval.traces import TraceFormatError, from_openai_responses, from_trace


def call(name: str = "f", call_id: str | None = "c1", **more: Any) -> dict[str, Any]:
    item = {"type": "function_call", "call_id": call_id, "name": name, "arguments": "{}"}
    return item | more


def output(said: Any = "ok", call_id: str | None = "c1", **more: Any) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": said} | more


def message(*texts: str, **more: Any) -> dict[str, Any]:
    parts = [{"type": "output_text", "text": text} for text in texts]
    return {"type": "message", "role": "assistant", "content": parts} | more


USER = {"role": "user", "content": "Go."}
DONE = message("Done.")


def response(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"object": "response", "status": "completed", "output": list(items)} | more


@pytest.mark.parametrize(
    ("trace", "status"),
    [
        pytest.param([USER, call(), output(), DONE], "final", id="list"),
        pytest.param({"items": [USER, call(), output(), DONE]}, "final", id="items"),
        pytest.param({"input": "Go.", "output": [call()]}, "incomplete", id="input as text"),
        pytest.param(
            {"input": [USER, call(), output()], "output": [DONE]}, "final", id="input and output"
        ),
        pytest.param(response(call()), "incomplete", id="response"),
        pytest.param(
            [response(call()), output(), response(DONE)], "final", id="responses and outputs"
        ),
        pytest.param(
            [
                {"type": "response.created", "response": response()},
                {"type": "response.function_call_arguments.delta", "delta": "{"},
                {"type": "response.completed", "response": response(call())},
            ],
            "incomplete",
            id="events of a stream",
        ),
    ],
)
def test_every_wrapping_gives_the_call(trace: Any, status: str) -> None:
    result = from_openai_responses(trace)
    assert [(made.name, made.args) for made in result["calls"]] == [("f", {})]
    assert result["status"] == status
    assert from_trace(trace) == result


@pytest.mark.parametrize(
    ("trace", "status", "answer"),
    [
        pytest.param(response(DONE), "final", "Done.", id="completed"),
        pytest.param(
            response(DONE, status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
            "cut off",
            "Done.",
            id="cut off",
        ),
        pytest.param(
            response(DONE, status="incomplete", incomplete_details={"reason": "content_filter"}),
            "refused",
            "Done.",
            id="filtered",
        ),
        pytest.param(
            response(DONE, status="incomplete"), "cut off", "Done.", id="incomplete, no details"
        ),
        pytest.param(
            [response(call()), response(DONE)], "final", "Done.", id="responses, no outputs kept"
        ),
        pytest.param([call(), USER, DONE], "final", "Done.", id="the user went on without output"),
        pytest.param(
            [call(), call("g", "c2"), output(), DONE], "final", "Done.", id="one output is missing"
        ),
        pytest.param(
            [message("One."), {"role": "assistant", "content": "Two."}],
            "final",
            "Two.",
            id="two messages, one of them easy",
        ),
        pytest.param(
            [message("Done.") | {"content": [{"type": "output_text", "text": None}]}, DONE],
            "final",
            "Done.",
            id="a part with null for a text",
        ),
        pytest.param({"input": "Go.", "output": []}, "incomplete", None, id="only asked"),
        pytest.param(response(status="failed"), "failed", None, id="failed"),
        pytest.param(response(DONE, status="cancelled"), "failed", "Done.", id="cancelled"),
        pytest.param(response(DONE, status="in_progress"), "incomplete", "Done.", id="running"),
        pytest.param([DONE | {"status": "incomplete"}], "cut off", "Done.", id="message cut off"),
        pytest.param([call(status="incomplete")], "cut off", None, id="call cut off"),
        pytest.param([call(), DONE], "incomplete", "Done.", id="text beside an open call"),
        pytest.param([DONE, call()], "incomplete", None, id="text before an open call"),
        pytest.param([call(), DONE, output()], "incomplete", "Done.", id="text before the output"),
        pytest.param([DONE, USER], "incomplete", "Done.", id="ends in a question"),
        pytest.param([message("One."), message("Two.")], "final", "Two.", id="two messages"),
        pytest.param([message("It ", "rains.")], "final", "It rains.", id="an answer in parts"),
        pytest.param(
            [USER, {"role": "assistant", "content": "Done."}], "final", "Done.", id="easy message"
        ),
        pytest.param(
            [message() | {"content": [{"type": "refusal", "refusal": "No."}]}],
            "refused",
            "No.",
            id="refusal",
        ),
        pytest.param(
            [{"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}, DONE],
            "final",
            "Done.",
            id="reasoning is no answer",
        ),
    ],
)
def test_how_a_trace_ends(trace: Any, status: str, answer: str | None) -> None:
    result = from_openai_responses(trace)
    assert (result["status"], result["answer"]) == (status, answer)


def said(words: str, phase: str | None = None, **fields: Any) -> dict[str, Any]:
    part = {"type": "output_text", "text": words}
    return {"type": "message", "role": "assistant", "content": [part], "phase": phase, **fields}


CALL_C = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
LOOK, DONE = said("Let me look.", "commentary"), said("Done.", "final_answer")
ASKED = {"role": "user", "content": "Go."}
RETURNED = {"type": "function_call_output", "call_id": "c", "output": "ok"}


@pytest.mark.parametrize(
    ("items", "status", "answer"),
    [
        pytest.param([LOOK], "incomplete", None, id="a comment alone"),
        pytest.param([ASKED, LOOK], "incomplete", None, id="a comment on a question"),
        pytest.param([LOOK, DONE], "final", "Done.", id="a comment and the answer"),
        pytest.param([DONE, LOOK], "final", "Done.", id="the answer and a comment"),
        pytest.param([LOOK, said("So.")], "final", "So.", id="an answer without a phase"),
        pytest.param([ASKED, DONE, ASKED, LOOK], "incomplete", "Done.", id="the next question"),
        pytest.param(
            [LOOK, CALL_C, RETURNED, DONE], "final", "Done.", id="a comment before a call"
        ),
        pytest.param([DONE, CALL_C, RETURNED, LOOK], "incomplete", None, id="one after its result"),
        pytest.param(
            [said("Let", "commentary", status="incomplete")], "cut off", None, id="one cut off"
        ),
    ],
)
@pytest.mark.parametrize("wrap", ["items", "response", "new_items"])
def test_a_comment_is_no_answer(
    items: list[Any], status: str, answer: str | None, wrap: str
) -> None:
    traces = {
        "items": items,
        "response": {"object": "response", "status": "completed", "output": items},
        "new_items": {"new_items": [{"type": "run_item", "raw_item": item} for item in items]},
    }
    found = from_openai_responses(traces[wrap])
    assert (found["status"], found["answer"]) == (status, answer)


def test_a_response_of_comments_after_an_answered_one_is_no_answer() -> None:
    both = [{"object": "response", "output": [one]} for one in (DONE, LOOK)]
    assert from_openai_responses(both)["status"] == "incomplete"
    assert from_openai_responses(both[::-1])["status"] == "final"


def test_calls_pair_by_call_id_not_by_id() -> None:
    items = [
        call("f", "c1", id="c2"),
        call("g", "c2", id="c1"),
        output("of g", "c2", id="c1"),
        output("of f", "c1", id="c2"),
    ]
    result = from_openai_responses(items, is_error=lambda text: True)
    assert [made.error for made in result["calls"]] == ["of f", "of g"]


def test_calls_without_any_id_pair_in_order() -> None:
    items = [call("f", None), call("g", None), output("1", None), output("2", None)]
    result = from_openai_responses(items, is_error=lambda text: True)
    assert [made.error for made in result["calls"]] == ["1", "2"]


def test_an_outputs_own_id_is_no_calls_id() -> None:
    items = [call("f", None, id="x1"), call("g", None, id="x2"), output("1", None, id="x2")]
    result = from_openai_responses(items, is_error="1".__eq__)
    assert [made.error for made in result["calls"]] == ["1", None]


def test_local_shells_are_paired_by_the_id_of_their_output() -> None:
    shells = [
        {"type": "local_shell_call", "id": f"lsh_{at}", "call_id": f"c{at}", "action": {}}
        for at in (1, 2)
    ]
    outputs = [
        {"type": "local_shell_call_output", "id": "c2", "output": "of 2"},
        {"type": "local_shell_call_output", "id": "lso_9", "call_id": "c1", "output": "of 1"},
    ]
    result = from_openai_responses([*shells, *outputs], is_error=bool)
    assert [made.error for made in result["calls"]] == ["of 1", "of 2"]


@pytest.mark.parametrize(
    "outcome",
    [
        pytest.param({"outcome": {"type": "exit", "exit_code": 0}}, id="code 0"),
        pytest.param({"outcome": {"type": "exit", "exit_code": None}}, id="no code"),
        pytest.param({}, id="no outcome"),
    ],
)
def test_a_shell_command_that_worked(outcome: dict[str, Any]) -> None:
    shell = {"type": "shell_call", "call_id": "c", "action": {"commands": ["ls"]}}
    said = {"type": "shell_call_output", "call_id": "c", "output": [{"stdout": "a"} | outcome]}
    assert from_openai_responses([shell, said])["calls"][0].error is None


@pytest.mark.parametrize(
    ("said", "text"),
    [
        pytest.param("ok", "ok", id="text"),
        pytest.param([{"type": "input_text", "text": "ok"}], "ok", id="parts"),
        pytest.param([{"type": "input_image", "image_url": "x"}], None, id="an image"),
        pytest.param({"ok": 1}, '{"ok": 1}', id="object"),
    ],
)
def test_the_text_of_an_output(said: Any, text: str | None) -> None:
    (made,) = from_openai_responses([call(), output(said)], is_error=bool)["calls"]
    assert made.error == text


@pytest.mark.parametrize(
    ("item", "error", "answered"),
    [
        pytest.param({"output": "ok", "error": None}, None, True, id="worked"),
        pytest.param({"output": None, "error": "no note"}, "no note", True, id="text"),
        pytest.param(
            {"error": {"type": "mcp_protocol_error", "code": -32602, "message": "bad id"}},
            "bad id",
            True,
            id="protocol error",
        ),
        pytest.param(
            {"error": {"type": "http_error", "code": 503, "message": "down"}},
            "down",
            True,
            id="http error",
        ),
        pytest.param(
            {
                "error": {
                    "type": "mcp_tool_execution_error",
                    "content": [{"type": "text", "text": "no note"}],
                }
            },
            "no note",
            True,
            id="execution error",
        ),
        pytest.param({"error": {"code": 7}}, '{"code": 7}', True, id="an error of a new shape"),
        pytest.param(
            {"output": "half", "status": "failed"}, "half", True, id="failed with an output"
        ),
        pytest.param(
            {"status": "failed"}, "the tool failed without a message", True, id="failed, no more"
        ),
        pytest.param({"status": "completed"}, None, True, id="completed without an output"),
        pytest.param({"status": "calling"}, None, False, id="still calling"),
        pytest.param({}, None, False, id="nothing said"),
    ],
)
def test_an_mcp_call_is_call_and_result_in_one(
    item: dict[str, Any], error: str | None, answered: bool
) -> None:
    mcp = {"type": "mcp_call", "id": "m1", "name": "get_note", "arguments": '{"id": 9}'}
    result = from_openai_responses([mcp | item])
    (made,) = result["calls"]
    assert (made.name, made.args, made.error) == ("get_note", {"id": 9}, error)
    assert (result["trace"]["unanswered"] == 0) is answered


@pytest.mark.parametrize(
    ("recorded", "asked"),
    [
        pytest.param({}, [], id="no output"),
        pytest.param({"output": None}, [], id="null"),
        pytest.param({"output": ""}, [""], id="empty"),
        pytest.param({"output": "ok"}, ["ok"], id="text"),
    ],
)
def test_is_error_is_asked_about_an_output_that_an_mcp_call_has(
    recorded: dict[str, Any], asked: list[str]
) -> None:
    mcp = {"type": "mcp_call", "name": "f", "arguments": "{}", "status": "completed"}
    seen: list[str] = []
    from_openai_responses([mcp | recorded], is_error=seen.append)
    assert seen == asked


def test_an_mcp_call_takes_no_output_of_another_call() -> None:
    mcp = {"type": "mcp_call", "name": "f", "arguments": "{}", "output": "ok"}
    result = from_openai_responses(
        [call("f", None), mcp, output("bad", None)], is_error="bad".__eq__
    )
    assert [made.error for made in result["calls"]] == ["bad", None]


def test_an_approval_that_nobody_gave_is_no_call_and_no_end() -> None:
    request = {"type": "mcp_approval_request", "id": "r1", "name": "pay", "arguments": "{}"}
    result = from_openai_responses([DONE, request])
    assert (result["status"], result["calls"]) == ("incomplete", [])
    given = {"type": "mcp_approval_response", "approval_request_id": "r1", "approve": False}
    assert from_openai_responses([DONE, request, given])["status"] == "incomplete"
    assert from_openai_responses([DONE, request, given, DONE])["status"] == "final"


@pytest.mark.parametrize(
    "item",
    [
        pytest.param({"type": "web_search_call", "id": "w"}, id="web search"),
        pytest.param({"type": "file_search_call", "id": "w", "queries": []}, id="file search"),
        pytest.param({"type": "code_interpreter_call", "id": "w"}, id="code interpreter"),
        pytest.param({"type": "image_generation_call", "id": "w"}, id="image generation"),
        pytest.param({"type": "program", "id": "w", "call_id": "p"}, id="program"),
        pytest.param({"type": "tool_search_call", "execution": "server"}, id="tool search"),
        pytest.param({"type": "brand_new_call", "id": "w"}, id="a kind not known yet"),
        pytest.param(
            {"type": "shell_call", "environment": {"type": "container_reference"}},
            id="shell in a container",
        ),
    ],
)
def test_what_the_provider_ran_is_hosted(item: dict[str, Any]) -> None:
    result = from_openai_responses([USER, item, DONE])
    assert (result["calls"], result["trace"]["hosted"]) == ([], [item["type"]])
    assert result["status"] == "final"


def test_text_after_a_hosted_tool_is_the_answer() -> None:
    items = [message("Searching."), {"type": "web_search_call", "id": "w"}, message("Found.")]
    assert from_openai_responses(items)["answer"] == "Found."
    assert from_openai_responses(items[:2])["answer"] == "Searching."


def test_the_output_of_a_shell_in_a_container_is_no_stray_result() -> None:
    shell = {"type": "shell_call", "call_id": "s", "environment": {"type": "container_auto"}}
    said = {"type": "shell_call_output", "call_id": "s", "output": [{"stdout": "x"}]}
    result = from_openai_responses([shell, said, DONE])
    assert (result["trace"]["unpaired_results"], result["status"]) == (0, "final")


@pytest.mark.parametrize(
    ("item", "answer", "name", "args", "error"),
    [
        pytest.param(
            {"type": "local_shell_call", "call_id": "c", "action": {"command": ["ls"]}},
            {"type": "local_shell_call_output", "id": "c", "output": "a.py"},
            "local_shell",
            {"command": ["ls"]},
            None,
            id="local shell",
        ),
        pytest.param(
            {"type": "shell_call", "call_id": "c", "action": {"commands": ["ls x", "ls y"]}},
            {
                "type": "shell_call_output",
                "call_id": "c",
                "output": [
                    {"stdout": "a", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}},
                    {"stdout": "", "stderr": "no y", "outcome": {"type": "exit", "exit_code": 2}},
                ],
            },
            "shell",
            {"commands": ["ls x", "ls y"]},
            "ano y",
            id="shell with a failed command",
        ),
        pytest.param(
            {"type": "shell_call", "call_id": "c", "action": {"commands": ["sleep 9"]}},
            {
                "type": "shell_call_output",
                "call_id": "c",
                "output": [{"stdout": "", "outcome": {"type": "timeout"}}],
            },
            "shell",
            {"commands": ["sleep 9"]},
            "the tool failed without a message",
            id="shell that timed out",
        ),
        pytest.param(
            {"type": "apply_patch_call", "call_id": "c", "operation": {"type": "delete_file"}},
            {
                "type": "apply_patch_call_output",
                "call_id": "c",
                "status": "failed",
                "output": "no file",
            },
            "apply_patch",
            {"type": "delete_file"},
            "no file",
            id="patch that failed",
        ),
        pytest.param(
            {"type": "computer_call", "call_id": "c", "action": {"type": "click", "x": 1}},
            {"type": "computer_call_output", "call_id": "c", "output": {"type": "screenshot"}},
            "computer",
            {"type": "click", "x": 1},
            None,
            id="computer",
        ),
        pytest.param(
            {"type": "computer_call", "call_id": "c", "actions": [{"type": "wait"}]},
            {"type": "computer_call_output", "call_id": "c", "output": {"type": "screenshot"}},
            "computer",
            {"actions": [{"type": "wait"}]},
            None,
            id="computer with several actions",
        ),
        pytest.param(
            {
                "type": "tool_search_call",
                "call_id": "c",
                "execution": "client",
                "arguments": {"queries": ["rate"]},
            },
            {"type": "tool_search_output", "call_id": "c", "execution": "client", "tools": []},
            "tool_search",
            {"queries": ["rate"]},
            None,
            id="tool search by the client",
        ),
    ],
)
def test_built_in_tools_that_the_caller_runs_are_calls(
    item: dict[str, Any], answer: dict[str, Any], name: str, args: dict[str, Any], error: str | None
) -> None:
    result = from_openai_responses([item, answer, DONE])
    (made,) = result["calls"]
    assert (made.name, made.args, made.error) == (name, args, error)
    assert (result["trace"]["unanswered"], result["status"]) == (0, "final")
    assert from_openai_responses([item])["trace"]["unanswered_calls"] == [0]


def test_a_custom_tools_free_text_is_its_input() -> None:
    item = {"type": "custom_tool_call", "call_id": "c", "name": "sql", "input": "SELECT {"}
    result = from_openai_responses([item])
    assert result["calls"][0].args == {"input": "SELECT {"}
    assert result["trace"]["unparsed_arguments"] == 0


@dataclass
class RunItem:
    """An item of the Agents SDK: a dataclass around a Responses item."""

    raw_item: Any
    type: str = "tool_call_item"
    agent: Any = None


@dataclass
class RunResult:
    """A result of the Agents SDK."""

    new_items: list[Any]
    final_output: Any
    input: Any = "Go."


def streamed(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "response.output_item.done", "output_index": 0, "item": item}


def begun(item: dict[str, Any], at: int = 0) -> dict[str, Any]:
    return {"type": "response.output_item.added", "output_index": at, "item": item}


def piece(of: str, delta: Any, **fields: Any) -> dict[str, Any]:
    return {"type": f"response.{of}.delta", "output_index": 0, "delta": delta, **fields}


MESSAGE = {"type": "message", "role": "assistant", "content": [], "status": "in_progress"}
CREATED = {"type": "response.created", "response": response(status="in_progress")}
COMPLETED = {"type": "response.completed", "response": response(call())}


@pytest.mark.parametrize(
    ("events", "calls", "status", "answer"),
    [
        pytest.param([CREATED, streamed(call())], ["f"], "incomplete", None, id="after a call"),
        pytest.param([CREATED, streamed(DONE)], [], "incomplete", "Done.", id="after a message"),
        pytest.param(
            [CREATED, streamed(call()), COMPLETED, output(), DONE],
            ["f"],
            "final",
            "Done.",
            id="not broken off: its items once",
        ),
        pytest.param(
            [CREATED, streamed(call()), output(), DONE],
            ["f"],
            "final",
            "Done.",
            id="the caller went on",
        ),
        pytest.param(
            [CREATED, streamed(call("g", "c0")), CREATED, streamed(call()), COMPLETED],
            ["g", "f"],
            "incomplete",
            None,
            id="and begun again",
        ),
        pytest.param(
            [CREATED, begun(call(), 1)], ["f"], "incomplete", None, id="when a call had begun"
        ),
        pytest.param(
            [CREATED, begun(MESSAGE), piece("output_text", "It "), piece("output_text", "is")],
            [],
            "incomplete",
            "It is",
            id="in a message",
        ),
        pytest.param(
            [piece("output_text", "It "), piece("output_text", "is")],
            [],
            "incomplete",
            "It is",
            id="with pieces of text alone",
        ),
        pytest.param(
            [CREATED, begun(call()), streamed(call()), COMPLETED, output(), DONE],
            ["f"],
            "final",
            "Done.",
            id="not broken off: what began is not counted again",
        ),
        pytest.param(
            [CREATED, begun(call()), streamed(call()), begun(call("g", "c2"), 1)],
            ["f", "g"],
            "incomplete",
            None,
            id="in the second call",
        ),
        pytest.param(
            [CREATED, streamed(DONE), {"type": "error", "code": "x", "message": "boom"}],
            [],
            "failed",
            "Done.",
            id="with an error",
        ),
    ],
)
def test_a_stream_that_broke_off(
    events: list[dict[str, Any]], calls: list[str], status: str, answer: str | None
) -> None:
    result = from_openai_responses([USER, *events])
    assert [made.name for made in result["calls"]] == calls
    assert (result["status"], result["answer"]) == (status, answer)
    assert from_trace([USER, *events]) == result


@pytest.mark.parametrize(
    ("item", "of", "field"),
    [
        pytest.param(call() | {"arguments": ""}, "function_call_arguments", "arguments", id="f"),
        pytest.param(
            {"type": "mcp_call", "name": "f", "arguments": "", "status": "in_progress"},
            "mcp_call_arguments",
            "arguments",
            id="mcp",
        ),
        pytest.param(
            {"type": "custom_tool_call", "call_id": "c", "name": "f", "input": ""},
            "custom_tool_call_input",
            "input",
            id="custom",
        ),
    ],
)
def test_the_pieces_of_a_call_are_put_together(item: Any, of: str, field: str) -> None:
    item = item | {"id": "i"}
    pieces = [piece(of, part) for part in ('{"x"', ": 1")]
    by_id = [one | {"output_index": None, "item_id": "i"} for one in pieces]
    last = [{key: one[key] for key in ("type", "delta")} for one in pieces]
    whole = [{"type": f"response.{of}.done", "output_index": 0, field: '{"x": 1}'}]
    for way in (pieces, by_id, last, pieces + whole):
        found = from_openai_responses([CREATED, begun(item), *way])
        said = '{"x": 1}' if way[-1] is whole[0] else '{"x": 1'
        wanted = {"input": said} if field == "input" else {"_raw": said}
        if field == "arguments" and said.endswith("}"):
            wanted = {"x": 1}
        assert [made.args for made in found["calls"]] == [wanted]
        assert (found["status"], found["trace"]["unanswered"]) == ("incomplete", 1)


@pytest.mark.parametrize(
    ("event", "match"),
    [
        pytest.param(
            piece("function_call_arguments", "{"), "a call that was begun.*keep", id="no call"
        ),
        pytest.param(piece("output_text", 7), "delta: expected text, got int 7", id="delta 7"),
        pytest.param(begun(7), "item: expected an object", id="item 7"),  # type: ignore[arg-type] # on purpose
        pytest.param(piece("output_text", "x", item_id=[1]), "item_id: expected an id", id="id"),
    ],
)
def test_an_event_that_says_nothing_clear_is_refused(event: Any, match: str) -> None:
    with pytest.raises(TraceFormatError, match=match):
        from_openai_responses([CREATED, event])


def test_an_agents_sdk_result_is_read_as_the_object_it_is() -> None:
    result = from_openai_responses(RunResult([RunItem(call()), RunItem(output())], "3 left"))
    assert [made.name for made in result["calls"]] == ["f"]
    assert (result["status"], result["answer"]) == ("final", "3 left"), "a tool's own last word"


JAVASCRIPT = [
    {"type": "message", "role": "user", "content": "Go."},
    {"type": "hosted_tool_call", "id": "h1", "name": "web_search_call", "status": "completed"},
    {"type": "function_call", "callId": "c1", "name": "f", "arguments": '{"x": 1}'},
    {"type": "function_call", "callId": "c2", "name": "g", "arguments": "{}"},
    {"type": "shell_call", "callId": "c3", "action": {"commands": ["ls"]}},
    {
        "type": "function_call_result",
        "callId": "c2",
        "name": "g",
        "status": "completed",
        "output": {"type": "text", "text": "Error: g"},
    },
    {"type": "function_call_result", "callId": "c1", "name": "f", "output": "ok"},
    {
        "type": "shell_call_output",
        "callId": "c3",
        "output": [
            {"stdout": "", "stderr": "no", "outcome": {"type": "exit", "exitCode": 2}},
        ],
    },
    message("Done."),
]


@pytest.mark.parametrize("wrapped", [False, True])
def test_the_items_of_the_agents_sdk_for_javascript(wrapped: bool) -> None:
    trace: Any = JAVASCRIPT
    if wrapped:
        items = [{"type": "run_item", "rawItem": item} for item in JAVASCRIPT]
        items.insert(5, {"type": "tool_approval_item", "rawItem": JAVASCRIPT[3]})
        trace = {"newItems": items, "finalOutput": "Done."}
    result = from_openai_responses(trace, is_error=lambda said: said.startswith("Error"))
    assert [(made.name, made.args, made.error) for made in result["calls"]] == [
        ("f", {"x": 1}, None),
        ("g", {}, "Error: g"),
        ("shell", {"commands": ["ls"]}, "no"),
    ]
    assert (result["status"], result["answer"]) == ("final", "Done.")
    assert result["trace"]["hosted"] == ["web_search_call"]
    assert result["trace"]["unanswered"] == result["trace"]["unpaired_results"] == 0
    assert from_trace(trace)["calls"][1].name == "g"


def test_a_structured_final_output_is_shown_as_json() -> None:
    result = from_openai_responses({"new_items": [DONE], "final_output": {"left": 3}})
    assert result["answer"] == '{"left": 3}'


def test_an_agents_sdk_run_without_a_final_output_is_not_final() -> None:
    assert from_openai_responses({"new_items": [RunItem(call())]})["status"] == "incomplete"


def test_a_final_output_beside_an_open_call_is_not_believed() -> None:
    result = from_openai_responses(RunResult([RunItem(call())], "Done."))
    assert (result["status"], result["answer"]) == ("incomplete", "Done.")


def run_item(kind: str, raw: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "raw_item": raw}


SHELL = {"type": "shell_call", "call_id": "s1", "action": {"commands": ["ls"]}}
NO_ID = {"type": "function_call", "name": "f", "arguments": "{}"}


@pytest.mark.parametrize(
    ("items", "calls", "unanswered", "status"),
    [
        pytest.param(
            [run_item("tool_call_item", call()), run_item("tool_approval_item", call())],
            ["f"],
            [0],
            "incomplete",
            id="the call and the request",
        ),
        pytest.param(
            [run_item("tool_approval_item", call())], ["f"], [0], "incomplete", id="the request"
        ),
        pytest.param(
            [run_item("tool_approval_item", call()), run_item("tool_approval_item", call())],
            ["f"],
            [0],
            "incomplete",
            id="the request twice",
        ),
        pytest.param(
            [run_item("tool_approval_item", call()), run_item("tool_call_item", call())],
            ["f"],
            [0],
            "incomplete",
            id="the request first",
        ),
        pytest.param(
            [
                run_item("message_output_item", message("I will.")),
                run_item("tool_call_item", call()),
                run_item("tool_call_item", call("g", "c2")),
                run_item("tool_approval_item", call("g", "c2")),
                run_item("tool_call_output_item", output()),
            ],
            ["f", "g"],
            [1],
            "incomplete",
            id="one of two waits",
        ),
        pytest.param(
            [
                run_item("tool_call_item", call()),
                run_item("tool_approval_item", call()),
                run_item("tool_call_output_item", output()),
                run_item("message_output_item", DONE),
            ],
            ["f"],
            [],
            "final",
            id="approved and run",
        ),
        pytest.param(
            [
                run_item("tool_approval_item", call()),
                run_item("tool_call_output_item", output()),
                run_item("message_output_item", DONE),
            ],
            ["f"],
            [],
            "final",
            id="approved and run, the call itself not kept",
        ),
        pytest.param(
            [run_item("tool_call_item", SHELL), run_item("tool_approval_item", SHELL)],
            ["shell"],
            [0],
            "incomplete",
            id="a built-in tool",
        ),
        pytest.param(
            [run_item("tool_call_item", NO_ID), run_item("tool_approval_item", NO_ID)],
            ["f"],
            [0],
            "incomplete",
            id="no ids",
        ),
    ],
)
def test_a_request_to_approve_a_call_is_not_a_second_call(
    items: list[dict[str, Any]], calls: list[str], unanswered: list[int], status: str
) -> None:
    as_objects = [RunItem(item["raw_item"], item["type"]) for item in items]
    for trace in (items, {"new_items": items}, as_objects, RunResult(as_objects, None)):
        result = from_openai_responses(trace)
        assert [made.name for made in result["calls"]] == calls
        assert result["trace"]["unanswered_calls"] == unanswered
        assert (result["status"], result["trace"]["unpaired_results"]) == (status, 0)
        assert from_trace(trace) == result


@pytest.mark.parametrize(
    ("trace", "wanted"),
    [
        pytest.param(None, "expected Responses items or a Response, got None", id="nothing"),
        pytest.param([], "the trace is empty", id="empty list"),
        pytest.param("[]", "this is text: parse it first", id="text"),
        pytest.param({"id": "x"}, "an object with 'items', 'output' or 'new_items'", id="object"),
        pytest.param({"items": None}, "items: expected a list, got None", id="no items"),
        pytest.param({"items": []}, "nothing was found", id="zero items"),
        pytest.param([7], r"\[0\]: expected an object, got int 7", id="a number"),
        pytest.param([{"content": "x"}], r"\[0\]: expected an item with 'type', or", id="no type"),
        pytest.param([{"type": ["x"]}], r"\[0\].type: expected text, got list", id="type"),
        pytest.param([call(None)], r"\[0\].name: expected text, got None", id="no name"),
        pytest.param([call(call_id=["c"])], r"\[0\].call_id: expected an id", id="id"),
        pytest.param([call(), output(5)], r"\[1\].output: expected a list, got int", id="output"),
        pytest.param([message() | {"content": 5}], r"\[0\].content: expected a list", id="content"),
        pytest.param(
            [message() | {"content": [{"type": "output_text", "text": 5}]}],
            r"\[0\].content\[0\].text: expected text",
            id="text of a part",
        ),
        pytest.param(
            [{"type": "mcp_call", "name": "f", "error": 5}],
            r"\[0\].error: expected an object",
            id="mcp error",
        ),
        pytest.param(
            [{"type": "custom_tool_call", "name": "f", "input": {}}],
            r"\[0\].input: expected text",
            id="custom input",
        ),
        pytest.param(
            [{"type": "response.completed"}], r"\[0\].response: expected an object", id="event"
        ),
        pytest.param([message(status=[])], r"\[0\].status: expected text", id="a message's status"),
        pytest.param(
            [streamed(7)],  # type: ignore[arg-type] # the point
            r"\[0\].item: expected an object, got int 7",
            id="streamed item",
        ),
        pytest.param(
            [{"type": "response.done", "response": {"object": "realtime.response", "output": []}}],
            "events of the Realtime API are not read",
            id="Realtime",
        ),
        pytest.param(
            [USER, {"type": "content_block_start", "content_block": {"type": "tool_use"}}],
            "of the format anthropic",
            id="events of another stream",
        ),
        pytest.param({"new_items": [{"raw_item": 3}]}, r"raw_item: expected an object", id="raw"),
        pytest.param(
            response(DONE, status=3), "response.status: expected text, got int 3", id="status"
        ),
        pytest.param(
            [call(), {"role": "assistant", "tool_calls": [{"id": "x"}]}],
            "is of the format openai_chat: use from_openai_chat",
            id="mixed with chat",
        ),
        pytest.param(
            [call(), {"role": "tool", "tool_call_id": "c1", "content": "ok"}],
            "is of the format openai_chat",
            id="mixed with a chat result",
        ),
        pytest.param(
            [call(), {"role": "assistant", "content": [{"type": "tool_use", "name": "f"}]}],
            "is of the format anthropic",
            id="mixed with Anthropic",
        ),
        pytest.param(
            [call(), {"type": "tool_use", "name": "f"}],
            r"\[1\]: expected a record of the format openai_responses",
            id="mixed with a block",
        ),
        pytest.param(
            [call(), {"type": "x"}, {"role": "user", "content": [3]}],
            r"\[2\].content\[0\]: expected an object",
            id="a user's content",
        ),
    ],
)
def test_bad_input_is_named_with_its_place(trace: Any, wanted: str) -> None:
    with pytest.raises(TraceFormatError, match=wanted):
        from_openai_responses(trace)


def test_items_of_new_kinds_alone_are_not_an_empty_run() -> None:
    with pytest.raises(TraceFormatError, match="nothing was found"):
        from_openai_responses([{"type": "brand_new_item"}])
