"""Why the model stopped, in each format's own words: only an ordinary end leaves an answer.

The lists are those of the providers' own packages: openai 3.57.0 (`ChatCompletion`, `Response`),
anthropic 2.14.0 (`BetaStopReason`), google-genai 2.19.0 (`FinishReason`, and the words that the
service's reference has besides), Bedrock's reference of Converse, inspect_ai's `StopReason`, and
the AI SDK's `FinishReason`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agenteval import traces
from agenteval.traces import endings


def chat(reason: str | None, *, call: bool = False) -> Any:
    message: dict[str, Any] = {"role": "assistant", "content": "So."}
    if call:
        message["tool_calls"] = [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]
    return {"choices": [{"finish_reason": reason, "message": message}]}


def anthropic(reason: str | None, *, call: bool = False) -> Any:
    content: list[dict[str, Any]] = [{"type": "text", "text": "So."}]
    content += [{"type": "tool_use", "id": "c", "name": "f", "input": {}}] * call
    return {"type": "message", "role": "assistant", "content": content, "stop_reason": reason}


def bedrock(reason: str | None, *, call: bool = False) -> Any:
    content: list[dict[str, Any]] = [{"text": "So."}]
    content += [{"toolUse": {"toolUseId": "c", "name": "f", "input": {}}}] * call
    return {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": reason}


def gemini(reason: str | None, *, call: bool = False) -> Any:
    parts: list[dict[str, Any]] = [{"text": "So."}]
    parts += [{"functionCall": {"name": "f", "args": {}}}] * call
    content = {"role": "model", "parts": parts}
    return {"candidates": [{"content": content, "finishReason": reason}]}


def adk(reason: str | None, *, call: bool = False) -> Any:
    content = gemini(reason, call=call)["candidates"][0]["content"]
    return [{"author": "vet", "invocation_id": "i", "content": content, "finish_reason": reason}]


def adk_error(reason: str | None) -> Any:
    content = {"role": "model", "parts": [{"text": "So."}]}
    return [{"author": "vet", "invocation_id": "i", "content": content, "error_code": reason}]


def responses(status: str | None) -> Any:
    part = {"type": "output_text", "text": "So."}
    message = {"type": "message", "role": "assistant", "content": [part]}
    return {"object": "response", "status": status, "output": [message]}


def responses_incomplete(reason: str | None) -> Any:
    return responses("incomplete") | {"incomplete_details": {"reason": reason}}


def responses_message(status: str | None) -> Any:
    response = responses("completed")
    response["output"][0]["status"] = status
    return response


def inspect(reason: str | None) -> Any:
    messages = [{"role": "assistant", "content": "So."}]
    output = {"choices": [{"stop_reason": reason, "message": messages[0]}]}
    return {"samples": [{"id": 1, "epoch": 1, "messages": messages, "output": output}]}


def vercel(reason: str | None, *, call: bool = False) -> Any:
    content: list[dict[str, Any]] = [{"type": "text", "text": "So."}]
    content += [{"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {}}] * call
    return {"messages": [{"role": "assistant", "content": content}], "finishReason": reason}


WORDS: list[tuple[Callable[[str | None], Any], dict[str, str]]] = [
    (
        chat,
        {
            "stop": "final",
            "length": "cut off",
            "tool_calls": "incomplete",
            "function_call": "incomplete",
            "content_filter": "refused",
        },
    ),
    (
        anthropic,
        {
            "end_turn": "final",
            "stop_sequence": "final",
            "max_tokens": "cut off",
            "model_context_window_exceeded": "cut off",
            "tool_use": "incomplete",
            "pause_turn": "incomplete",
            "compaction": "incomplete",
            "refusal": "refused",
        },
    ),
    (
        bedrock,
        {
            "end_turn": "final",
            "stop_sequence": "final",
            "max_tokens": "cut off",
            "model_context_window_exceeded": "cut off",
            "tool_use": "incomplete",
            "guardrail_intervened": "refused",
            "content_filtered": "refused",
            "malformed_model_output": "failed",
            "malformed_tool_use": "failed",
        },
    ),
    (
        responses,
        {
            "completed": "final",
            "failed": "failed",
            "cancelled": "failed",
            "in_progress": "incomplete",
            "queued": "incomplete",
            "a_new_status": "incomplete",
        },
    ),
    (
        responses_incomplete,
        {
            "max_output_tokens": "cut off",
            "max_messages": "cut off",
            "steered": "cut off",
            "content_filter": "refused",
        },
    ),
    (
        responses_message,
        {"completed": "final", "incomplete": "cut off", "in_progress": "incomplete"},
    ),
    (
        inspect,
        {
            "stop": "final",
            "max_tokens": "cut off",
            "model_length": "cut off",
            "tool_calls": "final",  # a submitted answer ends so: its call is taken out of the log
            "content_filter": "refused",
            "unknown": "final",
        },
    ),
    (
        vercel,
        {
            "stop": "final",
            "length": "cut off",
            "content-filter": "refused",
            "tool-calls": "incomplete",
            "error": "failed",
            "other": "failed",
            "unknown": "final",
        },
    ),
]
GEMINI_WORDS = {
    "STOP": "final",
    "FINISH_REASON_UNSPECIFIED": "final",  # the value of a field that was never set
    "MAX_TOKENS": "cut off",
    "SAFETY": "refused",
    "RECITATION": "refused",
    "LANGUAGE": "refused",
    "BLOCKLIST": "refused",
    "PROHIBITED_CONTENT": "refused",
    "SPII": "refused",
    "IMAGE_SAFETY": "refused",
    "IMAGE_PROHIBITED_CONTENT": "refused",
    "IMAGE_RECITATION": "refused",
    "OTHER": "failed",
    "MALFORMED_FUNCTION_CALL": "failed",
    "UNEXPECTED_TOOL_CALL": "failed",
    "TOO_MANY_TOOL_CALLS": "failed",
    "MISSING_THOUGHT_SIGNATURE": "failed",
    "MALFORMED_RESPONSE": "failed",
    "NO_IMAGE": "failed",
    "IMAGE_OTHER": "failed",
    "A_NEW_REASON": "failed",
}
WORDS += [(gemini, GEMINI_WORDS), (adk, GEMINI_WORDS)]
STOPPED = {word: status for word, status in GEMINI_WORDS.items() if status != "final"}
WORDS.append((adk_error, STOPPED))


@pytest.mark.parametrize(
    ("make", "reason", "status"),
    [
        pytest.param(make, reason, status, id=f"{make.__name__}-{reason}")
        for make, words in WORDS
        for reason, status in words.items()
    ],
)
def test_how_a_reply_with_text_and_this_reason_ends(
    make: Callable[[str | None], Any], reason: str, status: str
) -> None:
    result = traces.from_trace(make(reason))
    assert (result["status"], result["answer"], result["calls"]) == (status, "So.", [])


@pytest.mark.parametrize("make", [pytest.param(make, id=make.__name__) for make, _ in WORDS])
def test_without_a_reason_the_text_is_the_answer(make: Callable[[str | None], Any]) -> None:
    others = {responses_incomplete: "cut off", anthropic: "incomplete"}  # null is no end there
    wanted = others.get(make, "final")
    assert traces.from_trace(make(None))["status"] == wanted


def test_a_reason_in_a_message_of_the_ai_sdk_is_over_with_the_next_message() -> None:
    part = {"type": "text", "text": "So."}
    cut = {"role": "assistant", "parts": [part], "finishReason": "length"}
    assert traces.from_vercel_ai([cut])["status"] == "cut off"
    assert traces.from_vercel_ai([cut, {"role": "assistant", "parts": [part]}])["status"] == "final"


ANSWERED = {
    "chat": (chat("tool_calls", call=True), {"role": "tool", "tool_call_id": "c", "content": ""}),
    "anthropic": (
        anthropic("tool_use", call=True),
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c"}]},
    ),
    "bedrock": (
        bedrock("tool_use", call=True),
        {"role": "user", "content": [{"toolResult": {"toolUseId": "c", "content": []}}]},
    ),
}
LAST = {"chat": chat("stop"), "anthropic": anthropic("end_turn"), "bedrock": bedrock("end_turn")}


@pytest.mark.parametrize("format_name", ANSWERED)
def test_a_reason_that_calls_follow_is_over_with_the_next_reply(format_name: str) -> None:
    asked = [*ANSWERED[format_name]]
    result = traces.from_trace([*asked, LAST[format_name]])
    assert (result["status"], result["answer"]) == ("final", "So.")
    assert traces.from_trace(asked)["status"] == "incomplete"


def test_case_and_dashes_do_not_matter() -> None:
    assert endings.status_of_reason("Content-Filter") == "refused"
    assert endings.calls_follow("TOOL_CALL")


@pytest.mark.parametrize(
    "reason",
    [
        "FinishReason.MAX_TOKENS",
        "<FinishReason.MAX_TOKENS: 'MAX_TOKENS'>",
        "<FinishReason.LENGTH: 2>",
    ],
)
def test_a_reason_as_python_shows_an_enum_is_known(reason: str) -> None:
    assert endings.status_of_reason(reason) == "cut off"
    assert endings.status_of_gemini_reason(reason) == "cut off"
    assert endings.status_of_gemini_reason("FinishReason.STOP") is None
    assert endings.calls_follow("StopReason.TOOL_USE")


def with_reason(trace: Any, key: str, reason: str) -> Any:
    """Write the reason of a trace under another key, wherever it stands."""
    if isinstance(trace, list):
        return [with_reason(one, key, reason) for one in trace]
    if not isinstance(trace, dict):
        return trace
    return {
        (key if name in endings.REASONS else name): reason
        if name in endings.REASONS
        else with_reason(value, key, reason)
        for name, value in trace.items()
    }


@pytest.mark.parametrize("key", endings.REASONS)
@pytest.mark.parametrize(
    ("importer", "trace"),
    [
        pytest.param(traces.from_openai_chat, chat("stop"), id="openai chat"),
        pytest.param(traces.from_anthropic, anthropic("end_turn"), id="anthropic"),
        pytest.param(traces.from_bedrock, bedrock("end_turn"), id="bedrock"),
    ],
)
@pytest.mark.parametrize(
    ("reason", "status"),
    [
        ("length", "cut off"),
        ("max_tokens", "cut off"),
        ("tool_use", "incomplete"),
        ("content_filter", "refused"),
        ("end_turn", "final"),
    ],
)
def test_a_reason_under_another_providers_name(importer, trace, key, reason, status):
    assert importer(with_reason(trace, key, reason))["status"] == status


@pytest.mark.parametrize(
    ("reason", "status"), [("max_tokens", "cut off"), ("tool_use", "incomplete")]
)
@pytest.mark.parametrize(
    "message",
    [
        pytest.param({"content": "So."}, id="content of text"),
        pytest.param({"content": [{"type": "text", "text": "So."}]}, id="content of blocks"),
        pytest.param({"content": "So.", "type": "message"}, id="a whole message"),
    ],
)
def test_whoever_reads_a_message_with_a_stop_reason_says_the_same(message, reason, status):
    trace = [
        {"role": "user", "content": "And?"},
        {"role": "assistant", **message, "stop_reason": reason},
    ]
    for importer in (traces.from_anthropic, traces.from_trace):
        assert importer(trace)["status"] == status


def test_bedrock_reads_a_reason_that_a_log_keeps_with_the_message():
    message = {"role": "assistant", "content": [{"text": "So."}], "stopReason": "max_tokens"}
    assert traces.from_bedrock([message])["status"] == "cut off"


def test_the_token_at_which_a_server_stopped_is_no_reason():
    """vLLM adds ``stop_reason`` to a choice: a stop word, the id of a token, or nothing."""
    for stop in (128009, "</s>", None):
        trace = chat("stop")
        trace["choices"][0]["stop_reason"] = stop
        assert traces.from_openai_chat(trace)["status"] == "final"


def of_inspect(messages: list[Any], **more: Any) -> Any:
    return {"samples": [{"id": 1, "epoch": 1, "messages": messages, **more}]}


@pytest.mark.parametrize(
    ("importer", "wrap", "said", "nothing"),
    [
        pytest.param(traces.from_openai_chat, list, "So.", None, id="openai chat, null"),
        pytest.param(traces.from_openai_chat, list, "So.", "", id="openai chat, empty text"),
        pytest.param(traces.from_openai_chat, list, "So.", [], id="openai chat, no parts"),
        pytest.param(traces.from_anthropic, list, "So.", "", id="anthropic, empty text"),
        pytest.param(traces.from_anthropic, list, "So.", [], id="anthropic, no blocks"),
        pytest.param(traces.from_bedrock, list, [{"text": "So."}], [], id="bedrock"),
        pytest.param(traces.from_langchain, list, "So.", "", id="langchain, empty text"),
        pytest.param(traces.from_langchain, list, "So.", None, id="langchain, null"),
        pytest.param(traces.from_vercel_ai, list, "So.", [], id="vercel ai"),
        pytest.param(traces.from_inspect, of_inspect, "So.", "", id="inspect"),
        pytest.param(traces.from_trace, list, "So.", None, id="from_trace"),
    ],
)
def test_a_last_message_that_says_nothing_is_no_end(importer, wrap, said, nothing):
    asked = {"role": "user", "content": said}
    spoke = {"role": "assistant", "content": said}
    silent = {"role": "assistant", "content": nothing}
    result = importer(wrap([asked, spoke, silent]))
    assert (result["status"], result["answer"]) == ("incomplete", "So.")
    assert importer(wrap([asked, silent, spoke]))["status"] == "final"


SPOKE = {"role": "assistant", "content": "So."}
CONVERSE = {"role": "assistant", "content": [{"text": "So."}]}


@pytest.mark.parametrize("key", endings.REASONS)
@pytest.mark.parametrize(
    ("importer", "kept_with"),
    [
        pytest.param(
            traces.from_openai_chat,
            lambda reason: {"choices": [{"message": SPOKE}], **reason},
            id="openai chat, a completion",
        ),
        pytest.param(
            traces.from_openai_chat,
            lambda reason: {"messages": [SPOKE], **reason},
            id="openai chat, the messages",
        ),
        pytest.param(
            traces.from_anthropic,
            lambda reason: {"messages": [SPOKE], **reason},
            id="anthropic, the messages",
        ),
        pytest.param(
            traces.from_bedrock,
            lambda reason: {"messages": [CONVERSE], **reason},
            id="bedrock, the messages",
        ),
        pytest.param(
            traces.from_langchain,
            lambda reason: [{**SPOKE, **reason}],
            id="langchain, a message",
        ),
        pytest.param(
            traces.from_langchain,
            lambda reason: [{**SPOKE, "responseMetadata": reason}],
            id="langchain, metadata in another spelling",
        ),
        pytest.param(
            traces.from_inspect,
            lambda reason: of_inspect([SPOKE], output={"choices": [reason]}),
            id="inspect, a choice",
        ),
    ],
)
def test_a_reason_is_read_wherever_it_is_kept(importer, kept_with, key):
    for reason, status in (("max_tokens", "cut off"), ("refusal", "refused"), ("stop", "final")):
        assert importer(kept_with({key: reason}))["status"] == status


@pytest.mark.parametrize(
    "importer",
    [traces.from_openai_chat, traces.from_anthropic, traces.from_vercel_ai, traces.from_trace],
)
@pytest.mark.parametrize("value", [{"type": "end"}, 3, ["stop"], "completed", None])
def test_other_data_under_a_reasons_name_beside_the_messages_is_passed_over(importer, value):
    for key in endings.REASONS:
        assert importer({"messages": [SPOKE], key: value})["status"] == "final"
