"""Google ADK: sessions and event lists (what an agent did), eval sets (what it should do).

Events hold Gemini contents, so a call is a ``function_call`` part here too, and an error the key
``error`` in a response. Eval sets come in several shapes: cases whose turns have ``tool_uses``
(with ``tool_responses`` where a run was written back) or ``invocation_events``, and two older ones
with ``expected_tool_use``. A shape without responses says nothing about them, so its calls count as
answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenteval.records import AgentResult, TaskId
from agenteval.traces.adk_shapes import (
    TURN_KEYS,
    content_of,
    eval_cases,
    event_list,
    intermediate_data,
    is_eval_set,
    is_event,
    is_events,
)
from agenteval.traces.call_shapes import refuse_call, refuse_calls_in
from agenteval.traces.endings import status_of_gemini_reason, status_of_reason
from agenteval.traces.errors import TraceFormatError
from agenteval.traces.gemini_parts import PartsReader
from agenteval.traces.marks import CERTAIN, NO, Likeness, objects_in
from agenteval.traces.reading import (
    choose_cases,
    either,
    mapping,
    opened,
    optional_sequence,
    optional_text,
    sequence,
    text,
)
from agenteval.traces.recorder import FAILED, INCOMPLETE, IsError, Recorder
from agenteval.trajectory.calls import Call

__all__ = ["FORMAT", "from_adk", "looks_like", "references_from_adk"]

FORMAT = "adk"

_WANTED = "an ADK session, a list of ADK events, or an ADK eval set"
_RESULT_KEYS = ("evalCaseResults", "eval_case_results")
_RESULTS = "of the results of an evaluation pass the session of one, under 'sessionDetails'"
_SET = "these are the results of an evaluation: pass the eval set that was evaluated"
_REQUESTS = ("adk_request_confirmation", "adk_request_credential", "adk_request_input")
_OLD_KEYS = ("query", "expected_tool_use", "reference")
_FREE = ("content", "actions", "output", "customMetadata", "custom_metadata")  # of an event


def looks_like(trace: Any) -> Likeness:
    """Say how much a trace looks like ADK events or an ADK eval set."""
    return CERTAIN if is_eval_set(trace) or is_events(trace) or _are_results(trace) else NO


def from_adk(
    trace: Any, *, is_error: IsError | None = None, case: str | int | None = None
) -> AgentResult:
    """Read an ADK run, or the conversations of an ADK eval set.

    Args:
        trace: A session with ``events``, a list of events (partial ones are passed over), or an
            eval set in any of its shapes, old and new; as parsed JSON or as ADK's objects.
        is_error: A predicate on a result's text that says whether the tool failed. A response that
            holds an ``error`` is an error without it.
        case: Of an eval set, the id or the position of the one case to read. Without it the calls
            of all cases are read in order; ``status`` is then that of the first that did not end
            in an answer, and ``trace["cases"]`` names them. A case without an id is named by its
            position.

    Returns:
        `AgentResult` with ``status``, ``answer``, ``tool_calls``, ``tools_used``, ``calls`` and
        ``trace``. Handing over to another agent is a call, ``transfer_to_agent``; what ADK asks the
        user itself (to confirm, for a credential, for an input) is none, and leaves the ``status``
        ``"incomplete"`` until the user says something. Of several
        responses to one call, as long-running tools give them, the last tells whether it failed.

    Raises:
        TraceFormatError: It is no such trace, or a record inside has the wrong kind.
        ValueError: No case is called `case`.

    >>> call = {"function_call": {"id": "adk-1", "name": "weigh", "args": {"pet": "Rex"}}}
    >>> result = from_adk(
    ...     [
    ...         {"author": "user", "content": {"role": "user", "parts": [{"text": "Weigh Rex."}]}},
    ...         {"author": "vet", "content": {"role": "model", "parts": [call]}},
    ...     ]
    ... )
    >>> result["status"], result["calls"], result["trace"]["unanswered"]
    ('incomplete', [Call(name='weigh', args={'pet': 'Rex'}, error=None)], 1)
    """
    whole = opened(trace, "from_adk", _WANTED)
    recorder = Recorder(FORMAT, is_error=is_error)
    cases = eval_cases(whole, "from_adk")
    if cases is None:
        events = event_list(whole, "from_adk")
        if events is None:
            raise TraceFormatError(
                "from_adk", _WANTED, trace, _RESULTS if _are_results(whole) else ""
            )
        parts = PartsReader(recorder, _REQUESTS)
        _read_events(*events, parts)
        _end(parts)
        return recorder.finish(trace)
    recorder.cases([name for name, _ in cases])
    for _, (place, turns) in choose_cases(cases, case, "from_adk"):
        recorder.conversation()
        for at, turn in enumerate(turns or ()):
            _read_turn(mapping(turn, f"{place}[{at}]"), f"{place}[{at}]", recorder)
    return recorder.finish(trace)


def references_from_adk(evalset: Any) -> dict[TaskId, list[Call]]:
    """Return the calls that an ADK eval set expects, for each of its cases.

    Args:
        evalset: An eval set in any of its shapes, old and new; as parsed JSON or as ADK's objects.

    Returns:
        The reference of each case, in the order of the file: the expected calls of all its turns.
        A case without an id is named by its position. A case that only describes a scenario, for a
        simulated user, has no reference and is left out.

    Raises:
        TraceFormatError: It is no eval set, a record inside has the wrong kind, or two cases have
            the same id.

    >>> references_from_adk(
    ...     {
    ...         "eval_cases": [
    ...             {
    ...                 "eval_id": "feed",
    ...                 "conversation": [
    ...                     {
    ...                         "user_content": {"parts": [{"text": "Feed Rex."}]},
    ...                         "intermediate_data": {
    ...                             "tool_uses": [{"name": "feed", "args": {"pet": "Rex"}}]
    ...                         },
    ...                     }
    ...                 ],
    ...             }
    ...         ]
    ...     }
    ... )
    {'feed': [Call(name='feed', args={'pet': 'Rex'}, error=None)]}
    """
    function = "references_from_adk"
    whole = opened(evalset, function, "an ADK eval set")
    cases = eval_cases(whole, function)
    if cases is None:
        raise TraceFormatError(
            function, "an ADK eval set", evalset, _SET if _are_results(whole) else ""
        )
    references: dict[TaskId, list[Call]] = {}
    for name, (place, turns) in cases:
        if turns is None:
            continue
        if name in references:
            raise TraceFormatError(place, "an id that no other case has", name)
        recorder = Recorder(FORMAT)
        recorder.user()
        for at, turn in enumerate(turns):
            _read_turn(mapping(turn, f"{place}[{at}]"), f"{place}[{at}]", recorder)
        calls = recorder.finish()["calls"]
        references[name] = [Call(call.name, call.args) for call in calls]  # type: ignore[union-attr] # the recorder makes Calls
    return references


def _are_results(trace: Any) -> bool:
    """Say whether a trace, or a record of its list, is the results of an evaluation."""
    records = [trace] if isinstance(trace, Mapping) else objects_in(trace)
    return any(key in record for record in records for key in _RESULT_KEYS)


def _read_events(events: Any, where: str, parts: PartsReader) -> None:
    recorder = parts.recorder
    for at, one in enumerate(events):
        place = f"{where}[{at}]"
        event = mapping(one, place)
        if not is_event(event):
            raise TraceFormatError(place, "an event with 'author' or 'content'", event)
        if event.get("partial") is True:
            continue  # a piece of a stream; the whole comes in a later event
        refuse_calls_in(event, _FREE, place)
        content = content_of(event.get("content"), f"{place}.content")
        if content is not None:
            speaks = _speaks(event, content, place)
            if speaks and _says_something(content, place):
                recorder.turn()
            parts.read(content.get("parts"), f"{place}.content.parts", speaks=speaks)
        _read_ending(event, place, recorder)


def _end(parts: PartsReader) -> None:
    """Note what is only known at the end: that the user still has to confirm or to give something.

    What the agent says meanwhile is no answer: the call that waits has not been made.
    """
    parts.close()
    if parts.waiting:
        parts.recorder.stop(INCOMPLETE)


def _speaks(event: Mapping[str, Any], content: Mapping[str, Any], where: str) -> bool:
    """Say whether an agent, not the user, wrote an event; a response's role tells nothing."""
    author = optional_text(event.get("author"), f"{where}.author")
    role = optional_text(content.get("role"), f"{where}.content.role")
    return author != "user" if author else role == "model"


