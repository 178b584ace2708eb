"""The battery for pruning passes, and the laws of their decisions."""

import pickle
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import zip_longest
from math import inf
from typing import Literal, TypeAlias, get_args

from attrs import evolve
from hypothesis import given
from hypothesis.strategies import SearchStrategy

from ftree._lib.fields import require_function
from ftree.prune import Decision, Pass, collapse, compose, decisions_of, explain, replay
from ftree.prune.decisions import Done, after
from ftree.testing.laws import equal, law, near, trying
from ftree.testing.strategies import trees
from ftree.tree.edit import is_pruning_of, subtree_at
from ftree.tree.fold import leaves, n_leaves, n_nodes
from ftree.tree.nodes import Branch, Counts, Leaf, Node, Tree, preorder

_Law: TypeAlias = Literal["pruning", "once", "order"]
# Nodes of a tree that passes prune in compiled code, where it is at hand.
_LARGE = 128
_REMEDY = "; prune.from_function makes such a pass from a function that rebuilds its tree"
# The score of a leaf, from its class counts and the tree that is pruned.
Estimate: TypeAlias = Callable[[Counts, Tree], float]


def check_pass(
    pass_: Pass,
    *,
    given_trees: SearchStrategy[Tree] | None = None,
    oracle: Callable[[Tree], Tree | Iterable[Decision]] | None = None,
    estimate: Estimate | None = None,
    exempt: Collection[_Law] = (),
) -> None:
    """Check a pass: it returns a pruning, pruning twice is pruning once, its input is unchanged, and equal subtrees are shared.

    A pass that cuts nothing must return its input; `prune.from_function` makes such a pass from a function that rebuilds its
    tree. If the pass has `decisions`, each has the counts of its branch, and scores that justify the decision. They come
    children first or parents first, and replaying them gives the result, for large trees as well.

    `oracle` gives the right result: a function from a tree to the pruned tree, whose counts may differ by rounding, or to all
    decisions, with their scores.
    `estimate` is the score of a leaf, from its counts and the tree; decisions must then compare it with the sum over the leaves.

    A pass that raises subtrees or recounts cases is `exempt` from "pruning". A pass whose second run has other counts, or
    examines subtrees that the first run cut, is exempt from "once". A pass that judges in another order is exempt from "order".

    >>> from ftree.prune import collapse
    >>> check_pass(collapse(), estimate=lambda counts, _: sum(counts) - max(counts))
    """
    require_function("pass_", pass_)

    @trying()
    @given(trees() | trees(fractions=True) if given_trees is None else given_trees)
    def laws(tree: Tree) -> None:
        copy = pickle.loads(pickle.dumps(tree))  # noqa: S301  # made here
        pruned = pass_(tree)
        _check_result(pass_, tree, pruned, exempt)
        law("pruning leaves its input unchanged", tree == copy, got=tree.root, wanted=copy.root)
        if hasattr(pass_, "decisions"):
            check_decisions(pass_, tree, pruned, estimate, exempt)
        if oracle is not None:
            _check_oracle(pass_, tree, pruned, oracle(tree))
        both = compose(pass_, collapse())(tree)
        law("a pass composes with another one", both == collapse()(pruned), got=both.root, tree=tree.root)

    @trying(fewer=10)
    @given(trees() if given_trees is None else given_trees)
    def laws_of_large_trees(tree: Tree) -> None:
        large = _enlarged(tree)
        told, pruned = replay(decisions_of(pass_, large), large), pass_(large)
        law("a large tree is pruned as its decisions say", told == pruned, got=pruned.root, wanted=told.root)

    laws()
    if hasattr(pass_, "decisions"):
        laws_of_large_trees()


def _enlarged(tree: Tree) -> Tree:
    """The tree below its root's split, again and again, beside leaves without cases: large enough for compiled code."""
    root = tree.root
    while isinstance(root, Branch) and len(root.children) > 1 and n_nodes(root) < _LARGE:
        others = [Leaf([0] * len(root.counts))] * (len(root.children) - 1)
        root = Branch(root.counts, root.split, [*others, root])
    return evolve(tree, root=root)


def _check_result(pass_: Pass, tree: Tree, pruned: Tree, exempt: Collection[_Law]) -> None:
    """The laws of a pruned tree, whatever the pass."""

    def holds(text: str, truth: object) -> None:
        law(text, truth, got=pruned.root, tree=tree.root)

    holds("a pass returns a pruning of its input", "pruning" in exempt or is_pruning_of(pruned, tree))
    holds("a pass adds no leaf", n_leaves(pruned) <= n_leaves(tree))
    holds("a pass keeps the schema", pruned.schema == tree.schema)
    holds("a pass keeps the prediction rule", pruned.missing == tree.missing)
    holds("pruning twice is pruning once", "once" in exempt or pass_(pruned) == pruned)
    holds("a pass that cuts nothing returns the same object" + _REMEDY, pruned is tree or pruned != tree)
    holds("untouched subtrees are shared" + _REMEDY, "pruning" in exempt or _shares(pruned, tree))


def _check_oracle(pass_: Pass, tree: Tree, pruned: Tree, wanted: Tree | Iterable[Decision]) -> None:
    if isinstance(wanted, Tree):
        alike = _alike(pruned, wanted)
        law("a pass returns what the oracle returns", alike, got=pruned.root, wanted=wanted.root, tree=tree.root)
    else:
        check_against(decisions_of(pass_, tree), wanted)


