"""The options of an evaluation, checked before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from agenteval._messages import cut

__all__ = ["checked_agent", "checked_checks"]


def checked_agent(agent: Any, caller: str) -> Callable[[Any], Any]:
    """Return `agent` when it can be called."""
    if not callable(agent):
        raise TypeError(
            f"{caller}: agent must be a callable agent(input), "
            f"got {type(agent).__name__} {cut(agent)}"
        )
    return agent  # type: ignore[no-any-return] # callable() narrows Any to nothing better


def checked_checks(checks: Any, caller: str) -> tuple[Callable[..., Any], ...]:
    """Return `checks` as a tuple of callables."""
    if isinstance(checks, (str, bytes, Mapping)) or not isinstance(checks, Iterable):
        hint = "; wrap one check in a list" if callable(checks) else ""
        raise TypeError(
            f"{caller}: checks must be a list of callables check(task, result), "
            f"got {type(checks).__name__} {cut(checks)}{hint}"
        )
    listed = tuple(checks)
    for position, check in enumerate(listed):
        if not callable(check):
            raise TypeError(
                f"{caller}: checks[{position}] must be a callable check(task, result), "
                f"got {type(check).__name__} {cut(check)}"
            )
    return listed
