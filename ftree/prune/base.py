"""The base of the passes: compare the score of each branch as a leaf with its score as a subtree, and cut."""

from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import TypeAlias, cast

from attrs import frozen

from ftree._lib.gc_pause import gc_paused
from ftree.prune.compare import at_most
from ftree.prune.decisions import Decision, Done, Record, ignore_decision, top_down
from ftree.prune.order import LevelOrder, in_level_order
from ftree.tree.build import new_branches, new_leaves, new_tree, set_children
from ftree.tree.nodes import Branch, Counts, Leaf, Node, Tree, majority, with_children


@frozen(eq=False)
class Candidate:
    """A node to judge: its number in `order`, and the counts in which its errors are counted, its own or those of other data."""

    node: Node
    number: int
    order: LevelOrder
    eval_counts: Counts


# The score of a node as a leaf, and that of a branch from the scores of its children.
LeafScore: TypeAlias = Callable[[Candidate], float]
SubtreeScore: TypeAlias = "Callable[[Candidate, list[float]], float]"
# The threshold that the score as a leaf must reach, and whether to cut; None for a branch that is not judged.
Comparison: TypeAlias = "tuple[float | None, bool] | None"
# From a candidate, its scores as a leaf and as a subtree, and its children after pruning.
Compare: TypeAlias = "Callable[[Candidate, float, float, list[Node]], Comparison]"


@gc_paused()
def bottom_up(
    tree: Tree,
    leaf_score: LeafScore,
    compare: Compare,
    *,
    record: Record,
    subtree_score: SubtreeScore = lambda _, below: sum(below),
    order: LevelOrder | None = None,
    eval_counts: Sequence[Counts] | None = None,
    scores_ignore_cuts: bool = False,
) -> Tree:
    """Judge every branch, children first, and cut where `compare` says so.

    Untouched subtrees are shared, and the tree itself is returned if nothing is cut. With `scores_ignore_cuts`, a branch's
    score as a subtree ignores cuts below it: the result is then that of judging from the root down.
    """
    order = in_level_order(tree) if order is None else order
    made, scores = list(order.nodes), [0.0] * len(order.nodes)
    decisions: list[Decision] = []
    for number in reversed(range(len(made))):
        node, kids = made[number], order.below[number]
        candidate = Candidate(node, number, order, node.counts if eval_counts is None else eval_counts[number])
        scores[number] = as_leaf = leaf_score(candidate)
        if isinstance(node, Leaf):
            continue
        nodes = made[kids.start : kids.stop]
        scores[number] = as_subtree = subtree_score(candidate, scores[kids.start : kids.stop])
        comparison = compare(candidate, as_leaf, as_subtree, nodes)
        threshold, cut = comparison or (None, False)
        made[number] = Leaf(node.counts) if cut else with_children(node, nodes)
        if cut and not scores_ignore_cuts:
            scores[number] = as_leaf
        if comparison is not None and record is not ignore_decision:
            decisions.append(decision_about(candidate, as_leaf, as_subtree, threshold, made[number] if cut else None))
    for decision in sorted(decisions, key=lambda decision: (*decision.path, inf)):  # children first, left to right
        record(decision)
    return with_root(tree, made[0])


def root_first(tree: Tree, leaf_score: LeafScore, compare: Compare, *, record: Record) -> Tree:
    """Judge branches from the root down, and cut where `compare` says so; nothing below a cut is judged."""
    decisions: list[Decision] = []
    inner: Record = ignore_decision if record is ignore_decision else decisions.append
    pruned = bottom_up(tree, leaf_score, compare, record=inner, scores_ignore_cuts=True)
    for decision in top_down(decisions):
        record(decision)
    return pruned


def cut_from_root(order: LevelOrder, cut: Sequence[bool]) -> Node:
    """The root of a tree whose marked branches become leaves; nodes below the topmost cuts are not visited."""
    nodes, below = order.nodes, order.below
    changes = [is_cut and bool(kids) for is_cut, kids in zip(cut, below, strict=True)]
    for number in range(len(nodes) - 1, 0, -1):
        changes[order.parents[number]] |= changes[number]
    made, listed = list(nodes), [0]
    for number in listed:  # the list grows while it is read
        if changes[number] and not cut[number]:
            listed += below[number]
    changed = [number for number in listed if changes[number]]
    closed, renewed = [number for number in changed if cut[number]], [number for number in changed if not cut[number]]
    branches = new_branches(
        [nodes[number].counts for number in renewed], [cast("Branch", nodes[number]).split for number in renewed]
    )
    news: list[Node] = [*new_leaves([nodes[number].counts for number in closed]), *branches]
    for number, new in zip(closed + renewed, news, strict=True):
        made[number] = new
    set_children(branches, [tuple(made[below[number].start : below[number].stop]) for number in renewed])
    return made[0]


def decision_about(
    candidate: Candidate, as_leaf: float, as_subtree: float, threshold: float | None, becomes: Node | None
) -> Decision:
    """A decision about a candidate: it is cut to the leaf `becomes`, or kept if `becomes` is None."""
    done: Done = "kept" if becomes is None else "cut"
    path = candidate.order.path(candidate.number)
    return Decision(path, candidate.node.counts, as_leaf, as_subtree, threshold, done, becomes=becomes)


def with_root(tree: Tree, root: Node) -> Tree:
    """The tree with another root of the same schema; the same tree if it has that root already."""
    return tree if root is tree.root else new_tree(tree.schema, root, missing=tree.missing)


def errors(candidate: Candidate) -> float:
    """Cases of `eval_counts` that the candidate would classify wrongly as a leaf."""
    counts = candidate.eval_counts
    if counts is candidate.node.counts:
        return sum(counts) - max(counts)
    return sum(counts) - counts[majority(candidate.order.nearest_with_cases(candidate.number).counts)]


def all_leaves(nodes: Iterable[Node]) -> bool:
    """Whether all nodes are leaves, so that a branch with these children has no branch below it."""
    return all(isinstance(node, Leaf) for node in nodes)


def no_worse(_: Candidate, as_leaf: float, as_subtree: float, __: list[Node]) -> Comparison:
    """Cut where the score as a leaf is at most the score as a subtree."""
    return as_subtree, at_most(as_leaf, as_subtree)
