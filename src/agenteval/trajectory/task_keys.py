"""Which known key a task's unknown key was probably meant to be: for all who read tasks.

A typing slip must not switch a safety check off, and an honest key of one's own (``model`` beside
``mode``, ``preference`` beside ``reference``, ``inputs`` beside ``input``) must not be refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any

from agenteval.records import Task

__all__ = ["TASK_KEYS", "refuse_slips", "slip_of"]

TASK_KEYS: frozenset[str] = Task.__required_keys__ | Task.__optional_keys__

_HARMLESS = frozenset({*Task.__required_keys__, "metadata"})
"""Keys whose look-alikes switch nothing off when the key itself is there."""

_SLIPS = {
    "forbidden_tools": 2,
    "max_tool_calls": 2,
    "max_cost": 1,
    "max_seconds": 1,
    "reference": 1,
    "references": 1,
    "reference_cost": 1,
    "args_match": 1,
}
"""How many single-letter slips are looked for in a key. Short keys are left out, because other
words are too near to them."""

_OTHER_WORDS = {
    "forbidtools": "forbidden_tools",
    "forbidden": "forbidden_tools",
    "maxcalls": "max_tool_calls",
}
"""What is written for a key by those who remember it half, letters alone."""


def refuse_slips(task: Mapping[Any, Any], unknown: Collection[Any], where: str) -> None:
    """Raise when one of a task's `unknown` keys nearly spells a known one.

    Raises:
        ValueError: One does; `where` begins the message.
    """
    for key in sorted(key for key in unknown if isinstance(key, str)):
        meant = _meant(key)
        if meant is None or (meant in _HARMLESS and task.get(meant) is not None):
            continue
        raise ValueError(
            f"{where}: unknown key {key!r} nearly spells {meant!r}; "
            "correct it, or rename it if it is your own"
        )


@lru_cache  # all tasks of a file have the same keys
def _meant(key: str) -> str | None:
    return slip_of(key, TASK_KEYS)


def slip_of(key: str, known: Iterable[str]) -> str | None:
    """Return the known key that `key` nearly spells, or None.

    The same letters in another case or with other separators are a slip of any known key. Other
    slips (a letter too many, too few, wrong, or two swapped) are looked for in the longer keys, and
    only when the first letter is right: people seldom get that one wrong, and words differ by it.

    >>> known = ["expected", "forbidden_tools", "max_tool_calls", "mode", "reference"]
    >>> [slip_of(key, known) for key in ("forbiden_tools", "maxToolCalls", "Expected")]
    ['forbidden_tools', 'max_tool_calls', 'expected']
    >>> [slip_of(key, known) for key in ("model", "preference", "tags")]
    [None, None, None]
    """
    letters = _letters(key)
    for name in known:
        if letters == _letters(name):
            return name
    if letters in _OTHER_WORDS:
        return _OTHER_WORDS[letters]
    for name, most in _SLIPS.items():
        plain = _letters(name)
        if (
            letters[:1] == plain[:1]
            and abs(len(letters) - len(plain)) <= most
            and _slips(letters, plain) <= most
        ):
            return name
    return None


def _letters(key: str) -> str:
    return "".join(filter(str.isalnum, key)).lower()


def _slips(one: str, other: str) -> int:
    """Count the letters inserted, dropped, replaced or swapped with their neighbor."""
    before: list[int] = []
    above = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, wanted in enumerate(other, 1):
            best = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                best = min(best, before[j - 2] + 1)
            row.append(best)
        before, above = above, row
    return above[-1]
