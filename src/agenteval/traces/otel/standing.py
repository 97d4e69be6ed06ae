"""The last turn of a run as far as it is told: what was said in it, and why it ended.

A finish reason belongs to the answer it ended. The spans around a model's (an agent's, a
workflow's) repeat that answer, most of them without its reason: the reason stays.
"""

from __future__ import annotations

from agenteval.traces.endings import calls_follow, status_of_reason
from agenteval.traces.otel.said import Said
from agenteval.traces.otel.spans import Span

__all__ = ["Turn", "last_words"]


class Turn:
    """What a span says at its end, and how that ended.

    Args:
        span: The model's or the agent's.
        outputs: What it says.
        finish: Why that ended, in the provider's word, if it is known.
        failed: Whether the span says that it failed.

    Attributes:
        status: What the ending comes to; ``None`` for an ordinary one, or one that is not known.
        went_on: Whether a tool ran afterwards; to be set.
    """

    __slots__ = ("_aside", "_by_reason", "_finish", "_words", "span", "status", "went_on")

    def __init__(self, span: Span, outputs: list[Said], finish: str | None, status: str | None):
        self.span = span
        self.status = status_of_reason(finish) if status is None else status
        self.went_on = False
        self._finish = finish
        self._by_reason = status is None and not calls_follow(finish)
        self._words = _squeezed(last_words(outputs))
        self._aside = _squeezed(_last_aside(outputs))

    def only_repeats_an_aside_of(self, inner: Turn | None) -> bool:
        """Say whether the words are those that a model inside said before its last calls."""
        return (
            inner is not None
            and bool(self._words)
            and self._words == inner._aside
            and _is_inside(inner.span, self.span)
        )

    def take_over(self, earlier: Turn | None) -> None:
        """Take over how an earlier turn ended, where this one only hands on its answer.

        The same words without a reason of their own are the same answer, and so are those of a
        span around it whatever reason that gives. Where a span around it says something else
        without a reason, it made that of the answer whose reason is known.
        """
        if self.status is not None or earlier is None or earlier.status is None:
            return
        unsaid = self._finish is None and earlier._by_reason
        if self._words and self._words == earlier._words:
            takes = unsaid or _is_inside(earlier.span, self.span)
        else:
            takes = unsaid and not earlier.went_on and _is_inside(earlier.span, self.span)
        if takes:
            self.status, self._by_reason = earlier.status, earlier._by_reason


def _is_inside(inner: Span, outer: Span) -> bool:
    node: Span | None = inner
    while node is not None and node.depth > outer.depth:
        node = node.up
    return node is outer and inner is not outer


def _squeezed(texts: list[str]) -> str:
    return "".join("".join(texts).split())


def last_words(outputs: list[Said]) -> list[str]:
    """Return what is said after the last call, of the last message that says anything."""
    words: list[str] = []
    for said in outputs:
        if said.calls:
            words = []
        if "".join(said.texts).strip():
            words = said.texts
    return words


def _last_aside(outputs: list[Said]) -> list[str]:
    """Return what the last message with calls says before them."""
    for said in reversed(outputs):
        if said.calls:
            return said.asides
    return []
