"""A tree as a flat list of steps: the neutral form that every export reads.

A step is a node. Its tests determine which rows go to which child, its shares are those of its children in a row that passes
no test, and its counts predict a row that ends there. So conditions and rules for missing values are computed once.
"""

import numpy as np
from attrs import frozen

from ftree.criteria.impurity import proportions
from ftree.exchange.row_tests import Test, features_of, lowered
from ftree.routing.rule_names import Missing as MissingRule
from ftree.routing.rule_names import adds_distributions, rule_for
from ftree.routing.shares import child_of_rest, shares_of
from ftree.tree.conditions import FirstKnown
from ftree.tree.nodes import Branch, Counts, Leaf, Node, Tree, check_tree, children, preorder
from ftree.tree.prediction_rule import PredictionRule
from ftree.tree.schema import Schema


@frozen
class Step:
    """A node; `tests` and `children` (numbers of steps) correspond, at most one of the tests passes; a leaf has none.

    Of a row that passes none, each child gets its share, and the share `stays` ends here. `counts` predict a row that ends here:
    the node's own, or those of its nearest ancestor with cases; if they are `inherited`, they count only where no others do.

    >>> Step(0, (5, 9), inherited=False)
    Step(depth=0, counts=(5, 9), inherited=False, tests=(), children=(), shares=(), stays=1.0)
    """

    depth: int
    counts: Counts
    inherited: bool
    tests: tuple[Test, ...] = ()
    children: tuple[int, ...] = ()
    shares: tuple[float, ...] = ()
    stays: float = 1.0

    @property
    def routes(self) -> tuple[tuple[int, float], ...]:
        """The children that get a share of a row that passes no test, with their shares."""
        return tuple([(child, share) for child, share in zip(self.children, self.shares, strict=True) if share])

    @property
    def one_route(self) -> bool:
        """Whether a row that passes no test goes to one child, or stays, as a whole."""
        return [share for _, share in self.routes] in ([], [1.0]) and self.stays in {0.0, 1.0}


@frozen
class Steps:
    """All steps of a tree in preorder, the root first, and the rule by which they divide rows.

    With `distributions`, the counts of steps are shares of classes. The parts of a row are added: each end counts in proportion
    to the part of the row that reaches it. Only if their sum is 0, the largest inherited count of each class is the result.

    >>> from ftree import grow
    >>> from ftree.datasets import xor
    >>> from ftree.exchange import steps
    >>> found = steps(grow(xor()), missing="heaviest")
    >>> len(found.steps), found.steps[0].counts
    (1, (2, 2))
    """

    schema: Schema
    rule: PredictionRule
    distributions: bool
    steps: tuple[Step, ...]

    @property
    def one_route(self) -> bool:
        """Whether no row is ever divided."""
        return all(step.one_route for step in self.steps)

    @property
    def depth(self) -> int:
        """The largest number of splits on a path."""
        return max(step.depth for step in self.steps)

    @property
    def used_features(self) -> tuple[int, ...]:
        """Numbers of the features that tests use, in order."""
        return tuple(sorted({feature for step in self.steps for test in step.tests for feature in features_of(test)}))


def steps(tree: Tree, *, missing: MissingRule | None = None) -> Steps:
    """The steps of a tree under a rule for missing values; None is the tree's own rule, or all routes if it has none.

    Raises a TypeError for anything but a Tree, a ValueError for an invalid rule, and for a split with conditions that cannot
    be written out.

    >>> from ftree import Branch, Feature, Leaf, Threshold
    >>> twig = Branch((1, 3), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 3))))
    >>> root, *_ = steps(Tree(Schema([Feature("x", "numeric")], "y", ("no", "yes")), twig), missing="weighted").steps
    >>> root.tests[0], root.children, root.shares
    (Between(feature=0, above=-inf, at_most=0.5), (1, 2), (0.25, 0.75))
    """
    check_tree(tree)
    rule = rule_for(tree, missing)
    distributions = adds_distributions(rule)
    found: list[Step] = []
    stack: list[tuple[Node, Node, int]] = [(tree.root, tree.root, 0)]
    sizes = _sizes(tree.root)
    while stack:
        node, above, depth = stack.pop()
        answer = node if any(node.counts) else above
        number = len(found)
        counts = tuple(proportions(answer.counts).tolist()) if distributions else answer.counts
        found.append(
            _step(
                tree.schema,
                rule,
                node,
                _numbers(node, number, sizes),
                Step(depth, counts, answer is not node and not distributions),
            )
        )
        stack += [(child, answer, depth + 1) for child in reversed(children(node))]
    return Steps(tree.schema, rule, distributions, tuple(found))


def _sizes(root: Node) -> dict[int, int]:
    """The number of nodes in each node's subtree, by the node's identity."""
    sizes: dict[int, int] = {}
    for node in reversed(list(preorder(root))):
        sizes[id(node)] = 1 + sum(sizes[id(child)] for child in children(node))
    return sizes


def _numbers(node: Node, number: int, sizes: dict[int, int]) -> tuple[int, ...]:
    """The numbers of a node's children in preorder."""
    found, following = [], number + 1
    for child in children(node):
        found.append(following)
        following += sizes[id(child)]
    return tuple(found)


def _step(schema: Schema, rule: PredictionRule, node: Node, numbers: tuple[int, ...], plain: Step) -> Step:
    if isinstance(node, Leaf):
        return plain
    stated = node.split.conditions
    tests = tuple([lowered(schema, node.split, each) for each in stated])
    always = any(isinstance(each, FirstKnown) and each.default for each in stated)
    shares, stays = ((0.0,) * len(numbers), 1.0) if always else _divided(rule, node)
    return Step(plain.depth, plain.counts, plain.inherited, tests, numbers, shares, stays)


def _divided(rule: PredictionRule, branch: Branch) -> tuple[tuple[float, ...], float]:
    """Each child's share of a row without an answer, and the share that stays; as in `routing.shares.divide_weights`."""
    sizes = np.array([sum(child.counts) for child in branch.children], dtype=np.float64)
    shares = shares_of(rule, sizes)
    total = float(shares.sum())
    whole = bool((shares * shares == shares).all())
    stays = float(total == 0) if whole else max(1 - total, 0.0) * (child_of_rest(shares) < 0)
    return tuple(shares.tolist()), float(stays)
