"""Does a run cover its reference: the five modes, on hashable keys or on anything with ``==``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from agenteval._messages import cut, one_of
from agenteval.records import MODES, Mode
from agenteval.trajectory.assignment import Assignment, bits

__all__ = ["check_mode", "covers"]


def check_mode(mode: object, where: str) -> None:
    """Raise when `mode` is none of the five; an unknown mode must not pass for another one."""
    if mode not in MODES:
        kind = ValueError if isinstance(mode, str) else TypeError
        raise kind(f"{where}: unknown mode {cut(mode)}; {one_of(mode, MODES)}")


def covers(
    reference_keys: Sequence[Any], actual_keys: Sequence[Any], mode: Mode = "in_order"
) -> bool:
    """Answer whether the actual run contains what the reference asks for.

    | mode | holds when |
    |---|---|
    | ``exact`` | the same calls in the same order |
    | ``in_order`` | every reference call, in order, extras tolerated |
    | ``any_order`` | every reference call as often as the reference has it, extras tolerated |
    | ``unordered`` | the same calls as often, in any order, no extras |
    | ``subset`` | no call outside the reference, none more often than the reference has it |

    Time is linear in every mode when the keys can be hashed.

    Args:
        reference_keys: `Call.key` of each reference call, or any values that ``==`` compares.
        actual_keys: The same of the run's calls.
        mode: One of the five.

    Returns:
        Whether it holds. An empty reference is covered by any run in the two modes that tolerate
        extras, and only by an empty one in the others.

    Raises:
        ValueError: `mode` is none of the five.

    >>> covers(["look", "file"], ["look", "search", "file"])
    True
    >>> covers(["look", "file"], ["file", "look"]), covers("ab", "ba", "any_order")
    (False, True)
    """
    check_mode(mode, "covers")
    if mode == "exact":
        return list(reference_keys) == list(actual_keys)
    if mode == "in_order":
        rest = iter(actual_keys)
        return all(key in rest for key in reference_keys)
    if mode == "unordered" and len(reference_keys) != len(actual_keys):
        return False
    if mode == "subset":
        needed, held = actual_keys, reference_keys
    else:
        needed, held = reference_keys, actual_keys
    if len(needed) > len(held):
        return False
    try:
        counts = Counter(held)
        return all(counts[key] >= count for key, count in Counter(needed).items())
    except TypeError:  # a key that cannot be hashed: a list, or an object whose == decides
        return _all_served(needed, held)


def _all_served(keys: Sequence[Any], held: Sequence[Any]) -> bool:
    """Say whether every key equals an item of its own, by a maximum assignment."""
    pairs = Assignment()
    return all(
        pairs.serve(taker, bits([place for place, item in enumerate(held) if key == item]))
        for taker, key in enumerate(keys)
    )
