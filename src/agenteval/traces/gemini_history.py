"""The history that Gemini's Python SDK attaches to a response when it called functions itself.

Under ``automaticFunctionCallingHistory`` stand the contents of the request, the model's calls, and
what the functions returned: the only place where those calls are. Much of it can be told twice: the
contents of the request stand beside the response, each chunk of a stream repeats the history, and
at the limit of calls the response is itself the last call of its history.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from agenteval.traces.marks import objects_in
from agenteval.traces.reading import either, json_text, optional_sequence, plain

__all__ = ["Told", "content_key", "has_calls", "has_history", "history"]

_CALL = ("functionCall", "function_call")
_RESPONSE = ("functionResponse", "function_response")
_CAMEL = "automaticFunctionCallingHistory"
_SNAKE = "automatic_function_calling_history"


def has_history(record: Mapping[str, Any]) -> bool:
    """Say whether a record has the field at all, filled or not."""
    return _CAMEL in record or _SNAKE in record


def history(response: Mapping[str, Any], where: str) -> Sequence[Any]:
    """Return the contents of a response's history; none where it has no history."""
    return optional_sequence(either(response, _CAMEL, _SNAKE), f"{where}.{_CAMEL}")


class Told:
    """The contents that a trace has told so far, each as often as it stands there."""

    def __init__(self) -> None:
        self._noted: list[Mapping[str, Any]] = []
        self._times: Counter[str] = Counter()

    def note(self, content: Mapping[str, Any]) -> None:
        """Note a content that has been read."""
        self._noted.append(content)

    def news(self, contents: Sequence[Any]) -> list[bool]:
        """Say of each content of a history whether it is told for the first time, and note it.

        A history tells each content once: one that stands there twice happened twice.
        """
        self._count()
        here: Counter[str] = Counter()
        found = []
        for content in contents:
            key = content_key(content)
            here[key] += 1
            found.append(here[key] > self._times[key])
        self._times |= here
        return found

    def repeats_a_call(self, content: Mapping[str, Any], contents: Sequence[Any]) -> bool:
        """Say whether a response's own content makes calls that stand in its history."""
        if not any(either(part, *_CALL) is not None for part in objects_in(content.get("parts"))):
            return False
        key = content_key(content)
        return any(content_key(one) == key for one in contents)

    def _count(self) -> None:
        """Count what was noted; only a trace with a history pays for it."""
        self._times.update(map(content_key, self._noted))
        self._noted = []


def has_calls(content: Mapping[str, Any]) -> bool:
    """Say whether a content has a call or the response to one."""
    parts = list(objects_in(content.get("parts")))
    return any(either(part, *keys) is not None for part in parts for keys in (_CALL, _RESPONSE))


def content_key(content: Any) -> str:
    """Return text that two contents share when they say the same, in either spelling."""
    content = plain(content)
    if not isinstance(content, Mapping):
        return json_text(content)
    said: list[Any] = []
    for part in objects_in(content.get("parts")):
        call, response = plain(either(part, *_CALL)), plain(either(part, *_RESPONSE))
        if isinstance(call, Mapping):
            said.append(["call", call.get("name"), call.get("args") or {}, call.get("id")])
        elif isinstance(response, Mapping):
            returned = response.get("response")
            said.append(["response", response.get("name"), returned, response.get("id")])
        else:
            said.append([part.get("text"), bool(part.get("thought"))])
    return json_text([content.get("role"), said])
