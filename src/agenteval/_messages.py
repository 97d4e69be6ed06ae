"""Pieces of error messages: a value cut to a readable length, a choice with its neighbor."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["cut", "nearest", "one_of"]


def cut(value: object, width: int = 60) -> str:
    """Return ``repr(value)``, at most `width` characters long; never raises.

    >>> cut("a" * 100, 12)
    "'aaaaaaaa..."
    """
    try:
        text = repr(value)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - a message about bad input must not fail on the bad input
        text = f"<{type(value).__name__} whose repr fails>"
    return text if len(text) <= width else text[: width - 3] + "..."


def nearest(word: object, choices: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the choice that `word` most nearly spells, or None.

    >>> nearest("in_ordr", ["exact", "in_order"])
    'in_order'
    """
    if not isinstance(word, str):
        return None
    import difflib  # here, because only messages about slips need it

    found = difflib.get_close_matches(word, list(choices), n=1, cutoff=cutoff)
    return found[0] if found else None


def one_of(word: object, choices: Iterable[str]) -> str:
    """Say what is allowed in place of `word`, and which of it was probably meant.

    >>> one_of("in_ordr", ["exact", "in_order"])
    "use one of 'exact', 'in_order' (did you mean 'in_order'?)"
    """
    listed = list(choices)
    text = "use one of " + ", ".join(map(repr, listed))
    close = nearest(word, listed)
    return text if close is None else f"{text} (did you mean {close!r}?)"
