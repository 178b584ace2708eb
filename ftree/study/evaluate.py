"""How good is it: confusion, cross-validation, learning curves, and how stable the root is.

A learner is a `Policy`, or any function from a dataset to a tree (so that pruning can be part of it) or to a classifier.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import frozen

from ftree.data.dataset import Dataset
from ftree.growth.grow import grow
from ftree.policy import ID3, Policy
from ftree.routing.predict import predict
from ftree.routing.route import Missing
from ftree.routing.scoring import accuracy
from ftree.tree.describe import tested_expression
from ftree.tree.nodes import Branch, Tree

Learner: TypeAlias = Policy | Callable[[Dataset], Any]


@frozen
class Confusion:
    """Weights of rows by true class (rows) and predicted class (columns), in the order of `classes`."""

    classes: tuple[Hashable, ...]
    counts: tuple[tuple[float, ...], ...]

    @property
    def accuracy(self) -> float:
        """Share on the diagonal."""
        return sum(row[number] for number, row in enumerate(self.counts)) / sum(map(sum, self.counts))

    def __str__(self) -> str:
        """A table with the predicted classes across."""
        header = ["", *map(str, self.classes)]
        body = [[str(label), *(f"{count:g}" for count in row)] for label, row in zip(self.classes, self.counts, strict=True)]
        widths = [max(len(row[column]) for row in [header, *body]) for column in range(len(header))]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in [header, *body]]
        return "\n".join(["true \\ predicted", *lines])


def confusion(tree: Tree, dataset: Dataset, *, missing: Missing = "all_routes") -> Confusion:
    r"""Which classes are taken for which, by weight; the tree's classes first, then any that only the data have.

    Raises a ValueError for a dataset without a row of positive weight.

    >>> data = Dataset.from_rows([["a"], ["a"], ["b"]], ["no", "yes", "yes"])
    >>> print(confusion(grow(data), data))
    true \ predicted
         no  yes
     no   1    0
    yes   1    1
    """
    weights = _weights(dataset)
    classes = (*tree.schema.classes, *(label for label in dataset.schema.classes if label not in tree.schema.classes))
    place = {label: number for number, label in enumerate(classes)}
    table = np.zeros((len(classes), len(classes)), dtype=weights.dtype)
    true = [place[dataset.schema.classes[code]] for code in dataset.labels]
    np.add.at(table, (true, [place[label] for label in predict(tree, dataset, missing=missing)]), weights)
    return Confusion(classes, tuple(map(tuple, table.tolist())))


@frozen
class Trial:
    """Accuracies of one training size (or of the folds), their mean and its standard error (NaN for a single one)."""

    size: int
    accuracies: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Mean accuracy."""
        from statistics import fmean  # noqa: PLC0415  # it loads more than it gives, and few ask

        return fmean(self.accuracies)

    @property
    def standard_error(self) -> float:
        """Standard error of the mean, were the accuracies independent; those of overlapping samples are not quite."""
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
    missing: Missing = "all_routes",
) -> tuple[Trial, ...]:
    """Accuracy on the rest of the rows after learning from random ones: a trial for each training size.

    Rows are drawn without replacement, uniformly, `repeats` times for each size.

    Raises a ValueError for a size that leaves no row to learn from or to test on.

    >>> data = Dataset.from_rows([["a"], ["b"]] * 10, [0, 1] * 10)
    >>> [trial.size for trial in learning_curve(data, sizes=[4, 8], repeats=3)]
    [4, 8]
    """
    _at_least(repeats, 1, "repeats")
    if not isinstance(sizes, Iterable):
        message = f"sizes is a sequence of training sizes, such as [50, 100]; it came as {sizes!r}."
        raise TypeError(message)
    for size in sizes:
        if not 0 < size < len(dataset):
            message = f"A training size leaves rows on both sides, so it is between 1 and {len(dataset) - 1}; {size} came."
            raise ValueError(message)
    rng = np.random.default_rng(seed)

    def trial(size: int) -> Trial:
        pairs = ((dataset.take(order[:size]), dataset.take(order[size:])) for order in _orders(rng, len(dataset), repeats))
        return Trial(size, tuple(accuracy(learn(learner, train), test, missing=missing) for train, test in pairs))

    return tuple(map(trial, sizes))


def cross_validate(
    dataset: Dataset, learner: Learner = ID3, *, folds: int = 10, seed: int = 0, missing: Missing = "all_routes"
) -> Trial:
    """Accuracy on each fold of a random division, after learning from the other folds.

    Folds are stratified: each has its share of every class, give or take one.

    Raises a ValueError for fewer than 2 folds, or more than there are rows.

    >>> data = Dataset.from_rows([["a"], ["b"]] * 10, [0, 1] * 10)
    >>> cross_validate(data, folds=5).accuracies
    (1.0, 1.0, 1.0, 1.0, 1.0)
    """
    pairs = dataset.folds(folds, seed=seed)
    accuracies = tuple(accuracy(learn(learner, train), test, missing=missing) for train, test in pairs)
    return Trial(len(dataset) - len(dataset) // folds, accuracies)


def root_feature_counts(
    dataset: Dataset, learner: Learner = ID3, *, size: int, repeats: int = 100, seed: int = 0
) -> dict[str | None, int]:
    """How often each feature stands at the root, over random subsets of a size; None where the tree is a leaf.

    Raises a ValueError for a size that is not between 1 and the number of rows.

    >>> data = Dataset.from_rows([["a", "x"], ["b", "x"]] * 10, [0, 1] * 10, features=["good", "bad"])
    >>> root_feature_counts(data, size=15, repeats=20)
    {'good': 20}
    """
    _at_least(repeats, 1, "repeats")
    if not 0 < size <= len(dataset):
        message = f"size is between 1 and the number of rows, {len(dataset)}; {size} came."
        raise ValueError(message)
    orders = _orders(np.random.default_rng(seed), len(dataset), repeats)
    roots = Counter(_root_feature(learn(learner, dataset.take(order[:size]))) for order in orders)
    return dict(roots.most_common())


def learn(learner: Learner, dataset: Dataset) -> Any:
    """The tree that a learner makes of a dataset: grown by a policy, or whatever a function returns, a classifier it may be.

    >>> learn(grow, Dataset.from_rows([["a"]], [0]))
    <Tree for 'class': 1 nodes, 1 leaves>
    """
    return grow(dataset, learner) if isinstance(learner, Policy) else learner(dataset)


def _orders(rng: "np.random.Generator", n: int, repeats: int) -> Iterator[npt.NDArray[np.intp]]:
    return (rng.permutation(n) for _ in range(repeats))


def _weights(dataset: Dataset) -> npt.NDArray[Any]:
    weights = np.ones(len(dataset), dtype=np.int64) if dataset.weights is None else dataset.weights
    if not weights.sum():
        message = f"confusion needs a row with a weight above 0; the dataset has {len(dataset)} rows."
        raise ValueError(message)
    return weights


def _root_feature(tree: Tree) -> str | None:
    return tested_expression(tree.schema, tree.root.split) if isinstance(tree.root, Branch) else None


def _at_least(number: int, least: int, name: str) -> None:
    if number < least:
        message = f"{name} is at least {least}; it came as {number}."
        raise ValueError(message)
