"""Checks of the numbers that callers pass beside their outcomes."""

from __future__ import annotations

from math import isfinite
from operator import index
from typing import Any

from agenteval._messages import cut

__all__ = ["MOST", "number", "share", "whole"]


MOST = 10**15
"""Counts above are refused where floats reckon with them: no evaluation is so large."""


def whole(where: str, name: str, value: Any, least: int = 1, most: int | None = None) -> int:
    """Return `value` as an int of at least `least` and, where given, at most `most`."""
    try:
        found = index(value)
    except TypeError:
        found = None
    if found is None or isinstance(value, bool):
        raise TypeError(
            f"{where}: {name} must be a whole number, got {type(value).__name__} {cut(value)}"
        )
    if found < least:
        raise ValueError(f"{where}: {name} must be at least {least}, got {cut(found)}")
    if most is not None and found > most:
        raise ValueError(f"{where}: {name} must be at most {most:.0e}, got {cut(found)}")
    return found


def number(where: str, name: str, value: Any) -> float:
    """Return `value` as a finite float; text is no number, even if it spells one."""
    try:
        if isinstance(value, (str, bytes, bytearray)):
            raise TypeError
        found = float(value)
    except OverflowError:
        raise ValueError(
            f"{where}: {name} must be a number that a float can hold, got {cut(value)}"
        ) from None
    except (TypeError, ValueError):
        raise TypeError(
            f"{where}: {name} must be a number, got {type(value).__name__} {cut(value)}"
        ) from None
    if not isfinite(found):
        raise ValueError(f"{where}: {name} must be finite, got {found}")
    return found


def share(where: str, name: str, value: Any, *, closed: bool = False) -> float:
    """Return `value` as a float between 0 and 1, which are allowed where `closed`."""
    found = number(where, name, value)
    if not (0 < found < 1 or (closed and found in (0, 1))):
        allowed = "from 0 to 1" if closed else "between 0 and 1, without the two"
        raise ValueError(f"{where}: {name} must be {allowed}, got {cut(value)}")
    return found
