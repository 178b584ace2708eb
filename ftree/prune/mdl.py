"""Minimum description length: cut where the tree costs more bits than it saves in coding the classes.

Source: Mehta, Rissanen & Agrawal 1995; costs of splits after Rastogi & Shim 1998 (PUBLIC).
"""

from math import comb, lgamma, log, log2, pi
from typing import Any, cast

import numpy as np
from attrs import field, frozen
from attrs.validators import optional

from ftree._fields import reads_like_its_constructor
from ftree._kernels import missing_cells
from ftree.dataset import Dataset, a_dataset
from ftree.prune.judge import Decision, Note, Place, Verdict, at_most, bottom_up, trail, unheard
from ftree.split import Groups, Intervals, Multiway, Split, Subset, features_of, primary
from ftree.tree import Branch, Counts, Node, Tree


def _not_negative(_: Any, attribute: Any, value: float | None) -> None:
    if value is not None and not value >= 0:
        message = f"{attribute.name} is at least 0; it came as {value!r}."
        raise ValueError(message)


def _at_least_one(_: Any, __: Any, features: float | None) -> None:
    if features is not None and not features >= 1:
        message = f"features, how many a split may ask for, is at least 1; it came as {features!r}."
        raise ValueError(message)


@reads_like_its_constructor
@frozen(repr=False)
class mdl:
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


def class_code(counts: Counts) -> float:
    """Bits that code the classes of the cases, the class shares included; 0 for none, and less than one case counts as one.

    Source: Mehta, Rissanen & Agrawal 1995, after Krichevsky & Trofimov 1981.

    >>> round(class_code((15, 1)), 6)
    8.548137
    """
    n, k = sum(counts), len(counts)
    if not n:
        return 0.0
    coded = sum(count * log2(n / count) for count in counts if count)
    return coded + (k - 1) / 2 * log2(max(n, 1) / 2) + (k / 2 * log(pi) - lgamma(k / 2)) / log(2)


def split_cost(split: Split, distinct: float) -> float:
    """Bits that name the value of a split on a feature of so many distinct values.

    >>> from ftree.split import Threshold
    >>> split_cost(Threshold(0, 0.5), 9), split_cost(Subset(0, (0,)), 2), split_cost(Multiway(0, (0, 1)), 2)
    (3.0, 1.0, 0.0)
    """
    match primary(split):
        case Multiway():
            return 0.0
        case Subset():
            return log2(2**distinct - 2) if distinct > 1 else 0.0
        case Groups(_, groups):
            return log2(max(_ways_to_divide(int(distinct), len(groups)), 1))
        case Intervals(_, cuts):
            places = max(distinct - 1, len(cuts))
            return sum(log2((places - chosen) / (chosen + 1)) for chosen in range(len(cuts)))
    return log2(max(distinct - 1, 1))


def _ways_to_divide(values: int, groups: int) -> int:
    """In how many ways values go to so many groups, none of them empty: g! S(v, g), by inclusion and exclusion."""
    return sum((-1) ** empty * comb(groups, empty) * (groups - empty) ** values for empty in range(groups))


def _no_longer(_: Place, as_leaf: float, as_subtree: float, __: list[Node]) -> Verdict:
    return as_subtree, at_most(as_leaf, as_subtree)
