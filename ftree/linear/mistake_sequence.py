"""The lazy sequence of the mistakes that a perceptron makes, row by row, pass by pass.

It ends when a whole pass makes no mistake ("separated"), when all scores at the end of a pass equal those after an earlier
pass, so that the states would repeat for ever ("cycle"), or after a number of passes ("epochs"). Whoever reads the sequence may
stop before its end ("picked").
"""

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import field, frozen

from ftree._lib.fields import ConstructorRepr, a_whole_number, is_finite, must_be, name_of
from ftree.points import Points, as_floats

# Why the perceptron stopped: a pass without mistakes, a repeated state, the last epoch, or a `pick` that read no further.
End: TypeAlias = Literal["separated", "cycle", "epochs", "picked"]
# Rows that are scored together, in advance; a mistake invalidates the scores of the rows after it.
_AHEAD = 64
# The numbers that a form keeps: weights and bias, or the number of mistakes at each row.
State: TypeAlias = tuple[float, ...]


@frozen
class PerceptronStep:
    """The state after a mistake at `row`, the number of the pass, and the number of rows visited so far.

    The first step has no row. The last step repeats the state before it, and its `end` says why the sequence ends.

    >>> PerceptronStep((1.0, 0.0), 3, 1, 7).row
    3
    """

    state: State
    row: int | None
    epoch: int
    looked_at: int
    end: End | None = None


# Chooses one of the states of the sequence; the function gives a state's errors on the training set.
Pick: TypeAlias = Callable[[Iterator[PerceptronStep], Callable[[State], float]], State]


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


# Inner products (m, n) of points (m, F) and (n, F), in some space.
Kernel: TypeAlias = Callable[[Points, Points], Points]


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


def mistakes(form: "Form", *, epochs: int) -> Iterator[PerceptronStep]:
    """The steps of at most `epochs` passes over the rows, in their order; a score of 0 is a mistake.

    >>> from ftree.linear import primal
    >>> form = primal(np.array([[2.0], [4.0]]), np.array([-1, 1]))
    >>> [step.state for step in mistakes(form, epochs=9)][:4]
    [(0.0, 0.0), (-2.0, -1.0), (2.0, 0.0), (0.0, -1.0)]
    """
    n, state, remembered = len(form.signs), np.zeros(len(form.change(0))), b""
    yield PerceptronStep(_plain(state), None, 1, 0)
    epoch = 0
    while True:
        epoch += 1
        row = _next_mistake(form, state, 0)
        if row is None:
            yield PerceptronStep(_plain(state), None, epoch, epoch * n, "separated")
            return
        while row is not None:
            state = state + form.change(row)
            yield PerceptronStep(_plain(state), row, epoch, (epoch - 1) * n + row + 1)
            row = _next_mistake(form, state, row + 1)
        now = form.margins(state).tobytes()
        if now == remembered or epoch == epochs:
            yield PerceptronStep(_plain(state), None, epoch, epoch * n, "cycle" if now == remembered else "epochs")
            return
        if epoch & (epoch - 1) == 0:
            remembered = now  # remembering at powers of two finds cycles of any length (Brent 1980)


def last(steps: Iterator[PerceptronStep], _: Callable[[State], float]) -> State:
    """The last state: it separates separable classes, and is arbitrary for others.

    >>> from ftree import Dataset, linear
    >>> table = Dataset.from_rows([[0], [1], [3], [4]], [False, False, True, True])
    >>> linear.perceptron(table, pick=last)([2.5])
    True
    """
    (step,) = deque(steps, maxlen=1)  # a deque of length 1 keeps one step at a time
    return step.state


def pocket(steps: Iterator[PerceptronStep], wrong: Callable[[State], float]) -> State:
    """The first of the states with the fewest errors (Gallant 1990, with the ratchet).

    >>> from ftree import Dataset, linear
    >>> table = Dataset.from_rows([[0], [1], [3], [4]], [False, True, False, True])
    >>> linear.perceptron(table, pick=pocket, epochs=10)([4])
    True
    """
    return min((step.state for step in steps), key=wrong)


def averaged(steps: Iterator[PerceptronStep], _: Callable[[State], float]) -> State:
    """The mean of all states, weighted by the number of rows for which each was in use (Freund & Schapire 1999).

    >>> from ftree import Dataset, linear
    >>> table = Dataset.from_rows([[0], [1], [3], [4]], [False, False, True, True])
    >>> linear.perceptron(table, pick=averaged)([4])
    True
    """
    before = next(steps)
    total = np.zeros(len(before.state))
    for step in steps:
        total += (step.looked_at - before.looked_at) * np.array(before.state)
        before = step
    return _plain(total / before.looked_at)


def _next_mistake(form: "Form", state: Points, start: int) -> int | None:
    ahead = _AHEAD
    while start < len(form.signs):
        wrong = form.margins(state, slice(start, start + ahead)) <= 0
        if wrong.any():
            return start + int(wrong.argmax())
        start, ahead = start + ahead, 2 * ahead
    return None


def _plain(state: Points) -> State:
    return tuple(state.tolist())


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
