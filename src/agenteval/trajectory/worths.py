"""What the steps from some block on make of the calls from each on: a number a call, two ways."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from functools import cached_property, reduce
from operator import or_

from agenteval.trajectory import lanes
from agenteval.trajectory.bitsets import bits
from agenteval.trajectory.fronts import Rises

__all__ = ["Kept", "Worths"]


class Worths:
    """A number for every lane, none smaller than the one below: as slices, or as rises.

    Args:
        full: All lanes there are.
        slices: The numbers, as in `lanes`.
        rises: By how much they grow; without both all numbers are zero.

    >>> Worths(0b1111, rises=Rises([1, 3], [1, 2])).slices  # 0, 1, 1, 3
    [14, 8]
    >>> Worths(0b1111, slices=[14, 8]).rises
    Rises(lanes=[1, 3], amounts=[1, 2])
    """

    def __init__(
        self, full: int, *, slices: list[int] | None = None, rises: Rises | None = None
    ) -> None:
        self._full = full
        if slices is not None:
            self.slices = slices
        elif rises is not None:
            self.rises = rises
        else:
            self.slices, self.rises = [], Rises([], [])

    @cached_property
    def slices(self) -> list[int]:
        """The numbers, sliced."""
        places, amounts = self.rises
        if max(amounts, default=0) == 1:
            return lanes.sums([bits(places)], self._full)
        return lanes.sums(lanes.sliced(zip(places, amounts, strict=True)), self._full)

    @cached_property
    def rises(self) -> Rises:
        """The lanes whose number is larger than the one below, and by how much."""
        return Rises(*lanes.numbers(lanes.rises(self.slices, self._full)))

    def kept_changes(self) -> Kept:
        """Return in even less room where they change: only `Kept.room_below` can be asked."""
        return _KeptSlices([lanes.changes(self.slices, self._full)])

    def kept(self) -> Kept:
        """Return the numbers in little room."""
        if "rises" in self.__dict__:
            return _KeptRises(self.rises, self._full.bit_length())
        return _KeptSlices(lanes.rises(self.slices, self._full))


class Kept:
    """Numbers that are looked up now and then, one for every lane."""

    def at(self, lane: int) -> int:
        """Return the number at `lane`; below the lowest lane it is zero."""
        raise NotImplementedError

    def room_below(self, lane: int) -> int:
        """Return how far down what ends at `lane` may go on, and leave no smaller number below."""
        raise NotImplementedError


class _KeptRises(Kept):
    """Kept as lanes and amounts.

    >>> kept = _KeptRises(Rises([1, 3], [1, 2]), width=4)
    >>> [kept.at(lane) for lane in range(-1, 4)], kept.room_below(3)
    ([0, 0, 1, 1, 3], 2)
    """

    def __init__(self, rises: Rises, width: int) -> None:
        most = max(rises.amounts, default=1)
        code = "H" if max(most, width) < 1 << 16 else "Q"
        self._lanes = array(code, rises.lanes)
        self._amounts = None if most == 1 else array(code, rises.amounts)

    def at(self, lane: int) -> int:
        risen = bisect_left(self._lanes, lane + 1)
        return risen if self._amounts is None else sum(self._amounts[:risen])

    def room_below(self, lane: int) -> int:
        risen = bisect_left(self._lanes, lane)
        return self._lanes[risen - 1] + 1 if risen else 0


class _KeptSlices(Kept):
    """Kept as slices of the rises.

    >>> kept = _KeptSlices([0b0010, 0b1000])
    >>> [kept.at(lane) for lane in range(-1, 4)], kept.room_below(3)
    ([0, 0, 1, 1, 3], 2)
    """

    def __init__(self, rises: list[int]) -> None:
        self._rises = rises

    def at(self, lane: int) -> int:
        through = (1 << lane + 1) - 1
        return sum((piece & through).bit_count() << at for at, piece in enumerate(self._rises))

    def room_below(self, lane: int) -> int:
        return (reduce(or_, self._rises, 0) & (1 << lane) - 1).bit_length()
