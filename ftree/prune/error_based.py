"""Error-based pruning, C4.5's: errors as large as they may well be, and subtrees raised in place of their parents.

Source: Quinlan 1993, chapter 4; estimates as in Weka's J48 (Witten & Frank 1999).
"""

from math import sqrt
from statistics import NormalDist
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from attrs import evolve, field, frozen
from attrs.validators import instance_of, optional

from ftree._fields import one_of, reads_like_its_constructor
from ftree._kernels import grid, times_and_fractions
from ftree._recursion import Again, fold_again, fold_over
from ftree.dataset import Dataset, a_dataset
from ftree.fold import leaves
from ftree.prune.judge import (
    Decision,
    Done,
    Note,
    Place,
    Verdict,
    at_most,
    bottom_up,
    saving_errors,
    surveyed,
    trail,
    unheard,
    with_root,
)
from ftree.prune.tally import tally, with_counts
from ftree.route import Group, divide
from ftree.tree import Branch, Counts, Leaf, Link, Node, Tree, children, path_along, whole_numbers, with_children

# How much worse, in cases, a simpler tree may seem and still be taken.
SLACK = 0.1
# C4.5's table of confidence and normal deviate, between whose rows it draws straight lines.
TABLE = ((0.0, 4.0), (0.001, 3.09), (0.005, 2.58), (0.01, 2.33), (0.05, 1.65), (0.1, 1.28), (0.2, 0.84), (0.4, 0.25), (1.0, 0.0))


def _confidence(_: Any, __: Any, confidence: float) -> None:
    if not 0 < confidence <= 0.5:  # noqa: PLR2004  # above one half nothing would be added
        message = f"confidence is above 0 and at most 0.5; it came as {confidence!r}."
        raise ValueError(message)


@reads_like_its_constructor
@frozen(repr=False)
class error_based:
    """Cut, children first, where the pessimistic errors of a leaf are at most those of the subtree, and 0.1.

    The smaller `confidence`, the more errors are expected beyond those seen, and the smaller the tree. With the growing
    data as `raising`, a branch may also be replaced by its largest child, which then gets all its cases, and is judged
    again. Values missing or unseen take their cases down in fractions; a tree that divided them otherwise is recounted
    first. `collapse` first cuts, from the root down, what saves no
    error on the growing data, as J48 does. `z` says whose normal deviate: "normal", the quantile, as in Weka, or
    "table", C4.5's own.

    Raises a ValueError for a confidence outside (0, 0.5], or when `raising` has other cases than the tree.

    >>> error_based(confidence=0.1)
    error_based(confidence=0.1, raising=None, collapse=False, z='normal')
    """

    confidence: float = field(default=0.25, kw_only=True, validator=_confidence)
    raising: Dataset | None = field(default=None, kw_only=True, validator=optional(a_dataset))
    collapse: bool = field(default=False, kw_only=True, validator=instance_of(bool))
    z: Literal["normal", "table"] = field(default="normal", kw_only=True, validator=one_of("normal", "table"))

    def __call__(self, tree: Tree) -> Tree:
        """The pruned tree; the same tree when nothing is cut or raised."""
        return self._run(tree, unheard)

    def decisions(self, tree: Tree) -> tuple[Decision, ...]:
        """Every branch, children first, raised ones again at their new place; scores are pessimistic errors.

        With `collapse`, the decisions of that come first, root first; their scores are errors on the growing data.
        """
        return trail(self._run, tree)

    def _run(self, tree: Tree, note: Note) -> Tree:
        collapsed = saving_errors(tree, note) if self.collapse else tree
        z = deviate(self.confidence, self.z)
        if self.raising is not None:
            return _raised(collapsed, self.raising, self.confidence, z, note)

        def rate(place: Place) -> float:
            return expected_errors(place.node.counts, self.confidence, z)

        return bottom_up(collapsed, rate, _with_slack, note=note)


def deviate(confidence: float, z: str) -> float:
    """The normal deviate that is exceeded with a probability of `confidence`.

    >>> round(deviate(0.25, "normal"), 6), round(deviate(0.25, "table"), 6)
    (0.67449, 0.6925)
    """
    if z == "normal":
        return NormalDist().inv_cdf(1 - confidence)
    at = next(number for number, (known, _) in enumerate(TABLE) if known >= confidence)
    (low, upper), (high, lower) = TABLE[at - 1], TABLE[at]
    return upper + (lower - upper) * (confidence - low) / (high - low)


