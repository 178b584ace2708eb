"""The trees of a cost-complexity path with their errors in cross-validation.

Source: Breiman et al. 1984, section 3.4; `xval` and `cp` in Therneau & Atkinson's rpart.
"""

from collections.abc import Callable, Sequence
from math import inf, sqrt
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import evolve

from ftree._lib.arrays import Floats
from ftree._lib.fields import require_function, require_n_jobs
from ftree._lib.messages import short_repr
from ftree.criteria.impurity import Impurity, misclassification
from ftree.data.dataset import Dataset, require_dataset
from ftree.prune.compare import at_most
from ftree.prune.measures import Measured, measured_step
from ftree.prune.path_losses import path_losses
from ftree.prune.weakest_links import PathStep, cost_complexity_path
from ftree.tree.nodes import Tree

# The number of folds to draw, or the fold number of each row.
Folds: TypeAlias = "int | Sequence[int] | npt.NDArray[Any]"
# Training and test rows.
_Fold: TypeAlias = tuple[Dataset, Dataset]


def cross_validated(
    dataset: Dataset,
    learner: Callable[[Dataset], Tree],
    *,
    risk: Impurity = misclassification,
    folds: Folds = 10,
    seed: int = 0,
    cp: float = 0.0,
    n_jobs: int | None = 1,
) -> tuple[Measured, ...]:
    """The cost-complexity path of the tree that a learner grows, with errors from V-fold cross-validation.

    For each fold, a tree is grown on the other folds. Its path is measured on the fold at the geometric mean of each interval of
    alphas in which one tree of the whole path is best. `learner` is any function from dataset to tree, such as
    `grow`. With a `cost_risk` as risk, errors are mean costs.

    - `folds` is the number of stratified folds to draw, or the fold number of each row, as for rpart's `xval`.
    - `cp` excludes the trees that are best only for a smaller cp, as rpart's `cp` does.
    - `n_jobs` is the number of threads that share the folds; None uses one for each processor. Threads must then be able to
      call the learner at the same time, as they can call `grow`.

    Raises a ValueError for fewer than 2 folds, more folds than rows, a wrong number of fold numbers, or a negative cp.

    >>> from ftree import grow
    >>> data = Dataset.from_rows([["a"], ["b"]] * 10, [0, 1] * 10)
    >>> [(row.leaves, row.error) for row in cross_validated(data, grow, folds=5)]
    [(2, 0.0), (1, 0.5)]
    >>> [(row.leaves, row.error) for row in cross_validated(data, grow, folds=[1] * 10 + [2] * 10, cp=0.5)]
    [(2, 0.0), (1, 0.5)]
    """
    require_dataset(dataset)
    require_function("learner", learner, or_class=True)
    require_function("risk", risk)
    _check_cp(cp)
    require_n_jobs(n_jobs)
    pairs = _pairs(dataset, folds, seed)
    tree, losses = _learned(dataset, learner, risk, pairs, n_jobs)
    path = _from_cp(tuple(cost_complexity_path(tree, risk=risk)), cp)
    rises = [*(step.alpha for step in path[1:]), inf]
    middles = [sqrt(step.alpha * rise) if step.alpha else 0.0 for step, rise in zip(path, rises, strict=True)]
    lost = np.zeros((len(path), 2))
    for alphas, of_fold in losses:
        lost += of_fold[np.searchsorted(alphas, middles, side="right") - 1]
    cases = float(sum(dataset.class_counts()))
    each = zip(path, lost.tolist(), strict=True)
    return tuple(measured_step(step, (cost, squares), cases, risk) for step, (cost, squares) in each)


def _learned(
    dataset: Dataset, learner: Callable[[Dataset], Tree], risk: Impurity, pairs: Sequence[_Fold], n_jobs: int | None
) -> tuple[Tree, list[tuple[list[float], Floats]]]:
    """The tree of all rows, and the losses of each fold's path on that fold; threads share the folds."""
    # Imported here, since threads take longer to load than a small tree takes to grow.
    from ftree._lib.threads import thread_pool  # noqa: PLC0415

    tree: list[Tree] = []
    losses: list[Any] = [None] * len(pairs)

    def learn(first: int, last: int, _: int) -> None:
        for number in range(first, last):
            if number == len(pairs):
                tree.append(learner(dataset))
            else:
                train, test = pairs[number]
                losses[number] = path_losses(learner(train), test, risk)

    with thread_pool(n_jobs) as threads:
        threads.share(learn, len(pairs) + 1, _MUCH)
    return tree[0], losses


# Steps of work: so large that threads share the work however small the dataset is, since a learner's cost is unknown.
_MUCH = 1_000_000


def _pairs(dataset: Dataset, folds: Folds, seed: int) -> list[_Fold]:
    """Training and test rows of each fold."""
    if np.ndim(folds) == 0:
        return list(dataset.folds(folds, seed=seed))  # type: ignore[arg-type]  # `folds` refuses anything but a number
    fold_of = np.asarray(folds)
    numbers = _distinct(fold_of)
    if fold_of.shape != (len(dataset),) or len(numbers) < 2:  # noqa: PLR2004  # one fold to train on, one to test on
        wanted = f"a number of folds, or a fold number for each of {len(dataset)} rows, with at least 2 different numbers"
        message = f"folds must be {wanted}, got {short_repr(folds)}."
        raise ValueError(message)
    return [(dataset.take(fold_of != number), dataset.take(fold_of == number)) for number in numbers.tolist()]


def _distinct(fold_of: npt.NDArray[Any]) -> npt.NDArray[Any]:
    try:
        return np.unique(fold_of)
    except TypeError:  # None and other values without an order
        return np.zeros(0)


def _from_cp(path: Sequence[PathStep], cp: float) -> tuple[PathStep, ...]:
    """The steps from the tree that is best for a cp on; that tree's alpha and cp become those of this cp."""
    if not cp:
        return tuple(path)
    first = max(number for number, step in enumerate(path) if at_most(step.cp, cp))
    scale = next((step.alpha / step.cp for step in path if step.cp), 0.0)
    return evolve(path[first], alpha=max(path[first].alpha, cp * scale), cp=max(path[first].cp, cp)), *path[first + 1 :]


def _check_cp(cp: Any) -> None:
    if not (isinstance(cp, Real) and float(cp) >= 0):
        message = f"cp must be a number of at least 0, got {short_repr(cp)}."
        raise ValueError(message)
