"""Spans in one shape, wherever they are found: OTLP JSON, span lists, Jaeger, log records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agenteval.traces.errors import TraceFormatError
from agenteval.traces.marks import message_mark, objects_in, refuse_foreign
from agenteval.traces.otel.times import point
from agenteval.traces.otel.values import attributes, value
from agenteval.traces.reading import (
    mapping,
    optional_mapping,
    optional_sequence,
    optional_text,
    plain,
    sequence,
)

__all__ = ["Event", "Span", "is_span", "span_records", "to_span"]

_RESOURCES = ("resourceSpans", "resource_spans", "batches", "resourceLogs", "resource_logs")
_SCOPES = (
    "scopeSpans",
    "scope_spans",
    "instrumentationLibrarySpans",
    "instrumentation_library_spans",
    "scopeLogs",
    "scope_logs",
)
_RECORDS = ("spans", "logRecords", "log_records")
_LISTS = ("data", "spans")
_SPAN_IDS = ("spanId", "span_id", "spanID", "spanContext", "span_context", "context")
_SPAN_TIMES = ("startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time")
_LOG_KEYS = ("body", "eventName", "event_name", "timeUnixNano", "time_unix_nano")
_KNOWN = (*_SPAN_IDS, *_SPAN_TIMES, *_LOG_KEYS, "attributes")


class Event:
    """Something noted on a span: its name, its attributes, and its body where it has one."""

    __slots__ = ("attributes", "body", "name")

    def __init__(self, name: str, attributes: Mapping[str, Any], body: Any) -> None:
        self.name = name
        self.attributes = attributes
        self.body = body


class Span:
    """One span; ``parent`` is its parent's id, ``up`` the parent itself where the trace has it."""

    __slots__ = (
        "attributes",
        "depth",
        "end",
        "events",
        "failed",
        "id",
        "is_log",
        "name",
        "ok",
        "parent",
        "scope",
        "start",
        "trace",
        "up",
        "where",
        "why",
    )

    def __init__(self, where: str) -> None:
        self.where = where
        self.trace = ""
        self.id = ""
        self.parent = ""
        self.name = ""
        self.scope = ""
        self.start: int | float | None = None
        self.end: int | float | None = None
        self.attributes: dict[str, Any] = {}
        self.events: list[Event] = []
        self.failed = False
        self.ok = False
        self.is_log = False
        self.why = ""
        self.up: Span | None = None
        self.depth = -1  # how many spans are above; -1 as long as nobody has counted

    def text(self, *keys: str) -> str | None:
        """Return the first of these attributes that is filled, which must be text."""
        for key in keys:
            found = self.attributes.get(key)
            if found is not None and found != "":
                return optional_text(found, f"{self.where}.attributes[{key!r}]")
        return None


def span_records(trace: Any, where: str) -> Iterator[tuple[Mapping[str, Any], str, str]]:
    """Yield every span and log record of a trace, with the name of its scope and its place.

    Raises:
        TraceFormatError: A container holds something else.
    """
    trace = plain(trace)
    if isinstance(trace, Mapping):
        yield from _in_mapping(trace, where)
        return
    for at, one in enumerate(trace):
        yield from _in_mapping(mapping(one, f"{where}[{at}]"), f"{where}[{at}]")


def is_span(record: Mapping[str, Any]) -> bool:
    """Say whether a record is a span by its keys, in OTLP's, an SDK's or Jaeger's spelling."""
    if "name" not in record and "operationName" not in record:
        return False
    return any(key in record for key in _SPAN_IDS) or (
        any(key in record for key in _SPAN_TIMES) and ("attributes" in record or "tags" in record)
    )


def _in_mapping(
    record: Mapping[str, Any], where: str
) -> Iterator[tuple[Mapping[str, Any], str, str]]:
    if is_span(record):
        _refuse_message(record, where)
        yield record, _scope(record, where), where
        return
    found = [key for key in _RESOURCES if record.get(key) is not None]
    for key in found:
        yield from _in_resources(record[key], f"{where}.{key}")
    if not found:  # Jaeger, or a plain container
        found = [key for key in _LISTS if key in record]
        for key in found:
            for at, one in enumerate(optional_sequence(record[key], f"{where}.{key}")):
                place = f"{where}.{key}[{at}]"
                yield from _in_mapping(mapping(one, place), place)
    if not found:
        refuse_foreign(record, "otel", where)
        raise TraceFormatError(where, "a span, OTLP's 'resourceSpans' or Jaeger's 'data'", record)
    for key in record:
        for at, one in enumerate(objects_in(record[key]) if key not in found else ()):
            _refuse_message(one, f"{where}.{key}[{at}]")


def _refuse_message(record: Mapping[str, Any], where: str) -> None:
    """Raise where a message stands among spans: what it tells would be lost."""
    if "role" in record or message_mark(record) is not None:
        refuse_foreign(record, "otel", where)
        raise TraceFormatError(where, "a span", record, "this is a message: take the mixture apart")


def _in_resources(resources: Any, where: str) -> Iterator[tuple[Mapping[str, Any], str, str]]:
    for at, one in enumerate(sequence(resources, where)):
        place = f"{where}[{at}]"
        resource = mapping(one, place)
        for key in _SCOPES:
            for within, inner in enumerate(optional_sequence(resource.get(key), f"{place}.{key}")):
                yield from _in_scope(inner, f"{place}.{key}[{within}]")


