"""Cross-validation of a cost-complexity path: the errors of its trees, and what they predict for rows that they have not seen."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import inf, sqrt
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from attrs import evolve

from ftree._lib.fields import require_function, require_n_jobs
from ftree._lib.machine import thread_pool
from ftree._lib.messages import short_repr
from ftree._lib.random_numbers import generator_of
from ftree.criteria.costs import cost_risk
from ftree.criteria.impurity import Impurity, misclassification
from ftree.data.cases import DrawnCases, RowsOrCases, effective_cases, stratified_parts
from ftree.data.dataset import Dataset, require_dataset
from ftree.prune.decisions import at_most
from ftree.prune.passes import require_number_from
from ftree.prune.path_choice import Measured, measured_step
from ftree.prune.path_losses import path_losses
from ftree.prune.weakest_links import PathStep, cost_complexity_path
from ftree.routing.predict import predict
from ftree.tree.nodes import Tree, checked_tree

# The number of folds to draw, or the fold number of each row.
FoldNumbers: TypeAlias = "int | Sequence[int] | npt.NDArray[Any]"


def cross_validated(
    dataset: Dataset,
    learner: Callable[[Dataset], Tree],
    *,
    risk: Impurity = misclassification,
    folds: FoldNumbers = 10,
    seed: int = 0,
    cp: float = 0.0,
    n_jobs: int | None = 1,
) -> tuple[Measured, ...]:
    """The cost-complexity path of the tree that a learner grows, with errors from V-fold cross-validation.

    For each fold, a tree grown on the other folds is pruned at the geometric mean of the two alphas between which the whole
    path's tree is best, and measured on the fold. `learner` is any function from dataset to tree, such as `grow`. With a
    `cost_risk` as risk, errors are mean costs; those of other trees are mean losses.

    - `folds` is the number of stratified folds to draw, or the fold number of each row, as for rpart's `xval`.
    - `cp` excludes the trees that are best only for a smaller cp, as rpart's `cp` does.
    - `n_jobs` is the number of threads that share the folds; None uses one for each processor. Threads must then be able to
      call the learner at the same time, as they can call `grow`.

    Raises a ValueError for fewer than 2 folds, more folds than rows, a wrong number of fold numbers, or a negative cp;
    a TypeError for a learner that returns no tree.

    >>> from ftree import grow
    >>> data = Dataset.from_rows([["a"], ["b"]] * 10, [0, 1] * 10)
    >>> [(row.leaves, row.error) for row in cross_validated(data, grow, folds=5)]
    [(2, 0.0), (1, 0.5)]
    >>> [(row.leaves, row.error) for row in cross_validated(data, grow, folds=[1] * 10 + [2] * 10, cp=0.5)]
    [(2, 0.0), (1, 0.5)]
    """
    _check_arguments(dataset, learner, risk, cp, n_jobs)
    tree, losses = _learned(dataset, learner, risk, _parts(dataset, folds, seed), n_jobs)
    path = _from_cp(tuple(cost_complexity_path(tree, risk=risk)), cp)
    middles, lost = _middles(path), np.zeros((len(path), 2))
    for alphas, of_fold in losses:
        lost += of_fold[_steps_at(alphas, middles)]
    cases, effective = float(dataset.n_cases), effective_cases(dataset)
    each = zip(path, lost.tolist(), strict=True)
    return tuple(measured_step(step, (cost, squares), cases, risk, effective) for step, (cost, squares) in each)


def cross_predicted(
    dataset: Dataset,
    learner: Callable[[Dataset], Tree],
    *,
    risk: Impurity = misclassification,
    folds: FoldNumbers = 10,
    seed: int = 0,
    cp: float = 0.0,
) -> npt.NDArray[Any]:
    """Labels or numbers that the trees of a pruning path predict for rows that they have not seen, (n, steps).

    Answers of K numbers are (n, steps, K). The steps are those of `cross_validated` with the same arguments, the largest tree
    first. Each row is predicted by the tree that is grown on the other folds, pruned at the alpha at which it is measured there.
    With a `cost_risk`, labels have the least expected cost.

    Raises the errors of `cross_validated`, and a ValueError for weights that are counts, whose cases several folds may share,
    unless `folds` gives the fold of each row.

    Source: the function xpred.rpart of Therneau & Atkinson's rpart.

    >>> from ftree import grow
    >>> data = Dataset.from_rows([["a"], ["b"]] * 10, [0, 1] * 10)
    >>> cross_predicted(data, grow, folds=5)[:2].tolist()
    [[0, 0], [1, 0]]
    """
    _check_arguments(dataset, learner, risk, cp, 1)
    parts: list[Any] = _parts(dataset, folds, seed)
    if any(isinstance(test, DrawnCases) for _, test in parts):
        wanted = "the fold of each row where weights are counts, whose cases folds divide"
        raise ValueError(f"folds must be {wanted}, got {short_repr(folds)}.")
    options: Any = {"costs": risk.costs, "priors": risk.priors} if isinstance(risk, cost_risk) else {}

    def path_of(rows: Dataset) -> tuple[PathStep, ...]:
        return tuple(cost_complexity_path(checked_tree(learner(rows), learner), risk=risk))

    schema = dataset.schema
    of_labels = schema.has_classes or bool(schema.response.options.labels)
    middles, kind = _middles(_from_cp(path_of(dataset), cp)), object if of_labels else np.float64
    answers = [_answers(path_of(dataset.take(train)), middles, dataset.take(test), options) for train, test in parts]
    found = np.empty((len(dataset), *answers[0].shape[1:]), kind)
    for (_, test), of_fold in zip(parts, answers, strict=True):
        found[test] = of_fold.astype(kind)
    return found


def _answers(path: Sequence[PathStep], alphas: Sequence[float], rows: Dataset, options: Mapping[str, Any]) -> npt.NDArray[Any]:
    """What the tree of the path that is best for each alpha predicts for each row, (n, alphas)."""
    best = _steps_at([step.alpha for step in path], alphas)
    answers = {step: np.asarray(predict(path[step].tree, rows, **options)) for step in set(best.tolist())}
    return np.stack([answers[step] for step in best.tolist()], axis=1)


def _steps_at(path: Sequence[float], alphas: Sequence[float]) -> npt.NDArray[np.intp]:
    """The number of the step of a path, given the alpha from which each is best, that is best for each alpha."""
    return np.searchsorted(path, alphas, side="right") - 1


def _check_arguments(dataset: Dataset, learner: Any, risk: Any, cp: Any, n_jobs: int | None) -> None:
    require_dataset(dataset)
    require_function("learner", learner, or_class=True)
    require_function("risk", risk)
    require_number_from("cp", cp, 0)
    require_n_jobs(n_jobs)


def _middles(path: Sequence[PathStep]) -> list[float]:
    """The geometric mean of the alphas for which each tree of the path is best; infinity for the last tree."""
    return [*(sqrt(one.alpha * following.alpha) for one, following in pairwise(path)), inf]


def _learned(
    dataset: Dataset,
    learner: Callable[[Dataset], Tree],
    risk: Impurity,
    parts: Sequence[tuple[RowsOrCases, RowsOrCases]],
    n_jobs: int | None,
) -> tuple[Tree, list[Any]]:
    """The tree of all rows, and the losses of each fold's path on that fold; threads share the folds."""
    found: list[Any] = [None] * (len(parts) + 1)

    def learn(first: int, last: int, _: int) -> None:
        for number in range(first, last):
            if number == len(parts):
                found[number] = checked_tree(learner(dataset), learner)
            else:
                train, test = map(dataset.take, parts[number])
                found[number] = path_losses(checked_tree(learner(train), learner), test, risk)

    with thread_pool(n_jobs) as threads:
        threads.share(learn, len(found), _MUCH)
    *losses, tree = found
    return tree, losses


