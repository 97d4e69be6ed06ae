"""Spans in every container: values, times, ids and events as exporters spell them."""

from __future__ import annotations

import base64
import json
import random
from typing import Any

import pytest

from agenteval.traces import TraceFormatError
from agenteval.traces.otel import from_otel, looks_like
from agenteval.traces.otel.times import point
from agenteval.traces.otel.values import attributes, from_json, value

ENCODED = base64.b64encode("naïve".encode()).decode()


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        pytest.param({"stringValue": "x"}, "x", id="text"),
        pytest.param({"intValue": "40"}, 40, id="a whole number as text"),
        pytest.param({"intValue": 40}, 40, id="a whole number"),
        pytest.param({"doubleValue": 1.5}, 1.5, id="a number"),
        pytest.param({"doubleValue": "-1e3"}, -1000.0, id="a number as text"),
        pytest.param({"doubleValue": "Infinity"}, float("inf"), id="infinity"),
        pytest.param({"boolValue": False}, False, id="false"),
        pytest.param({"bytesValue": ENCODED}, "naïve", id="bytes that are text"),
        pytest.param({"bytesValue": "/w=="}, "/w==", id="bytes that are none"),
        pytest.param({"bytesValue": "?"}, "?", id="bytes that are not base64"),
        pytest.param({"arrayValue": {}}, [], id="an empty array"),
        pytest.param(
            {"arrayValue": {"values": [{"intValue": "1"}, {"stringValue": "x"}, {}]}},
            [1, "x", None],
            id="an array, its last value not set",
        ),
        pytest.param({"kvlistValue": {}}, {}, id="an empty object"),
        pytest.param(
            {"kvlistValue": {"values": [{"key": "a", "value": {"arrayValue": {"values": []}}}]}},
            {"a": []},
            id="an object",
        ),
        pytest.param({"string_value": "x"}, "x", id="snake case"),
        pytest.param({"array_value": {"values": [{"int_value": "1"}]}}, [1], id="snake case array"),
        pytest.param("x", "x", id="a plain value"),
        pytest.param({"a": 1, "b": 2}, {"a": 1, "b": 2}, id="a plain object"),
        pytest.param({"other": 1}, {"other": 1}, id="a plain object of one key"),
        pytest.param(None, None, id="nothing"),
    ],
)
def test_values_of_every_kind(raw: Any, wanted: Any) -> None:
    assert value(raw, "here") == wanted
    assert attributes([{"key": "k", "value": raw}], "here") == {"k": wanted}
    assert attributes({"k": raw}, "here") == {"k": wanted}


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        pytest.param([{"key": "k", "value": {}}], {"k": None}, id="an attribute"),
        pytest.param([{"key": "k"}], {"k": None}, id="no value"),
        pytest.param(
            [{"key": "k", "value": {"kvlistValue": {"values": [{"key": "n", "value": {}}]}}}],
            {"k": {"n": None}},
            id="inside an object",
        ),
        pytest.param({"k": {}}, {"k": {}}, id="a plain object has no such kind"),
    ],
)
def test_an_empty_value_of_otlp_is_none(raw: Any, wanted: Any) -> None:
    assert attributes(raw, "here") == wanted


