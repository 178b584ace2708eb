"""The battery for pruning passes."""

import pickle
from collections.abc import Callable, Collection, Iterable
from itertools import zip_longest
from typing import Literal, TypeAlias

from attrs import evolve
from hypothesis import given
from hypothesis.strategies import SearchStrategy

from ftree._lib.fields import require_function
from ftree.prune import Decision, Pass, collapse, compose, decisions_of, replay
from ftree.testing.decision_laws import Estimate, check_against, check_decisions
from ftree.testing.laws import law, near, trying
from ftree.testing.strategies import trees
from ftree.tree.edit import is_pruning_of
from ftree.tree.measure import n_leaves, n_nodes
from ftree.tree.nodes import Branch, Leaf, Node, Tree, preorder

_Law: TypeAlias = Literal["pruning", "once", "order"]
# Nodes of a tree that passes prune in compiled code, where it is at hand.
_LARGE = 128
_REMEDY = "; prune.from_function makes such a pass from a function that rebuilds its tree"


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
