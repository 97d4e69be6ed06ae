"""Does a run cover its reference: the five modes, on hashable keys or on anything with ``==``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agenteval._messages import cut, one_of
from agenteval.records import MODES, Mode
from agenteval.trajectory.assignment import Assignment
from agenteval.trajectory.bitsets import bits
from agenteval.trajectory.calls import Call, is_plain

__all__ = ["check_mode", "covers", "covers_plain"]

# What other libraries call the modes; the nearest spelling would be another mode.
_ELSEWHERE: dict[str, str] = {
    "strict": "exact",
    "superset": "any_order",
    "tool_sequence": "in_order",
    **dict(zip(MODES, MODES, strict=True)),
}


def check_mode(mode: object, where: str) -> None:
    """Raise when `mode` is none of the five; an unknown mode must not pass for another one."""
    if not isinstance(mode, str):
        raise TypeError(f"{where}: unknown mode {cut(mode)}; {one_of(mode, MODES)}")
    if mode not in MODES:
        meant = _ELSEWHERE.get("_".join(mode.lower().replace("-", " ").split()), mode)
        raise ValueError(f"{where}: unknown mode {cut(mode)}; {one_of(meant, MODES)}")


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

    Time is linear in every mode when the keys can be hashed. Where hashes find no coverage, keys
    of other classes than plain data are compared one with one, as their ``==`` may decide.

    Args:
        reference_keys: `Call.key` of each reference call, or any values that ``==`` compares, the
            calls themselves among them.
        actual_keys: The same of the run's calls.
        mode: One of the five.

    Returns:
        Whether it holds. An empty reference is covered by any run in the two modes that tolerate
        extras, and only by an empty one in the others.

    Raises:
        TypeError: One side is no collection of keys.
        ValueError: `mode` is none of the five, or the ``==`` of a key raises.

    >>> covers(["look", "file"], ["look", "search", "file"])
    True
    >>> covers(["look", "file"], ["file", "look"]), covers("ab", "ba", "any_order")
    (False, True)
    """
    check_mode(mode, "covers")
    wanted, given = _listed(reference_keys, "reference_keys"), _listed(actual_keys, "actual_keys")
    try:
        return _covers(wanted, given, mode)
    except Exception as slip:
        raise ValueError(
            f"covers: comparing two keys raised {type(slip).__name__}: {slip}; the == of what they "
            "hold must say whether they are equal"
        ) from slip


def covers_plain(wanted: Sequence[Any], given: Sequence[Any], mode: Mode) -> bool:
    """Do what `covers` does for keys that are known to be plain data and can be hashed."""
    if mode == "exact":
        return list(wanted) == list(given)
    if mode == "in_order":
        rest = iter(given)
        return all(key in rest for key in wanted)
    needed, held = _sides(wanted, given, mode)
    if len(needed) > len(held):
        return False
    counts = Counter(held)
    return all(counts[key] >= count for key, count in Counter(needed).items())


def _covers(wanted: list[Any], given: list[Any], mode: Mode) -> bool:
    if mode in ("exact", "in_order"):  # compared one after the other, whatever the keys are
        return covers_plain(wanted, given, mode)
    needed, held = _sides(wanted, given, mode)
    if len(needed) > len(held):
        return False
    try:
        if all(map(_is_plain_key, [*wanted, *given])):
            return covers_plain(wanted, given, mode)
        return _all_found(needed, held) or _all_served(needed, held)
    except (TypeError, ValueError):  # not to be hashed: a list, an object whose == decides, or deep
        return _all_served(needed, held)


def _sides(
    wanted: Sequence[Any], given: Sequence[Any], mode: Mode
) -> tuple[Sequence[Any], Sequence[Any]]:
    """Return, in a mode without order, the keys that have to be found, and those among which."""
    if mode == "subset" or (mode == "unordered" and len(wanted) < len(given)):
        return given, wanted
    return wanted, given


def _is_plain_key(key: Any) -> bool:
    return is_plain(key.args if isinstance(key, Call) else key)


def _all_found(keys: Sequence[Any], held: Sequence[Any]) -> bool:
    """Say whether hashes lead every key to an item of its own; ``==`` may find more than that."""
    places: dict[Any, list[Any]] = {}
    for item in held:
        places.setdefault(item, []).append(item)
    for key in keys:
        items = places.get(key)
        if not items:
            return False
        item = items.pop()
        if not (key is item or key == item):
            return False
    return True


def _all_served(keys: Sequence[Any], held: Sequence[Any]) -> bool:
    """Say whether every key equals an item of its own, by a maximum assignment."""
    pairs = Assignment()
    return all(
        pairs.serve(
            taker,
            bits([place for place, item in enumerate(held) if key is item or key == item]),
        )
        for taker, key in enumerate(keys)
    )


def _listed(keys: Any, name: str) -> list[Any]:
    if isinstance(keys, (Call, Mapping)) or not isinstance(keys, Iterable):
        raise TypeError(
            f"covers: {name} must be a list of keys, got {type(keys).__name__} {cut(keys)}; pass "
            "[call.key() for call in calls], or the calls themselves"
        )
    return list(keys)
