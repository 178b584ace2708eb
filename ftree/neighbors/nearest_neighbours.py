"""Nearest neighbours: the classifier, its votes, sets reduced to what decides them, and neighbours in a tree's leaf.

Equal distances go to the lower row number, so there are always exactly k neighbours. Equal votes go to the first class in
schema order.
"""

from collections.abc import Callable
from operator import index
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import exact_unit, first_largest
from ftree._lib.fields import ConstructorRepr, a_function, a_whole_number, name_of, one_of, require_whole_number
from ftree._lib.messages import short_repr
from ftree.criteria.impurity import proportions
from ftree.data.dataset import Dataset, a_dataset
from ftree.data.points import Points, Scaling, Transformation, points_of, training_points, unscaled
from ftree.data.rows import columns_of, labels_in_kind
from ftree.neighbors.indices import Distance, Nearest, brute, check_metric, distances, euclidean, minkowski, scipy_tree
from ftree.neighbors.kdtree import KdTree, kd_tree
from ftree.routing.descent import Parts, descend
from ftree.routing.flat import flat
from ftree.routing.missing_rules import MissingRule, adds_distributions, rule_for
from ftree.tree.nodes import Tree

# The search for neighbours: by all distances, the library's k-d tree, SciPy's, or whichever is faster.
Search: TypeAlias = Literal["auto", "brute", "tree", "scipy"]
# Where SciPy's tree is faster than brute force (measured: benchmarks/neighbors.py).
_MANY_ROWS = 200
_FEW_FEATURES = 12


def _whole(k: Any) -> int:
    try:
        return index(k)
    except TypeError:
        raise TypeError(f"k must be a whole number of neighbours, got {short_repr(k)}.") from None


Weights: TypeAlias = Callable[[Points], Points]


def uniform(distances: Points) -> Points:
    """Give every neighbour one vote.

    >>> uniform(np.array([[0.0, 2.0]])).tolist()
    [[1.0, 1.0]]
    """
    return np.ones(distances.shape)


@frozen(repr=False)
class knn(ConstructorRepr):
    """A classifier by the k nearest rows of a dataset: call it with rows for a list of labels, or with one point for a label.

    - `metric`: a `minkowski`, `hamming`, or any function of two points.
    - `weights`: a function from sorted distances (m, k) to votes, `uniform` or `by_distance`.
    - `scale`: `standard`, `unit_range` or `weighted([...])`, learned from the dataset.
    - `search`: compare with every row ("brute"), or search by the library's k-d tree ("tree") or SciPy's ("scipy"). All find
      the same rows.

    A row's vote is multiplied by its weight; rows of weight 0 are ignored.

    Raises a ValueError for k below 1 or above the number of rows, missing values, or values that the metric cannot
    measure.

    >>> from ftree.data import standard
    >>> fruit = Dataset.from_rows([[7.0, 150], [7.5, 170], [19, 120]], ["apple", "apple", "banana"],
    ...                           features=["length", "weight"])
    >>> classify = knn(fruit, k=1, scale=standard)
    >>> classify([18, 110]), classify([[8, 160], [20, 130]])
    ('banana', ['apple', 'banana'])
    """

    dataset: Dataset
    k: int = field(default=1, kw_only=True, converter=_whole)
    metric: Distance = field(default=euclidean, kw_only=True)
    weights: Weights = field(default=uniform, kw_only=True, validator=a_function)
    scale: Scaling = field(default=unscaled, kw_only=True, validator=a_function)
    search: Search = field(default="auto", kw_only=True, validator=one_of(*get_args(Search)))
    _move: Transformation = field(init=False, eq=False, repr=False)
    _index: brute | scipy_tree | KdTree = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        """Learn the scaling, and build the index."""
        counted, points = training_points(self.dataset)
        check_metric(self.metric, points)
        if not 1 <= self.k <= len(counted):
            raise ValueError(f"k must be from 1 to the number of rows, {len(counted)}, got {self.k}.")
        move = self.scale(points)
        for name, value in (("dataset", counted), ("_move", move), ("_index", _index(move(points), self.metric, self.search))):
            object.__setattr__(self, name, value)

    def __call__(self, rows: Any) -> Any:
        """The label of one point, or the labels of rows in the form of the rows, as `ftree.predict` gives them."""
        schema = self.dataset.schema
        winners = first_largest(self.votes(rows))
        return labels_in_kind(rows, schema.target, schema.classes, winners) if winners.ndim else schema.classes[winners]

    def votes(self, rows: Any) -> Points:
        """The neighbours' votes for each class, (m, K), or (K,) for one point."""
        points, single = self._points(rows)
        distance, row = self._index.nearest(points, self.k)
        votes = tally(self.dataset, row, checked_votes(self.weights, distance))
        return votes[0] if single else votes

    def nearest(self, rows: Any) -> Nearest:
        """Distances and row numbers of the k nearest rows, (m, k) each, or (k,) for one point; nearest first.

        >>> knn(Dataset.from_rows([[0], [3], [1]], ["a", "b", "a"]), k=2).nearest([2])
        (array([1., 1.]), array([1, 2]))
        """
        points, single = self._points(rows)
        distance, row = self._index.nearest(points, self.k)
        return (distance[0], row[0]) if single else (distance, row)

    def within(self, rows: Any, radius: float) -> Any:
        """Distances and row numbers of all rows at most `radius` away, a pair of arrays for each point; nearest first.

        Raises a ValueError for a radius that is negative or not finite.

        >>> knn(Dataset.from_rows([[0], [3], [1]], ["a", "b", "a"])).within([2], 1)
        (array([1., 1.]), array([1, 2]))
        """
        if not 0 <= radius < np.inf:
            raise ValueError(f"radius must be a finite number from 0, got {short_repr(radius)}.")
        points, single = self._points(rows)
        found = self._index.within(points, radius)
        return found[0] if single else found

    def _points(self, rows: Any) -> tuple[Points, bool]:
        points, single = points_of(self.dataset.schema, rows)
        return self._move(points), single


