"""Tools that are no tools: a model "calls" them to give its answer a structure.

Pydantic AI offers the model an output tool for each type of answer, and takes the arguments for
the answer; an output function, which makes the answer of them, has a span like a tool's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from agenteval.traces.otel.said import Said
from agenteval.traces.otel.spans import Span
from agenteval.traces.otel.talk import Talk
from agenteval.traces.otel.tool_marks import is_output_function
from agenteval.traces.otel.values import from_json_or
from agenteval.traces.reading import json_text

__all__ = ["take_answers"]

_USUAL = "final_result"  # several types of answer have its name and theirs
_OFFERED = "model_request_parameters"


def take_answers(spans: Iterable[Span], talks: Mapping[Span, Talk]) -> set[str | int]:
    """Turn calls of output tools, in what was said, into the answers that they are.

    Args:
        spans: All of them: some tell which tools are output tools.
        talks: What the spans of models and agents say; changed in place.

    Returns:
        The ids of such calls, whose results are no tool's.
    """
    names: dict[str, set[str]] = {}
    usual: set[str] = set()
    for span in spans:
        found = names.setdefault(span.trace, set())
        if is_output_function(span):
            found.add(span.text("gen_ai.tool.name") or "")
        found.update(_offered(span.attributes.get(_OFFERED)))
        if span.attributes.get(_USUAL) is not None:
            usual.add(span.trace)
    ids: set[str | int] = set()
    for span, talk in talks.items():
        for said in (*talk.inputs, *talk.outputs):
            if said.calls:
                _take(said, names[span.trace], span.trace in usual, ids)
    return ids


def _offered(raw: Any) -> Iterable[str]:
    """Return the names of the output tools among the parameters of a request."""
    if isinstance(raw, str) and '"output_tools"' not in raw:
        return
    parameters = from_json_or(raw, None)
    tools = parameters.get("output_tools") if isinstance(parameters, Mapping) else None
    for tool in tools if isinstance(tools, list) else ():
        name = tool.get("name") if isinstance(tool, Mapping) else None
        if isinstance(name, str):
            yield name


def _take(said: Said, names: set[str], usual: bool, ids: set[str | int]) -> None:
    calls = []
    for asked in said.calls:
        if asked.name in names or (usual and _is_usual(asked.name)):
            said.texts = [json_text(asked.arguments)]
            said.is_answer = True
            said.finish = None  # that calls follow is what it says, and none does
            if asked.id is not None:
                ids.add(asked.id)
        else:
            calls.append(asked)
    said.calls = calls


def _is_usual(name: str) -> bool:
    return name == _USUAL or name.startswith(f"{_USUAL}_")
