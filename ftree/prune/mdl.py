"""Minimum description length: cut where the tree costs more bits than it saves in coding the classes.

Source: Mehta, Rissanen & Agrawal 1995; costs of splits after Rastogi & Shim 1998 (PUBLIC).
"""

from math import log2
from typing import Any, cast

import numpy as np
from attrs import field, frozen
from attrs.validators import optional

from ftree._lib.arrays import missing_cells
from ftree._lib.fields import ConstructorRepr
from ftree.data.dataset import Dataset, a_dataset
from ftree.prune.base import Decision, Note, Place, Verdict, at_most, bottom_up, trail, unheard
from ftree.prune.description_length import class_code, split_cost
from ftree.tree.nodes import Branch, Node, Tree
from ftree.tree.splits import features_of, primary


def _not_negative(_: Any, attribute: Any, value: float | None) -> None:
    if value is not None and not value >= 0:
        message = f"{attribute.name} is at least 0; it came as {value!r}."
        raise ValueError(message)


def _at_least_one(_: Any, __: Any, features: float | None) -> None:
    if features is not None and not features >= 1:
        message = f"features, how many a split may ask for, is at least 1; it came as {features!r}."
        raise ValueError(message)


@frozen(repr=False)
class mdl(ConstructorRepr):
    """Cut, children first, where the bits of the leaf are at most those of the subtree.

    A leaf costs 1 bit and the code of its classes (`class_code`); a branch 1 bit, log2 of the number of `features` (by
    default the schema's) to name one, the cost of the split's value, and its children. Of v distinct values, a threshold
    costs log2(v - 1) and a subset log2(2^v - 2); a multiway split is named by its feature, and a sum costs as much as a
    threshold on each of its features. Of several groups, g, the ways to divide the values among them are counted, g! S(v, g)
    with Stirling's number, and of several intervals those to choose their k cuts, v - 1 over k: so two groups cost what a
    subset does, and one cut what a threshold does. How many children there are goes free, as it does for a multiway split.
    Surrogates cost nothing: they do not divide the cases that are known. For a numeric feature
    v is counted in `values`, the growing data; without them no two cases are taken to be alike. `value_cost` overrides.

    Raises a ValueError for a negative cost or fewer than one feature.

    >>> mdl()
    mdl(features=None, value_cost=None, values=None)
    """

    features: int | None = field(default=None, kw_only=True, validator=_at_least_one)
    value_cost: float | None = field(default=None, kw_only=True, validator=_not_negative)
    values: Dataset | None = field(default=None, kw_only=True, validator=optional(a_dataset))

    def __call__(self, tree: Tree) -> Tree:
        """The pruned tree; the same tree when nothing is cut."""
        return self._run(tree, unheard)

    def decisions(self, tree: Tree) -> tuple[Decision, ...]:
        """Every branch, children first; scores are bits."""
        return trail(self._run, tree)

    def _run(self, tree: Tree, note: Note) -> Tree:
        naming = log2(self.features or max(len(tree.schema.features), 1))
        distinct = self._distinct(tree)

        def merge(place: Place, below: list[float]) -> float:
            return 1 + self._split_cost(place.node, naming, distinct) + sum(below)

        return bottom_up(tree, lambda place: 1 + class_code(place.node.counts), _no_longer, note=note, merge=merge)

    def _distinct(self, tree: Tree) -> list[float]:
        """Number of distinct values of each feature."""
        schema = tree.schema
        if self.values is None:
            n = sum(tree.root.counts)
            return [n if feature.kind == "numeric" else len(feature.values) for feature in schema.features]
        columns = self.values.recoded(schema).columns
        return [len(np.unique(column[~missing_cells(column)])) for column in columns]

    def _split_cost(self, node: Node, naming: float, distinct: list[float]) -> float:
        split = primary(cast("Branch", node).split)
        asked = features_of(split)
        if self.value_cost is not None:
            return len(asked) * (naming + self.value_cost)
        return sum(naming + split_cost(split, distinct[feature]) for feature in asked)


def _no_longer(_: Place, as_leaf: float, as_subtree: float, __: list[Node]) -> Verdict:
    return as_subtree, at_most(as_leaf, as_subtree)
