"""What models were told of calls and their results; each later input repeats all of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Mapping

from agenteval.traces.otel.conversations import Conversation
from agenteval.traces.otel.said import Asked, Result
from agenteval.traces.otel.spans import Span
from agenteval.traces.otel.talk import Talk

__all__ = ["Heard"]

_Id = str | int | None
_Key = tuple[_Id, str | None]  # a result's id, or of one without an id the name that it has


class _Results:
    """The results under one key in the messages of one span, in the order of their calls.

    An id may be used again: a result answers the nearest earlier call that has none, of its name
    if there is one. A call that none answers holds its place with ``None``; a result without a call
    before it, as in messages that begin in the middle, has a place of its own.
    """

    __slots__ = ("_answered", "_open", "of_calls")

    def __init__(self) -> None:
        self.of_calls: list[Result | None] = []
        self._open: dict[str | None, list[int]] = {}  # by the name of the call, and all of them
        self._answered = 0

    @property
    def size(self) -> tuple[int, int]:
        """How much is told: the results, then the calls; nothing where there are no results."""
        return (self._answered, len(self.of_calls)) if self._answered else (0, 0)

    def call(self, name: str) -> None:
        for key in (name, None):
            self._open.setdefault(key, []).append(len(self.of_calls))
        self.of_calls.append(None)

    def note(self, result: Result) -> None:
        self._answered += 1
        place = self._nearest(result.name)
        if place is None:
            place = self._nearest(None)
        if place is None:
            self.of_calls.append(result)
        else:
            self.of_calls[place] = result

    def _nearest(self, name: str | None) -> int | None:
        """Take the nearest call of a name that has no result, or the nearest of all."""
        waiting = self._open.get(name, [])
        while waiting:
            place = waiting.pop()
            if self.of_calls[place] is None:
                return place
        return None


class Heard:
    """The calls and the results in messages, by the ids of the calls.

    What the same trace holds comes first. A trace that holds nothing of an id takes what another
    has.

    Args:
        talks: What the spans of models and agents say.
        conversation: The conversation that each span is a piece of.
    """

    def __init__(
        self, talks: Mapping[Span, Talk], conversation: Mapping[Span, Conversation]
    ) -> None:
        self._conversation = conversation
        self._asked: dict[tuple[str | None, _Id], Asked] = {}
        self._results: dict[tuple[Hashable, _Key], deque[Result | None]] = {}
        told: dict[tuple[Hashable, _Key], tuple[int, int]] = {}
        for span, talk in talks.items():
            here: dict[_Key, _Results] = {}
            for said in (*talk.inputs, *talk.outputs):
                for asked in said.calls:
                    for trace in (span.trace, None):
                        self._asked.setdefault((trace, asked.id), asked)
                    if asked.id is not None:
                        here.setdefault((asked.id, None), _Results()).call(asked.name)
                for result in said.results:
                    name = result.name if result.id is None else None
                    here.setdefault((result.id, name), _Results()).note(result)
            for key, results in here.items():
                for scope in self._scopes(span, key[0]):
                    if results.size > told.get((scope, key), (0, 0)):
                        told[scope, key] = results.size
                        self._results[scope, key] = deque(results.of_calls)

    def _scopes(self, span: Span, call_id: _Id) -> tuple[Hashable, ...]:
        if call_id is not None:
            return span.trace, None
        conversation = self._conversation[span]
        return (conversation.trace, conversation.opening), span.trace, None

    def asked(self, trace: str, call_id: _Id) -> Asked | None:
        """Return the call of an id, in whatever message it stands."""
        if call_id is None:
            return None
        return self._asked.get((trace, call_id)) or self._asked.get((None, call_id))

    def result(self, span: Span, call_id: _Id, name: str) -> Result | None:
        """Take the next result of a span's call by its id, or the next of its name without one."""
        keys: tuple[_Key, ...] = ((call_id, None),)
        if call_id is None:
            keys = ((None, name), (None, None))
        for key in keys:
            for scope in self._scopes(span, call_id):
                waiting = self._results.get((scope, key))
                if waiting:
                    return waiting.popleft()
                if waiting is not None:
                    break
        return None

    def unpaired(self, called: Iterable[_Id]) -> int:
        """Count the ids of results that are no call's.

        Args:
            called: The ids of the calls that are in no message.
        """
        known = set(called)
        return sum(
            scope is None
            and call_id is not None
            and call_id not in known
            and (None, call_id) not in self._asked
            for scope, (call_id, _) in self._results
        )
