"""Rows as points in space, and scalings of points, for learners that use distances or planes.

Points are an array (n, F): floats if every feature is numeric, else the raw values. A scaling is a function that
learns from the training points, and returns the transformation for training points and new points.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import field, frozen
from toolz import compose_left, identity

from ftree._lib.fields import ConstructorRepr, a_function, as_tuple, is_finite, must_be, name_of
from ftree._lib.messages import short_repr
from ftree.data.dataset import Dataset, require_dataset, rows_with_weight
from ftree.data.rows import cells_of, columns_of
from ftree.data.values import ALWAYS_MISSING
from ftree.tree.schema import Schema

__all__ = [
    "Points",
    "Scaling",
    "Transformation",
    "affine",
    "points_of",
    "powers_are_finite",
    "standard",
    "training_points",
    "unit_range",
    "unscaled",
    "weighted_features",
]
__dir__ = __all__.copy  # dir() shows public names only

# Points (rows, features): floats if every feature is numeric, else the raw values.
Points: TypeAlias = npt.NDArray[Any]
# A function that transforms points, (n, d) to (n, d).
Transformation: TypeAlias = Callable[[Points], Points]
# A function such as `standard` that learns a transformation from training points.
Scaling: TypeAlias = Callable[[Points], Transformation]
# Sums of squares of smaller numbers are finite.
_LARGE = 1e100
# A feature whose values differ by less is constant: what divides by the difference would overflow.
_LEAST_SPREAD = 1e-300


def points_of(schema: Schema, rows: Any) -> tuple[Points, bool]:
    """Rows as points (n, F), and whether a single row was given.

    Raises a ValueError for a missing value.

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
    _check_complete(schema, points)
    return points, single


