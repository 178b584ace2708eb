"""Sums that are exact in arrays of floats: whole numbers of any size, each written in limbs of some bits.

A limb keeps its place value: the limbs of 2^60 + 3 are 2^60 and 3. So limbs of many numbers are added one by one, and their sums
are exact while each is less than 2^53 times its place value; the sum of all limbs is the number.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ftree._lib.arrays import Array, Floats


def squares(whole: Array) -> Array:
    """The squares of whole numbers (E,); where these are large, as digits to the base 2^42 (E, 2), the higher one first.

    >>> squares(np.array([3])).tolist(), squares(np.array([3, 2**35 + 1])).tolist()
    ([9], [[0, 9], [268435456, 68719476737]])
    """
    largest = np.abs(whole).max(initial=0)
    if not 1 << 31 <= largest < 1 << 41:
        return (whole.astype(object) if largest >> 41 else whole) ** 2
    high, low = whole >> 21, whole & ((1 << 21) - 1)
    rest = (high * low << 22) + low * low
    return np.stack([high * high + (rest >> 42), rest & ((1 << 42) - 1)], axis=-1)


def without_digits(whole: Array) -> Array:
    """Whole numbers as they are; digits of such (E, 2) as the nearest floats."""
    return whole if whole.ndim == 1 else whole @ np.array([2.0**42, 1.0])


def limbs(whole: Array, bits: int, n: int) -> Floats:
    """The n limbs of whole numbers from 0 (E,) or (E, 2), as floats (E, n), the highest first; `bits` are those of a limb.

    >>> limbs(np.array([2**60 + 3], dtype=object), 40, 2).tolist(), limbs(np.array([[2**18, 3]]), 40, 2).tolist()
    ([[1.152921504606847e+18, 3.0]], [[1.152921504606847e+18, 3.0]])
    """
    shifts, mask = [bits * place for place in reversed(range(n))], (1 << bits) - 1
    high, low = whole.T if whole.ndim > 1 else (None, whole)
    columns = []
    for shift in shifts:
        above = 0 if high is None else high << (42 - shift) if shift < 42 else high >> (shift - 42)  # noqa: PLR2004  # a digit
        columns.append((((low >> shift) | above) & mask).astype(np.float64) * 2.0**shift)
    return np.stack(columns, axis=-1)


def added(written: Floats, cases: Any = 0.0, centre: Any = 0.0) -> Floats:
    """The float nearest to a sum that is written in limbs, less `cases` times `centre`: limbs (..., n) to sums (...).

    The limbs hold the sum of the numbers of `cases` cases. Subtracting a whole number `centre` from each of these numbers lowers
    the sum by cases * centre. The difference is rounded once, so it keeps its digits where the two nearly cancel.

    >>> added(np.array([[2.0**60, 3.0]])).tolist() == [2.0**60], added(np.array([[2.0**60, 3.0]]), 4.0, 2.0**58).tolist()
    (True, [3.0])
    """
    product, total, rest = centre * cases, written[..., -1], 0.0
    if written.shape[-1] == 1:
        return total - product  # type: ignore[no-any-return]  # exact, since both are less than 2^53 times a part
    for place in range(written.shape[-1] - 2, -1, -1):  # from the low ones on, so that what is lost adds up exactly
        total, lost = _two_sum(written[..., place], total)
        rest = rest + lost
    (high, low), (more, less) = _halves(centre), _halves(cases)
    moved, late = _two_sum(total, -product)
    nearest: Floats = moved + (late + (rest - (((high * more - product) + high * less + low * more) + low * less)))
    return nearest


def _two_sum(one: Any, other: Any) -> tuple[Any, Any]:
    """The sum of two floats, and what rounding took from it. Source: Knuth 1969."""
    total = one + other
    back = total - one
    return total, (one - (total - back)) + (other - back)


def _halves(values: Any) -> tuple[Any, Any]:
    """Two floats of 26 bits, whose sum is exactly each value. Source: Dekker 1971."""
    wide = values * (2.0**27 + 1)
    high = wide - (wide - values)
    return high, values - high


def limb_ranges(n_channels: int, widths: Sequence[int]) -> list[slice]:
    """The places of the limbs of each sum, in so many channels: first the cases, then the limbs of one sum after another.

    The numbers of limbs are in proportion to the `widths` of the sums.

    >>> limb_ranges(7, (1, 2))
    [slice(1, 3, None), slice(3, 7, None)]
    """
    n = (n_channels - 1) // sum(widths)
    ends = list(accumulate((n * width for width in widths), initial=1))
    return [slice(*ends_of_one) for ends_of_one in pairwise(ends)]


def exactly(written: Sequence[float]) -> Any:
    """The sum of limbs as a whole number of Python, or as a fraction if a limb is one.

    >>> exactly([2.0**60, 3.0]), exactly([4.0, 0.5])
    (1152921504606846979, Fraction(9, 2))
    """
    return sum(int(limb) if limb.is_integer() else Fraction(limb) for limb in written)
