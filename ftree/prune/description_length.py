"""Minimum description length: cut where a split costs more bits than it saves in encoding the classes.

Source: Mehta, Rissanen & Agrawal 1995; costs of splits after Rastogi & Shim 1998 (PUBLIC).
"""

from math import lgamma, log, log2, pi
from typing import Any, cast

import numpy as np
from attrs import field, frozen
from attrs.validators import optional

from ftree._lib.arrays import missing_cells
from ftree._lib.fields import a_whole_number
from ftree._lib.messages import short_repr
from ftree.data.dataset import Dataset
from ftree.data.frames import NamedColumns
from ftree.data.labelled import as_dataset, dataset_or_table
from ftree.prune.decisions import Pruned
from ftree.prune.passes import DecidingPass, a_number_from, bottom_up, in_level_order
from ftree.tree.nodes import Branch, Node, Tree
from ftree.tree.response import Counts
from ftree.tree.splits.split import Split, bits, primary

# Of type Any, so that the fields keep the types that they declare.
_COST, _FEATURES = optional(a_number_from(0)), optional(a_whole_number(1, of="features"))


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

    Raises a ValueError for a negative cost, fewer than one feature, and `values` with a `value_cost`, which would not be read.

    >>> mdl()
    mdl(features=None, value_cost=None, values=None)
    """

    features: int | None = field(default=None, kw_only=True, validator=_FEATURES)
    value_cost: float | None = field(default=None, kw_only=True, validator=_COST)
    values: Dataset | NamedColumns | None = field(default=None, kw_only=True, converter=_as_table)

    def __attrs_post_init__(self) -> None:
        """Check that the values count."""
        if self.value_cost is not None and self.values is not None:
            got = short_repr(self.value_cost)
            raise ValueError(f"value_cost must be None with values, whose number of distinct ones is the cost, got {got}.")

    def _prune(self, tree: Tree) -> Pruned:
        order, naming = in_level_order(tree), log2(self.features or max(len(tree.schema.features), 1))
        distinct = self._distinct(tree)

        def with_split(number: int, below: list[float]) -> float:
            return 1 + self._split_cost(order.nodes[number], naming, distinct) + sum(below)

        return bottom_up(order, [1 + class_code(counts) for counts in order.counts], subtree_score=with_split)

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


def class_code(counts: Counts) -> float:
    """Bits that encode the classes of the cases and the class shares; 0 without cases; less than one case counts as one.

    It is Mehta, Rissanen & Agrawal's approximation for many cases of a code of Krichevsky & Trofimov. With few cases of many
    classes, the approximation falls below that code, even below zero; then it is the code itself.

    Source: Mehta, Rissanen & Agrawal 1995; Krichevsky & Trofimov 1981.

    >>> round(class_code((15, 1)), 6)
    8.548137
    """
    n, k = sum(counts), len(counts)
    if not n:
        return 0.0
    coded = sum(count * log2(n / count) for count in counts if count)
    shares = (k - 1) / 2 * log2(max(n, 1) / 2) + (k / 2 * log(pi) - lgamma(k / 2)) / log(2)
    one_by_one = lgamma(n + k / 2) - lgamma(k / 2) - sum(lgamma(count + 0.5) - lgamma(0.5) for count in counts)
    return max(coded + shares, one_by_one / log(2))


def split_cost(split: Split, distinct: float) -> float:
    """Bits that encode the value of a split on a feature with `distinct` distinct values; by default those of a threshold.

    >>> from ftree.tree import Multiway, Subset, Threshold
    >>> split_cost(Threshold(0, 0.5), 9), split_cost(Subset(0, (0,)), 2), split_cost(Multiway(0, (0, 1)), 2)
    (3.0, 1.0, 0.0)
    """
    own = bits(primary(split), distinct)
    return log2(max(distinct - 1, 1)) if own is None else own
