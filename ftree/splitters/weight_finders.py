"""Finding the weights of a sum by perceptrons and by logistic regression."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from numbers import Real
from typing import TypeAlias

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array
from ftree._lib.fields import ConstructorRepr, a_whole_number
from ftree._lib.messages import short_repr
from ftree.linear import State, mistakes, pocket, primal
from ftree.splitters.base import Measure


@frozen(eq=False)
class NodePoints:
    """The distinct points of a node without missing values (U, F), each feature scaled to [-1, 1], and class counts (U, K).

    >>> import numpy as np
    >>> NodePoints(np.array([[-1.0, 1.0]]), np.array([[2, 0]])).points.shape
    (1, 2)
    """

    points: Array
    counts: Array


# From points and the measure of children's counts to weights to try, (F,) each.
WeightFinder: TypeAlias = Callable[[NodePoints, Measure], Iterable[Array]]


@frozen(repr=False)
class perceptrons(ConstructorRepr):
    """Find, for each class against the others, the perceptron's plane with the fewest errors (the pocket algorithm).

    Source: Utgoff 1989 (perceptron trees); Gallant 1990 (pocket).

    >>> perceptrons(epochs=20)
    perceptrons(epochs=20)
    """

    epochs: int = field(default=10, kw_only=True, validator=a_whole_number(1, of="epochs"))

    def __call__(self, points_of_node: NodePoints, _: Measure) -> Iterator[Array]:
        """Weights, for each class that some points have and others do not."""
        for lead in _leads(points_of_node.counts):
            form = primal(points_of_node.points, np.where(lead > 0, 1.0, -1.0))
            state = pocket(mistakes(form, epochs=self.epochs), partial(_lost, form, lead))
            yield np.array(state[:-1])


@frozen(repr=False)
class logistic(ConstructorRepr):
    """Find, for each class against the others, the weights of ridge logistic regression, by Newton's method.

    Raises a ValueError for a ridge that is not above 0: without one, the weights of separable classes are infinite.

    Source: le Cessie & van Houwelingen 1992.

    >>> logistic(ridge=0.1)
    logistic(ridge=0.1, passes=25)
    """

    ridge: float = field(default=1e-4, kw_only=True)
    passes: int = field(default=25, kw_only=True, validator=a_whole_number(1, of="passes"))

    def __attrs_post_init__(self) -> None:
        """Check the ridge."""
        if not (isinstance(self.ridge, Real) and 0 < self.ridge < np.inf):
            message = f"ridge must be a finite number above 0, got {short_repr(self.ridge)}."
            raise ValueError(message)

    def __call__(self, points_of_node: NodePoints, _: Measure) -> Iterator[Array]:
        """Weights, for each class that some points have and others do not."""
        with_bias = np.column_stack([points_of_node.points, np.ones(len(points_of_node.points))])
        total = points_of_node.counts.sum(axis=1)
        for inside in _class_counts(points_of_node.counts):
            yield self._fitted(with_bias, inside, total)[:-1]

    def _fitted(self, points: Array, inside: Array, total: Array) -> Array:
        weights, ridge = np.zeros(points.shape[1]), np.full(points.shape[1], self.ridge * total.sum())
        ridge[-1] = 0.01 * self.ridge * total.sum()  # the bias is penalised a hundredth as much
        for _ in range(self.passes):
            shares = 1 / (1 + np.exp(-np.clip(points @ weights, -30, 30)))
            slope = points.T @ (inside - total * shares) - ridge * weights
            curve = (points.T * (total * shares * (1 - shares))) @ points + np.diag(ridge)
            step = np.linalg.solve(curve, slope)
            # Bound the step, since a long step may overshoot if classes are nearly separable.
            weights = weights + step / max(1.0, float(np.abs(step).max()) / 4)
        return weights


def _class_counts(counts: Array) -> Iterator[Array]:
    """The counts (U,) of each class with cases; of two classes only the second, since their planes mirror each other."""
    present = np.flatnonzero(counts.any(axis=0))
    for label in present[1:] if len(present) == 2 else present:  # noqa: PLR2004  # planes of two classes mirror each other
        yield counts[:, label]


def _leads(counts: Array) -> Iterator[Array]:
    """For each class, its cases at each point minus those of the other classes."""
    return (2 * inside - counts.sum(axis=1) for inside in _class_counts(counts))


def _lost(form: primal, lead: Array, state: State) -> float:
    """Cases on the wrong side, minus those of the same points that would be wrong on the other side."""
    return float(np.abs(lead[form.margins(state) <= 0]).sum())
