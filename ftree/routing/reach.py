"""Rows of any form at the leaves that they reach, and what these answer: labels, counts, ranks."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from ftree._lib.arrays import Array, Floats, first_largest, first_smallest
from ftree._lib.messages import short_repr
from ftree.criteria.costs import as_priors, costs_for, expected_costs, factors
from ftree.criteria.impurity import proportions
from ftree.data.labelled import Unseen
from ftree.data.rows import columns_to_route
from ftree.routing.descent import answers_of_nodes, descend, leaf_numbers, reached_counts, table_of
from ftree.routing.flat import Flat, flat, flat_of_sums
from ftree.routing.missing_rules import adds_distributions, route_shares, sees_rows
from ftree.routing.unseen_values import with_unseen
from ftree.tree.additive import ResponseOfSums
from ftree.tree.nodes import PredictionRule, Tree
from ftree.tree.splits.split import UNKNOWN, Columns


@frozen(eq=False)
class Reached:
    """The columns of rows in the codes of a tree, its nodes, and that where each row ends, -1 without an answer at some split.

    `single` says whether one row was given instead of several.
    """

    nodes: Flat = field(repr=False)
    columns: Columns = field(repr=False)
    single: bool
    leaf: Array = field(repr=False)

    def divided(self, rule: PredictionRule) -> tuple[Array, Columns]:
        """The numbers of the rows that a rule may divide, those without an answer or all of them, and their columns."""
        rows = np.arange(len(self.leaf)) if sees_rows(rule) else np.flatnonzero(self.leaf == UNKNOWN)
        table = table_of(self.columns) if len(rows) else None  # whole rows are copied faster than their cells
        return rows, tuple([column[rows] for column in self.columns] if table is None else table.take(rows, axis=0).T)


def reach(tree: Tree, rows: Any, unseen: Unseen = "rule") -> Reached:
    """Send rows down a tree.

    Raises a ValueError for rows of another length and for infinity, a KeyError for a column that the rows lack and a split uses.

    >>> from ftree import Dataset, grow
    >>> reach(grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"])), [["rainy"], ["snowy"]]).leaf.tolist()
    [1, -1]
    """
    rows = rows.read_all() if hasattr(rows, "read_next_batch") else rows  # an Arrow stream can be read only once
    own = flat(tree).questions
    asking = own.asks_unseen if tree.schema.has_classes else ()
    columns, n, single, refuse_infinity = columns_to_route(tree.schema, rows, asking, own.all_features)
    tree, columns = with_unseen(tree, rows, columns, unseen)
    nodes = flat(tree) if tree.schema.has_classes else flat_of_sums(tree)
    return Reached(nodes, columns, single, leaf_numbers(nodes, columns, n, refuse_infinity))


def label_numbers(reached: Reached, rule: PredictionRule) -> npt.NDArray[np.intp]:
    """The class number of each row's label."""
    nodes, (rows, columns) = reached.nodes, reached.divided(rule)
    labels: npt.NDArray[np.intp] = nodes.labels[reached.leaf]  # -1 takes any node; these rows are replaced below
    if len(rows):
        labels[rows] = first_largest(reached_counts(nodes, columns, len(rows), rule))
    return labels


def means_of_rows(reached: Reached, response: ResponseOfSums, rule: PredictionRule) -> Floats:
    """The number that is predicted for each row of a tree without classes, (n,): the answer of the leaf that it reaches.

    The sums of several leaves are added, which weighs their means by their cases; by a rule that adds distributions, the answers
    are weighed by the row's shares.
    """
    if not adds_distributions(rule):
        return response.answers(counts_of_rows(reached, rule))
    weighed = counts_of_rows(reached, rule, lambda sums: np.column_stack([np.ones(len(sums)), response.answers(sums)]))
    answers: Floats = weighed[:, 1] / weighed[:, 0]
    return answers


def counts_of_rows(reached: Reached, rule: PredictionRule, estimate: Callable[[Floats], Floats] = proportions) -> Floats:
    """The class counts by which each row is predicted, (n, K); by a rule that adds distributions, those of `estimate`."""
    nodes, (rows, columns) = reached.nodes, reached.divided(rule)
    of_nodes = answers_of_nodes(nodes, rule, estimate)
    counts: Floats = of_nodes[nodes.answer[reached.leaf]]  # as above
    if len(rows):
        counts[rows] = reached_counts(nodes, columns, len(rows), rule, of_nodes)
    return counts


def leaf_ranks(reached: Reached, rule: PredictionRule) -> Array:
    """The number of the leaf, from left to right, that each row reaches by a rule that follows one route; else -1."""
    nodes, (rows, columns) = reached.nodes, reached.divided(rule)
    ranks: Array = nodes.leaf_ranks[reached.leaf]
    for level in descend(nodes, columns, np.ones(len(rows)), rule, 1.0, shares=route_shares):
        ends = level.ending()
        ranks[rows[ends.rows]] = nodes.leaf_ranks[ends.node]
    return ranks


def cheapest_class(tree: Tree, counts: Floats, priors: Iterable[float] | None, costs: Iterable[Iterable[float]] | None) -> Any:
    """The number of the class with the least expected cost; the first of several."""
    weight = factors(tree.root.counts, as_priors(priors), None)
    matrix = costs_for(costs, len(tree.schema.classes))
    cost = expected_costs(counts if weight is None else counts * weight, matrix)
    return first_smallest(cost, counts.sum(axis=-1, keepdims=True) * np.max(matrix))


def checked_answer(name: str, answer: Any, shape: tuple[int, ...], *, of: str = "class") -> Floats:
    """The result of a user's function for rows, as an array; a number for each class, or each of something else.

    Raises a ValueError for anything but finite numbers from 0 of this shape.

    >>> checked_answer("estimate", [0.25, 0.75], (2,)).tolist()
    [0.25, 0.75]
    """
    try:
        numbers = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array(np.nan)
    if numbers.shape != shape or not (np.isfinite(numbers) & (numbers >= 0)).all():
        got = short_repr(answer) + (" with other numbers" if numbers.shape == shape else "")
        raise ValueError(f"{name} must return finite numbers from 0 of shape {shape}, one for each {of}, got {got}.")
    return numbers
