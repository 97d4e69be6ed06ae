"""Many calls' arguments by the value of each, so that nobody has to look at them one by one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from operator import or_
from typing import Any

from agenteval.trajectory.bitsets import bits
from agenteval.trajectory.calls import Call

__all__ = ["Items"]


class Items:
    """The plain arguments of many calls of one tool; sets of calls are bits, by `place`.

    Args:
        rows: The place of every call and its arguments.

    >>> items = Items([(0, {"a": 1}), (1, {"a": 1, "b": [2]}), (2, {"b": [2]})])
    >>> bin(items.holding("a", 1)), bin(items.holding("b", [2])), bin(items.having("b"))
    ('0b11', '0b110', '0b110')
    >>> {tuple(sorted(names)): bin(places) for names, places in items.by_names.items()}
    {('a',): '0b1', ('a', 'b'): '0b10', ('b',): '0b100'}
    """

    def __init__(self, rows: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        by_names: dict[frozenset[str], list[int]] = {}
        self._places: dict[object, list[int]] = {}
        self._holding: dict[object, int] = {}
        for place, args in rows:
            by_names.setdefault(frozenset(args), []).append(place)
            for name, value in args.items():
                self._places.setdefault(_key(name, value), []).append(place)
        self.by_names = {names: bits(places) for names, places in by_names.items()}
        self.all = reduce(or_, self.by_names.values(), 0)

    def holding(self, name: str, value: Any) -> int:
        """Return the calls whose argument `name` is `value`, which is plain too."""
        key = _key(name, value)
        if key not in self._holding:
            self._holding[key] = bits(self._places.get(key, ()))
        return self._holding[key]

    def having(self, name: str) -> int:
        """Return the calls that have an argument `name`, whatever its value."""
        return reduce(or_, (places for names, places in self.by_names.items() if name in names), 0)

    def counted(self, sets: Iterable[int]) -> list[int]:
        """Return at place ``n`` the calls that are in `n` or more of `sets`.

        >>> Items([(0, {}), (1, {}), (2, {})]).counted([0b011, 0b010])
        [7, 3, 2]
        """
        at_least = [self.all]
        for found in sets:
            at_least.append(0)
            for count in range(len(at_least) - 1, 0, -1):
                at_least[count] |= at_least[count - 1] & found
        return at_least


def _key(name: str, value: Any) -> object:
    """Return a hashable stand-in for an argument's name and value."""
    return Call("", {name: value}).key()
