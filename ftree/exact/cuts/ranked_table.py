"""A table as columns of ranks, any number of cuts each, in place of listed splits; errors are the objective.

A column is an order of the rows, and a cut sends its lower ranks to the left. A numeric feature is one such order, or two where
values are missing, which come last or first; a listed split is an order of two ranks.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from ftree import native
from ftree._lib.arrays import Array, Floats
from ftree._lib.objects import is_exactly
from ftree.data.cases import weights_of_rows
from ftree.data.dataset import Dataset
from ftree.exact.candidates import (
    and_missing,
    check_splitters,
    distinct_places,
    division_of,
    listed_of_column,
    prepared_rows,
    too_many,
)
from ftree.exact.objectives import charges_of, require_price
from ftree.exact.rounding import BITS, charges_on_grid, whole_units
from ftree.exact.task import SearchTask, exact_weights, problem_counts
from ftree.splitters import DistinctValues, ListsCandidates, threshold
from ftree.tree.splits.split import Split

_TWO = 2
# With so few cuts, the search among listed splits is quicker.
_FEW = 256


@frozen(eq=False)
class RowOrder:
    """An order of the rows: by `values` of a feature, missing ones on the side of `default_child`; or by a listed split."""

    feature: int
    splitter: Any
    values: Array
    default_child: int | None = None
    listed: Split | None = None

    def split_at(self, rank: int) -> Split:
        """The split whose left rows have ranks up to this one."""
        if self.listed is not None:
            return self.listed
        place = rank - (self.default_child == 0)
        both = self.values[max(place, 0) : place + _TWO]
        splits = self.splitter.candidates(DistinctValues(self.feature, "", both, np.ones(len(both))))
        made = list(and_missing(self.feature, splits, missing=self.default_child is not None))
        return made[: (self.default_child or 0) + 1][-1]  # the only one beside missing values is "is missing"


@frozen(eq=False)
class RankedTable:
    """A table as `columns` with the `rank` (F, n) of each row, and what leaves and cuts cost.

    `amounts` (n,) are what an error in a row costs, in whole units of `unit`; `prices` (F,) are those of columns.
    """

    dataset: Dataset
    columns: Sequence[RowOrder]
    rank: Array
    cases: Floats
    amounts: Array
    unit: float
    penalty: float
    prices: Floats


def ranked_table(task: SearchTask, *, fewest: int = _FEW) -> RankedTable | None:
    """The columns of a table that this search serves; None for others.

    It serves the objectives that count errors, splits of two children, and leaves of any size, where there are more cuts than
    `fewest`; it needs the native library. Raises the errors of `problem_of`.
    """
    dataset, splitters = task.dataset, task.splitters
    check_splitters(splitters)
    if not (native.is_here() and isinstance(dataset, Dataset) and _has_numbers(dataset, splitters)):
        return None
    table = prepared_rows(dataset, task.missing)
    exact = exact_weights(task.objective, table, 0)
    cases, weights = exact.cases, exact.weights
    if exact.class_weights is None or task.min_leaf > cases.min():
        return None
    found = list(_columns(table, splitters, task.max_candidates))
    known = [each for each in found if each is not None]
    if len(known) < max(len(found), 1) or sum(int(rank.max()) for _, rank in known) <= fewest:
        return None
    columns, ranks = zip(*known, strict=True)
    charges, total = charges_of(table.schema, task.feature_costs, table.n_cases), float(cases.sum())
    require_price("leaf_penalty", task.leaf_penalty, total)
    shares = np.array([sum(charges[number] for number in _features(column)) for column in columns])
    amounts, unit = _whole(weights * exact.class_weights[table.target_column])
    worst = float(exact.objective(problem_counts(table.target_column, weights, len(table.schema.classes))))
    penalty, prices, _ = charges_on_grid(worst, float(task.leaf_penalty), shares, total)
    return RankedTable(table, columns, np.array(ranks, np.int32), cases, amounts, unit, penalty, prices)


def _has_numbers(dataset: Dataset, splitters: Sequence[Any]) -> bool:
    """Whether a table of classes has a feature that a threshold may divide."""
    kinds = {kind for splitter in splitters if is_exactly(splitter, threshold) for kind in splitter.kinds}
    return bool(dataset.schema.classes) and any(feature.kind in kinds for feature in dataset.schema.features)


def _features(column: RowOrder) -> tuple[int, ...]:
    return (column.feature,) if column.listed is None else tuple(column.listed.features)


def _columns(table: Dataset, splitters: Sequence[Any], most: int) -> "Iterator[tuple[RowOrder, Array] | None]":
    """The columns of a table with the ranks (n,) of rows; None for a split with several children."""
    weights, n_listed = weights_of_rows(table), 0
    for number, (feature, cells) in enumerate(zip(table.schema.features, table.columns, strict=True)):
        seen: set[bytes] = set()
        for splitter in splitters:
            if is_exactly(splitter, threshold) and feature.kind in splitter.kinds:
                yield from _of_values(number, splitter, cells)
            elif feature.kind in splitter.kinds:
                for column in _of_listed(number, splitter, listed_of_column(number, feature, cells, weights, [splitter]), seen):
                    yield column
                    if column is None:
                        return
                    n_listed += 1
                    if n_listed > most:
                        raise too_many(most)


def _of_listed(
    number: int, splitter: ListsCandidates, listed: tuple[list[Split], Array, Array], seen: set[bytes]
) -> "Iterator[tuple[RowOrder, Array] | None]":
    """The orders of a feature's rows by listed splits with divisions not yet `seen`; None for a split with several children."""
    splits, children, of_row = listed
    for split, child in zip(splits, children, strict=True):
        rank = child.take(of_row)
        division = division_of(rank)
        if split.n_children != _TWO:
            yield None
        elif division not in seen:
            seen.add(division)
            yield RowOrder(number, splitter, np.zeros(0), listed=split), rank


def _of_values(number: int, splitter: threshold, cells: Array) -> Iterator[tuple[RowOrder, Array]]:
    """The orders of a feature's rows by their values."""
    values, place = distinct_places(cells)
    splitter.candidates(DistinctValues(number, "", values[:1], np.ones(len(values[:1]))))  # it refuses limits
    if (place == len(values)).any():
        yield RowOrder(number, splitter, values, 1), place
        yield RowOrder(number, splitter, values, 0), (place + 1) % (len(values) + 1)
    elif len(values) > 1:
        yield RowOrder(number, splitter, values), place


def _whole(amounts: Floats) -> tuple[Array, float]:
    """Amounts as whole numbers of a unit, and the unit: their greatest common divisor, or a power of two for fractions."""
    units, unit = whole_units(amounts, BITS + 1)  # one bit more, since their sum may have been rounded up: none is rounded again
    whole = units.astype(np.int64)
    common = max(int(np.gcd.reduce(whole)), 1)
    return whole // common, unit * common
