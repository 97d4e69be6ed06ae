"""LangChain and LangGraph: messages in every style that they are dumped in, states and updates.

Where a call lives: ``tool_calls`` and ``invalid_tool_calls`` of an AI message; where both are
empty, the provider's own copy under ``additional_kwargs``, as LangChain itself reads it; and
content blocks. Results are tool messages; ``status: "error"`` says that the tool failed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agenteval.records import AgentResult
from agenteval.traces.call_shapes import refuse_call, refuse_held
from agenteval.traces.encoded import refuse_encoded
from agenteval.traces.endings import says_failed
from agenteval.traces.errors import TraceFormatError
from agenteval.traces.langchain_calls import CALL_FIELDS, MessageCalls, refuse_calls
from agenteval.traces.langchain_chains import is_executor_result, read_executor_result
from agenteval.traces.langchain_endings import status_of_message
from agenteval.traces.langchain_shapes import (
    FORMAT,
    RESULT_KINDS,
    Message,
    refuse_foreign_part,
)
from agenteval.traces.langgraph_streams import is_langchain, read_run
from agenteval.traces.marks import CERTAIN, NO, Likeness
from agenteval.traces.reading import (
    identifier,
    json_text,
    mapping,
    opened,
    optional_mapping,
    optional_sequence,
    optional_text,
    plain,
    text,
)
from agenteval.traces.recorder import IsError, Recorder

__all__ = ["FORMAT", "from_langchain", "looks_like"]

_HOSTED_BLOCKS = ("server_tool_call", "server_tool_use")
_FREE = ("additional_kwargs", "response_metadata", "usage_metadata", "metadata")
_TEXT_BLOCKS = ("text", "output_text")


def looks_like(trace: Any) -> Likeness:
    """Say how much a trace looks like LangChain messages or LangGraph states."""
    return CERTAIN if is_langchain(trace) else NO


def from_langchain(trace: Any, *, is_error: IsError | None = None) -> AgentResult:
    """Read LangChain messages or a LangGraph run: which tools were called, what was answered.

    Args:
        trace: Messages (a list, or a state with ``messages``) as message objects, or as
            ``model_dump``, ``messages_to_dict``, ``dumpd`` or LangChain.js wrote them; or what a
            graph streamed: ``updates``, ``values``, ``messages``, ``tasks`` or ``debug``, also
            several modes at once, and with subgraphs. Chunks of one message are put together by its
            id, and a message that comes again takes its earlier copy's place. Also the events of
            ``astream_events`` (the messages of ``on_chat_model_end``, the results and errors of
            ``on_tool_end`` and ``on_tool_error``, what nodes made themselves); and what an
            ``AgentExecutor`` returned with its ``intermediate_steps``, where messages beside them
            are its memory.
        is_error: A predicate on a result's text that says whether the tool failed. A result of
            status ``"error"`` is one without it.

    Returns:
        `AgentResult` with ``status``, ``answer``, ``tool_calls``, ``tools_used``, ``calls`` and
        ``trace``. A call of ``invalid_tool_calls`` is kept with its error. A graph that waits for a
        person (``__interrupt__`` comes last) is ``"incomplete"``.

    Raises:
        TraceFormatError: It is no such trace, a record inside has the wrong kind, or it mixes
            formats.

    >>> result = from_langchain(
    ...     {
    ...         "messages": [
    ...             {"type": "human", "content": "Add milk."},
    ...             {
    ...                 "type": "ai",
    ...                 "content": "",
    ...                 "tool_calls": [{"name": "add", "args": {"item": "milk"}, "id": "c1"}],
    ...             },
    ...             {"type": "tool", "tool_call_id": "c1", "status": "error", "content": "full"},
    ...             {"type": "ai", "content": "The list is full."},
    ...         ]
    ...     }
    ... )
    >>> result["status"], result["calls"]
    ('final', [Call(name='add', args={'item': 'milk'}, error='full')])
    """
    wanted = "LangChain messages, a LangGraph state, or streamed updates"
    whole = opened(trace, "from_langchain", wanted)
    recorder = Recorder(FORMAT, is_error=is_error)
    try:
        _read(whole, recorder)
    except RecursionError:
        raise TraceFormatError("from_langchain", wanted, trace, "it is nested too deep") from None
    return recorder.finish(trace)


def _read(trace: Any, recorder: Recorder) -> None:
    if isinstance(trace, Mapping) and is_executor_result(trace):
        read_executor_result(trace, recorder, "from_langchain:")
        return
    messages, standing = read_run(trace, "from_langchain")
    for message in messages:
        _read_message(message, recorder)
    if standing is not None:
        recorder.stop(standing)


def _read_message(message: Message, recorder: Recorder) -> None:
    if message.kind == "ai":
        recorder.turn(whole=True)
        _read_ai(message.fields, message.where, recorder)
        return
    refuse_calls(message.fields, message.where, asks=message.kind not in RESULT_KINDS)
    if message.kind in RESULT_KINDS:
        _read_result(message.fields, message.where, recorder)
        return
    _refuse_other_content(message.fields.get("content"), f"{message.where}.content")
    if message.kind == "human":
        recorder.user()


def _refuse_other_content(content: Any, where: str) -> None:
    """Refuse what somebody is said to have asked, where it is neither words nor blocks."""
    content = plain(content)
    if not isinstance(content, (str, Mapping)):
        for at, one in enumerate(optional_sequence(content, where)):
            if not isinstance(one, str):
                mapping(one, f"{where}[{at}]")


def _read_result(fields: Mapping[str, Any], where: str, recorder: Recorder) -> None:
    status = optional_text(fields.get("status"), f"{where}.status")
    recorder.result(
        identifier(fields.get("tool_call_id"), f"{where}.tool_call_id"),
        name=optional_text(fields.get("name"), f"{where}.name"),
        text=_content_text(fields.get("content")),
        error=says_failed(status) or None,
    )


def _content_text(content: Any) -> str:
    """Return the text of a result, whose content may have any shape."""
    content = plain(content)
    if not isinstance(content, Sequence) or isinstance(content, str):
        return json_text(content)
    pieces = []
    for one in content:
        block = plain(one)
        words = block.get("text") if isinstance(block, Mapping) else block
        pieces.append("" if words is None else json_text(words))
    return "".join(pieces)


def _read_ai(fields: Mapping[str, Any], where: str, recorder: Recorder) -> None:
    calls = MessageCalls(fields, where)
    key = "content_blocks" if fields.get("content") in (None, "") else "content"
    content = plain(fields.get(key))
    if isinstance(content, str):
        refuse_encoded(content, f"{where}.{key}")
        recorder.text(content)
    else:
        for at, one in enumerate(optional_sequence(content, f"{where}.{key}")):
            _read_block(one, calls, f"{where}.{key}[{at}]", recorder)
    calls.tell(recorder)
    extra = optional_mapping(fields.get("additional_kwargs"), f"{where}.additional_kwargs") or {}
    for holder, place in ((extra, f"{where}.additional_kwargs"), (fields, where)):
        refuse_held(holder, CALL_FIELDS, place)
        refusal = optional_text(holder.get("refusal"), f"{place}.refusal")
        if refusal:
            recorder.refusal(refusal)
    for key, value in fields.items():
        inner = None if key in _FREE else plain(value)
        if isinstance(inner, Mapping):
            refuse_held(inner, (), f"{where}.{key}")
    status = status_of_message(fields, where)
    if status is not None:
        recorder.stop(status)


def _read_mcp_result(block: Mapping[str, Any], where: str, recorder: Recorder) -> None:
    """Read Anthropic's result of a tool of the user's own MCP server."""
    recorder.result(
        identifier(block.get("tool_use_id"), f"{where}.tool_use_id"),
        text=_content_text(block.get("content")),
        error=block.get("is_error") is True or None,
    )


def _read_mcp_call(block: Mapping[str, Any], where: str, recorder: Recorder) -> None:
    """Read OpenAI's record of a call to a tool of the user's own MCP server, result included."""
    name = text(block.get("name"), f"{where}.name")
    output = None if block.get("output") is None else json_text(block["output"])
    error = None if block.get("error") is None else json_text(block["error"])
    if output is None and error is None and block.get("status") not in ("completed", "failed"):
        recorder.call(name, block.get("arguments"), identifier(block.get("id"), f"{where}.id"))
        return
    failed = True if error is None and block.get("status") == "failed" else error
    recorder.answered_call(name, block.get("arguments"), text=output, error=failed)


def _read_block(one: Any, calls: MessageCalls, where: str, recorder: Recorder) -> None:
    if isinstance(one, str):
        recorder.text(one)
        return
    block = mapping(one, where)
    refuse_foreign_part(block, "ai", where)
    kind = optional_text(block.get("type"), f"{where}.type") or "text"
    if kind in _TEXT_BLOCKS and "text" in block:
        recorder.text(optional_text(block["text"], f"{where}.text") or "")
    elif kind == "refusal":
        recorder.refusal(text(block.get("refusal"), f"{where}.refusal"))
    elif calls.tell_block(block, where, recorder):
        return
    elif kind == "mcp_tool_result":
        _read_mcp_result(block, where, recorder)
    elif kind == "mcp_call":
        _read_mcp_call(block, where, recorder)
    elif kind in _HOSTED_BLOCKS:
        recorder.hosted(text(block.get("name"), f"{where}.name"))
    elif kind == "executable_code":
        recorder.hosted("code_execution")
    elif kind.endswith("_call"):  # the Responses API's own tools, such as web_search_call
        recorder.hosted(kind.removesuffix("_call"))
    elif not calls.has(block, where):
        held = plain(block.get("value")) if kind == "non_standard" else None
        refuse_call(held if isinstance(held, Mapping) else block, where)
