"""A tree as a flat list of nodes: the neutral form that every export reads.

The tests of a node determine which rows go to which child, its shares say how a row that passes no test is divided among the
children, and its counts predict a row that ends there. So conditions and rules for missing values are computed once.
`ExportNodes.paths` has the steps of a row to each node where a part of it may end.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import inf, nextafter
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Array
from ftree._lib.fields import as_tuple, name_of
from ftree._lib.messages import short_repr
from ftree.exchange.sums_of_nodes import Quotient, regressors_of, sums_of
from ftree.routing.flat import Flat, flat, flat_of_tree
from ftree.routing.missing_rules import MissingRule, adds_distributions, divide_weights, rule_for, sees_rows
from ftree.tree.conditions import (
    AllOf,
    Between,
    Condition,
    FirstKnown,
    Missing,
    NoneOf,
    Not,
    OneOf,
    Opaque,
    SumBetween,
    Worded,
    alternatives,
    features_of,
    mapped,
    unknown_condition,
)
from ftree.tree.describe import codes_of
from ftree.tree.nodes import Branch, PredictionRule, Tree, level_order, tree_of
from ftree.tree.response import Counts
from ftree.tree.schema import Schema
from ftree.tree.splits.split import UNKNOWN, Split, answers_all_known, table_form


@frozen
class ExportNode:
    """A node; `tests` and `children` (numbers of nodes) correspond, at most one of the tests passes; a leaf has none.

    Tests are conditions of numbers (`Between`, `SumBetween`), of codes (`OneOf`), and of missing values, not of unseen ones. A
    row that passes no test is divided: child i gets `shares[i]`, and `stays` remains at this node.

    `counts` are what a row that ends here adds to the sums that `ExportNodes.channels` names: those of the node, or, if it has no
    cases, of its nearest ancestor with cases. Inherited counts are used only if no part of the row reaches counts of its own.
    Only counts of classes are `inherited`; in other trees, an ancestor's are like the node's own.

    >>> ExportNode(0, (5, 9), inherited=False)
    ExportNode(depth=0, counts=(5, 9), inherited=False, tests=(), children=(), shares=(), stays=1.0)
    """

    depth: int
    counts: Counts
    inherited: bool
    tests: tuple[Condition, ...] = field(default=(), converter=as_tuple)
    children: tuple[int, ...] = field(default=(), converter=as_tuple)
    shares: tuple[float, ...] = field(default=(), converter=as_tuple)
    stays: float = 1.0

    @property
    def routes(self) -> tuple[tuple[int, float], ...]:
        """The children that get a share of a row that passes no test, with their shares."""
        return tuple([(child, share) for child, share in zip(self.children, self.shares, strict=True) if share])

    @property
    def onward(self) -> int | None:
        """The child that gets a row that passes no test, as a whole; None if it stays, or is divided."""
        return self.routes[0][0] if [share for _, share in self.routes] == [1.0] else None

    @property
    def one_route(self) -> bool:
        """Whether a row that passes no test goes to one child, or stays, as a whole."""
        return self.onward is not None or not self.routes


@frozen
class Step:
    """A step of a row from a node to one of its children, or, where `child` is None, to its end at the node.

    `node` and `child` are numbers of nodes. `place` is that of the child and of its test at the node; that of an end is the
    number of children. A row that passes the test of a child takes the step there as a whole, and no other step. Of a row that
    passes no test, the part `share` takes the step.
    """

    node: int
    place: int
    child: int | None
    share: float


@frozen
class ExportNodes:
    """All nodes of a tree in preorder, the root first, and the rule by which they divide rows.

    The parts of a row are added: each end counts in proportion to the part of the row that reaches it. Only if their sum is 0,
    the largest inherited count of each class is the result. `channels` names the sums; with `distributions`, those of classes
    are shares. A tree without classes answers by a `quotient` of its sums, a total and a size. The total of linear models is a
    constant and weights of the `regressors`, numeric features; a row that lacks one of these has another total.

    >>> from ftree import datasets, grow
    >>> from ftree.exchange import export_nodes
    >>> found = export_nodes(grow(datasets.xor()), missing="heaviest")
    >>> len(found.nodes), found.nodes[0].counts
    (1, (2, 2))
    """

    schema: Schema
    rule: PredictionRule
    distributions: bool
    nodes: tuple[ExportNode, ...]
    quotient: Quotient | None = None
    regressors: tuple[int, ...] = ()

    @property
    def channels(self) -> tuple[str, ...]:
        """A name for each of the counts of a node: the classes, or the sums of a tree without classes."""
        if self.quotient is None:
            return tuple(map(str, self.schema.classes))
        weights = [self.schema.features[number].name for number in self.regressors]
        return ("size", "total", *weights, *["total if one is missing"] * bool(weights))

    def steps(self) -> Iterator[Step]:
        """Every step from each branch: to its children in order, and to the end there, if a part of a row stays."""
        for number, node in enumerate(self.nodes):
            pairs = zip(node.children, node.shares, strict=True)
            yield from (Step(number, place, child, share) for place, (child, share) in enumerate(pairs))
            if node.children and node.stays:
                yield Step(number, len(node.children), None, node.stays)

    def paths(self) -> dict[int, tuple[Step, ...]]:
        """By the number of each node where a part of a row may end, the steps to its end there; the nodes in preorder.

        The part of a row that ends at a node is the product of the parts that take the steps.

        >>> from ftree import datasets, grow
        >>> for number, path in export_nodes(grow(datasets.weather()), missing="weighted").paths().items():
        ...     print(number, [(step.node, step.place, round(step.share, 2)) for step in path])
        1 [(0, 0, 0.29)]
        3 [(0, 1, 0.36), (2, 0, 0.6)]
        4 [(0, 1, 0.36), (2, 1, 0.4)]
        6 [(0, 2, 0.36), (5, 0, 0.6)]
        7 [(0, 2, 0.36), (5, 1, 0.4)]
        """
        to_node: dict[int, tuple[Step, ...]] = {0: ()}
        to_end_at_branch: dict[int, tuple[Step, ...]] = {}
        for step in self.steps():
            path = (*to_node[step.node], step)
            if step.child is None:
                to_end_at_branch[step.node] = path
            else:
                to_node[step.child] = path
        to_end = to_node | to_end_at_branch
        return {number: to_end[number] for number, node in enumerate(self.nodes) if node.stays}

    @property
    def one_route(self) -> bool:
        """Whether no row is ever divided."""
        return all(node.one_route for node in self.nodes)

    @property
    def depth(self) -> int:
        """The largest number of splits on a path."""
        return max(node.depth for node in self.nodes)

    @property
    def used_features(self) -> tuple[int, ...]:
        """Numbers of the features that tests and answers use, in order."""
        asked: Any = {feature for node in self.nodes for test in node.tests for feature in features_of(test)}
        return tuple(sorted(asked.union(self.regressors)))

    def known_total(self, sums: Sequence[str], cell: Callable[[int], str]) -> str:
        """The total of a row that has all regressors, as an expression of sums and cells; added up in the order of `predict`."""
        terms = [f"{weight} * {cell(feature)}" for weight, feature in zip(sums[2:], self.regressors, strict=False)]
        return f"{sums[1]} + ({' + '.join(terms)})" if len(terms) > 1 else f"{sums[1]} + {terms[0]}"

    def check_depth(self, most: int, language: str) -> None:
        """Raise a ValueError for a tree with more splits on a path than programs of a language can read."""
        if self.depth > most:
            wanted = f"at most {most} splits on a path to be written in {language}"
            raise ValueError(f"tree must have {wanted}, got {self.depth}. Use to_python or to_c.")


def export_nodes(tree: Tree, *, missing: MissingRule | None = None) -> ExportNodes:
    """The nodes of a tree under a rule for missing values; None is the tree's own rule, or all routes if it has none.

    Raises a TypeError for anything but a Tree, a ValueError for an invalid rule, for a split with conditions that cannot be
    written out, and for linear models with a rule that divides a row and adds up cases, such as `all_routes`.

    >>> from ftree import Branch, Feature, Leaf
    >>> from ftree.tree import Threshold
    >>> twig = Branch((1, 3), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 3))))
    >>> root, *_ = export_nodes(Tree(Schema([Feature("x", "numeric")], "y", ("no", "yes")), twig), missing="weighted").nodes
    >>> root.tests[0], root.children, root.shares
    (Between(feature=0, above=-inf, at_most=0.5), (1, 2), (0.25, 0.75))
    """
    tree = tree_of(tree)
    rule, schema = rule_for(tree, missing), tree.schema
    if sees_rows(rule):
        wanted, remedy = "a rule without of_rows, for a program", "Give missing='weighted' for one that asks the splits alone."
        raise ValueError(f"missing must be {wanted}, got {name_of(rule)}. {remedy}")
    distributions = adds_distributions(rule)
    quotient, added = sums_of(schema, distributions=distributions)
    regressors = regressors_of(schema)
    made = ExportNodes(schema, rule, distributions, _export_nodes(tree, rule, added), quotient, regressors)
    if regressors and not (distributions or made.one_route):
        wanted = f"weighted(), or a rule of one route such as heaviest(), for a program of {schema.response.kind}"
        why = "It answers with a model of the cases of several leaves."
        raise ValueError(f"missing must be {wanted}, got {name_of(rule)}. {why}")
    return made


def _export_nodes(tree: Tree, rule: PredictionRule, added: Callable[[Counts], Counts]) -> tuple[ExportNode, ...]:
    """The nodes in preorder; `added` makes the counts of one of those of the node that answers there."""
    nodes, below = level_order(tree.root)
    of_classes = tree.schema.has_classes
    arrays = flat_of_tree(tree)
    share = arrays.shares(rule).share
    place, answer, stays = arrays.preorder.tolist(), flat(tree).answer.tolist(), _staying(arrays, share).tolist()
    inherits = of_classes and not adds_distributions(rule)
    found, depths = [ExportNode(0, (), inherited=False)] * len(nodes), [0] * len(nodes)
    for number, (node, kids) in enumerate(zip(nodes, below, strict=True)):
        made = ExportNode(depths[number], added(nodes[answer[number]].counts), inherits and answer[number] != number)
        depths[kids.start : kids.stop] = [made.depth + 1] * len(kids)
        if isinstance(node, Branch):
            tests = [lowered(tree.schema, each) for each in node.split.conditions]
            shares, left = share[kids.start : kids.stop].tolist(), stays[number]
            if _answers_all(tree.schema, node.split):  # a row always passes one of the tests
                shares, left = (0.0,) * len(kids), 1.0
            made = evolve(made, tests=tests, children=place[kids.start : kids.stop], shares=shares, stays=left)
        found[place[number]] = made
    return tuple(found)


# Programs round no shares to multiples of a unit, as routing does.
_NO_UNIT = 2.0**-900


def _staying(arrays: Flat, share: Array) -> Array:
    """Of a row without an answer, the share that stays at each node, (m,), given that of each child; leaves keep all."""
    stays = np.ones(len(share))
    for arity in np.unique(arrays.arity[arrays.arity > 0]).tolist():
        branches = np.flatnonzero(arrays.arity == arity)
        _, stays[branches] = divide_weights(np.ones(len(branches)), share[arrays.below(branches, arity)].T, _NO_UNIT)
    return stays


def _answers_all(schema: Schema, split: Split) -> bool:
    """Whether each row passes a test: by a default, or since the split asks numbers, and has a child for a missing one."""
    if any(isinstance(each, FirstKnown) and each.default for each in split.conditions):
        return True
    form, are_numeric = table_form(split), all(schema.features[feature].kind == "numeric" for feature in split.features)
    return form is not None and form.default_child != UNKNOWN and are_numeric and answers_all_known(split)


def lowered(schema: Schema, stated: Condition) -> Condition:
    """A condition of a split as a test: codes instead of intervals of codes, and no `NoneOf` or text.

    Raises a ValueError for a condition that only the split can evaluate.

    >>> from ftree import Feature
    >>> from ftree.tree import Subset
    >>> schema = Schema([Feature("sky", "nominal", ("grey", "blue", "red"))], "ride", ("no", "yes"))
    >>> lowered(schema, Subset(0, (1,)).conditions[1])
    OneOf(feature=0, values=(0, 2))
    """
    return mapped(stated, partial(_lowered, schema))


def _lowered(schema: Schema, stated: Any) -> Condition:
    """A condition that is not made of others."""
    number: Any = getattr(stated, "feature", None)
    match stated:
        case Worded(condition):
            return lowered(schema, condition)
        case Opaque(split):
            message = f"tree must have splits whose conditions can be written out, got {short_repr(split)}, which is opaque."
            raise ValueError(message)
        case Between() | OneOf() | NoneOf() if schema.features[number].kind != "numeric":
            return OneOf(number, codes_of(schema.features[number], stated) or ())
        case OneOf(values=values):
            return alternatives([_equal(number, value) for value in values])
        case NoneOf(values=values):
            return AllOf([Not(Missing(number)), *(Not(_equal(number, value)) for value in values)])
        case Between() | SumBetween() | Missing():
            return stated
    raise unknown_condition(stated)


def unknown_test(test: object, language: str) -> TypeError:
    """The error of a writer for a condition that it does not know; `lowered` makes none such."""
    return TypeError(f"test must be a condition that {language} can state, got {short_repr(test)}.")


def _equal(number: Any, value: Any) -> Between:
    return Between(number, nextafter(float(value), -inf), float(value))
