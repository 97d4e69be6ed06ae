"""A run as its spans tell it: calls, answers and endings, put in order and told to a recorder."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from agenteval.traces.endings import status_of_reason
from agenteval.traces.otel.adot import read_bodies
from agenteval.traces.otel.heard import Heard
from agenteval.traces.otel.said import Said
from agenteval.traces.otel.sightings import Sighting, in_histories, match, outermost, sightings
from agenteval.traces.otel.spans import Span
from agenteval.traces.otel.talk import Talk, talk_of
from agenteval.traces.otel.tools import UNRECORDED, Tool, tool_of
from agenteval.traces.recorder import FAILED, INCOMPLETE, Recorder

__all__ = ["Told", "read_spans"]

_NO_CALL = "\0no call"  # the id of a result that belongs to no call of the dump


class Told:
    """What spans tell, before it is put together: their calls, and what was said."""

    def __init__(self) -> None:
        self.tools: dict[Span, Tool] = {}
        self.talks: dict[Span, Talk] = {}

    def has(self, span: Span) -> bool:
        """Say whether a span is one of a tool, a model or an agent."""
        return span in self.tools or span in self.talks

    def of(self, spans: Iterable[Span]) -> Told:
        """Return what some of the spans tell."""
        some = Told()
        for span in spans:
            if span in self.tools:
                some.tools[span] = self.tools[span]
            if span in self.talks:
                some.talks[span] = self.talks[span]
        return some

    def tell(self, spans: list[Span], recorder: Recorder) -> tuple[int, int]:
        """Tell a recorder of the run.

        Args:
            spans: Those to tell of, in order, with those that tell nothing themselves.
            recorder: Gets the calls, the answers and the endings.

        Returns:
            How many calls have no recorded arguments, and how many lists of messages were cut.
        """
        return _Run(self.of(spans), spans, recorder).tell()


def read_spans(spans: Iterable[Span]) -> Told:
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
    return told


class _Run:
    """Puts together what the spans tell.

    A model's words stand where its span begins, since tools that it calls can run inside that
    span; an agent's where it ends, since it sums up what happened inside.
    """

    def __init__(self, told: Told, spans: list[Span], recorder: Recorder) -> None:
        self.talks = told.talks
        self.spans = spans
        self.recorder = recorder
        self.covering = _covering(spans, told.talks)
        self.tools = outermost(told.tools.values(), told.talks)
        self.found = sightings(told.talks, covering=self.covering)
        if not self.found and not self.tools:
            self.found = in_histories(told.talks)
        rank = {span: at for at, span in enumerate(spans)}
        self.tools.sort(key=lambda tool: rank[tool.span])
        self.matched = match(self.tools, self.found)
        self.unmatched: dict[Span, list[Sighting]] = {}
        for sighting in self.found:
            if not sighting.matched:
                self.unmatched.setdefault(sighting.span, []).append(sighting)
        self.inner = self._inside_tools()
        self.heard = Heard(told.talks)
        self.some_end = any(span.end is not None for span in spans)
        self.unrecorded = 0
        self._opened = 0

    def tell(self) -> tuple[int, int]:
        tools = {tool.span: tool for tool in self.tools}
        self._unpaired_results()
        for span, at_end in self._moments():
            if span in tools and not at_end:
                self._tool(tools[span])
            elif span in self.talks and at_end == self._speaks_last(span):
                self._talk(span, self.talks[span])
            elif at_end and span.failed and span.up is None and span not in tools:
                self.recorder.stop(FAILED)
        return self.unrecorded, sum(talk.unread for talk in self.talks.values())

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

    def _moments(self) -> list[tuple[Span, bool]]:
        """Return the beginning and the end of each span, in order.

        Of what happens at the same time, inner spans end first, then spans begin, and the
        outermost end last.
        """
        ranks: dict[str, int] = {}
        moments = []
        for at, span in enumerate(self.spans):
            trace = ranks.setdefault(span.trace, len(ranks))
            start = span.start or 0
            moments.append(((trace, start, 1, at), span, False))
            end = max(start, span.end or (float("inf") if span.up is None else start))
            phase = 2 if span.up is None else 0
            moments.append(((trace, end, phase, -span.depth), span, True))
        moments.sort(key=lambda moment: moment[0])
        return [(span, at_end) for _, span, at_end in moments]

    def _unpaired_results(self) -> None:
        for _ in range(self.heard.unpaired(tool.id for tool in self.tools)):
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
        call_id = tool.id if asked is None or tool.id is not None else asked.id
        heard = self.heard.result(tool.span.trace, call_id)
        result = heard if tool.result is None else tool.result
        running = self.some_end and tool.span.end is None
        if tool.deferred or (running and result is None and tool.error is None):
            self._open_call(tool.name, arguments)
        else:
            self.recorder.answered_call(tool.name, arguments, text=result, error=tool.error)

    def _open_call(self, name: str, arguments: Any) -> None:
        self._opened += 1
        self.recorder.call(name, arguments, f"\0open {self._opened}")

    def _talk(self, span: Span, talk: Talk) -> None:
        calls = self.unmatched.get(span, ())
        if not talk.outputs and not calls and not talk.unread and talk.agent:
            if span.failed:
                self.recorder.stop(FAILED)
            return
        self.recorder.turn()
        for sighting in calls:
            self._asked(sighting)
        if span not in self.covering:
            for said in talk.outputs:
                for name in said.hosted:
                    self.recorder.hosted(name)
        if span in self.inner:
            return
        for words in _last_words(talk.outputs):
            self.recorder.text(words)
        self._ending(span, talk)

    def _asked(self, sighting: Sighting) -> None:
        """Note a call that no tool span shows; the next input may hold its result."""
        asked = sighting.asked
        result = self.heard.result(sighting.span.trace, asked.id)
        if result is None:
            self._open_call(asked.name, asked.arguments)
        else:
            self.recorder.answered_call(asked.name, asked.arguments, text=result)

    def _ending(self, span: Span, talk: Talk) -> None:
        status = FAILED if span.failed else status_of_reason(_finish(span, talk))
        if status is None and talk.unread and not talk.outputs:
            status = INCOMPLETE
        if status is not None:
            self.recorder.stop(status)


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


def _last_words(outputs: list[Said]) -> list[str]:
    """Return what is said after the last call, of the last message that says anything."""
    words: list[str] = []
    for said in outputs:
        if said.calls:
            words = []
        if "".join(said.texts).strip():
            words = said.texts
    return words


def _finish(span: Span, talk: Talk) -> str | None:
    if talk.outputs and talk.outputs[-1].finish is not None:
        return talk.outputs[-1].finish
    reasons = span.attributes.get("gen_ai.response.finish_reasons")
    last = reasons[-1] if isinstance(reasons, list) and reasons else reasons
    return last if isinstance(last, str) else None
