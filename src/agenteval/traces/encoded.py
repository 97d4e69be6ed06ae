"""Content that is JSON text where the format has a list: some stores keep a message's parts so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenteval.traces.call_shapes import bears_call
from agenteval.traces.errors import TraceFormatError
from agenteval.traces.marks import message_mark, objects_in, part_mark
from agenteval.traces.reading import mapping, optional_sequence, plain

__all__ = [
    "content_parts",
    "encoded_parts",
    "parsed",
    "refuse_encoded",
    "refuse_encoded_messages",
]

_HINT = "this text is the JSON of a list: parse it first"
_RESULT_IDS = ("tool_use_id", "toolCallId", "call_id")


def content_parts(
    content: Any, where: str, *, by_user: bool
) -> list[tuple[Mapping[str, Any], str]]:
    """Return the parts of a message's content with their places; text is one part.

    Raises:
        TraceFormatError: A part is no object, or all of them are still JSON text.
    """
    content = plain(content)
    if isinstance(content, str):
        refuse_encoded(content, where, by_user=by_user)
        return [({"type": "text", "text": content}, where)]
    return [
        (mapping(one, f"{where}[{at}]"), f"{where}[{at}]")
        for at, one in enumerate(optional_sequence(content, where))
    ]


def refuse_encoded(said: str, where: str, *, by_user: bool = False) -> None:
    """Raise `TraceFormatError` where a content is the JSON text of a message's parts.

    Read as what was said, the calls of an assistant or the results in a user's message would be
    lost.
    """
    if encoded_parts(said, by_user=by_user):
        raise TraceFormatError(where, "text or a list", said, _HINT)


def encoded_parts(said: str, *, by_user: bool = False) -> list[Mapping[str, Any]]:
    """Return the parts of a message that JSON text is; none where it is anything else.

    They hold the calls of an assistant, or the results in a user's message. JSON that a message may
    as well say is none: a list of anything else, of calls without a format's mark, or of messages.
    """
    parts = _records(said)
    lost = _is_result if by_user else bears_call
    if not all(part_mark(part) or "text" in part for part in parts):
        return []
    return parts if any(part_mark(part) and lost(part) for part in parts) else []


def refuse_encoded_messages(said: str, where: str) -> None:
    """Raise `TraceFormatError` where the question of a request is the JSON text of its messages."""
    if any(part_mark(one) or message_mark(one) for one in _records(said)):
        raise TraceFormatError(where, "text or a list", said, _HINT)


def parsed(said: str) -> Any:
    """Return the list or object that is in JSON text; ``None`` where it is anything else.

    >>> parsed('[{"role": "user"}]'), parsed("[sic]"), parsed("3")
    ([{'role': 'user'}], None, None)
    """
    if said.lstrip()[:1] not in ("{", "["):
        return None
    import json  # here, because importing agenteval must stay quick

    try:
        return json.loads(said)
    except (ValueError, RecursionError):
        return None


def _records(said: str) -> list[Mapping[str, Any]]:
    """Return the records of a list in JSON text; none where it holds anything else."""
    found = parsed(said) if said.lstrip().startswith("[") else None
    records = list(objects_in(found))
    return records if found and len(records) == len(found) else []


def _is_result(part: Mapping[str, Any]) -> bool:
    return not bears_call(part) and any(isinstance(part.get(key), str) for key in _RESULT_IDS)
