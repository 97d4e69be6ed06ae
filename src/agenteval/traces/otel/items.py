"""Items of OpenAI's Responses API among the messages and parts of spans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenteval.traces.built_in_tools import (
    BUILT_IN,
    built_in_arguments,
    refuse_unknown_call,
    runs_in_container,
    shell_result,
)
from agenteval.traces.otel.said import Result, Said
from agenteval.traces.otel.texts import response_text
from agenteval.traces.reading import either, identifier, json_text, plain, text

__all__ = ["read_item"]

_OUTPUTS = ("_call_output", "_call_result")


def read_item(item: Mapping[str, Any], kind: str, said: Said, where: str) -> bool:
    """Read a call or a result of the Responses API; say whether the record is one.

    Raises:
        TraceFormatError: A field has the wrong kind, or it is a call of a kind that is not known.
    """
    if kind.endswith(_OUTPUTS):
        said.results.append(_result(item, kind, where))
    elif kind in ("function_call", "mcp_call", "custom_tool_call"):
        _call(item, kind, said, where)
    elif kind in BUILT_IN and not _ran_there(item, kind, where):
        said.ask(kind.removesuffix("_call"), built_in_arguments(item, kind), _id(item, where))
    elif kind == "hosted_tool_call":
        said.host(text(item.get("name"), f"{where}.name"))
    elif kind.endswith("_call"):
        refuse_unknown_call(item, kind, where)
        said.host(kind)
    else:
        return False
    return True


def _call(item: Mapping[str, Any], kind: str, said: Said, where: str) -> None:
    name = text(item.get("name"), f"{where}.name")
    custom = kind == "custom_tool_call"
    arguments = {"input": item.get("input")} if custom else item.get("arguments")
    call_id = _id(item, where)
    said.ask(name, arguments, call_id)
    if item.get("status") == "incomplete":
        said.finish = "length"
    if kind == "mcp_call":
        output, error = item.get("output"), plain(item.get("error"))
        failed = json_text(error) if error else (item.get("status") == "failed" or None)
        if output is not None or failed is not None:
            said.results.append(Result(call_id, json_text(output), error=failed))


def _ran_there(item: Mapping[str, Any], kind: str, where: str) -> bool:
    """Say whether the provider itself ran a built-in tool."""
    searched = kind == "tool_search_call" and item.get("execution") != "client"
    return searched or runs_in_container(item, where)


def _result(item: Mapping[str, Any], kind: str, where: str) -> Result:
    output = plain(item.get("output"))
    error: bool | None = item.get("status") == "failed" or None
    if kind == "shell_call_output":
        words, failed = shell_result(output, where)
        error = error or failed
    elif isinstance(output, Mapping) and output.get("type") == "text":
        words = response_text([output])
    else:
        words = response_text(output)
    return Result(_id(item, where), words, error=error)


def _id(item: Mapping[str, Any], where: str) -> str | int | None:
    own = identifier(either(item, "callId", "call_id"), f"{where}.call_id")
    return identifier(item.get("id"), f"{where}.id") if own is None else own
