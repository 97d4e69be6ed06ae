"""What spans tell, each by itself, before it is put together: their calls, and what was said."""

from __future__ import annotations

from collections.abc import Iterable

from agenteval.traces.otel.adot import read_bodies
from agenteval.traces.otel.answer_tools import take_answers
from agenteval.traces.otel.spans import Span
from agenteval.traces.otel.talk import Talk, read_closing, talk_of
from agenteval.traces.otel.tools import Tool, tool_of

__all__ = ["Told", "read_spans"]


class Told:
    """What spans tell.

    Attributes:
        tools: The calls that tool spans show.
        talks: What the spans of models and agents say.
        answer_ids: The ids of calls that are answers: see `agenteval.traces.otel.answer_tools`.
    """

    def __init__(self) -> None:
        self.tools: dict[Span, Tool] = {}
        self.talks: dict[Span, Talk] = {}
        self.answer_ids: set[str | int] = set()

    def has(self, span: Span) -> bool:
        """Say whether a span is one of a tool, a model or an agent."""
        return span in self.tools or span in self.talks

    def says_anything(self, span: Span) -> bool:
        """Say whether a span tells of a call, or that somebody spoke or failed."""
        talk = self.talks.get(span)
        if talk is None:
            return span in self.tools
        return bool(talk.outputs or talk.unread or talk.model or (talk.agent and span.failed))

    def of(self, spans: Iterable[Span]) -> Told:
        """Return what some of the spans tell."""
        some = Told()
        some.answer_ids = self.answer_ids
        for span in spans:
            if span in self.tools:
                some.tools[span] = self.tools[span]
            if span in self.talks:
                some.talks[span] = self.talks[span]
        return some

    def under(self, spans: Iterable[Span]) -> set[Span]:
        """Return the spans that are inside one of a tool, a model or an agent."""
        found: set[Span] = set()
        for span in sorted(spans, key=lambda one: one.depth):
            if span.up is not None and (span.up in found or self.has(span.up)):
                found.add(span)
        return found


def read_spans(spans: list[Span]) -> Told:
    """Read what each span tells.

    Raises:
        TraceFormatError: An attribute has the wrong kind.
    """
    told = Told()
    for span in spans:
        tool = tool_of(span)
        if tool is None:
            talk = talk_of(span)
            tool = read_bodies(span, talk)
            if tool is None and talk.marked:
                told.talks[span] = talk
        if tool is not None:
            told.tools[span] = tool
    told.answer_ids = take_answers(spans, told.talks)
    under = told.under(spans)
    for span, talk in told.talks.items():
        if talk.agent:
            read_closing(span, talk, outermost=span not in under)
    return told
