"""MCP: requests and their answers, in any order, of both directions, with both kinds of error."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agenteval.traces import TraceFormatError
from agenteval.traces.mcp import from_mcp, looks_like
from agenteval.trajectory import Call

CASES = json.loads((Path(__file__).parent / "data/mcp_tools.json").read_text(encoding="utf-8"))


def request(number: Any, name: Any = "f", arguments: Any = None) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def result(number: Any, text: str = "ok", **fields: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return {"jsonrpc": "2.0", "id": number, "result": {"content": content, **fields}}


def error(number: Any, message: Any = "Unknown tool") -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": -32602, "message": message}}


@pytest.mark.parametrize("case", [pytest.param(c, id=c["name"]) for c in CASES["cases"]])
def test_a_hand_made_case_comes_out_as_it_says(case: Any, hold: Callable[..., None]) -> None:
    before = copy.deepcopy(case["trace"])
    hold(from_mcp(case["trace"]), case["expected"])
    assert case["trace"] == before
    assert looks_like(case["trace"])


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        pytest.param(result(1), None, id="a result"),
        pytest.param(result(1, isError=False), None, id="isError false"),
        pytest.param(result(1, isError=None), None, id="isError null means success"),
        pytest.param(result(1, "mail is down", isError=True), "mail is down", id="isError"),
        pytest.param(result(1, "mail is down", isError=1), "mail is down", id="a number for true"),
        pytest.param(result(1, isError=0), None, id="a number for false"),
        pytest.param(
            {"id": 1, "result": {"isError": True, "structuredContent": {"code": 5}, "content": []}},
            '{"code": 5}',
            id="isError with structured content",
        ),
        pytest.param(
            {"id": 1, "result": {"isError": True, "content": []}},
            "the tool failed without a message",
            id="isError without content",
        ),
        pytest.param(error(1), "Unknown tool", id="a protocol error"),
        pytest.param(
            error(1, None), '{"code": -32602, "message": null}', id="a protocol error without words"
        ),
        pytest.param(
            {
                "id": 1,
                "result": {
                    "isError": True,
                    "content": [{"type": "image", "data": "x"}, {"type": "text", "text": "off"}],
                },
            },
            "off",
            id="content of several kinds",
        ),
        pytest.param(
            {"id": 1, "result": {"isError": True, "structuredContent": [1]}}, "[1]", id="no content"
        ),
    ],
)
def test_both_kinds_of_error_count(answer: Any, wanted: str | None) -> None:
    found = from_mcp([request(1), answer])
    assert found["calls"][0].error == wanted
    assert found["trace"]["unanswered"] == 0


def test_a_rule_decides_for_servers_that_do_not_say() -> None:
    found = from_mcp([request(1), result(1, "Error: no")], is_error=lambda t: t.startswith("Err"))
    assert found["calls"][0].error == "Error: no"


@pytest.mark.parametrize(
    ("messages", "errors", "unanswered"),
    [
        pytest.param(
            [request(1), request(2), error(2, "b"), error(1, "a")], ["a", "b"], [], id="crossed"
        ),
        pytest.param([request(1), request(2), result(2)], [None, None], [0], id="one is missing"),
        pytest.param(
            [request(1), error(1, "a"), request(1), result(1)], ["a", None], [], id="a number again"
        ),
        pytest.param(
            [request(1), request("1"), error("1", "b")], [None, "b"], [0], id="1 is not '1'"
        ),
        pytest.param(
            [[request(1), request(2)], [error(2, "b"), result(1)]], [None, "b"], [], id="batches"
        ),
        pytest.param([request(None), result(1)], [None], [0], id="a call without a number"),
    ],
)
def test_answers_find_their_requests(
    messages: Any, errors: list[Any], unanswered: list[int]
) -> None:
    found = from_mcp(messages)
    assert [call.error for call in found["calls"]] == errors
    assert found["trace"]["unanswered_calls"] == unanswered


SESSION = [
    {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}},
    {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": "2025-11-25"}},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
    {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}},
]


def test_other_methods_are_no_calls() -> None:
    found = from_mcp([*SESSION, request(2), result(2)])
    assert [call.name for call in found["calls"]] == ["f"]
    assert found["trace"]["unpaired_results"] == 0
    assert (found["status"], found["answer"]) == ("incomplete", None)


def test_a_session_without_calls_is_one() -> None:
    assert from_mcp(SESSION)["calls"] == []
    assert from_mcp({"messages": SESSION})["status"] == "incomplete"


def test_one_request_alone_is_a_log() -> None:
    assert from_mcp(request(1))["trace"]["unanswered"] == 1


def test_a_server_s_own_request_of_the_same_number_is_told_apart() -> None:
    sampling = {"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": {}}
    sampled = {"jsonrpc": "2.0", "id": 1, "result": {"role": "assistant", "content": {}}}
    for order in (
        [sampled, result(1, "no", isError=True)],
        [result(1, "no", isError=True), sampled],
    ):
        found = from_mcp([request(1), sampling, *order])
        assert found["calls"][0].error == "no"
        assert found["trace"]["unpaired_results"] == 0


def of_server(number: Any, method: str = "roots/list", **fields: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": {}, **fields}


def answer_of_client(number: Any, result: Any = None, **fields: Any) -> dict[str, Any]:
    given = {"error": {"code": -32601, "message": "No such method"}}
    return {"jsonrpc": "2.0", "id": number, **(given if result is None else {"result": result})} | {
        **fields
    }


SAMPLED = {"role": "assistant", "content": [{"type": "text", "text": "t"}], "model": "m"}
ACCEPTED = {"action": "accept", "content": {"sure": True}}


@pytest.mark.parametrize(
    ("messages", "error", "unanswered"),
    [
        pytest.param(
            [request(1), of_server(1), answer_of_client(1), result(1)],
            None,
            [],
            id="a method that the client does not have",
        ),
        pytest.param(
            [of_server(1), request(1), answer_of_client(1), result(1)],
            None,
            [],
            id="asked before the call",
        ),
        pytest.param(
            [
                request(1),
                of_server(1, "sampling/createMessage"),
                answer_of_client(1, SAMPLED),
                result(1, "off", isError=True),
            ],
            "off",
            [],
            id="a sample with a list for content",
        ),
        pytest.param(
            [
                request(1),
                of_server(1, "sampling/createMessage"),
                {"id": 1, "error": {"code": -1, "message": "User rejected"}},
                error(1, "off"),
            ],
            "off",
            [],
            id="two errors, the later question answered first",
        ),
        pytest.param(
            [request(1), of_server(1, "ping"), answer_of_client(1, {})],
            None,
            [0],
            id="a ping alone answered",
        ),
        pytest.param(
            [request(1), answer_of_client(1, ACCEPTED)], None, [0], id="its question is not logged"
        ),
        pytest.param(
            [request(1), answer_of_client(1, {"roots": []})], None, [0], id="nor one for the roots"
        ),
        pytest.param([request(1), answer_of_client(1)], "No such method", [], id="a server's own"),
        pytest.param(
            [
                {**request(1), "direction": "sent"},
                {**result(1, "mine"), "direction": "sent"},
                {**result(1, "off", isError=True), "direction": "received"},
            ],
            "off",
            [],
            id="the direction tells",
        ),
        pytest.param(
            [
                {"sender": "client", "message": request(1)},
                {"sender": "server", "message": of_server(1)},
                {"sender": "client", "message": error(1, "no roots")},
                {"sender": "server", "message": result(1)},
            ],
            None,
            [],
            id="the sender tells, around the message",
        ),
    ],
)
def test_what_the_client_answers_is_no_result_of_a_tool(
    messages: list[Any], error: str | None, unanswered: list[int]
) -> None:
    found = from_mcp(messages)
    assert [call.error for call in found["calls"]] == [error]
    assert found["trace"]["unanswered_calls"] == unanswered
    assert looks_like(messages)


def question(number: Any, state: Any = "s") -> dict[str, Any]:
    asked = {"sure": {"method": "elicitation/create", "params": {}}}
    given = {"resultType": "input_required", "inputRequests": asked, "requestState": state}
    return {"jsonrpc": "2.0", "id": number, "result": given}


def again(number: Any, state: Any = "s", name: str = "f", **fields: Any) -> dict[str, Any]:
    replied = {"inputResponses": {"sure": ACCEPTED}, "requestState": state, **fields}
    params = {"name": name, "arguments": None, **replied}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


@pytest.mark.parametrize(
    ("messages", "errors", "unanswered"),
    [
        pytest.param([request(1), question(1)], [None], [0], id="no reply"),
        pytest.param([request(1), question(1), again(2)], [None], [0], id="no result"),
        pytest.param([request(1), question(1), again(2), result(2)], [None], [], id="a reply"),
        pytest.param(
            [request(1), question(1), again(2), error(2, "off")], ["off"], [], id="it fails then"
        ),
        pytest.param(
            [request(1), question(1, None), again(2, None), result(2)], [None], [], id="no state"
        ),
        pytest.param(
            [request(1), question(1), again(2, None), result(2)], [None], [], id="the state is lost"
        ),
        pytest.param(
            [request(1), question(1), again(2, inputResponses=None), result(2)],
            [None],
            [],
            id="a state alone",
        ),
        pytest.param(
            [request(1), question(1), again(2), question(2, "t"), again(3, "t"), result(3)],
            [None],
            [],
            id="two questions",
        ),
        pytest.param(
            [
                *(request(1), request(2), question(1, "one"), question(2, "two")),
                *(again(3, "one"), again(4, "two"), error(3, "a"), result(4)),
            ],
            ["a", None],
            [],
            id="two of the same, told apart by the state",
        ),
        pytest.param(
            [request(1), question(1), request(2), result(2)], [None] * 2, [0], id="no reply in it"
        ),
        pytest.param(
            [request(1), question(1), again(2, "z", "g"), result(2)],
            [None] * 2,
            [0],
            id="a reply to another tool",
        ),
        pytest.param([again(2), result(2)], [None], [], id="the first request is not logged"),
        pytest.param(
            [request(1), question(1), again(2), result(2), again(3), result(3)],
            [None] * 2,
            [],
            id="a reply sent twice is a second call",
        ),
    ],
)
def test_a_call_that_the_server_asks_back_about_is_one_call(
    messages: list[Any], errors: list[Any], unanswered: list[int]
) -> None:
    found = from_mcp(messages)
    assert [call.error for call in found["calls"]] == errors
    assert found["trace"]["unanswered_calls"] == unanswered
    assert found["trace"]["unpaired_results"] == 0


def task(number: Any, task_id: str = "t") -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "result": {"task": {"taskId": task_id}}}


FAILED = {"isError": True, "content": [{"type": "text", "text": "off"}]}


def of_task(number: Any, method: str = "tasks/result", task_id: str = "t") -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": {"taskId": task_id}}


@pytest.mark.parametrize(
    ("messages", "errors", "unanswered"),
    [
        pytest.param([request(1), task(1)], [None], [0], id="no result asked for"),
        pytest.param([request(1), task(1), of_task(2)], [None], [0], id="none given"),
        pytest.param(
            [request(1), task(1), of_task(2), result(2, "off", isError=True)],
            ["off"],
            [],
            id="a failed tool",
        ),
        pytest.param(
            [request(1), task(1), of_task(2), error(2, "gone")], ["gone"], [], id="a failed task"
        ),
        pytest.param(
            [
                *(request(1), request(2), task(1, "one"), task(2, "two")),
                *(of_task(3, task_id="two"), of_task(4, task_id="one")),
                *(error(4, "a"), error(3, "b")),
            ],
            ["a", "b"],
            [],
            id="crossed",
        ),
        pytest.param(
            [
                *(request(1), task(1), of_task(2, "tasks/get")),
                {"id": 2, "result": {"taskId": "t", "status": "completed"}},
            ],
            [None],
            [0],
            id="its status is no result",
        ),
        pytest.param(
            [
                *(request(1), {"id": 1, "result": {"resultType": "task", "taskId": "t"}}),
                *(of_task(2, "tasks/get"), {"id": 2, "result": {"status": "working"}}),
                *(of_task(3, "tasks/get"), {"id": 3, "result": {"result": FAILED}}),
                *(of_task(4, "tasks/get"), {"id": 4, "result": {"result": FAILED}}),
            ],
            ["off"],
            [],
            id="its state brings the result",
        ),
        pytest.param(
            [
                *(request(1), {"id": 1, "result": {"resultType": "task", "taskId": "t"}}),
                *(of_task(2, "tasks/get"), {"id": 2, "result": {"error": {"message": "gone"}}}),
            ],
            ["gone"],
            [],
            id="its state brings an error",
        ),
        pytest.param(
            [request(1), result(1), of_task(2, task_id="z"), result(2)], [None], [], id="of no call"
        ),
    ],
)
def test_a_task_s_result_is_that_of_its_call(
    messages: list[Any], errors: list[Any], unanswered: list[int]
) -> None:
    found = from_mcp(messages)
    assert [call.error for call in found["calls"]] == errors
    assert found["trace"]["unanswered_calls"] == unanswered
    assert found["trace"]["unpaired_results"] == 0


@pytest.mark.parametrize(
    "stray",
    [
        pytest.param(result(9), id="of a number that nobody asked"),
        pytest.param(error(None), id="of no number, as a server answers what it cannot parse"),
    ],
)
def test_an_answer_to_nothing_is_counted(stray: Any) -> None:
    found = from_mcp([request(1), stray])
    assert found["trace"]["unpaired_results"] == 1
    assert found["trace"]["unanswered"] == 1


def test_arguments_are_read_as_they_are() -> None:
    found = from_mcp([request(1, "f", {"a": [1]}), request(2, "g"), request(3, "h", '{"b": 2}')])
    assert found["calls"] == [Call("f", {"a": [1]}), Call("g"), Call("h", {"b": 2})]


@pytest.mark.parametrize(
    ("trace", "match"),
    [
        pytest.param(None, "from_mcp: expected a list of MCP messages", id="nothing"),
        pytest.param("{}", "parse it first", id="text"),
        pytest.param([], "the trace is empty", id="empty"),
        pytest.param([SESSION[-1]], "it has no request at all", id="a list of tools"),
        pytest.param(
            [{"jsonrpc": "2.0", "id": 1}], r"\[0\]: expected 'method', 'result'", id="bare"
        ),
        pytest.param([request(1), 7], r"\[1\]: expected an object, got int 7", id="7"),
        pytest.param([[request(1), 7]], r"\[0\]\[1\]: expected an object", id="7 in a batch"),
        pytest.param([{"method": 7}], "method: expected text, got int 7", id="method 7"),
        pytest.param([request(1, None)], "params.name: expected text, got None", id="no name"),
        pytest.param([{"method": "tools/call"}], "params: expected an object", id="no parameters"),
        pytest.param([request([1])], "id: expected an id", id="a list for a number"),
        pytest.param(
            [request(1), {"id": 1, "error": "x"}], "error: expected an object", id="error"
        ),
        pytest.param([request(1), {"id": 1, "result": "x"}], "result: expected an object", id="x"),
        pytest.param(
            [request(1), {"id": 1, "result": {"content": [7]}}],
            r"content\[0\]: expected an object",
            id="content 7",
        ),
        pytest.param(
            [request(1), result(1, isError="no")], "isError: expected true, false", id="isError no"
        ),
        pytest.param({"messages": 7}, "messages: expected a list", id="messages 7"),
        pytest.param({"tools": []}, "message: expected 'method', 'result'", id="an object"),
    ],
)
def test_what_is_no_log_is_refused(trace: Any, match: str) -> None:
    with pytest.raises(TraceFormatError, match=match):
        from_mcp(trace)


@pytest.mark.parametrize(
    ("trace", "likeness"),
    [
        pytest.param([[request(1)]], 2, id="a batch"),
        pytest.param(request(1), 2, id="one request"),
        pytest.param({"messages": [request(1)]}, 2, id="in a dict"),
        pytest.param([{"method": "tools/call"}], 2, id="without jsonrpc"),
        pytest.param([{"name": "f", "inputSchema": {}}], 0, id="tools"),
        pytest.param([{"role": "user", "content": "x"}], 0, id="messages"),
        pytest.param("text", 0, id="text"),
    ],
)
def test_how_much_it_looks_like_it(trace: Any, likeness: int) -> None:
    assert looks_like(trace) == likeness


# The Python SDK's names


def in_snake_case(value: Any) -> Any:
    """The same log as the Python SDK dumps it from its objects."""
    if isinstance(value, list):
        return [in_snake_case(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        re.sub("(?<=[a-z])[A-Z]", lambda upper: f"_{upper[0].lower()}", key): in_snake_case(one)
        for key, one in value.items()
    }


@pytest.mark.parametrize("case", [pytest.param(c, id=c["name"]) for c in CASES["cases"]])
def test_a_log_of_the_python_sdk_s_names_comes_out_the_same(
    case: Any, hold: Callable[..., None]
) -> None:
    hold(from_mcp(in_snake_case(case["trace"])), case["expected"])


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
        pytest.param([request(1), result(1, "no", isError=True)], ["no"], id="isError"),
        pytest.param(
            [request(1), {"id": 1, "result": {"isError": True, "structuredContent": {"n": 1}}}],
            ['{"n": 1}'],
            id="structuredContent",
        ),
        pytest.param(
            [request(1), question(1), again(2), result(2, "no", isError=True)],
            ["no"],
            id="a question",
        ),
        pytest.param(
            [request(1), task(1), of_task(2), result(2, "no", isError=True)], ["no"], id="a task"
        ),
        pytest.param(
            [
                request(1),
                of_server(1, "sampling/createMessage"),
                {"id": 1, "result": {"structuredContent": {"n": 1}, "isError": True}},
            ],
            ['{"n": 1}'],
            id="told apart by its fields",
        ),
    ],
)
def test_both_spellings_are_read(log: Any, wanted: list[str]) -> None:
    for spelled in (log, in_snake_case(log)):
        assert [made.error for made in from_mcp(spelled)["calls"]] == wanted


def test_results_that_are_objects_of_the_sdk_are_read() -> None:
    class CallToolResult:
        def model_dump(self) -> dict[str, Any]:
            return {"content": [{"type": "text", "text": "no"}], "is_error": True}

    log = [request(1), {"jsonrpc": "2.0", "id": 1, "result": CallToolResult()}]
    assert [made.error for made in from_mcp(log)["calls"]] == ["no"]
