"""The loss of each tree of a cost-complexity path, on a dataset or by cross-validation; one descent serves all its trees.

The trees of a path are prunings of the first. So each row goes down the first tree only, and a node that is cut gets the rows
of all leaves below it. A row with missing values that may reach several leaves goes down each tree of the path.
"""

from collections.abc import Callable, Sequence
from math import inf, sqrt
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from attrs import evolve, field, frozen

from ftree import native
from ftree._lib.arrays import Array, Floats
from ftree._lib.fields import is_finite, require_function, require_n_jobs
from ftree._lib.messages import short_repr
from ftree._lib.objects import gc_paused
from ftree._lib.random_numbers import generator_of
from ftree.criteria.costs import cost_risk, costs_for, factors
from ftree.criteria.impurity import Impurity, misclassification
from ftree.data.cases import check_n_folds, effective_cases, fold_numbers
from ftree.data.changes import codes_of_labels, recoded_columns
from ftree.data.channels import rows_as_sums
from ftree.data.dataset import Dataset, require_dataset
from ftree.prune.figures import at_most
from ftree.prune.weakest_links import (
    PathStep,
    cost_complexity_path,
    groups_of_path,
    risks_and_unit,
    risks_of_counts,
    weakest_links,
)
from ftree.routing.flat import Flat, flat
from ftree.routing.predict import predict
from ftree.routing.reach import cheapest_class, leaf_numbers, with_answers_for_unseen
from ftree.routing.scoring import accuracy, costs_of_answers
from ftree.tree.additive import response_of_sums
from ftree.tree.nodes import Counts, Tree, checked_tree, level_order
from ftree.tree.response import numbers
from ftree.tree.splits.split import UNKNOWN

# Floats are all whole numbers up to this one.
_MOST_EXACT = 2.0**53
# The sum of the costs of rows, and of their squares.
Loss: TypeAlias = tuple[float, float]


@gc_paused()
def path_losses(tree: Tree, dataset: Dataset, risk: Impurity) -> tuple[list[float], Floats]:
    """The alphas of the path; for each of its trees, the sums (steps, 2) of the cases' costs and of their squares.

    An error costs 1, unless the risk is a `cost_risk`; an answer of a tree without classes costs its loss.

    >>> from ftree import grow, misclassification
    >>> data = Dataset.from_rows([["a"], ["b"], ["b"], ["c"]], ["no", "yes", "yes", "no"])
    >>> alphas, losses = path_losses(grow(data), data, misclassification)
    >>> alphas, losses.tolist()
    ([0.0, 0.25], [[0.0, 0.0], [2.0, 2.0]])
    """
    tree, columns = with_answers_for_unseen(tree, dataset, recoded_columns(dataset, tree.schema.features), "rule")
    nodes = flat(tree)
    leaf = leaf_numbers(nodes, columns, len(dataset))
    if tree.schema.has_classes:
        risks, unit, of_nodes = risks_of_counts(nodes.counts, risk), 1.0, _costs_of_nodes(tree, dataset, leaf, risk)
    else:
        risks, unit = risks_and_unit(tree.schema, _sums_of_nodes(tree), risk)
        of_nodes = _losses_of_nodes(tree, dataset, leaf)
    alphas, losses = losses_of_prunings(nodes, risks, of_nodes)
    rest = np.flatnonzero((leaf == UNKNOWN) & (True if dataset.weights is None else dataset.weights > 0))
    if len(rest):
        unanswered, path = dataset.take(rest), cost_complexity_path(tree, risk=risk)
        losses += np.array([loss(step.tree, unanswered, risk) for step in path])
    return [alpha * unit for alpha in alphas], losses


def loss(tree: Tree, dataset: Dataset, risk: Impurity) -> Loss:
    """The sums over a dataset's cases of the costs of a tree's predictions, and of their squares."""
    if not tree.schema.has_classes:
        response = response_of_sums(tree.schema)
        lost = response.losses_of_rows(np.asarray(predict(tree, dataset)), rows_as_sums(dataset, response))
        times = np.ones(len(dataset)) if dataset.weights is None else dataset.weights
        return float(times @ lost), float(times @ lost**2)
    if not isinstance(risk, cost_risk):
        wrong = (1 - accuracy(tree, dataset)) * sum(dataset.class_counts())
        return wrong, wrong
    cost, times = costs_of_answers(tree, dataset, costs=risk.costs, priors=risk.priors)
    weight = factors(risk.class_counts, risk.priors, None)
    cost = cost if weight is None else cost * weight[dataset.recoded(tree.schema).target_column]
    return float(times @ cost), float(times @ cost**2)


