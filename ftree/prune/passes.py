"""The base of the passes, and how they judge: the score of each branch as a leaf against its score as a subtree.

The unit of risks is that of classes, or one in which the root's is 1, so that the unit of a target does not decide ties:

| risks of nodes as leaves | trees of classes | other trees | function |
|---|---|---|---|
| on their own cases | errors | shares of the root's loss | `risks_of` |
| on their own cases, by any impurity | mean risk of all cases | as above; alphas in losses of a case | `risks_and_unit` |
| on a pruning set | errors | shares of the root's loss there | `reduced_error._losses` |
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import inf
from typing import Any, ClassVar, NamedTuple, TypeAlias

from attrs import frozen

from ftree._lib.fields import ConstructorRepr, is_finite, validator
from ftree._lib.messages import short_repr
from ftree._lib.objects import gc_paused
from ftree.prune.decisions import Decision, Pruned, at_most
from ftree.tree.edit import renew
from ftree.tree.nodes import Leaf, Node, Path, Tree, check_tree, level_order, new_tree
from ftree.tree.response import Counts
from ftree.tree.schema import Schema, by_task, response_of_sums


class DecidingPass(ConstructorRepr):
    """A base of passes, which are frozen attrs classes: `_prune` returns both the pruned tree and the decisions."""

    __slots__ = ()
    # Whether the pass also prunes trees of numbers and of other responses; others refuse them.
    prunes_regression: ClassVar[bool] = False

    def __call__(self, tree: Tree) -> Tree:
        """The pruned tree; the same tree when nothing changes."""
        return self._checked(tree).tree

    def decisions(self, tree: Tree) -> tuple[Decision, ...]:
        """What the pass decides about each branch that it judges, in order of judging; the pass's docstring gives the unit."""
        return tuple(self._checked(tree).decisions())

    def _checked(self, tree: Tree) -> Pruned:
        check_tree(tree, of_classes="" if self.prunes_regression else type(self).__name__)
        return self._prune(tree)

    @abstractmethod
    def _prune(self, tree: Tree) -> Pruned:
        """The pruned tree with the decisions."""


def require_usual(tree: Tree, option: str, value: str, usual: str) -> None:
    """Raise a ValueError for a tree without classes if an option has another value than the usual one, which alone prunes it.

    >>> from ftree import CART, datasets, grow
    >>> require_usual(grow(datasets.auto_mpg(numeric=True), CART), "labels", "backfit", "growing")
    Traceback (most recent call last):
    ValueError: labels must be 'growing' for a regression tree, got 'backfit'.
    """
    if not tree.schema.has_classes and value != usual:
        raise ValueError(f"{option} must be {usual!r} for {by_task(tree.schema.response.kind)}, got {value!r}.")


def require_number_from(name: str, value: Any, least: float) -> None:
    """Raise a ValueError for an argument that is not a number of at least `least`; infinity is allowed.

    >>> require_number_from("cp", -1, 0)
    Traceback (most recent call last):
    ValueError: cp must be a number of at least 0, got -1.
    """
    if not ((is_finite(value) and value >= least) or (isinstance(value, float) and value == inf)):
        raise ValueError(f"{name} must be a number of at least {least}, got {short_repr(value)}.")


a_number_from = partial(validator, require_number_from)


@frozen(eq=False)
class LevelOrder:
    """A tree's nodes, level by level; the number of each node's parent, -1 for the root's; the numbers of its children.

    The lists are flat, since half a million small records would slow down Python's garbage collector.
    """

    tree: Tree
    nodes: list[Node]
    parents: list[int]
    below: list[range]

    @property
    def counts(self) -> list[Counts]:
        """The counts of each node."""
        return [node.counts for node in self.nodes]

    def path(self, number: int) -> Path:
        """The path of a node."""
        return path_to(number, self.parents, self.below)

    def nearest_with_cases(self, number: int) -> Node:
        """The node, or its nearest ancestor with cases: its majority is the class that the node predicts."""
        while number and not any(self.nodes[number].counts):
            number = self.parents[number]
        return self.nodes[number]


@gc_paused()
def in_level_order(tree: Tree) -> LevelOrder:
    """The nodes of a tree, numbered level by level."""
    check_tree(tree)
    nodes, below = level_order(tree.root)
    parents = [-1]
    for number, kids in enumerate(below):
        parents += [number] * len(kids)
    return LevelOrder(tree, nodes, parents, below)


# The score of a branch from its number and the scores of its children.
SubtreeScore: TypeAlias = Callable[[int, list[float]], float]


class Verdict(NamedTuple):
    """Whether to cut a branch, and the threshold of its score as a leaf, None without one; how ties count, the judge decides."""

    cut: bool
    threshold: float | None


# The number of a judged branch, its score as a subtree, and the threshold of its score as a leaf.
Judged: TypeAlias = tuple[int, float, float | None]
# From the number of a branch, its score as a subtree, and whether all its children are leaves by now; None: it is not judged.
Judge: TypeAlias = Callable[[int, float, bool], Verdict | None]


def by_scores(as_leaf: Sequence[float], *, slack: float = 0.0) -> Judge:
    """A judge that cuts branches whose score as a leaf is at most that of their pruned subtree plus `slack`."""

    def judge(number: int, as_subtree: float, _: bool) -> Verdict:  # noqa: FBT001  # a `Judge`
        threshold = as_subtree + slack
        return Verdict(at_most(as_leaf[number], threshold), threshold)

    return judge


