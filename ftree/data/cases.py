"""Take rows of a dataset, or cases: what folds, splits and bags divide.

A row is one case or, if weights are counts, as many as its weight says.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import suppress
from numbers import Real
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import evolve, field, frozen

from ftree._lib.arrays import missing_cells
from ftree._lib.fields import require_whole_number
from ftree._lib.messages import joined, short_repr
from ftree._lib.random_numbers import generator_of
from ftree.data.coding import decode
from ftree.data.dataset_fields import DatasetFields, array_or_none, array_text
from ftree.data.times import seconds, time_family
from ftree.data.values import ALWAYS_MISSING, Column, is_number, is_ordered
from ftree.tree.schema import Feature, is_hashable, position

RowNumbers: TypeAlias = npt.NDArray[np.intp]
Mask: TypeAlias = npt.NDArray[np.bool_]
# Bytes of a case while cases are drawn: its row, its place in a random order, its fold, and a copy of one of these.
_BYTES_OF_CASE = 32.0


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


class DatasetRows(DatasetFields):
    """The methods of a `Dataset` that take rows, and count and draw cases."""

    __slots__ = ()

    def take(self, rows: Any) -> Self:
        """The rows that a boolean mask selects, or the rows with the given numbers, in that order; or some cases of each row.

        Raises an IndexError for a mask of another length or a row that does not exist, a ValueError for cases of another table.
        """
        if isinstance(rows, DrawnCases):
            return evolve(self, weights=rows.times).take(rows.times > 0)
        picked = row_numbers(rows, len(self))
        taken: Any = {name: None if column is None else column[picked] for name, column in self._of_rows().items()}
        further = [column[picked] for column in self.further_targets]
        return evolve(self, columns=[column[picked] for column in self.columns], further_targets=further, **taken)

    def part(self, rows: RowNumbers) -> RowsOrCases:
        """What `take` takes for some cases, given by the row of each: these rows, or, of counts, how many cases of each.

        >>> from ftree import Dataset
        >>> table = Dataset.from_rows([["a"], ["b"]], [0, 1], weights=[3, 1])
        >>> table.take(table.part(table.cases()[1:])).class_counts()
        (2, 1)
        """
        return DrawnCases(np.bincount(rows, minlength=len(self))) if self.weights_are == "counts" else rows

    def head(self, n: int = 5) -> Self:
        """The first n rows, or all rows if there are fewer.

        Raises a ValueError for anything but a whole number from 0.
        """
        require_whole_number("n", n, 0)
        return self.take(np.arange(min(n, len(self))))

    def where(self, conditions: Mapping[str, Any] | None = None, /, **by_name: Any) -> Self:
        """The rows that fit all conditions, such as `where(outlook="sunny")`, like the rows that a split sends to one child.

        A condition is a value, several values, or a function that says whether a value fits; None stands for missing.
        Names that are not Python identifiers go into a mapping.

        Raises a KeyError for a column that does not exist, a ValueError for a value that a nominal or ordinal column lacks, a
        TypeError for conditions that are no mapping.
        """
        if not isinstance(conditions, Mapping | None):
            remedy = "Write where(age=lambda years: years > 30), or take a mask: take(dataset['age'] > 30)."
            raise TypeError(f"conditions must be a mapping by columns' names, got {short_repr(conditions)}. {remedy}")
        wanted = {**(conditions or {}), **by_name}
        found = np.ones(len(self), dtype=bool)
        for (feature, column), condition in [(self._column(name), each) for name, each in wanted.items()]:
            found &= rows_that_fit(feature, column, condition)
        return self.take(found)

    def group_by(self, name: str) -> dict[Hashable, Self]:
        """The rows of each value of a nominal or ordinal feature, or of each class, in schema order; None for missing.

        Values without a row are omitted. Raises a KeyError for a column that does not exist, a ValueError for a numeric column,
        and for one in which None is a value and cells are missing besides.
        """
        feature, column = self._column(name)
        if feature.kind == "numeric":
            raise ValueError(
                f"A column to group by must be nominal or ordinal"
                f", got {short_repr(name)}, which is numeric. Divide it by binned first."
            )
        gaps = column < 0
        if gaps.any() and None in feature.values:
            raise ValueError(
                f"A column to group by must not have both missing cells and None as a value"
                f", got {short_repr(name)}. Take complete()."
            )
        present = np.unique(column[~gaps]).tolist()
        groups: dict[Hashable, Self] = {feature.values[code]: self.take(column == code) for code in present}
        return groups | ({None: self.take(gaps)} if gaps.any() else {})

    def counts_by(self, feature: str) -> dict[Hashable, tuple[float, ...]]:
        """Class counts, in schema order, of each value of a nominal or ordinal feature that occurs in these rows.

        Raises a KeyError for a feature that does not exist, a ValueError for a numeric one.

        >>> from ftree import Dataset
        >>> Dataset.from_rows([["a"], ["b"], ["a"]], ["no", "no", "yes"]).counts_by("x0")
        {'a': (1, 1), 'b': (1, 0)}
        """
        number = position(self.schema, feature)
        values, column = self.schema.features[number].values, self.columns[number]
        if column.dtype.kind == "f":
            raise ValueError(f"feature must be nominal or ordinal, got {feature!r}, which is numeric.")
        return {values[code]: self.take(column == code).class_counts() for code in np.unique(column).tolist() if code >= 0}

    def complete(self) -> Self:
        """The rows without a missing value."""
        return self.take(~self._incomplete())

    def incomplete(self) -> Self:
        """The rows with a missing value."""
        return self.take(self._incomplete())

    def split(self, fraction: float, *, seed: int) -> tuple[Self, Self]:
        """Two random parts: the first has `fraction` of the rows (rounded), the second has the others; of counts, of the cases.

        Raises a ValueError for a fraction outside 0 to 1, and for a seed that is not a whole number from 0.
        """
        if not (isinstance(fraction, Real) and 0 <= fraction <= 1):
            raise ValueError(f"fraction must be between 0 and 1, got {short_repr(fraction)}.")
        cases = self.cases()
        order, cut = generator_of(seed).permutation(len(cases)), round(fraction * len(cases))
        first, second = (self.take(self.part(cases[np.sort(each)])) for each in (order[:cut], order[cut:]))
        return first, second

    def folds(self, n: int, *, seed: int) -> Iterator[tuple[Self, Self]]:
        """Training and test sets of n random folds: for each fold, the rows of the other folds and its own rows.

        Folds are stratified: the counts of a class differ by at most one between folds. The cases of a row of counts are divided
        among folds, as copies of the row would be.

        Raises a ValueError for fewer than 2 folds, or more folds than rows, or than cases of counts.

        >>> from ftree import Dataset
        >>> data = Dataset.from_rows([["a"], ["b"]] * 10, [0, 1] * 10)
        >>> [(len(train), test.class_counts()) for train, test in data.folds(4, seed=0)]
        [(15, (3, 2)), (15, (3, 2)), (15, (2, 3)), (15, (2, 3))]
        """
        parts = stratified_parts(self, n, random=generator_of(seed))
        return ((self.take(train), self.take(test)) for train, test in parts)

    def shuffle(self, *, seed: int) -> Self:
        """Shuffle the rows."""
        return self.take(generator_of(seed).permutation(len(self)))

    def cases(self) -> RowNumbers:
        """The row of each case, (m,), in order: what folds, splits and bags draw. Rows of counts have several, others one each.

        Raises a MemoryError for more cases than can be drawn.

        >>> from ftree import Dataset
        >>> Dataset.from_rows([["a"], ["b"]], [0, 1], weights=[3, 1]).cases().tolist()
        [0, 0, 0, 1]
        """
        if self.weights is None or self.weights_are == "importances":
            return np.arange(len(self))
        # Imported here, since it loads threads.
        from ftree._lib.machine import require_memory  # noqa: PLC0415

        total, remedy = int(self.weights.sum()), "Say weights_are='importances', or divide the weights."
        require_memory(_BYTES_OF_CASE * total, f"draws from {total:,} cases", remedy)
        return np.repeat(np.arange(len(self)), self.weights)

    def _incomplete(self) -> npt.NDArray[np.bool_]:
        gaps = np.zeros(len(self), dtype=bool)
        for column in self.columns:
            gaps |= missing_cells(column)
        return gaps


def rows_that_fit(feature: Feature, column: Column, wanted: Any) -> Mask:
    """Where a column has a wanted value, given as a value, several values, or a function that says whether a value is wanted.

    None stands for missing; a function is not called for missing values.

    Raises a ValueError for a value that the feature does not have: one of other codes, or not a number for a numeric one.

    >>> rows_that_fit(Feature("sky", "nominal", ("blue", "grey")), np.array([0, 1, -1]), ("grey", None)).tolist()
    [False, True, True]
    """
    if callable(wanted):
        return _fits_function(feature, column, wanted)
    several = _several(feature, wanted)
    known = [value for value in several if value is not None or None in feature.values]
    cells = np.array([_cell(feature, value) for value in known], dtype=column.dtype)  # float32 is compared as float32
    found: Mask = np.isin(column, cells)
    return found | missing_cells(column) if len(known) < len(several) else found


def _several(feature: Feature, wanted: Any) -> list[Any]:
    """The wanted values in a list; a tuple that is a value of the feature counts as one value."""
    one_value = is_hashable(wanted) and wanted in set(feature.values)
    return list(wanted) if not one_value and (is_ordered(wanted) or isinstance(wanted, (set, frozenset))) else [wanted]


def _fits_function(feature: Feature, column: Column, wanted: Callable[[Any], Any]) -> Mask:
    """Call the function once for each distinct value, since a call takes much longer than a comparison."""
    cells = np.unique(column[~missing_cells(column)])
    return np.isin(column, cells[np.array([bool(wanted(value)) for value in decode(feature, cells)], dtype=bool)])


def _cell(feature: Feature, value: Any) -> Any:
    """A value as the column holds it: a number, or a code."""
    if feature.kind == "numeric":
        if not ALWAYS_MISSING(value) and (time_family(value) or is_number(value)):
            with suppress(OverflowError):
                return float(seconds(value))
        raise ValueError(f"Values of {short_repr(feature.name)} must be numbers, got {short_repr(value)}.")
    if not is_hashable(value) or value not in set(feature.values):
        wanted = joined(map(short_repr, feature.values))
        message = f"Values of {short_repr(feature.name)} must be among {wanted}, got {short_repr(value)}."
        raise ValueError(message)
    return feature.values.index(value)


def row_numbers(which: npt.ArrayLike, n: int) -> RowNumbers:
    """The row numbers, of n rows, that a boolean mask or an array of numbers selects.

    Raises an IndexError for a mask of another length, for a row that does not exist, and for masked values.
    """
    if np.ma.is_masked(which):
        raise IndexError(f"rows must have no masked values, got {short_repr(which)}. Use rows.filled(False).")
    rows = array_or_none(which)
    if rows.dtype.kind == "b":
        if rows.shape != (n,):
            raise IndexError(f"A mask must have one boolean for each of the {n} rows, got shape {rows.shape}.")
        return np.flatnonzero(rows)
    numbers = rows.astype(np.intp) if rows.size == 0 else rows
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or (numbers.size and not -n <= numbers.min() <= numbers.max() < n):
        raise IndexError(f"rows must be a boolean mask, or numbers from 0 to {n - 1}, got {array_text(rows)}.")
    return numbers


def weights_of_rows(dataset: DatasetRows) -> npt.NDArray[Any]:
    """The weight of each row, (n,): 1 in a dataset without weights.

    >>> from ftree import Dataset
    >>> [weights_of_rows(Dataset.from_rows([["a"], ["b"]], [0, 1], weights=weights)).tolist() for weights in ([3, 1], None)]
    [[3, 1], [1.0, 1.0]]
    """
    return np.ones(len(dataset)) if dataset.weights is None else dataset.weights


def effective_cases(dataset: DatasetRows) -> float:
    """The number of equal cases whose mean is as uncertain: all cases; of importances (sum w)² / sum w², as Kish 1965 has it.

    >>> from ftree import Dataset
    >>> rows = [["a"], ["b"], ["c"]], [0, 1, 2]
    >>> [effective_cases(Dataset.from_rows(*rows, weights=weights)) for weights in ([3, 1, 1], [0.7, 0.7, 0.7])]
    [5.0, 3.0]
    """
    cases = float(dataset.n_cases)
    if dataset.weights is None or dataset.weights_are == "counts":
        return cases
    shares = dataset.weights / cases
    return round(1 / float(shares @ shares), 9)  # whole where all weights are equal


def stratified_parts(dataset: DatasetRows, n: int, *, random: np.random.Generator) -> Iterator[tuple[RowsOrCases, RowsOrCases]]:
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


def parts_of_folds(dataset: DatasetRows, cases: RowNumbers, fold_of: RowNumbers) -> Iterator[tuple[RowsOrCases, RowsOrCases]]:
    """For each fold, the training and test cases, given the row of each case and the number of its fold.

    >>> from ftree import datasets
    >>> [test.tolist() for _, test in parts_of_folds(datasets.xor(), np.arange(4), np.array([0, 1, 1, 0]))]
    [[0, 3], [1, 2]]
    """
    numbers = range(int(fold_of.max()) + 1)
    return ((dataset.part(cases[fold_of != fold]), dataset.part(cases[fold_of == fold])) for fold in numbers)
