"""Ranges of values at the open nodes with their class counts, which are always in order; chunks of them."""

from collections.abc import Iterable, Iterator

import numpy as np
from attrs import evolve, field, fields, frozen

from ftree._lib.arrays import Array, run_starts
from ftree.criteria.frontier import Avc

# Rows that are scored at a time, at least, so that memory does not grow with the rows of a level.
_ROWS = 150_000


def _in_order(ranges: "Ranges", _: object, value: Array) -> None:
    """Raise a ValueError unless the values of each node and feature rise, and these too; a missing value is the last."""
    run = ranges.run()
    rises = (value[1:] > value[:-1]) | (np.isnan(value[1:]) & ~np.isnan(value[:-1]))
    if not ((run[1:] > run[:-1]) | ((run[1:] == run[:-1]) & rises)).all():
        raise ValueError("Ranges must be in order of node, feature and value, got another order. Use Ranges.in_order.")


@frozen(eq=False)
class Ranges:
    """Class counts of ranges of values, each of a feature at an open node: `node`, `feature` (n,) and `counts` (n, K).

    A range has the values above that of the range before it, and up to its own `value` (n,), a missing value as NaN. `code` (n,)
    is the first code of the range. No cut within the range scores more than `bound` (n,): infinity as long as no bound is known,
    -infinity if no cut within it needs to be compared, as in a range of one value.

    Invariant: rows are in order of node, feature and value, and a missing value is last. The constructor checks it, since merging
    neighbours, chunks of runs and the search depend on it. A *run* is the rows of a node and a feature.

    >>> one, code = np.zeros(3, int), np.array([0, 4, 8])
    >>> ranges = Ranges(one, one, code, np.array([3.0, 7.0, np.nan]), np.array([np.inf, -np.inf, -np.inf]), np.ones((3, 2)))
    >>> ranges.unsure.tolist()
    [True, False, False]
    """

    node: Array
    feature: Array
    code: Array
    value: Array = field(validator=_in_order)
    bound: Array
    counts: Array

    @staticmethod
    def in_order(pieces: Iterable["Ranges"]) -> "Ranges":
        """The ranges of all pieces in order.

        The first of two ranges is divided in two parts, and the second one stays:

        >>> zero, one = np.array([0, 0]), np.array([0])
        >>> parts = Ranges(zero, zero, np.array([0, 1]), np.array([0.5, 1.0]), zero - np.inf, np.ones((2, 2)))
        >>> second = Ranges(one, one, one + 2, np.array([3.0]), one - np.inf, np.ones((1, 2)))
        >>> Ranges.in_order([second, parts]).value.tolist()
        [0.5, 1.0, 3.0]
        """
        columns = [np.concatenate(each) for each in zip(*map(_columns, pieces), strict=True)]
        node, feature, _, value, *_ = columns
        order = np.lexsort((value, feature, node))
        return Ranges(*(each[order] for each in columns))

    @property
    def unsure(self) -> Array:
        """Which ranges must be divided, since a cut within them may be the best."""
        unsure: Array = self.bound > -np.inf
        return unsure

    def bounded(self, bound: Array) -> "Ranges":
        """The ranges with other bounds."""
        return evolve(self, bound=bound)

    def taken(self, rows: Array | slice) -> "Ranges":
        """The ranges of rows given by a mask, by rising numbers or by a slice."""
        return Ranges(*(column[rows] for column in _columns(self)))

    def run(self) -> Array:
        """A number for the node and feature of each row, which never falls."""
        numbers: Array = self.node << 32 | self.feature
        return numbers

    def chunks(self, sizes: Array, most: int | None = None) -> Iterator[slice]:
        """The rows of whole runs, as many as have `most` parts together, or a run more; `sizes` (n,) counts each range's parts.

        >>> feature, bound = np.array([3, 3, 5, 5, 5]), np.full(5, -np.inf)
        >>> ranges = Ranges(0 * feature, feature, np.arange(5), np.arange(5.0), bound, np.ones((5, 2)))
        >>> list(ranges.chunks(np.array([4, 1, 4, 1, 4]), most=5))
        [slice(0, 2, None), slice(2, 5, None)]
        """
        starts = np.append(run_starts(self.run()), len(self.node)).tolist()
        for first, last in in_chunks(np.add.reduceat(sizes, starts[:-1]), most):
            yield slice(starts[first], starts[last])

    def avc(self) -> Avc:
        """As attribute-value-class counts."""
        return Avc(self.node, self.feature, self.value, self.counts)


def _columns(ranges: Ranges) -> list[Array]:
    return [getattr(ranges, each.name) for each in fields(Ranges)]


def in_chunks(sizes: Array, most: int | None = None) -> Iterator[tuple[int, int]]:
    """The first number of each chunk of runs, and that after its last; a chunk's sizes add up to `most`, or a run more.

    >>> list(in_chunks(np.array([2, 2, 9, 1]), 4))
    [(0, 2), (2, 3), (3, 4)]
    """
    chunk = (np.cumsum(sizes) - sizes) // (most or _ROWS)
    ends = np.append(np.flatnonzero(np.diff(chunk)) + 1, len(chunk)).tolist()
    yield from zip([0, *ends[:-1]], ends, strict=True)