# Steps of work: so large that threads share the work however small the dataset is, since a learner's cost is unknown.
_MUCH = 1_000_000


def _parts(dataset: Dataset, folds: FoldNumbers, seed: int) -> list[tuple[RowsOrCases, RowsOrCases]]:
    """Training and test rows of each fold."""
    if _is_number(folds):
        return list(stratified_parts(dataset, cast("int", folds), random=generator_of(seed)))
    fold_of = _fold_of_rows(folds)
    n = fold_of.max(initial=-1) + 1
    if fold_of.shape != (len(dataset),) or n < 2:  # noqa: PLR2004  # one fold to train on, one to test on
        wanted = f"a number of folds, or a fold number for each of {len(dataset)} rows, with at least 2 different numbers"
        raise ValueError(f"folds must be {wanted}, got {short_repr(folds)}.")
    return [(np.flatnonzero(fold_of != number), np.flatnonzero(fold_of == number)) for number in range(n)]


def _fold_of_rows(folds: FoldNumbers) -> npt.NDArray[Any]:
    """The number of each row's fold among the different ones; nothing for records, missing values and values without an order."""
    given, nothing = np.asarray(folds), np.zeros(0, np.intp)
    if given.dtype.kind == "V" or np.ma.is_masked(folds):
        return nothing
    try:
        different, fold_of = np.unique(given, return_inverse=True)
        has_missing = bool((different != different).any())  # noqa: PLR0124  # NaN is equal to nothing
    except (TypeError, ValueError):
        return nothing
    return nothing if has_missing else fold_of.reshape(given.shape)


def _from_cp(path: Sequence[PathStep], cp: float) -> tuple[PathStep, ...]:
    """The steps from the tree that is best for a cp on; that tree's alpha and cp become those of this cp."""
    if not cp:
        return tuple(path)
    first = max(number for number, step in enumerate(path) if at_most(step.cp, cp))
    return evolve(path[first], alpha=max(path[first].alpha, cp * path[-1].risk), cp=max(path[first].cp, cp)), *path[first + 1 :]


def _is_number(folds: FoldNumbers) -> bool:
    try:
        return np.ndim(folds) == 0
    except ValueError:  # lists of different lengths, which are refused as any other object is
        return True
