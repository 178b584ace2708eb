"""Structures of other libraries' boosted trees, whose leaves have values but no counts: rows of a dataset are counted in them."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ftree._lib.messages import short_repr
from ftree._lib.recursion import fold_over
from ftree.data.dataset import Dataset
from ftree.exchange.others.grown_from import check_dataset, no_counts, recounted
from ftree.exchange.others.scikit_learn import last_rounded_to
from ftree.tree.nodes import Branch, Leaf, Node, Tree
from ftree.tree.splits.protocol import Split


def counted_in(dataset: Dataset, root: Any, children: Callable[[Any], Sequence[Any]], split: Callable[[Any], Split]) -> Tree:
    """The tree of a record of nodes, with the counts of the dataset's rows."""
    check_dataset(dataset)
    empty = no_counts(dataset)

    def node(record: Any, nodes: tuple[Node, ...]) -> Node:
        return Branch(empty, split(record), nodes) if nodes else Leaf(empty)

    return recounted(fold_over(root, children, node), dataset)


def chosen(trees: Any, tree: int) -> Any:
    """The tree with a number. Raises a ValueError if it does not exist.

    >>> chosen(["a", "b"], 1)
    'b'
    """
    n = len(trees) if isinstance(trees, list) else 0
    if isinstance(tree, bool) or not isinstance(tree, int) or not 0 <= tree < n:
        message = f"tree must be the number of one of {n} trees, got {short_repr(tree)}."
        raise ValueError(message)
    return trees[tree]


def value_of(record: Any, key: str, *types: type) -> Any:
    """The value of a node's key. Raises a ValueError if it is absent, or has another type.

    >>> value_of({"feature": 3}, "feature", int)
    3
    """
    value = record.get(key) if isinstance(record, dict) else None
    if type(value) not in types:
        message = f"A node must have {key!r} of type {' or '.join(each.__name__ for each in types)}, got {short_repr(record)}."
        raise ValueError(message)
    return value


def loaded(text: Any, library: str) -> Any:
    """JSON text as values; other values unchanged. Raises a ValueError for other text.

    >>> loaded('{"trees": []}', "treelite")
    {'trees': []}
    """
    try:
        return json.loads(text) if isinstance(text, str) else text
    except (ValueError, RecursionError) as error:
        message = f"model must be a model of {library}, or JSON that it dumps, got {short_repr(text)}: {error}."
        raise ValueError(message) from None


def last_below(at: float) -> float:
    """The largest number that, rounded to 32 bits, is below `at`, a number of 32 bits.

    >>> last_below(1.0)
    0.9999999701976775
    """
    return last_rounded_to(float(np.nextafter(np.float32(at), np.float32(-np.inf))))
