"""The path of one row, with the reasons in words, and the label that it leads to."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen

from ftree._lib.faces import Face, in_lines
from ftree._lib.messages import counted
from ftree._lib.objects import cached_by_identity
from ftree.data.labelled import Unseen, check_unseen
from ftree.data.rows import Row, columns_of
from ftree.routing.flat import flat, flat_of_tree
from ftree.routing.missing_rules import (
    SIZES,
    MissingRule,
    as_prediction_rule,
    child_sizes,
    one_route,
    rule_for,
    sees_rows,
    stop_here,
)
from ftree.routing.predict import answer_of_row, predict
from ftree.routing.reach import with_answers_for_unseen
from ftree.tree.conditions import CONDITION_ROOM, ROOM, cut_to
from ftree.tree.describe import term, tested_expression
from ftree.tree.edit import node_at
from ftree.tree.nodes import Branch, Node, Path, PredictionRule, Tree, check_tree
from ftree.tree.schema import Schema
from ftree.tree.splits.split import UNKNOWN, Columns, Split, child_of, primary, stand_ins


@frozen
class Route(Face):
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

    def _parts(self) -> Iterator[str]:
        """The rule of the row; long reasons are cut, and many stand in several lines."""
        reasons = [cut_to(each, CONDITION_ROOM) for each in self.reasons] or ["always"]
        yield in_lines([*(f"{each} and" for each in reasons[:-1]), f"{reasons[-1]} -> {cut_to(str(self.label), ROOM)}"])


def path_of(tree: Tree, row: Row | npt.NDArray[Any], *, missing: MissingRule | None = None, unseen: Unseen = "rule") -> Route:
    """The route of one row down the tree, with the reasons in words; its label is that of `predict`.

    At a split without an answer, the row goes to the child with the most cases (`heaviest`), stops (`stop_here`), or follows
    another rule that takes one route. None is the tree's own rule; if that follows several routes, the path ends where they
    part. `unseen` is as for `predict`.

    Raises a ValueError for several rows, another length, a rule that follows several routes, and, if `unseen` is "raise", for
    an unseen value; a KeyError for a column that the row lacks.

    >>> from ftree import Dataset, grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"], features=["sky"]))
    >>> print(path_of(tree, ["rainy"]))
    sky = rainy -> stay
    """
    check_tree(tree)
    rule, several = rule_of_path(tree, missing)
    asked, columns, n, single = coded_row(tree, row, unseen)
    if not single:
        raise ValueError(f"row must be one row, a sequence or a dict of values, got a table of {counted(n, 'row')}.")
    node, answer, path, reasons = asked.root, asked.root, [], []
    while isinstance(node, Branch):
        child = _child(node.split, columns)
        if child == UNKNOWN:
            followed = one_route(rule, child_sizes(node, tree.schema))
            if followed is None:
                break
            child = followed
        reasons.append(_reason(tree.schema, node.split, child, columns))
        path.append(child)
        node = node.children[child]
        answer = node if any(node.counts) else answer
    own = predict(tree, row, unseen=unseen) if several else answer_of_row(tree, columns, answer.counts)
    label = tuple(own.tolist()) if isinstance(own, np.ndarray) else own
    return Route(tuple(path), tuple(reasons), node_at(tree, tuple(path)), label)


def rule_of_path(tree: Tree, missing: MissingRule | None) -> tuple[PredictionRule, bool]:
    """The rule by which a path goes on, and whether it replaces a rule of the tree that follows several routes."""
    if missing is None:
        return _own_rule_of_path(tree)
    rule = as_prediction_rule(missing)
    one_route(rule, SIZES)
    return rule, False


@cached_by_identity
def _own_rule_of_path(tree: Tree) -> tuple[PredictionRule, bool]:
    rule = rule_for(tree, None)
    one = not sees_rows(rule) and flat_of_tree(tree).shares(rule).one_route
    return (rule, False) if one else (stop_here(), True)


def coded_row(tree: Tree, row: Any, unseen: Unseen) -> tuple[Tree, Columns, int, bool]:
    """The tree whose splits answer for all values of a row, its columns, the number of rows, and whether it is one."""
    check_unseen(tree.schema, row, unseen)
    columns, n, single = columns_of(tree.schema, row, flat(tree).questions.asks_unseen)
    return *with_answers_for_unseen(tree, row, columns, unseen), n, single


def _child(split: Split, columns: Columns) -> int:
    """The child to which one row goes."""
    return int(child_of(split, *(columns[feature] for feature in split.features))[0])


def _reason(schema: Schema, split: Split, child: int, columns: Columns) -> str:
    """Why one row goes to a child, in words: the split's condition, or its unknown value and the condition used instead."""
    if _child(primary(split), columns) != UNKNOWN:
        return term(schema, split.conditions[child])
    answers = ((each.split, _child(each.split, columns)) for each in stand_ins(split))
    known = (term(schema, each.conditions[own]) for each, own in answers if own != UNKNOWN)
    return f"{tested_expression(schema, split)} unknown, so {next(known, term(schema, split.conditions[child]))}"
