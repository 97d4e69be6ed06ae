"""The two examples of comparing: the comparison shows both changes, and the gate can fail."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_comparison_shows_the_task_fixed_and_the_task_broken(
    capsys: pytest.CaptureFixture[str],
) -> None:
    load("compare_two_versions").main()
    printed = capsys.readouterr().out
    assert "pass rate 0.77 -> 0.77" in printed
    # 23 of 30 runs passed on both sides; 5 of 5 to 0 of 5 are 2 of 252 ways to deal 5 passes out.
    lines = [line.split() for line in printed.splitlines()]
    assert ["1.00", "->", "0.00", "p", "0.0079", "wrong-size"] in lines
    assert ["0.00", "->", "1.00", "p", "0.0079", "return-window"] in lines
    assert ["k=5", "0.67", "0.67"] in lines
    assert ["5", "repeats", "91%"] in lines


def test_the_gate_of_the_example_passes_with_its_agent() -> None:
    load("test_gate").test_what_passed_before_passes_now()


def test_the_gate_of_the_example_fails_with_a_worse_agent() -> None:
    gate = load("test_gate")
    good = gate.agent
    gate.agent = lambda question: good(question.replace("broken", "damaged"))
    with pytest.raises(AssertionError, match=r"1 of 4 tasks .*\n  'damaged': 1.00 .* 0.00 \(0 of"):
        gate.test_what_passed_before_passes_now()


def test_the_gate_of_the_example_fails_when_a_task_is_dropped() -> None:
    gate = load("test_gate")
    gate.TASKS = [task for task in gate.TASKS if task["id"] != "wrong-size"]
    with pytest.raises(AssertionError, match=r"1 of 4 tasks passed before and was not run now:\n "):
        gate.test_what_passed_before_passes_now()
