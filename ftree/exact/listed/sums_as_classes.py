"""Tables without classes in the form of classes, one for each sum of their response, so that one search serves them all.

Rows that no candidate split separates are a group: they share a leaf, whatever the tree. Each group becomes one row for each
sum: the row's class is the sum, and its weight what the group adds to it. All weights are whole numbers, so sums are exact in
any order. A leaf costs what its answer loses on its own cases, so its objective is a function of these sums:

- `squared_error`, of numbers: the cases n, the sum s of the numbers, and s^2 / n of each group from a common centre. Squared
  errors within groups are the same for all trees. What is left of a leaf is its third sum minus its own s^2 / n, which is never
  negative. s^2 / n is rounded to 2^-47 of the squared error of all rows.
- `additive_loss`, of any other response: its sums, in whole units above the least that a case adds. A case adds `case` to the
  first sum.

Both have `whole`, the loss of all rows as leaves count. The cost of a tree is (that of its leaves + `within`) * `worth`.

Of two groups of numbers, with the centre 0:

    numbers   cases   sum   s^2 / n   squared error within
    1, 3      2       4     8         2
    5         1       5     25        0

A leaf of both costs 33 - 9^2 / 3 = 6, and a leaf of one group 0. The squared errors are 2 more, in every tree: 1, 3 and 5 are
2, 0 and 2 from their mean, whose squares add up to 8.

Source for the groups: Angelino et al. 2018 (equivalent points); for squared error, Zhang et al. 2023 (OSRT).
"""

from collections.abc import Sequence
from math import ceil, fsum, inf, log2
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve, frozen

from ftree._lib.arrays import Array, Floats
from ftree.data.channels import rows_as_sums
from ftree.data.dataset import Dataset
from ftree.exact.candidates import ListedSplits
from ftree.exact.objectives import Objective, checked_objective, require_errors
from ftree.exact.rounding import BITS, least_sum, whole_units
from ftree.exact.task import weights_of
from ftree.tree.additive import exact_sums
from ftree.tree.response import numbers
from ftree.tree.schema import Schema

# Bits of squared errors; and of what a case adds to a sum, at least.
_SQUARED, _LEAST = 48, 25


def in_rows_of_sums(
    table: Dataset, listed: ListedSplits, objective: Objective, min_leaf: float
) -> tuple[Dataset, ListedSplits, Any, float]:
    """The groups of a table as rows of a class for each sum; their candidate splits, objective, and least sum of cases.

    Raises a ValueError for another objective than `errors()`, for a response whose answers differ between rows of a leaf, and for
    numbers whose squares are no floats.
    """
    require_errors(objective)
    given = weights_of(table)
    weights, unit = whole_units(given, BITS)
    loss_and_sums = _of_numbers if table.schema.response.kind == "numbers" else _of_response
    own, sums = loss_and_sums(table, listed.alike, weights, 1 / unit)
    checked_objective(own, np.array([each.sum() for each in sums]))
    return *_rows_of_groups(table, listed, sums), own, least_sum(min_leaf, given, weights * unit) / unit


