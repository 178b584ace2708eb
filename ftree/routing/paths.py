"""The leaf of each row by its number; the path of one row with its reasons, and what would change its label."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen

from ftree._lib.arrays import Floats
from ftree._lib.faces import Face, in_lines
from ftree._lib.fields import as_tuple, require_probability
from ftree.data.coding import decode
from ftree.data.dataset import Dataset
from ftree.data.labelled import Unseen, as_dataset, check_unseen
from ftree.data.rows import Row, columns_of, numbers_in_kind
from ftree.routing.flat import flat
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
from ftree.routing.nearest_leaf import Visit, is_unknown, nearest_other
from ftree.routing.predict import predict
from ftree.routing.reach import leaf_ranks, reach
from ftree.routing.unseen_values import with_unseen
from ftree.tree.additive import response_of_sums
from ftree.tree.conditions import CONDITION_ROOM, ROOM, Condition, Missing, cut_to
from ftree.tree.describe import describe_condition, named, term, tested_expression
from ftree.tree.edit import node_at
from ftree.tree.fold import n_leaves
from ftree.tree.formats import format_number
from ftree.tree.nodes import (
    Branch,
    Counts,
    Leaf,
    Node,
    Path,
    PredictionRule,
    Tree,
    check_tree,
    children,
    level_order,
    path_along,
)
from ftree.tree.schema import Schema
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.optional import primary, stand_ins
from ftree.tree.splits.split import UNKNOWN, Columns, Split


@frozen(repr=False)
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
    rule, several = _rule_of_path(tree, missing)
    check_unseen(tree.schema, row, unseen)
    asked, columns, n, single = _asked(tree, row, unseen)
    if not single:
        raise ValueError(f"row must be one row, a sequence or a dict of values, got {n} rows.")
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
    label = predict(tree, row, unseen=unseen) if several else tree.schema.response.answer(answer.counts)
    return Route(tuple(path), tuple(reasons), node_at(tree, tuple(path)), label)


def _rule_of_path(tree: Tree, missing: MissingRule | None) -> tuple[PredictionRule, bool]:
    """The rule by which a path goes on, and whether it replaces a rule of the tree that follows several routes."""
    rule = rule_for(tree, missing)
    if missing is None and sees_rows(rule):
        return stop_here(), True
    try:
        one_route(rule, SIZES)
    except ValueError:
        if missing is not None:
            raise
        return stop_here(), True
    return rule, False


def _asked(tree: Tree, row: Any, unseen: Unseen) -> tuple[Tree, Columns, int, bool]:
    """The tree whose splits answer for all values of a row, its columns, the number of rows, and whether it is one."""
    columns, n, single = columns_of(tree.schema, row, flat(tree).questions.asks_unseen)
    return *with_unseen(tree, row, columns, unseen), n, single


def leaf_of(tree: Tree, row: Row | npt.NDArray[Any], *, missing: MissingRule = "heaviest", unseen: Unseen = "rule") -> Leaf:
    """The leaf that one row reaches, or, if it stops before, its last node as a leaf; see `path_of`.

    >>> from ftree import Dataset, grow
    >>> leaf_of(grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"])), ["rainy"])
    Leaf(counts=(0, 1))
    """
    return Leaf(path_of(tree, row, missing=as_prediction_rule(missing), unseen=unseen).node.counts)


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


def leaf_quantiles(
    tree: Tree, dataset: Dataset, quantiles: Sequence[float] = (0.05, 0.5, 0.95), *, missing: MissingRule = "heaviest"
) -> Floats:
    """The quantiles of the numbers of a dataset's rows in each leaf, (L, Q), in the order of `leaves(tree)`; NaN without rows.

    A quantile is the smallest number such that at least this share of the leaf's rows, by weight, have no larger one. With
    `leaf_quantiles(tree, training_set)[apply(tree, rows)]` they are intervals for rows. `missing` as for `apply`.

    Raises a ValueError for a tree of classes, and for a quantile that is not between 0 and 1.

    Source: Meinshausen 2006, for one tree.

    >>> from ftree import CART, Dataset, grow
    >>> cars = Dataset.from_rows([[1.0], [1.0], [1.0], [9.0]], [10.5, 12.5, 14.0, 30.0])
    >>> leaf_quantiles(grow(cars, CART), cars, (0.1, 0.5)).tolist()
    [[10.5, 12.5], [30.0, 30.0]]
    """
    check_tree(tree)
    if (kind := tree.schema.response.kind) != "numbers":
        raise ValueError(f"leaf_quantiles must be given a tree of numbers, got a tree of {kind}. Use predict_proba or predict.")
    quantiles = as_tuple(quantiles)
    for share in quantiles:
        require_probability("quantiles", share)
    table = as_dataset(tree.schema, dataset)
    leaf = np.asarray(apply(tree, table, missing=missing))
    weights = np.ones(len(table)) if table.weights is None else table.weights
    order = np.lexsort((table.target_column, leaf))
    order = order[weights[order] > 0]
    found = np.full((n_leaves(tree), len(quantiles)), np.nan)
    for number, (start, end) in enumerate(pairwise(np.searchsorted(leaf[order], range(len(found) + 1)))):
        if end > start:
            ends = np.cumsum(weights[order[start:end]])
            places = np.searchsorted(ends, np.multiply(quantiles, ends[-1]) * (1 - 1e-12))  # equal but for rounding
            found[number] = table.target_column[order[start + places]]
    return found


def leaf_moments(tree: Tree) -> Floats:
    """The answer of each leaf, the standard deviation of its cases, and their number, (L, 3), in the order of `leaves(tree)`.

    The deviation is the root of the risk of a case; of events, that of the deviance. A leaf without cases has the first two of
    its nearest ancestor with cases. `leaf_moments(tree)[apply(tree, rows)]` are those of rows.

    Raises a ValueError for a tree of classes.

    >>> from ftree import CART, Dataset, grow
    >>> cars = Dataset.from_rows([[1.0], [1.0], [9.0]], [10.5, 12.5, 30.0])
    >>> leaf_moments(grow(cars, CART)).tolist()
    [[11.5, 1.0, 2.0], [30.0, 0.0, 1.0]]
    """
    check_tree(tree)
    if tree.schema.has_classes:
        raise ValueError("leaf_moments must be given a tree of numbers or events, got a tree of classes. Use predict_proba.")
    nodes, arrays, response = level_order(tree.root)[0], flat(tree), response_of_sums(tree.schema)
    ends = np.argsort(arrays.leaf_ranks)[-n_leaves(tree) :].tolist()
    told = ((nodes[arrays.answer[end]].counts, nodes[end].counts) for end in ends)
    return np.array([(response.answer(sums), response.deviation(sums), own[0]) for sums, own in told], dtype=np.float64)


def apply(tree: Tree, rows: Any, *, missing: MissingRule = "heaviest", unseen: Unseen = "rule") -> Any:
    """The number of the leaf that each row reaches, in the order of `leaves(tree)`; rows and answers as for `predict`.

    At a split without an answer, a row goes to the child with the most cases (`heaviest`), or follows another rule that
    takes one route; a row that stops before a leaf (`stop_here`) has the number -1.

    Raises a ValueError for a rule that follows several routes and for rows of another length, a KeyError for a column that
    the rows lack.

    The path of each leaf, by its number:

    >>> from ftree import Dataset, Leaf, grow
    >>> from ftree.tree import walk
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"]))
    >>> apply(tree, [["sunny"], ["rainy"], [None]])
    [1, 0, 0]
    >>> [path for path, node in walk(tree) if isinstance(node, Leaf)]
    [(0,), (1,)]
    """
    check_tree(tree)
    rule = as_prediction_rule(missing)
    one_route(rule, SIZES)
    check_unseen(tree.schema, rows, unseen)
    reached = reach(tree, rows, unseen)
    numbers = leaf_ranks(reached, rule)
    return int(numbers[0]) if reached.single else numbers_in_kind(rows, "leaf", numbers)


@frozen
class ExplainedNode:
    """A node on the path of a row: the condition that led there, in words, and the node's class counts.

    >>> ExplainedNode("outlook = sunny", (3, 2)).counts
    (3, 2)
    """

    reason: str
    counts: Counts


@frozen
class Change:
    """A feature that would have to change: its value in the row (None where missing), the condition for it, and that in words.

    >>> from ftree import grow
    >>> from ftree.datasets import weather
    >>> explain_row(grow(weather()), ["sunny", "hot", "high", False]).other.changes[0].text
    'outlook = overcast'
    """

    feature: str
    value: Hashable
    condition: Condition
    text: str


@frozen
class OtherAnswer:
    """The nearest leaf with another label: the changes that lead there, its path, label and class counts.

    >>> from ftree import grow
    >>> from ftree.datasets import weather
    >>> other = explain_row(grow(weather()), ["sunny", "hot", "high", False]).other
    >>> other.label, other.path, other.counts
    ('yes', (0,), (0, 4))
    """

    changes: tuple[Change, ...]
    path: Path
    label: Hashable
    counts: Counts


@frozen(repr=False)
class Explanation(Face):
    """The path of a row through a tree with the counts along it, its label, and the nearest other answer, None without one.

    >>> from ftree import grow
    >>> from ftree.datasets import weather
    >>> why = explain_row(grow(weather()), ["sunny", "hot", "high", False])
    >>> why.label, [step.counts for step in why.steps]
    ('no', [(5, 9), (3, 2), (3, 0)])
    """

    target: str
    classes: tuple[Hashable, ...]
    path: Path
    steps: tuple[ExplainedNode, ...]
    label: Hashable
    other: OtherAnswer | None
    response: Any

    def _parts(self) -> Iterator[str]:
        """A line for the label, one for each step, and one for the changes that would give another label."""
        lines = [f"{self.target} = {self.response.text(self.label)}"]
        lines += [f"  {step.reason}: {self._counted(step.counts)}" for step in self.steps]
        if self.other is None:
            lines += ["no leaf with another label was found"]
        else:
            changes = " and ".join(f"{each.text} (now {_shown(each.value)})" for each in self.other.changes)
            lines += [f"{self.response.text(self.other.label)} if {changes}: {self._counted(self.other.counts)}"]
        yield "\n".join(lines)

    def _counted(self, counts: Counts) -> str:
        if not self.classes:
            spread = getattr(self.response, "deviation", None)  # numbers have one
            shown = "" if spread is None else f" ± {format_number(spread(counts), decimals=2)}"
            return f"{self.response.text(self.response.answer(counts))}{shown} ({format_number(counts[0], decimals=2)})"
        return ", ".join(f"{format_number(n, decimals=2)} {label}" for n, label in zip(counts, self.classes, strict=True))


def explain_row(
    tree: Tree, row: Row | npt.NDArray[Any], *, missing: MissingRule | None = None, unseen: Unseen = "rule"
) -> Explanation:
    """Why one row gets its label: its path down the tree with reasons and class counts, and the changes that alter the label.

    The other answer is the leaf with another label that needs the fewest changed features; among several such leaves, the one
    with the smallest change. A change of a number is measured relative to the range of the tree's thresholds on its feature,
    one of an ordinal value in steps, and any other change counts 1. The changes always lead to the leaf. If surrogates or
    weighted sums decide, a nearer leaf may be missed. `missing`, label and path are those of `path_of`.

    Raises the errors of `path_of`.

    >>> from ftree import datasets, grow
    >>> print(explain_row(grow(datasets.weather()), ["sunny", "hot", "normal", False]))
    play = yes
      all cases: 5 no, 9 yes
      outlook = sunny: 3 no, 2 yes
      humidity = normal: 0 no, 2 yes
    no if humidity = high (now normal): 3 no, 0 yes
    """
    way = path_of(tree, row, missing=missing, unseen=unseen)
    rule, several = _rule_of_path(tree, missing)
    asked, columns, _, _ = _asked(tree, row, unseen)
    nodes: Iterable[Node] = accumulate(way.path, lambda node, child: children(node)[child], initial=tree.root)
    steps = [ExplainedNode(reason, node.counts) for reason, node in zip(("all cases", *way.reasons), nodes, strict=True)]
    label = tree.schema.classes.index(way.label) if tree.schema.has_classes else way.label
    other = nearest_other(asked, columns, rule, label, known_only=several)
    found = None if other is None else _told(tree, asked, columns, other)
    return Explanation(tree.schema.target, tree.schema.classes, way.path, tuple(steps), way.label, found, tree.schema.response)


def _told(tree: Tree, asked: Tree, columns: Columns, visit: Visit) -> OtherAnswer:
    changes = []
    for number, value in visit.values.items():
        feature = tree.schema.features[number]
        known, _ = visit.regions[number]
        stated = Missing(number) if known is None or is_unknown(value) else known
        (was,) = decode(asked.schema.features[number], columns[number])
        changes.append(Change(feature.name, was, named(asked.schema, stated), describe_condition(asked.schema, stated)))
    label = tree.schema.response.answer(visit.answer.counts)
    return OtherAnswer(tuple(changes), path_along(visit.link), label, visit.node.counts)


def _shown(value: Any) -> str:
    if value is None:
        return "missing"
    return format_number(value) if isinstance(value, float) else str(value)