@gc_paused()
def bottom_up(
    order: LevelOrder, as_leaf: Sequence[float], *, subtree_score: SubtreeScore = lambda _, s: sum(s), judge: Judge | None = None
) -> Pruned:
    """Judge every branch, children first, from the scores of all nodes as leaves; without a judge, `by_scores`."""
    judge = judge or by_scores(as_leaf)
    scores, cut, ends = list(as_leaf), [False] * len(order.nodes), [not kids for kids in order.below]
    judged: list[Judged] = []
    for number in reversed(range(len(scores))):
        if ends[number]:
            continue
        kids = order.below[number]
        below = slice(kids.start, kids.stop)
        scores[number] = as_subtree = subtree_score(number, scores[below])
        if verdict := judge(number, as_subtree, all(ends[below])):
            is_cut, threshold = verdict
            judged.append((number, as_subtree, threshold))
            if is_cut:
                cut[number], ends[number], scores[number] = True, True, as_leaf[number]

    found = pruned_at(order, as_leaf, judged, cut)
    # Children first, left to right.
    return Pruned(found.tree, lambda: sorted(found.decisions(), key=lambda decision: (*decision.path, inf)))


@gc_paused()
def root_first(order: LevelOrder, as_leaf: Sequence[float], limit: Callable[[int, float], float]) -> Pruned:
    """Judge branches from the root down, and cut where the score as a leaf is at most `limit(number, score as a subtree)`.

    Nothing below a cut is judged. The score of a branch as a subtree is that of its leaves, whatever is cut below it.
    """
    as_subtree, cut, stack = sums_below(order, as_leaf), [False] * len(order.nodes), [0]
    judged: list[Judged] = []
    while stack:
        number = stack.pop()
        kids = order.below[number]
        if kids:
            threshold = limit(number, as_subtree[number])
            cut[number] = at_most(as_leaf[number], threshold)
            judged.append((number, as_subtree[number], threshold))
            stack += () if cut[number] else reversed(kids)

    return pruned_at(order, as_leaf, judged, cut)


def pruned_at(order: LevelOrder, as_leaf: Sequence[float], judged: Sequence[Judged], cut: Sequence[bool]) -> Pruned:
    """The tree whose marked branches become leaves, with a decision about each judged branch, in the order of judging."""

    def decisions() -> Iterator[Decision]:
        for number, as_subtree, threshold in judged:
            counts = order.nodes[number].counts
            done: Any = {"done": "cut", "becomes": Leaf(counts)} if cut[number] else {}
            yield Decision(order.path(number), counts, as_leaf[number], as_subtree, threshold, **done)

    return Pruned(cut_at(order, cut), decisions)


def sums_below(order: LevelOrder, as_leaf: Sequence[float]) -> list[float]:
    """The sum of the scores of the leaves below each node."""
    sums = [0.0 if kids else score for kids, score in zip(order.below, as_leaf, strict=True)]
    for number in range(len(sums) - 1, 0, -1):
        sums[order.parents[number]] += sums[number]
    return sums


def cut_at(order: LevelOrder, cut: Sequence[bool]) -> Tree:
    """The tree whose marked branches become leaves; nodes below the topmost cuts are not visited.

    Untouched subtrees are shared, and the tree itself is returned if nothing is cut.
    """
    nodes, below = order.nodes, order.below
    changes = [is_cut and bool(kids) for is_cut, kids in zip(cut, below, strict=True)]
    for number in range(len(nodes) - 1, 0, -1):
        changes[order.parents[number]] |= changes[number]
    if not changes[0]:
        return order.tree
    made, listed = list(nodes), [0]
    for number in listed:  # the list grows while it is read
        if changes[number] and not cut[number]:
            listed += below[number]
    changed = [number for number in listed if changes[number]]
    renew(made, [number for number in changed if cut[number]], [number for number in changed if not cut[number]], below)
    return with_root(order.tree, made[0])


def with_root(tree: Tree, root: Node) -> Tree:
    """The tree with another root of the same schema; the same tree if it has that root already."""
    return tree if root is tree.root else new_tree(tree.schema, root, missing=tree.missing)


def path_to(number: int, parents: Sequence[int], below: Sequence[range]) -> Path:
    """The path of a node from the root, which is number 0.

    >>> path_to(2, [-1, 0, 0], [range(1, 3), range(0), range(0)])
    (1,)
    """
    steps = []
    while number:
        above = parents[number]
        steps.append(number - below[above].start)
        number = above
    return tuple(reversed(steps))


# The scores of nodes as leaves


def risks_of(schema: Schema, nodes: Sequence[Counts]) -> list[float]:
    """The risk of each node with such counts as a leaf, on its own cases; the first is the root.

    It is the number of errors, or for other responses a share of the root's loss.

    >>> from ftree.tree import Schema, numbers
    >>> risks_of(Schema((), "mpg", (), response=numbers()), [(4, 8, 24), (2, 1, 1)])
    [1.0, 0.0625]
    """
    if schema.has_classes:
        return list(map(schema.response.risk, nodes))
    risks = response_of_sums(schema).risks(nodes)
    shares: list[float] = (risks / (risks[0] or 1.0)).tolist()
    return shares
