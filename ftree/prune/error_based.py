"""Error-based pruning, C4.5's: errors as large as they may well be, and subtrees raised in place of their parents.

Source: Quinlan 1993, chapter 4; estimates as in Weka's J48 (Witten & Frank 1999).
"""

from math import sqrt
from statistics import NormalDist
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from attrs import define, evolve, field, frozen
from attrs.validators import instance_of, optional

from ftree._collector import no_collecting
from ftree._fields import one_of, reads_like_its_constructor
from ftree._recursion import Again, fold_again, fold_over
from ftree.dataset import Dataset, a_dataset
from ftree.fold import leaves
from ftree.prune.descent import Cases, Descent, together
from ftree.prune.judge import (
    Decision,
    Done,
    Note,
    Place,
    Verdict,
    at_most,
    bottom_up,
    saving_errors,
    trail,
    unheard,
    with_root,
)
from ftree.tally import tally, with_counts
from ftree.tree import Branch, Counts, Leaf, Link, Node, Tree, level_order, path_along, with_children

# How much worse, in cases, a simpler tree may seem and still be taken.
SLACK = 0.1
# A child with at least this share of the largest one's cases is as large: fractions of cases are rounded.
AS_LARGE = 1 - 1e-9
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
    data as `raising`, a branch may also be replaced by its largest child (the last of equals), which then gets all its
    cases, and is judged again. Values missing or unseen take their cases down in fractions, as the known ones of the cases
    that are there; a tree that divided them otherwise is recounted first. `collapse` first cuts, from the root down, what
    saves no error on the growing data, as J48 does. `z` says whose normal deviate: "normal", the quantile, as in Weka, or
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

    @no_collecting()
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


class _Settled(NamedTuple):
    """A judged subtree, its pessimistic errors, the same of its children, and whether its splits know all its cases."""

    node: Node
    errors: float
    known: bool = True
    below: "tuple[_Settled, ...]" = ()


@define(eq=False)
class _Open:
    """A node still to judge with the cases that reach it; after a raise, with what was settled of it before.

    Whether its split knows all the cases turns out as they are divided.
    """

    node: Node
    cases: Cases
    link: Link
    settled: _Settled | None = None
    known: bool = True


# What is settled comes with the cases that reach it, and may come as a child that needs no judging.
_Answer: TypeAlias = tuple[_Settled, Cases]
_Seed: TypeAlias = _Open | _Answer