def _counts_at_leaves(tree: Tree, dataset: Dataset, leaf: Array, risk: Impurity) -> tuple[Floats, Floats]:
    """Class counts (m, K) at each leaf, of the rows whose leaf is known, zeros at branches; and a case's cost (m, K) there."""
    labels, cost = _costs_of_labels(tree, dataset, risk)
    known, weights = leaf != UNKNOWN, dataset.weights
    cells = leaf[known] * cost.shape[1] + labels[known]
    counts = np.bincount(cells, None if weights is None else weights[known], cost.size).reshape(cost.shape)
    return counts.astype(np.float64), cost


def _costs_of_nodes(tree: Tree, dataset: Dataset, leaf: Array, risk: Impurity) -> Floats:
    """The sums (m, 2) of the costs of each node's answer for the rows below it, and of their squares."""
    counts, cost = _counts_at_leaves(tree, dataset, leaf, risk)
    (native_add_to_parents if native.is_here() else plain_add_to_parents)(flat(tree), counts)
    return np.column_stack([(counts * cost).sum(axis=1), (counts * cost**2).sum(axis=1)])


def _sums_of_nodes(tree: Tree) -> Sequence[Counts]:
    """The sums of all nodes level by level, of arrays while these are exact, since it takes longer to make nodes."""
    counts: Floats = flat(tree).counts
    if isinstance(tree.schema.response, numbers) and counts.max() > _MOST_EXACT:
        return [node.counts for node in level_order(tree.root)[0]]
    listed: list[Counts] = counts.tolist()
    return listed


def _losses_of_nodes(tree: Tree, dataset: Dataset, leaf: Array) -> Floats:
    """The sums (m, 2) of the losses of each node's answer on the rows below it, and of their squares."""
    nodes, response = flat(tree), response_of_sums(tree.schema)
    parents = np.concatenate([[-1], np.repeat(np.arange(len(nodes.arity)), nodes.arity)])
    passing = [np.flatnonzero(leaf != UNKNOWN)]
    reached = [leaf[passing[0]]]
    while (below := reached[-1] > 0).any():
        passing.append(passing[-1][below])
        reached.append(parents[reached[-1][below]])
    rows, at = np.concatenate(passing), np.concatenate(reached)
    times = 1.0 if dataset.weights is None else dataset.weights[rows]
    answers = response.answers(nodes.counts[nodes.answer])
    lost = response.losses_of_rows(answers[at], rows_as_sums(dataset, response)[rows])
    sums: Any = [np.bincount(at, each * times, len(answers)) for each in (lost, lost**2)]
    return np.column_stack(sums)


def native_add_to_parents(tree: Flat, counts: Floats) -> None:
    """Add the class counts (m, K) of nodes to those of all nodes above them."""
    native.call("add_to_parents", tree.first_child, tree.arity, counts)


def plain_add_to_parents(tree: Flat, counts: Floats) -> None:
    """`native_add_to_parents` in NumPy."""
    for number in np.flatnonzero(tree.arity)[::-1].tolist():
        counts[number] += counts[_kids(tree, number)].sum(axis=0)


def _kids(tree: Flat, number: int) -> slice:
    first = int(tree.first_child[number])
    return slice(first, first + int(tree.arity[number]))


def losses_of_prunings(tree: Flat, risks: Sequence[float], losses: Floats) -> tuple[list[float], Floats]:
    """The alphas of the path, and for each the losses (steps, 2) of its tree, from those (m, 2) of nodes as leaves."""
    alpha, _, number = weakest_links(tree.first_child, tree.arity, risks)
    alphas, ends = groups_of_path(alpha)
    # In each group lower nodes come first, since equally weak links can lie below each other.
    cuts = number[np.lexsort((-number, np.searchsorted(ends, np.arange(len(number)), side="right")))]
    of_cuts = native_sums_after_cuts if native.is_here() else plain_sums_after_cuts
    infinite = ~np.isfinite(losses)  # a rate of 0 loses so much on an event
    after = of_cuts(tree, np.where(infinite, 0.0, losses), cuts, ends)
    if infinite.any():
        after[of_cuts(tree, infinite.astype(np.float64), cuts, ends) > 0] = inf
    return alphas, after


def _costs_of_labels(tree: Tree, dataset: Dataset, risk: Impurity) -> tuple[Array, Floats]:
    """The class number of each row, and the cost (nodes, classes) of each node's prediction, by class."""
    nodes = flat(tree)
    if not isinstance(risk, cost_risk):
        classes = dataset.schema.classes
        codes = codes_of_labels(tree.schema.classes, classes)
        return dataset.target_column, (codes[nodes.labels][:, None] != np.arange(len(classes))).astype(np.float64)
    answers = cheapest_class(tree, nodes.counts[nodes.answer], risk.priors, risk.costs)
    weight = factors(risk.class_counts, risk.priors, None)
    cost = np.array(costs_for(risk.costs, len(tree.schema.classes)), dtype=np.float64)[:, answers].T
    return dataset.recoded(tree.schema).target_column, cost if weight is None else cost * weight


