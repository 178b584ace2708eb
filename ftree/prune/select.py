"""Choosing one tree of a path: how wrong each is, on a set or in cross-validation, and which to take.

Source: Breiman et al. 1984, section 3.4; `xval` and `cp` in Therneau & Atkinson's rpart.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from math import inf, sqrt
from typing import Any, TypeAlias

import numpy as np
from attrs import field, frozen

from ftree._fields import reads_like_its_constructor
from ftree.dataset import Dataset
from ftree.impurity import Impurity, misclassification
from ftree.measure import n_leaves
from ftree.predict import accuracy
from ftree.prune.cost_complexity import Step, cost_complexity_path
from ftree.prune.judge import at_most
from ftree.route import check_dataset
from ftree.tree import Tree


def _not_negative(_: Any, __: Any, loss: float) -> None:
    if not loss >= 0:
        message = f"The loss is a share of errors, at least 0; it came as {loss!r}."
        raise ValueError(message)


@frozen
class Measured:
    """A tree of a path with its leaves and its share of errors in so many cases; alpha and cp where the path has them."""

    leaves: int
    error: float
    cases: float
    tree: Tree = field(repr=False)
    alpha: float | None = None
    cp: float | None = None

    @property
    def standard_error(self) -> float:
        """Standard error of the share of errors, as of a proportion."""
        return sqrt(max(self.error * (1 - self.error), 0.0) / self.cases)


Path: TypeAlias = "Iterable[Tree | Step | Measured]"
Choice: TypeAlias = Callable[[Sequence[Measured]], Measured]


def select(path: Path, *, by: Choice, on: Dataset | None = None) -> Tree:
    """The tree of a path that a choice takes: `lowest_error`, `one_standard_error`, `within(loss)`, or a function of yours.

    The path is one that was measured (`measured`, `cross_validated`), or trees or steps of any path with the dataset
    to measure them `on`.

    Raises a ValueError for an empty path, a TypeError for trees that were not measured when no dataset came.

    >>> from ftree.grow import grow
    >>> data = Dataset.from_rows([["a"], ["b"], ["b"], ["c"]], ["no", "yes", "yes", "no"])
    >>> select(cost_complexity_path(grow(data)), by=lowest_error, on=data)
    <Tree for 'class': 4 nodes, 3 leaves>
    """
    rows = tuple(path) if on is None else measured(path, on)
    if not rows:
        message = "select takes a path of at least one tree; an empty one came."
        raise ValueError(message)
    for row in rows:
        if not isinstance(row, Measured):
            message = f"A {type(row).__name__} has no error; say what to measure it on: select(path, by=..., on=dataset)."
            raise TypeError(message)
    return by(rows).tree  # type: ignore[arg-type]  # all measured, as the loop has seen


def lowest_error(rows: Sequence[Measured]) -> Measured:
    """The tree with the lowest error, the smallest of equals."""
    return within(0.0)(rows)


def one_standard_error(rows: Sequence[Measured]) -> Measured:
    """The smallest tree whose error is at most the lowest and its standard error (Breiman et al. 1984, section 3.4.3)."""
    return within(lowest_error(rows).standard_error)(rows)


@reads_like_its_constructor
@frozen(repr=False)
class within:
    """The smallest tree whose error is at most the lowest and a loss; of equally small ones the best.

    Raises a ValueError for a negative loss.

    >>> within(0.01)
    within(0.01)
    """

    loss: float = field(validator=_not_negative)

    def __call__(self, rows: Sequence[Measured]) -> Measured:
        """Choose."""
        limit = min(row.error for row in rows) + self.loss
        return min((row for row in rows if at_most(row.error, limit)), key=lambda row: (row.leaves, row.error))


def measured(path: Path, dataset: Dataset) -> tuple[Measured, ...]:
    """Each tree of a path with its share of errors on a dataset.

    Raises a ValueError for a dataset without a row of positive weight, a TypeError for what is no path.

    >>> from ftree.grow import grow
    >>> data = Dataset.from_rows([["a"], ["b"], ["b"], ["c"]], ["no", "yes", "yes", "no"])
    >>> [(row.leaves, row.error) for row in measured(cost_complexity_path(grow(data)), data)]
    [(3, 0.0), (1, 0.5)]
    """
    return tuple(_measured(step, dataset) for step in path)


def cross_validated(
    dataset: Dataset,
    learner: Callable[[Dataset], Tree],
    *,
    risk: Impurity = misclassification,
    folds: int = 10,
    seed: int = 0,
) -> tuple[Measured, ...]:
    """The cost-complexity path of what a learner makes of the data, with errors from V-fold cross-validation.

    Each fold's trees are made from the others; a tree of the path answers for the geometric middle of the alphas for
    which it is the cheapest. Folds are stratified. `learner` is any function from dataset to tree, such as `grow`.

    Raises a ValueError for fewer than 2 folds, or more than there are rows.

    >>> from ftree.grow import grow
    >>> data = Dataset.from_rows([["a"], ["b"]] * 10, [0, 1] * 10)
    >>> [(row.leaves, row.error) for row in cross_validated(data, grow, folds=5)]
    [(2, 0.0), (1, 0.5)]
    """
    check_dataset(dataset)
    pairs = dataset.folds(folds, seed=seed)
    path = tuple(cost_complexity_path(learner(dataset), risk=risk))
    rises = [*(step.alpha for step in path[1:]), inf]
    middles = [sqrt(step.alpha * rise) if step.alpha else 0.0 for step, rise in zip(path, rises, strict=True)]
    wrong = np.zeros(len(path))
    for train, test in pairs:
        wrong += _wrong_in_fold(learner(train), test, middles, risk)
    cases = float(sum(dataset.class_counts()))
    return tuple(
        Measured(step.leaves, error / cases, cases, step.tree, step.alpha, step.cp)
        for step, error in zip(path, wrong.tolist(), strict=True)
    )


def _wrong_in_fold(tree: Tree, test: Dataset, alphas: Sequence[float], risk: Impurity) -> Any:
    """Weight of the errors on a fold for each alpha; each tree of the fold's path is asked once."""
    path = tuple(cost_complexity_path(tree, risk=risk))
    errors = [row.error * row.cases for row in measured(path, test)]
    known = [step.alpha for step in path]
    return np.array([errors[bisect_right(known, alpha) - 1] for alpha in alphas])


def _measured(step: Tree | Step | Measured, dataset: Dataset) -> Measured:
    if isinstance(step, Tree):
        tree, alpha, cp = step, None, None
    elif isinstance(step, (Step, Measured)):
        tree, alpha, cp = step.tree, step.alpha, step.cp
    else:
        message = f"A path consists of trees, or of the steps of cost_complexity_path; a {type(step).__name__} came."
        raise TypeError(message)
    return Measured(n_leaves(tree), 1 - accuracy(tree, dataset), float(sum(dataset.class_counts())), tree, alpha, cp)
