"""Conversations of Responses items that stand in several fields of one object."""

from __future__ import annotations

from typing import Any

import pytest

from agenteval.traces import TraceFormatError, from_openai_responses, from_trace

GO = {"role": "user", "content": "Go."}
CHAT_CALL = {"role": "assistant", "tool_calls": [{"id": "x", "function": {"name": "f"}}]}


def call(name: str, call_id: str = "c") -> dict[str, Any]:
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": "{}"}


def output(call_id: str = "c", text: str = "ok") -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": text}


def says(text: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text}
    return {"type": "message", "role": "assistant", "content": [part]}


def run_item(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool_call_item", "raw_item": item}


EARLIER = [GO, call("f"), output()]
REPLIES = {
    "an output": {"output": [says("Done.")]},
    "a Response": {"object": "response", "output": [says("Done.")], "status": "completed"},
    "a Response apart": {"response": {"object": "response", "output": [says("Done.")]}},
    "a run": {"new_items": [run_item(says("Done."))]},
    "a run of JavaScript's": {"newItems": [{"type": "x", "rawItem": says("Done.")}]},
}


@pytest.mark.parametrize("key", ["items", "input", "messages", "history"])
@pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES)
def test_the_conversation_before_a_reply_is_read(key: str, reply: Any) -> None:
    result = from_openai_responses({key: EARLIER, **reply})
    assert [made.name for made in result["calls"]] == ["f"]
    assert (result["answer"], result["status"]) == ("Done.", "final")
    assert (result["trace"]["unanswered"], result["trace"]["unpaired_results"]) == (0, 0)
    assert from_trace({key: EARLIER, **reply}) == result


@pytest.mark.parametrize("key", ["items", "input", "messages", "history"])
@pytest.mark.parametrize(
    "reply",
    [
        {"output": [call("f"), output(), says("Done.")]},
        {"new_items": [run_item(one) for one in (call("f"), output(), says("Done."))]},
    ],
    ids=["an output", "a run"],
)
def test_a_reply_that_the_conversation_ends_in_is_read_once(key: str, reply: Any) -> None:
    result = from_openai_responses({key: [*EARLIER, says("Done.")], **reply})
    assert [made.name for made in result["calls"]] == ["f"]
    assert (result["answer"], result["status"]) == ("Done.", "final")


def test_a_second_copy_of_the_conversation_is_passed_over() -> None:
    whole = {"input": EARLIER, "history": [*EARLIER, says("Done.")], "output": [says("Done.")]}
    assert from_openai_responses(whole)["tool_calls"] == 1
    assert from_openai_responses({**whole, "messages": [GO]})["tool_calls"] == 1
    run = {"new_items": [run_item(call("g", "d"))], "output": [call("g", "d")]}
    assert from_openai_responses(run)["tool_calls"] == 1


@pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES)
@pytest.mark.parametrize(
    "more", [call("g", "d"), output("c", "no"), CHAT_CALL], ids=["a call", "a result", "a chat"]
)
def test_a_second_list_with_more_of_the_conversation_is_refused(reply: Any, more: Any) -> None:
    with pytest.raises(TraceFormatError, match=r"history: .*put all items in one list"):
        from_openai_responses({"input": EARLIER, "history": [more], **reply})


def test_an_output_beside_a_run_s_items_is_refused_where_it_has_more() -> None:
    with pytest.raises(TraceFormatError, match=r"output: .*put all items in one list"):
        from_openai_responses({"new_items": [run_item(says("Done."))], "output": [call("g")]})


@pytest.mark.parametrize("key", ["messages", "history"])
def test_a_chat_before_a_reply_is_refused(key: str) -> None:
    with pytest.raises(TraceFormatError, match=rf"{key}\[1\].*of the format openai_chat"):
        from_openai_responses({"object": "response", key: [GO, CHAT_CALL], "output": [says("Hi.")]})


@pytest.mark.parametrize("key", ["items", "input", "messages", "history"])
@pytest.mark.parametrize(
    "data",
    [
        pytest.param(None, id="nothing"),
        pytest.param("Go.", id="text"),
        pytest.param(["Go."], id="texts"),
        pytest.param({"question": "Go."}, id="an object"),
        pytest.param([{"role": "admin", "at": 3}, {"type": "x"}], id="records"),
    ],
)
@pytest.mark.parametrize("reply", ["a Response", "a run"])
def test_data_of_other_kinds_beside_a_reply_is_passed_over(key: str, data: Any, reply: str) -> None:
    result = from_openai_responses({key: data, **REPLIES[reply]})
    assert (result["answer"], result["status"]) == ("Done.", "final")


def test_responses_in_a_list_are_read_without_what_each_repeats() -> None:
    first = {"object": "response", "input": "Go.", "output": [call("f")]}
    second = {"object": "response", "input": [GO], "output": [says("Done.")]}
    assert from_openai_responses([first, output(), second])["status"] == "final"
    second["input"] = EARLIER
    with pytest.raises(TraceFormatError, match=r"\[2\].input: .*one by one"):
        from_openai_responses([first, output(), second])


@pytest.mark.parametrize(
    ("whole", "hint"),
    [
        pytest.param(
            {"original_input": "Go.", "generated_items": [run_item(call("f"))]},
            r"RunState.*state\['original_input'\], 'new_items': state\['generated_items'\]",
            id="a state",
        ),
        pytest.param(
            {"originalInput": "Go.", "generatedItems": [], "$schemaVersion": "1.0"},
            r"RunState.*state\['originalInput'\], 'new_items': state\['generatedItems'\]",
            id="a state of JavaScript's",
        ),
        pytest.param(
            {"raw_responses": [{"output": [call("f")]}], "final_output": "Done."},
            "raw_responses' are without the results of tools: pass the result itself",
            id="raw responses",
        ),
        pytest.param(
            {"rawResponses": [{"output": [call("f")]}]}, "rawResponses' are", id="JavaScript's"
        ),
    ],
)
@pytest.mark.parametrize("read", [from_openai_responses, from_trace])
def test_other_shapes_of_a_run_say_what_to_pass(read: Any, whole: Any, hint: str) -> None:
    with pytest.raises(TraceFormatError, match=hint):
        read(whole)


def test_what_the_refusal_of_a_state_says_to_pass_is_read() -> None:
    state = {"original_input": EARLIER, "generated_items": [run_item(says("Done."))]}
    told = {"input": state["original_input"], "new_items": state["generated_items"]}
    assert from_openai_responses(told)["tool_calls"] == 1


def test_a_request_alone_is_no_trace() -> None:
    with pytest.raises(TraceFormatError, match="this is a request: pass the response's 'output'"):
        from_openai_responses({"input": EARLIER, "model": "m"})


def test_an_item_of_a_kind_that_is_not_known_and_waits_for_a_result_is_refused() -> None:
    with pytest.raises(TraceFormatError, match="the shape of a tool call"):
        from_openai_responses([{**call("f"), "type": "brand_new_call"}])


@pytest.mark.parametrize(
    "item",
    [
        pytest.param({"type": "brand_new_call", "id": "w", "action": {}}, id="a new kind"),
        pytest.param({**call("f", ""), "type": "brand_new_call"}, id="without an id to answer"),
        pytest.param({**call("web_search", ""), "type": "web_search_call"}, id="with a name"),
        pytest.param({**call("web_search"), "type": "web_search_call"}, id="with an id"),
    ],
)
def test_what_the_provider_ran_is_hosted(item: Any) -> None:
    result = from_openai_responses([item, says("Done.")])
    assert (result["tool_calls"], result["trace"]["hosted"]) == (0, [item["type"]])
