"""The two forms of the perceptron: their states, how a mistake changes a state, and the plane of a state.

In both forms, every point gets an additional coordinate 1, whose weight is the bias.
"""

from typing import Protocol, TypeAlias

import numpy as np
from attrs import field, frozen

from ftree.data.points import Points
from ftree.linear.plane import Expansion, Hyperplane, Kernel, gram

# The numbers that a form keeps: weights and bias, or the number of mistakes at each row.
State: TypeAlias = tuple[float, ...]


class Form(Protocol):
    """Rows with their sides, 1 or -1, in the primal or the dual form."""

    @property
    def signs(self) -> Points:
        """Each row's side."""
        ...

    def margins(self, state: Points | State, rows: slice = slice(None)) -> Points:
        """Scores of rows times their signs: positive where the state is correct."""
        ...

    def change(self, row: int) -> Points:
        """The numbers that a mistake at a row adds to the state."""
        ...

    def plane(self, state: State) -> Hyperplane | Expansion:
        """The plane as a function of points."""
        ...

    def squared_length(self, state: State) -> tuple[float, float]:
        """The weights' squared length, without the bias and with it."""
        ...

    def squared_reach(self) -> float:
        """The largest squared length of a point, including its coordinate 1."""
        ...


@frozen(eq=False)
class primal:
    """The primal form: the state is the weights, then the bias.

    >>> primal(np.array([[2.0], [4.0]]), np.array([-1, 1])).change(0).tolist()
    [-2.0, -1.0]
    """

    points: Points
    signs: Points
    _signed: Points = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        """Append the coordinate 1 to each point, and multiply it by its sign."""
        signed = np.column_stack([self.points, np.ones(len(self.points))]) * self.signs[:, None]
        object.__setattr__(self, "_signed", signed)

    def margins(self, state: Points | State, rows: slice = slice(None)) -> Points:
        """Scores of rows times their signs."""
        margins: Points = self._signed[rows] @ np.asarray(state)
        return margins

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
class dual:
    """The dual form: the state counts the mistakes at each row, and points are used in inner products only.

    >>> from ftree.linear import inner
    >>> dual(np.array([[2.0], [4.0]]), np.array([-1, 1]), inner).change(1).tolist()
    [0.0, 1.0]
    """

    points: Points
    signs: Points
    kernel: Kernel
    _signed: Points = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        """Compute all inner products, times the signs of both rows."""
        products = gram(self.kernel, self.points, self.points) + 1.0
        object.__setattr__(self, "_signed", products * self.signs * self.signs[:, None])

    def margins(self, state: Points | State, rows: slice = slice(None)) -> Points:
        """Scores of rows times their signs."""
        margins: Points = self._signed[rows] @ np.asarray(state)
        return margins

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
