"""Trees for dtreeviz and supertree, which draw scikit-learn's fitted trees."""

import re
from itertools import chain, count
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Array
from ftree._lib.messages import how_to_install, imported
from ftree._lib.objects import fold_over
from ftree.data.dataset import Dataset
from ftree.data.labelled import as_dataset
from ftree.exchange.others.scikit_learn import to_sklearn
from ftree.show.pictures import plot_text, printable
from ftree.tree.describe import describe_condition
from ftree.tree.nodes import Branch, Node, Tree, children, preorder, tree_of
from ftree.tree.schema import Feature, Schema, names_of
from ftree.tree.splits import Threshold, WithDefault
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.optional import renumbered
from ftree.tree.splits.split import Split

# A blank or an equals sign after it keeps it from that, as in "x <= 3".
_BEGINS_A_TAG = re.compile("<(?![ =])")


def to_dtreeviz(tree: Tree, dataset: Dataset) -> Any:
    """The model of dtreeviz that draws a tree of any kind with a dataset's rows: `to_dtreeviz(tree, dataset).view()`.

    The tree is drawn as `to_thresholds` makes it, with the rows that have all numbers. Needs the extra `viewers`, and Graphviz's
    program dot for `view`.

    Raises an ImportError without dtreeviz, a TypeError for anything but a Tree, a ValueError for a tree of one leaf and for
    a dataset without such a row, a KeyError for a feature that the dataset lacks.

    >>> from ftree import datasets, grow
    >>> to_dtreeviz(grow(datasets.weather()), datasets.weather()).view().save("tree.svg")  # doctest: +SKIP

    Source: https://github.com/parrt/dtreeviz
    """
    model, table = _fitted(tree, dataset)
    labels, columns = map(plot_text, tree.schema.classes), map(plot_text, names_of(table.schema.features))
    described = {"target_name": plot_text(tree.schema.target), "class_names": list(labels), "feature_names": list(columns)}
    return _library("dtreeviz", "to_dtreeviz").model(
        model, X_train=_rows(table), y_train=table.labels.astype(np.int64), **described
    )


def to_supertree(tree: Tree, dataset: Dataset) -> Any:
    """The SuperTree that shows a tree of any kind with a dataset's rows: `to_supertree(tree, dataset).show_tree()`.

    The tree is shown as `to_thresholds` makes it, with the rows that have all numbers, in a notebook, or as a page by
    `save_html`. Needs the extra `viewers`.

    Raises an ImportError without supertree, a TypeError for anything but a Tree, a ValueError for a tree of one leaf and for
    a dataset without such a row, a KeyError for a feature that the dataset lacks.

    >>> from ftree import datasets, grow
    >>> to_supertree(grow(datasets.weather()), datasets.weather()).save_html("tree.html")  # doctest: +SKIP

    Source: https://github.com/mljar/supertree
    """
    model, table = _fitted(tree, dataset)
    described = map(_without_tags, names_of(table.schema.features)), map(_without_tags, tree.schema.classes)
    return _library("supertree", "to_supertree").SuperTree(
        model, _rows(table), table.labels.astype(np.int64), *map(list, described)
    )


def _fitted(tree: Tree, dataset: Dataset) -> tuple[Any, Dataset]:
    """A fitted classifier of numbers from 0 instead of the labels, and the table to which it was fitted.

    Its columns have no names, since scikit-learn warns if a classifier with names gets a table without names.
    """
    lowered, table = to_thresholds(tree, dataset)
    if not children(tree.root):
        raise ValueError("tree must have a split to be drawn by another program, got a single leaf. Use draw(tree).")
    unnamed = [Feature(f"x{number}", "numeric") for number in range(len(table.columns))]
    numbered = evolve(lowered.schema, features=unnamed, classes=range(len(tree.schema.classes)), target="class")
    return to_sklearn(evolve(lowered, schema=numbered)), _complete(table)


def _complete(table: Dataset) -> Dataset:
    known = table.complete()
    if not len(known):
        raise ValueError(f"dataset must have a row with all numbers that tree tests, got none in {len(table)}. Use draw(tree).")
    return known


def _without_tags(text: object) -> str:
    """A text for a page that takes it as it is: a `<` that could begin a tag, or end the page's program, becomes U+2039."""
    return _BEGINS_A_TAG.sub("\u2039", printable(text))


def _rows(table: Dataset) -> Any:
    return np.column_stack(table.columns)


def _library(name: str, function: str) -> Any:
    return imported(name, f"{name} must be installed for {function}. {how_to_install('viewers')}")


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
    tree = tree_of(tree, of_classes="to_thresholds")
    known = as_dataset(tree.schema, dataset).recoded(tree.schema)
    made = _Columns(known)
    chains = {id(node): made.chain_of(node) for node in preorder(tree.root) if isinstance(node, Branch)}

    def lowered(node: Node, below: tuple[Node, ...]) -> Node:
        return _chained(node, chains[id(node)], below) if isinstance(node, Branch) else node

    root = fold_over(tree.root, children, lowered)
    schema = Schema(made.features, tree.schema.target, tree.schema.classes)
    return Tree(schema, root, missing=tree.missing), Dataset(schema, made.columns, known.labels, known.weights)


@frozen
class _Chain:
    """Questions about a branch's children, one after another, and the child of all other rows; or one binary split."""

    split: Split | None
    columns: tuple[int, ...] = ()
    asked: tuple[int, ...] = ()
    last: int = 0


def _chained(branch: Branch, chain: _Chain, below: tuple[Node, ...]) -> Node:
    if chain.split is not None:
        return Branch(branch.counts, chain.split, below)
    rest = below[chain.last]
    for column, child in zip(reversed(chain.columns), reversed(chain.asked), strict=True):
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

    def chain_of(self, branch: Branch) -> _Chain:
        """How thresholds divide a branch's rows; empty children come first, so that the nodes above have the same cases."""
        moved = self._of_a_number(branch.split)
        if moved is not None:
            return _Chain(moved)
        sizes = [sum(child.counts) for child in branch.children]
        last = sizes.index(max(sizes))
        asked = sorted((child for child in range(len(sizes)) if child != last), key=lambda child: sizes[child] > 0)
        goes = child_of(branch.split, *[self.known.columns[number] for number in branch.split.features])
        return _Chain(None, tuple([self._whether(branch.split, child, goes) for child in asked]), tuple(asked), last)

    def _of_a_number(self, split: Split) -> Split | None:
        """A threshold on a number, on the feature's new number; None for any other split."""
        own = split.split if isinstance(split, WithDefault) else split
        if not isinstance(own, Threshold) or split.n_children > 2 or own.feature not in self.numbers:  # noqa: PLR2004  # WithDefault may add a child
            return None
        return renumbered(split, [self.numbers.get(number, 0) for number in range(own.feature + 1)], len(self.features))

    def _whether(self, split: Split, child: int, goes: Array) -> int:
        """The column of whether rows go to a child; splits that differ only in surrogates may have the same text."""
        column = (goes == child).astype(np.float64)
        text = describe_condition(self.known.schema, split.conditions[child])
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
