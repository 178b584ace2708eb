"""Encoded parts as they are kept and sent on clusters: small codes take one byte, and only numbers other than 0."""

from typing import Any

import numpy as np
from attrs import evolve, frozen

from ftree._lib.arrays import Array, Floats
from ftree.scan.parts import Part

# If more than this share of the numbers is not 0, all are kept, since a place takes half as much as a number.
_FEW = 0.25


@frozen(eq=False)
class PackedPart:
    """A part whose codes take the fewest bytes, and `some` numbers, None if the part has all."""

    part: Part
    kind: np.dtype[Any]
    some: "SomeNumbers | None"

    def unpacked(self) -> Part:
        """The part as it was."""
        part = evolve(self.part, codes=self.part.codes.astype(self.kind, copy=False))
        return part if self.some is None else evolve(part, numbers=self.some.all())


@frozen(eq=False)
class SomeNumbers:
    """The numbers of an array of a shape that are not 0, and their places, (n,) each."""

    shape: tuple[int, ...]
    places: Array
    numbers: Floats

    @staticmethod
    def of(numbers: Floats) -> "SomeNumbers":
        """The numbers of an array that are not 0."""
        places = np.flatnonzero(numbers)
        small = places.astype(np.uint32) if numbers.size < 2**32 else places
        return SomeNumbers(numbers.shape, small, numbers.ravel()[places])

    def all(self) -> Floats:
        """The whole array."""
        numbers = np.zeros(self.shape)
        numbers.ravel()[self.places] = self.numbers
        return numbers


def packed(part: Part) -> PackedPart:
    """A part in less memory.

    >>> one = packed(Part(np.array([[0, 1]], dtype=np.uint16), np.zeros((1, 2)), np.array([0, 1])))
    >>> one.part.codes.dtype.name, one.part.numbers.shape, one.unpacked().codes.dtype.name, one.unpacked().numbers.shape
    ('uint8', (0, 2), 'uint16', (1, 2))
    """
    small: Array = part.codes.astype(np.uint8) if part.codes.max(initial=0) < 2**8 else part.codes
    if np.count_nonzero(part.numbers) > _FEW * part.numbers.size:
        return PackedPart(evolve(part, codes=small), part.codes.dtype, None)
    some = SomeNumbers.of(part.numbers)
    return PackedPart(evolve(part, codes=small, numbers=part.numbers[:0]), part.codes.dtype, some)
