"""A short text that tells whether a task is still the same task."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

from agenteval._messages import cut
from agenteval.runlog.encoding import sorted_text
from agenteval.runlog.plain import PlainValues, is_plain

__all__ = ["fingerprint"]

_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")


def fingerprint(task: Mapping[str, Any]) -> str:
    """Return 32 hex digits that change when the task's content does.

    Everything but the id counts, ``metadata`` and own keys too: a check is handed the whole task
    and may decide by any of it. The order of keys does not count, nor whether a list is a tuple or
    a call of the reference a `Call` or a dict. Objects count by their ``repr`` without memory
    addresses, dataclasses by their fields, sets by their members, functions by their name.

    >>> fingerprint({"id": 1, "input": "x", "expected": ["y"]})
    '416e58eecb37fe4adf24da628268745b'
    """
    from hashlib import blake2b  # here, because only a log needs it

    content = {name: value for name, value in task.items() if name != "id"}
    if "reference" in content:
        content["reference"] = _steps(content["reference"])
    if "references" in content and isinstance(content["references"], (list, tuple)):
        content["references"] = [_steps(steps) for steps in content["references"]]
    if not is_plain(content):
        content = _CANONICAL.convert(content)
    return blake2b(sorted_text(content).encode("ascii"), digest_size=16).hexdigest()


def _steps(steps: Any) -> Any:
    return [_step(step) for step in steps] if isinstance(steps, (list, tuple)) else steps


def _step(step: Any) -> Any:
    """Return a reference step in one form, whether it is a call object or a dict, short or full."""
    if not isinstance(step, Mapping):
        try:
            step = {"name": step.name, "args": step.args, "error": step.error}
        except AttributeError:
            return step
    whole = {**step, "args": step.get("args") or {}}
    if whole.get("error") is None:
        whole.pop("error", None)
    return whole


class _Canonical(PlainValues):
    """Equal content gives equal JSON, in every process."""

    def items(self, pairs: list[list[Any]]) -> list[list[Any]]:
        return sorted(pairs, key=sorted_text)

    def other(self, value: Any, again: Callable[[Any], Any]) -> Any:
        if isinstance(value, (set, frozenset)):
            return {"__set__": sorted(map(again, value), key=sorted_text)}
        fields = getattr(type(value), "__dataclass_fields__", None)
        if fields is not None:
            held = {name: again(getattr(value, name, None)) for name in fields}
            return {"__object__": type(value).__qualname__, "fields": held}
        return super().other(value, again)

    def shown(self, value: Any) -> str:
        return _ADDRESS.sub("", cut(value, sys.maxsize))


_CANONICAL = _Canonical()
