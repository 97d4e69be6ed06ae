"""Damaged traces: whatever is dropped, doubled, moved or of another kind, nothing goes unnoticed.

Thousands of seeded mutations of the hand-made cases, over all formats. An importer may read a
damaged trace or refuse it with `TraceFormatError`; no other exception escapes, the input stays as
it is, and a result that says it is final holds an answer.
"""

from __future__ import annotations

import contextlib
import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import agenteval.traces as traces

DATA = Path(__file__).parent / "data"
IMPORTERS = {
    "adk_evalset": "from_adk",
    "anthropic": "from_anthropic",
    "bedrock_converse": "from_bedrock",
    "benchmark_runs": "from_openai_chat",
    "gemini": "from_gemini",
    "inspect_log": "from_inspect",
    "langchain": "from_langchain",
    "mcp_tools": "from_mcp",
    "openai_chat": "from_openai_chat",
    "openai_responses": "from_openai_responses",
    "otel_genai": "from_otel",
    "vercel_ai": "from_vercel_ai",
}
FILES = sorted(path.stem for path in DATA.glob("*.json"))
MUTATIONS_PER_FILE = 300
OTHER_KINDS = (
    *(None, True, 0, -1, 1.5, "", "x", "{", "[]"),
    *([], {}, [[]], [None], {"type": "x"}, {"x": None}),
)


def places(node: Any) -> list[tuple[Any, Any]]:
    """Every node of parsed JSON but the root, as its container and its key there."""
    found: list[tuple[Any, Any]] = []
    waiting = [node]
    while waiting:
        container = waiting.pop()
        keys = container if isinstance(container, dict) else range(len(container))
        for key in keys:
            found.append((container, key))
            if isinstance(container[key], (dict, list)):
                waiting.append(container[key])
    return found


def mutate(trace: Any, rng: random.Random) -> Any:
    """Return a copy of the trace with one to three of its nodes damaged."""
    whole = {"trace": copy.deepcopy(trace)}
    for _ in range(rng.randint(1, 3)):
        container, key = rng.choice(places(whole))
        node = container[key]
        way = rng.choice(["drop", "double", "retype", "reorder", "swap", "rename"])
        if way == "drop" and container is not whole:
            del container[key]
        elif way == "double" and isinstance(container, list):
            container.insert(rng.randint(0, len(container)), copy.deepcopy(node))
        elif way == "reorder" and isinstance(node, list):
            rng.shuffle(node)
        elif way == "swap":
            other, there = rng.choice(places(whole))
            container[key] = copy.deepcopy(other[there])
        elif way == "rename" and isinstance(container, dict) and container is not whole:
            container[f"{key}_"] = container.pop(key)
        else:
            container[key] = copy.deepcopy(rng.choice(OTHER_KINDS))
    return whole["trace"]


def read(importer: str, trace: Any) -> str:
    """Read a trace, hold the result to what every result has to keep, and say how it went."""
    before = copy.deepcopy(trace)
    try:
        result = getattr(traces, importer)(trace)
    except traces.TraceFormatError as error:
        return str(error)
    finally:
        assert trace == before
    answer = result["answer"]
    assert answer is None or isinstance(answer, str)
    assert result["status"] != "final" or (answer is not None and answer.strip())
    assert result["tool_calls"] == len(result["calls"])
    json.dumps(result["trace"])
    for call in result["calls"]:
        assert isinstance(call.name, str)
        assert isinstance(call.args, dict)
        assert call.error is None or (isinstance(call.error, str) and call.error)
    return result["status"]


@pytest.mark.parametrize("file", FILES)
def test_damage_is_read_or_refused(file: str) -> None:
    cases = json.loads((DATA / f"{file}.json").read_text(encoding="utf-8"))["cases"]
    rng = random.Random(file)
    outcomes = set()
    for _ in range(MUTATIONS_PER_FILE):
        trace = mutate(rng.choice(cases)["trace"], rng)
        for importer in (IMPORTERS[file], "from_trace"):
            with told_on_failure(importer, trace):
                outcomes.add(read(importer, trace))
    assert {"final", "incomplete"} & outcomes, "most damage leaves something to read"
    assert len(outcomes) > 20, "and there are many ways to refuse the rest"


@contextlib.contextmanager
def told_on_failure(importer: str, trace: Any) -> Iterator[None]:
    """Name the trace that an importer stumbled over."""
    try:
        yield
    except Exception as error:
        raise AssertionError(f"{importer} on {json.dumps(trace)}") from error


@pytest.mark.parametrize("file", FILES)
def test_an_importer_refuses_or_survives_the_other_formats(file: str) -> None:
    cases = json.loads((DATA / f"{file}.json").read_text(encoding="utf-8"))["cases"]
    for case in cases:
        for importer in set(IMPORTERS.values()):
            if hasattr(traces, importer):
                read(importer, case["trace"])
