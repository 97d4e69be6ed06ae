"""What the steps from some block on make of the calls from each on: a number a call, two ways."""

from __future__ import annotations

from functools import cached_property

from agenteval.trajectory import lanes
from agenteval.trajectory.bitsets import bits
from agenteval.trajectory.fronts import Rises

__all__ = ["Worths", "worth_at"]


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
        return lanes.sums(self.sliced_rises(), self._full)

    @cached_property
    def rises(self) -> Rises:
        """The lanes whose number is larger than the one below, and by how much."""
        return Rises(*lanes.numbers(self.sliced_rises()))

    def sliced_rises(self) -> list[int]:
        """Return the rises as slices, which take little room; `worth_at` reads them."""
        if "rises" not in self.__dict__:
            return lanes.rises(self.slices, self._full)
        places, amounts = self.rises
        if max(amounts, default=0) == 1:
            return [bits(places)]
        return lanes.sliced(zip(places, amounts, strict=True))


def worth_at(rises: list[int], lane: int) -> int:
    """Return the number at `lane` from sliced rises; below the lowest lane it is zero.

    >>> [worth_at([0b0010, 0b1000], lane) for lane in (-1, 0, 1, 3)]
    [0, 0, 1, 3]
    """
    through = (2 << lane) - 1 if lane >= 0 else 0
    return sum((piece & through).bit_count() << place for place, piece in enumerate(rises))
