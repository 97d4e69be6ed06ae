"""Which tools change the world, and which of a run's writes were one too many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from agenteval._messages import cut
from agenteval.records import WriteTools
from agenteval.trajectory.calls import Call, is_plain
from agenteval.trajectory.stored import run_args

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
            a collection of letters, and a mapping that says more than names may say which of them
            do not write.
        ValueError: The predicate raised.
    """
    if write_tools is WRITE_TOOLS:
        return WRITE_TOOLS
    if (
        isinstance(write_tools, Collection)
        and not isinstance(write_tools, (str, bytes))
        and not _says_more(write_tools)
    ):
        for name in write_tools:
            if not isinstance(name, str):
                raise TypeError(
                    f"{where}: write_tools must be names of tools, "
                    f"got {type(name).__name__} {cut(name)} in {cut(write_tools)}"
                )
        if isinstance(write_tools, (frozenset, set)):
            return write_tools
        return frozenset(write_tools)
    if callable(write_tools):
        return {name for name in {call.name for call in calls} if _says(write_tools, name, where)}
    mcp = ", or write_tools_from_mcp(tools)" if isinstance(write_tools, Mapping) else ""
    raise TypeError(
        f"{where}: write_tools must be a collection of tool names or a predicate on a name, "
        f"got {type(write_tools).__name__} {cut(write_tools)}; pass a set of names{mcp}"
    )


def _says_more(names: Collection[object]) -> bool:
    """Say whether a mapping is no mere collection of names, as an MCP server's answer is none."""
    return isinstance(names, Mapping) and any(
        value is False or isinstance(value, (Mapping, list, tuple)) for value in names.values()
    )


def _says(predicate: Callable[[str], bool], name: str, where: str) -> bool:
    try:
        return bool(predicate(name))
    except Exception as error:
        raise ValueError(
            f"{where}: write_tools raised {type(error).__name__} for the tool {cut(name)}: {error}"
        ) from error


_Item = TypeVar("_Item")


def _same(one: Call, other: Call, where: str) -> bool:
    if one.name != other.name:
        return False
    try:
        return one == other
    except Exception as error:
        raise ValueError(
            f"{where}: the == of an argument raised {type(error).__name__} when two calls of the "
            f"tool {cut(one.name)} were compared: {error}"
        ) from error


def alike(items: Iterable[tuple[Call, _Item]], where: str) -> list[list[_Item]]:
    """Group items whose calls are the same.

    Raises:
        ValueError: Two calls cannot be compared, as an argument's ``==`` raised; `where` begins
            the message.
    """
    keyed: dict[object, list[_Item]] = {}
    groups: list[tuple[Call, list[_Item]]] = []
    odd = False  # whether there is a call without a key that can be trusted
    for call, item in items:
        plain = is_plain(call.args)
        key = call.key() if plain else None
        group = keyed.get(key) if plain else None
        if group is None and (odd or not plain):  # compare one by one
            group = next((group for first, group in groups if _same(first, call, where)), None)
        if group is None:
            group = []
            groups.append((call, group))
        group.append(item)
        if plain:
            keyed[key] = group
        else:
            odd = True
    return [group for _, group in groups]


class _OwnRepeats:
    """How many steps of a reference ask for the very arguments of a call."""

    def __init__(self, steps: Iterable[Collection[Call]], where: str) -> None:
        self._where = where
        self._plain: Counter[object] = Counter()
        self._plain_steps: list[Collection[Call]] = []
        self._others: list[list[Call]] = []
        for step in steps:
            if all(is_plain(call.args) for call in step):
                self._plain.update({call.key() for call in step})
                self._plain_steps.append(step)
            else:
                self._others.append(list(step))

    def of(self, made: Call) -> int:
        """Return how many there are; what an object equals beside itself does not count."""
        if is_plain(made.args):
            found = self._plain[made.key()]
        else:
            found = sum(self._asks_for(step, made) for step in self._plain_steps)
        return found + sum(self._asks_for(step, made) for step in self._others)

    def _asks_for(self, step: Iterable[Call], made: Call) -> bool:
        return any(
            _same(call, made, self._where)
            and (is_plain(call.args) or run_args(call.args) == run_args(made.args))
            for call in step
        )


def repeated_writes(
    calls: Sequence[Call],
    writing: Collection[str],
    standing: Collection[int],
    steps: Iterable[Collection[Call]],
    where: str,
) -> set[int]:
    """Return the positions of the writes that were repeated.

    A write that reported an error did not happen. Of equal writes that answered as many are
    allowed as the reference has steps with the same arguments, and one at least. The rule that the
    arguments are matched by does not count, nor does an object that equals anything: neither must
    let one claim be filed twice in the place of two. Of the writes the last are the duplicates,
    those that stand for no step first.

    Args:
        calls: The run's calls.
        writing: The names of the write tools.
        standing: The positions of the calls that stand for a reference step.
        steps: For each reference step the calls that may take it.
        where: What begins the message when an ``==`` raises.
    """
    found: set[int] = set()
    own: _OwnRepeats | None = None
    writes = ((call, place) for place, call in enumerate(calls) if call.name in writing)
    for places in alike(writes, where):
        answered = [place for place in places if calls[place].error is None]
        if len(answered) < 2:
            continue
        own = own or _OwnRepeats(steps, where)
        excess = len(answered) - max(1, own.of(calls[places[0]]))
        if excess > 0:
            answered.sort(key=lambda place: place not in standing)  # stable: the last stay last
            found.update(answered[-excess:])
    return found