@pytest.mark.parametrize(
    ("raw", "match"),
    [
        pytest.param({"intValue": "x"}, "here.intValue: expected a number, got str 'x'", id="int"),
        pytest.param({"doubleValue": ""}, "here.doubleValue: expected a number", id="double"),
        pytest.param({"arrayValue": 7}, "here.arrayValue: expected an object", id="array"),
        pytest.param({"arrayValue": {"values": 7}}, "values: expected a list", id="array values"),
        pytest.param({"kvlistValue": {"values": [7]}}, r"\[0\]: expected an object", id="pair"),
        pytest.param(
            {"kvlistValue": {"values": [{}]}}, "key: expected text, got None", id="no key"
        ),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused(raw: Any, match: str) -> None:
    with pytest.raises(TraceFormatError, match=match):
        value(raw, "here")


def test_a_value_nested_without_end_is_refused() -> None:
    deep: Any = {"stringValue": "x"}
    for _ in range(500):
        deep = {"arrayValue": {"values": [deep]}}
    with pytest.raises(TraceFormatError, match="at most 100 levels of nesting"):
        value(deep, "here")


def test_attributes_may_be_missing() -> None:
    assert attributes(None, "here") == {}
    with pytest.raises(TraceFormatError, match="here: expected a list, got int 7"):
        attributes(7, "here")


def test_json_is_parsed_where_there_is_any() -> None:
    assert from_json('{"a": 1}') == {"a": 1}
    assert from_json([1]) == [1]
    for broken in ('{"a": ', "[" * 100_000):
        with pytest.raises(ValueError, match=r"Expecting value|nested too deep"):
            from_json(broken)


SECOND = 1_000_000_000


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        pytest.param(1750000000030000000, 1750000000030000000, id="nanoseconds"),
        pytest.param("1750000000030000000", 1750000000030000000, id="nanoseconds as text"),
        pytest.param(1750000000.03, 1750000000.03, id="seconds"),
        pytest.param("1750000000.03", 1750000000.03, id="seconds as text"),
        pytest.param("1.75e9", 1.75e9, id="a large number"),
        pytest.param("-5", -5, id="before the epoch"),
        pytest.param([1750000000, 30000000], 1750000000030000000, id="JavaScript's pair"),
        pytest.param("1970-01-01T00:00:01Z", SECOND, id="ISO"),
        pytest.param("1970-01-01T00:00:01.5z", SECOND * 3 // 2, id="ISO with a fraction"),
        pytest.param("1970-01-01 00:00:01,000000001", SECOND + 1, id="ISO with nanoseconds"),
        pytest.param("1970-01-01T00:00:01.0000000019", SECOND + 1, id="ISO, more than nanoseconds"),
        pytest.param("1970-01-01T01:00:01+01:00", SECOND, id="ISO with a zone"),
        pytest.param("1969-12-31T23:00:01-0100", SECOND, id="ISO with a zone without a colon"),
        pytest.param(None, None, id="nothing"),
        pytest.param("", None, id="no text"),
        pytest.param(0, None, id="protobuf's time that is not set"),
        pytest.param("0", 0, id="zero as text"),
    ],
)
def test_points_in_time(raw: Any, wanted: Any) -> None:
    assert point(raw, "here") == wanted


@pytest.mark.parametrize(
    "raw",
    ["soon", "2025-13-01T00:00:00Z", "2025-06-15", True, float("nan"), [1], [1, "2"], {}, "٣"],
)
def test_what_is_no_point_in_time_is_refused(raw: Any) -> None:
    with pytest.raises(
        TraceFormatError, match="here: expected a point in time: a number or an ISO"
    ):
        point(raw, "here")


# One run in every container

CALLS = [("f", {"n": 1}, None), ("g", {"n": [2]}, "late"), ("h", {}, None)]


def otlp_value(plain: Any) -> dict[str, Any]:
    if isinstance(plain, dict):
        pairs = [{"key": key, "value": otlp_value(one)} for key, one in plain.items()]
        return {"kvlistValue": {"values": pairs}}
    if isinstance(plain, list):
        return {"arrayValue": {"values": [otlp_value(one) for one in plain]}}
    if isinstance(plain, int):
        return {"intValue": str(plain)}
    return {"stringValue": plain}


def pairs(plain: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": otlp_value(one)} for key, one in plain.items()]


def attributes_of(at: int) -> dict[str, Any]:
    name, args, error = CALLS[at]
    found: dict[str, Any] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.arguments": args,
    }
    return found if error is None else {**found, "error.type": "E"}


def otlp_span(at: int, snake: bool = False) -> dict[str, Any]:
    keys = ("trace_id", "span_id", "parent_span_id", "start_time_unix_nano", "end_time_unix_nano")
    if not snake:
        keys = ("traceId", "spanId", "parentSpanId", "startTimeUnixNano", "endTimeUnixNano")
    found = dict(zip(keys, ("t", str(at), "", str(10 + at), str(20 + at)), strict=True))
    error = CALLS[at][2]
    status = {"code": 2, "message": error} if error else {}
    return {
        **found,
        "name": "execute_tool",
        "attributes": pairs(attributes_of(at)),
        "status": status,
    }


def otlp(*spans: Any, keys: tuple[str, str] = ("resourceSpans", "scopeSpans")) -> dict[str, Any]:
    return {keys[0]: [{"resource": {}, keys[1]: [{"scope": {"name": "x"}, "spans": list(spans)}]}]}


def sdk_span(at: int, **times: Any) -> dict[str, Any]:
    error = CALLS[at][2]
    return {
        "name": "execute_tool",
        "context": {"trace_id": "0xt", "span_id": f"0x{at}"},
        "parent_id": None,
        "attributes": attributes_of(at),
        "status": {"status_code": "ERROR", "description": error}
        if error
        else {"status_code": "UNSET"},
        **times,
    }


def iso(at: int) -> dict[str, str]:
    return {"start_time": f"2025-06-15T15:06:40.{at}Z", "end_time": f"2025-06-15T15:06:41.{at}Z"}


def js_span(at: int) -> dict[str, Any]:
    error = CALLS[at][2]
    return {
        "name": "execute_tool",
        "spanContext": {"traceId": "t", "spanId": str(at)},
        "startTime": [1750000000, at],
        "endTime": [1750000001, at],
        "attributes": attributes_of(at),
        "status": {"code": 2, "message": error} if error else {"code": 0},
    }


def jaeger_span(at: int) -> dict[str, Any]:
    error = CALLS[at][2]
    tags: list[dict[str, Any]] = [
        {"key": key, "type": "string", "value": one if isinstance(one, str) else json.dumps(one)}
        for key, one in attributes_of(at).items()
    ]
    if error:
        tags.append({"key": "error", "type": "bool", "value": True})
    logs = [{"key": "event", "value": "exception"}, {"key": "exception.message", "value": error}]
    return {
        "traceID": "t",
        "spanID": str(at),
        "operationName": "execute_tool",
        "references": [{"refType": "FOLLOWS_FROM", "spanID": "9"}] * at,
        "startTime": 1750000000000000 + at,
        "duration": 5,
        "tags": tags,
        "logs": [{"timestamp": 1, "fields": logs}] if error else [],
    }


ORDERS = (2, 0, 1)
LINES = "\n".join(json.dumps(otlp(otlp_span(at))) for at in ORDERS)


@pytest.mark.parametrize(
    "trace",
    [
        pytest.param(otlp(*map(otlp_span, ORDERS)), id="OTLP JSON"),
        pytest.param([otlp(otlp_span(at)) for at in ORDERS], id="a list of OTLP objects"),
        pytest.param(
            otlp(
                *(otlp_span(at, snake=True) for at in ORDERS),
                keys=("resource_spans", "scope_spans"),
            ),
            id="OTLP in snake case",
        ),
        pytest.param(
            otlp(*map(otlp_span, ORDERS), keys=("batches", "instrumentationLibrarySpans")),
            id="Tempo's batches, older scopes",
        ),
        pytest.param(f"{LINES}\n", id="OTLP lines"),
        pytest.param(f"{LINES}\n\n", id="OTLP lines with a blank one"),
        pytest.param(LINES.replace("\n", "\r\n"), id="OTLP lines from Windows"),
        pytest.param([sdk_span(at, **iso(at)) for at in ORDERS], id="Python SDK, ISO dates"),
        pytest.param({"spans": [sdk_span(at, **iso(at)) for at in ORDERS]}, id="spans in a dict"),
        pytest.param(
            "\n".join(json.dumps(sdk_span(at, start_time=at + 1)) for at in ORDERS) + "\n",
            id="lines of spans",
        ),
        pytest.param(
            [sdk_span(at, start_time=at + 0.5, end_time=at + 1) for at in ORDERS], id="seconds"
        ),
        pytest.param([sdk_span(at, end_time=at + 1) for at in ORDERS], id="only ends"),
        pytest.param([sdk_span(at) for at in range(3)], id="no times: the dump's order"),
        pytest.param(list(map(js_span, ORDERS)), id="JavaScript SDK"),
        pytest.param(
            {"data": [{"traceID": "t", "spans": list(map(jaeger_span, ORDERS))}]}, id="Jaeger"
        ),
        pytest.param([{"spans": list(map(jaeger_span, ORDERS))}], id="a list of Jaeger's traces"),
    ],
)
def test_one_run_in_every_container(trace: Any) -> None:
    result = from_otel(trace)
    assert [(call.name, call.args, call.error) for call in result["calls"]] == CALLS
    assert result["trace"]["unanswered"] == 0
    assert looks_like(trace)


def test_one_span_alone_is_a_trace() -> None:
    assert from_otel(otlp_span(0))["tool_calls"] == 1
    assert looks_like(otlp_span(0))


def test_objects_of_an_sdk_are_read() -> None:
    class Dumped:
        def __init__(self, fields: dict[str, Any]) -> None:
            self.fields = fields

        def model_dump(self) -> dict[str, Any]:
            return self.fields

    assert from_otel([Dumped(sdk_span(0))])["tool_calls"] == 1


@pytest.mark.parametrize(
    ("keys", "parent"),
    [
        pytest.param({"parentSpanId": "1"}, "1", id="OTLP"),
        pytest.param({"parent_id": "1"}, "1", id="Python SDK"),
        pytest.param({"parent": {"span_id": "1"}}, "1", id="an object"),
        pytest.param({"parentSpanContext": {"spanId": "1"}}, "1", id="JavaScript SDK"),
        pytest.param({"references": [{"refType": "CHILD_OF", "spanID": "1"}]}, "1", id="Jaeger"),
    ],
)
def test_parents_are_found_in_every_spelling(keys: Any, parent: str) -> None:
    inner = {**otlp_span(0), "spanId": "2", "parentSpanId": None, **keys}
    outer = {**otlp_span(0), "spanId": parent}
    for one in (inner, outer):
        one["attributes"] = [*one["attributes"], *pairs({"mcp.method.name": "tools/call"})]
    assert from_otel([inner, outer])["tool_calls"] == 1


def test_a_span_without_times_takes_its_parent_s() -> None:
    lost = sdk_span(2)
    lost["parent_id"] = "0x0"
    spans = [lost, sdk_span(0, start_time=5, end_time=9), sdk_span(1, start_time=7, end_time=8)]
    assert [call.name for call in from_otel(spans)["calls"]] == ["f", "h", "g"]


def test_the_finished_copy_of_a_span_wins() -> None:
    begun = otlp_span(0)
    del begun["endTimeUnixNano"]
    begun["attributes"] = pairs({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "x"})
    for order in ([begun, otlp_span(0)], [otlp_span(0), begun]):
        assert [call.name for call in from_otel([*order, otlp_span(1)])["calls"]] == ["f", "g"]


def log(body: Any, **fields: Any) -> dict[str, Any]:
    return {"timeUnixNano": "99", "traceId": "t", "spanId": "7", "body": otlp_value(body), **fields}


CHOICE = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hi."}}


@pytest.mark.parametrize(
    "with_span", [pytest.param(True, id="of a span"), pytest.param(False, id="alone")]
)
@pytest.mark.parametrize(
    "record",
    [
        pytest.param(log(CHOICE, eventName="gen_ai.choice"), id="by its event name"),
        pytest.param(
            log(CHOICE, attributes=pairs({"event.name": "gen_ai.choice"})), id="by an attribute"
        ),
    ],
)
def test_log_records_are_events_of_their_span(record: Any, with_span: bool) -> None:
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}
    model = {**otlp_span(0), "spanId": "7", "attributes": pairs({"gen_ai.operation.name": "chat"})}
    trace = [logs, otlp(model)] if with_span else logs
    result = from_otel(trace)
    assert (result["status"], result["answer"], result["calls"]) == ("final", "Hi.", [])
    assert looks_like(trace)


