"""Run items of the OpenAI Agents SDK: a wrapper each around a Responses item.

The Python SDK calls what it wraps ``raw_item``, the one for JavaScript ``rawItem``; the latter's
items have camelCase names inside, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agenteval.traces.reading import either, json_text, plain

__all__ = ["new_items", "raw_item", "repeated_approvals"]

_APPROVAL = "tool_approval_item"


def new_items(result: Mapping[str, Any]) -> tuple[str, Any] | None:
    """Return the key and the list of the items that a run made; ``None`` where there is neither."""
    return next(((key, result[key]) for key in ("new_items", "newItems") if key in result), None)


def raw_item(item: Mapping[str, Any]) -> Any:
    """Return what a run item wraps; ``None`` where the item is none."""
    return either(item, "rawItem", "raw_item")


def repeated_approvals(items: Sequence[Any]) -> frozenset[int]:
    """Return the positions of the requests to approve a call that another item shows.

    The SDK lists a call that waits for a person twice, as the call and as the request, with the
    same item inside; where the call itself is missing, the first request stands for it.
    """
    approvals = []
    shown = set()
    for at, item in enumerate(map(plain, items)):
        raw = plain(raw_item(item)) if isinstance(item, Mapping) else None
        if not isinstance(raw, Mapping):
            continue
        own = either(raw, "callId", "call_id")
        own = raw.get("id") if own is None else own
        key = json_text([raw.get("name"), raw.get("arguments")] if own is None else own)
        if item.get("type") == _APPROVAL:
            approvals.append((at, key))
        elif not str(raw.get("type")).endswith(("_output", "_result")):
            shown.add(key)
    repeated = []
    for at, key in approvals:
        if key in shown:
            repeated.append(at)
        shown.add(key)
    return frozenset(repeated)
