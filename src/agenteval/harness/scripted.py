"""An agent that plays a script, for tests of evaluations."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

from agenteval._messages import cut
from agenteval.harness.repeat import current_repeat

__all__ = ["scripted_agent"]


def scripted_agent(script: Mapping[Any, Any]) -> Callable[[Any], Any]:
    """Make an agent that answers each input as `script` says, whatever runs beside it.

    Args:
        script: Maps an input to a result, to an exception (or exception class) to raise, or to a
            list of these, one a repeat. Inside an evaluation the run's own repeat chooses from the
            list, so several workers change nothing; called directly, each call takes the next.

    Returns:
        The agent; it pickles when the script does. Every result is a fresh copy.

    Raises:
        TypeError: `script` is not a mapping. The agent itself raises LookupError for an input that
            is not in the script and for a repeat beyond its list.

    >>> agent = scripted_agent({
    ...     "2 + 3": {"status": "final", "answer": "5", "tool_calls": 0, "tools_used": []},
    ...     "1 / 0": ZeroDivisionError("division by zero"),
    ... })
    >>> agent("2 + 3")["answer"]
    '5'
    >>> agent("1 / 0")
    Traceback (most recent call last):
    ...
    ZeroDivisionError: division by zero
    """
    if not isinstance(script, Mapping):
        raise TypeError(
            "scripted_agent: script must map inputs to results, "
            f"got {type(script).__name__} {cut(script)}"
        )
    return _ScriptedAgent(script)


class _ScriptedAgent:
    __slots__ = ("_calls", "_script")

    def __init__(self, script: Mapping[Any, Any]) -> None:
        self._script = dict(script)
        self._calls: dict[Any, int] = {}

    def __call__(self, given: Any) -> Any:
        try:
            entry = self._script[given]
        except KeyError:
            raise LookupError(
                f"scripted_agent: no entry for the input {cut(given)}; "
                f"the script has {cut(list(self._script))}"
            ) from None
        if isinstance(entry, list):
            entry = self._of_repeat(entry, given)
        if isinstance(entry, BaseException) or (
            isinstance(entry, type) and issubclass(entry, BaseException)
        ):
            raise entry if isinstance(entry, type) else _fresh(entry)
        return copy.deepcopy(entry)

    def _of_repeat(self, entries: list[Any], given: Any) -> Any:
        repeat = current_repeat.get(None)
        if repeat is None:
            repeat = self._calls[given] = self._calls.get(given, -1) + 1
        if repeat >= len(entries):
            raise LookupError(
                f"scripted_agent: the input {cut(given)} has {len(entries)} entries, "
                f"one a repeat, and repeat {repeat} (from 0) was asked for"
            )
        return entries[repeat]


def _fresh(error: BaseException) -> BaseException:
    """Return a copy, because an exception gathers the traces that it was raised in.

    One whose constructor wants other arguments than it keeps cannot be copied: then itself.
    """
    try:
        return copy.copy(error)
    except Exception:  # noqa: BLE001 - whatever its constructor raises
        return error.with_traceback(None)
