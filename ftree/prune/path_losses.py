"""The losses of all trees of a cost-complexity path on a dataset, from one descent of its rows.

The trees of a path are prunings of the first. So each row goes down the first tree only, and a node that is cut gets the rows
of all leaves below it. A row with missing values that may reach several leaves goes down each tree of the path.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ftree._lib.arrays import Array, Floats
from ftree._lib.objects import gc_paused
from ftree.criteria.costs import cost_risk, costs_for, factors
from ftree.criteria.impurity import Impurity
from ftree.data.cases import weights_of_rows
from ftree.data.changes import codes_of_labels, recoded_columns
from ftree.data.channels import rows_as_sums
from ftree.data.dataset import Dataset, without_weightless
from ftree.prune.weakest_links import cost_complexity_path, groups_of_path, risks_and_unit, weakest_links
from ftree.routing.flat import Flat, flat
from ftree.routing.missing_rules import rule_for
from ftree.routing.predict import answers_of_leaves, cheapest_class
from ftree.routing.reach import leaf_numbers, reach, with_answers_for_unseen
from ftree.routing.scoring import costs_of_answers, right_and_all
from ftree.tree.nodes import Tree, level_order
from ftree.tree.response import Counts, numbers
from ftree.tree.schema import response_of_sums
from ftree.tree.splits.split import UNKNOWN

# Floats are all whole numbers up to this one.
_MOST_EXACT = 2.0**53
# The sum of the costs of rows, and of their squares.
Loss: TypeAlias = tuple[float, float]
# The nodes of a level, whose numbers are consecutive, and the number of the parent of each.
_Level: TypeAlias = tuple[slice, Array]


@gc_paused()
def path_losses(tree: Tree, dataset: Dataset, risk: Impurity) -> tuple[list[float], Floats]:
    """The alphas of the path; for each of its trees, the sums (steps, 2) of the cases' costs and of their squares.

    An error costs 1, unless the risk is a `cost_risk`; an answer of a tree without classes costs its loss.

    >>> from ftree import grow, misclassification
    >>> data = Dataset.from_rows([["a"], ["b"], ["b"], ["c"]], ["no", "yes", "yes", "no"])
    >>> alphas, losses = path_losses(grow(data), data, misclassification)
    >>> alphas, losses.tolist()
    ([0.0, 0.25], [[0.0, 0.0], [2.0, 2.0]])
    """
    dataset = without_weightless(dataset)  # an infinite loss times no weight would be no number
    tree, columns = with_answers_for_unseen(tree, dataset, recoded_columns(dataset, tree.schema.features), "rule")
    nodes = flat(tree)
    leaf, levels = leaf_numbers(nodes, columns, len(dataset)), _levels_below_root(nodes.arity)
    of_nodes = (_costs_of_nodes if tree.schema.has_classes else _losses_of_nodes)(tree, dataset, leaf, levels, risk)
    risks, unit = risks_and_unit(tree.schema, _counts(tree), risk)
    alphas, losses = _losses_of_prunings(nodes, levels, risks, of_nodes)
    rest = np.flatnonzero(leaf == UNKNOWN)
    if len(rest):
        unanswered, path = dataset.take(rest), cost_complexity_path(tree, risk=risk)
        losses += np.array([loss(step.tree, unanswered, risk) for step in path])
    return [alpha * unit for alpha in alphas], losses


def loss(tree: Tree, dataset: Dataset, risk: Impurity) -> Loss:
    """The sums over a dataset's cases, perhaps none, of the costs of a tree's predictions, and of their squares."""
    if not tree.schema.has_classes:
        dataset = without_weightless(dataset)
        response = response_of_sums(tree.schema)
        answers = answers_of_leaves(reach(tree, dataset), response, rule_for(tree, None))
        lost = response.losses_of_rows(answers, rows_as_sums(dataset, response))
        times = weights_of_rows(dataset)
        return float(times @ lost), float(times @ lost**2)
    if not isinstance(risk, cost_risk):
        right, everything, _ = right_and_all(tree, None, "rule", None, dataset)
        return float(everything - right), float(everything - right)
    cost, times = costs_of_answers(tree, dataset, costs=risk.costs, priors=risk.priors)
    weight = factors(risk.class_counts, risk.priors, None)
    cost = cost if weight is None else cost * weight[dataset.recoded(tree.schema).target_column]
    return float(times @ cost), float(times @ cost**2)


def _counts(tree: Tree) -> Any:
    """The sums of all nodes level by level, of arrays while these are exact, since it takes longer to make nodes."""
    counts: Floats = flat(tree).counts
    if isinstance(tree.schema.response, numbers) and counts.max() > _MOST_EXACT:
        return [node.counts for node in level_order(tree.root)[0]]
    listed: list[Counts] = counts.tolist()
    return counts if tree.schema.has_classes else listed


def _levels_below_root(arity: Array) -> list[_Level]:
    """The levels below the root of a tree whose nodes have so many children, level by level."""
    parents, levels = np.repeat(np.arange(len(arity)), arity), list[_Level]()
    begin, end = 0, 1
    while end < len(arity):
        begin, end = end, end + int(arity[begin:end].sum())
        levels.append((slice(begin, end), parents[begin - 1 : end - 1]))
    return levels


def _costs_of_nodes(tree: Tree, dataset: Dataset, leaf: Array, levels: Sequence[_Level], risk: Impurity) -> Floats:
    """The sums (m, 2) of the costs of each node's label for the rows below it, and of their squares."""
    labels, cost = _costs_by_class(tree, dataset, risk)
    known, weights = leaf != UNKNOWN, dataset.weights
    cells = leaf[known] * cost.shape[1] + labels[known]
    counts = np.bincount(cells, None if weights is None else weights[known], cost.size).reshape(cost.shape).astype(np.float64)
    for level, parents in reversed(levels):
        np.add.at(counts, parents, counts[level])
    return np.column_stack([(counts * cost).sum(axis=1), (counts * cost**2).sum(axis=1)])


