"""A tree as a flat list of nodes: the neutral form that every export reads.

The tests of a node determine which rows go to which child, its shares are those of its children in a row that passes
no test, and its counts predict a row that ends there. So conditions and rules for missing values are computed once.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import inf, nextafter
from typing import Any

from attrs import Factory, evolve, field, frozen

from ftree._lib.arrays import Array
from ftree._lib.fields import as_tuple, name_of
from ftree._lib.messages import short_repr
from ftree.criteria.impurity import proportions
from ftree.routing.flat import flat, flat_of_sums
from ftree.routing.missing_rules import MissingRule, adds_distributions, rule_for
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
    Worded,
    alternatives,
    features_of,
    mapped,
)
from ftree.tree.describe import codes_of
from ftree.tree.nodes import Branch, Counts, PredictionRule, Tree, level_order, tree_of
from ftree.tree.schema import Schema, position
from ftree.tree.splits.split import UNKNOWN, Split, answers_all_known, table_form


@frozen
class ExportNode:
    """A node; `tests` and `children` (numbers of nodes) correspond, at most one of the tests passes; a leaf has none.

    Tests are conditions of numbers (`Between`, `SumBetween`), of codes (`OneOf`), and of missing values, not of unseen ones. A
    row that passes no test is divided: child i gets `shares[i]`, and `stays` remains at this node. `counts` predict a row that
    ends here: the node's own, or those of its nearest ancestor with cases; if they are `inherited`, they count only where no
    others do. In a tree without classes, they are the sums of a `Quotient`, and none is inherited: an ancestor answers as if it
    were there.

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
class Quotient:
    """How two sums answer, a size and a total: (centre + unit * (total + more) / (size + rest)) / divisor.

    A size of 0 answers `empty`. The size of numbers is their cases, that of events the exposure; `more` and `rest` shrink rates
    towards that of the root.

    >>> found = Quotient(1.0, 0.5)
    >>> found.answer((2.0, 8.0)), found.answer((0.0, 0.0)), found.texts("n", "x")
    (3.0, 1.0, ('n', '1.0 + 0.5 * (x / n)', '1.0'))
    """

    centre: float = 0.0
    unit: float = 1.0
    divisor: float = 1.0
    rest: float = 0.0
    more: float = 0.0
    empty: float = field(default=Factory(lambda self: self.centre, takes_self=True))

    def answer(self, sums: Counts) -> float:
        """The answer to a size and a total."""
        size = sums[0] + self.rest
        return (self.centre + self.unit * ((sums[1] + self.more) / size)) / self.divisor if size > 0 else self.empty

    def texts(self, size: str, total: str, number: Callable[[float], str] = repr) -> tuple[str, str, str]:
        """The size, the answer, and that to a size of 0, as expressions which Python, C and SQL read alike."""
        below = f"({size} + {number(self.rest)})" if self.rest else size
        above = f"({total} + {number(self.more)})" if self.more else total
        scale = "" if (self.centre, self.unit) == (0.0, 1.0) else f"{number(self.centre)} + {number(self.unit)} * "
        answer = f"{scale}({above} / {below})"
        return below, answer if self.divisor == 1 else f"({answer}) / {number(self.divisor)}", number(self.empty)


def quotient_of(schema: Schema, *, distributions: bool) -> tuple[Quotient, Callable[[Counts], Counts]]:
    """The quotient of a tree without classes, and a function from the sums of a node to its size and total.

    Raises a ValueError for a response of one's own, unless it is a `row_sum`.
    """
    response: Any = schema.response
    if response.options.row_sum:
        return Quotient(), lambda sums: (1.0, *response.answer(sums))
    if response.kind not in ("numbers", "events"):
        wanted = "of a classification tree, a regression tree, a tree of events or of linear models"
        raise ValueError(f"A program must be {wanted}, got one of {response.kind}. Use predict, or to_dict.")
    if distributions:
        return Quotient(), lambda sums: (1.0, response.answer(sums))
    if response.kind == "numbers":
        part, (start, step, divisor) = response.part, response.line
        return Quotient(start, step, divisor, empty=response.centre), lambda sums: (float(sums[0]), part * float(sums[1]))
    prior, rate = response.own.prior, response.own.rate
    shrunk = Quotient(rest=prior / rate if prior else 0.0, more=prior, empty=rate)
    return shrunk, lambda sums: tuple(map(float, response.in_units(sums)[2:0:-1]))


