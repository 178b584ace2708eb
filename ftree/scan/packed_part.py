"""Encoded parts as they are kept and sent on clusters: small codes take one byte, and numbers that are all 0 none."""

from typing import Any

import numpy as np
from attrs import evolve, frozen

from ftree._lib.arrays import Array
from ftree.scan.parts import Part


@frozen(eq=False)
class PackedPart:
    """A part whose codes take the fewest bytes; `n_numbers` is the number of numeric features if all their numbers are 0."""

    part: Part
    kind: np.dtype[Any]
    n_numbers: int | None

    def unpacked(self) -> Part:
        """The part as it was."""
        part = evolve(self.part, codes=self.part.codes.astype(self.kind, copy=False))
        return part if self.n_numbers is None else evolve(part, numbers=np.zeros((self.n_numbers, len(part))))


def packed(part: Part) -> PackedPart:
    """A part in less memory.

    >>> one = packed(Part(np.array([[0, 1]], dtype=np.uint16), np.zeros((1, 2)), np.array([0, 1])))
    >>> one.part.codes.dtype.name, one.part.numbers.shape, one.unpacked().codes.dtype.name, one.unpacked().numbers.shape
    ('uint8', (0, 2), 'uint16', (1, 2))
    """
    small: Array = part.codes.astype(np.uint8) if part.codes.max(initial=0) < 2**8 else part.codes
    if part.numbers.any():
        return PackedPart(evolve(part, codes=small), part.codes.dtype, None)
    return PackedPart(evolve(part, codes=small, numbers=part.numbers[:0]), part.codes.dtype, len(part.numbers))
