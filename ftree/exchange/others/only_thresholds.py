"""Trees of any splits as trees of thresholds, for programs that know no other splits."""

from collections.abc import Callable
from functools import partial
from itertools import chain, count
from operator import itemgetter
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Array
from ftree._lib.objects import fold_over
from ftree.data.dataset import Dataset
from ftree.data.labelled import as_dataset
from ftree.tree.conditions import Wording
from ftree.tree.describe import describe_condition
from ftree.tree.nodes import Branch, Node, Tree, children, preorder, tree_of
from ftree.tree.schema import Feature
from ftree.tree.splits import Threshold, WithDefault
from ftree.tree.splits.shared import renumbered
from ftree.tree.splits.split import Split, child_of


def to_thresholds(tree: Tree, dataset: Dataset) -> tuple[Tree, Dataset]:
    """The tree with thresholds instead of all splits, and the dataset with the numeric columns that they test.

    A threshold on a number stays. Any other split becomes questions about its children, the largest last: a column is 1 if
    a row goes to the child, else 0, and is named by the child's condition. A row without an answer goes to the largest child.
    So the new tree predicts for the new dataset what the tree predicts for the dataset by `missing="heaviest"`.

    Raises a TypeError for anything but a Tree, a KeyError for a feature that the dataset lacks.

    >>> from ftree import datasets, grow
    >>> lowered, table = to_thresholds(grow(datasets.weather()), datasets.weather())
    >>> print(lowered)
    outlook = overcast <= 0.5
    |   outlook = sunny <= 0.5
    |   |   windy = True <= 0.5: yes (3.0)
    |   |   windy = True > 0.5: no (2.0)
    |   outlook = sunny > 0.5
    |   |   humidity = normal <= 0.5: no (3.0)
    |   |   humidity = normal > 0.5: yes (2.0)
    outlook = overcast > 0.5: yes (4.0)
    >>> table.schema.features[0].name, table.columns[0][:3].tolist()
    ('outlook = overcast', [0.0, 0.0, 1.0])
    """
    tree = tree_of(tree)
    known = as_dataset(tree.schema, dataset).recoded(tree.schema)
    made = _Columns(known)
    chains = {id(node): made.chain_of(node) for node in preorder(tree.root) if isinstance(node, Branch)}

    def lowered(node: Node, below: tuple[Node, ...]) -> Node:
        return chains[id(node)](below) if isinstance(node, Branch) else node

    root = fold_over(tree.root, children, lowered)
    schema = evolve(tree.schema, features=made.features)
    return Tree(schema, root, missing=tree.missing), Dataset(schema, made.columns, known.target_column, known.weights)


def _chained(asked: list[tuple[int, int]], last: int, below: tuple[Node, ...]) -> Node:
    """Questions about a branch's children, each a column and the child, one after another; the last child gets all other rows."""
    rest = below[last]
    for column, child in reversed(asked):
        counts = [one + other for one, other in zip(rest.counts, below[child].counts, strict=True)]
        rest = Branch(counts, Threshold(column, 0.5), (rest, below[child]))
    return rest


@frozen(eq=False)
class _Columns:
    """The columns that thresholds test: those of numbers, and columns of 0 and 1 in the order of first use."""

    known: Dataset
    numbers: dict[Any, int] = field(factory=dict)
    features: list[Feature] = field(factory=list)
    columns: list[Array] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        """Begin with the columns of numbers."""
        for number, feature in enumerate(self.known.schema.features):
            if feature.kind == "numeric":
                self._add(number, feature, self.known.columns[number])

    def chain_of(self, branch: Branch) -> Callable[[tuple[Node, ...]], Node]:
        """A function from a branch's children to thresholds that divide its rows alike.

        Empty children come first, so that the nodes above have the same cases.
        """
        moved = self._of_a_number(branch.split)
        if moved is not None:
            return partial(Branch, branch.counts, moved)
        weight = sum if self.known.schema.has_classes else itemgetter(0)
        sizes = [weight(child.counts) for child in branch.children]
        last = sizes.index(max(sizes))
        asked = sorted((child for child in range(len(sizes)) if child != last), key=lambda child: sizes[child] > 0)
        goes = child_of(branch.split, *[self.known.columns[number] for number in branch.split.features])
        return partial(_chained, [(self._whether(branch.split, child, goes), child) for child in asked], last)

    def _of_a_number(self, split: Split) -> Split | None:
        """A threshold on a number, on the feature's new number; None for any other split."""
        own = split.split if isinstance(split, WithDefault) else split
        if not isinstance(own, Threshold) or split.n_children > 2 or own.feature not in self.numbers:  # noqa: PLR2004  # WithDefault may add a child
            return None
        return renumbered(split, [self.numbers.get(number, 0) for number in range(own.feature + 1)], len(self.features))

    def _whether(self, split: Split, child: int, goes: Array) -> int:
        """The column of whether rows go to a child; splits that differ only in surrogates may have the same text."""
        column = (goes == child).astype(np.float64)
        text = describe_condition(self.known.schema, split.conditions[child], Wording())
        key = text, column.tobytes()
        if key not in self.numbers:
            taken = {self.known.schema.target, *(feature.name for feature in self.features)}
            names = chain([text], (f"{text} ({number})" for number in count(2)))
            self._add(key, Feature(next(name for name in names if name not in taken), "numeric"), column)
        return self.numbers[key]

    def _add(self, key: Any, feature: Feature, column: Array) -> None:
        self.numbers[key] = len(self.features)
        self.features.append(feature)
        self.columns.append(column)