@frozen(eq=False)
class _Raising:
    """The pass with subtree raising, for one tree and one dataset, already in the tree's codes.

    A case without an answer is divided as the answers of the cases that are there, also of those that a raise brings.
    Where all its own cases have answers, a child in its parent's place needs only its siblings' cases sent down it.
    """

    confidence: float
    z: float
    descent: Descent
    note: Note

    def judged(self, root: Node) -> Node:
        """The pruned node."""
        start: _Seed = _Open(root, self.descent.everything, None)
        settled, _ = fold_again(start, self._below, self._combine)
        return settled.node

    def _below(self, seed: _Seed) -> list[_Seed]:
        """The children of a node to judge; those where a raise brought no case are settled already."""
        if not isinstance(seed, _Open) or isinstance(seed.node, Leaf):
            return []
        groups, seed.known = self.descent.divided(seed.node, seed.cases)
        before = seed.settled.below if seed.settled is not None else (None,) * len(groups)
        return [
            (was, group) if was is not None and child is was.node else _Open(child, group, (seed.link, at), was)
            for at, (child, was, group) in enumerate(zip(seed.node.children, before, groups, strict=True))
        ]

    def _combine(self, seed: _Seed, below: tuple[_Answer, ...]) -> _Answer | Again[_Seed]:
        """Leaf, largest child or subtree: the first of them that does."""
        if not isinstance(seed, _Open):
            return seed
        as_leaf = self._errors(seed.node.counts)
        if isinstance(seed.node, Leaf):
            return _Settled(seed.node, as_leaf), seed.cases
        settled = tuple([one for one, _ in below])
        as_subtree = sum(one.errors for one in settled)
        child = _largest(settled)
        largest = settled[child]
        others = together([cases for number, (_, cases) in enumerate(below) if number != child])
        # A leaf that is raised gets all the cases.
        as_raised = self._errors_with(largest, seed.cases, others) if largest.below else as_leaf

        def tell(done: Done, becomes: Node | None) -> None:
            if self.note is not unheard:
                told = Decision(path_along(seed.link), seed.node.counts, as_leaf, as_subtree, min(as_subtree, as_raised) + SLACK)
                raised = child if done == "raised" else None
                self.note(evolve(told, done=done, as_raised=as_raised, child=raised, becomes=becomes))

        if at_most(as_leaf, as_subtree + SLACK) and at_most(as_leaf, as_raised + SLACK):
            leaf = Leaf(seed.node.counts)
            tell("cut", leaf)
            return _Settled(leaf, as_leaf), seed.cases
        if at_most(as_raised, as_subtree + SLACK):
            raised = self._with_cases(largest, seed.cases, others)
            tell("raised", raised)
            return Again(_Open(raised, seed.cases, seed.link, largest))
        tell("kept", None)
        node = with_children(seed.node, [one.node for one in settled])
        known = seed.known and all(one.known for one in settled)
        return _Settled(node, as_subtree, known, settled), seed.cases

    def _errors_with(self, settled: _Settled, cases: Cases, more: Cases) -> float:
        """The errors to expect of a subtree that gets these cases, some of them more than it has."""
        if settled.known:
            return settled.errors + self._more_errors(settled, more)
        return sum(self._errors(leaf.counts) for leaf in leaves(self.recounted(settled.node, cases)))

    def _more_errors(self, settled: _Settled, cases: Cases) -> float:
        more = 0.0
        stack = [(settled, cases)]
        while stack:
            one, group = stack.pop()
            if not len(group[0]):
                continue
            if isinstance(one.node, Branch):
                stack.extend(zip(one.below, self.descent.divided(one.node, group, own=True)[0], strict=True))
            else:
                more += self._errors(self.descent.counted(group, one.node.counts)) - one.errors
        return more

    def _with_cases(self, settled: _Settled, cases: Cases, more: Cases) -> Node:
        """The subtree with these cases, some of them more than it has; where none of those arrives it is shared."""
        if not settled.known:
            return self.recounted(settled.node, cases)

        def below(seed: _Answer) -> list[_Answer]:
            one, group = seed
            if not isinstance(one.node, Branch) or not len(group[0]):
                return []
            return list(zip(one.below, self.descent.divided(one.node, group, own=True)[0], strict=True))

        def combine(seed: _Answer, nodes: tuple[Node, ...]) -> Node:
            one, group = seed
            return self._made(one.node, self.descent.counted(group, one.node.counts), nodes) if len(group[0]) else one.node

        return fold_over((settled, more), below, combine)

    def recounted(self, node: Node, cases: Cases) -> Node:
        """The node with the counts of these cases and no others; where they are those it has it is shared."""

        def below(seed: tuple[Node, Cases]) -> list[tuple[Node, Cases]]:
            one, group = seed
            return list(zip(one.children, self.descent.divided(one, group)[0], strict=True)) if isinstance(one, Branch) else []

        def combine(seed: tuple[Node, Cases], nodes: tuple[Node, ...]) -> Node:
            one, group = seed
            return self._made(one, self.descent.counted(group, (0,) * len(one.counts)), nodes)

        return fold_over((node, cases), below, combine)

    def _made(self, node: Node, counts: Counts, nodes: tuple[Node, ...]) -> Node:
        if isinstance(node, Leaf):
            return node if counts == node.counts else Leaf(counts)
        return with_children(node, nodes) if counts == node.counts else Branch(counts, node.split, nodes)

    def _errors(self, counts: Counts) -> float:
        return expected_errors(counts, self.confidence, self.z)


def _raised(tree: Tree, dataset: Dataset, confidence: float, z: float, note: Note) -> Tree:
    """The tree after pruning with subtree raising."""
    data = dataset.recoded(tree.schema)
    came = data.class_counts()
    if not np.allclose(came, tree.root.counts, rtol=1e-9):
        message = f"raising takes the data that the tree was grown on, with class counts {tree.root.counts}; {came} came."
        raise ValueError(message)
    raising = _Raising(confidence, z, Descent.of(data), note)
    nodes, below = level_order(tree.root)
    now = tally(nodes, below, data, missing="as_known")
    if np.allclose(now, [node.counts for node in nodes], rtol=1e-9):
        root = tree.root
    else:
        root = with_counts(nodes, below, now)[0]
        were, are = (sum(expected_errors(leaf.counts, confidence, z) for leaf in leaves(one)) for one in (tree.root, root))
        note(Decision((), tree.root.counts, were, are, done="recounted", becomes=root))
    return with_root(tree, raising.judged(root))


def _largest(settled: tuple[_Settled, ...]) -> int:
    """Number of the child with the most cases; the last of equals, as in C4.5 (release 8) and J48."""
    sizes = [sum(one.node.counts) for one in settled]
    enough = max(sizes) * AS_LARGE
    return max([number for number, size in enumerate(sizes) if size >= enough])
