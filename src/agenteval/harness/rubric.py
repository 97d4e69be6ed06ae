"""A check made of a judge and a rubric; the library never calls a model itself."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agenteval._messages import cut
from agenteval.harness.amounts import is_number

__all__ = ["rubric_check"]


def rubric_check(
    judge: Callable[..., Any], rubric: Any, *, threshold: float = 0.5, name: str = "rubric"
) -> Callable[[Mapping[str, Any], Mapping[str, Any]], Any]:
    """Make a check that asks `judge` whether an answer meets `rubric`.

    The judge is called as ``judge(rubric=rubric, input=task["input"], answer=answer)``; it may be
    a coroutine function. An answer of None is not judged: it fails.

    Args:
        judge: Returns a bool, a score from 0 to 1 (higher is better), or ``(verdict, why)`` with
            one of these as the verdict.
        rubric: What the judge goes by, handed to it as it is.
        threshold: The lowest score that passes, 0 to 1.
        name: Opens the reasons: ``rubric: score 0.30 is below 0.50``.

    Returns:
        A check for `evaluate`, `run_task` and `grade`; it pickles when the judge does.

    Raises:
        TypeError: `judge` is not callable, or `threshold` is no number.
        ValueError: `threshold` is outside 0 to 1.

    >>> def judge(rubric, input, answer):
    ...     return (0.3, "no apology") if "sorry" not in answer else 1.0
    >>> check = rubric_check(judge, "Apologizes.")
    >>> check({"id": 1, "input": "Where is it?", "expected": None}, {"answer": "Here."})
    'rubric: no apology (score 0.30 is below 0.50)'
    """
    if not callable(judge):
        raise TypeError(
            f"rubric_check: judge must be callable, got {type(judge).__name__} {cut(judge)}"
        )
    if not is_number(threshold):
        raise TypeError(
            "rubric_check: threshold must be a number from 0 to 1, "
            f"got {type(threshold).__name__} {cut(threshold)}"
        )
    if not 0 <= threshold <= 1:
        raise ValueError(
            f"rubric_check: threshold must be a number from 0 to 1, got {cut(threshold)}"
        )
    return _RubricCheck(judge, rubric, threshold, name)


@dataclass(frozen=True)
class _RubricCheck:
    judge: Callable[..., Any]
    rubric: Any
    threshold: float
    name: str

    def __call__(
        self, task: Mapping[str, Any], result: Mapping[str, Any]
    ) -> str | bool | Awaitable[str | bool | None] | None:
        answer = result.get("answer")
        if answer is None:
            return f"{self.name}: no answer to judge"
        verdict = self.judge(rubric=self.rubric, input=task["input"], answer=answer)
        return self._await(verdict) if inspect.isawaitable(verdict) else self._read(verdict)

    async def _await(self, verdict: Awaitable[Any]) -> str | bool | None:
        return self._read(await verdict)

    def _read(self, verdict: Any) -> str | bool | None:
        why = ""
        if isinstance(verdict, (tuple, list)) and len(verdict) == 2:
            verdict, why = verdict[0], str(verdict[1] or "")
        if type(verdict).__name__ in ("bool", "bool_"):  # numpy's too
            if verdict:
                return None
            return f"{self.name}: {why}" if why else False
        if not is_number(verdict):
            raise TypeError(
                f"the judge of {self.name!r} must return a bool, a score from 0 to 1 or "
                f"(verdict, why), got {type(verdict).__name__} {cut(verdict)}"
            )
        if not 0 <= verdict <= 1:
            raise ValueError(
                f"the judge of {self.name!r} must score from 0 to 1, got {cut(verdict)}"
            )
        if verdict >= self.threshold:
            return None
        score = f"score {verdict:.2f} is below {self.threshold:.2f}"
        return f"{self.name}: {why} ({score})" if why else f"{self.name}: {score}"
