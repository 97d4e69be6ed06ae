"""Turns that ended in calls of which the spans hold nothing: neither in a message nor as a tool's.

A recorder that keeps no content still keeps why a model stopped, and where that was for calls, a
tool's span shows them at least. Where there is none either, the run had calls that nobody can see.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping

from agenteval.traces.endings import calls_follow
from agenteval.traces.otel.conversations import Conversation
from agenteval.traces.otel.spans import Span
from agenteval.traces.otel.talk import Talk

__all__ = ["MissingCalls"]


class MissingCalls:
    """Counts the turns whose calls are missing; to be told of models and tools as they begin.

    Args:
        talks: What the spans of models and agents say.
        conversation: The conversation that each span is a piece of.
        covering: The spans that others inside them repeat.
    """

    def __init__(
        self,
        talks: Mapping[Span, Talk],
        conversation: Mapping[Span, Conversation],
        covering: Collection[Span],
    ) -> None:
        self._talks = talks
        self._conversation = conversation
        self._covering = covering
        self._shown: set[Span] = set()  # spans that show calls, and what is inside them
        for span in sorted(conversation, key=lambda one: one.depth):
            if span.up in self._shown or (span in talks and _shows_calls(talks[span])):
                self._shown.add(span)
        self._models = {self._whose(span) for span, talk in talks.items() if talk.model}
        self._waiting: dict[Hashable, Span] = {}
        self._missed = 0

    def _whose(self, span: Span) -> Hashable:
        conversation = self._conversation[span]
        return conversation.trace, conversation.owner

    def model(self, span: Span, finish: str | None) -> None:
        """Note a model's turn and why it ended."""
        if span in self._covering or not self._talks[span].model:
            return
        whose = self._whose(span)
        earlier = self._waiting.pop(whose, None)
        if earlier is not None and not _is_around(earlier, span):
            self._missed += 1
        if calls_follow(finish) and span not in self._shown:
            self._waiting[whose] = span

    def tool(self, span: Span) -> None:
        """Note the span of a tool: it is what the last turn of its conversation asked for.

        Where each step has a trace of its own, it is what the last turn of all asked for.
        """
        whose = self._whose(span)
        if whose in self._models:
            self._waiting.pop(whose, None)
        elif self._waiting:
            self._waiting.popitem()

    @property
    def turns(self) -> int:
        """How many turns there are so far whose calls are missing."""
        return self._missed + len(self._waiting)


def _shows_calls(talk: Talk) -> bool:
    return any(said.calls or said.hosted or said.is_answer for said in talk.outputs)


def _is_around(outer: Span, inner: Span) -> bool:
    node: Span | None = inner
    while node is not None and node.depth > outer.depth:
        node = node.up
    return node is outer
