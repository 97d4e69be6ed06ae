"""Which format a trace is in, told by marks that no other format has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from agenteval.records import AgentResult
from agenteval.traces import (
    adk,
    anthropic,
    bedrock,
    gemini,
    inspect_log,
    langchain,
    mcp,
    openai_chat,
    openai_responses,
    otel,
    vercel_ai,
)
from agenteval.traces.errors import TraceFormatError
from agenteval.traces.marks import CERTAIN, NO, Likeness, wrapping_mark
from agenteval.traces.reading import opened, without_role
from agenteval.traces.recorder import IsError

__all__ = ["from_trace"]


class _Format(NamedTuple):
    """How a format recognizes its own, how it reads, and whether a trace can hold several cases."""

    name: str
    looks_like: Callable[[Any], Likeness]
    importer: Callable[..., AgentResult]
    has_cases: bool = False


_FORMATS = (  # of several that say POSSIBLE, and read the same then, the first is taken
    _Format(
        openai_responses.FORMAT,
        openai_responses.looks_like,
        openai_responses.from_openai_responses,
    ),
    _Format(anthropic.FORMAT, anthropic.looks_like, anthropic.from_anthropic),
    _Format(bedrock.FORMAT, bedrock.looks_like, bedrock.from_bedrock),
    _Format(
        openai_chat.FORMAT, openai_chat.looks_like, openai_chat.from_openai_chat, has_cases=True
    ),
    _Format(vercel_ai.FORMAT, vercel_ai.looks_like, vercel_ai.from_vercel_ai),
    _Format(langchain.FORMAT, langchain.looks_like, langchain.from_langchain),
    _Format(gemini.FORMAT, gemini.looks_like, gemini.from_gemini),
    _Format(adk.FORMAT, adk.looks_like, adk.from_adk, has_cases=True),
    _Format(otel.FORMAT, otel.looks_like, otel.from_otel, has_cases=True),
    _Format(mcp.FORMAT, mcp.looks_like, mcp.from_mcp),
    _Format(inspect_log.FORMAT, inspect_log.looks_like, inspect_log.from_inspect, has_cases=True),
)

_LOOKED_AT = 20  # records of an unknown trace, for the message
_WANTED = "a trace of one of the formats " + ", ".join(known.name for known in _FORMATS)


def from_trace(
    trace: Any, *, is_error: IsError | None = None, case: str | int | None = None
) -> AgentResult:
    """Read a trace of any format that has an importer: which format it is, it finds out.

    Args:
        trace: What one of the importers takes.
        is_error: A predicate on a result's text that says whether the tool failed, for formats and
            tools that do not say so themselves.
        case: Of a file that holds several conversations, the id or the position of the one to read.

    Returns:
        What the format's own importer returns; ``result["trace"]["format"]`` names the format. A
        conversation without a single call can fit several formats; it reads the same in each.

    Raises:
        TraceFormatError: No format is recognized, the trace mixes several, or a record inside has
            the wrong kind.
        ValueError: No conversation is called `case`, or a trace of the format cannot hold several.

    >>> block = {"type": "tool_use", "id": "t1", "name": "delete", "input": {"path": "x"}}
    >>> result = from_trace([{"role": "assistant", "content": [block]}])
    >>> result["trace"]["format"], result["calls"]
    ('anthropic', [Call(name='delete', args={'path': 'x'}, error=None)])
    """
    found = _recognize(trace)
    if case is None:
        return found.importer(trace, is_error=is_error)
    if not found.has_cases:
        raise ValueError(
            f"from_trace: case {case!r}: a trace of the format {found.name} is one conversation; "
            "leave case out"
        )
    return found.importer(trace, is_error=is_error, case=case)


def _recognize(trace: Any) -> _Format:
    whole = trace if isinstance(trace, str) else opened(trace, "from_trace", _WANTED)
    wrapping = wrapping_mark(whole) if isinstance(whole, Mapping) else None
    likeness = {
        known.name: known.looks_like(whole) if wrapping in (None, known.name) else NO
        for known in _FORMATS
    }
    certain = [known for known in _FORMATS if likeness[known.name] == CERTAIN]
    if len(certain) > 1:
        raise TraceFormatError(
            "from_trace",
            "a trace of one format",
            trace,
            "it has marks of " + " and ".join(known.name for known in certain) + ": take the "
            "mixture apart, or choose an importer",
        )
    for known in certain or _FORMATS:
        if likeness[known.name] != NO:
            return known
    opened(trace, "from_trace", _WANTED)  # says what to do with text that is no lines of spans
    raise TraceFormatError(
        "from_trace",
        _WANTED,
        trace,
        "no message, item, span or call of any was found; " + _hint(whole),
    )


def _hint(whole: Any) -> str:
    """Say what the first record that has something like a message inside needs, if there is one."""
    records = [whole] if isinstance(whole, Mapping) else whole
    hints = [without_role(record) for record in records[:_LOOKED_AT]]
    return next((hint for hint in hints if hint.startswith("the message")), hints[0])
