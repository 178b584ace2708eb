"""Rows as points in space, and scalings of that space: what distances and planes need of a table.

A point is an array of floats where every feature is numeric, and of the values themselves where one is not. A
scaling is a function from the points to learn from to a function of points, so that new ones are moved alike.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import field, frozen
from toolz import identity

from ftree._lib.fields import ConstructorRepr, as_tuple
from ftree.data.coding import missing_among
from ftree.data.dataset import Dataset
from ftree.data.rows import cells_of, columns_of
from ftree.tree.schema import Schema

Points: TypeAlias = npt.NDArray[Any]
Move: TypeAlias = Callable[[Points], Points]
Scaling: TypeAlias = Callable[[Points], Move]

# From here on squares, or their sums, may be no floats any more.
_LARGE = 1e100


def points_of(schema: Schema, rows: Any) -> tuple[Points, bool]:
    """Rows as points (n, F), and whether they were one single point.

    Raises a ValueError for a missing value, which has no place in space.

    >>> from ftree import Feature
    >>> points_of(Schema([Feature("age", "numeric")], "ill", (False, True)), [[20], [60]])
    (array([[20.],
           [60.]]), False)
    """
    numeric = all(feature.kind == "numeric" for feature in schema.features)
    columns, n, single = columns_of(schema, rows) if numeric else cells_of(schema, rows)
    points = np.empty((n, len(schema.features)), dtype=np.float64 if numeric else object)
    for number, column in enumerate(columns):
        points[:, number] = column
    _refuse_gaps(schema, points)
    return points, single


def training_points(dataset: Dataset) -> tuple[Dataset, Points]:
    """The rows of positive weight, and their points.

    Raises a TypeError for something that is no dataset, a ValueError for one without a case or with a missing value.
    """
    if not isinstance(dataset, Dataset):
        message = f"A Dataset is wanted, made by Dataset.from_rows, from_columns or read_csv; a {type(dataset).__name__} came."
        raise TypeError(message)
    counted = dataset if dataset.weights is None else dataset.take(dataset.weights > 0)
    if not len(counted):
        message = f"There is nothing to learn from: the dataset has {len(dataset)} rows, none with a weight above 0."
        raise ValueError(message)
    return counted, points_of(counted.schema, counted)[0]


def unscaled(_: Points) -> Move:
    """Leave points where they are.

    >>> unscaled(np.zeros((1, 2)))(np.ones((1, 2))).tolist()
    [[1.0, 1.0]]
    """
    return identity  # type: ignore[no-any-return]  # toolz has no types


def standard(points: Points) -> Move:
    """Give every feature the mean 0 and the standard deviation 1; one that never varies is moved to 0.

    >>> standard(np.array([[1.0, 5.0], [3.0, 5.0]]))(np.array([[3.0, 6.0]])).tolist()
    [[1.0, 1.0]]
    """
    numbers = _numeric(points)
    return affine(numbers.mean(axis=0), _per(np.where(np.ptp(numbers, axis=0) > 0, numbers.std(axis=0), 0)))


def unit_range(points: Points) -> Move:
    """Let every feature run from 0 to 1; one that never varies is moved to 0.

    >>> unit_range(np.array([[1.0, 5.0], [3.0, 5.0]]))(np.array([[2.0, 6.0]])).tolist()
    [[0.5, 1.0]]
    """
    numbers = _numeric(points)
    return affine(numbers.min(axis=0), _per(np.ptp(numbers, axis=0)))


@frozen(repr=False)
class weighted(ConstructorRepr):
    """Stretch each feature by a weight, after another scaling; weight 0 leaves a feature out.

    Raises a ValueError for weights that are negative or not finite.

    >>> weighted([1, 0], after=standard)
    weighted((1, 0), after=standard)
    """

    weights: tuple[float, ...] = field(converter=as_tuple)
    after: Scaling = field(default=unscaled, kw_only=True)

    def __attrs_post_init__(self) -> None:
        """Check the weights."""
        if not all(0 <= weight < np.inf for weight in self.weights):
            message = f"Feature weights are finite numbers from 0; they came as {self.weights}."
            raise ValueError(message)

    def __call__(self, points: Points) -> Move:
        """Learn the other scaling, and stretch what it answers."""
        if points.shape[1] != len(self.weights):
            message = f"{len(self.weights)} feature weights came for points of {points.shape[1]} features."
            raise ValueError(message)
        return _both(self.after(points), affine(np.zeros(len(self.weights)), np.array(self.weights, dtype=float)))


@frozen
class _both:
    """One move after another."""

    first: Move
    then: Move

    def __call__(self, points: Points) -> Points:
        return self.then(self.first(points))


def _plain(numbers: Any) -> tuple[float, ...]:
    return tuple(np.asarray(numbers, dtype=float).tolist())


@frozen
class affine:
    """The move that takes `origin` off each point, and stretches the rest by `factor`.

    >>> affine((1, 2), (1, 10))(np.array([[1.0, 3.0]])).tolist()
    [[0.0, 10.0]]
    """

    origin: tuple[float, ...] = field(converter=_plain)
    factor: tuple[float, ...] = field(converter=_plain)

    def __call__(self, points: Points) -> Points:
        """Move points (..., F)."""
        moved: Points = (_numeric(points) - self.origin) * self.factor
        return moved


def _per(spread: Points) -> Points:
    """What to stretch by so that the spread becomes 1."""
    return np.where(spread > 0, 1 / np.where(spread > 0, spread, 1.0), 1.0)


def ordinary(points: Points, power: float = 2) -> bool:
    """Whether sums of so high powers of the coordinates are numbers for certain.

    >>> ordinary(np.array([[1e90]])), ordinary(np.array([[1e200]])), ordinary(np.array([[1e90]]), power=4)
    (True, False, False)
    """
    return bool((np.abs(points) < _LARGE ** min(1.0, 2 / power)).all())


def _numeric(points: Points) -> Points:
    if points.dtype != object and not ordinary(points):
        message = f"Only numbers below {_LARGE:g} can be scaled; divide those that are larger beforehand."
        raise ValueError(message)
    if points.dtype == object:
        message = (
            "Only numbers can be scaled, and these points have values of other kinds; choose a metric that weighs them itself."
        )
        raise ValueError(message)
    return points


def _refuse_gaps(schema: Schema, points: Points) -> None:
    is_missing = missing_among(())
    gaps = np.isnan(points) if points.dtype != object else np.asarray(np.frompyfunc(is_missing, 1, 1)(points), dtype=bool)
    if gaps.any():
        row, number = (int(place) for place in np.argwhere(gaps)[0])
        message = (
            f"Row {row} has no value of {schema.features[number].name!r}, so it has no place in space. Leave such rows out "
            "(dataset.complete()), or fill the gaps beforehand, with the mean for instance."
        )
        raise ValueError(message)
