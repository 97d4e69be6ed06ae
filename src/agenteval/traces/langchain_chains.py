"""What LangChain's chains return, and its agents from before LangGraph: an answer beside a memory.

An ``AgentExecutor`` returns the answer as ``output`` and, if it was told to, its calls with what
they returned as ``intermediate_steps``. What it was given stands beside them, and messages among
that are a memory of earlier runs, not the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenteval.traces.arguments import decode_arguments
from agenteval.traces.endings import says_failed
from agenteval.traces.errors import TraceFormatError
from agenteval.traces.langchain_shapes import is_node_message
from agenteval.traces.marks import objects_in
from agenteval.traces.reading import (
    json_text,
    mapping,
    optional_sequence,
    parts_text,
    plain,
    sequence,
    text,
)
from agenteval.traces.recorder import CUT_OFF, Recorder

__all__ = [
    "is_executor_result",
    "is_memory",
    "read_executor_result",
    "refuse_memory",
    "refuse_steps",
]

_STEPS = "intermediate_steps"
_NO_TOOL = "_Exception"  # the step in which the executor tells the model that it was not understood
_STOPPED = "Agent stopped due to "  # the answer that it makes itself when it runs out of steps
_ANSWERS = ("output", "answer", "response", "result", "text", "output_text")
_MEMORIES = ("history", "memory")


def is_executor_result(record: Mapping[str, Any]) -> bool:
    """Say whether a record is what an ``AgentExecutor`` returned, its calls included.

    >>> is_executor_result({"input": "2 + 2?", "output": "4", "intermediate_steps": []})
    True
    """
    return "output" in record and isinstance(plain(record.get(_STEPS)), (list, tuple))


def is_memory(name: str) -> bool:
    """Say whether a key of a state is called a memory, such as ``chat_history``."""
    return name.endswith(_MEMORIES)


def read_executor_result(result: Mapping[str, Any], recorder: Recorder, where: str) -> None:
    """Read what an ``AgentExecutor`` returned.

    Args:
        result: The record, with ``output`` and ``intermediate_steps``.
        recorder: Gets the calls and the answer.
        where: The importer's name and a colon.

    Raises:
        TraceFormatError: A step or the output has the wrong kind.
    """
    recorder.user()
    for at, one in enumerate(optional_sequence(result.get(_STEPS), f"{where} {_STEPS}")):
        _read_step(one, recorder, f"{where} {_STEPS}[{at}]")
    recorder.turn()
    output = plain(result["output"])
    listed = isinstance(output, (list, tuple))
    words = parts_text(output, f"{where} output") if listed else json_text(output)
    recorder.text(words)
    if words.startswith(_STOPPED):
        recorder.stop(CUT_OFF)


def _read_step(one: Any, recorder: Recorder, where: str) -> None:
    step = plain(one)
    if isinstance(step, Mapping):
        action, observed = step.get("action"), step.get("observation")
    else:
        pair = sequence(step, where)
        if len(pair) != 2:
            raise TraceFormatError(where, "an action and what was observed", one)
        action, observed = pair
    fields = mapping(action, f"{where}[0]")
    if "kwargs" in fields:
        fields = mapping(fields["kwargs"], f"{where}[0].kwargs")
    name = text(fields.get("tool"), f"{where}[0].tool")
    if name == _NO_TOOL:
        return
    arguments, problem = decode_arguments(plain(fields.get("tool_input")))
    if problem is not None:  # tools of one text get it as it is, which is no fault
        arguments = {"_raw": json_text(fields.get("tool_input"))}
    observed = plain(observed)
    failed = None
    if isinstance(observed, Mapping) and "tool_call_id" in observed:
        failed = says_failed(observed.get("status")) or None
        observed = observed.get("content")
    recorder.answered_call(name, arguments, text=json_text(observed), error=failed)


def refuse_memory(state: Mapping[str, Any], where: str) -> None:
    """Raise where a state's messages are what a chain was given, and its answer stands beside them.

    A chain of LangChain's answers under a name of its own. Messages of a state that also has such
    an answer are the run only if they end in it and are not called a memory.

    Args:
        state: A state whose messages are not under ``messages``.
        where: Its place, for the message.

    Raises:
        TraceFormatError: The messages under one of its keys are not the run.
    """
    answered = any(state.get(key) for key in _ANSWERS)
    if not answered and _STEPS not in state:
        return
    held = {key: _messages_in(value) for key, value in state.items()}
    answers = [state[key] for key in _ANSWERS if state.get(key) and not held[key]]
    for key, messages in held.items():
        if messages and (
            _STEPS in state
            or (answers and is_memory(key))
            or (answers and _text_of(messages[-1], f"{where}.{key}") not in answers)
        ):
            raise TraceFormatError(
                where.rstrip(": "),
                "a state whose messages are the run",
                state,
                f"the messages under {key!r} are what a chain was given, and its answer stands "
                f"beside them: pass the messages of the run, or an AgentExecutor's result with "
                f"its {_STEPS} (return_intermediate_steps=True)",
            )


def refuse_steps(state: Mapping[str, Any], where: str) -> None:
    """Raise where a state with ``messages`` has an executor's steps beside them.

    Raises:
        TraceFormatError: The calls of the steps would be lost.
    """
    if plain(state.get(_STEPS)):
        raise TraceFormatError(
            where.rstrip(": "),
            "a state whose calls stand in its messages",
            state,
            f"this one has {_STEPS} beside them: pass an AgentExecutor's whole result, with its "
            "'output', or the messages alone",
        )


def _messages_in(held: Any) -> list[Mapping[str, Any]]:
    inner = plain(held)
    several = [inner] if isinstance(inner, Mapping) else inner
    return [one for one in objects_in(several) if is_node_message(one)]


def _text_of(message: Mapping[str, Any], where: str) -> str:
    inner = plain(message.get("kwargs", message.get("data", message)))
    return parts_text(mapping(inner, where).get("content"), f"{where}.content")