def native_sums_after_cuts(tree: Flat, losses: Floats, cuts: Array, ends: Array) -> Floats:
    """The losses (groups, 2) of the tree after each group of cuts, from those (m, 2) of nodes as leaves."""
    m, after = len(tree.arity), np.empty((len(ends), 2))
    room = np.empty(m, np.bool_), np.empty(m, np.int64)
    native.call("sums_after_cuts", tree.first_child, tree.arity, losses, cuts, ends, after, *room)
    return after


def plain_sums_after_cuts(tree: Flat, losses: Floats, cuts: Array, ends: Array) -> Floats:
    """`native_sums_after_cuts` in NumPy; each node is visited a few times at most."""
    closed = tree.arity == 0
    total, after = losses[closed].sum(axis=0), []
    for group in np.split(cuts, ends)[: len(ends)]:
        for number in group.tolist():
            total = total + losses[number] - _sum_below(number, losses, tree, closed)
            closed[number] = True
        after.append(total)
    return np.array(after)


def _sum_below(number: int, losses: Floats, tree: Flat, closed: Array) -> Floats:
    """The loss of the pruned subtree of a node."""
    total, open_nodes = np.zeros(2), [number]
    for here in open_nodes:  # the list grows while it is read
        kids = _kids(tree, here)
        total += losses[kids][closed[kids]].sum(axis=0)
        open_nodes += (kids.start + np.flatnonzero(~closed[kids])).tolist()
    return total