def without_trace(record: dict[str, Any]) -> dict[str, Any]:
    bare = {key: value for key, value in record.items() if key not in ("traceId", "spanId")}
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": [bare]}]}]}


def test_a_log_record_that_names_no_trace_is_no_case() -> None:
    logs = without_trace(log({}, eventName="gen_ai.choice"))
    said = without_trace(log(CHOICE, eventName="gen_ai.choice", timeUnixNano="9000"))
    one, other = ({**otlp_span(0), "traceId": name, "spanId": name} for name in ("ab", "cd"))
    for record in (one, other):
        record["attributes"] = pairs({**attributes_of(0), "gen_ai.tool.call.arguments": "{}"})
    assert "cases" not in from_otel([logs, otlp(one)])["trace"]
    assert from_otel([said, otlp(one)])["answer"] == "Hi."
    both = from_otel([said, otlp(one), otlp(other)])
    assert both["trace"]["cases"] == ["ab", "cd"]
    assert (both["answer"], len(both["calls"])) == ("Hi.", 2)
    assert from_otel([said, otlp(one), otlp(other)], case=1)["answer"] is None


@pytest.mark.parametrize(
    ("record", "shown"),
    [
        pytest.param(log({}, eventName="app.started"), "log record app.started", id="another's"),
        pytest.param(log("a line"), "log record", id="a line"),
    ],
)
def test_log_records_alone_are_called_so(record: Any, shown: str) -> None:
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}
    with pytest.raises(TraceFormatError, match=rf"{shown}.*these are log records: pass the spans"):
        from_otel(logs)


def test_the_order_of_spans_in_a_dump_does_not_matter() -> None:
    rng = random.Random(11)
    spans = [
        {
            **otlp_span(0),
            "spanId": str(at + 1),
            "parentSpanId": str(rng.randrange(at + 1)),
            "startTimeUnixNano": str(100 + at),
            "attributes": pairs({**attributes_of(0), "gen_ai.tool.call.arguments": {"n": at}}),
        }
        for at in range(40)
    ]
    for _ in range(20):
        rng.shuffle(spans)
        assert [call.args["n"] for call in from_otel(spans)["calls"]] == list(range(40))