def _index(points: Points, metric: Distance, search: Search) -> brute | scipy_tree | KdTree:
    n_rows, n_features = points.shape
    trees_are_faster = isinstance(metric, minkowski) and n_rows >= _MANY_ROWS and n_features <= _FEW_FEATURES
    if search == "brute" or (search == "auto" and not trees_are_faster):
        return brute(points, metric)
    if not isinstance(metric, minkowski):
        message = (
            f"search must be 'brute' or 'auto' for a metric that is no Minkowski metric, got {search!r} for {name_of(metric)}."
        )
        raise ValueError(message)  # noqa: TRY004  # the error is in the combination of two options
    return kd_tree(points, metric) if search == "tree" else scipy_tree(points, metric)


def by_distance(distances: Points) -> Points:
    """Give each neighbour 1 / distance votes; if some are at distance 0, only those vote (Dudani 1976).

    >>> by_distance(np.array([[1.0, 2.0], [0.0, 2.0]])).tolist()
    [[1.0, 0.5], [1.0, 0.0]]
    """
    nearest = distances.min(axis=-1, keepdims=True)
    # Votes are divided by the nearest one's, since 1 / distance overflows for very small distances.
    votes: Points = np.divide(nearest, distances, out=(distances == 0).astype(float), where=nearest > 0)
    return votes


def tally(dataset: Dataset, rows: Points, votes: Points) -> Points:
    """The votes (m, K) for each class of rows (m, k) of a dataset, times the rows' weights.

    >>> tally(Dataset.from_rows([[0], [1]], ["a", "b"]), np.array([[0, 1]]), np.array([[1.0, 0.5]])).tolist()
    [[1.0, 0.5]]
    """
    counted = votes if dataset.weights is None else votes * dataset.weights[rows]
    codes, classes = dataset.target_column[rows], range(len(dataset.schema.classes))
    return np.stack([np.where(codes == code, counted, 0).sum(axis=1) for code in classes], axis=1)


