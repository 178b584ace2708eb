"""Random folds of rows, stratified by class."""

import numpy as np

from ftree.data.arrays import RowNumbers
from ftree.data.values import Column


def fold_numbers(labels: Column, n: int, *, random: "np.random.Generator") -> RowNumbers:
    """The number of each row's fold, from 0 to n - 1; the counts of a class differ by at most one between folds.

    Rows in random order are assigned class by class, so the sizes of folds differ by at most one as well.

    >>> fold_numbers(np.array([0, 0, 0, 1, 1, 1]), 3, random=np.random.default_rng(0)).tolist()
    [1, 2, 0, 0, 2, 1]
    """
    order = random.permutation(len(labels))
    by_class = order[np.argsort(labels[order], kind="stable")]
    fold_of = np.empty(len(labels), dtype=np.intp)
    fold_of[by_class] = np.arange(len(labels)) % n
    return fold_of
