"""The loss of each tree of a cost-complexity path on a dataset; one descent of the rows serves all its trees.

The trees of a path are prunings of the first. So each row goes down the first tree only, and a node that is cut gets the rows
of all leaves below it. A row with missing values that may reach several leaves goes down each tree of the path.
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from ftree._lib.arrays import Array, Floats
from ftree._lib.gc_pause import gc_paused
from ftree.criteria.costs import cost_risk, costs_for, factors
from ftree.criteria.impurity import Impurity
from ftree.data.column_changes import recoded_columns
from ftree.data.dataset import Dataset
from ftree.data.recoding import codes_of_labels
from ftree.prune.compiled_path import compiled_path_losses, path_is_compiled
from ftree.prune.weakest_links import cost_complexity_path, cuts_of_path, risks_of_counts
from ftree.routing.answers import cheapest_class
from ftree.routing.flat import Flat, flat
from ftree.routing.scoring import accuracy, costs_of_answers
from ftree.tree.nodes import Tree
from ftree.tree.splits.protocol import UNKNOWN

# The sum of the costs of rows, and of their squares.
Loss: TypeAlias = tuple[float, float]


@gc_paused()
def path_losses(tree: Tree, dataset: Dataset, risk: Impurity) -> tuple[list[float], Floats]:
    """The alphas of the path; for each of its trees, the sums (steps, 2) of the cases' costs and of their squares.

    An error costs 1, unless the risk is a `cost_risk`.

    >>> from ftree import grow, misclassification
    >>> data = Dataset.from_rows([["a"], ["b"], ["b"], ["c"]], ["no", "yes", "yes", "no"])
    >>> alphas, losses = path_losses(grow(data), data, misclassification)
    >>> alphas, losses.tolist()
    ([0.0, 0.25], [[0.0, 0.0], [2.0, 2.0]])
    """
    nodes = flat(tree.root)
    leaf = nodes.leaf_numbers(recoded_columns(dataset, tree.schema.features), len(dataset))
    at_leaves = _counts_at_leaves(tree, dataset, leaf, risk)
    of_path = compiled_path_losses if path_is_compiled(nodes) else _path_losses
    alphas, losses = of_path(nodes, risks_of_counts(nodes.counts, risk), *at_leaves)
    rest = np.flatnonzero((leaf == UNKNOWN) & (True if dataset.weights is None else dataset.weights > 0))
    if len(rest):
        unanswered = dataset.take(rest)
        losses += np.array([loss(step.tree, unanswered, risk) for step in cost_complexity_path(tree, risk=risk)])
    return alphas, losses


def loss(tree: Tree, dataset: Dataset, risk: Impurity) -> Loss:
    """The sums over a dataset's cases of the costs of a tree's predictions, and of their squares."""
    if not isinstance(risk, cost_risk):
        wrong = (1 - accuracy(tree, dataset)) * sum(dataset.class_counts())
        return wrong, wrong
    cost, times = costs_of_answers(tree, dataset, costs=risk.costs, priors=risk.priors)
    weight = factors(risk.class_counts, risk.priors, None)
    cost = cost if weight is None else cost * weight[dataset.recoded(tree.schema).labels]
    return float(times @ cost), float(times @ cost**2)


def _counts_at_leaves(tree: Tree, dataset: Dataset, leaf: Array, risk: Impurity) -> tuple[Floats, Floats]:
    """Class counts (m, K) at each leaf, of the rows whose leaf is known, zeros at branches; and a case's cost (m, K) there."""
    labels, cost = _costs_of_labels(tree, dataset, risk)
    known, weights = leaf != UNKNOWN, dataset.weights
    cells = leaf[known] * cost.shape[1] + labels[known]
    counts = np.bincount(cells, None if weights is None else weights[known], cost.size).reshape(cost.shape)
    return counts.astype(np.float64), cost


def _path_losses(tree: Flat, risks: Sequence[float], counts: Floats, cost: Floats) -> tuple[list[float], Floats]:
    """The alphas of the path and its losses, as `ftree.prune.compiled_path` finds them, in plain Python."""
    below = [range(first, first + n) for first, n in zip(tree.first_child.tolist(), tree.arity.tolist(), strict=True)]
    cuts = cuts_of_path(below, risks)
    parents = np.concatenate([[-1], np.repeat(np.arange(len(below)), tree.arity)])
    for start, end in reversed(_levels(below)):
        np.add.at(counts, parents[start:end], counts[start:end])
    losses = list(zip((counts * cost).sum(axis=1).tolist(), (counts * cost**2).sum(axis=1).tolist(), strict=True))
    return [alpha for alpha, _ in cuts], _sums_after_cuts(losses, below, [numbers for _, numbers in cuts])


def _levels(below: Sequence[range]) -> list[tuple[int, int]]:
    """The numbers of the first node of each level below the root, and of the first after it."""
    levels, (start, end) = [], (0, 1)
    while start < end:
        start, end = end, max([end, *(below[number].stop for number in range(start, end))])
        levels.append((start, end))
    return levels


def _costs_of_labels(tree: Tree, dataset: Dataset, risk: Impurity) -> tuple[Array, Floats]:
    """The class number of each row, and the cost (nodes, classes) of each node's prediction, by class."""
    nodes = flat(tree.root)
    if not isinstance(risk, cost_risk):
        classes = dataset.schema.classes
        codes = codes_of_labels(tree.schema.classes, classes)
        return dataset.labels, (codes[nodes.labels][:, None] != np.arange(len(classes))).astype(np.float64)
    answers = cheapest_class(tree, nodes.counts[nodes.answer], risk.priors, risk.costs)
    weight = factors(risk.class_counts, risk.priors, None)
    cost = np.array(costs_for(risk.costs, len(tree.schema.classes)), dtype=np.float64)[:, answers].T
    return dataset.recoded(tree.schema).labels, cost if weight is None else cost * weight


def _sums_after_cuts(losses: Sequence[Loss], below: Sequence[range], cuts: Iterable[Iterable[int]]) -> Floats:
    """The loss of the whole tree after each group of cuts, (groups, 2); each node is visited a few times at most."""
    closed = [not kids for kids in below]
    total, after = np.zeros(2), []
    for number, is_leaf in enumerate(closed):
        if is_leaf:
            total += losses[number]
    for numbers in cuts:
        # Lower nodes first, since equally weak links can lie below each other.
        for number in sorted(numbers, reverse=True):
            total += np.array(losses[number]) - _sum_below(number, losses, below, closed)
            closed[number] = True
        after.append(total.copy())
    return np.array(after)


def _sum_below(number: int, losses: Sequence[Loss], below: Sequence[range], closed: Sequence[bool]) -> Floats:
    """The loss of the pruned subtree of a node."""
    total, open_nodes = np.zeros(2), [number]
    while open_nodes:
        for child in below[open_nodes.pop()]:
            if closed[child]:
                total += losses[child]
            else:
                open_nodes.append(child)
    return total
