"""Checks: what one is called, and what it says about a result."""

from __future__ import annotations

import functools
from typing import Any

from agenteval._messages import cut

__all__ = ["check_name", "reasons_of"]


def check_name(check: object) -> str:
    """Return the name that reasons give a check: its ``name`` or ``__name__``, else its class.

    >>> def database_state(task, result): ...
    >>> check_name(database_state), check_name(functools.partial(database_state))
    ('database_state', 'database_state')
    """
    while isinstance(check, functools.partial):
        check = check.func
    for attribute in ("name", "__name__"):
        name = getattr(check, attribute, None)
        if isinstance(name, str) and name:
            return name
    return type(check).__name__


def reasons_of(said: Any, name: str) -> list[str]:
    """Return the reasons in what the check `name` said; none when the run passes it.

    Raises:
        TypeError: It said neither a bool, nor text, nor a list of text, nor None.
        ValueError: It gave an empty text, which is neither a pass nor a reason.

    >>> reasons_of(None, "state"), reasons_of(False, "state"), reasons_of("no claim", "state")
    ([], ['check failed: state'], ['no claim'])
    """
    if said is None or said is True:
        return []
    if said is False:
        return [f"check failed: {name}"]
    if isinstance(said, str):
        return [_reason(said, name)]
    if isinstance(said, (list, tuple)):
        return [_reason(one, name) for one in said]
    if type(said).__name__ in ("bool", "bool_"):  # numpy's, under both of its names
        return reasons_of(bool(said), name)
    raise TypeError(
        f"check {name!r} must return None, a bool, a reason or a list of reasons, "
        f"got {type(said).__name__} {cut(said)}"
    )


def _reason(said: Any, name: str) -> str:
    if not isinstance(said, str):
        raise TypeError(
            f"check {name!r} must list reasons as text, got {type(said).__name__} {cut(said)}"
        )
    if not said:
        raise ValueError(
            f"check {name!r} gave an empty reason; return None or [] for a pass, else say why"
        )
    return str.__str__(said)
