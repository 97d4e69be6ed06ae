"""What the four numbers about a path come to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenteval._messages import cut
from agenteval.records import Mode, Verdict
from agenteval.trajectory.matching import check_mode

__all__ = ["check_limits", "trajectory_verdict"]

_NOT_COVERED: dict[str, str] = {
    "exact": "the calls are not exactly those of the reference",
    "in_order": "a required call is missing",
    "any_order": "a required call is missing",
    "unordered": "the calls are not those of the reference, in any order",
    "subset": "a call is not in the reference, or not as often",
}


def trajectory_verdict(
    scores: Mapping[str, Any],
    *,
    mode: Mode = "in_order",
    min_argument_accuracy: float = 0.9,
    max_extra_steps: int = 4,
) -> tuple[Verdict, str]:
    """Answer what the four numbers come to, and why: the first fault that holds.

    Any duplicate write fails, whatever the other three numbers say.

    Args:
        scores: What `score_trajectory` returned.
        mode: The mode that the scores were made with. It only words a failed coverage truly: where
            a call too many fails as well, nobody can say that one is missing.
        min_argument_accuracy: Below it the path fails; 0 to 1.
        max_extra_steps: Above it the path gets a warning.

    Returns:
        ``("pass", "")``, or ``"warn"`` or ``"fail"`` with the reason.

    Raises:
        TypeError: A limit is no number.
        ValueError: `scores` lacks one of the four or has no number for it, `mode` is unknown, or
            `min_argument_accuracy` is not within 0 to 1.

    >>> trajectory_verdict({"coverage": True, "argument_accuracy": 0.8, "extra_steps": 1,
    ...                     "duplicate_writes": 0})
    ('fail', 'argument accuracy 0.80')
    """
    check_mode(mode, "trajectory_verdict")
    check_limits(min_argument_accuracy, max_extra_steps, "trajectory_verdict")
    names = ("coverage", "argument_accuracy", "extra_steps", "duplicate_writes")
    if not isinstance(scores, Mapping):
        raise TypeError(
            "trajectory_verdict: scores must be what score_trajectory returns, "
            f"got {type(scores).__name__} {cut(scores)}"
        )
    if not all(_is_score(scores.get(name)) for name in names):
        raise ValueError(
            "trajectory_verdict: scores must be what score_trajectory returns, with a value for "
            f"each of {', '.join(names)}; got {cut(scores)}"
        )
    if scores["duplicate_writes"] > 0:
        return "fail", "a write tool ran twice with identical arguments"
    if not scores["coverage"]:
        return "fail", _NOT_COVERED[mode]
    accuracy = scores["argument_accuracy"]
    if accuracy < min_argument_accuracy:
        return "fail", f"argument accuracy {_below(accuracy, min_argument_accuracy)}"
    extra = scores["extra_steps"]
    if isinstance(extra, float) and extra.is_integer():  # as a table with empty cells has it
        extra = int(extra)
    if extra > max_extra_steps:
        return "warn", f"{extra} step{'s' if extra != 1 else ''} above the reference"
    return "pass", ""


def _is_score(value: object) -> bool:
    """Say whether a score was measured: NaN is what a table makes of an unknown one."""
    return isinstance(value, (int, float)) and value == value


def _below(accuracy: float, limit: float) -> str:
    """Return `accuracy` with two digits, or as many as show that it is below `limit`."""
    for digits in range(2, 18):
        text = f"{accuracy:.{digits}f}"
        if float(text) < limit:
            return text
    return repr(accuracy)


def check_limits(min_argument_accuracy: object, max_extra_steps: object, where: str) -> None:
    """Raise when a limit of a verdict is no number or out of its range; `where` is the caller.

    Raises:
        TypeError: A limit is no number.
        ValueError: One is NaN, or `min_argument_accuracy` is not within 0 to 1.
    """
    limits = {"min_argument_accuracy": min_argument_accuracy, "max_extra_steps": max_extra_steps}
    for name, limit in limits.items():
        if isinstance(limit, bool) or not isinstance(limit, (int, float)):
            raise TypeError(
                f"{where}: {name} must be a number, got {type(limit).__name__} {cut(limit)}"
            )
    if max_extra_steps != max_extra_steps:
        raise ValueError(
            f"{where}: max_extra_steps must be a number, got nan; pass math.inf for no limit"
        )
    if not 0 <= min_argument_accuracy <= 1:  # type: ignore[operator]  # a number by now
        raise ValueError(
            f"{where}: min_argument_accuracy must be a share from 0 to 1, "
            f"got {min_argument_accuracy!r}"
        )
