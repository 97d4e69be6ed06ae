"""Which calls the messages of models and agents show, each of them once.

The same call can be seen in a model's output, in the output of the agent around it, and in the
input of every model span after it. What only a history shows counts where nothing else shows any
call.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping

from agenteval.traces.otel.conversations import Conversation
from agenteval.traces.otel.order import extents
from agenteval.traces.otel.said import Asked, Said
from agenteval.traces.otel.spans import Span
from agenteval.traces.otel.talk import Talk

__all__ = ["Sighting", "Sightings"]


class Sighting:
    """A call that a model asked for, the span that shows it, and the call asked for before it.

    Two sightings are the same only if they are one object: models do ask twice for the same.
    """

    __slots__ = ("after", "asked", "matched", "span")

    def __init__(self, span: Span, asked: Asked, after: Sighting | None) -> None:
        self.span = span
        self.asked = asked
        self.after = after
        self.matched = False


class Sightings:
    """The calls that models asked for, each once.

    A model span's input tells how often a call had been asked for before, so that a call repeated
    in the history is no second call, and a second call with the same id or none is. Calls with ids
    are counted in their trace: repeats of one run have the same calls, at times under the same ids.
    Calls without are counted in their conversation.

    Args:
        talks: What the spans of models and agents say, in order.
        conversation: The conversation that each span is a piece of.
    """

    def __init__(
        self, talks: Mapping[Span, Talk], conversation: Mapping[Span, Conversation]
    ) -> None:
        self._talks = talks
        self._conversation = conversation

    def in_outputs(self, covering: set[Span]) -> list[Sighting]:
        """Return the calls that models asked for in what they said.

        Args:
            covering: The spans that have others inside them, whose calls they repeat.
        """
        found: list[Sighting] = []
        seen: Counter[Hashable] = Counter()
        numbered: dict[Hashable, Sighting] = {}
        inside = _Inside(self._talks)
        for span, talk in self._talks.items():
            if span in covering:
                continue
            before = Counter(self._key(span, asked) for asked in _calls(talk.inputs))
            previous = None
            for asked in _calls(talk.outputs):
                key = self._key(span, asked)
                number = before[key] + 1 if talk.inputs else seen[key] + 1
                before[key] = number
                if number > seen[key]:  # by more than one where an earlier one is in no output
                    seen[key] = number
                    found.append(Sighting(span, asked, previous))
                    numbered[key, number] = found[-1]
                    inside.add(found[-1], _rough_key(span, asked))
                previous = numbered.get((key, number), previous)
        for span in sorted((one for one in self._talks if one in covering), key=_inner_first):
            own: Counter[Hashable] = Counter()
            previous = None
            for asked in _calls(self._talks[span].outputs):
                key = _rough_key(span, asked)
                own[key] += 1
                repeated = inside.get(span, key, own[key] - 1, anywhere=asked.id is not None)
                if repeated is None:
                    repeated = Sighting(span, asked, previous)
                    found.append(repeated)
                    inside.add(repeated, key, at_end=True)
                previous = repeated
        return found

    def in_inputs(self) -> list[Sighting]:
        """Return the calls that the inputs of model spans show, each once in its conversation."""
        found: list[Sighting] = []
        seen: Counter[Hashable] = Counter()
        for span, talk in self._talks.items():
            own: Counter[Hashable] = Counter()
            for asked in _calls(talk.inputs):
                key = self._key(span, asked)
                own[key] += 1
                if own[key] > seen[key]:
                    seen[key] = own[key]
                    found.append(Sighting(span, asked, None))
        return found

    def _key(self, span: Span, asked: Asked) -> Hashable:
        whose = self._conversation[span] if asked.id is None else span.trace
        return whose, asked.id, asked.name, asked.same()


def _inner_first(span: Span) -> int:
    return -span.depth


def _rough_key(span: Span, asked: Asked) -> Hashable:
    """Return what tells a call apart where another span may show its arguments otherwise."""
    if asked.id is None:
        return span.trace, asked.name, asked.same()
    return span.trace, asked.id, asked.name


def _calls(messages: Iterable[Said]) -> Iterable[Asked]:
    return (asked for said in messages for asked in said.calls)


class _Inside:
    """Which sightings are of spans inside another span, in their order."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._extent = extents(spans)
        self._at: dict[Hashable, list[float]] = {}
        self._sightings: dict[Hashable, list[Sighting]] = {}

    def add(self, sighting: Sighting, key: Hashable, *, at_end: bool = False) -> None:
        """Note a sighting under a key, where its span begins or at its very end."""
        begin, end = self._extent[sighting.span]
        place = end - 0.5 if at_end else begin
        positions = self._at.setdefault(key, [])
        index = bisect_right(positions, place)
        positions.insert(index, place)
        self._sightings.setdefault(key, []).insert(index, sighting)

    def get(self, span: Span, key: Hashable, number: int, *, anywhere: bool) -> Sighting | None:
        """Return one of the sightings under a key, inside a span or anywhere, by its number."""
        begin, end = self._extent[span]
        positions = self._at.get(key, [])
        first = 0 if anywhere else bisect_left(positions, begin)
        last = len(positions) if anywhere else bisect_left(positions, end)
        return self._sightings[key][first + number] if first + number < last else None
