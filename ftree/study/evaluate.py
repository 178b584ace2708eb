"""Evaluation: confusion matrices, cross-validation, learning curves, and the stability of the root split.

A learner is a `Policy`, or a function from a dataset to a tree or another classifier, so that it may include pruning.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import frozen

from ftree._lib.messages import short_repr
from ftree.data.dataset import Dataset, require_dataset
from ftree.data.labelled import as_dataset
from ftree.data.unseen import Unseen
from ftree.growth.grow import grow
from ftree.policy import ID3, Policy
from ftree.routing.predict import predict
from ftree.routing.rule_names import Missing
from ftree.routing.scoring import accuracy
from ftree.tree.describe import tested_expression
from ftree.tree.nodes import Branch, Tree, check_tree

Learner: TypeAlias = Policy | Callable[[Dataset], Any]


@frozen
class Confusion:
    """A confusion matrix: weights of rows by true class (rows) and predicted class (columns), in the order of `classes`."""

    classes: tuple[Hashable, ...]
    counts: tuple[tuple[float, ...], ...]

    @property
    def accuracy(self) -> float:
        """Share of the weights that is on the diagonal."""
        return sum(row[number] for number, row in enumerate(self.counts)) / sum(map(sum, self.counts))

    def __str__(self) -> str:
        """A table with a column for each predicted class."""
        header = ["", *map(str, self.classes)]
        body = [[str(label), *(f"{count:g}" for count in row)] for label, row in zip(self.classes, self.counts, strict=True)]
        widths = [max(len(row[column]) for row in [header, *body]) for column in range(len(header))]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in [header, *body]]
        return "\n".join(["true \\ predicted", *lines])


def confusion(tree: Tree, dataset: Dataset, *, missing: Missing | None = None, unseen: Unseen = "missing") -> Confusion:
    r"""The confusion matrix of a tree on a dataset, by weight: the tree's classes, then those that only the data have.

    Raises a ValueError for a dataset without a row of positive weight.

    >>> data = Dataset.from_rows([["a"], ["a"], ["b"]], ["no", "yes", "yes"])
    >>> print(confusion(grow(data), data))
    true \ predicted
         no  yes
     no   1    0
    yes   1    1
    """
    check_tree(tree)
    dataset = as_dataset(tree.schema, dataset, unseen=unseen)
    weights = _weights(dataset)
    classes = (*tree.schema.classes, *(label for label in dataset.schema.classes if label not in tree.schema.classes))
    place = {label: number for number, label in enumerate(classes)}
    table = np.zeros((len(classes), len(classes)), dtype=weights.dtype)
    true = [place[dataset.schema.classes[code]] for code in dataset.labels]
    np.add.at(table, (true, [place[label] for label in predict(tree, dataset, missing=missing, unseen=unseen)]), weights)
    return Confusion(classes, tuple(map(tuple, table.tolist())))


@frozen
class Trial:
    """Accuracies for one training size, or of the folds."""

    size: int
    accuracies: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Mean accuracy."""
        from statistics import fmean  # noqa: PLC0415  # it loads many modules, and is rarely used

        return fmean(self.accuracies)

    @property
    def standard_error(self) -> float:
        """Standard error of the mean, as if the accuracies were independent; NaN for a single one.

        Accuracies of overlapping samples are not quite independent.
        """
        from statistics import stdev  # noqa: PLC0415  # as above

        n = len(self.accuracies)
        return stdev(self.accuracies) / n**0.5 if n > 1 else float("nan")


def learning_curve(
    dataset: Dataset,
    learner: Learner = ID3,
    *,
    sizes: Sequence[int],
    repeats: int = 10,
    seed: int = 0,
    missing: Missing | None = None,
) -> tuple[Trial, ...]:
    """A trial for each training size: accuracies on the other rows after learning from random rows.

    For each size, `repeats` training sets are drawn uniformly without replacement.

    Raises a ValueError for a size that leaves no row for training or for testing.

    >>> data = Dataset.from_rows([["a"], ["b"]] * 10, [0, 1] * 10)
    >>> [trial.size for trial in learning_curve(data, sizes=[4, 8], repeats=3)]
    [4, 8]
    """
    _check(dataset, learner)
    _at_least(repeats, 1, "repeats")
    if not isinstance(sizes, Iterable):
        message = f"sizes must be a sequence of training sizes, such as [50, 100], got {short_repr(sizes)}."
        raise TypeError(message)
    for size in sizes:
        if not (isinstance(size, Integral) and 0 < size < len(dataset)):
            message = f"sizes must be from 1 to {len(dataset) - 1}, so that rows are left for testing, got {short_repr(size)}."
            raise ValueError(message)
    rng = np.random.default_rng(seed)

    def trial(size: int) -> Trial:
        pairs = ((dataset.take(order[:size]), dataset.take(order[size:])) for order in _orders(rng, len(dataset), repeats))
        return Trial(size, tuple(accuracy(learn(learner, train), test, missing=missing) for train, test in pairs))

    return tuple(map(trial, sizes))


