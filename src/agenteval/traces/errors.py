"""The one error that importers raise about what they were given."""

from __future__ import annotations

from typing import Any

from agenteval._messages import cut

__all__ = ["TraceFormatError"]


class TraceFormatError(ValueError):
    """A trace, or a record inside it, is not what the importer reads.

    Args:
        where: The importer and the place inside the trace, as in
            ``"from_openai_chat: messages[3].tool_calls"``.
        wanted: What was looked for there.
        got: What was found; kept as text, cut to a readable length.
        hint: What to do about it, where there is something to do.

    Attributes:
        where: As given.
        wanted: As given.
        got: The kind of what arrived and its ``repr``, cut.
        hint: As given, or ``""``.

    >>> str(TraceFormatError("from_mcp: [2].method", "text", 7))
    'from_mcp: [2].method: expected text, got int 7'
    """

    def __init__(self, where: str, wanted: str, got: Any, hint: str = "") -> None:
        self.where = where
        self.wanted = wanted
        self.got = "None" if got is None else f"{type(got).__name__} {cut(got)}"
        self.hint = hint
        super().__init__(where, wanted, self.got, hint)

    def __str__(self) -> str:
        text = f"{self.where}: expected {self.wanted}, got {self.got}"
        return f"{text}; {self.hint}" if self.hint else text

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.where, self.wanted, self.got, self.hint)


def _rebuild(where: str, wanted: str, got: str, hint: str) -> TraceFormatError:
    error = TraceFormatError(where, wanted, None, hint)
    error.got = got
    error.args = (where, wanted, got, hint)
    return error
