"""OpenTelemetry: spans of agents, models and tools, in every container and convention in use.

Calls are the tool spans, and what models asked for where no tool span shows it; errors are the
spans' own (``error.type``, status ERROR, an exception event).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenteval.records import AgentResult
from agenteval.traces.errors import TraceFormatError
from agenteval.traces.marks import CERTAIN, NO, Likeness, objects_in
from agenteval.traces.otel.order import in_order
from agenteval.traces.otel.run import tell
from agenteval.traces.otel.spans import Span, is_span, span_records
from agenteval.traces.otel.told import Told, read_spans
from agenteval.traces.reading import choose_cases, opened
from agenteval.traces.recorder import FINAL, INCOMPLETE, IsError, Recorder

__all__ = ["FORMAT", "from_otel", "looks_like"]

FORMAT = "otel"

_WANTED = "spans: OTLP JSON or lines of it, a list of spans, or Jaeger's JSON"
_LINE_MARKS = ('"resourceSpans"', '"resourceLogs"', '"spanId"', '"span_id"')
_KEYS = ("resourceSpans", "resource_spans", "resourceLogs", "batches", "scopeSpans")


def looks_like(trace: Any) -> Likeness:
    """Say how much a trace looks like spans; text may be lines of OTLP JSON."""
    if isinstance(trace, str):
        first = trace.lstrip().partition("\n")[0].rstrip() if _has_lines(trace) else ""
        return CERTAIN if any(mark in first for mark in _LINE_MARKS) else NO
    if isinstance(trace, Mapping):
        if _is_container(trace) or is_span(trace):
            return CERTAIN
        data = [*objects_in(trace.get("spans")), *objects_in(trace.get("data"))]
    else:
        data = list(objects_in(trace))
    return CERTAIN if any(_is_container(one) or is_span(one) for one in data) else NO


def _is_container(record: Mapping[str, Any]) -> bool:
    return any(key in record for key in _KEYS) or any(
        is_span(one) for one in objects_in(record.get("spans"))
    )


def from_otel(
    trace: Any, *, is_error: IsError | None = None, case: str | int | None = None
) -> AgentResult:
    """Read spans: which tools the agent called, in the order they began, and what it answered.

    Args:
        trace: OTLP JSON (``resourceSpans``), the lines of a collector's file as text, a list of
            spans as an SDK dumps them, or Jaeger's JSON. The conventions of OpenTelemetry GenAI,
            OpenInference, Traceloop, Pydantic AI, Google ADK, Vercel's AI SDK and MCP are known.
        is_error: A predicate on a result's text that says whether the tool failed, for those that
            fail without their span saying so.
        case: The id or the position of the one trace to read, of several in the dump. Without it
            all are read as one run: some setups give each step a trace of its own.

    Returns:
        `AgentResult` with ``status``, ``answer``, ``tool_calls``, ``tools_used``, ``calls`` and
        ``trace``. A call seen more than once, as a tool span and in messages, counts once, also
        where its ids differ but its turn, its name and its arguments are the same. Calls
        are in the order in which their tools' spans began; of calls that a model asked for in one
        turn, one without a span follows the one asked for before it. A finish reason of a model
        counts also where the agent's span repeats the model's answer without it. A call
        whose arguments were not recorded has ``{"_raw": "not recorded (...)"}``: they are unknown,
        which is not the same as none; ``trace["unrecorded_arguments"]`` counts these, and
        ``trace["unread_messages"]`` the lists of messages that an exporter cut in the middle, and
        ``trace["unrecorded_calls"]`` the turns that ended in calls of which no span holds anything:
        with one of these a run is at best ``"incomplete"``.

    Raises:
        TraceFormatError: It holds no spans, none of an agent, a model or a tool, or a field has
            the wrong kind.
        ValueError: No trace in the dump is called `case`.

    >>> result = from_otel(
    ...     [
    ...         {
    ...             "name": "execute_tool reserve",
    ...             "span_id": "a1",
    ...             "start_time": 10,
    ...             "end_time": 20,
    ...             "attributes": {
    ...                 "gen_ai.operation.name": "execute_tool",
    ...                 "gen_ai.tool.name": "reserve",
    ...                 "gen_ai.tool.call.arguments": '{"shelf": 12}',
    ...                 "error.type": "TimeoutError",
    ...             },
    ...         }
    ...     ]
    ... )
    >>> result["calls"]
    [Call(name='reserve', args={'shelf': 12}, error='TimeoutError')]
    """
    records = _lines(trace) if isinstance(trace, str) else opened(trace, "from_otel", _WANTED)
    recorder = Recorder(FORMAT, is_error=is_error)
    try:
        spans = in_order(span_records(records, "from_otel: "))
        if not spans:
            raise TraceFormatError("from_otel", _WANTED, trace, "it holds no spans")
        told = read_spans(spans)
        traces, stray = _by_trace(spans, told)
        if len(traces) > 1:
            recorder.cases([name for name, _ in traces])
        chosen = choose_cases(traces, case, "from_otel")
        run = [span for _, several in chosen for span in several]
        run += stray if len(chosen) == len(traces) else []
        if not any(map(told.says_anything, run)):
            raise TraceFormatError(
                "from_otel",
                "a call, or something that a model or an agent says",
                _shown(run),
                "they tell of neither: was the recording of content switched off?",
            )
        unseen = tell(told, run, recorder)
    except RecursionError:
        raise TraceFormatError("from_otel", _WANTED, trace, "it is nested too deep") from None
    result = recorder.finish()
    if unseen.calls and result["status"] == FINAL:
        result["status"] = INCOMPLETE
    result["trace"]["unrecorded_arguments"] = unseen.arguments
    result["trace"]["unread_messages"] = unseen.messages
    result["trace"]["unrecorded_calls"] = unseen.calls
    return result


def _lines(trace: str) -> list[Any]:
    """Parse JSON lines: one object a line, as the collector's file exporter writes them."""
    if not _has_lines(trace):
        raise TraceFormatError(
            "from_otel", _WANTED, trace, "this is text: parse it first, for example with json.loads"
        )
    import json  # here, because importing agenteval must stay quick

    found = []
    for number, line in enumerate(trace.split("\n"), 1):
        if line.strip():
            try:
                found.append(json.loads(line))
            except (ValueError, RecursionError):
                raise TraceFormatError(f"from_otel: line {number}", "a JSON object", line) from None
    return found


