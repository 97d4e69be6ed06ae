"""What models and agents say in each convention of spans, and one run told in all of them."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest

from agenteval.traces import TraceFormatError
from agenteval.traces.otel import from_otel
from agenteval.trajectory import Call

OPENAI_CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"n": 1}'}}
GENAI_CALL = {"type": "tool_call", "id": "c", "name": "f", "arguments": {"n": 1}}


def span(attributes: Any, *events: Any, **fields: Any) -> dict[str, Any]:
    return {
        "trace_id": "t",
        "span_id": "1",
        "name": "a span",
        "start_time": 1,
        "end_time": 2,
        "attributes": attributes,
        "events": list(events),
        **fields,
    }


def event(name: str, attributes: Any = None, body: Any = None) -> dict[str, Any]:
    return {"name": name, "attributes": attributes or {}, "body": body}


CHAT = {"gen_ai.operation.name": "chat"}
LLM = "llm.output_messages.0.message"
CONTENT = "llm.output_messages.0.message.contents"
GEMINI_PARTS = [{"text": "hm", "thought": True}, {"text": "Hi."}]
USE = {"type": "tool_use", "id": "c", "name": "f", "input": {"n": 1}}
GEMINI_CALL = {"function_call": {"id": "c", "name": "f", "args": {"n": 1}}}
OUTPUT = [{"role": "assistant", "parts": [{"type": "text", "content": "So."}, GENAI_CALL]}]
ANSWER = [{"role": "assistant", "parts": [{"type": "text", "content": "Done."}]}]


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(span({**CHAT, "gen_ai.output.messages": OUTPUT}), id="GenAI, structured"),
        pytest.param(span({**CHAT, "gen_ai.output.messages": json.dumps(OUTPUT)}), id="GenAI"),
        pytest.param(
            span(
                CHAT,
                event(
                    "gen_ai.client.inference.operation.details",
                    {"gen_ai.output.messages": json.dumps(OUTPUT)},
                ),
            ),
            id="GenAI, on an event",
        ),
        pytest.param(
            span(
                CHAT,
                event(
                    "gen_ai.client.inference.operation.details",
                    None,
                    {"gen_ai.output.messages": OUTPUT},
                ),
            ),
            id="GenAI, in an event's body",
        ),
        pytest.param(
            span(CHAT, event("gen_ai.choice", None, {"message": {"tool_calls": [OPENAI_CALL]}})),
            id="an older event with a body",
        ),
        pytest.param(
            span({**CHAT, "gen_ai.output.messages": [{"role": "assistant", "content": [USE]}]}),
            id="Anthropic's block in a content",
        ),
        pytest.param(
            span({**CHAT, "gen_ai.output.messages": [{"role": "assistant", "parts": [USE]}]}),
            id="Anthropic's block among the parts",
        ),
        pytest.param(
            span({**CHAT, "gen_ai.output.messages": [{"role": "model", "parts": [GEMINI_CALL]}]}),
            id="Gemini's part under GenAI's key",
        ),
        pytest.param(
            span(
                CHAT,
                event(
                    "gen_ai.choice",
                    {
                        "gen_ai.event.content": json.dumps(
                            {"message": {"tool_calls": [OPENAI_CALL]}}
                        )
                    },
                ),
            ),
            id="an older event with its body as an attribute",
        ),
        pytest.param(
            span(CHAT, event("gen_ai.choice", {"tool_calls": json.dumps([OPENAI_CALL])})),
            id="an older event with flat attributes",
        ),
        pytest.param(
            span(
                CHAT,
                event(
                    "gen_ai.choice",
                    {
                        "message": json.dumps(
                            [
                                {"text": "So."},
                                {"toolUse": {"toolUseId": "c", "name": "f", "input": {"n": 1}}},
                            ]
                        )
                    },
                ),
            ),
            id="an older event with Bedrock's blocks, as Strands writes",
        ),
        pytest.param(
            span(
                CHAT,
                event(
                    "gen_ai.choice",
                    None,
                    {
                        "content": {
                            "parts": [{"function_call": {"id": "c", "name": "f", "args": {"n": 1}}}]
                        }
                    },
                ),
            ),
            id="an older event with Gemini's content, as ADK writes",
        ),
        pytest.param(
            span(
                {
                    **CHAT,
                    "events": json.dumps(
                        [{"event.name": "gen_ai.choice", "message": {"tool_calls": [OPENAI_CALL]}}]
                    ),
                }
            ),
            id="Pydantic AI, older",
        ),
        pytest.param(
            span(
                {
                    "openinference.span.kind": "LLM",
                    f"{LLM}.role": "assistant",
                    f"{LLM}.content": "So.",
                    f"{LLM}.tool_calls.0.tool_call.id": "c",
                    f"{LLM}.tool_calls.0.tool_call.function.name": "f",
                    f"{LLM}.tool_calls.0.tool_call.function.arguments": '{"n":1}',
                }
            ),
            id="OpenInference",
        ),
        pytest.param(
            span(
                {
                    f"{CONTENT}.1.tool_call.function.name": "f",
                    f"{CONTENT}.1.tool_call.function.arguments": '{"n":1}',
                    f"{CONTENT}.1.tool_call.id": "c",
                    f"{CONTENT}.0.message_content.text": "So.",
                    f"{CONTENT}.0.message_content.type": "text",
                }
            ),
            id="OpenInference, calls among the contents",
        ),
        pytest.param(
            span(
                {
                    f"{LLM}.function_call_name": "f",
                    f"{LLM}.function_call_arguments_json": '{"n":1}',
                }
            ),
            id="OpenInference, older",
        ),
        pytest.param(
            span(
                {
                    "gen_ai.completion.0.role": "assistant",
                    "gen_ai.completion.0.tool_calls.0.id": "c",
                    "gen_ai.completion.0.tool_calls.0.name": "f",
                    "gen_ai.completion.0.tool_calls.0.arguments": '{"n": 1}',
                }
            ),
            id="Traceloop, older",
        ),
        pytest.param(
            span(
                {
                    "gcp.vertex.agent.llm_response": json.dumps(
                        {"content": {"parts": [{"functionCall": {"name": "f", "args": {"n": 1}}}]}}
                    )
                }
            ),
            id="ADK",
        ),
        pytest.param(
            span(
                {
                    **CHAT,
                    "gen_ai.output.messages": [
                        {
                            "role": "assistant",
                            "parts": [
                                {
                                    "type": "text",
                                    "content": "ResponseFunctionToolCall(arguments='{\"n\": 1}', "
                                    "call_id='c', name='f', type='function_call', caller=None)",
                                }
                            ],
                        }
                    ],
                }
            ),
            id="a call that an instrumentation shows as text",
        ),
        pytest.param(
            span(
                {"event.name": "x"},
                event(
                    "x",
                    None,
                    {
                        "output": {
                            "messages": [
                                {
                                    "content": json.dumps(
                                        {
                                            "generations": [
                                                [
                                                    {
                                                        "text": "So.",
                                                        "message": {
                                                            "tool_calls": [
                                                                {
                                                                    "name": "f",
                                                                    "args": {"n": 1},
                                                                    "id": "c",
                                                                }
                                                            ]
                                                        },
                                                    }
                                                ]
                                            ]
                                        }
                                    )
                                }
                            ]
                        }
                    },
                ),
            ),
            id="LangChain's generations in a body",
        ),
    ],
)
def test_a_model_asks_for_a_call_in_every_convention(model: Any) -> None:
    before = copy.deepcopy(model)
    result = from_otel([model])
    assert model == before
    assert result["calls"] == [Call("f", {"n": 1})]
    assert (result["answer"], result["status"]) == (None, "incomplete")
    assert result["trace"]["unanswered_calls"] == [0]


@pytest.mark.parametrize(
    ("attributes", "answer"),
    [
        pytest.param({f"{LLM}.content": "Hi."}, "Hi.", id="OpenInference, a text"),
        pytest.param({f"{LLM}.content.0": "Hi."}, "Hi.", id="OpenInference, a list"),
        pytest.param(
            {
                f"{LLM}.content": "Hi.",
                f"{CONTENT}.0.message_content.type": "text",
                f"{CONTENT}.0.message_content.text": "Hi.",
            },
            "Hi.",
            id="OpenInference, both",
        ),
        pytest.param(
            {
                f"{CONTENT}.0.message_content.type": "reasoning",
                f"{CONTENT}.0.message_content.text": "hm",
                f"{CONTENT}.1.message_content.text": "Hi.",
            },
            "Hi.",
            id="OpenInference, reasoning",
        ),
        pytest.param(
            {
                "llm.output_messages.10.message.content": "Second.",
                "llm.output_messages.9.message.content": "First.",
            },
            "Second.",
            id="by number, not by spelling",
        ),
        pytest.param(
            {
                "llm.output_messages.0.message": "x",
                f"{LLM}.content": "Hi.",
                "gen_ai.output.messages": '[{"parts": [{"type": "text", "content": "Yes."}]}]',
            },
            "Yes.",
            id="one convention is enough",
        ),
        pytest.param(
            {"gen_ai.completion.0.content": "Hi.", "gen_ai.completion.0.finish_reason": "stop"},
            "Hi.",
            id="Traceloop",
        ),
        pytest.param(
            {
                "gcp.vertex.agent.llm_response": json.dumps(
                    {"content": {"parts": GEMINI_PARTS}, "finish_reason": "STOP"}
                )
            },
            "Hi.",
            id="ADK",
        ),
        pytest.param(
            {"gen_ai.operation.name": "invoke_agent", "final_result": "Hi."},
            "Hi.",
            id="Pydantic AI",
        ),
        pytest.param(
            {"openinference.span.kind": "AGENT", "output.value": "Hi."},
            "Hi.",
            id="an agent's value",
        ),
        pytest.param(
            {
                "openinference.span.kind": "CHAIN",
                "output.value": '{"messages": [{"kwargs": {"type": "ai", "content": "Hi."}}]}',
            },
            "Hi.",
            id="a graph's state",
        ),
        pytest.param(
            {
                "openinference.span.kind": "CHAIN",
                "output.value": '{"messages": [{"type": "tool", "content": "x"}]}',
            },
            None,
            id="a graph's state that ends in a result",
        ),
        pytest.param(
            {"openinference.span.kind": "CHAIN", "output.value": '{"answer": "Hi."}'},
            None,
            id="some other state",
        ),
        pytest.param(
            {"openinference.span.kind": "CHAIN", "output.value": '{"output": "Hi.", "log": []}'},
            "Hi.",
            id="a state with an output",
        ),
        pytest.param({"openinference.span.kind": "AGENT", "output.value": "7"}, "7", id="a number"),
        pytest.param(
            {"openinference.span.kind": "AGENT", "output.value": '"Hi."'}, '"Hi."', id="JSON text"
        ),
        pytest.param(
            {"openinference.span.kind": "AGENT", "output.value": "null"}, None, id="JSON's null"
        ),
        pytest.param(
            {"openinference.span.kind": "AGENT", "output.value": '["Hi."]'}, None, id="a list"
        ),
        pytest.param(
            {
                "openinference.span.kind": "CHAIN",
                "output.value": '{"messages": [{"type": "ai", "content": 7}]}',
            },
            None,
            id="a state whose last message is no message",
        ),
        pytest.param(
            {"gen_ai.operation.name": "invoke_agent", "final_result": '{"city": "Rome"}'},
            '{"city": "Rome"}',
            id="Pydantic AI, an answer in a structure",
        ),
        pytest.param(
            {
                "gen_ai.operation.name": "invoke_agent",
                "pydantic_ai.all_messages": '[{"role": "user", "parts": []}, {"role": "assistant",'
                ' "parts": [{"type": "text", "content": "Hi."}]}]',
            },
            "Hi.",
            id="Pydantic AI, all messages",
        ),
        pytest.param(
            {
                "gen_ai.operation.name": "invoke_agent",
                "all_messages_events": '[{"event.name": '
                '"gen_ai.assistant.message", "content": "Hi."}]',
            },
            "Hi.",
            id="Pydantic AI, all messages as older events",
        ),
    ],
)
def test_the_answer_in_every_convention(attributes: Any, answer: str | None) -> None:
    silent = span(CHAT, span_id="2", parent_span_id="1")
    result = from_otel([span(attributes), silent])
    assert result["answer"] == answer
    assert result["status"] == ("incomplete" if answer is None else "final")


@pytest.mark.parametrize(
    ("attributes", "body", "answer"),
    [
        pytest.param({"message": "Hi."}, None, "Hi.", id="text"),
        pytest.param({"content": '{"city": "Rome"}'}, None, '{"city": "Rome"}', id="JSON text"),
        pytest.param({"content": "[1, 2]"}, None, "[1, 2]", id="JSON numbers"),
        pytest.param({"content": "{broken"}, None, "{broken", id="text like JSON"),
        pytest.param({"content": '[{"n": 1}]'}, None, '[{"n": 1}]', id="JSON objects"),
        pytest.param({"message": '[{"text": "Hi."}]'}, None, "Hi.", id="blocks as JSON"),
        pytest.param({"message": '{"content": "Hi."}'}, None, "Hi.", id="a message as JSON"),
        pytest.param(None, {"message": {"content": ["Hi", "."]}}, "Hi.", id="a list of texts"),
        pytest.param(None, {"content": {"city": "Rome"}}, '{"city": "Rome"}', id="an object"),
        pytest.param(None, {"content": "Hi.", "index": 0}, "Hi.", id="the first choice"),
        pytest.param(
            {"gen_ai.event.content": '{"message": {"content": "Hi."}}'}, None, "Hi.", id="nested"
        ),
    ],
)
def test_the_answer_in_older_events(attributes: Any, body: Any, answer: str) -> None:
    second = event("gen_ai.choice", None, {"content": "another", "index": 1})
    result = from_otel([span(CHAT, event("gen_ai.choice", attributes, body), second)])
    assert result["answer"] == answer


def test_an_event_that_was_cut_is_counted() -> None:
    cut = event("gen_ai.choice", {"gen_ai.event.content": '{"message": {"con'})
    result = from_otel([span(CHAT, cut)])
    assert result["trace"]["unread_messages"] == 1
    assert result["status"] == "incomplete"


@pytest.mark.parametrize(
    "shown",
    [
        pytest.param("ResponseFunctionToolCall(", id="cut"),
        pytest.param("ResponseFunctionToolCall(name=f())", id="no literal"),
        pytest.param("ResponseFunctionToolCall(call_id='c')", id="no name"),
    ],
)
def test_text_that_only_begins_like_a_call_stays_text(shown: str) -> None:
    output = [{"role": "assistant", "parts": [{"type": "text", "content": shown}]}]
    assert from_otel([span({**CHAT, "gen_ai.output.messages": output})])["answer"] == shown


def test_a_value_inside_a_run_is_no_answer() -> None:
    outer = span({"openinference.span.kind": "AGENT", "output.value": "Hi."}, end_time=9)
    inner = span(
        {"openinference.span.kind": "CHAIN", "output.value": "routing"},
        span_id="2",
        parent_span_id="1",
    )
    assert from_otel([outer, inner])["answer"] == "Hi."


def test_pydantic_ai_s_older_run_tells_its_calls_alone() -> None:
    events = [
        {"event.name": "gen_ai.user.message", "content": "Go."},
        {"event.name": "gen_ai.assistant.message", "tool_calls": [OPENAI_CALL]},
        {"event.name": "gen_ai.tool.message", "id": "c", "content": "ok"},
        {"event.name": "gen_ai.assistant.message", "content": "Done."},
    ]
    run = {"agent_name": "a", "all_messages_events": json.dumps(events), "final_result": "Done."}
    result = from_otel([span(run)])
    assert result["calls"] == [Call("f", {"n": 1})]
    assert (result["answer"], result["status"]) == ("Done.", "final")
    assert result["trace"]["unanswered"] == 0


def test_earlier_messages_of_a_conversation_are_of_an_earlier_run() -> None:
    messages = [
        {"role": "assistant", "parts": [{**GENAI_CALL, "id": "old"}]},
        {"role": "user", "parts": [{"type": "tool_call_response", "id": "old", "result": "x"}]},
        {"role": "assistant", "parts": [GENAI_CALL]},
        {"role": "user", "parts": [{"type": "tool_call_response", "id": "c", "result": "x"}]},
        {"role": "assistant", "parts": [{"type": "text", "content": "Done."}]},
    ]
    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "pydantic_ai.all_messages": json.dumps(messages),
        "pydantic_ai.new_message_index": 2,
    }
    result = from_otel([span(attributes)])
    assert result["calls"] == [Call("f", {"n": 1})]
    assert (result["status"], result["trace"]["unanswered"]) == ("final", 0)


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(
            span(CHAT, event("gen_ai.tool.message", None, {"id": "c", "content": "Error: no"})),
            id="an older event",
        ),
        pytest.param(
            span(
                CHAT,
                event(
                    "gen_ai.tool.message",
                    {
                        "content": json.dumps(
                            [{"toolResult": {"toolUseId": "c", "content": [{"text": "Error: no"}]}}]
                        )
                    },
                ),
            ),
            id="an older event with Bedrock's blocks",
        ),
        pytest.param(
            span(
                {
                    "llm.input_messages.0.message.role": "tool",
                    "llm.input_messages.0.message.tool_call_id": "c",
                    "llm.input_messages.0.message.content": "Error: no",
                }
            ),
            id="OpenInference",
        ),
        pytest.param(
            span(
                {
                    "llm.input_messages.0.message.tool_call_id": "c",
                    "llm.input_messages.0.message.contents.0.message_content.text": "Error: no",
                }
            ),
            id="OpenInference, in parts",
        ),
        pytest.param(
            span(
                {
                    "gen_ai.prompt.0.role": "tool",
                    "gen_ai.prompt.0.tool_call_id": "c",
                    "gen_ai.prompt.0.content": "Error: no",
                }
            ),
            id="Traceloop",
        ),
        pytest.param(
            span(
                {
                    **CHAT,
                    "gen_ai.input.messages": [
                        {
                            "role": "tool",
                            "parts": [
                                {"type": "tool_call_response", "id": "c", "response": "Error: no"}
                            ],
                        }
                    ],
                }
            ),
            id="GenAI",
        ),
        pytest.param(
            span(
                {
                    **CHAT,
                    "gen_ai.input.messages": [
                        {"role": "tool", "tool_call_id": "c", "content": "Error: no"}
                    ],
                }
            ),
            id="OpenAI's shape under GenAI's key",
        ),
        pytest.param(
            span(
                {
                    **CHAT,
                    "gen_ai.input.messages": [
                        {
                            "role": "user",
                            "content": [
                                {"type": "tool_result", "tool_use_id": "c", "content": "Error: no"}
                            ],
                        }
                    ],
                }
            ),
            id="Anthropic's block",
        ),
        pytest.param(
            span(
                CHAT,
                event(
                    "gen_ai.user.message",
                    None,
                    {
                        "content": {
                            "parts": [{"function_response": {"id": "c", "response": "Error: no"}}]
                        }
                    },
                ),
            ),
            id="Gemini's content",
        ),
    ],
)
def test_results_in_every_convention(given: Any) -> None:
    asked = span({**CHAT, "gen_ai.output.messages": OUTPUT})
    later = {**given, "span_id": "2", "start_time": 3, "end_time": 4}
    result = from_otel([asked, later], is_error=lambda text: text.startswith("Error"))
    assert result["calls"][0].error == "Error: no"
    assert result["trace"]["unanswered"] == 0
    assert result["trace"]["unpaired_results"] == 0


def body(output: Any, given: Any = None) -> dict[str, Any]:
    content = output if isinstance(output, str) else json.dumps(output)
    return event(
        "openinference.instrumentation.langchain",
        None,
        {
            "input": {"messages": [{"content": given, "role": "user"}]},
            "output": {"messages": [{"content": content, "role": "assistant"}]},
        },
    )


def test_langchain_s_bodies_are_read() -> None:
    message = {"name": "f", "type": "tool", "content": "no key", "tool_call_id": "c"}
    call = {"name": "f", "args": {"n": 1}, "id": "c"}
    steps = [
        body(
            {"generations": [[{"text": "So.", "message": {"tool_calls": [call]}}, {"text": "?"}]]}
        ),
        body({**message, "status": "error"}, "{'n': 1}"),
        body("__end__"),
        body({"generations": [[{"text": "Done."}]]}),
        body({"messages": [{"type": "ai", "content": "All done."}]}),
    ]
    spans = [
        span({}, step, span_id=str(at), start_time=at + 1, end_time=at + 1)
        for at, step in enumerate(steps)
    ]
    result = from_otel(spans)
    assert result["calls"] == [Call("f", {"n": 1})]
    assert result["calls"][0].error == "no key"
    assert (result["status"], result["answer"]) == ("final", "All done.")


@pytest.mark.parametrize(
    ("attributes", "match"),
    [
        pytest.param(
            {"gen_ai.completion.0.tool_calls.0.id": "c"}, "name: expected text", id="prompts"
        ),
        pytest.param(
            {f"{LLM}.tool_calls.0.tool_call.id": "c"},
            r"tool_calls\[0\].name: expected text",
            id="OpenInference",
        ),
        pytest.param({"events": "[7]"}, r"events'\]\[0\]: expected an object", id="events"),
        pytest.param(
            {"gcp.vertex.agent.llm_response": '{"content": {"parts": [7]}}'},
            r"parts\[0\]: expected an object",
            id="ADK",
        ),
        pytest.param({"gen_ai.output.messages": 7}, "expected a list, got int 7", id="GenAI"),
        pytest.param({"gen_ai.output.messages": [{"role": 7}]}, "role: expected text", id="role"),
        pytest.param(
            {"gen_ai.output.messages": [{"role": "a", "content": 7}]},
            "content: expected a list",
            id="content 7",
        ),
    ],
)
def test_what_has_the_wrong_kind_is_refused(attributes: Any, match: str) -> None:
    with pytest.raises(TraceFormatError, match=match):
        from_otel([span(attributes)])


# One run, told in every convention


def make_run(
    rng: random.Random, *, alike: bool = True
) -> list[list[tuple[str, str | None, dict[str, int]]]]:
    """A run: for each turn the calls that the model asked for, as name, id and arguments.

    Some are the same where they may be alike.
    """
    with_ids = rng.random() < 0.6
    turns = []
    number = 0
    for _ in range(rng.randint(1, 4)):
        calls = []
        for _ in range(rng.randint(1, 3)):
            number += 1
            call_id = f"c{number}" if with_ids else None
            arguments = {"n": rng.randint(1, 2) if alike else number}
            calls.append((rng.choice("fg"), call_id, arguments))
        turns.append(calls)
    return turns


def tell(
    turns: Any,
    rng: random.Random,
    *,
    tools: float = 1,
    models: bool = True,
    inputs: bool = True,
    agent: bool = True,
) -> list[dict[str, Any]]:
    """Write a run as spans in the GenAI conventions; `tools` is the share that have spans."""
    history: list[dict[str, Any]] = [{"role": "user", "parts": []}]
    answer = {"role": "assistant", "parts": [{"type": "text", "content": "Done."}]}
    spans = []
    clock = 10
    for calls in [*turns, None]:
        if calls is None:
            message = answer
        else:
            parts = [
                {"type": "tool_call", "name": name, "arguments": args, "id": call_id}
                for name, call_id, args in calls
            ]
            message = {"role": "assistant", "parts": parts}
        clock += 10
        if models:
            attributes = {**CHAT, "gen_ai.output.messages": json.dumps([message])}
            if inputs:
                attributes["gen_ai.input.messages"] = json.dumps(history)
            spans.append(
                span(attributes, span_id=f"m{clock}", parent_span_id="a", start_time=clock)
            )
        history = [*history, message]
        for name, call_id, args in calls or ():
            clock += 10
            attributes = {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": name,
                "gen_ai.tool.call.arguments": json.dumps(args),
                "gen_ai.tool.call.result": "ok",
            }
            if call_id is not None and rng.random() < 0.7:
                attributes["gen_ai.tool.call.id"] = call_id
            if rng.random() < tools:
                spans.append(
                    span(attributes, span_id=f"t{clock}", parent_span_id="a", start_time=clock)
                )
            result = {"type": "tool_call_response", "id": call_id, "response": "ok"}
            history.append({"role": "tool", "parts": [result]})
    if agent:
        attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.output.messages": json.dumps([answer]),
        }
        spans.append(span(attributes, span_id="a", start_time=1, end_time=clock + 1))
    for one in spans:
        one["end_time"] = max(one["end_time"], one["start_time"])
    rng.shuffle(spans)
    return spans


WAYS = [
    pytest.param({}, id="everything"),
    pytest.param({"tools": 0}, id="messages alone"),
    pytest.param({"tools": 0.5}, id="half of the tools"),
    pytest.param({"models": False}, id="tools alone"),
    pytest.param({"inputs": False}, id="without the histories"),
    pytest.param({"agent": False}, id="without an agent"),
]


@pytest.mark.parametrize("way", WAYS)
def test_a_run_comes_out_the_same_however_it_is_told(way: Any) -> None:
    rng = random.Random(str(way))
    for _ in range(60):
        turns = make_run(rng, alike=way.get("tools") != 0.5)  # which one has the span is not told
        result = from_otel(tell(turns, rng, **way))
        wanted = [Call(name, args) for calls in turns for name, _, args in calls]
        assert result["calls"] == wanted
        assert result["trace"]["unanswered"] == 0
        assert result["trace"]["unpaired_results"] == 0
        assert (result["status"], result["answer"]) == ("final", "Done.")


@pytest.mark.parametrize(
    "told",
    [
        pytest.param(
            {"role": "user", "content": [{"toolResult": {"toolUseId": "c", "status": "error"}}]},
            id="Bedrock's status",
        ),
        pytest.param(
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "c", "is_error": True}],
            },
            id="Anthropic's is_error",
        ),
        pytest.param(
            {"role": "tool", "content": "", "tool_call_id": "c", "status": "error"},
            id="LangChain's status",
        ),
        pytest.param(
            {
                "role": "user",
                "parts": [{"function_response": {"id": "c", "response": {"isError": True}}}],
            },
            id="Gemini's isError",
        ),
    ],
)
@pytest.mark.parametrize("tool_span", [True, False], ids=["with a tool's span", "without"])
def test_a_failure_that_a_message_marks_counts(told: Any, tool_span: bool) -> None:
    ran = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "f"}
    ran["gen_ai.tool.call.id"] = "c"
    later = {**CHAT, "gen_ai.input.messages": [*OUTPUT, told], "gen_ai.output.messages": ANSWER}
    spans = [
        span({**CHAT, "gen_ai.output.messages": OUTPUT}),
        *([span(ran, span_id="2", start_time=3)] if tool_span else []),
        span(later, span_id="3", start_time=5),
    ]
    result = from_otel(spans)
    assert result["calls"] == [Call("f", {"n": 1})]
    assert result["calls"][0].error
    assert result["trace"]["unanswered"] == 0
