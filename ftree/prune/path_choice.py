"""Measuring the trees of a path on a dataset, and choosing one by its errors.

Source: Breiman et al. 1984, section 3.4.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import isfinite, sqrt
from typing import Any, TypeAlias

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Floats
from ftree._lib.fields import ConstructorRepr, is_iterable, name_of, require_function
from ftree._lib.messages import type_of
from ftree.criteria.costs import cost_risk
from ftree.criteria.impurity import Impurity, misclassification
from ftree.data.cases import effective_cases
from ftree.data.dataset import Dataset, FoldsDatasets, require_dataset, require_weight
from ftree.data.labelled import as_dataset
from ftree.prune.decisions import at_most
from ftree.prune.passes import a_number_from
from ftree.prune.path_losses import Loss, loss
from ftree.prune.weakest_links import PathStep, check_risk_is_function, require_risk
from ftree.tree.fold import n_leaves
from ftree.tree.nodes import Tree


@frozen
class Measured:
    """A tree of a path with its leaves and its error rate over `cases`; also alpha and cp if the path has them.

    If errors have costs, `error` is the mean cost of a case and `deviation` the standard deviation of the cost. The cost of an
    answer of another tree is its loss: of numbers the squared error, of events the deviance. If weights are importances,
    `cases` is Kish's (1965) effective sample size, (sum of weights)² / sum of squared weights.

    >>> from ftree import datasets, grow, prune
    >>> step = prune.measured(prune.cost_complexity_path(grow(datasets.weather())), datasets.weather())[-1]
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


# Trees, each a pruning of the one before, with or without measured errors.
PruningPath: TypeAlias = "Iterable[Tree | PathStep | Measured]"
# Chooses one of the measured trees of a path, such as `one_standard_error`.
PathChoice: TypeAlias = Callable[[Sequence[Measured]], Measured]


def select(path: PruningPath, *, by: PathChoice, on: Dataset | FoldsDatasets | None = None) -> Tree:
    """The tree of a path that `by` chooses: `lowest_error`, `one_standard_error`, `within(loss)`, or your own function.

    `path` is the result of `measured` or `cross_validated`; or it is an iterable of trees or of `PathStep`s. These are measured
    on the dataset `on`, or on a source of `ftree.scan`, which is read once.

    Raises a ValueError for an empty path. Raises a TypeError for unmeasured trees without a dataset, for anything
    that is not a path, and for a `by` that is not a function.

    >>> from ftree import grow, prune
    >>> data = Dataset.from_rows([["a"], ["b"], ["b"], ["c"]], ["no", "yes", "yes", "no"])
    >>> select(prune.cost_complexity_path(grow(data)), by=lowest_error, on=data)
    <Tree for 'class': 4 nodes, 3 leaves>
    """
    require_function("by", by)
    rows = _steps(path) if on is None else measured(path, on)
    if not rows:
        raise ValueError("path must be at least one tree, got an empty path.")
    for row in rows:
        if not isinstance(row, Measured):
            message = f"path must be measured, got {type_of(row)}, which has no error. Write select(path, by=..., on=dataset)."
            raise TypeError(message)
    chosen = by(rows)
    if not isinstance(chosen, Measured):
        raise TypeError(f"{name_of(by)} must return one of the measured trees, got {type_of(chosen)}.")
    return chosen.tree


def lowest_error(rows: Sequence[Measured]) -> Measured:
    """The tree with the lowest error, the smallest of equal ones.

    >>> from ftree import Leaf, Schema
    >>> leaf = Tree(Schema([], "class", ("no", "yes")), Leaf((1, 1)))
    >>> path = [Measured(5, 0.2, 100, leaf), Measured(3, 0.23, 100, leaf), Measured(1, 0.4, 100, leaf)]
    >>> lowest_error(path).leaves
    5
    """
    return within(0.0)(rows)


