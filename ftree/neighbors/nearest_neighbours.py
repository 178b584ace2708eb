"""Nearest neighbours: the classifier, its votes, and a training set edited by them.

Equal distances go to the lower row number, so there are always exactly k neighbours. Equal votes go to the first class in
schema order.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import first_largest
from ftree._lib.fields import ConstructorRepr, a_function, is_finite, name_of, one_of, require_whole_number
from ftree._lib.messages import short_repr
from ftree.data.dataset import Dataset
from ftree.data.rows import labels_in_kind
from ftree.neighbors.indices import Nearest, brute, scipy_tree
from ftree.neighbors.point_distances import Distance, check_metric, euclidean, minkowski
from ftree.points import Points, Scaling, Transformation, learned_scaling, points_of, training_rows, unscaled
from ftree.routing.predict import checked_answer

# From the distances of neighbours (m, k), nearest first, to their votes (m, k).
Weights: TypeAlias = Callable[[Points], Points]
# The search for neighbours: by all distances, by a k-d tree, or by whichever is faster.
Search: TypeAlias = Literal["auto", "brute", "tree"]
# Where SciPy's tree is faster than brute force (measured: benchmarks/neighbors.py).
_MANY_ROWS = 200
_FEW_FEATURES = 12


def uniform(distances: Points) -> Points:
    """Give every neighbour one vote.

    >>> uniform(np.array([[0.0, 2.0]])).tolist()
    [[1.0, 1.0]]
    """
    return np.ones(distances.shape)


def by_distance(distances: Points) -> Points:
    """Give each neighbour 1 / distance votes; if some are at distance 0, only those vote (Dudani 1976).

    >>> by_distance(np.array([[1.0, 2.0], [0.0, 2.0]])).tolist()
    [[1.0, 0.5], [1.0, 0.0]]
    """
    nearest = distances.min(axis=-1, keepdims=True)
    # Votes are divided by the nearest one's, since 1 / distance overflows for very small distances.
    votes: Points = np.divide(nearest, distances, out=(distances == 0).astype(float), where=nearest > 0)
    return votes


@frozen
class knn(ConstructorRepr):
    """A classifier by the k nearest rows of a dataset: call it with rows for a list of labels, or with one point for a label.

    - `metric`: a `minkowski`, `hamming`, or any function of two points.
    - `weights`: a function from sorted distances (m, k) to votes, `uniform` or `by_distance`.
    - `scale`: `standard`, `unit_range` or `weighted_features([...])`, learned from the dataset.
    - `search`: compare with every row ("brute"), or search by SciPy's k-d tree ("tree"). Both find the same rows.

    A row's vote is multiplied by its weight; rows of weight 0 are ignored.

    Raises a ValueError for k below 1 or above the number of rows, missing values, or values that the metric cannot
    measure.

    >>> from ftree.points import standard
    >>> fruit = Dataset.from_rows([[7.0, 150], [7.5, 170], [19, 120]], ["apple", "apple", "banana"],
    ...                           features=["length", "weight"])
    >>> classify = knn(fruit, k=1, scale=standard)
    >>> classify([18, 110]), classify([[8, 160], [20, 130]])
    ('banana', ['apple', 'banana'])
    """

    dataset: Dataset = field(converter=training_rows)
    k: int = field(default=1, kw_only=True)
    metric: Distance = field(default=euclidean, kw_only=True)
    weights: Weights = field(default=uniform, kw_only=True, validator=a_function)
    scale: Scaling = field(default=unscaled, kw_only=True, validator=a_function)
    search: Search = field(default="auto", kw_only=True, validator=one_of(*get_args(Search)))
    _move: Transformation = field(init=False, eq=False, repr=False)
    _index: brute | scipy_tree = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        """Learn the scaling, and build the index."""
        points, _ = points_of(self.dataset.schema, self.dataset)
        check_metric(self.metric, points)
        require_whole_number("k", self.k, 1, most=len(points), of="rows")
        move = learned_scaling(self.scale, points)
        object.__setattr__(self, "_move", move)
        object.__setattr__(self, "_index", _index(move(points), self.metric, self.search))

    def __call__(self, rows: Any) -> Any:
        """The label of one point, or the labels of rows in the form of the rows, as `ftree.predict` gives them."""
        schema = self.dataset.schema
        winners = first_largest(self.votes(rows))
        return labels_in_kind(rows, schema.target, schema.classes, winners) if winners.ndim else schema.classes[winners]

    def votes(self, rows: Any) -> Points:
        """The neighbours' votes for each class, (m, K), or (K,) for one point."""
        points, single = self._points(rows)
        distance, row = self._index.nearest(points, self.k)
        votes = tally(self.dataset, row, checked_answer("weights", self.weights(distance), distance.shape, of="distance"))
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
        if not (is_finite(radius) and radius >= 0):
            raise ValueError(f"radius must be a finite number from 0, got {short_repr(radius)}.")
        points, single = self._points(rows)
        found = self._index.within(points, radius)
        return found[0] if single else found

    def _points(self, rows: Any) -> tuple[Points, bool]:
        points, single = points_of(self.dataset.schema, rows)
        return self._move(points), single


def _index(points: Points, metric: Distance, search: Search) -> brute | scipy_tree:
    """The index that is asked for, or else the one that is faster; both find the same points."""
    n_rows, n_features = points.shape
    few_or_wide = n_rows < _MANY_ROWS or n_features > _FEW_FEATURES or find_spec("scipy") is None
    if isinstance(metric, minkowski):
        return brute(points, metric) if search == "brute" or (search == "auto" and few_or_wide) else scipy_tree(points, metric)
    if search == "tree":
        name = name_of(metric)
        raise ValueError(f"search must be 'brute' or 'auto' for a metric that is no Minkowski metric, got 'tree' for {name}.")
    return brute(points, metric)


def edited(dataset: Dataset, k: int = 3, *, metric: Distance = euclidean, scale: Scaling = unscaled) -> Dataset:
    """The rows that their k nearest other rows classify correctly; removing the others separates overlapping classes.

    Raises a ValueError for k below 1 or not below the number of rows, and as `knn` does.

    Source: Wilson 1972.

    >>> len(edited(Dataset.from_rows([[0], [1], [2], [3], [10], [11], [12], [13]], list("aabaabbb")), k=3))
    6
    """
    rows = training_rows(dataset)
    require_whole_number("k", k, 1, most=len(rows) - 1, of="other rows")
    _, near = knn(rows, k=k + 1, metric=metric, scale=scale).nearest(rows)
    others = _without_itself(near)
    return rows.take(first_largest(tally(rows, others, uniform(others))) == rows.target_column)


def tally(dataset: Dataset, rows: Points, votes: Points) -> Points:
    """The votes (m, K) for each class of rows (m, k) of a dataset, times the rows' weights.

    >>> tally(Dataset.from_rows([[0], [1]], ["a", "b"]), np.array([[0, 1]]), np.array([[1.0, 0.5]])).tolist()
    [[1.0, 0.5]]
    """
    counted = votes if dataset.weights is None else votes * dataset.weights[rows]
    codes, classes = dataset.target_column[rows], range(len(dataset.schema.classes))
    return np.stack([np.where(codes == code, counted, 0).sum(axis=1) for code in classes], axis=1)


def _without_itself(near: Points) -> Points:
    """The nearest rows of each row, (n, k + 1), without the row itself, or without the last if it is not among them."""
    itself = near == np.arange(len(near))[:, None]
    itself[:, -1] |= ~itself.any(axis=1)
    others: Points = near[~itself].reshape(len(near), -1)
    return others
