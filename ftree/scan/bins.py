"""Bins of a numeric feature: ranges between edges, by whose numbers rows are counted. Any edges give the same tree."""

import numpy as np
from attrs import Factory, field, frozen

from ftree._lib.arrays import Array, Floats, read_only
from ftree._lib.compilation import compiled_code_is_due

# From this many numbers on, compiled code is worth loading.
_MANY, _SECONDS_PER_NUMBER = 20_000, 1e-7
_CELLS_PER_BIN = 8


@frozen(eq=False, repr=False)
class Bins:
    """Ranges of numbers: bin i has the numbers above `edges[i - 1]` and up to `edges[i]`; the last has those above all edges.

    `single` marks the bins in which the data have no number but the upper edge. Their values are known without a scan of rows.
    The last bin is marked if the data have no number above all edges. `shares` (n,) are those of a sample, None if unknown, and
    `error` is that of their sums.

    >>> bins = Bins(np.array([1.0, 2.0]))
    >>> bins.codes(np.array([0.5, 1.0, 1.5, 9.0, np.nan])).tolist(), bins.n, bins.upper.tolist()
    ([0, 0, 1, 2, 3], 3, [1.0, 2.0, inf])
    """

    edges: Floats
    single: Array = field(default=Factory(lambda self: _of_one_float(self.edges), takes_self=True))
    shares: Floats | None = None
    error: float = 0.0

    def __repr__(self) -> str:
        """The number of bins."""
        return f"<Bins, {self.n} of them>"

    @property
    def n(self) -> int:
        """Number of bins; it is also the code of missing values."""
        return len(self.edges) + 1

    @property
    def upper(self) -> Floats:
        """The upper edge of each bin, (n,)."""
        return np.append(self.edges, np.inf)

    @property
    def exact(self) -> bool:
        """Whether the bin of each number in the data determines the number."""
        return bool(self.single.all())

    def codes(self, numbers: Floats) -> Array:
        """The bin of each number, and `n` for NaN."""
        if takes_kernel(numbers):
            return _codes_by_kernel(self.edges, numbers)
        # NaN sorts above every number, and would otherwise be in the last bin.
        return np.where(np.isnan(numbers), self.n, np.searchsorted(self.edges, numbers))


def takes_kernel(numbers: Floats) -> bool:
    """Whether there are enough numbers for compiled code, and this is compiled or worth waiting for."""
    return len(numbers) >= _MANY and compiled_code_is_due(len(numbers) * _SECONDS_PER_NUMBER)


def _codes_by_kernel(edges: Floats, numbers: Floats) -> Array:
    from ftree.scan.kernels.bin_codes import bin_codes, fill_guide  # noqa: PLC0415  # loads numba

    low, high = (float(edges[0]), float(edges[-1])) if len(edges) else (0.0, 0.0)
    guide, codes = np.empty(_CELLS_PER_BIN * (len(edges) + 1) + 1, dtype=np.int32), np.empty(len(numbers), dtype=np.int32)
    scale = (len(guide) - 1) / (high - low) if np.isfinite(high - low) and high > low else 0.0
    fill_guide(read_only(edges), low, scale, guide)
    # One form of argument, so that the kernel is compiled once.
    bin_codes(read_only(np.ascontiguousarray(numbers)), read_only(edges), low, scale, guide, codes)
    return codes


def _of_one_float(edges: Floats) -> Array:
    """Which bins can contain no float but their upper edge."""
    below = np.append(-np.inf, edges[:-1]) if len(edges) else edges
    return np.append(_next(below, np.inf) == edges, False)


def _next(numbers: Floats, towards: float) -> Floats:
    """The next float after each number; an infinity follows the largest float, which is no error here."""
    with np.errstate(over="ignore"):
        return np.nextafter(numbers, towards)


def bins_of_sample(sample: Floats, most: int, *, whole: bool = False, error: float = 0.0) -> Bins:
    """At most `most` bins with about as many numbers of a sample each; a frequent number has a bin of its own.

    `whole` says that the sample has every number of the data; then each number has its own bin if there are few. `error` is that
    of the sample's shares.

    >>> bins_of_sample(np.array([1.0, 1.0, 2.0, 3.0]), 9, whole=True).single.tolist()
    [True, True, True, True]
    """
    values, counts = np.unique(sample[~np.isnan(sample)], return_counts=True)
    if whole and len(values) < most:
        return Bins(values, np.ones(len(values) + 1, dtype=bool))
    if 2 * len(values) < most:  # a bin for a single number takes two edges
        return _with_shares(_with_own_bins(values, values), values, counts, error)
    # At most a third of the edges is for numbers with a bin of their own, which takes two.
    upto = np.cumsum(counts)
    frequent = values[counts * (most // 3) >= upto[-1]]
    shares = np.searchsorted(upto, np.linspace(0, upto[-1], most - 2 * len(frequent) + 1)[1:-1])
    return _with_shares(_with_own_bins(np.unique(values[shares]), frequent), values, counts, error)


def _with_shares(edges: Floats, values: Floats, counts: Array, error: float) -> Bins:
    own = np.bincount(np.searchsorted(edges, values), counts, len(edges) + 1)
    return Bins(edges, shares=own / max(counts.sum(), 1), error=error)


def _with_own_bins(edges: Floats, numbers: Floats) -> Floats:
    """The edges, and two more around each of the numbers, so that its bin has that number only."""
    return np.unique(np.concatenate([edges, numbers, _next(numbers, -np.inf)]))
