"""The items of an OpenAI Response as the events of a stream bring them.

A stream that ends as it should has the whole response in its last event, and nothing else of it is
needed. One that broke off has items that are whole (``response.output_item.done``) and others that
were only begun (``response.output_item.added``), of which the pieces so far are put together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenteval.traces.errors import TraceFormatError
from agenteval.traces.reading import identifier, mapping, optional_text

__all__ = ["Stream"]

_ADDED = "response.output_item.added"
_DONE = "response.output_item.done"
_PIECES = {  # events with a piece of an item, or all of it, and the field that it belongs to
    "response.function_call_arguments": "arguments",
    "response.mcp_call_arguments": "arguments",
    "response.custom_tool_call_input": "input",
    "response.output_text": "text",
    "response.refusal": "refusal",
}
_MESSAGE = {"type": "message", "role": "assistant"}
_PARTS = {"text": "output_text", "refusal": "refusal"}


class _Begun:
    """An item, and what came of its one field that is streamed."""

    __slots__ = ("field", "item", "pieces", "place")

    def __init__(self, item: Mapping[str, Any] | None, place: str) -> None:
        self.item = item
        self.place = place
        self.field = ""
        self.pieces: list[str] = []

    def whole(self) -> Mapping[str, Any]:
        said = "".join(self.pieces)
        if self.item is None:
            hint = f"keep the events {_ADDED!r}, which have the names"
            raise TraceFormatError(self.place, "a piece of a call that was begun", said, hint)
        if not said:
            return self.item
        if self.field in _PARTS:
            part = {"type": _PARTS[self.field], self.field: said}
            return {**self.item, "content": [part]}
        return {**self.item, self.field: said}


class Stream:
    """Collects the items of one response."""

    def __init__(self) -> None:
        self._items: list[_Begun] = []
        self._open: dict[str | int, _Begun] = {}

    def clear(self) -> None:
        """Forget the items: another event has them all, or they have been taken."""
        self._items = []
        self._open = {}

    def take(self) -> list[tuple[Mapping[str, Any], str]]:
        """Return the items so far with their places, and forget them.

        Raises:
            TraceFormatError: There are pieces of a call whose beginning, with its name, is missing.
        """
        found = [(begun.whole(), begun.place) for begun in self._items]
        self.clear()
        return found

    def note(self, kind: str, event: Mapping[str, Any], where: str) -> None:
        """Note what an event says of an item; others say nothing that is needed.

        Raises:
            TraceFormatError: An event has the wrong kind of field.
        """
        if kind in (_ADDED, _DONE):
            place = f"{where}.item"
            self._item(kind, event, mapping(event.get("item"), place), place)
            return
        name, _, stage = kind.rpartition(".")
        field = _PIECES.get(name)
        if field is not None and stage in ("delta", "done"):
            begun = self._begun(event, field, where)
            key = "delta" if stage == "delta" else field
            said = optional_text(event.get(key), f"{where}.{key}") or ""
            if stage == "done" or begun.field != field:
                begun.pieces = []
            begun.field = field
            begun.pieces.append(said)

    def _item(
        self, kind: str, event: Mapping[str, Any], item: Mapping[str, Any], where: str
    ) -> None:
        keys = _keys(event, item, where)
        begun = next((self._open[key] for key in keys if key in self._open), None)
        if kind == _ADDED:
            begun = _Begun(item, where)
            self._items.append(begun)
            self._open.update(dict.fromkeys(keys, begun))
        elif begun is None:
            self._items.append(_Begun(item, where))
        else:
            begun.item, begun.place, begun.pieces = item, where, []
            for key in keys:
                self._open.pop(key, None)

    def _begun(self, event: Mapping[str, Any], field: str, where: str) -> _Begun:
        keys = _keys(event, {}, where)
        for key in keys:
            if key in self._open:
                return self._open[key]
        if not keys and self._items:
            return self._items[-1]
        begun = _Begun(_MESSAGE if field in _PARTS else None, where)
        self._items.append(begun)
        self._open.update(dict.fromkeys(keys, begun))
        return begun


def _keys(event: Mapping[str, Any], item: Mapping[str, Any], where: str) -> list[str | int]:
    """Return what tells an event's item from others: its position or its id, or both."""
    at = event.get("output_index")
    own = identifier(event.get("item_id") or item.get("id"), f"{where}.item_id")
    keys: list[str | int] = [at] if isinstance(at, int) else []
    return keys if own is None else [*keys, f"id {own}"]
