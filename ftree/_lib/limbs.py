"""Whole numbers of any size in arrays of floats, so that they add up exactly: each is written in limbs of some bits.

A limb keeps its place value: the limbs of 2^60 + 3 are 2^60 and 3. So limbs of many numbers are added one by one, and their
sums are exact while each is less than 2^53 times its place value; the sum of all limbs is the number.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ftree._lib.arrays import Array, Floats


def limbs(whole: Array, bits: int, n: int) -> Floats:
    """The n limbs of whole numbers from 0 (E,), as floats (E, n), the highest first; `bits` are those of a limb.

    >>> limbs(np.array([2**60 + 3], dtype=object), 40, 2).tolist()
    [[1.152921504606847e+18, 3.0]]
    """
    shifts, mask = [bits * place for place in reversed(range(n))], (1 << bits) - 1
    columns = [((whole >> shift) & mask).astype(np.float64) * 2.0**shift for shift in shifts]
    return np.stack(columns, axis=-1)


def added(written: Floats) -> Floats:
    """The number nearest to the sum of limbs (..., n), (...).

    The sum of two is rounded once. That of more is made of two exact parts, so that it does not depend on where limbs end.

    >>> added(np.array([[2.0**60, 3.0]])).tolist() == [2.0**60]
    True
    """
    if written.shape[-1] == 1:
        return written[..., 0]
    total: Floats = written[..., 0] + written[..., 1]
    if written.shape[-1] == 2:  # noqa: PLR2004  # two limbs
        return total
    late = (written[..., 1] - (total - written[..., 0])).copy()  # exact, since the first limb is the larger one, or 0
    for place in range(2, written.shape[-1]):
        late += written[..., place]
    return total + late


def exactly(written: Sequence[float]) -> Any:
    """The sum of limbs as a whole number of Python, or as a fraction if a limb is one.

    >>> exactly([2.0**60, 3.0]), exactly([4.0, 0.5])
    (1152921504606846979, Fraction(9, 2))
    """
    return sum(int(limb) if limb.is_integer() else Fraction(limb) for limb in written)
