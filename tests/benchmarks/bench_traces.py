"""How long reading a trace takes, beside parsing its JSON, which comes before it anyway.

Run it with ``python tests/benchmarks/bench_traces.py``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from timing import Row, medians, show

from agenteval import traces

MESSAGES = 100_000
ARGUMENTS = {"order_id": "88120", "reason": "damaged", "items": [{"sku": "A1", "count": 2}]}


def chat(messages: int) -> list[dict[str, Any]]:
    """Half of the messages make a call, the other half answer it; the last one answers the user."""
    trace: list[dict[str, Any]] = []
    for turn in range(messages // 2):
        function = {"name": f"tool_{turn % 20}", "arguments": json.dumps(ARGUMENTS)}
        call = {"id": f"call_{turn}", "type": "function", "function": function}
        trace.append({"role": "assistant", "content": None, "tool_calls": [call]})
        trace.append({"role": "tool", "tool_call_id": f"call_{turn}", "content": "ok, order 881"})
    return [*trace, {"role": "assistant", "content": "Done."}]


def responses(messages: int) -> list[dict[str, Any]]:
    """The same run as Responses items."""
    trace: list[dict[str, Any]] = []
    for turn in range(messages // 2):
        call_id, name, arguments = f"call_{turn}", f"tool_{turn % 20}", json.dumps(ARGUMENTS)
        call = {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments}
        trace.append(call)
        trace.append({"type": "function_call_output", "call_id": call_id, "output": "ok"})
    return [*trace, {"role": "assistant", "content": "Done."}]


def anthropic(messages: int) -> list[dict[str, Any]]:
    """The same run as Anthropic messages."""
    trace: list[dict[str, Any]] = []
    for turn in range(messages // 2):
        use_id, name = f"toolu_{turn}", f"tool_{turn % 20}"
        call = {"type": "tool_use", "id": use_id, "name": name, "input": ARGUMENTS}
        result = {"type": "tool_result", "tool_use_id": use_id, "content": "ok, order 881"}
        trace.append({"role": "assistant", "content": [call]})
        trace.append({"role": "user", "content": [result]})
    return [*trace, {"role": "assistant", "content": "Done."}]


def rows() -> Iterator[Row]:
    """Yield one row a format, and what recognizing the format adds."""
    for name, make, read in (
        ("openai_chat", chat, traces.from_openai_chat),
        ("openai_responses", responses, traces.from_openai_responses),
        ("anthropic", anthropic, traces.from_anthropic),
    ):
        trace = make(MESSAGES)
        text = json.dumps(trace)
        ours, recognized, floor = medians(
            lambda read=read, trace=trace: read(trace),
            lambda trace=trace: traces.from_trace(trace),
            lambda text=text: json.loads(text),
            rounds=5,
            scale=1.0,
        )
        yield Row(f"read {MESSAGES:,} messages, {name}", ours, "s", floor, "seconds")
        yield Row(f"the same by from_trace, {name}", recognized, "s", floor, "seconds")
    small = chat(20)
    (one,) = medians(lambda: traces.from_openai_chat(small), number=500)
    yield Row("read a chat of 10 calls", one, "us")


if __name__ == "__main__":
    show(rows())
