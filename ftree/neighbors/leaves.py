"""Nearest neighbours in leaves: the tree finds a leaf, and the nearest training cases in it vote.

Source: Kohavi 1996, with naive Bayes in the leaves.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from attrs import field, frozen

from ftree._lib.fields import ConstructorRepr, a_function, a_whole_number
from ftree.criteria.impurity import proportions
from ftree.data.dataset import Dataset, a_dataset
from ftree.data.points import Points, Scaling, points_of, training_points, unscaled
from ftree.data.rows import columns_of
from ftree.neighbors.brute import brute
from ftree.neighbors.metric import Metric, check_metric, euclidean
from ftree.neighbors.votes import Weights, checked_votes, tally, uniform
from ftree.routing.route import Arrival, arrivals
from ftree.routing.rule_names import Missing, adds_distributions, rule_for
from ftree.tree.nodes import Tree

# From the numbers of rows to predict and of training cases in the same leaf to votes (n, K).
_Vote: TypeAlias = Callable[[Points, Points], Points]


@frozen(repr=False)
class nearest(ConstructorRepr):
    """Predict by the k nearest of the dataset's cases in each leaf: a value for the option `leaves` of `predict`.

    In a leaf with fewer than k cases, all of them vote; in a leaf without cases, its counts decide. Options are those
    of `knn`. Raises as `knn` does, and a KeyError or a ValueError for a dataset that does not fit the tree's schema.

    >>> from ftree import Feature, Leaf, Schema, Tree
    >>> data = Dataset.from_rows([[1.0], [2.0], [9.0]], ["low", "low", "high"])
    >>> stump = Tree(data.schema, Leaf(data.class_counts()))
    >>> nearest(data)(stump, [8.0], "all_routes").tolist()
    [1.0, 0.0]
    """

    dataset: Dataset = field(validator=a_dataset)
    k: int = field(default=1, kw_only=True, validator=a_whole_number(1, of="neighbours"))
    metric: Metric = field(default=euclidean, kw_only=True, validator=a_function)
    weights: Weights = field(default=uniform, kw_only=True, validator=a_function)
    scale: Scaling = field(default=unscaled, kw_only=True, validator=a_function)

    def __call__(self, tree: Tree, rows: Any, missing: Missing | None) -> Points:
        """The neighbours' votes for each class, (n, K), or (K,) for one point."""
        queries, single = points_of(tree.schema, rows)
        cases, points = training_points(self.dataset.recoded(tree.schema))
        check_metric(self.metric, points)
        move = self.scale(points)
        queries, points = move(queries), move(points)

        def vote(row: Points, case: Points) -> Points:
            distance, near = brute(points[case], self.metric).nearest(queries[row], min(self.k, len(case)))
            return tally(cases, case[near], checked_votes(self.weights, distance))

        votes = np.zeros((len(queries), len(tree.schema.classes)))
        # Rows and cases are routed together, rows first, so that those in the same leaf are found together.
        both = zip(columns_of(tree.schema, rows)[0], cases.columns, strict=True)
        columns = tuple(np.concatenate(pair) for pair in both)
        rule = rule_for(tree, missing)
        for arrival in arrivals(tree.root, columns, np.ones(len(queries) + len(points)), rule):
            if arrival.ends:
                _add(votes, arrival, vote, as_distributions=adds_distributions(rule))
        return votes[0] if single else votes


def _add(votes: Points, arrival: Arrival, vote: _Vote, *, as_distributions: bool) -> None:
    """Add the votes of the cases that arrived at a node to those of the rows that arrived there."""
    is_row = arrival.rows < len(votes)
    row, case = arrival.rows[is_row], np.sort(arrival.rows[~is_row]) - len(votes)
    if not len(row):
        return
    answer = vote(row, case) if len(case) else np.array([arrival.answer.counts])
    votes[row] += (proportions(answer) if as_distributions else answer) * arrival.weights[is_row, None]
