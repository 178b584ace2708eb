"""A table of any response of sums in the form of classes, one for each sum, so that one search finds optimal trees for all.

Rows that no candidate split separates are a group: they share a leaf, whatever the tree. A group is a row of each class, whose
weight is what its cases add to this sum, counted in whole units from the least that a case adds. So sums are exact in any order.
A leaf costs what its answer loses on its own cases.
"""

from math import ceil, log2
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve, frozen

from ftree._lib.arrays import Floats
from ftree.data.channels import rows_as_sums
from ftree.data.dataset import Dataset
from ftree.exact.candidates import ListedSplits
from ftree.exact.objectives import Objective, require_errors
from ftree.exact.squared_error import rows_of_groups, whole_weights
from ftree.tree.additive import exact_sums

# Bits of a sum.
_BITS = 50


@frozen
class additive_loss:
    """The loss of leaves by a response, of sums (..., C) in whole `units` above the `least_of_case`, one of each sum.

    `whole` is the loss of all rows. A case is `case` in the first sum, and sums of cases are rounded by at most `rounding`.

    >>> from ftree.responses import policy
    >>> additive_loss(exact_sums(policy(["a", "b"])), (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))([[2, 3, 5, 6], [0, 0, 0, 0]]).tolist()
    [1.0, 0.0]
    """

    response: exact_sums
    least_of_case: tuple[float, ...]
    units: tuple[float, ...]
    whole: float = 0.0
    case: float = 1.0
    rounding: float = 0.0
    least = 0.0

    def __call__(self, sums: npt.ArrayLike) -> Floats:
        """The cost of leaves."""
        array = np.asarray(sums, dtype=np.float64) / self.case
        cases = array[..., :1]
        added = array[..., 1:] * self.units + cases * self.least_of_case
        costs: Floats = self.response.risk(np.concatenate([cases, added], axis=-1))
        return np.where(cases[..., 0] > 0, costs, 0.0)


def in_rows_of_sums(table: Dataset, listed: ListedSplits, objective: Objective) -> tuple[Dataset, ListedSplits, additive_loss]:
    """The groups of a table as rows of a class for each sum, with candidate splits of these rows, and their objective.

    Raises a ValueError for another objective than `errors()`, and for a response whose answers differ between rows of a leaf.
    """
    require_errors(objective)
    response: Any = table.schema.response
    if response.row_features:
        wanted = "a response with an answer for each leaf"
        raise ValueError(f"dataset must have {wanted} for an optimal tree, got one of {response.kind}. Use grow(dataset, CART).")
    columns = table.target_column, *table.further_targets
    own, (weights, case) = response.at_root(table.weights, *columns), whole_weights(table)
    whole = rows_as_sums(table, own)[:, 1:].T
    least, bits = whole.min(axis=1), _BITS - ceil(log2(max(weights.sum(), 2)))
    units = 2.0 ** np.maximum(np.ceil(np.log2(np.maximum((whole - least[:, None]).max(axis=1), 1))) - bits, 0)
    amounts = weights * np.stack([np.ones(len(table)), *np.rint((whole - least[:, None]) / units[:, None])])
    groups = [np.bincount(listed.alike, each) for each in amounts]
    rounding = 0.0 if case == 1 else float(len(table))
    given = additive_loss(own, tuple(least.tolist()), tuple(units.tolist()), case=case, rounding=rounding)
    expanded, splits = rows_of_groups(table, listed, groups)
    return expanded, splits, evolve(given, whole=float(given(amounts.sum(axis=1))))
