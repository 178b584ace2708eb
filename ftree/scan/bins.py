"""Bins of numbers: ranges whose numbers are the codes of a numeric feature, made of a sample of its numbers."""

import numpy as np
from attrs import Factory, evolve, field, frozen

from ftree import native
from ftree._lib.arrays import Array, Floats


@frozen(eq=False)
class Bins:
    """Ranges of numbers: bin i has the numbers above `edges[i - 1]` and up to `edges[i]`; the last has those above all edges.

    Invariant: edges rise, so a cut between bins is a cut between numbers. `single` marks the bins in which the data have no
    number but the upper edge; their values are known without a scan of rows. The last bin is marked if the data have no number
    above all edges. `shares` (n,) are those of a sample, None if unknown, and `error` is that of their sums.

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
        if len(numbers) >= max(_MANY, len(self.edges)) and native.is_here():
            return _native_codes(self.edges, numbers)
        # NaN sorts above every number, and would otherwise be in the last bin.
        return np.where(np.isnan(numbers), self.n, np.searchsorted(self.edges, numbers))


def _of_one_float(edges: Floats) -> Array:
    """Which bins can contain no float but their upper edge."""
    below = np.append(-np.inf, edges[:-1]) if len(edges) else edges
    return np.append(_next(below, np.inf) == edges, False)


def _next(numbers: Floats, towards: float) -> Floats:
    """The next float after each number; an infinity follows the largest float, which is no error here."""
    with np.errstate(over="ignore"):
        return np.nextafter(numbers, towards)


# From this many numbers on, and as many as edges, the native library is faster: it makes cells for each edge first.
_MANY = 5000
_CELLS_PER_BIN = 8


def _native_codes(edges: Floats, numbers: Floats) -> Array:
    low, high = (float(edges[0]), float(edges[-1])) if len(edges) else (0.0, 0.0)
    guide, codes = np.empty(_CELLS_PER_BIN * (len(edges) + 1) + 1, dtype=np.int32), np.empty(len(numbers), dtype=np.int32)
    scale = (len(guide) - 1) / (high - low) if np.isfinite(high - low) and high > low else 0.0
    native.call("bin_codes", np.ascontiguousarray(numbers), np.ascontiguousarray(edges), low, scale, guide, codes)
    return codes


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


@frozen(eq=False)
class Sample:
    """Every `step`-th number of each of `n_parts` parts in order, `numbers` (n,): at most `most` of a part, of all twice as many.

    Ranks in such a sample are closer to those of all rows than in one of rows at random.
    """

    numbers: Floats = field(factory=lambda: np.zeros(0))
    step: int = 1
    most: int = 100_000
    n_parts: int = 0

    @staticmethod
    def of(ordered: Floats, most: int) -> "Sample":
        """The sample of the numbers of a part, which are in order.

        >>> Sample.of(np.arange(9.0), 4).numbers.tolist()
        [2.0, 6.0]
        """
        step: int = 1 << (max(len(ordered) - 1, 0) // most).bit_length()
        return Sample(ordered[step // 2 :: step].copy(), step, most, 1)

    def merged(self, other: "Sample") -> "Sample":
        """The sample of the rows of both."""
        step, n_parts = max(self.step, other.step), self.n_parts + other.n_parts
        both = Sample(np.concatenate([self.thinned(step), other.thinned(step)]), step, self.most, n_parts)
        return evolve(both, numbers=both.thinned(2 * step), step=2 * step) if len(both.numbers) > 2 * self.most else both

    @property
    def error(self) -> float:
        """The error of shares of this sample as shares of all rows: six standard deviations.

        The rank of a number is wrong by up to half a step in each part.
        """
        return 0.0 if self.step == 1 else 6 * (self.n_parts / 12) ** 0.5 / len(self.numbers)

    def thinned(self, step: int) -> Floats:
        """The numbers of the sample with larger steps."""
        ratio = step // self.step
        return self.numbers[ratio // 2 :: ratio]
