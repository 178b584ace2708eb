"""The k-nearest-neighbours classifier: a function from rows to labels that keeps its training set.

Equal distances go to the lower row number, so there are always exactly k neighbours. Equal votes go to the first class in
schema order.
"""

from operator import index
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from attrs import field, frozen

from ftree._lib.fields import ConstructorRepr, a_function, name_of, one_of
from ftree._lib.messages import short_repr
from ftree._lib.ties import first_largest
from ftree.data.dataset import Dataset
from ftree.data.in_kind import labels_in_kind
from ftree.data.points import Points, Scaling, Transformation, points_of, training_points, unscaled
from ftree.neighbors.brute import brute
from ftree.neighbors.index import Index, Nearest
from ftree.neighbors.kdtree import kd_tree
from ftree.neighbors.metric import Metric, check_metric, euclidean, minkowski
from ftree.neighbors.scipy_tree import scipy_tree
from ftree.neighbors.votes import Weights, checked_votes, tally, uniform

# The search for neighbours: by all distances, the library's k-d tree, SciPy's, or whichever is faster.
Search: TypeAlias = Literal["auto", "brute", "tree", "scipy"]

# Where SciPy's tree is faster than brute force (measured: benchmarks/neighbors.py).
_MANY_ROWS = 200
_FEW_FEATURES = 12


def _whole(k: Any) -> int:
    try:
        return index(k)
    except TypeError:
        message = f"k must be a whole number of neighbours, got {short_repr(k)}."
        raise TypeError(message) from None


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
    metric: Metric = field(default=euclidean, kw_only=True)
    weights: Weights = field(default=uniform, kw_only=True, validator=a_function)
    scale: Scaling = field(default=unscaled, kw_only=True, validator=a_function)
    search: Search = field(default="auto", kw_only=True, validator=one_of(*get_args(Search)))
    _move: Transformation = field(init=False, eq=False, repr=False)
    _index: Index = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        """Learn the scaling, and build the index."""
        counted, points = training_points(self.dataset)
        check_metric(self.metric, points)
        if not 1 <= self.k <= len(counted):
            message = f"k must be from 1 to the number of rows, {len(counted)}, got {self.k}."
            raise ValueError(message)
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
            message = f"radius must be a finite number from 0, got {short_repr(radius)}."
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
        message = (
            f"search must be 'brute' or 'auto' for a metric that is no Minkowski metric, got {search!r} for {name_of(metric)}."
        )
        raise ValueError(message)  # noqa: TRY004  # the error is in the combination of two options
    return kd_tree(points, metric) if search == "tree" else scipy_tree(points, metric)
