"""Minimum description length: cut where a split costs more bits than it saves in encoding the classes.

Source: Mehta, Rissanen & Agrawal 1995; costs of splits after Rastogi & Shim 1998 (PUBLIC).
"""

from math import log2
from typing import Any, cast

import numpy as np
from attrs import field, frozen
from attrs.validators import optional

from ftree._lib.arrays import missing_cells
from ftree.data.dataset import Dataset
from ftree.data.frames import NamedColumns
from ftree.data.labelled import as_dataset, dataset_or_table
from ftree.prune.decisions import DecidingPass, Recorder
from ftree.prune.figures import class_code, split_cost
from ftree.prune.passes import a_number_from, bottom_up, in_level_order, no_worse
from ftree.tree.nodes import Branch, Node, Tree
from ftree.tree.splits.split import primary

# Of type Any, so that the fields keep the types that they declare.
_COST, _FEATURES = optional(a_number_from(0)), optional(a_number_from(1))


def _as_table(rows: Any) -> Any:
    return None if rows is None else dataset_or_table(rows, "values")


@frozen
class mdl(DecidingPass):
    """Cut, children first, where the bits of the leaf are at most those of the subtree.

    A leaf costs 1 bit and the code of its classes (`class_code`). A branch costs 1 bit, log2 of the number of `features` (by
    default the schema's), the cost of the split's value, and its children. With v distinct values, a threshold costs
    log2(v - 1), a subset log2(2^v - 2), and a multiway split nothing. A sum costs as much as a threshold on each of its
    features. Splits into g groups cost the log2 of their number, g! S(v, g) with Stirling's number, and those with k cuts
    the log2 of (v - 1 choose k). The number of children and the surrogates cost nothing. For a numeric feature, v is counted
    in `values`, the training set; without it, all cases count as distinct. `value_cost` replaces the cost of the split's
    value.

    In `decisions`, scores are bits.

    Raises a ValueError for a negative cost or fewer than one feature.

    >>> mdl()
    mdl(features=None, value_cost=None, values=None)
    """

    features: int | None = field(default=None, kw_only=True, validator=_FEATURES)
    value_cost: float | None = field(default=None, kw_only=True, validator=_COST)
    values: Dataset | NamedColumns | None = field(default=None, kw_only=True, converter=_as_table)

    def _prune(self, tree: Tree, record: Recorder) -> Tree:
        order, naming = in_level_order(tree), log2(self.features or max(len(tree.schema.features), 1))
        distinct = self._distinct(tree)

        def with_split(number: int, below: list[float]) -> float:
            return 1 + self._split_cost(order.nodes[number], naming, distinct) + sum(below)

        leaves = [1 + class_code(node.counts) for node in order.nodes]
        return bottom_up(tree, order, leaves, no_worse, record=record, subtree_score=with_split)

    def _distinct(self, tree: Tree) -> list[float]:
        """Number of distinct values of each feature."""
        schema = tree.schema
        if self.values is None:
            n = sum(tree.root.counts)
            return [n if feature.kind == "numeric" else len(feature.values) for feature in schema.features]
        columns = as_dataset(schema, self.values).recoded(schema).columns
        return [len(np.unique(column[~missing_cells(column)])) for column in columns]

    def _split_cost(self, node: Node, naming: float, distinct: list[float]) -> float:
        split = primary(cast("Branch", node).split)
        used = split.features
        if self.value_cost is not None:
            return len(used) * (naming + self.value_cost)
        return sum(naming + split_cost(split, distinct[feature]) for feature in used)
