"""The k-nearest-neighbours classifier: a function from rows to labels that remembers its cases.

Equal distances go to the lower row number, so the k nearest are always k; equal votes go to the first class in schema order.
"""

from operator import index
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from attrs import field, frozen

from ftree._lib.fields import ConstructorRepr, a_function, one_of
from ftree._lib.ties import first_largest
from ftree.data.dataset import Dataset
from ftree.data.points import Points, Scaling, Transformation, points_of, training_points, unscaled
from ftree.neighbors.brute import brute
from ftree.neighbors.index import Index, Nearest
from ftree.neighbors.kdtree import kd_tree
from ftree.neighbors.metric import Metric, check_metric, euclidean, minkowski
from ftree.neighbors.scipy_tree import scipy_tree
from ftree.neighbors.votes import Weights, checked_votes, tally, uniform

Search: TypeAlias = Literal["auto", "brute", "tree", "scipy"]

# Where SciPy's tree is faster than looking at every point (measured: benchmarks/neighbors.py).
_MANY_ROWS = 200
_FEW_FEATURES = 12


def _whole(k: Any) -> int:
    try:
        return index(k)
    except TypeError:
        message = f"k is a whole number of neighbours; {k!r} came."
        raise TypeError(message) from None


@frozen(repr=False)
class knn(ConstructorRepr):
    """A classifier by the k nearest of the dataset's rows: call it with rows, or one point, for labels, or one label.

    `metric` is a `minkowski`, `hamming`, or any function of two points; `weights` a function from distances (m, k), sorted,
    to votes (`uniform`, `by_distance`); `scale` one of `standard`, `unit_range`, `weighted([...])`, learned from the dataset.
    `search` is how: by looking at every row ("brute"), by our k-d tree ("tree") or SciPy's ("scipy"); the answers are the same.
    A row votes with its weight, and one of weight 0 is left out.

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
    metric: Metric = field(default=euclidean, kw_only=True)
    weights: Weights = field(default=uniform, kw_only=True, validator=a_function)
    scale: Scaling = field(default=unscaled, kw_only=True, validator=a_function)
    search: Search = field(default="auto", kw_only=True, validator=one_of(*get_args(Search)))
    _move: Transformation = field(init=False, eq=False, repr=False)
    _index: Index = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        """Learn the scaling, and build the index once."""
        counted, points = training_points(self.dataset)
        check_metric(self.metric, points)
        if not 1 <= self.k <= len(counted):
            message = f"k is a number of neighbours from 1 to the number of rows, which is {len(counted)}; k={self.k} came."
            raise ValueError(message)
        move = self.scale(points)
        for name, value in (("dataset", counted), ("_move", move), ("_index", _index(move(points), self.metric, self.search))):
            object.__setattr__(self, name, value)

    def __call__(self, rows: Any) -> Any:
        """The label of one point, or a list of the labels of rows."""
        classes = self.dataset.schema.classes
        winners = first_largest(self.votes(rows))
        return [classes[code] for code in winners] if winners.ndim else classes[winners]

    def votes(self, rows: Any) -> Points:
        """What the neighbours of each row vote for each class, (m, K), or (K,) for one point."""
        points, single = self._points(rows)
        distance, row = self._index.nearest(points, self.k)
        votes = tally(self.dataset, row, checked_votes(self.weights, distance))
        return votes[0] if single else votes

    def nearest(self, rows: Any) -> Nearest:
        """Distances and row numbers of the nearest, (m, k), or (k,) for one point; nearest first.

        >>> knn(Dataset.from_rows([[0], [3], [1]], ["a", "b", "a"]), k=2).nearest([2])
        (array([1., 1.]), array([1, 2]))
        """
        points, single = self._points(rows)
        distance, row = self._index.nearest(points, self.k)
        return (distance[0], row[0]) if single else (distance, row)

    def within(self, rows: Any, radius: float) -> Any:
        """Distances and row numbers of all cases at most so far away, one pair of arrays for each row; nearest first.

        >>> knn(Dataset.from_rows([[0], [3], [1]], ["a", "b", "a"])).within([2], 1)
        (array([1., 1.]), array([1, 2]))
        """
        if not 0 <= radius < np.inf:
            message = f"A radius is a finite number from 0; it came as {radius!r}."
            raise ValueError(message)
        points, single = self._points(rows)
        found = self._index.within(points, radius)
        return found[0] if single else found

    def _points(self, rows: Any) -> tuple[Points, bool]:
        points, single = points_of(self.dataset.schema, rows)
        return self._move(points), single


def _index(points: Points, metric: Metric, search: Search) -> Index:
    n_rows, n_features = points.shape
    trees_are_faster = isinstance(metric, minkowski) and n_rows >= _MANY_ROWS and n_features <= _FEW_FEATURES
    if search == "brute" or (search == "auto" and not trees_are_faster):
        return brute(points, metric)
    if not isinstance(metric, minkowski):
        message = f"Trees search by a Minkowski metric such as euclidean; for {metric!r} take search='brute' or 'auto'."
        raise ValueError(message)  # noqa: TRY004  # the two options together are at fault
    return kd_tree(points, metric) if search == "tree" else scipy_tree(points, metric)
