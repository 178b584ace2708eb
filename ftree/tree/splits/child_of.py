"""The child that each row goes to: the definition that every other way of routing rows must match."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ftree._lib.arrays import missing_cells
from ftree._lib.messages import short_repr
from ftree._lib.objects import is_exactly
from ftree.tree.splits.split import UNKNOWN, Columns, Integers, Split
from ftree.tree.splits.splits_by_cuts import Threshold


def child_of(split: Split, *columns: npt.NDArray[Any]) -> Integers:
    """The child number for each row, (n,), from the columns of `split.features`; -1 where the split has no answer.

    A column has codes (n,), negative where missing, or floats (n,), NaN where missing; a split gets these as doubles, since two
    numbers of 32 bits and of 64 may print alike and differ.

    Raises a TypeError for a split that does not return a whole number from -1 to `n_children` - 1 for each row.

    >>> from ftree.tree import Multiway, Oblique
    >>> child_of(Threshold(0, 2.5), np.array([1.0, 2.5, 3.0, np.nan])).tolist()
    [0, 0, 1, -1]
    >>> child_of(Multiway(0, (0, 2)), np.array([0, 1, 2, -1])).tolist()
    [0, -1, 1, -1]
    >>> child_of(Oblique((1, 1), 2), np.array([1.0, 1.0, np.nan]), np.array([1.0, 1.5, 0.0])).tolist()
    [0, 1, -1]
    """
    doubles = (column.astype(np.float64) if column.dtype == np.float32 else column for column in columns)
    array, n = np.asarray(split.child(*doubles)), len(columns[0])
    whole = array.shape == columns[0].shape and array.dtype.kind in "biu"
    if not whole or (array.size and not UNKNOWN <= array.min() <= array.max() < split.n_children):
        wanted = f"one integer for each of {n} rows, from -1 to {split.n_children - 1}"
        got = f"an array of {array.dtype} with shape {array.shape}" if not whole else f"{array.min()} to {array.max()}"
        raise TypeError(f"{short_repr(split)}.child must return {wanted}, got {got}.")
    return array.astype(np.intp, copy=False)


def children_of(splits: Sequence[Split], sizes: Integers, columns: Columns, rows: Integers) -> Integers:
    """`child_of` for many splits at once: the first split takes the first `sizes[0]` of the rows, the next the following ones.

    All thresholds of one feature are compared in one call, since a level of a tree may have thousands of them.

    >>> column = np.array([1.0, 2.0, 3.0])
    >>> children_of([Threshold(0, 1.5), Threshold(0, 2.5)], np.array([2, 1]), (column,), np.array([0, 1, 2])).tolist()
    [0, 1, 1]
    """
    if len(splits) == 1:
        (split,) = splits
        return child_of(split, *(columns[feature][rows] for feature in split.features))
    ends = sizes.cumsum()
    child = np.empty(len(rows), dtype=np.intp)
    thresholds: defaultdict[int, list[int]] = defaultdict(list)
    for number, split in enumerate(splits):
        if is_exactly(split, Threshold):
            thresholds[split.feature].append(number)
        else:
            here = slice(ends[number] - sizes[number], ends[number])
            child[here] = child_of(split, *(columns[feature][rows[here]] for feature in split.features))
    for feature, numbers in thresholds.items():
        chosen = np.repeat(np.bincount(numbers, minlength=len(splits)).astype(bool), sizes)
        cuts = [split.at for split in map(splits.__getitem__, numbers) if is_exactly(split, Threshold)]
        column = columns[feature][rows[chosen]]
        child[chosen] = np.where(missing_cells(column), UNKNOWN, column > np.repeat(np.array(cuts), sizes[numbers]))
    return child