def expected_errors(counts: Counts, confidence: float, z: float) -> float:
    """Errors of a leaf with those added that the confidence leaves room for.

    >>> round(expected_errors((15, 1), 0.25, deviate(0.25, "normal")), 6)
    2.475715
    """
    n = sum(counts)
    return n - max(counts) + added_errors(n, n - max(counts), confidence, z)


def added_errors(n: float, e: float, confidence: float, z: float) -> float:
    """How many more than e errors in n cases to expect: the upper limit of a binomial, by the normal approximation."""
    if not n:
        return 0.0
    if e < 1:
        none: float = n * (1 - confidence ** (1 / n))
        return none + e * (added_errors(n, 1, confidence, z) - none) if e else none
    if e + 0.5 >= n:
        return max(n - e, 0.0)
    f = (e + 0.5) / n
    upper = f + z * z / (2 * n) + z * sqrt(f / n - f * f / n + z * z / (4 * n * n))
    return n * upper / (1 + z * z / n) - e


def _with_slack(_: Place, as_leaf: float, as_subtree: float, __: list[Node]) -> Verdict:
    return as_subtree + SLACK, at_most(as_leaf, as_subtree + SLACK)


# Subtree raising ----------------------------------------------------------------------------------------------


@frozen(eq=False)
class _Settled:
    """A judged subtree, its pessimistic errors, the same of its children, and the branch that cases are sent on by.

    That branch has the counts of the input, whatever was raised since, so that a case is divided in the same way always.
    """

    node: Node
    errors: float
    router: Node
    below: "tuple[_Settled, ...]" = ()


@frozen(eq=False)
class _Open:
    """A node still to judge with the cases that reach it; after a raise, with what was settled of it before."""

    node: Node
    router: Node
    cases: Group
    link: Link
    settled: _Settled | None = None


# What is settled comes with the cases that reach it, and may come as a child that needs no judging.
_Answer: TypeAlias = tuple[_Settled, Group]
_Seed: TypeAlias = _Open | _Answer


