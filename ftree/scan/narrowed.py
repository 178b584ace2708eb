"""Codes of numbers that probably hold the end of a requested bin: encoded rows keep numbers for these only.

A sample shows how many rows are below each code, about. So the codes around each rank are known before any is counted.
"""

from collections.abc import Sequence

import numpy as np
from attrs import evolve, frozen

from ftree._lib.arrays import Array
from ftree.scan.bins import Bins
from ftree.scan.parts import Part

# The rounding error of sums of shares, at most.
_ROUNDING = 1e-9


@frozen(eq=False)
class Narrowing:
    """Sets numbers to 0 but those in kept codes; `codes` has a mask (n + 1,) of each numeric feature's codes, None for others."""

    codes: tuple[Array | None, ...]

    @staticmethod
    def of(bins: Sequence[Bins | None], most: int) -> "Narrowing":
        """The codes that may hold an end if at most `most` bins are requested."""
        return Narrowing(tuple(None if own is None else np.append(_likely(own, most), False) for own in bins))

    def __call__(self, part: Part) -> Part:
        """The part with fewer numbers."""
        kept = [np.flatnonzero(mask[own]) for mask, own in zip(self.codes, part.codes, strict=True) if mask is not None]
        numbers = np.zeros(part.numbers.shape)
        for row, own in enumerate(kept):
            numbers[row, own] = part.numbers[row, own]
        return evolve(part, numbers=numbers)

    def has(self, feature: int, codes: Array) -> bool:
        """Whether the numbers of all these codes are kept."""
        mask = self.codes[feature]
        return mask is not None and bool(mask[codes].all())


def _likely(bins: Bins, most: int) -> Array:
    """The codes that may hold an end, (n,): all if no sample tells."""
    if bins.shares is None:
        return ~bins.single
    upto, ranks, error = np.cumsum(bins.shares), np.arange(1, most + 1) / most, bins.error + _ROUNDING
    first = np.searchsorted(upto, ranks - error)
    last = np.append(np.searchsorted(upto, ranks[:-1] + error), bins.n - 1)
    begun = np.bincount(np.minimum(first, bins.n - 1), minlength=bins.n)
    ended = np.bincount(np.minimum(last, bins.n - 1) + 1, minlength=bins.n + 1)[:-1]
    return (np.cumsum(begun - ended) > 0) & ~bins.single
