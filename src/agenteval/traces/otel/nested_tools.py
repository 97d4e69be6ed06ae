"""Tool spans inside tool spans: which of them show one and the same call.

A framework's tool span can have a second one inside, an MCP client's or another instrumentation's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agenteval.traces.otel.spans import Span
from agenteval.traces.otel.talk import Talk
from agenteval.traces.otel.tools import UNRECORDED, Tool
from agenteval.traces.otel.values import canonical

__all__ = ["outermost"]

_JOINTS = ("_", "-", ".", "/", ":")


def outermost(tools: Iterable[Tool], talks: Mapping[Span, Talk]) -> list[Tool]:
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
        or canonical(inner.arguments) == canonical(outer.arguments)
    )


def _same_name(one: str, other: str) -> bool:
    """Say whether two names are one tool's: frameworks put a server's name before it."""
    short, long = sorted((one, other), key=len)
    return one == other or any(long.endswith(joint + short) for joint in _JOINTS)
