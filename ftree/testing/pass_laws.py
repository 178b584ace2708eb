"""Checks for pruning passes and their decisions."""

import pickle
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import accumulate, zip_longest
from math import inf
from typing import Literal, TypeAlias

from attrs import evolve
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ftree._lib.fields import require_function
from ftree.prune import Decision, Pass, compose, decisions_of, replay
from ftree.prune.decisions import after
from ftree.routing.missing_rules import weighted
from ftree.testing.laws import check_laws, check_stateless, equal, law, near, require_exempt
from ftree.testing.strategies import trees
from ftree.tree.edit import branch_of, is_pruning_of, subtree_at
from ftree.tree.fold import fold, leaves, n_leaves
from ftree.tree.nodes import Branch, Leaf, Node, Tree, children, preorder
from ftree.tree.response import Counts

_Law: TypeAlias = Literal["pruning", "once", "order", "deep"]
# Levels of a tree that passes prune in compiled code, where it is at hand, and of trees of which one is deeper than the other.
_LARGE, _LEVELS = 64, (16, 48)
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
    `estimate` is the score of a leaf, from its counts and the tree given; a decision must compare it with the sum over the leaves
    that the decisions before it left.

    A pass that raises subtrees or recounts cases is `exempt` from "pruning". A pass whose second run has other counts, or
    examines subtrees that the first run cut, is exempt from "once". A pass that judges in another order is exempt from "order".
    One that calls itself for each child, and so raises a RecursionError for trees deeper than Python's stack, is exempt from
    "deep".

    >>> from ftree.prune import collapse
    >>> check_pass(collapse(), estimate=lambda counts, _: sum(counts) - max(counts))
    """
    require_function("pass_", pass_)
    require_exempt(exempt, _Law)
    seen = list[Tree]()

    def laws(tree: Tree) -> None:
        seen.append(tree)
        copy = pickle.loads(pickle.dumps(tree))  # noqa: S301  # made here
        pruned = pass_(tree)
        _check_result(pass_, tree, pruned, exempt)
        law("pruning leaves its input unchanged", tree == copy, got=tree.root, wanted=copy.root)
        if hasattr(pass_, "decisions"):
            _check_decisions(pass_, tree, pruned, estimate, exempt)
        if oracle is not None:
            _check_oracle(pass_, tree, pruned, oracle(tree))

    drawn = doubled(trees() | trees(fractions=True)) if given_trees is None else given_trees
    own_rules = drawn | drawn.map(lambda tree: evolve(tree, missing=weighted()))
    check_stateless(pass_, laws, lambda own, tree: (own(_shallow(tree)), own(tree)), tree=own_rules)
    if hasattr(pass_, "decisions"):
        check_laws(
            lambda tree: _check_large(pass_, _enlarged(tree, _LARGE)), fewer=10, tree=trees() if given_trees is None else drawn
        )
    if "deep" not in exempt:
        check_deep(pass_, seen, exempt="deep")


def _check_large(pass_: Pass, large: Tree) -> None:
    told, pruned = replay(decisions_of(pass_, large), large), pass_(large)
    law("a large tree is pruned as its decisions say", told == pruned, got=pruned.root, wanted=told.root)


def doubled(own: SearchStrategy[Tree]) -> SearchStrategy[Tree]:
    """Trees, and trees with two of one shape: with equal counts in nodes, or equally weak links below a strong one."""
    return own | st.builds(_beside, own, st.just(_shallow)) | st.builds(_beside, own, st.just(_mirrored))


def _beside(tree: Tree, other: Callable[[Tree], Tree]) -> Tree:
    root = tree.root
    n = len(children(root))
    return evolve(tree, root=branch_of(root.split, ([root, other(tree).root] * n)[:n])) if isinstance(root, Branch) else tree


def _mirrored(tree: Tree) -> Tree:
    """The tree with the classes in reverse order and one more case of each in every leaf: links are as weak, but for rounding."""

    def leaf(one: Leaf) -> Node:
        return Leaf([count + 1 for count in reversed(one.counts)])

    return evolve(tree, root=fold(tree, leaf, lambda branch, below: branch_of(branch.split, below)))


def _shallow(tree: Tree) -> Tree:
    """The tree without what is below the root's children."""
    root = tree.root
    return tree if isinstance(root, Leaf) else evolve(tree, root=evolve(root, children=[Leaf(c.counts) for c in root.children]))


def _enlarged(tree: Tree, levels: int) -> Tree:
    """The tree below its root's split, again and again, beside leaves without cases, if there are any beside it."""
    root = tree.root
    if isinstance(root, Leaf) or len(root.children) == 1:
        return tree
    others = [Leaf([0] * len(root.counts))] * (len(root.children) - 1)
    for _ in range(levels):
        root = Branch(root.counts, root.split, [*others, root])
    return evolve(tree, root=root)


def check_deep(prune: Callable[[Tree], object], trees: Iterable[Tree], exempt: str = "") -> None:
    """A pass makes as many calls within calls for more levels, so that it prunes trees deeper than Python's stack."""
    shallow, deep = (_enlarged(max(trees, key=n_leaves), levels) for levels in _LEVELS)
    prune(deep)  # what is loaded now makes calls as well
    usual, most = _calls_within_calls(prune, shallow), _calls_within_calls(prune, deep)
    law("a pass does not call itself for each child", most < usual + _LEVELS[0], got=most, wanted=usual, exempt=exempt)


def _calls_within_calls(function: Callable[[Tree], object], tree: Tree) -> int:
    """How many calls within each other a function makes at most."""
    events, before = list[str](), sys.getprofile()
    sys.setprofile(lambda _frame, event, _argument: events.append(event))
    try:
        function(tree)
    finally:
        sys.setprofile(before)
    return max(accumulate((event == "call") - (event == "return") for event in events))


def _check_result(pass_: Pass, tree: Tree, pruned: Tree, exempt: Collection[_Law]) -> None:
    """The laws of a pruned tree, whatever the pass."""

    def holds(text: str, truth: object, name: str = "") -> None:
        law(text, truth, got=pruned.root, exempt=name, tree=tree.root)

    holds("a pass returns a pruning of its input", "pruning" in exempt or is_pruning_of(pruned, tree), "pruning")
    holds("a pass adds no leaf", n_leaves(pruned) <= n_leaves(tree))
    holds("a pass keeps the schema", pruned.schema == tree.schema)
    holds("a pass keeps the prediction rule", pruned.missing == tree.missing)
    holds("pruning twice is pruning once", "once" in exempt or pass_(pruned) == pruned, "once")
    holds("a pass that cuts nothing returns the same object" + _REMEDY, pruned is tree or pruned != tree)
    holds("untouched subtrees are shared" + _REMEDY, "pruning" in exempt or _shares(pruned, tree), "pruning")


def _check_oracle(pass_: Pass, tree: Tree, pruned: Tree, wanted: Tree | Iterable[Decision]) -> None:
    if isinstance(wanted, Tree):
        alike = _alike(pruned, wanted)
        law("a pass returns what the oracle returns", alike, got=pruned.root, wanted=wanted.root, tree=tree.root)
    else:
        _check_against(decisions_of(pass_, tree), wanted)


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


def _check_decisions(pass_: Pass, tree: Tree, pruned: Tree, estimate: Estimate | None, exempt: Collection[str]) -> None:
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


def _check_against(made: Sequence[Decision], wanted: Iterable[Decision]) -> None:
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
    law("decisions come children first or parents first", paths in (up, down), got=paths, wanted=(up, down), exempt="order")
    law("each branch is judged once", len(set(paths)) == len(paths), got=paths)