def training_points(dataset: Dataset) -> tuple[Dataset, Points]:
    """The rows of positive weight, and their points (n, F).

    Raises the errors of `training_rows`, and a ValueError for a missing value.

    >>> rows, points = training_points(Dataset.from_rows([[1, 2], [3, 4]], ["a", "b"]))
    >>> points.tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    rows = training_rows(dataset)
    return rows, points_of(rows.schema, rows)[0]


def training_rows(dataset: Dataset) -> Dataset:
    """The rows of positive weight.

    Raises a TypeError for anything but a dataset, a ValueError for one without a positive weight or with a target of numbers.

    >>> len(training_rows(Dataset.from_rows([[1], [2]], ["a", "b"], weights=[0, 3])))
    1
    """
    rows = rows_with_weight(dataset)
    require_dataset(rows, of_classes="training_points")
    return rows


def learned_scaling(scale: Scaling, points: Points) -> Transformation:
    """The transformation that a scaling learns from points. Raises a TypeError for a scaling that returns no function.

    >>> learned_scaling(lambda points: points, np.zeros((1, 2)))
    Traceback (most recent call last):
    TypeError: The result of scale=<lambda> must be a function of points, got ndarray of shape (1, 2).
    """
    move = scale(points)
    if isinstance(move, type) or not callable(move):
        raise TypeError(f"The result of scale={name_of(scale)} must be a function of points, got {short_repr(move)}.")
    return move


def unscaled(_: Points) -> Transformation:
    """No scaling: points stay as they are.

    >>> unscaled(np.zeros((1, 2)))(np.ones((1, 2))).tolist()
    [[1.0, 1.0]]
    """
    return identity  # type: ignore[no-any-return]  # toolz has no types


def standard(points: Points) -> Transformation:
    """Scale every feature to mean 0 and standard deviation 1; a feature that is constant, but for 1e-300, stays near 0.

    Raises a ValueError for values that are not numbers below 1e100.

    >>> standard(np.array([[1.0, 5.0], [3.0, 5.0]]))(np.array([[3.0, 6.0]])).tolist()
    [[1.0, 1.0]]
    """
    numbers = _scalable(_some(points))
    spread = np.ptp(numbers, axis=0)
    unit = np.ldexp(1.0, np.frexp(spread)[1])  # a power of two, so that squares of small numbers are not 0
    return affine(numbers.mean(axis=0), _inverse((numbers / unit).std(axis=0) * unit * (spread > _LEAST_SPREAD)))


def unit_range(points: Points) -> Transformation:
    """Scale every feature to the range from 0 to 1; a feature that is constant, but for 1e-300, stays near 0.

    Raises a ValueError for values that are not numbers below 1e100.

    >>> unit_range(np.array([[1.0, 5.0], [3.0, 5.0]]))(np.array([[2.0, 6.0]])).tolist()
    [[0.5, 1.0]]
    """
    numbers = _scalable(_some(points))
    spread = np.ptp(numbers, axis=0)
    return affine(numbers.min(axis=0), _inverse(spread * (spread > _LEAST_SPREAD)))


_WEIGHTS = must_be(
    "finite numbers from 0, one for each feature", lambda weights: all(is_finite(each) and each >= 0 for each in weights)
)


@frozen
class weighted_features(ConstructorRepr):
    """Multiply each feature by a weight, after another scaling; weight 0 removes a feature.

    Raises a ValueError for weights that are negative or not finite.

    >>> weighted_features([1, 0], after=standard)
    weighted_features((1, 0), after=standard)
    """

    weights: tuple[float, ...] = field(converter=as_tuple, validator=_WEIGHTS)
    after: Scaling = field(default=unscaled, kw_only=True, validator=a_function)

    def __call__(self, points: Points) -> Transformation:
        """Learn the other scaling; the transformation multiplies its result by the weights."""
        if points.shape[1] != len(self.weights):
            raise ValueError(f"weights must be {points.shape[1]} numbers, one for each feature, got {len(self.weights)}.")
        return compose_left(self.after(points), affine(np.zeros(len(self.weights)), self.weights))  # type: ignore[no-any-return]


def as_floats(numbers: Any) -> tuple[float, ...]:
    """A converter: numbers as a tuple of floats."""
    return tuple(np.asarray(numbers, dtype=float).tolist())


@frozen
class affine:
    """The transformation that subtracts `origin` from each point, and multiplies the difference by `factor`.

    >>> affine((1, 2), (1, 10))(np.array([[1.0, 3.0]])).tolist()
    [[0.0, 10.0]]
    """

    origin: tuple[float, ...] = field(converter=as_floats)
    factor: tuple[float, ...] = field(converter=as_floats)

    def __call__(self, points: Points) -> Points:
        """Transform points (..., F)."""
        moved: Points = (_scalable(points) - self.origin) * self.factor
        return moved


def _inverse(spread: Points) -> Points:
    """1 / spread, and 1 where the spread is 0."""
    inverse: Points = 1 / np.where(spread > 0, spread, 1.0)
    return inverse


def powers_are_finite(points: Points, power: float = 2) -> bool:
    """Whether sums of this power of the coordinates, and of their differences, are certain to be finite.

    >>> [powers_are_finite(np.array([[1e90]])), powers_are_finite(np.array([[1e200]])), powers_are_finite(np.array([[1e90]]), 4)]
    [True, False, False]
    """
    return bool((np.abs(points) < min(_LARGE, _LARGE ** (3 / power) / 2)).all())


def _some(points: Points) -> Points:
    if not len(points):
        raise ValueError("points must be at least one to learn a scaling from, got none.")
    return points


def _scalable(points: Points) -> Points:
    if points.dtype == object:
        remedy = "Use unscaled, with a metric that weights such values itself."
        raise ValueError(f"A scaling's features must be numeric, got features of other kinds. {remedy}")
    if not powers_are_finite(points):
        raise ValueError(f"Numbers to scale must be below {_LARGE:g}, got {np.nanmax(np.abs(points)):g}. Divide them beforehand.")
    return points


def _check_complete(schema: Schema, points: Points) -> None:
    gaps = np.isnan(points) if points.dtype != object else np.asarray(np.frompyfunc(ALWAYS_MISSING, 1, 1)(points), dtype=bool)
    if gaps.any():
        row, number = (int(place) for place in np.argwhere(gaps)[0])
        remedy = "Omit such rows (dataset.complete()), or replace missing values beforehand, for instance by the mean."
        raise ValueError(
            f"A row must have a value of every feature"
            f", got none for {short_repr(schema.features[number].name)} in row {row}. {remedy}"
        )
