"""Which conversation a span is a piece of, for what has no ids to tell it apart by.

Agents of one trace may make the same call, each in a conversation of its own. Whose it is is told
by the agent or the tool around the span, and by how the conversation begins, since not every tracer
has spans of agents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from agenteval.traces.otel.said import Said
from agenteval.traces.otel.spans import Span
from agenteval.traces.otel.talk import Talk

__all__ = ["Conversation", "conversations"]


class Conversation(NamedTuple):
    """What tells one conversation from others.

    Attributes:
        trace: The trace's id.
        owner: The agent or the tool around it, or a step of one; ``None`` where there is none.
        opening: What was asked first.
    """

    trace: str
    owner: Span | None
    opening: tuple[str, ...]


def conversations(
    spans: Iterable[Span], talks: Mapping[Span, Talk], tools: Iterable[Span]
) -> dict[Span, Conversation]:
    """Return the conversation that each span is a piece of.

    An input that begins in the middle (some tracers record what is new) goes on with the
    conversation before it, and one that was not recorded with that of the agent around it.

    Args:
        spans: All of them, in order.
        talks: What the spans of models and agents say.
        tools: The spans of tools.
    """
    spans = list(spans)
    owners = {*tools, *(span for span, talk in talks.items() if talk.agent)}
    owner: dict[Span | None, Span | None] = {None: None}
    for span in sorted(spans, key=lambda one: one.depth):
        owner[span] = span.up if span.up in owners else owner[span.up]
    found: dict[Span, Conversation] = {}
    latest: dict[tuple[str, Span | None], tuple[str, ...]] = {}
    for span in spans:
        whose = (span.trace, owner[span])
        opening = _opening(talks[span].inputs) if span in talks else ()
        if opening:
            latest[whose] = latest[span.trace, span] = opening
        found[span] = Conversation(*whose, latest.get(whose, ()))
    return found


def _opening(given: Iterable[Said]) -> tuple[str, ...]:
    """Return what was asked first; instructions may change with every request."""
    asked: list[str] = []
    for said in given:
        if said.role == "user" and not said.results:
            asked.append("".join(said.texts))
        elif said.role != "system":
            break
    return tuple(asked)