def _alike(one: Tree, other: Tree) -> bool:
    """Whether two trees have the same splits, and the same counts except for rounding errors."""
    pairs = list(zip_longest(preorder(one), preorder(other)))
    splits = [[getattr(node, "split", None) for node in pair] for pair in pairs]
    return all(None not in pair and near(pair[0].counts, pair[1].counts) for pair in pairs) and all(a == b for a, b in splits)


def _shares(pruned: Tree, tree: Tree) -> bool:
    """Whether equal subtrees at equal paths are the same object."""
    pairs: list[tuple[Node, Node]] = [(pruned.root, tree.root)]
    while pairs:
        one, other = pairs.pop()
        if one is not other:
            if one == other:
                return False
            if isinstance(one, Branch) and isinstance(other, Branch):
                pairs.extend(zip(one.children, other.children, strict=True))
    return True


def check_decisions(pass_: Pass, tree: Tree, pruned: Tree, estimate: Estimate | None, exempt: Collection[str]) -> None:
    """Apply the decisions of a pass one by one, each checked on the tree before it; they lead to the pass's result."""
    made = decisions_of(pass_, tree)
    now = tree
    for one in made:
        _check_place(one, now)
        _check_scores(one)
        if estimate is not None:
            _check_figures(one, now, estimate, tree)
        now = after(now, one)
    law("replaying the decisions gives the result", now == pruned, got=now.root, wanted=pruned.root, tree=tree.root)
    if "order" not in exempt and not isinstance(pass_, compose):  # each pass of a composition has its own order
        _check_order(made)
    _check_explained(pass_, tree, made)


def check_against(made: Sequence[Decision], wanted: Iterable[Decision]) -> None:
    """The decisions of a pass are those of an oracle, in the same order, with the same scores."""
    expected = tuple(wanted)
    done = [(one.path, one.done) for one in made]
    equal("a pass decides what the oracle decides", done, [(one.path, one.done) for one in expected])
    for one, other in zip(made, expected, strict=True):
        for name in ("counts", "as_leaf", "as_subtree", "threshold"):
            mine, its = getattr(one, name), getattr(other, name)
            law(f"{name} is that of the oracle", mine == its or near(mine, its), got=mine, wanted=its, decision=one)


def _check_place(one: Decision, now: Tree) -> None:
    """A decision has the counts of its branch, and a cut leaves a leaf with these counts."""
    node = subtree_at(now, one.path).root
    law("a decision is about a branch", isinstance(node, Branch) or one.done == "recounted", got=node, decision=one)
    equal("a decision has the counts of its branch", one.counts, node.counts, decision=one)
    law("only a kept node has no replacement", (one.becomes is None) == (one.done == "kept"), got=one.becomes, decision=one)
    law("a cut leaves a leaf with the branch's counts", not one.cut or one.becomes == Leaf(node.counts), got=one.becomes, of=one)


def _check_scores(one: Decision) -> None:
    """A branch is cut if and only if its score as a leaf is at most the threshold; a tie permits either."""
    if one.as_leaf is None or one.threshold is None or one.tie:
        return
    law("no branch is cut against its scores", not one.cut or one.as_leaf < one.threshold, decision=one)
    law("no branch is kept against its scores", one.done != "kept" or one.as_leaf > one.threshold, decision=one)


def _check_figures(one: Decision, now: Tree, estimate: Estimate, tree: Tree) -> None:
    """The scores are the estimate for the branch as a leaf, and the sum of the estimates for its leaves."""
    branch = subtree_at(now, one.path)
    equal("the score as a leaf is the estimate for its counts", one.as_leaf, estimate(one.counts, tree), decision=one)
    below = sum(estimate(leaf.counts, tree) for leaf in leaves(branch))
    equal("the score as a subtree is the sum of its leaves' estimates", one.as_subtree, below, decision=one, branch=branch.root)


def _check_order(made: Sequence[Decision]) -> None:
    """Each branch is judged once: all children first, or all parents first; from left to right."""
    paths = [one.path for one in made if one.done != "recounted"]
    up, down = sorted(paths, key=lambda path: (*path, inf)), sorted(paths)
    law("decisions come children first or parents first", paths in (up, down), got=paths, wanted=f"{up} or {down}")
    law("each branch is judged once", len(set(paths)) == len(paths), got=paths)


def _check_explained(pass_: Pass, tree: Tree, made: Sequence[Decision]) -> None:
    """The table of `explain` has a line for each decision, and the text a line for each node; both name the decision."""
    rows = explain(pass_, tree, form="table").splitlines()[1:]
    done = [row.split()[-1] for row in rows[: len(made)]]
    equal("the table of explain has every decision", done, [one.done for one in made])
    notes = len(rows) - len(made)  # a last line, where a pass gives no scores
    law("only a pass without scores has a note", bool(notes) == any(one.as_leaf is None for one in made), got=rows)
    beside = explain(pass_, tree).splitlines()[1:]
    beside = beside[: len(beside) - notes]
    again = len(made) - len({one.path for one in made})
    raised = any(one.done == "raised" for one in made)  # raised nodes are judged again under other paths
    law(
        "the text of explain has a line for each node", raised or len(beside) == n_nodes(tree) + again, got=beside, tree=tree.root
    )
    said = sorted(last for last in (line.split()[-1] for line in beside if line) if last in get_args(Done))
    equal("the text of explain names the decisions", said, sorted(one.done for one in made))
