"""Which call that a model asked for is behind each tool span."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Mapping

from agenteval.traces.otel.conversations import Conversation
from agenteval.traces.otel.sightings import Sighting
from agenteval.traces.otel.spans import Span
from agenteval.traces.otel.tools import UNRECORDED, Tool
from agenteval.traces.otel.values import canonical

__all__ = ["match"]


class _Open:
    """Sightings that no tool span has been matched with, by what they can be found by."""

    def __init__(self, found: Iterable[Sighting], whose: Mapping[Span, Conversation]) -> None:
        self._whose = whose
        self._elsewhere = (None,) if len({one.trace for one in whose.values()}) > 1 else ()
        self._by: dict[Hashable, deque[Sighting]] = {}
        for sighting in found:
            asked = sighting.asked
            keys: list[tuple[Hashable, ...]] = [("any", asked.name, asked.same())]
            if asked.id is None:
                keys += [("no id", *keys[0][1:]), ("no id", asked.name)]
            else:
                keys += [("id", asked.id, asked.name), ("id", asked.id)]
            keys.append(("any", asked.name))
            for scope in self._scopes(sighting.span):
                for key in keys:
                    waiting = self._by.get((scope, key))
                    if waiting is None:
                        self._by[scope, key] = waiting = deque()
                    waiting.append(sighting)

    def _scopes(self, span: Span) -> tuple[Hashable, ...]:
        return self._whose[span], span.trace, *self._elsewhere

    def take(self, span: Span, *keys: tuple[Hashable, ...]) -> Sighting | None:
        """Take the first sighting under one of the keys: of the same conversation, trace or any."""
        for scope in self._scopes(span):
            for key in keys:
                waiting = self._by.get((scope, key))
                while waiting:
                    sighting = waiting.popleft()
                    if not sighting.matched:
                        sighting.matched = True
                        return sighting
        return None


def match(
    tools: Iterable[Tool], found: Iterable[Sighting], conversation: Mapping[Span, Conversation]
) -> dict[Tool, Sighting]:
    """Find what the model asked for behind each tool span, and mark it as matched.

    By id where both have one; else by name and arguments, and by name alone, since some frameworks
    add arguments of their own. What is left has ids that differ: some recorders give a tool's span
    an id of its own (OpenAI's Responses API has two of each call). Those of one turn are the same
    calls where as many are left on both sides with the same name and arguments, and the span's id
    is in no message.

    Args:
        tools: In the order they began.
        found: In the order they were asked for.
        conversation: The conversation that each span is a piece of.
    """
    matched: dict[Tool, Sighting] = {}
    tools, found = list(tools), list(found)
    if not tools:
        return matched
    waiting = _Open(found, conversation)
    left: list[Tool] = []
    for tool in tools:
        exact: list[tuple[Hashable, ...]] = []
        if tool.id is not None:
            exact = [("id", tool.id, tool.name), ("id", tool.id)]
        if tool.arguments is not UNRECORDED:
            which = "any" if tool.id is None else "no id"
            exact.append((which, tool.name, canonical(tool.arguments)))
        sighting = waiting.take(tool.span, *exact)
        if sighting is None:
            left.append(tool)
        else:
            matched[tool] = sighting
    for tool in left:
        which = "any" if tool.id is None else "no id"
        sighting = waiting.take(tool.span, (which, tool.name))
        if sighting is not None:
            matched[tool] = sighting
    known = {sighting.asked.id for sighting in found}
    strangers = [tool for tool in tools if tool not in matched and tool.id not in known]
    matched.update(_of_one_turn(strangers, found, conversation))
    return matched


def _of_one_turn(
    tools: Iterable[Tool], found: Iterable[Sighting], conversation: Mapping[Span, Conversation]
) -> Iterator[tuple[Tool, Sighting]]:
    """Yield the tool spans and sightings of one turn that only their ids tell apart.

    The turn of a tool's span is that of the last model before it that asked for anything, of the
    same conversation; where only an agent tells what was asked for, it is all that the agent did.
    """
    asked: dict[Hashable, list[Sighting]] = {}
    turns: dict[Hashable, list[tuple[float, int]]] = {}
    spans: list[Span] = []
    for sighting in found:
        span = sighting.span
        if not spans or spans[-1] is not span:
            turns.setdefault(_whose(conversation[span]), []).append((span.start or 0, len(spans)))
            spans.append(span)
        if not sighting.matched and sighting.asked.id is not None:
            key = (span, sighting.asked.name, sighting.asked.same())
            asked.setdefault(key, []).append(sighting)
    for begun in turns.values():
        begun.sort()
    ran: dict[Hashable, list[Tool]] = {}
    for tool in tools:
        if tool.id is None or tool.arguments is UNRECORDED:
            continue
        whose = conversation[tool.span]
        begun = turns.get(_whose(whose), [])
        at = bisect_right(begun, (tool.span.start or 0, len(spans)))
        for asking in (spans[begun[at - 1][1]] if at else None, whose.owner):
            wanted = (asking, tool.name, canonical(tool.arguments))
            if wanted in asked:
                ran.setdefault(wanted, []).append(tool)
                break
    for same, several in ran.items():
        if len(several) == len(asked[same]):
            for tool, sighting in zip(several, asked[same], strict=True):
                sighting.matched = True
                yield tool, sighting


def _whose(conversation: Conversation) -> Hashable:
    return conversation.trace, conversation.owner
