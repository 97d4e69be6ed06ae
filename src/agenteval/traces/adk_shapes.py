"""The shapes of ADK's files: which one a trace has, and where its cases or events are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agenteval.records import TaskId
from agenteval.traces.call_shapes import refuse_calls_in
from agenteval.traces.errors import TraceFormatError
from agenteval.traces.marks import objects_in
from agenteval.traces.reading import (
    either,
    identifier,
    mapping,
    optional_mapping,
    plain,
    sequence,
)

__all__ = [
    "TURN_KEYS",
    "Case",
    "content_of",
    "eval_cases",
    "event_list",
    "intermediate_data",
    "is_eval_set",
    "is_event",
    "is_events",
]

Case = tuple[TaskId, tuple[str, Sequence[Any] | None]]
"""A case's id, the place of its turns, and the turns; ``None`` where it has only a scenario."""


TURN_KEYS = (
    "finalResponse",
    "final_response",
    "intermediateData",
    "intermediate_data",
    "userContent",
    "user_content",
)
"""The fields of a question with its answer, in an eval set."""

_BETWEEN = (
    "intermediateResponses",
    "intermediate_responses",
    "invocationEvents",
    "invocation_events",
    "toolResponses",
    "tool_responses",
    "toolUses",
    "tool_uses",
)


def is_eval_set(trace: Any) -> bool:
    """Say whether a trace is an eval set, or one case of it, in any shape."""
    if isinstance(trace, Mapping):
        return any(key in trace for key in ("eval_cases", "evalCases")) or _is_case(trace)
    return any(_is_old_turn(one) or _is_old_case(one) or _is_case(one) for one in objects_in(trace))


def _is_case(record: Mapping[str, Any]) -> bool:
    return ("eval_id" in record or "evalId" in record) and (
        "conversation" in record or "conversation_scenario" in record
    )


def _is_old_turn(record: Mapping[str, Any]) -> bool:
    return "query" in record and ("expected_tool_use" in record or "reference" in record)


def _is_old_case(record: Mapping[str, Any]) -> bool:
    return any(_is_old_turn(turn) for turn in objects_in(record.get("data")))


def is_events(trace: Any) -> bool:
    """Say whether a trace is an ADK session or a list of ADK events."""
    events = trace.get("events") if isinstance(trace, Mapping) else trace
    return any(_is_event(one) for one in objects_in(events))


def _is_event(record: Mapping[str, Any]) -> bool:
    return isinstance(record.get("author"), str) and (
        isinstance(plain(record.get("content")), Mapping)
        or "invocation_id" in record
        or "invocationId" in record
    )


def is_event(record: Mapping[str, Any]) -> bool:
    """Say whether a record in a list of events is one; some exporters leave the author out."""
    content = plain(record.get("content"))
    return "author" in record or isinstance(content, Mapping)


def event_list(trace: Any, function: str) -> tuple[Sequence[Any], str] | None:
    """Return the events of a session or of a list, with their place; ``None`` when it is neither.

    Raises:
        TraceFormatError: ``events`` is no list.
    """
    if not is_events(trace):
        return None
    if isinstance(trace, Mapping):
        place = f"{function}: events"
        return sequence(trace["events"], place), place
    return trace, f"{function}: "


def eval_cases(trace: Any, function: str) -> list[Case] | None:
    """Return the cases of an eval set with their ids; ``None`` when the trace is none.

    Raises:
        TraceFormatError: A case has the wrong kind.
    """
    if not is_eval_set(trace):
        return None
    if isinstance(trace, Mapping):
        found = either(trace, "evalCases", "eval_cases")
        if found is None:
            return [_case(trace, 0, f"{function}: case")]
        place = f"{function}: eval_cases"
        records = sequence(found, place)
    else:
        place = f"{function}: "
        records = trace
    whole = [mapping(record, f"{place}[{at}]") for at, record in enumerate(records)]
    if any(_is_old_turn(record) for record in whole):
        return [(0, (place, whole))]
    return [_case(record, at, f"{place}[{at}]") for at, record in enumerate(whole)]


def _case(record: Mapping[str, Any], at: int, where: str) -> Case:
    for key in TURN_KEYS:
        if record.get(key) is not None:
            raise TraceFormatError(
                where, f"an eval case with {key!r} in the turns of its conversation", record
            )
    if "data" in record:
        name = identifier(record.get("name"), f"{where}.name")
        place = f"{where}.data"
        return at if name is None else name, (place, sequence(record["data"], place))
    name = identifier(either(record, "evalId", "eval_id"), f"{where}.eval_id")
    turns = record.get("conversation")
    if turns is None:
        if either(record, "conversationScenario", "conversation_scenario") is None:
            raise TraceFormatError(where, "an eval case with 'conversation'", record)
        return at if name is None else name, (where, None)
    place = f"{where}.conversation"
    return at if name is None else name, (place, sequence(turns, place))


def content_of(value: Any, where: str) -> Mapping[str, Any] | None:
    """Return a Gemini content; ``None`` where there is none.

    Raises:
        TraceFormatError: It is no object, or one of another kind: what that holds would be lost.
    """
    content = optional_mapping(value, where)
    if content and "parts" not in content and "role" not in content:
        raise TraceFormatError(where, "a content with 'parts'", content)
    if content:
        refuse_calls_in(content, ("parts",), where)
    return content


def intermediate_data(turn: Mapping[str, Any], where: str) -> Mapping[str, Any] | None:
    """Return what an agent did between the question and the answer of a turn, if it is recorded.

    Raises:
        TraceFormatError: It is no object, or has calls under a name that is not known.
    """
    between = optional_mapping(either(turn, "intermediateData", "intermediate_data"), where)
    if between:
        if not any(key in between for key in _BETWEEN):
            raise TraceFormatError(
                where, "an object with 'tool_uses' or 'invocation_events'", between
            )
        refuse_calls_in(between, _BETWEEN, where)
    for key, value in turn.items():
        if key not in TURN_KEYS and _lies_between(plain(value)):
            raise TraceFormatError(
                where, "what an agent did under the name 'intermediate_data'", {key: value}
            )
    return between


def _lies_between(value: Any) -> bool:
    """Say whether a value is what an agent did between a question and the answer, or its events."""
    if isinstance(value, Mapping):
        return not value.keys().isdisjoint(_BETWEEN) or any(map(is_events, value.values()))
    return is_events(value)
