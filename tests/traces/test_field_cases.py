"""Traces from the field that no table foresaw."""

from __future__ import annotations

import json

from agenteval import from_langchain, from_openai_chat, from_otel, from_vercel_ai


def ai(name: str, *calls: tuple[str, str], content: str = "") -> dict:
    made = [{"name": tool, "args": {}, "id": id_, "type": "tool_call"} for tool, id_ in calls]
    return {"type": "ai", "id": name, "content": content, "tool_calls": made}


def result(name: str, call: str) -> dict:
    return {"type": "tool", "id": name, "tool_call_id": call, "content": "ok"}


def test_a_node_that_returns_what_the_state_has_makes_no_calls_again() -> None:
    first, answer = [ai("m1", ("go", "1")), result("t1", "1")], ai("m9", content="Done.")
    second = [ai("m2", ("mul", "2")), result("t2", "2")]
    read = from_langchain(
        [
            {"supervisor": {"messages": first}},
            {"math": {"messages": [*first, *second]}},
            {"supervisor": {"messages": [*first, *second, answer]}},
        ]
    )
    assert [call.name for call in read["calls"]] == ["go", "mul"]
    assert (read["status"], read["answer"], read["trace"]["unanswered"]) == ("final", "Done.", 0)


def test_messages_of_one_list_that_share_an_id_are_all_read() -> None:
    read = from_langchain([ai("m", ("f", "1")), result("t", "1"), ai("m", ("f", "2"))])
    assert len(read["calls"]) == 2


def test_a_result_without_an_id_answers_a_call_without_one() -> None:
    calls = [
        {"id": id_, "type": "function", "function": {"name": "f", "arguments": f'{{"n": {n}}}'}}
        for n, id_ in ((1, "a"), (2, None))
    ]
    read = from_openai_chat(
        [
            {"role": "assistant", "tool_calls": calls},
            {"role": "tool", "name": "f", "content": "Error 2"},
            {"role": "tool", "tool_call_id": "a", "content": "ok"},
            {"role": "assistant", "content": "z"},
        ],
        is_error=lambda text: text.startswith("Error"),
    )
    assert [call.error for call in read["calls"]] == [None, "Error 2"]
    assert (read["trace"]["unanswered"], read["trace"]["unpaired_results"]) == (0, 0)


def test_text_that_still_streams_is_no_answer_yet() -> None:
    part = {"type": "text", "text": "do", "state": "streaming"}
    message = {"id": "2", "role": "assistant", "parts": [part]}
    assert from_vercel_ai([message])["status"] == "incomplete"
    message["parts"] = [part | {"state": "done"}]
    assert from_vercel_ai([message])["status"] == "final"


def span(name: str, at: int, up: str | None = None, **attributes: object) -> dict:
    return {
        "name": name,
        "span_id": name,
        "parent_span_id": up,
        "start_time": at,
        "end_time": at + 100 - 10 * at,
        "attributes": {f"gen_ai.{key}": value for key, value in attributes.items()},
    }


def test_what_a_sub_agent_says_inside_a_tool_is_not_the_answer() -> None:
    def said(*parts: dict) -> str:
        return json.dumps([{"role": "assistant", "parts": parts}])

    operation, messages = "operation.name", "output.messages"
    ask = {"type": "tool_call", "id": "c1", "name": "ask", "arguments": {}}
    reply = {"type": "text", "content": "sub"}
    spans = [
        span("main", 0, **{operation: "invoke_agent"}),
        span("ask", 2, "main", **{operation: "execute_tool", "tool.name": "ask"}),
        span("sub", 3, "ask", **{operation: "invoke_agent"}),
        span("chat 2", 4, "sub", **{operation: "chat", messages: said(reply)}),
    ]
    spans[1]["attributes"]["gen_ai.tool.call.id"] = "c1"
    model = span("chat 1", 1, "main", **{operation: "chat", messages: said(ask)})
    for recorded in (spans, [*spans, model]):
        read = from_otel(recorded)
        assert (len(read["calls"]), read["status"], read["answer"]) == (1, "incomplete", None)
