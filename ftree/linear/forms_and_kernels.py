"""The two forms of a perceptron, primal and dual, the planes that their states mean, and kernels.

A form has rows with their sides, 1 or -1, and gives the margins of a state, what a mistake at a row changes, and the plane. The
primal form keeps weights and a bias; the dual one counts the mistakes at each row, and uses inner products only.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from attrs import field, frozen

from ftree._lib.fields import ConstructorRepr, a_whole_number, is_finite, must_be, name_of
from ftree.points import Points, as_floats

# The numbers that a form keeps: weights and bias, or the number of mistakes at each row.
State: TypeAlias = tuple[float, ...]
# Inner products (m, n) of points (m, F) and (n, F), in some space.
Kernel: TypeAlias = Callable[[Points, Points], Points]


@frozen
class Hyperplane:
    """The score `weights . x + bias`.

    >>> Hyperplane((1, -1), 0.5)(np.array([[2.0, 1.0], [0.0, 3.0]])).tolist()
    [1.5, -2.5]
    """

    weights: tuple[float, ...] = field(converter=as_floats)
    bias: float = field(converter=float)

    def __call__(self, points: Points) -> Points:
        """Scores (n,) of points (n, F)."""
        scores: Points = points @ np.array(self.weights) + self.bias
        return scores


@frozen(eq=False)
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


class _Scored:
    """What both forms share: a matrix, with the signs, from a state to the scores of the rows."""

    __slots__ = ()
    _signed: Any

    def margins(self, state: Points | State, rows: slice = slice(None)) -> Points:
        """Scores of rows times their signs."""
        margins: Points = self._signed[rows] @ np.asarray(state)
        return margins


@frozen(eq=False)
class primal(_Scored):
    """The primal form: the state is the weights, then the bias.

    >>> primal(np.array([[2.0], [4.0]]), np.array([-1, 1])).change(0).tolist()
    [-2.0, -1.0]
    """

    points: Points
    signs: Points
    _signed: Any = field(init=False, repr=False)

    @_signed.default
    def _points_with_signs(self) -> Points:
        """Each point with a further coordinate 1, times its sign."""
        signed: Points = np.column_stack([self.points, np.ones(len(self.points))]) * self.signs[:, None]
        return signed

    def change(self, row: int) -> Points:
        """The point, with its sign."""
        added: Points = self._signed[row]
        return added

    def plane(self, state: State) -> Hyperplane:
        """The plane of these weights and this bias."""
        return Hyperplane(state[:-1], state[-1])

    def squared_length(self, state: State) -> tuple[float, float]:
        """The squared length of the weights, and of weights and bias."""
        squares = np.square(state)
        return float(squares[:-1].sum()), float(squares.sum())

    def squared_reach(self) -> float:
        """The squared length of the longest point, including its coordinate 1."""
        return float((self._signed**2).sum(axis=1).max())


@frozen(eq=False)
class dual(_Scored):
    """The dual form: the state counts the mistakes at each row, and points are used in inner products only.

    >>> from ftree.linear import inner
    >>> dual(np.array([[2.0], [4.0]]), np.array([-1, 1]), inner).change(1).tolist()
    [0.0, 1.0]
    """

    points: Points
    signs: Points
    kernel: Kernel
    _signed: Any = field(init=False, repr=False)

    @_signed.default
    def _products_with_signs(self) -> Points:
        """All inner products, times the signs of both rows."""
        products = gram(self.kernel, self.points, self.points) + 1.0
        return products * self.signs * self.signs[:, None]

    def change(self, row: int) -> Points:
        """One more mistake at this row."""
        return np.where(np.arange(len(self.signs)) == row, 1.0, 0.0)

    def plane(self, state: State) -> Expansion:
        """The plane, written with the rows at which mistakes were made."""
        missed = np.flatnonzero(state)
        return Expansion(self.kernel, self.points[missed], (self.signs * state)[missed])

    def squared_length(self, state: State) -> tuple[float, float]:
        """The squared length of the weights, and of weights and bias."""
        counts = np.asarray(state)
        whole = float(counts @ self._signed @ counts)
        return max(whole - float(self.signs @ counts) ** 2, 0.0), whole

    def squared_reach(self) -> float:
        """The squared length of the longest point, including its coordinate 1."""
        return float(np.diag(self._signed).max())


# Rows with their sides, 1 or -1: a form gives margins, changes and the plane of a state, and lengths for Novikoff's bound.
Form: TypeAlias = primal | dual


def inner(one: Points, other: Points) -> Points:
    """The linear kernel: inner products (m, n) of points (m, F) and (n, F), for planes in the space of the points.

    >>> inner(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])).tolist()
    [[11.0]]
    """
    products: Points = one @ other.T
    return products


@frozen
class polynomial(ConstructorRepr):
    """The polynomial kernel: inner products in the space of all products of up to `degree` coordinates.

    >>> polynomial(2)(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])).tolist()
    [[144.0]]
    """

    degree: int = field(validator=a_whole_number(1))

    def __call__(self, one: Points, other: Points) -> Points:
        """Inner products (m, n)."""
        products: Points = (inner(one, other) + 1) ** self.degree
        return products


_WIDTH = must_be("a finite number above 0", lambda value: is_finite(value) and value > 0)


@frozen
class gaussian(ConstructorRepr):
    """The Gaussian kernel: `exp(-|a - b|^2 / (2 width^2))`.

    >>> gaussian(1.0)(np.array([[0.0]]), np.array([[0.0], [2.0]])).round(3).tolist()
    [[1.0, 0.135]]
    """

    width: float = field(validator=_WIDTH)

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
        raise ValueError(
            f"The result of the kernel {name_of(kernel)} must be finite inner products of shape {(len(one), len(other))}, "
            f"got {products.dtype} of shape {products.shape}."
        )
    return products
