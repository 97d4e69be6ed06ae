"""The two examples about traces are run as a user runs them."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["read_a_trace", "wrap_an_agent"])
def test_an_example_prints_what_it_should(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "examples" / f"{name}.py")],
        capture_output=True,
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    assert done.stderr.decode() == ""
    expected = (ROOT / "tests" / "expected" / f"{name}.txt").read_text(encoding="utf-8")
    assert done.stdout.decode() == expected


def test_the_three_wrapped_agents_record_the_same_run() -> None:
    example = runpy.run_path(str(ROOT / "examples" / "wrap_an_agent.py"))
    for task in example["TASKS"]:
        results = [
            example[f"{name}_agent"](task["input"]) for name in ("openai", "anthropic", "langgraph")
        ]
        for result in results:
            assert result["calls"] == results[0]["calls"]
            assert result["answer"] == task["expected"]
            assert result["status"] == "final"
            failed = [call.error is not None for call in result["calls"]]
            assert failed == [False, task["id"] == "ferns"]