def one_standard_error(rows: Sequence[Measured]) -> Measured:
    """The smallest tree whose error is at most the lowest plus its standard error (Breiman et al. 1984, section 3.4.3).

    >>> from ftree import Leaf, Schema
    >>> leaf = Tree(Schema([], "class", ("no", "yes")), Leaf((1, 1)))
    >>> path = [Measured(5, 0.2, 100, leaf), Measured(3, 0.23, 100, leaf), Measured(1, 0.4, 100, leaf)]
    >>> one_standard_error(path).leaves
    3
    """
    best = lowest_error(rows)
    return within(best.standard_error)(rows) if isfinite(best.error) else best  # a rate of 0 may lose infinitely


@frozen
class within(ConstructorRepr):
    """The smallest tree whose error is at most the lowest plus `loss`; of equally small ones the best.

    Raises a ValueError for a negative loss.

    >>> within(0.01)
    within(0.01)
    """

    loss: float = field(validator=a_number_from(0))

    def __call__(self, rows: Sequence[Measured]) -> Measured:
        """Choose a tree."""
        limit = min(row.error for row in rows) + self.loss
        largest = max((row.error for row in rows if isfinite(row.error)), default=0.0) or 1.0
        near = (row for row in rows if at_most(row.error / largest, limit / largest))
        return min(near, key=lambda row: (row.leaves, row.error))


def measured(path: PruningPath, dataset: Dataset | FoldsDatasets, *, risk: Impurity = misclassification) -> tuple[Measured, ...]:
    """Each tree of a path with its error rate on a dataset or table, or, with a `cost_risk` as risk, its mean cost.

    By any other risk, errors are counted. The error of a regression tree is its mean squared error.

    The dataset may be a source of `ftree.scan`, whose rows are read once for all trees.

    Raises a ValueError for a dataset without a row of positive weight, and for a risk that is not about the response; a TypeError
    for anything that is not a path, and for a risk that is not a function.

    >>> from ftree import grow, prune
    >>> data = Dataset.from_rows([["a"], ["b"], ["b"], ["c"]], ["no", "yes", "yes", "no"])
    >>> [(row.leaves, row.error) for row in measured(prune.cost_complexity_path(grow(data)), data)]
    [(3, 0.0), (1, 0.5)]
    """
    check_risk_is_function(risk)
    steps = [_step(each) for each in _steps(path)]
    for step in steps[:1]:  # all are of one schema
        require_risk(step.tree.schema, risk)
    losses, sample = partial(_losses, steps, risk), None
    if isinstance(dataset, FoldsDatasets):
        sums = dataset.fold_datasets(losses, np.add)
    else:
        table = as_dataset(steps[0].tree.schema, dataset) if steps else dataset
        require_dataset(table)
        require_weight(table.n_cases, len(table))
        sums, sample = losses(table), effective_cases(table)
    pairs = zip(steps, sums.tolist(), strict=True)
    return tuple(measured_step(step, (lost, squares), cases, risk, sample) for step, (lost, squares, cases) in pairs)


def _losses(steps: Sequence[PathStep | Measured], risk: Impurity, dataset: Dataset) -> Floats:
    """Each tree's loss on some rows: the sums of costs and of squared costs, and the number of cases, (steps, 3)."""
    return np.array([(*loss(step.tree, dataset, risk), float(dataset.n_cases)) for step in steps]).reshape(-1, 3)


def _steps(path: Any) -> tuple[Any, ...]:
    if not is_iterable(path):
        raise TypeError(f"path must be trees, or steps of cost_complexity_path, got {type_of(path)}.")
    return tuple(path)


def _step(step: Any) -> PathStep | Measured:
    if isinstance(step, Tree):
        return Measured(n_leaves(step), 0.0, 0.0, step)
    if not isinstance(step, (PathStep, Measured)):
        raise TypeError(f"path must be trees, or steps of cost_complexity_path, got {type_of(step)}.")
    return step


def measured_step(
    step: PathStep | Measured, lost: Loss, cases: float, risk: Impurity, effective: float | None = None
) -> Measured:
    """A step of a path with its loss on that many cases, which are as uncertain as the `effective` number of them."""
    mean, squares = lost[0] / cases, lost[1] / cases
    is_rate = step.tree.schema.has_classes and not isinstance(risk, cost_risk)
    deviation = None if is_rate else sqrt(max(squares - mean**2, 0.0))
    return Measured(step.leaves, mean, cases if effective is None else effective, step.tree, step.alpha, step.cp, deviation)
