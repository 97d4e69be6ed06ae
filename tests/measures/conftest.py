"""Runs for the tests of measures, with only what a test is about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def run() -> Callable[..., dict[str, Any]]:
    """A run that passed, unless the test says otherwise."""

    def make(task: str | int = "a", repeat: int = 0, **given: Any) -> dict[str, Any]:
        whole = {
            "id": task,
            "repeat": repeat,
            "passed": True,
            "reasons": [],
            "status": "final",
            "answer": "done",
            "tool_calls": None,
            "tools_used": None,
            "seconds": 1.0,
        }
        return {**whole, **given}

    return make


@pytest.fixture
def calls() -> Callable[[str], list[dict[str, Any]]]:
    """Calls from a line such as ``"look! look pay"``: a ``!`` marks one that failed."""

    def make(line: str) -> list[dict[str, Any]]:
        return [
            {
                "name": word.rstrip("!"),
                "args": {"order": 7},
                "error": "timeout" if word.endswith("!") else None,
            }
            for word in line.split()
        ]

    return make
