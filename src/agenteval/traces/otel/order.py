"""Spans put in order: who is whose parent, and what began when."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from itertools import groupby
from typing import Any

from agenteval.traces.otel.spans import Span, to_span

__all__ = ["extents", "in_order", "moments", "ties_broken"]

_COUNTING = -2


def in_order(records: Iterable[tuple[Mapping[str, Any], str, str]]) -> list[Span]:
    """Return the spans of a dump in the order they began, linked to their parents.

    Spans that were exported twice are there once, log records hang on their span as events; one
    that names no trace is of the only trace there is. The spans of one trace stay together, traces
    follow each other by their first span. What began at the same time is in the order outer before
    inner, then as the dump has it; a span without a start takes its end's, or its parent's.

    Raises:
        TraceFormatError: A field of a record has the wrong kind.
    """
    spans: dict[tuple[str, str | int], Span] = {}
    logs: list[Span] = []
    for at, (record, scope, where) in enumerate(records):
        span = to_span(record, scope, where)
        if span.is_log:
            logs.append(span)
        elif span.attributes.get("logfire.span_type") != "pending_span":
            key = (span.trace, span.id or at)
            if key not in spans or span.end is not None:
                spans[key] = span
    traces = {span.trace for span in spans.values()}
    for log in logs:
        if not log.trace and len(traces) == 1:
            log.trace = next(iter(traces))
        span = spans.setdefault((log.trace, log.id), log)
        if span is not log:
            span.events += log.events
    found = list(spans.values())
    for span in found:
        span.up = spans.get((span.trace, span.parent)) if span.parent else None
    for span in found:
        _count_depth(span)
    for span in sorted(found, key=lambda one: one.depth):
        if span.start is None:
            span.start = span.end if span.up is None or span.end is not None else span.up.start
    return _sorted(found)


def _count_depth(span: Span) -> None:
    """Count how deep a span and those above it are; a circle of parents is cut open."""
    chain: list[Span] = []
    node: Span | None = span
    while node is not None and node.depth < 0:
        node.depth = _COUNTING
        chain.append(node)
        node = node.up
        if node is not None and node.depth == _COUNTING:
            chain[-1].up = None
            node = None
    depth = -1 if node is None else node.depth
    for one in reversed(chain):
        depth += 1
        one.depth = depth


def _sorted(spans: list[Span]) -> list[Span]:
    first: dict[str, float] = {}
    for span in spans:
        start = span.start or 0
        first[span.trace] = min(first.get(span.trace, start), start)
    rank = {trace: at for at, trace in enumerate(sorted(first, key=lambda one: first[one]))}
    return sorted(spans, key=lambda span: (rank[span.trace], span.start or 0, span.depth))


def extents(spans: Iterable[Span]) -> dict[Span, tuple[int, int]]:
    """Return two numbers for each span, between which those of the spans inside it are.

    Args:
        spans: In order; those above them get numbers, too.
    """
    children: dict[Span | None, list[Span]] = {}
    known: set[Span] = set()
    for span in spans:
        node: Span | None = span
        while node is not None and node not in known:
            known.add(node)
            children.setdefault(node.up, []).append(node)
            node = node.up
    found: dict[Span, tuple[int, int]] = {}
    begun: list[tuple[Span, int]] = []  # those whose end is still to come
    waiting = children.get(None, [])[::-1]
    number = 0
    while waiting:
        span = waiting.pop()
        if begun and begun[-1][0] is span:
            found[span] = (begun.pop()[1], number)
            continue
        begun.append((span, number))
        number += 1
        waiting.append(span)
        waiting += children.get(span, ())[::-1]
    return found


def moments(spans: Iterable[Span], under: Container[Span]) -> list[tuple[Span, bool]]:
    """Return the beginning (False) and the end (True) of each span, in order.

    Of what happens at the same time, inner spans end first, then spans begin, and the outermost
    end last.

    Args:
        spans: In the order they began.
        under: Those that are inside one that counts; an outermost one that has no end ends last.
    """
    ranks: dict[str, int] = {}
    found = []
    for at, span in enumerate(spans):
        trace = ranks.setdefault(span.trace, len(ranks))
        start = span.start or 0
        found.append(((trace, start, 1, at), span, False))
        end = max(start, span.end or (start if span in under else float("inf")))
        phase = 0 if span in under else 2
        found.append(((trace, end, phase, -span.depth), span, True))
    found.sort(key=lambda moment: moment[0])
    return [(span, at_end) for _, span, at_end in found]


def ties_broken(spans: list[Span], asked: Mapping[Span, tuple[Span, int]]) -> list[Span]:
    """Return spans in order, those that began at the same time in the order they were asked for.

    Args:
        spans: In order; a dump has parallel calls mostly in the order they ended.
        asked: For the spans of tools whose call a model asked for, its span and the call's rank.
    """
    if len(asked) < 2:
        return spans
    found: list[Span] = []
    for (*_, turn), several in groupby(spans, lambda one: _tie(one, asked)):
        tied = list(several)
        found += tied if turn is None else sorted(tied, key=lambda one: asked[one][1])
    return found


def _tie(span: Span, asked: Mapping[Span, tuple[Span, int]]) -> tuple[object, ...]:
    turn = asked[span][0] if span in asked else None
    return span.trace, span.start, span.depth, turn