def _numeric(schema: Schema, names: Sequence[str]) -> tuple[int, ...]:
    """The numbers of features, which must be numeric: programs have codes in place of other values, also of numbers."""
    found = [position(schema, name) for name in names]
    for number in found:
        if schema.features[number].kind != "numeric":
            got = f"{short_repr(schema.features[number].name)}, which is {schema.features[number].kind}"
            raise ValueError(f"tree must have models of numeric features to be written as a program, got {got}. Use predict.")
    return tuple(found)


@frozen
class ExportNodes:
    """All nodes of a tree in preorder, the root first, and the rule by which they divide rows.

    With `distributions`, the counts of nodes are shares of classes. The parts of a row are added: each end counts in proportion
    to the part of the row that reaches it. Only if their sum is 0, the largest inherited count of each class is the result.
    A tree without classes has a `quotient` of its sums: a size and a total. Of linear models, the total depends on the
    `regressors`, numeric features. Their sums are a size, a constant, a weight of each regressor, and the total of a row that
    lacks one of them.

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
    distributions = adds_distributions(rule)
    quotient, shown_by = None, _of_classes(distributions=distributions)
    if not schema.has_classes:
        quotient, shown_by = quotient_of(schema, distributions=distributions)
    regressors = _numeric(schema, schema.response.row_features) if schema.response.options.row_sum else ()
    made = ExportNodes(schema, rule, distributions, _export_nodes(tree, rule, shown_by), quotient, regressors)
    if regressors and not (distributions or made.one_route):
        wanted = f"weighted(), or a rule of one route such as heaviest(), for a program of {schema.response.kind}"
        why = "It answers with a model of the cases of several leaves."
        raise ValueError(f"missing must be {wanted}, got {name_of(rule)}. {why}")
    return made


def _of_classes(*, distributions: bool) -> Callable[[Counts], Counts]:
    """A function from the counts of a node to themselves, or to shares of the classes."""
    return (lambda counts: tuple(proportions(counts).tolist())) if distributions else tuple


def _export_nodes(tree: Tree, rule: PredictionRule, shown_by: Callable[[Counts], Counts]) -> tuple[ExportNode, ...]:
    """The nodes in preorder; `shown_by` makes the counts of one of those of the node that answers there."""
    nodes, below = level_order(tree.root)
    arrays = flat(tree) if tree.schema.has_classes else flat_of_sums(tree)
    place, answer, (share, rest) = arrays.preorder.tolist(), flat(tree).answer.tolist(), arrays.shares(rule)
    inherits = tree.schema.has_classes and not adds_distributions(rule)
    found, depths = [ExportNode(0, (), inherited=False)] * len(nodes), [0] * len(nodes)
    for number, (node, kids) in enumerate(zip(nodes, below, strict=True)):
        shown = ExportNode(depths[number], shown_by(nodes[answer[number]].counts), inherits and answer[number] != number)
        depths[kids.start : kids.stop] = [shown.depth + 1] * len(kids)
        if isinstance(node, Branch):
            divided = _divided(tree.schema, node.split, share[kids.start : kids.stop], rest[number])
            tests = [lowered(tree.schema, each) for each in node.split.conditions]
            shown = evolve(shown, tests=tests, children=place[kids.start : kids.stop], shares=divided[0], stays=divided[1])
        found[place[number]] = shown
    return tuple(found)


def _divided(schema: Schema, split: Split, shares: Array, rest: int) -> tuple[Sequence[float], float]:
    """Each child's share of a row without an answer, and the share that stays; as in `routing.missing_rules.divide_weights`."""
    if _answers_all(schema, split):
        return (0.0,) * len(shares), 1.0  # a row always passes one of the tests
    total = float(shares.sum())
    whole = bool((shares * shares == shares).all())
    return shares.tolist(), float(total == 0 if whole else max(1 - total, 0.0) * (rest < 0))


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
    return stated  # type: ignore[no-any-return]  # a condition of numbers, or of a missing value


def _equal(number: Any, value: Any) -> Between:
    return Between(number, nextafter(float(value), -inf), float(value))
