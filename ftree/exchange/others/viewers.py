"""Trees for dtreeviz and supertree, which draw scikit-learn's fitted trees."""

import re
from importlib import import_module
from typing import Any

import numpy as np
from attrs import evolve

from ftree.data.dataset import Dataset
from ftree.exchange.others.scikit_learn import to_sklearn
from ftree.exchange.others.thresholds import to_thresholds
from ftree.show.characters import printable
from ftree.show.plot_text import plot_text
from ftree.tree.nodes import Tree, children
from ftree.tree.schema import Feature, names

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
    labels, columns = map(plot_text, tree.schema.classes), map(plot_text, names(table.schema.features))
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
    described = map(_without_tags, names(table.schema.features)), map(_without_tags, tree.schema.classes)
    return _library("supertree", "to_supertree").SuperTree(
        model, _rows(table), table.labels.astype(np.int64), *map(list, described)
    )


def _fitted(tree: Tree, dataset: Dataset) -> tuple[Any, Dataset]:
    """A fitted classifier of numbers from 0 instead of the labels, and the table to which it was fitted.

    Its columns have no names, since scikit-learn warns if a classifier with names gets a table without names.
    """
    lowered, table = to_thresholds(tree, dataset)
    if not children(tree.root):
        message = "tree must have a split to be drawn by another program, got a single leaf. Use draw(tree)."
        raise ValueError(message)
    unnamed = [Feature(f"x{number}", "numeric") for number in range(len(table.columns))]
    numbered = evolve(lowered.schema, features=unnamed, classes=range(len(tree.schema.classes)), target="class")
    return to_sklearn(evolve(lowered, schema=numbered)), _complete(table)


def _complete(table: Dataset) -> Dataset:
    known = table.complete()
    if not len(known):
        message = f"dataset must have a row with all numbers that tree tests, got none in {len(table)}. Use draw(tree)."
        raise ValueError(message)
    return known


def _without_tags(text: object) -> str:
    """A text for a page that takes it as it is: a `<` that could begin a tag, or end the page's program, becomes U+2039."""
    return _BEGINS_A_TAG.sub("\u2039", printable(text))


def _rows(table: Dataset) -> Any:
    return np.column_stack(table.columns)


def _library(name: str, function: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        message = f"{name} must be installed for {function}: pip install 'ftrees[viewers]'"
        raise ImportError(message) from error