@frozen
class Measured:
    """A tree of a path with its leaves and its error rate over `cases`; also alpha and cp if the path has them.

    If errors have costs, `error` is the mean cost of a case and `deviation` the standard deviation of the cost. The cost of an
    answer of another tree is its loss: of numbers the squared error, of events the deviance. Of importances, `cases` is the
    number of equally weighted rows whose mean is as uncertain, (sum of weights)² / sum of squared weights (Kish 1965).

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


def measured_step(
    step: PathStep | Measured, lost: tuple[float, float], cases: float, risk: Impurity, dataset: Dataset | None = None
) -> Measured:
    """A step of a path with its loss on data: the sums of the costs and of the squared costs of that many cases."""
    mean, squares = lost[0] / cases, lost[1] / cases
    is_rate = step.tree.schema.has_classes and not isinstance(risk, cost_risk)
    deviation = None if is_rate else sqrt(max(squares - mean**2, 0.0))
    sample = cases if dataset is None else effective_cases(dataset)
    return Measured(step.leaves, mean, sample, step.tree, step.alpha, step.cp, deviation)


# The number of folds to draw, or the fold number of each row.
FoldNumbers: TypeAlias = "int | Sequence[int] | npt.NDArray[Any]"
# Training and test rows.
_Fold: TypeAlias = tuple[Dataset, Dataset]


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

    For each fold, a tree is grown on the other folds. Its path is measured on the fold at the geometric mean of each interval of
    alphas in which one tree of the whole path is best. `learner` is any function from dataset to tree, such as
    `grow`. With a `cost_risk` as risk, errors are mean costs; those of other trees are mean losses.

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
    pairs = _pairs(dataset, folds, seed)
    tree, losses = _learned(dataset, learner, risk, pairs, n_jobs)
    path = _from_cp(tuple(cost_complexity_path(tree, risk=risk)), cp)
    middles, lost = _middles(path), np.zeros((len(path), 2))
    for alphas, of_fold in losses:
        lost += of_fold[np.searchsorted(alphas, middles, side="right") - 1]
    cases = float(dataset.n_cases)
    each = zip(path, lost.tolist(), strict=True)
    return tuple(measured_step(step, (cost, squares), cases, risk, dataset) for step, (cost, squares) in each)


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
    numbers_of_folds = _fold_of_rows(dataset, folds, seed)
    path = _from_cp(tuple(cost_complexity_path(checked_tree(learner(dataset), learner), risk=risk)), cp)
    found: Any = None
    options: Any = {"costs": risk.costs, "priors": risk.priors} if isinstance(risk, cost_risk) else {}
    for number in np.unique(numbers_of_folds):
        own = numbers_of_folds == number
        steps = list(cost_complexity_path(checked_tree(learner(dataset.take(~own)), learner), risk=risk))
        best = np.searchsorted([step.alpha for step in steps], _middles(path), side="right") - 1
        answers = {step: np.asarray(predict(steps[step].tree, dataset.take(own), **options)) for step in set(best.tolist())}
        if found is None:
            kind = object if dataset.schema.has_classes else np.float64
            found = np.empty((len(dataset), len(path), *answers[best[0]].shape[1:]), kind)
        for place, step in enumerate(best.tolist()):
            found[own, place] = answers[step].tolist()
    return cast("npt.NDArray[Any]", found)


def _fold_of_rows(dataset: Dataset, folds: FoldNumbers, seed: int) -> npt.NDArray[Any]:
    """The fold of each row, (n,), as `Dataset.folds` draws it."""
    if np.ndim(folds):
        _pairs(dataset, folds, seed)  # it refuses what are no folds
        return np.asarray(folds)
    if dataset.weights is not None and dataset.weights_are == "counts":
        wanted = "the fold of each row where weights are counts, whose cases folds divide"
        raise ValueError(f"folds must be {wanted}, got {short_repr(folds)}.")
    check_n_folds(folds, len(dataset), "rows")  # type: ignore[arg-type]  # it refuses anything but a number
    return fold_numbers(dataset.target_column, int(folds), random=generator_of(seed))  # type: ignore[arg-type]  # as above


def _check_arguments(dataset: Dataset, learner: Any, risk: Any, cp: Any, n_jobs: int | None) -> None:
    require_dataset(dataset)
    require_function("learner", learner, or_class=True)
    require_function("risk", risk)
    if not (is_finite(cp) and cp >= 0) and not (isinstance(cp, float) and cp == inf):
        raise ValueError(f"cp must be a number of at least 0, got {short_repr(cp)}.")
    require_n_jobs(n_jobs)


def _middles(path: Sequence[PathStep]) -> list[float]:
    """The geometric mean of the alphas for which each tree of the path is best."""
    rises = [*(step.alpha for step in path[1:]), inf]
    return [sqrt(step.alpha * rise) if step.alpha else 0.0 for step, rise in zip(path, rises, strict=True)]


def _learned(
    dataset: Dataset, learner: Callable[[Dataset], Tree], risk: Impurity, pairs: Sequence[_Fold], n_jobs: int | None
) -> tuple[Tree, list[tuple[list[float], Floats]]]:
    """The tree of all rows, and the losses of each fold's path on that fold; threads share the folds."""
    # Imported here, since threads take longer to load than a small tree takes to grow.
    from ftree._lib.machine import thread_pool  # noqa: PLC0415

    tree: list[Tree] = []
    losses: list[Any] = [None] * len(pairs)

    def learn(first: int, last: int, _: int) -> None:
        for number in range(first, last):
            if number == len(pairs):
                tree.append(checked_tree(learner(dataset), learner))
            else:
                train, test = pairs[number]
                losses[number] = path_losses(checked_tree(learner(train), learner), test, risk)

    with thread_pool(n_jobs) as threads:
        threads.share(learn, len(pairs) + 1, _MUCH)
    return tree[0], losses


# Steps of work: so large that threads share the work however small the dataset is, since a learner's cost is unknown.
_MUCH = 1_000_000


def _pairs(dataset: Dataset, folds: FoldNumbers, seed: int) -> list[_Fold]:
    """Training and test rows of each fold."""
    if np.ndim(folds) == 0:
        return list(dataset.folds(folds, seed=seed))  # type: ignore[arg-type]  # `folds` refuses anything but a number
    fold_of = np.asarray(folds)
    numbers = _distinct(fold_of)
    if fold_of.shape != (len(dataset),) or len(numbers) < 2:  # noqa: PLR2004  # one fold to train on, one to test on
        wanted = f"a number of folds, or a fold number for each of {len(dataset)} rows, with at least 2 different numbers"
        raise ValueError(f"folds must be {wanted}, got {short_repr(folds)}.")
    return [(dataset.take(fold_of != number), dataset.take(fold_of == number)) for number in numbers.tolist()]


def _distinct(fold_of: npt.NDArray[Any]) -> npt.NDArray[Any]:
    try:
        return np.unique(fold_of if fold_of.dtype.names is None else fold_of.astype(object))
    except TypeError:  # None and other values without an order
        return np.zeros(0)


def _from_cp(path: Sequence[PathStep], cp: float) -> tuple[PathStep, ...]:
    """The steps from the tree that is best for a cp on; that tree's alpha and cp become those of this cp."""
    if not cp:
        return tuple(path)
    first = max(number for number, step in enumerate(path) if at_most(step.cp, cp))
    return evolve(path[first], alpha=max(path[first].alpha, cp * path[-1].risk), cp=max(path[first].cp, cp)), *path[first + 1 :]
