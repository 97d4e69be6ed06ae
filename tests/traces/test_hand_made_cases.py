"""Every hand-made case comes out as it says, by the named importer and by `from_trace`."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import agenteval.traces as traces

DATA = Path(__file__).parent / "data"
IMPORTERS = {
    "anthropic": ("from_anthropic", "anthropic"),
    "bedrock_converse": ("from_bedrock", "bedrock"),
    "benchmark_runs": ("from_openai_chat", "openai_chat"),
    "openai_chat": ("from_openai_chat", "openai_chat"),
    "openai_responses": ("from_openai_responses", "openai_responses"),
    "vercel_ai": ("from_vercel_ai", "vercel_ai"),
}
CASES = [
    pytest.param(file, case, id=f"{file}-{case['name']}")
    for file in IMPORTERS
    for case in json.loads((DATA / f"{file}.json").read_text(encoding="utf-8"))["cases"]
]


@pytest.mark.parametrize(("file", "case"), CASES)
def test_a_case_comes_out_as_it_says(
    file: str, case: dict[str, Any], hold: Callable[..., None]
) -> None:
    importer, format_name = IMPORTERS[file]
    before = copy.deepcopy(case["trace"])
    result = getattr(traces, importer)(case["trace"])
    hold(result, case["expected"])
    assert result["trace"]["format"] == format_name
    assert case["trace"] == before


@pytest.mark.parametrize(("file", "case"), CASES)
def test_from_trace_gives_the_same(file: str, case: dict[str, Any]) -> None:
    importer, _ = IMPORTERS[file]
    assert traces.from_trace(case["trace"]) == getattr(traces, importer)(case["trace"])


@pytest.mark.parametrize(("file", "case"), CASES)
def test_a_result_is_ready_for_json_but_for_its_calls(file: str, case: dict[str, Any]) -> None:
    result = dict(getattr(traces, IMPORTERS[file][0])(case["trace"]))
    calls = result.pop("calls")
    assert json.loads(json.dumps(result)) == result
    for call in calls:
        assert json.loads(json.dumps(dict(call.args))) == call.args


def test_each_result_goes_to_its_call(cases: Callable[[str], list[dict[str, Any]]]) -> None:
    """``results`` of a case is the result text by call; is_error sees and keeps exactly that."""
    checked = 0
    for file in IMPORTERS:
        for case in cases(file):
            wanted = case["expected"].get("results")
            if wanted is not None:
                read = getattr(traces, IMPORTERS[file][0])
                result = read(case["trace"], is_error=lambda text: True)
                assert [call.error for call in result["calls"]] == wanted
                checked += 1
    assert checked == 3


def test_a_rule_finds_the_errors_that_the_format_does_not_tell(
    cases: Callable[[str], list[dict[str, Any]]],
) -> None:
    case = next(case for case in cases("openai_chat") if case["name"] == "error_text_and_retry")
    result = traces.from_openai_chat(case["trace"], is_error=lambda text: text.startswith("Error"))
    assert [call.error for call in result["calls"]] == case["expected"][
        "errors_with_rule_starts_with_Error"
    ]
