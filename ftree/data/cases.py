"""Cases: what folds, splits and bags divide. A row is one case or, if weights are counts, as many as its weight says."""

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from ftree._lib.messages import short_repr
from ftree.data.values import Column

WeightsKind: TypeAlias = Literal["counts", "importances"]
RowNumbers: TypeAlias = npt.NDArray[np.intp]


@frozen(eq=False)
class DrawnCases:
    """Some cases of a table of counts: how many of each row, (n,). `Dataset.part` makes them, and `Dataset.take` takes them.

    >>> from ftree import Dataset
    >>> people = Dataset.from_rows([["first"], ["third"]], ["alive", "dead"], weights=[200, 700])
    >>> part = DrawnCases(np.array([150, 0]))
    >>> len(part), people.take(part)
    (150, Dataset of 1 row, weighted: x0 nominal(2) -> class: alive 150, dead 0)
    """

    times: npt.NDArray[np.int64] = field(repr=False)

    def __len__(self) -> int:
        """Number of cases."""
        return int(self.times.sum())


# A part of a table, as `Dataset.take` takes it.
RowsOrCases: TypeAlias = RowNumbers | DrawnCases


def weights_of_kind(weights: Column | None, kind: Any) -> Column | None:
    """Weights as whole numbers if they are counts, as floats if they are importances; None: counts if all of them are whole.

    Raises a ValueError for another kind, and for counts that are not whole.

    >>> weights_of_kind(np.array([2.0, 35.0]), None), weights_of_kind(np.array([2, 35]), "importances")
    (array([ 2, 35]), array([ 2., 35.]))
    """
    if kind not in (None, "counts", "importances"):
        raise ValueError(f"weights_are must be 'counts', 'importances' or None, got {short_repr(kind)}.")
    if weights is None:
        return None
    parted = weights[weights != np.floor(weights)]
    if kind == "counts" and len(parted):
        raise ValueError(f"weights must be whole numbers if they are counts, got {parted[0]}. Say weights_are='importances'.")
    return weights.astype(np.float64 if kind == "importances" or len(parted) else np.int64)


# Datasets are `Any` here, since `Dataset.folds` calls these functions.


def effective_cases(dataset: Any) -> float:
    """The number of equal cases whose mean is as uncertain: all cases; of importances (sum w)² / sum w², as Kish 1965 has it.

    >>> from ftree import Dataset
    >>> [effective_cases(Dataset.from_rows([["a"], ["b"]], [0, 1], weights=weights)) for weights in ([3, 1], [0.25, 0.25])]
    [4.0, 2.0]
    """
    cases = float(dataset.n_cases)
    if dataset.weights_are != "importances":
        return cases
    shares = dataset.weights / cases
    return round(1 / float(shares @ shares), 9)  # whole where all weights are equal


def stratified_parts(dataset: Any, n: int, *, random: np.random.Generator) -> Iterator[tuple[RowsOrCases, RowsOrCases]]:
    """Training and test cases of n random folds, between which the counts of a class differ by at most one.

    Raises a ValueError for fewer than 2 folds, or more folds than cases.

    >>> from ftree import datasets
    >>> [(len(train), len(test)) for train, test in stratified_parts(datasets.xor(), 2, random=np.random.default_rng(0))]
    [(2, 2), (2, 2)]
    """
    cases = dataset.cases()
    check_n_folds(n, len(cases), "cases" if dataset.weights_are == "counts" else "rows")
    return parts_of_folds(dataset, cases, fold_numbers(dataset.target_column[cases], int(n), random=random))


def check_n_folds(n: int, most: int, what: str) -> None:
    """Raise a ValueError for a number of folds below 2, or above the number of rows, cases or groups.

    >>> check_n_folds(5, 3, "rows")
    Traceback (most recent call last):
    ValueError: folds must be a whole number from 2 to 3, the number of rows, got 5.
    """
    if not (isinstance(n, (int, np.integer)) and 2 <= n <= most):  # noqa: PLR2004  # one fold to train on, one to test on
        raise ValueError(f"folds must be a whole number from 2 to {most}, the number of {what}, got {short_repr(n)}.")


def fold_numbers(labels: Column, n: int, *, random: np.random.Generator) -> RowNumbers:
    """The number of each case's fold, from 0 to n - 1; the counts of a class differ by at most one between folds.

    Cases in random order are assigned class by class, so the sizes of folds differ by at most one as well. Numbers as labels
    are no classes.

    >>> fold_numbers(np.array([0, 0, 0, 1, 1, 1]), 3, random=np.random.default_rng(0)).tolist()
    [1, 2, 0, 0, 2, 1]
    """
    order = random.permutation(len(labels))
    by_class = order if labels.dtype.kind == "f" else order[np.argsort(labels[order], kind="stable")]
    fold_of = np.empty(len(labels), dtype=np.intp)
    fold_of[by_class] = np.arange(len(labels)) % n
    return fold_of


def parts_of_folds(dataset: Any, cases: RowNumbers, fold_of: RowNumbers) -> Iterator[tuple[RowsOrCases, RowsOrCases]]:
    """For each fold, the training and test cases, given the row of each case and the number of its fold.

    >>> from ftree import datasets
    >>> [test.tolist() for _, test in parts_of_folds(datasets.xor(), np.arange(4), np.array([0, 1, 1, 0]))]
    [[0, 3], [1, 2]]
    """
    numbers = range(int(fold_of.max()) + 1)
    return ((dataset.part(cases[fold_of != fold]), dataset.part(cases[fold_of == fold])) for fold in numbers)