def _says_something(content: Mapping[str, Any], where: str) -> bool:
    """Say whether a content is the model's: one of responses alone only carries them."""
    place = f"{where}.content.parts"
    for at, one in enumerate(optional_sequence(content.get("parts"), place)):
        part = mapping(one, f"{place}[{at}]")
        if either(part, "functionResponse", "function_response") is None:
            return True
    return False


def _read_ending(event: Mapping[str, Any], where: str, recorder: Recorder) -> None:
    reason = either(event, "finishReason", "finish_reason")
    word = optional_text(getattr(reason, "value", reason), f"{where}.finish_reason")
    status = status_of_gemini_reason(word)
    code = optional_text(either(event, "errorCode", "error_code"), f"{where}.error_code")
    if code:
        status = status_of_reason(code) or FAILED
    if status is None and event.get("interrupted") is True:
        status = INCOMPLETE  # the user spoke before the agent had ended
    if status is not None:
        recorder.stop(status)


def _read_turn(turn: Mapping[str, Any], where: str, recorder: Recorder) -> None:
    """Read one question of an eval case with the calls and the answer that it expects."""
    refuse_calls_in(turn, (*TURN_KEYS, *_OLD_KEYS), where)
    if any(key in turn for key in _OLD_KEYS):
        _read_old_turn(turn, where, recorder)
        return
    if not any(key in turn for key in TURN_KEYS):
        raise TraceFormatError(where, "a turn with 'user_content', or with 'query'", turn)
    _read_question(turn, f"{where}.user_content", recorder)
    parts = PartsReader(recorder, _REQUESTS)
    place = f"{where}.intermediate_data"
    between = intermediate_data(turn, place)
    if between is not None:
        events = either(between, "invocationEvents", "invocation_events")
        if events is not None:
            place = f"{place}.invocation_events"
            _read_events(sequence(events, place), place, parts)
        _read_tool_uses(between, f"{where}.intermediate_data", parts)
    place = f"{where}.final_response"
    final = content_of(either(turn, "finalResponse", "final_response"), place)
    if final is not None:
        recorder.turn()
        parts.read(final.get("parts"), f"{place}.parts", speaks=True)
    _end(parts)


