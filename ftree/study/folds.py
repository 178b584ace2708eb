"""Folds: pairs of training and test rows, all drawn before training, so that every learner gets the same ones.

`stratified`, `grouped` and `holdout` are functions of a dataset. A user's function or a list of pairs of row numbers also serves.
The cases of a table of counts are drawn as copies of its rows would be, and a fold then has `DrawnCases` in place of row numbers.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from ftree._lib.fields import ConstructorRepr, a_count, a_whole_number, is_finite, is_iterable, must_be
from ftree._lib.messages import short_repr
from ftree._lib.random_numbers import generator_of
from ftree.data.cases import DrawnCases, RowNumbers, RowsOrCases, check_n_folds, parts_of_folds, row_numbers, stratified_parts
from ftree.data.dataset import Dataset, require_weight
from ftree.data.values import as_column, python_values
from ftree.tree.schema import position


@frozen
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
    repeats: int = field(default=1, kw_only=True, validator=a_count(1, of="repeats"))
    seed: int = field(default=0, kw_only=True, validator=a_whole_number(0))

    def __call__(self, dataset: Dataset) -> list[tuple[RowsOrCases, RowsOrCases]]:
        """Assign the rows to folds, or the cases of counts."""
        random = generator_of(self.seed)
        return [pair for _ in range(self.repeats) for pair in stratified_parts(dataset, self.n, random=random)]


def _as_groups(by: Any) -> str | tuple[Hashable, ...]:
    return by if isinstance(by, str) or not is_iterable(by) else tuple(python_values(as_column("by", by)))


@frozen
class grouped(ConstructorRepr):
    """n folds that divide no group, such as the records of one patient: `by` is a feature's name, or a group for each row.

    Groups are assigned to the smallest fold so far, the largest groups first, in random order; counts are sizes. Rows without a
    value of the feature form one group. The feature remains available for training.

    Raises a ValueError for fewer than 2 folds, and, when called, for more folds than groups or groups of another length.

    >>> data = Dataset.from_rows([["a"], ["b"]] * 3, [0, 1] * 3)
    >>> [test.tolist() for train, test in grouped([1, 1, 2, 2, 3, 3], 3)(data)]
    [[4, 5], [0, 1], [2, 3]]
    """

    by: str | Sequence[Hashable] = field(converter=_as_groups)
    n: int = field(default=10, validator=a_whole_number(2, of="folds"))
    seed: int = field(default=0, kw_only=True, validator=a_whole_number(0))

    def __call__(self, dataset: Dataset) -> list[tuple[RowsOrCases, RowsOrCases]]:
        """Assign groups to folds."""
        cases = dataset.cases()
        groups = _group_numbers(self.by, dataset, cases)
        sizes = np.bincount(groups)
        check_n_folds(self.n, len(sizes), "groups")
        order = generator_of(self.seed).permutation(len(sizes))
        filled, fold_of = np.zeros(self.n), np.empty(len(sizes), dtype=np.intp)
        for group in order[np.argsort(-sizes[order], kind="stable")]:
            fold_of[group] = filled.argmin()
            filled[fold_of[group]] += sizes[group]
        return list(parts_of_folds(dataset, cases, fold_of[groups]))


_FRACTION = must_be("above 0 and below 1", lambda value: is_finite(value) and 0 < value < 1)


@frozen
class holdout(ConstructorRepr):
    """Random divisions into training rows, a `fraction` of all (rounded), and test rows, the others; `repeats` of them.

    Raises a ValueError for a fraction that is not between 0 and 1, and, when called, for a fraction that leaves no row to
    train on or to test on.

    >>> data = Dataset.from_rows([["a"], ["b"]] * 4, [0, 1] * 4)
    >>> [(len(train), len(test)) for train, test in holdout(0.7, repeats=2)(data)]
    [(6, 2), (6, 2)]
    """

    fraction: float = field(default=2 / 3, validator=_FRACTION)
    repeats: int = field(default=1, kw_only=True, validator=a_count(1, of="repeats"))
    seed: int = field(default=0, kw_only=True, validator=a_whole_number(0))

    def __call__(self, dataset: Dataset) -> list[tuple[RowsOrCases, RowsOrCases]]:
        """Divide the rows, or the cases of counts."""
        cases = dataset.cases()
        n, cut = len(cases), round(self.fraction * len(cases))
        if not 0 < cut < n:
            raise ValueError(f"fraction must leave rows to train and to test on, got {self.fraction} of {n} rows.")
        random = generator_of(self.seed)
        drawn = (random.permutation(n) for _ in range(self.repeats))
        return [(dataset.part(cases[np.sort(each[:cut])]), dataset.part(cases[np.sort(each[cut:])])) for each in drawn]


def _group_numbers(by: Any, dataset: Dataset, cases: RowNumbers) -> RowNumbers:
    """The number of the group of each case, given the cases' rows."""
    column = dataset.columns[position(dataset.schema, by)] if isinstance(by, str) else by
    listed = isinstance(by, (str, tuple))
    if not listed or len(column) != len(dataset):
        got = f"{len(column)} groups" if listed else short_repr(column)
        raise ValueError(f"by must be a feature's name, or a group for each of the {len(dataset)} rows, got {got}.")
    if isinstance(by, str):
        return np.unique(column[cases], return_inverse=True)[1]
    rows = np.unique(cases).tolist()  # a row that counts no case makes no group
    places = {group: number for number, group in enumerate(dict.fromkeys(column[row] for row in rows))}
    return np.array([places.get(group, -1) for group in column], dtype=np.intp)[cases]


# Training rows and test rows, each as numbers or as a mask, or as cases.
Pair: TypeAlias = tuple[npt.ArrayLike | DrawnCases, npt.ArrayLike | DrawnCases]
# A number of folds, pairs of training and test rows, or a function of a dataset that makes them.
Folds: TypeAlias = int | Iterable[Pair] | Callable[[Dataset], Iterable[Pair]]


def pairs_of(folds: Any, dataset: Dataset, *, seed: int) -> list[tuple[RowsOrCases, RowsOrCases]]:
    """The training and test rows of each fold, as numbers, or as cases of counts.

    `folds` is a number of stratified folds, drawn with `seed`; or a function of a dataset that returns pairs; or pairs, such as
    those of `KFold(5).split(X)` in scikit-learn. Row numbers take whole rows, whatever their weights are.

    Raises a ValueError for a dataset without weight, for more folds than rows and for a fold without training or test rows, a
    TypeError for anything that is not a form of folds, and an IndexError for rows that do not exist.

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
        require_weight(dataset.n_cases, len(dataset))
        return stratified_parts(dataset, int(folds), random=generator_of(seed))
    return folds(dataset) if callable(folds) else folds


def _as_rows(pair: Any, n: int) -> tuple[RowsOrCases, RowsOrCases]:
    try:
        train, test = pair
    except (TypeError, ValueError):
        raise TypeError(_not_folds(pair)) from None
    rows: list[RowsOrCases] = [each if isinstance(each, DrawnCases) else row_numbers(each, n) for each in (train, test)]
    if not (len(rows[0]) and len(rows[1])):
        raise ValueError(f"A fold must have rows to train on and rows to test on, got {len(rows[0])} and {len(rows[1])}.")
    return rows[0], rows[1]


def _not_folds(got: Any) -> str:
    wanted = "a number, a function of a dataset such as stratified(10, seed=0), or pairs of training and test rows"
    return f"folds must be {wanted}, got {short_repr(got)}."