def cross_validate(
    dataset: Dataset, learner: Learner = ID3, *, folds: int = 10, seed: int = 0, missing: Missing | None = None
) -> Trial:
    """Accuracies on each of n random folds, after learning from the other folds.

    Folds are stratified: the counts of a class differ by at most one between folds.

    Raises a ValueError for fewer than 2 folds, or more folds than rows.

    >>> data = Dataset.from_rows([["a"], ["b"]] * 10, [0, 1] * 10)
    >>> cross_validate(data, folds=5).accuracies
    (1.0, 1.0, 1.0, 1.0, 1.0)
    """
    _check(dataset, learner)
    pairs = dataset.folds(folds, seed=seed)
    accuracies = tuple(accuracy(learn(learner, train), test, missing=missing) for train, test in pairs)
    return Trial(len(dataset) - len(dataset) // folds, accuracies)


def root_feature_counts(
    dataset: Dataset, learner: Learner = ID3, *, size: int, repeats: int = 100, seed: int = 0
) -> dict[str | None, int]:
    """How often each feature is at the root of trees grown from random subsets; None counts trees that are leaves.

    Raises a ValueError for a size that is not between 1 and the number of rows.

    >>> data = Dataset.from_rows([["a", "x"], ["b", "x"]] * 10, [0, 1] * 10, features=["good", "bad"])
    >>> root_feature_counts(data, size=15, repeats=20)
    {'good': 20}
    """
    _check(dataset, learner)
    _at_least(repeats, 1, "repeats")
    if not (isinstance(size, Integral) and 0 < size <= len(dataset)):
        message = f"size must be from 1 to {len(dataset)}, the number of rows, got {short_repr(size)}."
        raise ValueError(message)
    orders = _orders(np.random.default_rng(seed), len(dataset), repeats)
    roots = Counter(_root_feature(learn(learner, dataset.take(order[:size]))) for order in orders)
    return dict(roots.most_common())


def learn(learner: Learner, dataset: Dataset) -> Any:
    """The tree that a policy grows from a dataset, or what a learner that is a function returns.

    >>> learn(grow, Dataset.from_rows([["a"]], [0]))
    <Tree for 'class': 1 nodes, 1 leaves>
    """
    return grow(dataset, learner) if isinstance(learner, Policy) else learner(dataset)


def _check(dataset: Any, learner: Any) -> None:
    require_dataset(dataset)
    if learner is Policy or not (isinstance(learner, Policy) or callable(learner)):
        message = f"learner must be a Policy such as ID3, or a function from a dataset to a tree, got {short_repr(learner)}."
        raise TypeError(message)


def _orders(rng: "np.random.Generator", n: int, repeats: int) -> Iterator[npt.NDArray[np.intp]]:
    return (rng.permutation(n) for _ in range(repeats))


def _weights(dataset: Dataset) -> npt.NDArray[Any]:
    require_dataset(dataset)
    weights = np.ones(len(dataset), dtype=np.int64) if dataset.weights is None else dataset.weights
    if not weights.sum():
        message = f"dataset must have a row with a weight above 0, got {len(dataset)} rows without one."
        raise ValueError(message)
    return weights


def _root_feature(tree: Tree) -> str | None:
    return tested_expression(tree.schema, tree.root.split) if isinstance(tree.root, Branch) else None


def _at_least(number: int, least: int, name: str) -> None:
    if not (isinstance(number, Integral) and number >= least):
        message = f"{name} must be a whole number of at least {least}, got {short_repr(number)}."
        raise ValueError(message)
