"""A tree of a pruning path with its loss on data."""

from math import sqrt

from attrs import field, frozen

from ftree.criteria.costs import cost_risk
from ftree.criteria.impurity import Impurity
from ftree.prune.weakest_links import PathStep
from ftree.tree.nodes import Tree


@frozen
class Measured:
    """A tree of a path with its leaves and its error rate over `cases`; also alpha and cp if the path has them.

    If errors have costs, `error` is the mean cost of a case and `deviation` the standard deviation of the cost.

    >>> from ftree import grow, prune
    >>> from ftree.datasets import weather
    >>> step = prune.measured(prune.cost_complexity_path(grow(weather())), weather())[-1]
    >>> step.leaves, round(step.error, 3)
    (1, 0.357)
    """

    leaves: int
    error: float
    cases: float
    tree: Tree = field(repr=False)
    alpha: float | None = None
    cp: float | None = None
    deviation: float | None = None

    @property
    def standard_error(self) -> float:
        """Standard error of the mean cost, or of the error rate (a proportion)."""
        deviation = sqrt(max(self.error * (1 - self.error), 0.0)) if self.deviation is None else self.deviation
        return deviation / sqrt(self.cases)


def measured_step(step: PathStep | Measured, lost: tuple[float, float], cases: float, risk: Impurity) -> Measured:
    """A step of a path with its loss on data: the sums of the costs and of the squared costs of that many cases."""
    mean, squares = lost[0] / cases, lost[1] / cases
    deviation = sqrt(max(squares - mean**2, 0.0)) if isinstance(risk, cost_risk) else None
    return Measured(step.leaves, mean, cases, step.tree, step.alpha, step.cp, deviation)
