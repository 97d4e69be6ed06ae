"""Sets of places as Python integers, one bit a member, so that a step looks at all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress, count

__all__ = ["bits", "members"]

# So many bits are found quicker in the text of a number than one by one; and where one place in
# so many is set, quicker by looking at all.
_MANY = 16
_DENSE = 5
_DIGITS = bytes.maketrans(b"01", b"\x00\x01")


def bits(places: Sequence[int]) -> int:
    """Return the set of `places` as bits.

    >>> bin(bits([1, 3]))
    '0b1010'
    """
    if len(places) < 8:
        return sum(1 << place for place in places)
    filled = bytearray(max(places) // 8 + 1)
    for place in places:
        filled[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(filled, "little")


def members(found: int) -> Iterator[int]:
    """Return the places of the bits that are set, lowest first.

    >>> list(members(0b1010))
    [1, 3]
    """
    many = found.bit_count()
    if many <= _MANY:
        return _one_by_one(found)
    text = bin(found)[:1:-1]
    if many * _DENSE < len(text):
        return _one_after_another(text)
    return compress(count(), text.encode().translate(_DIGITS))


def _one_by_one(found: int) -> Iterator[int]:
    while found:
        lowest = found & -found
        yield lowest.bit_length() - 1
        found ^= lowest


def _one_after_another(text: str) -> Iterator[int]:
    place = text.find("1")
    while place >= 0:
        yield place
        place = text.find("1", place + 1)
