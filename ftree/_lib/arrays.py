"""Functions of arrays: counts, sums, runs, ranges, and which numbers count as equal. They do not check their arguments."""

from collections.abc import Iterator, Sequence
from math import ceil, comb, log2
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ftree._lib.machine import require_memory

Array: TypeAlias = npt.NDArray[Any]
Floats: TypeAlias = npt.NDArray[np.float64]
# Values that differ by this share of the largest one are equal except for rounding.
_ROUNDING = 1e-12


def read_only(values: Any) -> Any:
    """A read-only view of an array; any other value, or an array that is read-only already, is returned unchanged.

    Users' functions get such views, so that a slip such as `counts += 1` raises an error and changes no tree.

    >>> read_only(np.array([1, 2])).flags.writeable, read_only(None)
    (False, None)
    """
    if not isinstance(values, np.ndarray) or not values.flags.writeable:
        return values
    view = values.view()
    view.setflags(write=False)
    return view


def class_counts_of_cells(
    cells: Array, classes: Array, weights: Array | None, n_cells: int, n_classes: int, *, copies: float = 1.0
) -> Array:
    """Class counts of each cell, (n_cells, n_classes): whole numbers, or floats where rows are weighted.

    `cells` is (E,) or (F, E): the cell of each of E entries, for one feature or for each of F. `classes` are the class of each
    entry (E,), or what each adds to n_classes sums (E, n_classes).
    The counts of a table are the sum of the counts of its parts.

    Raises a MemoryError before it takes more memory than there is, with room for `copies` of the counts, which the caller needs.

    >>> class_counts_of_cells(np.array([0, 2, 2]), np.array([1, 0, 0]), None, n_cells=3, n_classes=2).tolist()
    [[0, 1], [0, 0], [2, 0]]
    """
    require_room_for_counts(n_cells, n_classes, copies)
    repeated = None if weights is None else np.broadcast_to(weights, cells.shape).ravel()
    if classes.ndim > 1:
        added = classes if weights is None else classes * weights[:, None]
        sums = [np.bincount(cells.ravel(), np.broadcast_to(channel, cells.shape).ravel(), n_cells) for channel in added.T]
        return np.column_stack(sums)
    keys = (cells * n_classes + classes).ravel()
    return np.bincount(keys, weights=repeated, minlength=n_cells * n_classes).reshape(n_cells, n_classes)


def require_room_for_counts(n_cells: int, n_classes: int, copies: float) -> None:
    """Raise a MemoryError unless there is room for so many copies of counts (n_cells, n_classes)."""
    remedy = "Use fewer classes or distinct values: give a target of numbers some classes, such as quartiles, and round features."
    require_memory(8.0 * n_cells * n_classes * copies, f"counts of {n_cells:,} cells by {n_classes:,} classes", remedy)


def missing_cells(column: Array) -> Array:
    """A mask of the missing values of a column: NaN among floats, negative numbers among codes.

    >>> missing_cells(np.array([0, -1])).tolist(), missing_cells(np.array([np.nan, -1.0])).tolist()
    ([False, True], [True, False])
    """
    return np.isnan(column) if column.dtype.kind == "f" else column < 0


def has_missing_cells(column: Array) -> bool:
    """Whether any value of a column is missing; the least value tells, twice as fast as a mask.

    >>> has_missing_cells(np.array([0, -1])), has_missing_cells(np.array([np.nan, -1.0])), has_missing_cells(np.array([-1.0]))
    (True, True, False)
    """
    return bool(missing_cells(column.min(initial=0)))


def missing_as_last(codes: Array, n_codes: int) -> Array:
    """Codes from 0 to n_codes - 1, with n_codes where a value is missing.

    >>> missing_as_last(np.array([127, -1], np.int8), 128).tolist()
    [127, 128]
    """
    # NumPy would wrap a plain integer in the type of the codes, which may have no number after the last code.
    return np.where(missing_cells(codes), np.intp(n_codes), codes)


# NumPy adds up a row of this many numbers or more in another order than from left to right.
MANY_IN_A_ROW = 8


def row_sums(table: Array) -> Array:
    """The sum of each row (n, K), the same as `table.sum(axis=1)`, many times faster for a few columns.

    >>> row_sums(np.array([[1, 2], [3, 4]])).tolist(), row_sums(np.ones((1, 9))).tolist()
    ([3, 7], [9.0])
    """
    if not 0 < table.shape[1] < MANY_IN_A_ROW:
        return np.asarray(table.sum(axis=1))
    total: Array = table[:, 0].copy()
    for column in range(1, table.shape[1]):
        total += table[:, column]
    return total


