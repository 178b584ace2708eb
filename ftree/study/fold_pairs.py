"""The folds of a study in any form, as pairs of training and test rows."""

from collections.abc import Callable, Iterable
from numbers import Integral
from typing import Any, TypeAlias

import numpy.typing as npt

from ftree._lib.messages import short_repr
from ftree.data.arrays import RowNumbers, row_numbers
from ftree.data.dataset import Dataset
from ftree.study.folds import check_n_folds, stratified

# Training rows and test rows, each as numbers or as a mask.
Pair: TypeAlias = tuple[npt.ArrayLike, npt.ArrayLike]
# A number of folds, pairs of training and test rows, or a function of a dataset that makes them.
Folds: TypeAlias = int | Iterable[Pair] | Callable[[Dataset], Iterable[Pair]]


def pairs_of(folds: Any, dataset: Dataset, *, seed: int) -> list[tuple[RowNumbers, RowNumbers]]:
    """The training and test rows of each fold, as numbers.

    `folds` is a number of stratified folds, drawn with `seed`; or a function of a dataset that returns pairs; or pairs, such as
    those of `KFold(5).split(X)` in scikit-learn.

    Raises a ValueError for more folds than rows and for a fold without training or test rows, a TypeError for anything that is
    not a form of folds, and an IndexError for rows that do not exist.

    >>> data = Dataset.from_rows([["a"], ["b"], ["c"]], [0, 1, 1])
    >>> [(train.tolist(), test.tolist()) for train, test in pairs_of([([0, 1], [2])], data, seed=0)]
    [([0, 1], [2])]
    """
    pairs = _drawn(folds, dataset, seed)
    if isinstance(pairs, (str, bytes)) or not isinstance(pairs, Iterable):
        raise TypeError(_not_folds(pairs))
    found = [_as_rows(pair, len(dataset)) for pair in pairs]
    if not found:
        message = "folds must be at least one pair of training and test rows, got none."
        raise ValueError(message)
    return found


def _drawn(folds: Any, dataset: Dataset, seed: int) -> Any:
    if isinstance(folds, type):
        raise TypeError(_not_folds(folds))
    if isinstance(folds, Integral):
        check_n_folds(int(folds), len(dataset), "rows")
        return stratified(int(folds), seed=seed)(dataset)
    return folds(dataset) if callable(folds) else folds


def _as_rows(pair: Any, n: int) -> tuple[RowNumbers, RowNumbers]:
    try:
        train, test = pair
    except (TypeError, ValueError):
        raise TypeError(_not_folds(pair)) from None
    rows = row_numbers(train, n), row_numbers(test, n)
    if not (len(rows[0]) and len(rows[1])):
        message = f"A fold must have rows to train on and rows to test on, got {len(rows[0])} and {len(rows[1])}."
        raise ValueError(message)
    return rows


def _not_folds(got: Any) -> str:
    wanted = "a number, a function of a dataset such as stratified(10, seed=0), or pairs of training and test rows"
    return f"folds must be {wanted}, got {short_repr(got)}."
