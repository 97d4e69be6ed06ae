"""One small number for every call of a run, all added, compared and chosen at once.

The numbers are sliced (Biham 1997): integer ``i`` of a list holds bit ``i`` of all of them, one
lane a call, so that one operation of large integers works on all lanes. A list may be of any
length; what is not there is zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import zip_longest
from operator import or_

from agenteval.trajectory.bitsets import bits, members

__all__ = [
    "at",
    "changes",
    "choose",
    "larger",
    "largest",
    "numbers",
    "plus",
    "rises",
    "sliced",
    "spread",
    "sums",
]


def sliced(numbers: Iterable[tuple[int, int]]) -> list[int]:
    """Return ``(lane, number)`` pairs as slices.

    >>> sliced([(0, 1), (2, 3)])
    [5, 4]
    """
    lanes: list[list[int]] = []
    for lane, number in numbers:
        lanes.extend([] for _ in range(number.bit_length() - len(lanes)))
        for place in range(number.bit_length()):
            if number >> place & 1:
                lanes[place].append(lane)
    return [bits(filled) for filled in lanes]


def numbers(slices: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the lanes whose number is not zero, lowest first, and their numbers.

    >>> numbers([5, 4])
    ([0, 2], [1, 3])
    """
    filled = list(members(reduce(or_, slices, 0)))
    if len(slices) == 1:
        return filled, [1] * len(filled)
    found = [0] * len(filled)
    for place, piece in enumerate(slices):
        digits = f"{piece:b}"[::-1].ljust(filled[-1] + 1, "0") if filled else ""
        for nth, lane in enumerate(filled):
            if digits[lane] == "1":
                found[nth] += 1 << place
    return filled, found


def at(slices: Sequence[int], lane: int) -> int:
    """Return the number in one lane.

    >>> at([5, 4], 2)
    3
    """
    return sum((piece >> lane & 1) << place for place, piece in enumerate(slices))


def plus(slices: Sequence[int], amount: int, within: int) -> list[int]:
    """Return the numbers of the lanes `within`, each with `amount` added; the others are zero.

    >>> plus([5, 4], 3, within=0b101)
    [0, 4, 5]
    """
    found = []
    carry = place = 0
    while carry or place < len(slices) or amount >> place:
        piece = slices[place] & within if place < len(slices) else 0
        if amount >> place & 1:
            found.append(piece ^ carry ^ within)
            carry |= piece
        else:
            found.append(piece ^ carry)
            carry &= piece
        place += 1
    return found


def spread(slices: Sequence[int], ends: int, full: int) -> list[int]:
    """Return for every lane the number of the nearest of the lanes `ends` at or below it.

    Args:
        slices: The numbers, zero outside of `ends`.
        ends: The lanes that have one to give; below the lowest of them all is zero.
        full: All lanes there are.

    >>> [bin(piece) for piece in spread([0b0100, 0b0110], 0b0110, 0b11111)]
    ['0b11100', '0b11110']
    """
    between = full & ~ends
    found = []
    for piece in slices:
        room = between | piece  # what is added ripples up through it, to the next of the ends
        found.append(room & ~(room + piece) | piece)
    return found


def larger(slices: Sequence[int], others: Sequence[int], full: int) -> int:
    """Return the lanes in which the number is larger than the other one.

    >>> bin(larger([0b011], [0b101], full=0b111))
    '0b10'
    """
    found = 0
    for piece, other in zip_longest(slices, others, fillvalue=0):
        found = (piece | other) ^ other | found & (full ^ piece ^ other)
    return found


def choose(lanes: int, slices: Sequence[int], others: Sequence[int]) -> list[int]:
    """Return the numbers of `slices` in `lanes`, and those of `others` elsewhere.

    >>> choose(0b01, [0b11], [0b00, 0b11])
    [1, 2]
    """
    return [
        other ^ (piece ^ other) & lanes for piece, other in zip_longest(slices, others, fillvalue=0)
    ]


def largest(slices: Sequence[int], others: Sequence[int], full: int) -> list[int]:
    """Return for every lane the larger of its two numbers.

    >>> largest([0b011], [0b101, 0b100], full=0b111)
    [7, 4]
    """
    return choose(larger(slices, others, full), slices, others)


def changes(slices: Sequence[int], full: int) -> int:
    """Return the lanes whose number is not that of the lane below; below the lowest is zero.

    >>> bin(changes([0b0110], full=0b1111))
    '0b1010'
    """
    found = 0
    for piece in slices:
        found |= piece ^ piece << 1
    return found & full


def rises(slices: Sequence[int], full: int) -> list[int]:
    """Return by how much each lane's number is above that of the lane below, which is no larger.

    >>> rises([0b0010, 0b1100], full=0b1111)  # the numbers are 0, 1, 2, 2
    [6]
    """
    found = []
    borrow = 0
    for piece in slices:
        below = piece << 1 & full
        found.append(piece ^ below ^ borrow)
        borrow = ~piece & (below | borrow) | below & borrow
    while found and not found[-1]:
        found.pop()
    return found


def sums(slices: Sequence[int], full: int) -> list[int]:
    """Return for every lane the sum of its number and of all below.

    >>> sums([0b0110], full=0b1111)  # 0, 1, 2, 2
    [2, 12]
    """
    found = list(slices)
    distance = 1
    while distance < full.bit_length():
        found = _added(found, [piece << distance & full for piece in found])
        distance *= 2
    return found


def _added(slices: Sequence[int], others: Sequence[int]) -> list[int]:
    found = []
    carry = 0
    for piece, other in zip_longest(slices, others, fillvalue=0):
        either = piece ^ other
        found.append(either ^ carry)
        carry = piece & other | carry & either
    return [*found, carry] if carry else found