def _rows_of_groups(table: Dataset, listed: ListedSplits, sums: Sequence[Array]) -> tuple[Dataset, ListedSplits]:
    """The groups, whose sums are (G,), as a row for each sum but 0, whose class and weight it is; and their splits."""
    amounts = np.concatenate(sums)
    kept = np.flatnonzero(amounts)
    rows = np.tile(np.unique(listed.alike, return_index=True)[1], len(sums))[kept]
    channels = np.repeat(np.arange(len(sums), dtype=np.min_scalar_type(-len(sums))), len(amounts) // len(sums))[kept]
    schema = Schema(table.schema.features, table.schema.target, tuple(range(len(sums))))
    expanded = Dataset(schema, [column[rows] for column in table.columns], channels, amounts[kept])
    return expanded, evolve(listed, alike=listed.alike[rows], place=listed.place[:, rows])


def _bits_of_amounts(weights: Floats) -> tuple[int, float]:
    """The bits of what a case adds to a sum, and what its product with a weight is divided by, so that a sum has `BITS` bits."""
    own = ceil(log2(max(weights.sum(), 2)))
    bits = max(BITS - own, _LEAST)
    return bits, 2.0 ** (own + bits - BITS)


@frozen
class squared_error:
    """The squared error of leaves beyond that within groups, of three sums (..., 3); `scale` is what the square of 1 costs.

    >>> squared_error(centre=0.0, scale=1.0)([[2, 4, 8], [1, 5, 25], [3, 9, 33]]).tolist()
    [0.0, 0.0, 6.0]
    """

    centre: float
    scale: float
    worth: float = 1.0
    whole: float = 0.0
    within: float = 0.0
    least = 0.0

    def __call__(self, sums: npt.ArrayLike) -> Floats:
        """The cost of leaves."""
        cases, total, between = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
        away = total - cases * self.centre
        answer: Floats = np.maximum(between - self.scale * away * away / np.where(cases > 0, cases, 1.0), 0.0)
        return answer


def _of_numbers(table: Dataset, alike: Array, weights: Floats, case: float) -> tuple[squared_error, list[Array]]:
    """The squared error of a table, and the three sums of each group, given that of each row, `alike` (n,)."""
    total, (bits, part) = weights.sum(), _bits_of_amounts(weights)
    steps, unit = _steps(table, bits)
    amounts = np.rint(weights * steps / part)
    centre = float(np.rint(amounts.sum() * part / max(total, 1)))
    away = steps - centre
    # These sums are exact but for the last rounding, so that they do not depend on the order of rows.
    whole = max(fsum(weights * away * away) - fsum(weights * away) ** 2 / max(total, 1), 0.0)
    scale = 2.0 ** (_SQUARED - ceil(log2(whole))) if whole else 1.0
    worth = unit * unit / (case * scale)
    if whole and not 0 < worth * whole * scale < inf:
        got = f"got numbers from {table.target_column.min():g} to {table.target_column.max():g}"
        raise ValueError(f"The squared error of a numeric target must be a float above 0, {got}. Scale all values.")
    loss = squared_error(centre / part, scale * part * part, worth, whole * scale)
    cases, added = np.bincount(alike, weights), np.bincount(alike, amounts)
    between = np.rint(loss.scale * (added - cases * loss.centre) ** 2 / np.where(cases > 0, cases, 1))
    sums = [cases, added, between]
    return evolve(loss, within=loss.whole - float(loss([each.sum() for each in sums]))), sums


def _steps(table: Dataset, bits: int) -> tuple[Array, float]:
    """The numbers of rows from the least one in multiples of a unit, in so many bits, and the unit."""
    response = numbers.of(table.target_column)
    more = int(response.whole(table.target_column).max(initial=0)).bit_length() - bits
    unit = response.unit * 2.0 ** max(more, 0)
    return evolve(response, unit=unit).whole(table.target_column).astype(np.float64), unit


@frozen
class additive_loss:
    """The loss of leaves by a response, of sums (..., C) in whole `units` above the `least_of_case`, one of each sum.

    >>> from ftree.responses import policy
    >>> additive_loss(exact_sums(policy(["a", "b"])), (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))([[2, 3, 5, 6], [0, 0, 0, 0]]).tolist()
    [1.0, 0.0]
    """

    response: exact_sums
    least_of_case: tuple[float, ...]
    units: tuple[float, ...]
    whole: float = 0.0
    case: float = 1.0
    least = within = 0.0
    worth = 1.0

    def __call__(self, sums: npt.ArrayLike) -> Floats:
        """The cost of leaves."""
        array = np.asarray(sums, dtype=np.float64) / self.case
        cases = array[..., :1]
        added = array[..., 1:] * self.units + cases * self.least_of_case
        costs: Floats = self.response.risk(np.concatenate([cases, added], axis=-1))
        return np.where(cases[..., 0] > 0, costs, 0.0)


def _of_response(table: Dataset, alike: Array, weights: Floats, case: float) -> tuple[additive_loss, list[Array]]:
    """The loss of a table, and the sums of each group, given that of each row, `alike` (n,)."""
    response: Any = table.schema.response
    if response.row_features:
        wanted = "a response with an answer for each leaf"
        raise ValueError(f"dataset must have {wanted} for an optimal tree, got one of {response.kind}. Use grow(dataset, CART).")
    own = response.at_root(table.weights, table.target_column, *table.further_targets)
    added, (bits, part) = rows_as_sums(table, own)[:, 1:].T, _bits_of_amounts(weights)
    least = added.min(axis=1)
    units = 2.0 ** np.maximum(np.ceil(np.log2(np.maximum((added - least[:, None]).max(axis=1), 1))) - bits, 0)
    steps = np.rint((added - least[:, None]) / units[:, None])
    amounts = np.concatenate([weights[None], np.rint(weights * steps / part)])
    loss = additive_loss(own, tuple(least.tolist()), tuple((units * part).tolist()), case=case)
    return evolve(loss, whole=float(loss(amounts.sum(axis=1)))), [np.bincount(alike, each) for each in amounts]
