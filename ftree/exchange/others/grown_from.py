"""Common parts of the readers of other libraries' trees: nodes given by child numbers, schemas, counts of leaves."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ftree._lib.messages import short_repr
from ftree._lib.recursion import fold_over
from ftree.data.dataset import Dataset
from ftree.routing.recount import recount
from ftree.tree.nodes import Branch, Leaf, Node, Tree
from ftree.tree.schema import Feature, Schema
from ftree.tree.splits.protocol import Split

# A relative difference from a whole number that float32 rounding can cause.
_NEAR = 1e-6


def from_links(
    children: Callable[[int], Sequence[int]],
    split: Callable[[int], Split],
    counts: Callable[[int], Sequence[float]],
    root: int = 0,
) -> Node:
    """The node with a number, from child numbers, splits of branches and counts of leaves; a branch's counts are summed.

    Raises a ValueError for a node that is below itself, or below two others.

    >>> from ftree import Threshold
    >>> from_links([(1, 2), (), ()].__getitem__, lambda _: Threshold(0, 0.5), [(2, 1), (2, 0), (0, 1)].__getitem__)
    Branch(counts=(2, 1), split=Threshold(feature=0, at=0.5), children=(Leaf(counts=(2, 0)), Leaf(counts=(0, 1))))
    """
    seen: set[int] = set()

    def below(number: int) -> Sequence[int]:
        if number in seen:
            message = f"Each node must be below at most one other, got node {number} twice."
            raise ValueError(message)
        seen.add(number)
        return children(number)

    def node(number: int, nodes: tuple[Node, ...]) -> Node:
        if not nodes:
            return Leaf(counts(number))
        return Branch([sum(counted) for counted in zip(*(each.counts for each in nodes), strict=True)], split(number), nodes)

    return fold_over(root, below, node)


def whole_where_near(counts: Any) -> list[float]:
    """Counts of an array as Python numbers; those that are whole except for rounding errors become integers.

    >>> whole_where_near(np.array([2.9999999, 0.5]))
    [3, 0.5]
    """
    return [
        round(count) if abs(count - round(count)) <= _NEAR * max(count, 1) else count for count in np.asarray(counts).tolist()
    ]


def numeric_schema(names: Iterable[Any], target: str, classes: Iterable[Any]) -> Schema:
    """A schema of numeric features.

    >>> numeric_schema(["age"], "ill", [0, 1]).features
    (Feature(name='age', kind='numeric', values=()),)
    """
    return Schema([Feature(name, "numeric") for name in names], target, list(classes))


def check_dataset(dataset: Any) -> None:
    """Raise a TypeError for anything but a Dataset, whose rows will be counted."""
    if not isinstance(dataset, Dataset):
        message = f"dataset must be a Dataset, whose rows are counted in the nodes, got {short_repr(dataset)}."
        raise TypeError(message)


def recounted(root: Node, dataset: Dataset) -> Tree:
    """A tree whose structure is known, with the counts of a dataset's rows instead of its own."""
    return recount(Tree(dataset.schema, root), dataset)


def no_counts(dataset: Dataset) -> tuple[int, ...]:
    """Counts of a leaf before rows are counted."""
    return (0,) * len(dataset.schema.classes)