def checked_votes(weights: Weights, distances: Points) -> Points:
    """The votes that `weights` returns for distances, checked: one finite vote each."""
    votes = np.asarray(weights(distances), dtype=np.float64)
    if votes.shape != distances.shape or not np.isfinite(votes).all():
        got = "votes that are not finite" if votes.shape == distances.shape else f"shape {votes.shape}"
        raise ValueError(f"The result of weights must be one finite vote for each distance, shape {distances.shape}, got {got}.")
    return votes


def edited(dataset: Dataset, k: int = 3, *, metric: Distance = euclidean, scale: Scaling = unscaled) -> Dataset:
    """The rows that their k nearest other rows classify correctly; removing the others separates overlapping classes.

    Raises a ValueError for k below 1 or not below the number of rows, and as `knn` does.

    Source: Wilson 1972.

    >>> len(edited(Dataset.from_rows([[0], [1], [2], [3], [10], [11], [12], [13]], list("aabaabbb")), k=3))
    6
    """
    counted, _ = training_points(dataset)
    require_whole_number("k", k, 1, most=len(counted) - 1, of="other rows")
    _, near = knn(counted, k=k + 1, metric=metric, scale=scale).nearest(counted)
    others = _without_itself(near)
    return counted.take(first_largest(tally(counted, others, uniform(others))) == counted.target_column)


def condensed(dataset: Dataset, *, metric: Distance = euclidean, scale: Scaling = unscaled) -> Dataset:
    """A part of the rows, in their order, whose nearest neighbours classify every row correctly.

    It starts with the first row and adds misclassified rows until none is left (except equal points with different
    labels). The result depends on the order of rows.

    Raises as `knn` does.

    Source: Hart 1968.

    >>> condensed(Dataset.from_rows([[0], [1], [2], [10], [11], [12]], list("aaabbb"))).columns[0].tolist()
    [0.0, 10.0]
    """
    counted, points = training_points(dataset)
    check_metric(metric, points)
    points, labels = scale(points)(points), counted.target_column
    kept, last = np.arange(len(counted)) == 0, 0
    nearest, owner = distances(metric, points, points[0]), np.zeros(len(counted), dtype=np.intp)
    while len(wrong := np.flatnonzero((labels[owner] != labels) & ~kept)):
        # Take the next one in the order of rows, and start again after the last row.
        last = int(wrong[np.searchsorted(wrong, last) % len(wrong)])
        kept[last] = True
        found = distances(metric, points, points[last])
        closer = (found < nearest) | ((found == nearest) & (last < owner))
        nearest, owner = np.where(closer, found, nearest), np.where(closer, last, owner)
    return counted.take(kept)


def _without_itself(near: Points) -> Points:
    """The nearest rows of each row, (n, k + 1), without the row itself, or without the last if it is not among them."""
    itself = near == np.arange(len(near))[:, None]
    itself[:, -1] |= ~itself.any(axis=1)
    others: Points = near[~itself].reshape(len(near), -1)
    return others


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
    metric: Distance = field(default=euclidean, kw_only=True, validator=a_function)
    weights: Weights = field(default=uniform, kw_only=True, validator=a_function)
    scale: Scaling = field(default=unscaled, kw_only=True, validator=a_function)

    def __call__(self, tree: Tree, rows: Any, missing: MissingRule | None) -> Points:
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
        nodes = flat(tree.root)
        for level in descend(nodes, columns, np.ones(len(queries) + len(points)), rule, exact_unit(1.0), many=0):
            counts = nodes.counts[nodes.answer[level.node[:1]]]
            _add(votes, level.ending(), counts, vote, as_distributions=adds_distributions(rule))
        return votes[0] if single else votes


def _add(votes: Points, ending: Parts, counts: Points, vote: _Vote, *, as_distributions: bool) -> None:
    """Add the votes of the cases that end at a node, or its counts (1, K), to those of the rows that end there."""
    is_row = ending.rows < len(votes)
    row, case = ending.rows[is_row], np.sort(ending.rows[~is_row]) - len(votes)
    if not len(row):
        return
    answer = vote(row, case) if len(case) else counts
    votes[row] += (proportions(answer) if as_distributions else answer) * ending.sizes[is_row, None]