def _in_scope(scope: Any, where: str) -> Iterator[tuple[Mapping[str, Any], str, str]]:
    fields = mapping(scope, where)
    name = _scope(fields, where)
    for key in _RECORDS:
        for at, one in enumerate(optional_sequence(fields.get(key), f"{where}.{key}")):
            place = f"{where}.{key}[{at}]"
            record = mapping(one, place)
            if not any(known in record for known in _KNOWN):
                refuse_foreign(record, "otel", place)
                raise TraceFormatError(place, "a span or a log record", record)
            _refuse_message(record, place)
            yield record, name, place


def _scope(record: Mapping[str, Any], where: str) -> str:
    """Return the name of the instrumentation that made a record."""
    for key in ("scope", "instrumentationLibrary", "instrumentationScope"):
        found = plain(record.get(key))
        if isinstance(found, Mapping):
            return optional_text(found.get("name"), f"{where}.{key}.name") or ""
    return ""


def to_span(record: Mapping[str, Any], scope: str, where: str) -> Span:
    """Return one record as a `Span`; a log record becomes a span that has it as its event.

    Raises:
        TraceFormatError: A field has the wrong kind.
    """
    span = Span(where)
    span.scope = scope
    context = _first(record, "context", "spanContext", "span_context")
    inner = optional_mapping(context, f"{where}.context") or {}
    span.trace = _name(record, inner, where, "traceId", "trace_id", "traceID")
    span.id = _name(record, inner, where, "spanId", "span_id", "spanID")
    span.attributes = attributes(_first(record, "attributes", "tags"), f"{where}.attributes")
    if "body" in record or "eventName" in record or "timeUnixNano" in record:
        span.start = span.end = point(
            _first(record, "timeUnixNano", "observedTimeUnixNano"), f"{where}.timeUnixNano"
        )
        span.events.append(_event(record, where))
        span.attributes = {}
        span.is_log = True
        return span
    span.name = optional_text(_first(record, "name", "operationName"), f"{where}.name") or ""
    span.parent = _parent(record, where)
    span.start = point(
        _first(record, "startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime"),
        f"{where}.startTime",
    )
    span.end = point(
        _first(record, "endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime"),
        f"{where}.endTime",
    )
    if span.end is None and isinstance(record.get("duration"), (int, float)) and span.start:
        span.end = span.start + record["duration"]
    for key in ("events", "span_events", "logs"):
        for at, one in enumerate(optional_sequence(record.get(key), f"{where}.{key}")):
            place = f"{where}.{key}[{at}]"
            span.events.append(_event(mapping(one, place), place))
    _read_status(span, record)
    return span


def _first(record: Mapping[str, Any], *keys: str) -> Any:
    for key in keys:
        found = record.get(key)
        if found is not None:
            return found
    return None


def _name(record: Mapping[str, Any], inner: Mapping[str, Any], where: str, *keys: str) -> str:
    """Return an id as text; SDKs hold it as a number, or in an object beside the span."""
    found = _first(record, *keys)
    if found is None:
        found = _first(inner, *keys)
    if isinstance(found, int):
        return str(found)
    return optional_text(found, f"{where}.{keys[0]}") or ""


def _parent(record: Mapping[str, Any], where: str) -> str:
    keys = ("parentSpanId", "parent_span_id", "parent_id", "parentSpanID", "parentId")
    own = _name(record, {}, where, *keys)
    if own:
        return own
    for key in ("parent", "parentSpanContext"):
        inner = plain(record.get(key))
        if isinstance(inner, Mapping):
            return _name(inner, {}, f"{where}.{key}", "spanId", "span_id")
    for at, one in enumerate(optional_sequence(record.get("references"), f"{where}.references")):
        place = f"{where}.references[{at}]"
        reference = mapping(one, place)
        if reference.get("refType", "CHILD_OF") == "CHILD_OF":
            return _name(reference, {}, place, "spanID", "spanId")
    return ""


def _event(record: Mapping[str, Any], where: str) -> Event:
    found = attributes(_first(record, "attributes", "fields"), f"{where}.attributes")
    name = _first(record, "name", "event_name", "eventName")
    if name is None:
        name = found.get("event.name", found.get("event"))
    return Event(
        optional_text(name, f"{where}.name") or "",
        found,
        value(plain(record.get("body")), f"{where}.body"),
    )


def _read_status(span: Span, record: Mapping[str, Any]) -> None:
    """Note whether a span says that it failed: OTLP's code, an SDK's or Phoenix' word, or tags.

    Phoenix writes the code and the message beside the span's other fields.
    """
    status = record.get("status")
    place = f"{span.where}.status"
    if isinstance(status, (str, int)):
        code: Any = status
        fields: Mapping[str, Any] = {}
    else:
        fields = optional_mapping(status, place) or {}
        code = _first(fields, "code", "status_code", "statusCode")
    if code is None:
        code = _first(record, "status_code", "statusCode")
    if code is None:
        code = span.attributes.get("otel.status_code")
    word = str(getattr(code, "name", code)).upper().removeprefix("STATUS_CODE_")
    word = word.rpartition(".")[2]
    span.failed = word in ("ERROR", "2") or span.attributes.get("error") in (True, "true")
    span.ok = word in ("OK", "1")
    why = _first(fields, "message", "description", "status_message")
    if why is None:
        why = _first(record, "status_message", "statusMessage")
    if why is None:
        why = span.attributes.get("otel.status_description")
    span.why = optional_text(why, f"{place}.message") or ""
