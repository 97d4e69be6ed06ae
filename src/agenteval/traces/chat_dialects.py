"""Chat messages as published benchmarks store them: AgentDojo, tau-bench, tau2-bench, SWE-agent.

They share OpenAI's roles and differ in the wrapping, in the shape of a call, in the place of a
result's id, and in that each has a way of its own to say that a tool failed.

| dialect | wrapping | failed tool |
|---|---|---|
| AgentDojo | ``messages`` beside ``suite_name`` | ``error``: text on the tool message |
| tau-bench | ``traj`` | the result's text starts with ``Error`` or ``Unknown action`` |
| tau2-bench | ``simulations``, each with ``messages`` | ``error``: true on the tool message |
| SWE-agent | ``history`` beside ``trajectory`` | none |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agenteval.records import TaskId
from agenteval.traces.errors import TraceFormatError
from agenteval.traces.reading import (
    identifier,
    mapping,
    messages_in,
    optional_mapping,
    optional_sequence,
    optional_text,
    sequence,
    text,
)
from agenteval.traces.recorder import CUT_OFF, FAILED, FINAL

__all__ = [
    "Conversation",
    "conversations",
    "is_dialect",
    "read_calls",
    "result_failed",
    "result_ids",
    "results",
]

_MARKS = frozenset({"simulations", "suite_name", "termination_reason", "traj"})
_TAU_FAILED = ("Error", "Unknown action")
_TAU2_ENDS = {
    "user_stop": FINAL,
    "agent_stop": FINAL,
    "max_steps": CUT_OFF,
    "timeout": CUT_OFF,
}


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages of one conversation with their places, and what its wrapping says about it."""

    messages: Iterable[tuple[Mapping[str, Any], str]]
    ended: str | None = None
    failed: tuple[str, ...] = ()
    """How the text of a failed tool's result begins, in a dialect that marks it so."""
    closing: str | None = None
    """What the simulated user says to hang up: no question to the agent."""


def is_dialect(trace: Any) -> bool:
    """Say whether the wrapping is one of these benchmarks'."""
    return isinstance(trace, Mapping) and (
        ("history" in trace and "trajectory" in trace) or not _MARKS.isdisjoint(trace)
    )


def conversations(trace: Any, function: str) -> list[tuple[TaskId | None, Conversation]]:
    """Return the conversations of a trace, with their ids where the file can hold several."""
    if not isinstance(trace, Mapping):
        return [(None, Conversation(messages_in(trace, function)))]
    if "simulations" in trace:
        where = f"{function}: simulations"
        simulations = sequence(trace["simulations"], where)
        if not simulations:
            raise TraceFormatError(where, "at least one simulation", simulations)
        return [
            _simulation(mapping(one, f"{where}[{at}]"), f"{where}[{at}]")
            for at, one in enumerate(simulations)
        ]
    if "termination_reason" in trace:
        return [(None, _simulation(trace, f"{function}: simulation")[1])]
    if "traj" in trace:
        rows = _listed(trace["traj"], f"{function}: traj")
        return [(None, Conversation(rows, failed=_TAU_FAILED, closing="###STOP###"))]
    if "history" in trace and "trajectory" in trace:
        return [(None, Conversation(_swe_agent(trace["history"], f"{function}: history")))]
    if "suite_name" in trace:
        ended = None if trace.get("error") is None else FAILED
        return [(None, Conversation(messages_in(trace, function), ended))]
    return [(None, Conversation(messages_in(trace, function, ("choices", "role"))))]


