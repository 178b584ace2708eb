"""A part in the form in which clusters keep and send it."""

from typing import Any

import numpy as np
from attrs import evolve, frozen

from ftree._lib.arrays import Array, Floats
from ftree.scan.parts import Part

# If more than this share of the numbers is not 0, all are kept, since a place takes half as much as a number.
_FEW = 0.25


@frozen(eq=False)
class PackedPart:
    """A part whose codes take the fewest bytes, without its numbers if few are not 0: `some` has their shape, places, values."""

    part: Part
    kind: np.dtype[Any]
    some: tuple[tuple[int, ...], Array, Floats] | None

    def unpacked(self) -> Part:
        """The part as it was."""
        part = evolve(self.part, codes=self.part.codes.astype(self.kind, copy=False))
        if self.some is None:
            return part
        shape, places, values = self.some
        numbers = np.zeros(shape)
        numbers.ravel()[places] = values
        return evolve(part, numbers=numbers)


def packed(part: Part) -> PackedPart:
    """A part in less memory.

    >>> one = packed(Part(np.array([[0, 1]], dtype=np.uint16), np.zeros((1, 2)), np.array([0, 1])))
    >>> one.part.codes.dtype.name, one.part.numbers.shape, one.unpacked().codes.dtype.name, one.unpacked().numbers.shape
    ('uint8', (0, 2), 'uint16', (1, 2))
    """
    small: Array = part.codes.astype(np.uint8) if part.codes.max(initial=0) < 2**8 else part.codes
    places = np.flatnonzero(part.numbers)
    if len(places) > _FEW * part.numbers.size:
        return PackedPart(evolve(part, codes=small), part.codes.dtype, None)
    short = places.astype(np.uint32) if part.numbers.size < 2**32 else places
    some = part.numbers.shape, short, part.numbers.ravel()[places]
    return PackedPart(evolve(part, codes=small, numbers=part.numbers[:0]), part.codes.dtype, some)
