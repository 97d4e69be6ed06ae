"""Which calls a dump of spans shows, each of them once.

The same call can be seen as a tool span, as a second tool span inside that one (an MCP client's,
say), as a call in a model's output, in the output of the agent around it, and in the input of every
model span after it. Tool spans count first; what models asked for counts where no tool span shows
it; what only a history shows counts where nothing else shows any call.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterable
from typing import Any

from agenteval.traces.arguments import decode_arguments
from agenteval.traces.otel.said import Asked, Said
from agenteval.traces.otel.spans import Span
from agenteval.traces.otel.talk import Talk
from agenteval.traces.otel.tools import UNRECORDED, Tool
from agenteval.traces.reading import json_text, plain

__all__ = ["Sighting", "in_histories", "match", "outermost", "sightings"]

_JOINTS = ("_", "-", ".", "/", ":")


class Sighting:
    """A call that a model asked for, and the span that shows it."""

    __slots__ = ("asked", "matched", "span")

    def __init__(self, span: Span, asked: Asked) -> None:
        self.span = span
        self.asked = asked
        self.matched = False


def outermost(tools: Iterable[Tool], talks: dict[Span, Talk]) -> list[Tool]:
    """Return the tool spans without those that show the call of a tool span around them.

    Args:
        tools: In any order.
        talks: What the spans of models and agents say; a call of the same tool on the other side
            of one of those is another call.
    """
    by_span = {tool.span: tool for tool in tools}
    around: dict[Span, Tool] = {}
    kept: list[Tool] = []
    for span in sorted(_with_parents(by_span), key=lambda one: one.depth):  # outer before inner
        if span.up is not None and span.up in around and span.up not in talks:
            around[span] = around[span.up]
        tool = by_span.get(span)
        if tool is None:
            continue
        outer = around.get(span)
        if outer is not None and _is_same_call(tool, outer):
            outer.absorb(tool)
        else:
            kept.append(tool)
            around[span] = tool
    return kept


def _with_parents(spans: Iterable[Span]) -> list[Span]:
    found: dict[Span, None] = {}
    for span in spans:
        node: Span | None = span
        while node is not None and node not in found:
            found[node] = None
            node = node.up
    return list(found)


def _is_same_call(inner: Tool, outer: Tool) -> bool:
    if inner.id is not None and inner.id == outer.id:
        return True
    if not _same_name(inner.name, outer.name):
        return False
    if inner.is_mcp:
        return True
    return inner.span.scope != outer.span.scope and (
        UNRECORDED in (inner.arguments, outer.arguments)
        or _canonical(inner.arguments) == _canonical(outer.arguments)
    )


def _same_name(one: str, other: str) -> bool:
    """Say whether two names are one tool's: frameworks put a server's name before it."""
    short, long = sorted((one, other), key=len)
    return one == other or any(long.endswith(joint + short) for joint in _JOINTS)


def _canonical(arguments: Any) -> str:
    found, _ = decode_arguments(plain(arguments))
    import json  # here, because importing agenteval must stay quick

    try:
        return json.dumps(found, sort_keys=True, default=repr)
    except (TypeError, ValueError, RecursionError):
        return json_text(found)


def sightings(talks: dict[Span, Talk], *, covering: set[Span]) -> list[Sighting]:
    """Return the calls that models asked for, each once.

    A model span's input tells how often a call had been asked for before, so that a call repeated
    in the history is no second call, and a second call with the same id or none is. Each trace is
    counted by itself: repeats of one run have the same calls, at times under the same ids.

    Args:
        talks: What the spans of models and agents say, in order.
        covering: Those that have others inside them, whose calls they repeat.
    """
    found: list[Sighting] = []
    seen: Counter[Hashable] = Counter()
    roughly: Counter[Hashable] = Counter()
    for span, talk in talks.items():
        if span in covering:
            continue
        before = Counter(_key(span, asked) for asked in _calls(talk.inputs))
        for asked in _calls(talk.outputs):
            key = _key(span, asked)
            before[key] = before[key] + 1 if talk.inputs else seen[key] + 1
            if before[key] > seen[key]:
                seen[key] = before[key]
                roughly[_rough_key(span, asked)] += 1
                found.append(Sighting(span, asked))
    outer = [span for span in talks if span in covering]
    for span in sorted(outer, key=lambda one: -one.depth):
        own: Counter[Hashable] = Counter()
        for asked in _calls(talks[span].outputs):
            key = _rough_key(span, asked)
            own[key] += 1
            if own[key] > roughly[key]:
                roughly[key] += 1
                found.append(Sighting(span, asked))
    return found


def _key(span: Span, asked: Asked) -> Hashable:
    return span.trace, asked.id, asked.name, _canonical(asked.arguments)


def _rough_key(span: Span, asked: Asked) -> Hashable:
    """Return what tells a call apart where another span may show its arguments otherwise."""
    return _key(span, asked) if asked.id is None else (span.trace, asked.id, asked.name)


def _calls(messages: Iterable[Said]) -> Iterable[Asked]:
    return (asked for said in messages for asked in said.calls)


def in_histories(talks: dict[Span, Talk]) -> list[Sighting]:
    """Return the calls that the inputs of model spans show, each once in its trace."""
    found: list[Sighting] = []
    seen: Counter[Hashable] = Counter()
    for span, talk in talks.items():
        own: Counter[Hashable] = Counter()
        for asked in _calls(talk.inputs):
            key = _key(span, asked)
            own[key] += 1
            if own[key] > seen[key]:
                seen[key] = own[key]
                found.append(Sighting(span, asked))
    return found


class _Open:
    """Sightings that no tool span has been matched with, by what they can be found by."""

    def __init__(self, found: Iterable[Sighting]) -> None:
        self._by: dict[Hashable, deque[Sighting]] = {}
        for sighting in found:
            asked = sighting.asked
            named: tuple[Hashable, ...] = (asked.name, _canonical(asked.arguments))
            keys: list[tuple[Hashable, ...]] = [("any", *named), ("any", asked.name)]
            if asked.id is None:
                keys += [("no id", *named), ("no id", asked.name)]
            else:
                keys += [("id", asked.id, asked.name), ("id", asked.id)]
            for key in keys:
                for trace in (sighting.span.trace, None):
                    self._by.setdefault((trace, *key), deque()).append(sighting)

    def take(self, trace: str, *keys: tuple[Hashable, ...]) -> Sighting | None:
        """Take the first sighting under one of the keys, preferably of the same trace."""
        for scope in (trace, None):
            for key in keys:
                waiting = self._by.get((scope, *key))
                while waiting:
                    sighting = waiting.popleft()
                    if not sighting.matched:
                        sighting.matched = True
                        return sighting
        return None


def match(tools: Iterable[Tool], found: Iterable[Sighting]) -> dict[Tool, Sighting]:
    """Find what the model asked for behind each tool span, and mark it as matched.

    By id where both have one; else by name and arguments, and last by name alone, since some
    frameworks add arguments of their own.
    """
    matched: dict[Tool, Sighting] = {}
    waiting = _Open(found)
    left: list[Tool] = []
    for tool in tools:
        exact: list[tuple[Hashable, ...]] = []
        if tool.id is not None:
            exact = [("id", tool.id, tool.name), ("id", tool.id)]
        if tool.arguments is not UNRECORDED:
            which = "any" if tool.id is None else "no id"
            exact.append((which, tool.name, _canonical(tool.arguments)))
        sighting = waiting.take(tool.span.trace, *exact)
        if sighting is None:
            left.append(tool)
        else:
            matched[tool] = sighting
    for tool in left:
        which = "any" if tool.id is None else "no id"
        sighting = waiting.take(tool.span.trace, (which, tool.name))
        if sighting is not None:
            matched[tool] = sighting
    return matched
