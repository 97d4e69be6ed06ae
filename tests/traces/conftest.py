"""Shared by the tests of the importers: the hand-made cases, and how a result is held to them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parent / "data"


def _cases(name: str) -> list[dict[str, Any]]:
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))["cases"]


def _without_blanks(value: str | None) -> str | None:
    return None if value is None else "".join(value.split())


def _hold(result: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    """Hold an importer's result to a case's ``expected``.

    How text parts are joined is free. Where the case has no arguments but the raw text, the
    importer keeps that as ``{"_raw": text}`` and says what is wrong as the call's error, unless the
    result has an error of its own. Text that was encoded twice is decoded. A failed result without
    a text still gives an error.
    """
    trace = result["trace"]
    assert [call.name for call in result["calls"]] == [call["name"] for call in expected["calls"]]
    for at, (call, wanted) in enumerate(zip(result["calls"], expected["calls"], strict=True)):
        raw = wanted.get("raw")
        if wanted["args"] is not None:
            assert call.args == wanted["args"]
            if wanted["error"]:
                assert _without_blanks(call.error) == _without_blanks(wanted["error"])
            else:
                assert (call.error is None) == (wanted["error"] is None)
        elif "double-encoded" in wanted.get("note", ""):
            assert call.args == json.loads(json.loads(raw))
        else:
            assert call.args == {"_raw": raw}
            assert call.error
            if wanted["error"]:
                assert call.error == wanted["error"]
        assert (at in trace["unanswered_calls"]) == (wanted.get("answered") is False)
    assert _without_blanks(result["answer"]) == _without_blanks(expected["final"])
    assert trace["hosted"] == expected.get("hosted", [])
    assert trace["unpaired_results"] == 0
    assert trace["calls"] == result["tool_calls"] == len(result["calls"])
    assert trace["unanswered"] == len(trace["unanswered_calls"])
    json.dumps(trace)


@pytest.fixture
def cases() -> Callable[[str], list[dict[str, Any]]]:
    """The hand-made cases of a file in ``data``."""
    return _cases


@pytest.fixture
def hold() -> Callable[[Mapping[str, Any], Mapping[str, Any]], None]:
    """Hold an importer's result to a case's ``expected``."""
    return _hold
