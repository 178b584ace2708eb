"""Folds: pairs of training and test rows, all drawn before training, so that every learner gets the same ones.

`stratified`, `grouped` and `holdout` are functions of a dataset. A user's function or a list of pairs of row numbers also serves.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from ftree._lib.fields import ConstructorRepr, a_whole_number, is_finite, is_iterable, must_be
from ftree._lib.messages import short_repr
from ftree._lib.random_numbers import generator_of
from ftree.data.changes import RowNumbers, fold_numbers, row_numbers
from ftree.data.dataset import Dataset
from ftree.data.values import as_column, python_values
from ftree.tree.schema import position


@frozen(repr=False)
class stratified(ConstructorRepr):
    """n random folds, each tested after training on the others; `repeats` such divisions, one after another.

    The counts of a class differ by at most one between folds. A class with fewer rows than folds is absent from some
    test sets; a class with one row is absent from one training set.

    Raises a ValueError for fewer than 2 folds, and, when called, for more folds than rows.

    >>> data = Dataset.from_rows([["a"], ["b"]] * 4, [0, 1] * 4)
    >>> [test.tolist() for train, test in stratified(4, seed=0)(data)]
    [[2, 3], [4, 5], [1, 6], [0, 7]]
    """

    n: int = field(default=10, validator=a_whole_number(2, of="folds"))
    repeats: int = field(default=1, kw_only=True, validator=a_whole_number(1, of="repeats"))
    seed: int = field(default=0, kw_only=True, validator=a_whole_number(0))

    def __call__(self, dataset: Dataset) -> list[tuple[RowNumbers, RowNumbers]]:
        """Assign the rows to folds."""
        check_n_folds(self.n, len(dataset), "rows")
        random = generator_of(self.seed)
        drawn = [fold_numbers(dataset.target_column, self.n, random=random) for _ in range(self.repeats)]
        return [pair for fold_of in drawn for pair in _pairs(fold_of, self.n)]


def _as_groups(by: Any) -> str | tuple[Hashable, ...]:
    return by if isinstance(by, str) or not is_iterable(by) else tuple(python_values(as_column("by", by)))


@frozen(repr=False)
class grouped(ConstructorRepr):
    """n folds that divide no group, such as the records of one patient: `by` is a feature's name, or a group for each row.

    Groups are assigned to the smallest fold so far, the largest groups first, in random order. Rows without a value of the
    feature form one group. The feature remains available for training.

    Raises a ValueError for fewer than 2 folds, and, when called, for more folds than groups or groups of another length.

    >>> data = Dataset.from_rows([["a"], ["b"]] * 3, [0, 1] * 3)
    >>> [test.tolist() for train, test in grouped([1, 1, 2, 2, 3, 3], 3)(data)]
    [[4, 5], [0, 1], [2, 3]]
    """

    by: str | Sequence[Hashable] = field(converter=_as_groups)
    n: int = field(default=10, validator=a_whole_number(2, of="folds"))
    seed: int = field(default=0, kw_only=True, validator=a_whole_number(0))

    def __call__(self, dataset: Dataset) -> list[tuple[RowNumbers, RowNumbers]]:
        """Assign groups to folds."""
        groups, sizes = _group_numbers(self.by, dataset)
        check_n_folds(self.n, len(sizes), "groups")
        order = generator_of(self.seed).permutation(len(sizes))
        filled, fold_of = np.zeros(self.n), np.empty(len(sizes), dtype=np.intp)
        for group in order[np.argsort(-sizes[order], kind="stable")]:
            fold_of[group] = filled.argmin()
            filled[fold_of[group]] += sizes[group]
        return _pairs(fold_of[groups], self.n)


_FRACTION = must_be("above 0 and below 1", lambda value: is_finite(value) and 0 < value < 1)


@frozen(repr=False)
class holdout(ConstructorRepr):
    """Random divisions into training rows, a `fraction` of all (rounded), and test rows, the others; `repeats` of them.

    Raises a ValueError for a fraction that is not between 0 and 1, and, when called, for a fraction that leaves no row to
    train on or to test on.

    >>> data = Dataset.from_rows([["a"], ["b"]] * 4, [0, 1] * 4)
    >>> [(len(train), len(test)) for train, test in holdout(0.7, repeats=2)(data)]
    [(6, 2), (6, 2)]
    """

    fraction: float = field(default=2 / 3, validator=_FRACTION)
    repeats: int = field(default=1, kw_only=True, validator=a_whole_number(1, of="repeats"))
    seed: int = field(default=0, kw_only=True, validator=a_whole_number(0))

    def __call__(self, dataset: Dataset) -> list[tuple[RowNumbers, RowNumbers]]:
        """Divide the rows."""
        n, cut = len(dataset), round(self.fraction * len(dataset))
        if not 0 < cut < n:
            raise ValueError(f"fraction must leave rows to train and to test on, got {self.fraction} of {n} rows.")
        random = generator_of(self.seed)
        orders = [random.permutation(n) for _ in range(self.repeats)]
        return [(np.sort(order[:cut]), np.sort(order[cut:])) for order in orders]


def _pairs(fold_of: RowNumbers, n: int) -> list[tuple[RowNumbers, RowNumbers]]:
    return [(np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)) for fold in range(n)]


def check_n_folds(n: int, most: int, what: str) -> None:
    """Raise a ValueError for a number of folds below 2, or above the number of rows or groups.

    >>> check_n_folds(5, 3, "rows")
    Traceback (most recent call last):
    ValueError: folds must be a whole number from 2 to 3, the number of rows, got 5.
    """
    if not 2 <= n <= most:  # noqa: PLR2004  # one fold to train on, one to test on
        raise ValueError(f"folds must be a whole number from 2 to {most}, the number of {what}, got {n}.")


def _group_numbers(by: Any, dataset: Dataset) -> tuple[RowNumbers, npt.NDArray[np.int64]]:
    """The number of each row's group, and the sizes of the groups."""
    column = dataset.columns[position(dataset.schema, by)] if isinstance(by, str) else by
    if not hasattr(column, "__len__") or len(column) != len(dataset):
        got = f"{len(column)} groups" if hasattr(column, "__len__") else short_repr(column)
        raise ValueError(f"by must be a feature's name, or a group for each of the {len(dataset)} rows, got {got}.")
    groups: RowNumbers
    if isinstance(by, str):
        _, groups, sizes = np.unique(column, return_inverse=True, return_counts=True)
        return groups, sizes
    places = {group: number for number, group in enumerate(dict.fromkeys(column))}
    groups = np.array([places[group] for group in column], dtype=np.intp)
    return groups, np.bincount(groups)


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
    if isinstance(pairs, (str, bytes)) or not is_iterable(pairs):
        raise TypeError(_not_folds(pairs))
    found = [_as_rows(pair, len(dataset)) for pair in pairs]
    if not found:
        raise ValueError("folds must be at least one pair of training and test rows, got none.")
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
        raise ValueError(f"A fold must have rows to train on and rows to test on, got {len(rows[0])} and {len(rows[1])}.")
    return rows


def _not_folds(got: Any) -> str:
    wanted = "a number, a function of a dataset such as stratified(10, seed=0), or pairs of training and test rows"
    return f"folds must be {wanted}, got {short_repr(got)}."
