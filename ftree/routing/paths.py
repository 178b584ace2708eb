"""The path of one row down a tree, with the reasons in words."""

from typing import Any

import numpy.typing as npt
from attrs import frozen

from ftree.data.rows import Row, columns_of
from ftree.data.unseen import Unseen, check_unseen
from ftree.routing.route import child_sizes
from ftree.routing.rule_names import Missing, as_prediction_rule
from ftree.routing.shares import SIZES, one_route
from ftree.tree.describe import condition, tested_expression
from ftree.tree.nodes import Branch, Leaf, Node, Path, Tree, check_tree, majority
from ftree.tree.schema import Schema
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.optional import primary, stand_ins
from ftree.tree.splits.protocol import UNKNOWN, Columns, Split


@frozen
class Route:
    """The route of one row down a tree: the path of child numbers, the reasons in words, the last node, the label.

    >>> from ftree import grow, path_of
    >>> from ftree.datasets import weather
    >>> way = path_of(grow(weather()), ["sunny", "hot", "high", False])
    >>> way.path, way.label
    ((2, 0), 'no')
    """

    path: Path
    reasons: tuple[str, ...]
    node: Node
    label: Any

    def __str__(self) -> str:
        """The rule of the row in one line."""
        return f"{' and '.join(self.reasons) or 'always'} -> {self.label}"


def path_of(tree: Tree, row: Row | npt.NDArray[Any], *, missing: Missing = "heaviest", unseen: Unseen = "missing") -> Route:
    """The route of one row down the tree, with the reasons in words.

    At a split without an answer, the row goes to the child with the most cases (`heaviest`), stops (`stop_here`), or follows
    another rule that takes one route. A value that the schema does not know counts as missing, unless `unseen`
    is "raise".

    Raises a ValueError for several rows, another length, a rule that follows several routes, and, if `unseen` is "raise", for
    an unseen value; a KeyError for a column that the row lacks.

    >>> from ftree import Dataset, grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"], features=["sky"]))
    >>> print(path_of(tree, ["rainy"]))
    sky = rainy -> stay
    """
    check_tree(tree)
    rule = as_prediction_rule(missing)
    one_route(rule, SIZES)
    check_unseen(tree.schema, row, unseen)
    columns, n, single = columns_of(tree.schema, row)
    if not single:
        message = f"row must be one row, a sequence or a dict of values, got {n} rows."
        raise ValueError(message)
    node, answer, path, reasons = tree.root, tree.root, [], []
    while isinstance(node, Branch):
        child = _child(node.split, columns)
        if child == UNKNOWN:
            followed = one_route(rule, child_sizes(node))
            if followed is None:
                break
            child = followed
        reasons.append(_reason(tree.schema, node.split, child, columns))
        path.append(child)
        node = node.children[child]
        answer = node if any(node.counts) else answer
    return Route(tuple(path), tuple(reasons), node, tree.schema.classes[majority(answer.counts)])


def leaf_of(tree: Tree, row: Row | npt.NDArray[Any], *, missing: Missing = "heaviest", unseen: Unseen = "missing") -> Leaf:
    """The leaf that one row reaches, or, if it stops before, its last node as a leaf; see `path_of`.

    >>> from ftree import Dataset, grow
    >>> leaf_of(grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"])), ["rainy"])
    Leaf(counts=(0, 1))
    """
    return Leaf(path_of(tree, row, missing=missing, unseen=unseen).node.counts)


def _child(split: Split, columns: Columns) -> int:
    """The child to which one row goes."""
    return int(child_of(split, *(columns[feature] for feature in split.features))[0])


def _reason(schema: Schema, split: Split, child: int, columns: Columns) -> str:
    """Why one row goes to a child, in words: the split's condition, or its unknown value and the condition used instead."""
    if _child(primary(split), columns) != UNKNOWN:
        return condition(schema, split, child)
    answers = ((each.split, _child(each.split, columns)) for each in stand_ins(split))
    known = (condition(schema, each, own) for each, own in answers if own != UNKNOWN)
    return f"{tested_expression(schema, split)} unknown, so {next(known, condition(schema, split, child))}"
