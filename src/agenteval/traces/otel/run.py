"""A run as its spans tell it: calls, answers and endings, put in order and told to a recorder."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from agenteval.traces.otel.conversations import conversations
from agenteval.traces.otel.finish import finish_reason
from agenteval.traces.otel.heard import Heard
from agenteval.traces.otel.matching import match
from agenteval.traces.otel.missing import MissingCalls
from agenteval.traces.otel.nested_tools import outermost
from agenteval.traces.otel.order import moments, ties_broken
from agenteval.traces.otel.said import Result
from agenteval.traces.otel.sightings import Sighting, Sightings
from agenteval.traces.otel.silences import silent_models
from agenteval.traces.otel.spans import Span
from agenteval.traces.otel.standing import Turn, last_words
from agenteval.traces.otel.talk import Talk
from agenteval.traces.otel.told import Told
from agenteval.traces.otel.tools import UNRECORDED, Tool
from agenteval.traces.recorder import FAILED, INCOMPLETE, Recorder

__all__ = ["tell"]

_NO_CALL = "\0no call"  # the id of a result that belongs to no call of the dump


class Unseen(NamedTuple):
    """How much of a run its spans do not hold."""

    arguments: int
    """The calls whose arguments were not recorded."""
    messages: int
    """The lists of messages that were cut."""
    calls: int
    """The turns that ended in calls of which nothing was recorded."""


def tell(told: Told, spans: list[Span], recorder: Recorder) -> Unseen:
    """Tell a recorder of the run.

    Args:
        told: What the spans tell.
        spans: The run's, in order, with those that tell nothing themselves.
        recorder: Gets the calls, the answers and the endings.

    Returns:
        What is missing.
    """
    return _Run(told.of(spans), spans, recorder).tell()


class _Run:
    """Puts together what the spans tell.

    A model's words stand where its span begins, since tools that it calls can run inside that
    span; an agent's where it ends, since it sums up what happened inside. A call stands where its
    tool's span begins; one without a span after the call that was asked for before it in the same
    message, wherever that is, or else with the words.
    """

    def __init__(self, told: Told, spans: list[Span], recorder: Recorder) -> None:
        self.told = told
        self.talks = told.talks
        self.recorder = recorder
        self.under = told.under(spans)
        self.covering = _covering(spans, told.talks)
        self.tools = outermost(told.tools.values(), told.talks)
        conversation = conversations(spans, told.talks, told.tools)
        sightings = Sightings(told.talks, conversation)
        found = sightings.in_outputs(self.covering)
        if not found and not self.tools:
            found = sightings.in_inputs()
        rank = {span: at for at, span in enumerate(spans)}
        self.tools.sort(key=lambda tool: rank[tool.span])
        self.matched = match(self.tools, found, conversation)
        order = {sighting: at for at, sighting in enumerate(found)}
        asked = {tool.span: (one.span, order[one]) for tool, one in self.matched.items()}
        self.spans = ties_broken(spans, asked)
        self.first: dict[Span, list[Sighting]] = {}
        self.next: dict[Sighting, list[Sighting]] = {}
        for sighting in found:
            if sighting.matched:
                continue
            if sighting.after is None:
                self.first.setdefault(sighting.span, []).append(sighting)
            else:  # what an agent saw between two calls of a model stands between them
                self.next.setdefault(sighting.after, []).insert(0, sighting)
        self.inner = self._inside_tools()
        self.silent = silent_models(spans, told.talks)
        self.heard = Heard(told.talks, conversation)
        self.missing = MissingCalls(told.talks, conversation, self.covering)
        self.some_end = any(span.end is not None for span in spans)
        self.unrecorded = 0
        self.last: Turn | None = None
        self._opened = 0

    def tell(self) -> Unseen:
        tools = {tool.span: tool for tool in self.tools}
        self._unpaired_results()
        for span, at_end in moments(self.spans, self.under):
            if span in tools and not at_end:
                self.missing.tool(span)
                self._tool(tools[span])
            elif span in self.talks and at_end == self._speaks_last(span):
                self._talk(span, self.talks[span])
            elif at_end and span.failed and span.up is None and span not in tools:
                self.recorder.stop(FAILED)
        unread = sum(talk.unread for talk in self.talks.values())
        return Unseen(self.unrecorded, unread, self.missing.turns)

    def _inside_tools(self) -> set[Span]:
        """Return the spans inside a tool that the agent called: what they say is not its answer."""
        called = {tool.span: tool in self.matched for tool in self.tools}
        inside: set[Span] = set()
        under_talk: set[Span] = set()
        for span in sorted(self.spans, key=lambda one: one.depth):
            above = span.up
            if above is None:
                continue
            if above in self.talks or above in under_talk:
                under_talk.add(span)
            if above in inside or called.get(above) or (above in called and above in under_talk):
                inside.add(span)
        return inside

    def _speaks_last(self, span: Span) -> bool:
        return span in self.covering or self.talks[span].agent

    def _unpaired_results(self) -> None:
        called = {*(tool.id for tool in self.tools), *self.told.answer_ids}
        for _ in range(self.heard.unpaired(called)):
            self.recorder.result(_NO_CALL)

    def _tool(self, tool: Tool) -> None:
        sighting = self.matched.get(tool)
        asked = None if sighting is None else sighting.asked
        arguments = tool.arguments
        if arguments is UNRECORDED:
            earlier = self.heard.asked(tool.span.trace, tool.id) if asked is None else asked
            arguments = UNRECORDED if earlier is None else earlier.arguments
        if arguments is UNRECORDED:
            arguments = {"_raw": f"not recorded ({tool.id or tool.span.id or tool.span.where})"}
            self.unrecorded += 1
        heard = self._heard(tool, sighting)
        result, error = tool.result, tool.error
        if heard is not None:
            result = heard.text if result is None else result
            error = heard.error if error is None else error
        running = self.some_end and tool.span.end is None
        if tool.deferred or (running and result is None and error is None):
            self._open_call(tool.name, arguments)
        else:
            self.recorder.answered_call(tool.name, arguments, text=result, error=error)
        if self.last is not None:
            self.last.went_on = True
        if sighting is not None:
            self._asked(self.next.get(sighting, ()))

    def _heard(self, tool: Tool, sighting: Sighting | None) -> Result | None:
        """Take the result that a model was told of, by the id of the span or of the message."""
        span = tool.span if sighting is None else sighting.span
        heard = self.heard.result(span, tool.id, tool.name)
        if heard is None and sighting is not None and sighting.asked.id != tool.id:
            heard = self.heard.result(span, sighting.asked.id, sighting.asked.name)
        return heard

    def _open_call(self, name: str, arguments: Any) -> None:
        self._opened += 1
        self.recorder.call(name, arguments, f"\0open {self._opened}")

    def _talk(self, span: Span, talk: Talk) -> None:
        calls = self.first.get(span, ())
        if not (talk.outputs or calls or talk.unread or talk.model):
            if talk.agent and span.failed:
                self.recorder.stop(FAILED)
            return
        finish = finish_reason(span, talk)
        self.missing.model(span, finish)
        turn = Turn(span, talk.outputs, finish, self._broken(span, talk))
        if turn.only_repeats_an_aside_of(self.last) and not calls:
            return
        self.recorder.turn()
        self._asked(calls)
        if span not in self.covering:
            for said in talk.outputs:
                for name in said.hosted:
                    self.recorder.hosted(name)
        if span in self.inner:
            return
        for words in last_words(talk.outputs):
            self.recorder.text(words)
        turn.take_over(self.last)
        self.last = turn
        if turn.status is not None:
            self.recorder.stop(turn.status)

    def _asked(self, calls: Iterable[Sighting]) -> None:
        """Note calls without tool spans, and those after them; a later input has the results."""
        waiting = [*calls][::-1]
        while waiting:
            sighting = waiting.pop()
            asked = sighting.asked
            heard = self.heard.result(sighting.span, asked.id, asked.name)
            if heard is None:
                self._open_call(asked.name, asked.arguments)
            else:
                self.recorder.answered_call(
                    asked.name, asked.arguments, text=heard.text, error=heard.error
                )
            waiting += self.next.get(sighting, ())[::-1]

    def _broken(self, span: Span, talk: Talk) -> str | None:
        """Return what a span itself says of its end, whatever reason the model gave."""
        if span.failed:
            return FAILED
        if span in self.silent or (talk.unread and not talk.outputs):
            return INCOMPLETE
        return None


def _covering(spans: Iterable[Span], talks: dict[Span, Talk]) -> set[Span]:
    """Return the spans that say something and have others inside them that do, too."""
    bearer: dict[Span, Span | None] = {}
    covering: set[Span] = set()
    for span in sorted(spans, key=lambda one: one.depth):
        above = None
        if span.up is not None:
            above = span.up if _speaks(span.up, talks) else bearer.get(span.up)
        bearer[span] = above
        if above is not None and _speaks(span, talks):
            covering.add(above)
    return covering


def _speaks(span: Span, talks: dict[Span, Talk]) -> bool:
    return span in talks and bool(talks[span].outputs)