def _read_question(turn: Mapping[str, Any], where: str, recorder: Recorder) -> None:
    asked = content_of(either(turn, "userContent", "user_content"), where) or {}
    for at, one in enumerate(optional_sequence(asked.get("parts"), f"{where}.parts")):
        refuse_call(mapping(one, f"{where}.parts[{at}]"), f"{where}.parts[{at}]")
    recorder.user()


def _read_tool_uses(between: Mapping[str, Any], where: str, parts: PartsReader) -> None:
    place = f"{where}.tool_responses"
    responses = optional_sequence(either(between, "toolResponses", "tool_responses"), place)
    uses_place = f"{where}.tool_uses"
    uses = optional_sequence(either(between, "toolUses", "tool_uses"), uses_place)
    for at, one in enumerate(uses):
        use = mapping(one, f"{uses_place}[{at}]")
        if responses:
            parts.call(use, f"{uses_place}[{at}]")
        else:
            name = text(use.get("name"), f"{uses_place}[{at}].name")
            if name not in _REQUESTS:
                parts.recorder.answered_call(name, use.get("args"))
    for at, one in enumerate(responses):
        parts.response(mapping(one, f"{place}[{at}]"), f"{place}[{at}]")


def _read_old_turn(turn: Mapping[str, Any], where: str, recorder: Recorder) -> None:
    recorder.user()
    place = f"{where}.expected_tool_use"
    for at, one in enumerate(optional_sequence(turn.get("expected_tool_use"), place)):
        use = mapping(one, f"{place}[{at}]")
        name = text(use.get("tool_name"), f"{place}[{at}].tool_name")
        recorder.answered_call(name, use.get("tool_input"))
    answer = optional_text(turn.get("reference"), f"{where}.reference")
    if answer is not None:
        recorder.turn()
        recorder.text(answer)
