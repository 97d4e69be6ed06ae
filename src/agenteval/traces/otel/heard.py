"""What models were told of calls and their results; each later input repeats all of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Mapping

from agenteval.traces.otel.conversations import Conversation
from agenteval.traces.otel.said import Asked
from agenteval.traces.otel.spans import Span
from agenteval.traces.otel.talk import Talk

__all__ = ["Heard"]

_Id = str | int | None


class Heard:
    """The calls and the results in messages, by the ids of the calls.

    What the same trace holds comes first. A trace that holds nothing of an id takes what another
    does, since some setups give each step a trace of its own. Results without ids are those of
    the conversations that begin with the same question.

    Args:
        talks: What the spans of models and agents say.
        conversation: The conversation that each span is a piece of.
    """

    def __init__(
        self, talks: Mapping[Span, Talk], conversation: Mapping[Span, Conversation]
    ) -> None:
        self._conversation = conversation
        self._asked: dict[tuple[str | None, _Id], Asked] = {}
        self._results: dict[tuple[Hashable, _Id], deque[str]] = {}
        for span, talk in talks.items():
            here: dict[_Id, list[str]] = {}
            for said in (*talk.inputs, *talk.outputs):
                for asked in said.calls:
                    for trace in (span.trace, None):
                        self._asked.setdefault((trace, asked.id), asked)
                for result in said.results:
                    here.setdefault(result.id, []).append(result.text)
            for call_id, texts in here.items():
                for scope in self._scopes(span, call_id):
                    if len(texts) > len(self._results.get((scope, call_id), ())):
                        self._results[scope, call_id] = deque(texts)

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

    def result(self, span: Span, call_id: _Id) -> str | None:
        """Take the next result of a span's call by its id, or the next one without an id."""
        for scope in self._scopes(span, call_id):
            waiting = self._results.get((scope, call_id))
            if waiting is not None:
                return waiting.popleft() if waiting else None
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
            for scope, call_id in self._results
        )