@frozen(eq=False)
class _Raising:
    """The pass with subtree raising, for one tree and one dataset, already in the tree's codes.

    Finding what the largest child would cost takes sending down the cases of its siblings only; those of its own are
    there. Raising, too, counts and judges again only where cases arrive.
    """

    confidence: float
    z: float
    data: Dataset
    n_classes: int
    step: float
    times: Any
    note: Note

    def judged(self, root: Node, router: Node, everything: Group) -> Node:
        """The pruned node."""
        start: _Seed = _Open(root, router, everything, None)
        settled, _ = fold_again(start, self._below, self._combine)
        return settled.node

    def _below(self, seed: _Seed) -> list[_Seed]:
        """The children of a node to judge; those where a raise brought no case are settled already."""
        if not isinstance(seed, _Open) or isinstance(seed.node, Leaf):
            return []
        groups = self._divided(seed.router, seed.cases)
        if seed.settled is None:
            triples = zip(seed.node.children, children(seed.router), groups, strict=True)
            return [_Open(child, router, group, (seed.link, at)) for at, (child, router, group) in enumerate(triples)]
        below = zip(seed.node.children, seed.settled.below, groups, strict=True)
        return [
            (was, group) if child is was.node else _Open(child, was.router, group, (seed.link, at), was)
            for at, (child, was, group) in enumerate(below)
        ]

    def _combine(self, seed: _Seed, below: tuple[_Answer, ...]) -> _Answer | Again[_Seed]:
        """Leaf, largest child or subtree: the first of them that does."""
        if not isinstance(seed, _Open):
            return seed
        as_leaf = self._errors(seed.node.counts)
        if isinstance(seed.node, Leaf):
            return _Settled(seed.node, as_leaf, seed.router), seed.cases
        settled = tuple([one for one, _ in below])
        as_subtree = sum(one.errors for one in settled)
        child = _largest(settled)
        others = _together([cases for number, (_, cases) in enumerate(below) if number != child])
        largest = settled[child]
        # A leaf that is raised gets all the cases.
        as_raised = largest.errors + self._more_errors(largest, others) if largest.below else as_leaf

        def tell(done: Done, becomes: Node | None) -> None:
            if self.note is not unheard:
                told = Decision(path_along(seed.link), seed.node.counts, as_leaf, as_subtree, min(as_subtree, as_raised) + SLACK)
                raised = child if done == "raised" else None
                self.note(evolve(told, done=done, as_raised=as_raised, child=raised, becomes=becomes))

        if at_most(as_leaf, as_subtree + SLACK) and at_most(as_leaf, as_raised + SLACK):
            leaf = Leaf(seed.node.counts)
            tell("cut", leaf)
            return _Settled(leaf, as_leaf, seed.router), seed.cases
        if at_most(as_raised, as_subtree + SLACK):
            raised = self._with_cases(largest, others)
            tell("raised", raised)
            return Again(_Open(raised, largest.router, seed.cases, seed.link, largest))
        tell("kept", None)
        node = with_children(seed.node, [one.node for one in settled])
        return _Settled(node, as_subtree, seed.router, settled), seed.cases

    def _more_errors(self, settled: _Settled, cases: Group) -> float:
        """How many more errors to expect of a subtree that gets these cases as well."""
        more = 0.0
        stack = [(settled, cases)]
        while stack:
            one, group = stack.pop()
            if not len(group[0]):
                continue
            if isinstance(one.node, Leaf):
                more += self._errors(self._counted(one.node.counts, group)) - one.errors
            else:
                stack.extend(zip(one.below, self._divided(one.router, group), strict=True))
        return more

    def _with_cases(self, settled: _Settled, cases: Group) -> Node:
        """The subtree with these cases counted as well; what none of them reaches is shared."""

        def below(seed: _Answer) -> list[_Answer]:
            one, group = seed
            if not one.below or not len(group[0]):
                return []
            return list(zip(one.below, self._divided(one.router, group), strict=True))

        def combine(seed: _Answer, nodes: tuple[Node, ...]) -> Node:
            one, group = seed
            if not len(group[0]):
                return one.node
            counts = self._counted(one.node.counts, group)
            return Branch(counts, one.node.split, nodes) if isinstance(one.node, Branch) else Leaf(counts)

        return fold_over((settled, cases), below, combine)

    def _divided(self, router: Node, cases: Group) -> list[Group]:
        """The cases of each child."""
        return divide(cast("Branch", router), self.data.columns, cases, "weighted", self.step)[:-1]

    def _counted(self, counts: Counts, cases: Group) -> Counts:
        rows, shares = cases
        weights = shares if self.times is None else shares * self.times[rows]
        more = np.bincount(self.data.labels[rows], weights, self.n_classes)
        return tuple(whole_numbers(np.array(counts) + more))

    def _errors(self, counts: Counts) -> float:
        return expected_errors(counts, self.confidence, self.z)


def _raised(tree: Tree, dataset: Dataset, confidence: float, z: float, note: Note) -> Tree:
    """The tree after pruning with subtree raising."""
    data, grown = dataset.recoded(tree.schema), surveyed(tree)
    came = tally(grown, data)
    if not np.allclose(came[0], tree.root.counts, rtol=1e-9):
        message = f"raising takes the data that the tree was grown on, with class counts {tree.root.counts}; {came[0]} came."
        raise ValueError(message)
    root = tree.root
    if not np.allclose(came, [node.counts for node in grown.nodes], rtol=1e-9):
        root = with_counts(grown, came).nodes[0]
        before, now = (sum(expected_errors(leaf.counts, confidence, z) for leaf in leaves(one)) for one in (tree, root))
        note(Decision((), tree.root.counts, before, now, done="recounted", becomes=root))
    step = grid(sum(came[0]))
    times, fractions = times_and_fractions(data.weights, step)
    everything = (np.arange(len(data)), np.ones(len(data)) if fractions is None else fractions)
    raising = _Raising(confidence, z, data, len(came[0]), step, times, note)
    return with_root(tree, raising.judged(root, tree.root, everything))


def _largest(settled: tuple[_Settled, ...]) -> int:
    """Number of the child with the most cases; the first of equals."""
    sizes = [sum(one.node.counts) for one in settled]
    return sizes.index(max(sizes))


def _together(groups: list[Group]) -> Group:
    if not groups:
        return np.arange(0), np.zeros(0)
    return np.concatenate([rows for rows, _ in groups]), np.concatenate([weights for _, weights in groups])