def _costs_by_class(tree: Tree, dataset: Dataset, risk: Impurity) -> tuple[Array, Floats]:
    """The class number of each row, and the cost (nodes, classes) of each node's label, by class."""
    nodes = flat(tree)
    if not isinstance(risk, cost_risk):
        classes = dataset.schema.classes
        codes = codes_of_labels(tree.schema.classes, classes)
        return dataset.target_column, (codes[nodes.labels][:, None] != np.arange(len(classes))).astype(np.float64)
    answers = cheapest_class(tree, nodes.counts[nodes.answer], risk.priors, risk.costs)
    weight = factors(risk.class_counts, risk.priors, None)
    cost = np.array(costs_for(risk.costs, len(tree.schema.classes)), dtype=np.float64)[:, answers].T
    return dataset.recoded(tree.schema).target_column, cost if weight is None else cost * weight


def _losses_of_nodes(tree: Tree, dataset: Dataset, leaf: Array, levels: Sequence[_Level], _: Impurity) -> Floats:
    """The sums (m, 2) of the losses of each node's answer on the rows below it, and of their squares."""
    nodes, response = flat(tree), response_of_sums(tree.schema)
    parents = np.concatenate([[-1], *(parents for _, parents in levels)])
    passing = [np.flatnonzero(leaf != UNKNOWN)]
    reached = [leaf[passing[0]]]
    while (below := reached[-1] > 0).any():
        passing.append(passing[-1][below])
        reached.append(parents[reached[-1][below]])
    rows, at = np.concatenate(passing), np.concatenate(reached)
    times = 1.0 if dataset.weights is None else dataset.weights[rows]
    answers = response.answers(nodes.counts[nodes.answer])
    lost = response.losses_of_rows(answers[at], rows_as_sums(dataset, response)[rows])
    sums: Any = [np.bincount(at, each * times, len(answers)) for each in (lost, lost**2)]
    return np.column_stack(sums)


def _losses_of_prunings(
    tree: Flat, levels: Sequence[_Level], risks: Sequence[float], losses: Floats
) -> tuple[list[float], Floats]:
    """The alphas of the path, and for each the losses (steps, 2) of its tree, from those (m, 2) of nodes as leaves.

    A node is a leaf from the step on that cuts it, until a node above it is cut.
    """
    alpha, _, number = weakest_links(tree.first_child, tree.arity, risks)
    alphas, ends = groups_of_path(alpha)
    closed = np.where(tree.arity > 0, len(ends), 0)
    closed[number] = np.searchsorted(ends, np.arange(len(number)), side="right")
    gone = np.full(len(closed), len(ends))
    for level, parents in levels:
        gone[level] = np.minimum(gone[parents], closed[parents])
    counted = closed < gone

    def after_cuts(amounts: Floats) -> Floats:
        changes = np.zeros((len(ends) + 1, 2))
        np.add.at(changes, closed[counted], amounts[counted])
        np.subtract.at(changes, gone[counted], amounts[counted])
        sums: Floats = changes[:-1].cumsum(axis=0)
        return sums

    infinite = ~np.isfinite(losses)  # a rate of 0 loses so much on an event
    after = after_cuts(np.where(infinite, 0.0, losses))
    if infinite.any():
        after[after_cuts(infinite.astype(np.float64)) > 0] = np.inf
    return alphas, after