def _listed(messages: Any, where: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    for at, one in enumerate(sequence(messages, where)):
        yield mapping(one, f"{where}[{at}]"), f"{where}[{at}]"


def _simulation(simulation: Mapping[str, Any], where: str) -> tuple[TaskId | None, Conversation]:
    reason = optional_text(simulation.get("termination_reason"), f"{where}.termination_reason")
    ended = None if reason is None else _TAU2_ENDS.get(reason, FAILED)
    messages = _listed(simulation.get("messages"), f"{where}.messages")
    return identifier(simulation.get("id"), f"{where}.id"), Conversation(messages, ended)


def _swe_agent(history: Any, where: str) -> list[tuple[Mapping[str, Any], str]]:
    steps = list(_listed(history, where))
    acted = [step for step, _ in steps if step.get("action")]
    if acted and not any(step.get("tool_calls") for step, _ in steps):
        raise TraceFormatError(
            where,
            "a SWE-agent run with function calling",
            acted[0],
            "this run has its actions as text only, without names and arguments",
        )
    return steps


def read_calls(message: Mapping[str, Any], where: str) -> list[tuple[str, Any, str | int | None]]:
    """Return the name, the arguments and the id of each call of a message.

    Some gateways fill every field of a message: a call with neither id, name nor arguments is such
    a placeholder, and no call.
    """
    place = f"{where}.tool_calls"
    found = []
    for at, one in enumerate(optional_sequence(message.get("tool_calls"), place)):
        call = mapping(one, f"{place}[{at}]")
        name, arguments = _read_call(call, f"{place}[{at}]")
        call_id = identifier(call.get("id"), f"{place}[{at}].id")
        if name or arguments or call_id is not None:
            found.append((name, arguments, call_id))
    place = f"{where}.function_call"
    legacy = optional_mapping(message.get("function_call"), place) or {}
    if not found and (legacy.get("name") or legacy.get("arguments")):
        found.append((text(legacy.get("name"), f"{place}.name"), legacy.get("arguments"), None))
    return found


def _read_call(call: Mapping[str, Any], where: str) -> tuple[str, Any]:
    """Return the name and the arguments of a call, in OpenAI's shape or a dialect's."""
    function = call.get("function")
    if isinstance(function, str):
        return function, call["args"] if "args" in call else call.get("arguments")
    if function is not None:
        inner = mapping(function, f"{where}.function")
        return text(inner.get("name"), f"{where}.function.name"), inner.get("arguments")
    if call.get("custom") is not None:
        inner = mapping(call["custom"], f"{where}.custom")
        free_text = text(inner.get("input"), f"{where}.custom.input")
        return text(inner.get("name"), f"{where}.custom.name"), {"input": free_text}
    if "name" in call and "arguments" in call:
        return text(call["name"], f"{where}.name"), call["arguments"]
    raise TraceFormatError(
        where, "a call with 'function', 'custom' or 'name' and 'arguments'", call
    )


def results(message: Mapping[str, Any], where: str) -> Iterable[tuple[Mapping[str, Any], str]]:
    """Return the results that a tool message stands for: itself, or those that it bundles."""
    several = message.get("tool_responses")  # AutoGen, whose content is then all of them as text
    return _listed(several, f"{where}.tool_responses") if several else [(message, where)]


def result_ids(message: Mapping[str, Any], where: str) -> list[str | int | None]:
    """Return the ids of the calls that a tool message answers."""
    several = message.get("tool_call_ids")
    if several is not None:  # SWE-agent
        found = sequence(several, f"{where}.tool_call_ids")
        return [identifier(one, f"{where}.tool_call_ids[{at}]") for at, one in enumerate(found)]
    own = message.get("tool_call_id")
    if own is None and "requestor" in message:  # tau2-bench
        own = message.get("id")
    if own is None and message.get("tool_call") is not None:  # AgentDojo
        own = mapping(message["tool_call"], f"{where}.tool_call").get("id")
    return [identifier(own, f"{where}.tool_call_id")]


def result_failed(
    message: Mapping[str, Any], result: str, conversation: Conversation, where: str
) -> bool | str | None:
    """Return a dialect's own word on whether a tool failed; ``None`` where it has none."""
    if conversation.failed:
        return result.startswith(conversation.failed)
    error = message.get("error")
    if error is None or isinstance(error, (bool, str)):
        return error
    raise TraceFormatError(f"{where}.error", "text, true, false or nothing", error)
