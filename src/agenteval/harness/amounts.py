"""Counts and amounts: what is taken for one, and what is said about anything else.

`what` opens every message: the function, the place and the name of the value.
"""

from __future__ import annotations

import math
from typing import Any

from agenteval._messages import cut

__all__ = ["amount", "count", "is_number"]


def is_number(value: object) -> bool:
    """Say whether `value` is a number; a bool is none.

    >>> [is_number(value) for value in (1, 0.5, True, "1")]
    [True, True, False, False]
    """
    if isinstance(value, (int, float)):
        return not isinstance(value, bool)
    from numbers import Number  # here, because only numbers of other libraries need it

    return isinstance(value, Number)


def count(value: Any, what: str, *, least: int = 0) -> int:
    """Return `value` as an int of at least `least`.

    >>> count(3, "evaluate: repeats", least=1)
    3
    """
    if not isinstance(value, int) or isinstance(value, bool):
        index = getattr(type(value), "__index__", None)  # whole numbers of other libraries
        if index is None or isinstance(value, bool):
            raise TypeError(
                f"{what} must be an int of at least {least}, "
                f"got {type(value).__name__} {cut(value)}"
            )
        value = int(index(value))
    if value < least:
        raise ValueError(f"{what} must be an int of at least {least}, got {cut(value)}")
    return int(value)


def amount(value: Any, what: str, *, positive: bool = False) -> float:
    """Return `value` as a finite float that is not negative, or above 0 where `positive`.

    >>> amount(0.21, "cost")
    0.21
    """
    allowed = "a number above 0" if positive else "a number of at least 0"
    if not is_number(value):
        raise TypeError(f"{what} must be {allowed}, got {type(value).__name__} {cut(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or number < 0 or (positive and number == 0):
        raise ValueError(f"{what} must be {allowed}, got {cut(value)}")
    return number
