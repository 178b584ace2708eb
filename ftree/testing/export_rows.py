"""Rows that are hard for exports: values equal or adjacent to thresholds, missing and unseen ones, texts of any script."""

from collections import defaultdict
from math import inf, nextafter
from typing import Any

import numpy as np

from ftree._lib.fields import require_whole_number
from ftree.tree.conditions import AllOf, AnyOf, Between, Condition, FirstKnown, SumBetween
from ftree.tree.nodes import Branch, Tree, check_tree, preorder
from ftree.tree.schema import Feature

_LARGEST = 1e300
_UNSEEN: dict[type, Any] = {str: "of no split, größer", int: 987654, float: 0.123}


def export_rows(tree: Tree, n: int = 10_000, *, seed: int = 0) -> list[list[Any]]:
    """Rows of values in the schema's order, None where a value is missing, to test an export of the tree.

    Numbers equal the tree's thresholds, or are the next float above or below, or are very large; other values are those of the
    schema, and one that it lacks. Half of the rows have no missing value.

    Raises a TypeError for anything but a Tree, a ValueError for an n that is not a whole number from 0.

    >>> from ftree.testing import chain
    >>> export_rows(chain(1), 5)
    [[1e+300], [0.0], [1.5], [0.5000000000000001], [0.5000000000000001]]
    """
    check_tree(tree)
    require_whole_number("n", n, 0)
    random = np.random.default_rng(seed)
    pools = [_pool(feature, cuts) for feature, cuts in zip(tree.schema.features, _cuts(tree), strict=True)]
    columns = [random.integers(len(pool), size=n) for pool in pools]
    gaps = random.random((n, len(pools))) < random.choice([0.0, 0.0, 0.2, 0.6], size=(n, 1))
    chosen = [[pool[place] for place in places.tolist()] for pool, places in zip(pools, columns, strict=True)]
    return [
        [None if gap else cell for cell, gap in zip(row, missing, strict=True)]
        for row, missing in zip(zip(*chosen, strict=True), gaps.tolist(), strict=True)
    ]


def _cuts(tree: Tree) -> list[list[float]]:
    """The numbers in conditions, by feature; for a sum, the value of each feature if the others are 0."""
    found: defaultdict[Any, set[float]] = defaultdict(set)
    stack: list[Condition] = [each for node in preorder(tree) if isinstance(node, Branch) for each in node.split.conditions]
    while stack:
        match stack.pop():
            case Between(feature, above, at_most):
                found[feature] |= {above, at_most}
            case SumBetween(features, weights, above, at_most):
                for feature, weight in zip(features, weights, strict=True):
                    found[feature] |= {above / weight, at_most / weight}
            case AllOf(conditions) | AnyOf(conditions):
                stack += conditions
            case FirstKnown(pairs):
                stack += [each for pair in pairs for each in pair]
    return [sorted(found[number] - {inf, -inf}) for number in range(len(tree.schema.features))]


def _pool(feature: Feature, cuts: list[float]) -> list[Any]:
    """The values of a feature to choose from."""
    if feature.kind == "numeric":
        beside = [near for cut in cuts for near in (cut, nextafter(cut, -inf), nextafter(cut, inf), cut - 1, cut + 1)]
        return [*beside, 0.0, _LARGEST, -_LARGEST]
    unseen = [_UNSEEN[kind] for kind in {type(value) for value in feature.values} & set(_UNSEEN)]
    return [*feature.values, *unseen]
