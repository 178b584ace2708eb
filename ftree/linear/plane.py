"""Planes, also in the spaces of kernels: functions from points to scores, positive on one side."""

from collections.abc import Callable
from math import inf
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from attrs import field, frozen

from ftree._lib.fields import ConstructorRepr, a_finite_number, name_of
from ftree._lib.messages import short_repr
from ftree.data.points import Points

# Inner products (m, n) of points (m, F) and (n, F), in some space.
Kernel: TypeAlias = Callable[[Points, Points], Points]


def _numbers(values: Any) -> tuple[float, ...]:
    return tuple(np.asarray(values, dtype=np.float64).tolist())


@frozen
class Hyperplane:
    """The score `weights . x + bias`.

    >>> Hyperplane((1, -1), 0.5)(np.array([[2.0, 1.0], [0.0, 3.0]])).tolist()
    [1.5, -2.5]
    """

    weights: tuple[float, ...] = field(converter=_numbers)
    bias: float = field(converter=float)

    def __call__(self, points: Points) -> Points:
        """Scores (n,) of points (n, F)."""
        scores: Points = points @ np.array(self.weights) + self.bias
        return scores


@frozen(eq=False, repr=False)
class Expansion:
    """A plane written in terms of its training rows: the sum of `share * (kernel(row, x) + 1)` over rows.

    >>> import numpy as np
    >>> Expansion(inner, np.array([[1.0, 0.0]]), np.array([2.0]))(np.array([[3.0, 4.0]])).tolist()
    [8.0]
    """

    kernel: Kernel
    rows: Points
    shares: Points

    def __call__(self, points: Points) -> Points:
        """Scores (n,) of points (n, F)."""
        scores: Points = gram(self.kernel, points, self.rows) @ self.shares + self.shares.sum()
        return scores

    def __repr__(self) -> str:
        """The kernel and the number of rows."""
        return f"<Expansion by {name_of(self.kernel)} over {len(self.rows)} rows>"


def inner(one: Points, other: Points) -> Points:
    """The linear kernel: inner products (m, n) of points (m, F) and (n, F), for planes in the space of the points.

    >>> inner(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])).tolist()
    [[11.0]]
    """
    products: Points = one @ other.T
    return products


@frozen(repr=False)
class polynomial(ConstructorRepr):
    """The polynomial kernel: inner products in the space of all products of up to `degree` coordinates.

    >>> polynomial(2)(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])).tolist()
    [[144.0]]
    """

    degree: int = field(validator=a_finite_number)

    def __call__(self, one: Points, other: Points) -> Points:
        """Inner products (m, n)."""
        products: Points = (inner(one, other) + 1) ** self.degree
        return products


def _above_zero(_: Any, attribute: Any, value: float) -> None:
    if not (isinstance(value, Real) and 0 < value < inf):
        message = f"{attribute.name} must be a finite number above 0, got {short_repr(value)}."
        raise ValueError(message)


@frozen(repr=False)
class gaussian(ConstructorRepr):
    """The Gaussian kernel: `exp(-|a - b|^2 / (2 width^2))`.

    >>> gaussian(1.0)(np.array([[0.0]]), np.array([[0.0], [2.0]])).round(3).tolist()
    [[1.0, 0.135]]
    """

    width: float = field(validator=_above_zero)

    def __call__(self, one: Points, other: Points) -> Points:
        """Inner products (m, n)."""
        squared = (one**2).sum(axis=1)[:, None] + (other**2).sum(axis=1) - 2 * inner(one, other)
        products: Points = np.exp(-np.maximum(squared, 0) / (2 * self.width**2))
        return products


def gram(kernel: Kernel, one: Points, other: Points) -> Points:
    """Inner products (m, n) by a kernel, checked.

    Raises a ValueError for another shape than (m, n), or for numbers that are not finite.
    """
    products = np.asarray(kernel(one, other))
    if products.shape != (len(one), len(other)) or products.dtype.kind not in "iuf" or not np.isfinite(products).all():
        message = (
            f"The result of the kernel {name_of(kernel)} must be finite inner products of shape {(len(one), len(other))}, "
            f"got {products.dtype} of shape {products.shape}."
        )
        raise ValueError(message)
    return products
