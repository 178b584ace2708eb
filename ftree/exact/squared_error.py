"""A regression table in the form of three classes, so that one search finds optimal trees for both.

Rows that no candidate split separates are a group: they share a leaf, whatever the tree, so squared errors within groups are the
same for all trees. What is left depends on three sums, so a group is three rows: its cases n, the sum s of its numbers, and
s^2 / n from a common centre. A leaf costs what it has of the third, minus its own s^2 / n, which is never negative. All three are
whole numbers, so sums are exact in any order; s^2 / n is rounded to 2^-47 of the squared error of all rows.

Source for the bound by groups: Angelino et al. 2018 (equivalent points); for squared error, Zhang et al. 2023 (OSRT).
"""

from collections.abc import Sequence
from math import ceil, fsum, inf, log2

import numpy as np
import numpy.typing as npt
from attrs import evolve, frozen

from ftree._lib.arrays import Array, Floats
from ftree.data.dataset import Dataset
from ftree.exact.candidates import ListedSplits
from ftree.exact.objectives import Objective, require_errors
from ftree.tree.response import numbers
from ftree.tree.schema import Schema

# Bits of the sum of numbers, of squared errors, and of weights.
_BITS, _SQUARED, _WEIGHTS = 50, 48, 25


@frozen
class squared_error:
    """The squared error of leaves beyond that within groups, of three sums (..., 3); `scale` is what the square of 1 costs.

    The cost of a tree is (its leaves + `within`) * `worth`, and `whole` is that of all rows, as leaves count. A case is `case`
    in the first sum, and sums of cases are rounded by at most `rounding`.

    >>> squared_error(1.0, 2.0)([[1, 3, 8], [2, 2, 0]]).tolist()
    [0.0, 0.0]
    """

    centre: float
    scale: float
    worth: float = 1.0
    whole: float = 0.0
    within: float = 0.0
    case: float = 1.0
    rounding: float = 0.0
    least = 0.0

    def __call__(self, sums: npt.ArrayLike) -> Floats:
        """The cost of leaves."""
        cases, total, between = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
        away = total - cases * self.centre
        answer: Floats = np.maximum(between - self.scale * away * away / np.where(cases > 0, cases, 1.0), 0.0)
        return answer


def in_three_rows(table: Dataset, listed: ListedSplits, objective: Objective) -> tuple[Dataset, ListedSplits, squared_error]:
    """The groups of a table of numbers as rows of three classes, with candidate splits of these rows, and their objective.

    Raises a ValueError for another objective than `errors()`, and for numbers whose squares are no floats.
    """
    require_errors(objective)
    weights, case = whole_weights(table)
    total = weights.sum()
    steps, unit = _steps(table, _BITS - ceil(log2(max(total, 2))))
    centre = float(np.rint((weights * steps).sum() / max(total, 1)))
    away = steps - centre
    # These sums are exact but for the last rounding, so that they do not depend on the order of rows.
    whole = max(fsum(weights * away * away) - fsum(weights * away) ** 2 / max(total, 1), 0.0)
    scale = 2.0 ** (_SQUARED - ceil(log2(whole))) if whole else 1.0
    cases, sums = (np.bincount(listed.alike, each) for each in (weights, weights * steps))
    between = np.rint(scale * (sums - cases * centre) ** 2 / np.where(cases > 0, cases, 1))
    worth = unit * unit / (case * scale)
    if whole and not 0 < worth * whole * scale < inf:
        got = f"got numbers from {table.target_column.min():g} to {table.target_column.max():g}"
        raise ValueError(f"The squared error of a numeric target must be a float above 0, {got}. Scale all values.")
    given = squared_error(centre, scale, worth, whole * scale, case=case, rounding=0.0 if case == 1 else float(len(table)))
    expanded, splits = rows_of_groups(table, listed, [cases, sums, between])
    return expanded, splits, evolve(given, within=whole * scale - float(given([cases.sum(), sums.sum(), between.sum()])))


def rows_of_groups(table: Dataset, listed: ListedSplits, sums: Sequence[Array]) -> tuple[Dataset, ListedSplits]:
    """The groups of a table, whose sums are (G,), as a row for each sum but 0, whose class and weight it is; and their splits."""
    amounts = np.concatenate(sums)
    kept = np.flatnonzero(amounts)
    rows = np.tile(np.unique(listed.alike, return_index=True)[1], len(sums))[kept]
    channels = np.repeat(np.arange(len(sums), dtype=np.int8), len(amounts) // len(sums))[kept]
    schema = Schema(table.schema.features, table.schema.target, tuple(range(len(sums))))
    expanded = Dataset(schema, [column[rows] for column in table.columns], channels, amounts[kept])
    return expanded, evolve(listed, alike=listed.alike[rows], place=listed.place[:, rows])


def whole_weights(table: Dataset) -> tuple[Floats, float]:
    """The weights of rows as whole numbers, rounded where they are fractions or too many, and the weight of a case."""
    weights = np.ones(len(table)) if table.weights is None else table.weights.astype(np.float64)
    if (weights == np.rint(weights)).all() and weights.sum() <= 1 << _WEIGHTS:
        return weights, 1.0
    case = 2.0 ** (_WEIGHTS - ceil(log2(fsum(weights))))
    return np.rint(weights * case), case


def _steps(table: Dataset, bits: int) -> tuple[Array, float]:
    """The numbers of rows from the least one in multiples of a unit, in so many bits, and the unit."""
    response = numbers.of(table.target_column)
    more = int(response.whole(table.target_column).max(initial=0)).bit_length() - bits
    unit = response.unit * 2.0 ** max(more, 0)
    return evolve(response, unit=unit).whole(table.target_column).astype(np.float64), unit
