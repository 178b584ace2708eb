"""Leaves that vote: the tree finds the neighbourhood, and the nearest of the cases in it give the answer.

Source: Kohavi 1996, for naive Bayes in the leaves; here the neighbours do it.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from attrs import field, frozen

from ftree._lib.fields import ConstructorRepr, a_function
from ftree.criteria.impurity import proportions
from ftree.data.dataset import Dataset
from ftree.data.points import Points, Scaling, points_of, training_points, unscaled
from ftree.data.rows import columns_of
from ftree.neighbors.brute import brute
from ftree.neighbors.metric import Metric, check_metric, euclidean
from ftree.neighbors.votes import Weights, checked_votes, tally, uniform
from ftree.routing.route import Arrival, Missing, arrivals
from ftree.tree.nodes import Tree

# From the numbers of rows that are asked for, and of cases that came to the same place, to votes.
_Vote: TypeAlias = Callable[[Points, Points], Points]


def _at_least_one(_: Any, __: Any, k: int) -> None:
    if k < 1:
        message = f"k is a number of neighbours from 1; k={k} came."
        raise ValueError(message)


@frozen(repr=False)
class nearest(ConstructorRepr):
    """In each leaf, let the k nearest of the dataset's cases there vote: a value for the option `leaves` of `predict`.

    Where fewer cases than k came to a leaf, all of them vote; where none did, the leaf's counts answer. Options are those
    of `knn`. Raises as `knn` does, and a KeyError or a ValueError for a dataset that the tree's schema does not fit.

    >>> from ftree import Feature, Leaf, Schema, Tree
    >>> data = Dataset.from_rows([[1.0], [2.0], [9.0]], ["low", "low", "high"])
    >>> stump = Tree(data.schema, Leaf(data.class_counts()))
    >>> nearest(data)(stump, [8.0], "all_routes").tolist()
    [1.0, 0.0]
    """

    dataset: Dataset
    k: int = field(default=1, kw_only=True, validator=_at_least_one)
    metric: Metric = field(default=euclidean, kw_only=True)
    weights: Weights = field(default=uniform, kw_only=True, validator=a_function)
    scale: Scaling = field(default=unscaled, kw_only=True, validator=a_function)

    def __call__(self, tree: Tree, rows: Any, missing: Missing) -> Points:
        """What the neighbours of each row vote for each class, (n, K), or (K,) for one point."""
        asked, single = points_of(tree.schema, rows)
        cases, points = training_points(self.dataset.recoded(tree.schema))
        check_metric(self.metric, points)
        move = self.scale(points)
        asked, points = move(asked), move(points)

        def vote(row: Points, case: Points) -> Points:
            distance, near = brute(points[case], self.metric).nearest(asked[row], min(self.k, len(case)))
            return tally(cases, case[near], checked_votes(self.weights, distance))

        votes = np.zeros((len(asked), len(tree.schema.classes)))
        # Rows and cases go down together, rows first, so that they meet where they end.
        both = zip(columns_of(tree.schema, rows)[0], cases.columns, strict=True)
        columns = tuple(np.concatenate(pair) for pair in both)
        for arrival in arrivals(tree.root, columns, np.ones(len(asked) + len(points)), missing):
            if arrival.ends:
                _add(votes, arrival, vote, weighted=missing == "weighted")
        return votes[0] if single else votes


def _add(votes: Points, arrival: Arrival, vote: _Vote, *, weighted: bool) -> None:
    """Add what the cases at a place say of the rows there."""
    is_row = arrival.rows < len(votes)
    row, case = arrival.rows[is_row], np.sort(arrival.rows[~is_row]) - len(votes)
    if not len(row):
        return
    answer = vote(row, case) if len(case) else np.tile(np.array(arrival.answer.counts, dtype=np.float64), (len(row), 1))
    votes[row] += proportions(answer) * arrival.weights[is_row, None] if weighted else answer
