"""What a LangGraph stream shows twice: a message's later copy takes the place of the earlier.

The state keeps one message of each id, and a node that returns a message of an id that is there
replaces it: an edited call, a reply taken back, a supervisor that returns the whole history. But
some recorders give several messages the same id, so the id alone does not tell, and no call that
was made may get lost. Of two messages of one kind and id that differ, the later is

- a copy, where it is an AI message that makes a call of the same id: it takes the earlier's place;
- a copy, where the earlier is an AI message without calls: it stays where it came, and the earlier
  goes;
- a copy, where both are results of the same call: it takes the earlier's place;
- another message in every other case.

Only the latest message of an id is looked at, so reading stays linear.

A list that repeats what is known may begin with what is not, such as the question that a subgraph
was asked: that happened before what follows it in the list, and is put there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agenteval.traces.langchain_calls import made_calls
from agenteval.traces.langchain_shapes import Message

__all__ = ["drop_copies"]


def drop_copies(messages: Sequence[Message]) -> list[Message]:
    """Return the messages of a stream, of each its latest copy alone.

    Args:
        messages: Whole messages in the order of the stream; see the module for the rule.

    Raises:
        TraceFormatError: A call of a message whose id comes again has the wrong kind.
    """
    kept: list[_Kept] = []
    latest: dict[tuple[Any, ...], _Kept] = {}
    added: list[_Kept] = []  # of the list at hand, since the last message that was known
    listed = None
    for message in messages:
        if message.listed != listed:
            listed = message.listed
            added = []
        key = _key(message)
        known = None if key is None else latest.get(key)
        if known is not None and _is_copy(known, message):
            for one in added:
                one.order = (known.order[0], -1, one.order[0])
            added = []
            continue
        one = _Kept(message, (len(kept), 0, 0))
        kept.append(one)
        added.append(one)
        if key is not None:
            latest[key] = one
    kept.sort(key=lambda one: one.order)
    return [one.message for one in kept if one.message is not None]


class _Kept:
    """A message that is kept, unless a later copy took it out, and where in the order."""

    __slots__ = ("message", "order")

    def __init__(self, message: Message, order: tuple[int, int, int]) -> None:
        self.message: Message | None = message
        self.order = order


def _is_copy(known: _Kept, later: Message) -> bool:
    """Say whether a message adds none to a known one, which it replaces where it differs."""
    earlier = known.message
    if earlier is None:
        return False
    if earlier.fields == later.fields:
        return True
    if _takes_place(earlier, later):
        known.message = later
        return True
    if later.kind == "ai" and not made_calls(earlier.fields, earlier.where):
        known.message = None
    return False


def _key(message: Message) -> tuple[Any, ...] | None:
    """Return what copies of a message share; ``None`` where nothing can tell them."""
    if message.id is None or message.kind == "remove":
        return None
    if message.kind == "tool":
        call_id = message.fields.get("tool_call_id")
        return (message.kind, message.id, call_id if isinstance(call_id, (str, int)) else None)
    return (message.kind, message.id)


def _takes_place(earlier: Message, later: Message) -> bool:
    if later.kind != "ai":
        return later.kind == "tool"
    return not _ids(earlier).isdisjoint(_ids(later))


def _ids(message: Message) -> set[str | int]:
    calls = made_calls(message.fields, message.where)
    return {call.id for call in calls if call.id is not None}
