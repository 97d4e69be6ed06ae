"""Calls and results in the messages of spans, in the shapes of every provider: none is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agenteval.traces import TraceFormatError
from agenteval.traces.otel import from_otel
from agenteval.trajectory import Call

FUNCTION = {"name": "f", "arguments": '{"n": 1}'}
CALLS = [  # a part or a block that is a call
    pytest.param({"type": "tool_call", "id": "c", "name": "f", "args": {"n": 1}}, id="args"),
    pytest.param({"type": "function_call", "call_id": "c", **FUNCTION}, id="Responses"),
    pytest.param({"type": "function_call", "id": "fc", "call_id": "c", **FUNCTION}, id="two ids"),
    pytest.param({"type": "function_call", "callId": "c", **FUNCTION}, id="Responses in camelCase"),
    pytest.param(
        {"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {"n": 1}}, id="AI SDK"
    ),
    pytest.param(
        {"type": "tool-call", "toolCallId": "c", "toolName": "f", "args": {"n": 1}}, id="AI SDK 4"
    ),
    pytest.param({"type": "tool_use", "id": "c", "name": "f", "input": {"n": 1}}, id="Anthropic"),
    pytest.param({"toolUse": {"toolUseId": "c", "name": "f", "input": {"n": 1}}}, id="Bedrock"),
    pytest.param(
        {"type": "toolUse", "toolUse": {"toolUseId": "c", "name": "f", "input": {"n": 1}}},
        id="Bedrock with a type",
    ),
    pytest.param({"functionCall": {"id": "c", "name": "f", "args": {"n": 1}}}, id="Gemini"),
    pytest.param(
        {"type": "function_call", "function_call": {"id": "c", "name": "f", "args": {"n": 1}}},
        id="Gemini with a type",
    ),
    pytest.param({"type": "function", "id": "c", "function": FUNCTION}, id="OpenAI"),
    pytest.param(
        {"type": "invalid_tool_call", "id": "c", "name": "f", "args": '{"n": 1}'}, id="invalid"
    ),
]
RESULTS = [  # a part or a block that is the result of a call, which failed
    pytest.param({"type": "tool_result", "tool_use_id": "c", "content": "no", "is_error": True}),
    pytest.param(
        {"toolResult": {"toolUseId": "c", "content": [{"text": "no"}], "status": "error"}}
    ),
    pytest.param(
        {"type": "toolResult", "toolResult": {"toolUseId": "c", "content": "no", "status": "error"}}
    ),
    pytest.param({"type": "tool-result", "toolCallId": "c", "result": "no", "isError": True}),
    pytest.param(
        {
            "type": "tool-result",
            "toolCallId": "c",
            "output": {"type": "error-text", "value": "no"},
        }
    ),
    pytest.param({"type": "tool-error", "toolCallId": "c", "error": "no"}),
    pytest.param(
        {"type": "function_call_output", "call_id": "c", "output": "no", "status": "failed"}
    ),
    pytest.param({"functionResponse": {"id": "c", "name": "f", "response": {"error": "no"}}}),
]


def chat(outputs: Any, inputs: Any = None, at: int = 1, **attributes: Any) -> dict[str, Any]:
    given = {} if inputs is None else {"gen_ai.input.messages": json.dumps(inputs)}
    return {
        "trace_id": "t",
        "span_id": str(at),
        "name": "chat",
        "start_time": at,
        "end_time": at,
        "attributes": {
            "gen_ai.operation.name": "chat",
            "gen_ai.output.messages": json.dumps(outputs),
            **given,
            **attributes,
        },
    }


def says(text: str) -> list[dict[str, Any]]:
    return [{"role": "assistant", "parts": [{"type": "text", "content": text}]}]


def only_call(*spans: Any) -> tuple[str, dict[str, Any], str | None]:
    [call] = from_otel(list(spans))["calls"]
    return call.name, call.args, call.error


_UNMARKED = ("OpenAI", "Bedrock with a type")  # no type that only one format has
WAYS = {
    "a part": lambda part: [{"role": "assistant", "parts": [part]}],
    "a block": lambda part: [{"role": "assistant", "content": [part]}],
    "a block alone": lambda part: [{"role": "assistant", "content": part}],
    "a block in text": lambda part: [{"role": "assistant", "content": json.dumps([part])}],
    "a message": lambda part: [part],
}


@pytest.mark.parametrize("way", ["a part", "a block", "a message"])
@pytest.mark.parametrize("part", CALLS)
def test_a_call_of_every_provider_is_read(part: Any, way: str) -> None:
    assert only_call(chat(WAYS[way](part))) == ("f", {"n": 1}, None)


@pytest.mark.parametrize("way", ["a block alone", "a block in text"])
@pytest.mark.parametrize("part", [one for one in CALLS if one.id not in _UNMARKED])
def test_a_block_that_bears_a_mark_is_read_where_an_answer_could_stand(part: Any, way: str) -> None:
    assert only_call(chat(WAYS[way](part))) == ("f", {"n": 1}, None)


@pytest.mark.parametrize("way", ["a part", "a block", "a message"])
@pytest.mark.parametrize("part", RESULTS)
@pytest.mark.parametrize("role", ["tool", "user"])
def test_a_failure_of_every_provider_is_read(part: Any, way: str, role: str) -> None:
    told = WAYS[way](part)
    if way != "a message":
        told[0]["role"] = role
    asked = {"role": "assistant", "parts": [CALLS[0].values[0]]}
    name, arguments, error = only_call(chat([asked]), chat(says("Sorry."), [asked, *told], at=2))
    assert (name, arguments) == ("f", {"n": 1})
    assert error in ("no", '{"error": "no"}')


@pytest.mark.parametrize(
    "part",
    [
        pytest.param({"type": "toolcall", "id": "c", **FUNCTION}, id="a type with a slip"),
        pytest.param({"id": "c", **FUNCTION}, id="no type"),
        pytest.param({"toolName": "f", "toolCallId": "c", "input": {}}, id="AI SDK, no type"),
        pytest.param({"id": "c", "function": FUNCTION}, id="OpenAI, no type"),
        pytest.param({"type": "x_call", "call_id": "c", **FUNCTION}, id="a new kind of item"),
    ],
)
@pytest.mark.parametrize("way", ["a part", "a block", "a message"])
def test_another_call_is_refused(part: Any, way: str) -> None:
    told = WAYS[way](part)
    with pytest.raises(TraceFormatError, match=r"gen_ai\.output\.messages.*call.*lost"):
        from_otel([chat(told)])


@pytest.mark.parametrize(
    "held",
    [
        pytest.param({"tool_calls": [{"id": "c", "function": FUNCTION}]}, id="tool_calls"),
        pytest.param({"tool_calls": [{"id": "c", "name": "f", "args": {"n": 1}}]}, id="LangChain"),
        pytest.param({"function_call": FUNCTION}, id="function_call"),
    ],
)
@pytest.mark.parametrize(
    "beside",
    [
        pytest.param({"parts": [{"type": "text", "content": "So."}]}, id="parts"),
        pytest.param({"parts": []}, id="no parts"),
        pytest.param({"content": "So."}, id="content"),
        pytest.param({"content": None}, id="no content"),
        pytest.param({"parts": [CALLS[0].values[0]]}, id="the same call in a part"),
        pytest.param({"content": [CALLS[6].values[0]]}, id="the same call in a block"),
    ],
)
def test_calls_of_a_message_stand_beside_its_parts(held: Any, beside: Any) -> None:
    assert only_call(chat([{"role": "assistant", **beside, **held}])) == ("f", {"n": 1}, None)


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(
            {"parts": [{"type": "text", "content": "So."}], "content": [CALLS[6].values[0]]},
            id="a block beside parts",
        ),
        pytest.param({"content": "So.", "toolInvocations": [{"toolName": "f"}]}, id="invocations"),
        pytest.param({"parts": [], "toolCalls": [{"function": FUNCTION}]}, id="camelCase"),
        pytest.param({"parts": [{"type": "x", "tool_calls": [FUNCTION]}]}, id="in a part"),
    ],
)
def test_calls_elsewhere_in_a_message_are_refused(message: Any) -> None:
    with pytest.raises(TraceFormatError, match=r"gen_ai\.output\.messages.*call.*lost"):
        from_otel([chat([{"role": "assistant", **message}])])


ITEMS = [
    pytest.param(
        [{"type": "custom_tool_call", "call_id": "c", "name": "sh", "input": "ls"}],
        Call("sh", {"input": "ls"}),
        id="custom",
    ),
    pytest.param(
        [
            {
                "type": "mcp_call",
                "id": "m",
                "name": "f",
                "arguments": '{"n": 1}',
                "output": None,
                "error": "no",
            }
        ],
        Call("f", {"n": 1}, "no"),
        id="mcp",
    ),
    pytest.param(
        [
            {"type": "shell_call", "call_id": "c", "action": {"commands": ["ls"]}},
            {
                "type": "shell_call_output",
                "call_id": "c",
                "output": [{"stdout": "", "stderr": "no", "outcome": {"exit_code": 1}}],
            },
        ],
        Call("shell", {"commands": ["ls"]}, "no"),
        id="shell",
    ),
    pytest.param(
        [
            {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": [{"text": "3 kg"}]},
        ],
        Call("f", {}),
        id="an output in parts",
    ),
]


@pytest.mark.parametrize(("items", "wanted"), ITEMS)
def test_items_of_the_responses_api_are_messages(items: Any, wanted: Call) -> None:
    asked = [{"role": "user", "content": "Go."}, *items]
    assert from_otel([chat(says("Done."), asked)])["calls"] == [wanted]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "web_search_call", "id": "w", "status": "completed"},
        {"type": "hosted_tool_call", "id": "w", "name": "web_search_call", "arguments": "{}"},
        {"type": "tool-call", "toolName": "web_search_call", "providerExecuted": True},
        {"type": "server_tool_call", "name": "web_search_call", "server_tool_call": {"type": "x"}},
    ],
)
@pytest.mark.parametrize("way", ["a part", "a message"])
def test_what_the_provider_ran_is_hosted(part: Any, way: str) -> None:
    result = from_otel([chat([*WAYS[way](part), *says("Done.")])])
    assert (result["calls"], result["answer"]) == ([], "Done.")
    assert result["trace"]["hosted"] == ["web_search_call"]


LANGCHAIN = {"content": "", "tool_calls": [{"id": "c", "name": "f", "args": {"n": 1}}]}


@pytest.mark.parametrize(
    "message",
    [
        pytest.param({"type": "ai", **LANGCHAIN}, id="a dict"),
        pytest.param({"type": "ai", "data": LANGCHAIN}, id="stored"),
        pytest.param({"lc": 1, "type": "constructor", "kwargs": LANGCHAIN}, id="serialized"),
    ],
)
def test_messages_of_langchain_are_read(message: Any) -> None:
    assert only_call(chat([message])) == ("f", {"n": 1}, None)


@pytest.mark.parametrize(
    "attributes",
    [
        pytest.param({"gen_ai.completion.0.tool_calls": json.dumps([FUNCTION])}, id="as text"),
        pytest.param({"gen_ai.completion.0.tool_calls": [FUNCTION]}, id="as a list"),
        pytest.param(
            {"gen_ai.completion.0.content": json.dumps([CALLS[6].values[0]])}, id="in a content"
        ),
        pytest.param({"llm.output_messages.0.message.tool_calls": json.dumps([FUNCTION])}, id="OI"),
    ],
)
def test_calls_in_one_attribute_of_a_flattened_message_are_read(attributes: Any) -> None:
    model = {"span_id": "1", "name": "m", "start_time": 1, "attributes": attributes}
    assert only_call(model) == ("f", {"n": 1}, None)


def event(body: Any, name: str = "gen_ai.choice") -> dict[str, Any]:
    span = chat([])
    span["attributes"] = {"gen_ai.operation.name": "chat"}
    return {**span, "events": [{"name": name, "attributes": body}]}


@pytest.mark.parametrize(
    "body",
    [
        pytest.param({"message": {"content": "So."}, "tool_calls": [FUNCTION]}, id="beside"),
        pytest.param({"message": "So.", "tool_calls": json.dumps([FUNCTION])}, id="as text"),
        pytest.param({"tool_calls": [FUNCTION], "content": "So."}, id="alone"),
        pytest.param({"content": json.dumps([CALLS[6].values[0]])}, id="a block in a content"),
        pytest.param({"message": json.dumps({"function_call": FUNCTION})}, id="a function_call"),
    ],
)
def test_calls_of_an_event_are_read(body: Any) -> None:
    assert only_call(event(body)) == ("f", {"n": 1}, None)


@pytest.mark.parametrize(
    "message",
    [
        pytest.param({"role": "assistant", "content": None, "refusal": "No."}, id="a field"),
        pytest.param(
            {"role": "assistant", "parts": [{"type": "refusal", "refusal": "No."}]}, id="a part"
        ),
        pytest.param(
            {"role": "assistant", "parts": [{"type": "refusal", "content": "No."}]}, id="content"
        ),
    ],
)
def test_a_refusal_is_no_ordinary_answer(message: Any) -> None:
    result = from_otel([chat([{**message, "finish_reason": "stop"}])])
    assert (result["status"], result["answer"]) == ("refused", "No.")


BUSINESS = [
    pytest.param([{"name": "pay", "arguments": {"eur": 5}}], id="calls"),
    pytest.param({"name": "pay", "args": {}, "id": 7}, id="a call"),
    pytest.param({"tool_calls": [{"id": "c", "function": FUNCTION}]}, id="a message"),
    pytest.param([{"type": "toolcall", "id": "c", **FUNCTION}], id="parts"),
]


@pytest.mark.parametrize("data", BUSINESS)
@pytest.mark.parametrize(
    "tell",
    [
        lambda data: {"role": "tool", "tool_call_id": "c", "content": data},
        lambda data: {"role": "tool", "tool_call_id": "c", "content": json.dumps(data)},
        lambda data: {
            "role": "tool",
            "parts": [{"type": "tool_call_response", "id": "c", "response": data}],
        },
        lambda data: {"type": "function_call_output", "call_id": "c", "output": data},
        lambda data: {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c", "content": data}],
        },
        lambda data: {
            "role": "tool",
            "content": [{"type": "tool-result", "toolCallId": "c", "result": data}],
        },
        lambda data: {"role": "user", "content": json.dumps(data)},
    ],
    ids=["message", "text", "part", "item", "block", "AI SDK", "user"],
)
def test_the_data_of_tools_and_users_is_never_refused(tell: Any, data: Any) -> None:
    asked = {"role": "assistant", "parts": [CALLS[0].values[0]]}
    result = from_otel([chat([asked]), chat(says("Done."), [asked, tell(data)], at=2)])
    assert [call.name for call in result["calls"]] == ["f"]
    assert result["answer"] == "Done."


def test_an_answer_may_be_data_that_looks_like_a_call() -> None:
    answer = json.dumps(BUSINESS[0].values[0])
    assert from_otel([chat(says(answer))])["answer"] == answer


OPENAI = {
    "role": "assistant",
    "tool_calls": [{"id": "c", "type": "function", "function": FUNCTION}],
}
CHAT = {"gen_ai.operation.name": "chat"}
LLM = {"openinference.span.kind": "LLM"}
GEMINI = {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"n": 1}}}]}
LANGCHAIN_CALL = {"kwargs": {"content": "", "tool_calls": [{"name": "f", "args": {"n": 1}}]}}
WHOLE = {  # a model's output that a span keeps whole
    "a message": OPENAI,
    "messages": [OPENAI],
    "OpenAI": {"choices": [{"message": OPENAI}, {"message": OPENAI}]},
    "Anthropic": {"role": "assistant", "content": [CALLS[6].values[0]]},
    "Bedrock": {"output": {"message": {"content": [CALLS[7].values[0]]}}},
    "Gemini": {"candidates": [{"content": GEMINI}]},
    "Responses": {"object": "response", "output": [CALLS[1].values[0]]},
    "LangChain": {"generations": [[{"text": "", "message": LANGCHAIN_CALL}]]},
}
KEPT = {
    "gen_ai.completion": CHAT,
    "gen_ai.output_messages": CHAT,
    "output.value": LLM,
    "traceloop.entity.output": {"traceloop.span.kind": "llm"},
    "mlflow.spanOutputs": {"mlflow.spanType": '"CHAT_MODEL"'},
    "langfuse.observation.output": {"langfuse.observation.type": "generation"},
}


def keeps(attributes: dict[str, Any], at: int = 1) -> dict[str, Any]:
    return {**chat([], at=at), "attributes": attributes}


@pytest.mark.parametrize("whole", WHOLE.values(), ids=WHOLE)
@pytest.mark.parametrize("key", KEPT)
def test_calls_in_an_output_that_is_kept_whole_are_read(key: str, whole: Any) -> None:
    kept = keeps({**KEPT[key], key: json.dumps(whole)})
    assert only_call(kept, chat(says("Done."), at=2)) == ("f", {"n": 1}, None)


def test_calls_in_a_list_or_an_event_of_their_own_are_read() -> None:
    listed = keeps({**CHAT, "gen_ai.response.tool_calls": json.dumps([FUNCTION])})
    assert only_call(listed) == ("f", {"n": 1}, None)
    attributes = {"gen_ai.completion": json.dumps([OPENAI])}
    told = {"name": "gen_ai.content.completion", "attributes": attributes}
    assert only_call({**keeps(CHAT), "events": [told]}) == ("f", {"n": 1}, None)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(json.dumps(BUSINESS[1].values[0]), id="a call, as an answer"),
        pytest.param(json.dumps({"rows": [OPENAI]}), id="somewhere in data"),
        pytest.param("[" * 200 + "]" * 200, id="nested"),
        pytest.param('[{"role": "assist', id="cut"),
        pytest.param("Done.", id="text"),
    ],
)
@pytest.mark.parametrize("key", KEPT)
def test_another_output_that_is_kept_whole_is_passed_over(key: str, text: str) -> None:
    result = from_otel([keeps({**KEPT[key], key: text}), chat(says("Done."), at=2)])
    assert (result["calls"], result["answer"]) == ([], "Done.")


def test_a_call_is_not_counted_again_in_an_output_that_is_kept_whole() -> None:
    both = chat([{"role": "assistant", "parts": [CALLS[0].values[0]]}])
    both["attributes"]["output.value"] = json.dumps(OPENAI)
    assert only_call(both) == ("f", {"n": 1}, None)
    outer = {**keeps({**LLM, "output.value": json.dumps(OPENAI)}), "end_time": 9}
    inner = {**chat([OPENAI], at=2), "parent_span_id": outer["span_id"]}
    assert only_call(outer, inner) == ("f", {"n": 1}, None)
