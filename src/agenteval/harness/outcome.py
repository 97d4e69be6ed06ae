"""What a result says about its outcome, checks left aside: the reasons for failing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenteval.harness.text import normalize

__all__ = ["outcome_reasons"]


def outcome_reasons(
    task: Mapping[str, Any], fields: Mapping[str, Any], seconds: float | None
) -> list[str]:
    """Return why a result that `read_result` has read fails its task, checks left aside.

    ``not final``, ``wrong answer``, ``over budget``, ``over cost``, ``over time`` and
    ``forbidden tool: NAME``, in this order.
    """
    reasons = []
    if fields["status"] != "final":
        reasons.append("not final")
    if task["expected"] is not None and not _is_expected(task["expected"], fields["answer"]):
        reasons.append("wrong answer")
    if (most := task.get("max_tool_calls")) is not None and fields["tool_calls"] > most:
        reasons.append("over budget")
    if (most := task.get("max_cost")) is not None and fields["cost"] > most:
        reasons.append("over cost")
    if (most := task.get("max_seconds")) is not None and seconds is not None and seconds > most:
        reasons.append("over time")
    forbidden = task.get("forbidden_tools")
    if forbidden:
        found = set(forbidden).intersection(fields["tools_used"])
        reasons.extend(f"forbidden tool: {name}" for name in sorted(found))
    return reasons


def _is_expected(expected: Any, answer: str | None) -> bool:
    if answer is None:
        return False
    if answer == expected:
        return True
    given = normalize(answer)
    acceptable = expected if isinstance(expected, (list, tuple)) else (expected,)
    return any(normalize(one if isinstance(one, str) else str(one)) == given for one in acceptable)