def run_starts(*keys: Array) -> Array:
    """Index of the first row of each run of equal keys.

    >>> run_starts(np.array([0, 0, 1, 1]), np.array([5, 5, 5, 6])).tolist()
    [0, 2, 3]
    """
    changed = np.ones(len(keys[0]), dtype=bool)
    changed[1:] = False
    for key in keys:
        changed[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(changed)


def offsets(sizes: Array | Sequence[int]) -> Array:
    """The positions at which ranges of these sizes begin, one after another, and the end of the last.

    >>> offsets(np.array([2, 3])).tolist()
    [0, 2, 5]
    """
    edges = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=edges[1:])
    return edges


def end_to_end(parts: Sequence[Array]) -> Array:
    """Concatenate arrays; a single array is not copied.

    >>> end_to_end([np.array([1, 2]), np.array([3])]).tolist()
    [1, 2, 3]
    """
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def ranges(start: Array, end: Array) -> Array:
    """All numbers from each start to before its end, one range after another.

    >>> ranges(np.array([5, 0]), np.array([7, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    sizes = end - start
    numbers: Array = np.repeat(start - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
    return numbers


def blocks_of(start: int, end: int, size: int) -> Iterator[slice]:
    """Slices of at most so many numbers, one after another.

    >>> list(blocks_of(0, 5, 3))
    [slice(0, 3, None), slice(3, 5, None)]
    """
    return (slice(begin, min(begin + size, end)) for begin in range(start, end, size))


def distinct(keys: Array) -> tuple[Array, Array]:
    """One row for each distinct key, in the order of the keys; and for each row, the position of its key in that order.

    Keys are whole numbers from 0. (`numpy.unique` gives the same result, but sorts.)

    >>> rows, which = distinct(np.array([7, 2, 7]))
    >>> rows.tolist(), which.tolist()
    ([1, 2], [1, 0, 1])
    """
    most = int(keys.max(initial=-1))
    if most > max(8 * len(keys), 1 << 16):
        _, rows, which = np.unique(keys, return_index=True, return_inverse=True)
        return rows, which
    row = np.full(most + 1, -1)
    row[keys] = np.arange(len(keys))
    present = np.flatnonzero(row >= 0)
    rows, row[present] = row[present], np.arange(len(present))
    return rows, row[keys]


def midpoint(lower: Array, upper: Array) -> Array:
    """The midpoint of two floats; it is less than the upper one, however close they are.

    >>> midpoint(np.array([1.0, 1.0]), np.array([2.0, np.nextafter(1.0, 2.0)])).tolist()
    [1.5, 1.0]
    """
    middle = lower / 2 + upper / 2
    return np.where((lower <= middle) & (middle < upper), middle, lower)


def largest_up_to(values: Array, at: Array) -> Array:
    """For each threshold the largest of sorted values that is not above it; the threshold itself if all are above.

    A value that is above a threshold by no more than a rounding error counts as equal to it, if the value below is more than
    twice as far away. Otherwise the threshold may be the midpoint of both values, and the value below is the answer.

    >>> largest_up_to(np.array([1.0, 2.0]), np.array([0.5, 1.0, 1.5, 2.0 - 1e-15])).tolist()
    [0.5, 1.0, 1.0, 2.0]
    """
    if not len(values):
        return at
    after, last = np.searchsorted(values, at, side="right"), len(values) - 1
    below, above = values[np.maximum(after - 1, 0)], values[np.minimum(after, last)]
    # The midpoint of 0.1 and 0.7 is, in floats, a little less than 0.4.
    with np.errstate(over="ignore"):  # a distance beyond the floats is infinite, and not close
        close = (above - at <= _ROUNDING * np.maximum(abs(below), abs(above))) & (2 * (above - at) < at - below)
    place = after + (close & (after <= last)) - 1
    moved: Array = np.where((below == at) | (place < 0), at, values[np.maximum(place, 0)])
    return moved


def exact_unit(total: float, n_features: int = 1) -> float:
    """A power of two whose multiples add up exactly, in sums of up to `total` over `n_features` features.

    >>> exact_unit(1000.0) < 1e-10
    True
    """
    return 2.0 ** (ceil(log2(max(total, 1e-280) * (n_features + 1))) - 51)


def times_and_fractions(weights: Array | None, unit: float) -> tuple[Array | None, Array | None]:
    """Row weights as a pair: whole numbers and None, or None and fractions, as multiples of `unit`.

    Both are None where there are no weights.

    >>> times_and_fractions(np.array([2, 3]), 0.25)
    (array([2, 3]), None)
    >>> times_and_fractions(np.array([0.3, 1.0]), 0.25)
    (None, array([0.25, 1.  ]))
    """
    if weights is None or weights.dtype.kind != "f":
        return weights, None
    return None, np.maximum(np.round(weights / unit), weights > 0) * unit


def n_surjections(values: int, groups: int) -> int:
    """Number of ways to give each value a group so that no group is empty, by inclusion and exclusion.

    It is g! S(v, g) with Stirling numbers of the second kind.

    >>> n_surjections(4, 2)
    14
    """
    return sum((-1) ** empty * comb(groups, empty) * (groups - empty) ** values for empty in range(groups))


def solved(matrix: Floats, right: Floats, least: Floats) -> tuple[Floats, Array]:
    """Solve symmetric equations without negative eigenvalues: (q, q, ...), right sides (q, r, ...) to solutions (q, r, ...).

    Rows are taken in order. A row whose pivot is at most `least` (q, ...) depends on those before it, and its solution is 0; the
    second result (q, ...) says which rows stay.

    Source: Gauss and Jordan; the elimination is the sweep operator of Goodnight 1979 without its bookkeeping.

    >>> solutions, stay = solved(np.array([[2.0, 4.0], [4.0, 8.0]]), np.array([[6.0], [12.0]]), np.array([1e-9, 1e-9]))
    >>> solutions.tolist(), stay.tolist()
    ([[3.0], [0.0]], [True, False])
    """
    q, stay = len(matrix), np.zeros(matrix.shape[1:], dtype=bool)
    whole = np.concatenate([matrix, right], axis=1, dtype=np.float64)
    for number in range(q):
        pivot = whole[number, number]
        stay[number] = pivot > least[number]
        row = np.where(stay[number], whole[number], 0.0) / np.where(stay[number], pivot, 1.0)
        whole -= whole[:, number, None] * row
        whole[number] = row
    return whole[:, q:], stay


# Which numbers tie: the first of those that do is chosen

# Scores and gains within this tolerance are equal: a strict comparison would choose wrongly on real data.
TIE = 1e-9


def least_tied(best: Any, *, exact: bool) -> Any:
    """The lowest score that ties with the best one: lower by `TIE`, or by this share of it where scores are `exact`.

    >>> least_tied(1e-12, exact=False) < 0 < least_tied(1e-12, exact=True) < 1e-12
    True
    """
    return best - TIE * (abs(best) if exact else 1.0)


def first_near_best(scores: Array, starts: Array, *, exact: bool = False) -> Array:
    """Index of each group's first score that ties with the group's best; `starts` are the groups' first indices.

    >>> first_near_best(np.array([1.0, 3.0, 3.0, 0.5]), np.array([0, 3])).tolist()
    [1, 3]
    """
    sizes = np.diff(starts, append=len(scores))
    near = np.flatnonzero(scores >= np.repeat(least_tied(np.maximum.reduceat(scores, starts), exact=exact), sizes))
    return near[np.searchsorted(near, starts)]


# Fractional counts are sums of rounded numbers; a count of at least this share of the largest ties with it.
NEARLY = 1 - 1e-12


def least_as_large(largest: Any) -> Any:
    """The smallest number that ties with the largest one, for a number or for an array of numbers.

    >>> least_as_large(0.0), least_as_large(0.1 + 0.2) < 0.3
    (0.0, True)
    """
    return largest - (1 - NEARLY) * abs(largest)


def first_largest(values: Any) -> Any:
    """Index of the largest value on the last axis of an array; the first of those equal except for rounding.

    >>> import numpy as np
    >>> first_largest(np.array([[1.0, 3.0, 3.0], [0.0, 0.0, 0.0]])).tolist()
    [1, 0]
    """
    lines = np.ascontiguousarray(np.moveaxis(values, -1, 0))  # NumPy is slow along a short last axis
    return (lines >= least_as_large(lines.max(axis=0))).argmax(axis=0)


def first_smallest(values: Any, scale: Any) -> Any:
    """Index of the smallest value on the last axis; the first of those equal except for rounding of sums up to `scale`.

    >>> import numpy as np
    >>> first_smallest(np.array([[0.3, 0.1 + 0.2, 0.5], [2.0, 1.0, 1.0]]), 1.0).tolist()
    [0, 1]
    """
    return (values <= values.min(axis=-1, keepdims=True) + scale * (1 - NEARLY)).argmax(axis=-1)