def _has_lines(trace: str) -> bool:
    return "\n" in trace


def _by_trace(spans: list[Span], told: Told) -> tuple[list[tuple[str, list[Span]]], list[Span]]:
    """Return the traces that have to do with agents, each with its id, and stray log records.

    Those name no trace and stand beside traces: they are of the run, but of which trace is unknown.
    """
    traces: dict[str, list[Span]] = {}
    for span in spans:
        traces.setdefault(span.trace, []).append(span)
    found = [(name, several) for name, several in traces.items() if any(map(told.has, several))]
    if not found:
        hint = (
            "none has the attributes of OpenTelemetry GenAI, OpenInference, Traceloop, "
            "Pydantic AI, Google ADK or MCP"
        )
        if all(span.is_log for span in spans):
            hint = "these are log records: pass the spans, or both in one list"
        raise TraceFormatError(
            "from_otel", "a span of a tool, a model or an agent", _shown(spans), hint
        )
    named = [one for one in found if one[0] or not all(span.is_log for span in one[1])]
    stray = [span for one in found if one not in named for span in one[1]]
    return (named, stray) if named else (found, [])


def _shown(spans: list[Span]) -> list[str]:
    """Return the names of spans, and of log records those of what was logged."""
    return [f"log record {span.events[0].name}" if span.is_log else span.name for span in spans]
