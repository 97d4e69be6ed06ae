"""Shared by the tests of the run log."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


@pytest.fixture
def make_tasks():
    def make(*ids, **more):
        return [{"id": task, "input": "question", "expected": "yes", **more} for task in ids]

    return make


@pytest.fixture
def make_run():
    def make(task, repeat=0, **more):
        return {
            "id": task,
            "repeat": repeat,
            "passed": True,
            "reasons": [],
            "status": "final",
            "answer": "yes",
            "tool_calls": 0,
            "tools_used": [],
            "seconds": 0.25,
            **more,
        }

    return make
