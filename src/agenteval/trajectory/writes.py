"""Which tools change the world, and which of a run's writes were one too many."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from agenteval._messages import cut
from agenteval.records import WriteTools
from agenteval.trajectory.calls import Call, is_plain

__all__ = ["WRITE_TOOLS", "alike", "repeated_writes", "write_names"]

WRITE_TOOLS = frozenset({"create_claim", "issue_refund", "send_message", "cancel_order"})
"""The write tools of one example, a refund desk. **They are not yours**: a run of other tools is
never checked for duplicate writes until you pass your own ``write_tools=``. A server that speaks
MCP knows its own, see `write_tools_from_mcp`."""


def write_names(
    write_tools: WriteTools, calls: Iterable[Call], where: str
) -> frozenset[str] | set[str]:
    """Return the names of the write tools, of a predicate those among the tools of `calls`.

    Raises:
        TypeError: `write_tools` is neither a collection of names nor a predicate; a single text is
            a collection of letters, so it is refused.
    """
    if isinstance(write_tools, (frozenset, set)):
        return write_tools
    if isinstance(write_tools, Collection) and not isinstance(write_tools, (str, bytes)):
        names = list(write_tools)
        if all(isinstance(name, str) for name in names):
            return frozenset(names)
    elif callable(write_tools):
        return {name for name in {call.name for call in calls} if write_tools(name)}
    raise TypeError(
        f"{where}: write_tools must be a collection of tool names or a predicate on a name, "
        f"got {type(write_tools).__name__} {cut(write_tools)}; pass a set of names"
    )


_Item = TypeVar("_Item")


def alike(items: Iterable[tuple[Call, _Item]]) -> list[list[_Item]]:
    """Group items whose calls are the same."""
    keyed: dict[object, list[_Item]] = {}
    others: list[tuple[str, Mapping[str, Any], list[_Item]]] = []
    for call, item in items:
        if is_plain(call.args):
            keyed.setdefault(call.key(), []).append(item)
            continue
        for name, args, group in others:  # no key that can be trusted: compare one by one
            if name == call.name and args == call.args:
                group.append(item)
                break
        else:
            others.append((call.name, call.args, [item]))
    return [*keyed.values(), *(group for _, _, group in others)]


def repeated_writes(
    calls: Sequence[Call], writing: Collection[str], standing: Collection[int]
) -> set[int]:
    """Return the positions of the writes that were repeated.

    A write that reported an error did not happen. Of equal writes that answered as many are
    allowed as calls like them stand for reference steps, and one at least; the calls that stand
    for a step are never the duplicates, and of the others the last ones are.

    Args:
        calls: The run's calls.
        writing: The names of the write tools.
        standing: The positions of the calls that stand for a reference step.
    """
    found: set[int] = set()
    writes = ((call, place) for place, call in enumerate(calls) if call.name in writing)
    for places in alike(writes):
        answered = [place for place in places if calls[place].error is None]
        excess = len(answered) - max(1, sum(place in standing for place in places))
        if excess > 0:
            found.update([place for place in answered if place not in standing][-excess:])
    return found
