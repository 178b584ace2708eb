"""The leaf that each row reaches: its number, the leaf of one row, and the moments and quantiles of leaves, by their numbers."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ftree._lib.arrays import Array, Floats
from ftree._lib.fields import as_tuple, require_probability
from ftree.data.cases import weights_of_rows
from ftree.data.dataset import Dataset
from ftree.data.labelled import Unseen, as_dataset
from ftree.data.rows import Row, numbers_in_kind
from ftree.routing.descent import descend
from ftree.routing.flat import flat
from ftree.routing.missing_rules import SIZES, MissingRule, as_prediction_rule, one_route, route_shares
from ftree.routing.paths import path_of
from ftree.routing.reach import Reached, reach
from ftree.tree.fold import n_leaves
from ftree.tree.nodes import Leaf, PredictionRule, Tree, check_tree, level_order
from ftree.tree.schema import by_task, response_of_sums
from ftree.tree.splits.split import UNKNOWN, Columns


def apply(tree: Tree, rows: Any, *, missing: MissingRule = "heaviest", unseen: Unseen = "rule") -> Any:
    """The number of the leaf that each row reaches, in the order of `leaves(tree)`; rows and answers as for `predict`.

    At a split without an answer, a row goes to the child with the most cases (`heaviest`), or follows another rule that
    takes one route; a row that stops before a leaf (`stop_here`) has the number -1.

    Raises a ValueError for a rule that follows several routes and for rows of another length, a KeyError for a column that
    the rows lack.

    The path of each leaf, by its number:

    >>> from ftree import Dataset, Leaf, grow
    >>> from ftree.tree import walk
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"]))
    >>> apply(tree, [["sunny"], ["rainy"], [None]])
    [1, 0, 0]
    >>> [path for path, node in walk(tree) if isinstance(node, Leaf)]
    [(0,), (1,)]
    """
    check_tree(tree)
    rule = as_prediction_rule(missing)
    one_route(rule, SIZES)
    reached = reach(tree, rows, unseen)
    numbers = leaf_ranks(reached, rule)
    return int(numbers[0]) if reached.single else numbers_in_kind(rows, "leaf", numbers)


def leaf_ranks(reached: Reached, rule: PredictionRule) -> Array:
    """The number of the leaf, from left to right, that each row reaches by a rule that follows one route; else -1."""
    nodes = reached.nodes

    def of_divided(columns: Columns, n: int) -> Array:
        ranks = np.full(n, UNKNOWN)
        for level in descend(nodes, columns, np.ones(n), rule, 1.0, shares=route_shares):
            ends = level.ending()
            ranks[ends.rows] = nodes.leaf_ranks[ends.node]
        return ranks

    return reached.answers(nodes.leaf_ranks.__getitem__, rule, of_divided)


def leaf_of(tree: Tree, row: Row | npt.NDArray[Any], *, missing: MissingRule = "heaviest", unseen: Unseen = "rule") -> Leaf:
    """The leaf that one row reaches, or, if it stops before, its last node as a leaf; see `path_of`.

    >>> from ftree import Dataset, grow
    >>> leaf_of(grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"])), ["rainy"])
    Leaf(counts=(0, 1))
    """
    return Leaf(path_of(tree, row, missing=as_prediction_rule(missing), unseen=unseen).node.counts)


def leaf_quantiles(
    tree: Tree, dataset: Dataset, quantiles: Sequence[float] = (0.05, 0.5, 0.95), *, missing: MissingRule = "heaviest"
) -> Floats:
    """The quantiles of the numbers of a dataset's rows in each leaf, (L, Q), in the order of `leaves(tree)`; NaN without rows.

    A quantile is the smallest number such that at least this share of the leaf's rows, by weight, have no larger one. With
    `leaf_quantiles(tree, training_set)[apply(tree, rows)]` they are intervals for rows. `missing` as for `apply`.

    Raises a ValueError for a classification tree, and for a quantile that is not between 0 and 1.

    Source: Meinshausen 2006, for one tree.

    >>> from ftree import CART, Dataset, grow
    >>> cars = Dataset.from_rows([[1.0], [1.0], [1.0], [9.0]], [10.5, 12.5, 14.0, 30.0])
    >>> leaf_quantiles(grow(cars, CART), cars, (0.1, 0.5)).tolist()
    [[10.5, 12.5], [30.0, 30.0]]
    """
    check_tree(tree)
    if (kind := tree.schema.response.kind) != "numbers":
        remedy = "Use predict_proba." if kind == "classes" else "Use predict."
        raise ValueError(f"leaf_quantiles must be given a regression tree, got {by_task(kind)}. {remedy}")
    quantiles = as_tuple(quantiles)
    for share in quantiles:
        require_probability("quantiles", share)
    table = as_dataset(tree.schema, dataset)
    leaf = np.asarray(apply(tree, table, missing=missing))
    weights = weights_of_rows(table)
    order = np.lexsort((table.target_column, leaf))
    order = order[weights[order] > 0]
    found = np.full((n_leaves(tree), len(quantiles)), np.nan)
    for number, (start, end) in enumerate(pairwise(np.searchsorted(leaf[order], range(len(found) + 1)))):
        if end > start:
            ends = np.cumsum(weights[order[start:end]])
            places = np.searchsorted(ends, np.multiply(quantiles, ends[-1]) * (1 - 1e-12))  # equal but for rounding
            found[number] = table.target_column[order[start + places]]
    return found


def leaf_moments(tree: Tree) -> Floats:
    """The answer of each leaf, the standard deviation of its cases, and their number, (L, 3), in the order of `leaves(tree)`.

    The deviation is the root of the risk of a case; of events, that of the deviance. A leaf without cases has the first two of
    its nearest ancestor with cases. `leaf_moments(tree)[apply(tree, rows)]` are those of rows.

    Raises a ValueError for a tree whose answers are no numbers, such as a classification tree.

    >>> from ftree import CART, Dataset, grow
    >>> cars = Dataset.from_rows([[1.0], [1.0], [9.0]], [10.5, 12.5, 30.0])
    >>> leaf_moments(grow(cars, CART)).tolist()
    [[11.5, 1.0, 2.0], [30.0, 0.0, 1.0]]
    """
    check_tree(tree)
    if tree.schema.has_classes:
        raise ValueError(
            "leaf_moments must be given a regression tree or one of events, got a classification tree. Use predict_proba."
        )
    nodes, arrays, response = level_order(tree.root)[0], flat(tree), response_of_sums(tree.schema)
    if not isinstance(response.answer(tree.root.counts), float):
        message = f"leaf_moments must be given a tree whose answers are numbers, got one of {response.kind}. Use predict."
        raise ValueError(message)  # noqa: TRY004  # the tree is of the right type
    ends = np.argsort(arrays.leaf_ranks)[-n_leaves(tree) :].tolist()
    told = ((nodes[arrays.answer[end]].counts, nodes[end].counts) for end in ends)
    return np.array([(response.answer(sums), response.deviation(sums), own[0]) for sums, own in told], dtype=np.float64)
