"""Models that were asked and have no reply, where replies are recorded: the run broke off there.

A recorder may keep no content, or only what models are given: then a span without a reply tells
nothing. Whether replies are recorded is told by the other spans of the same instrumentation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agenteval.traces.otel.spans import Span
from agenteval.traces.otel.talk import Talk

__all__ = ["silent_models"]


def silent_models(spans: Iterable[Span], talks: Mapping[Span, Talk]) -> set[Span]:
    """Return the spans of models that were asked and did not reply.

    One that has not ended counts also where its input was not recorded, if others have ends. One
    inside the span of a model that replied is a second record of that reply.

    Args:
        spans: All of them, in order.
        talks: What the spans of models and agents say.
    """
    spans = list(spans)
    some_end = any(span.end is not None for span in spans)
    recorded = {span.scope for span, talk in talks.items() if talk.model and talk.outputs}
    replied: set[Span] = set()  # models that replied, and what is inside them
    silent: set[Span] = set()
    for span in sorted(spans, key=lambda one: one.depth):
        talk = talks.get(span)
        inside = span.up in replied
        if inside or (talk is not None and talk.model and talk.outputs):
            replied.add(span)
        if inside or talk is None or not talk.model or talk.outputs or talk.unread:
            continue
        unended = some_end and span.end is None
        if span.scope in recorded and not span.failed and (talk.inputs or unended):
            silent.add(span)
    return silent
