"""What was said in a conversation, in one shape for all conventions."""

from __future__ import annotations

from typing import Any

from agenteval.traces.otel.values import canonical

__all__ = ["REFUSAL", "Asked", "Result", "Said"]

REFUSAL = "refusal"
"""The reason for stopping that stands for a refusal, whatever reason was given beside it."""


class Asked:
    """A call that a model asked for."""

    __slots__ = ("_same", "arguments", "id", "name")

    def __init__(self, name: str, arguments: Any, call_id: str | int | None) -> None:
        self.name = name
        self.arguments = arguments
        self.id = call_id
        self._same: str | None = None

    def same(self) -> str:
        """Return one text for all the ways in which a trace may write these arguments."""
        if self._same is None:
            self._same = canonical(self.arguments)
        return self._same


class Result:
    """A call's result as it was handed to a model.

    ``name`` is the tool's where a format pairs by it, ``error`` what the message says of a failure.
    """

    __slots__ = ("error", "id", "name", "text")

    def __init__(
        self,
        call_id: str | int | None,
        text: str,
        *,
        name: str | None = None,
        error: bool | str | None = None,
    ) -> None:
        self.id = call_id
        self.text = text
        self.name = name
        self.error = error


class Said:
    """One message: its calls, what it says after and (asides) before the last, its results.

    ``is_answer`` is true where the text is that of a call which gives the answer a structure.
    """

    __slots__ = ("asides", "calls", "finish", "hosted", "is_answer", "results", "role", "texts")

    def __init__(self, role: str) -> None:
        self.role = role
        self.texts: list[str] = []
        self.asides: list[str] = []
        self.calls: list[Asked] = []
        self.results: list[Result] = []
        self.hosted: list[str] = []
        self.finish: str | None = None
        self.is_answer = False

    def ask(self, name: str, arguments: Any, call_id: str | int | None) -> None:
        """Note a call; what was said before it is no answer."""
        self.asides += self.texts
        self.texts.clear()
        self.calls.append(Asked(name, arguments, call_id))

    def host(self, name: str) -> None:
        """Note the use of a tool that the provider ran; what was said before is no answer."""
        self.texts.clear()
        self.hosted.append(name)

    def refuse(self, words: str) -> None:
        """Note that the model refused, in these words."""
        self.texts.append(words)
        self.finish = REFUSAL
