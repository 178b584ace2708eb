"""The battery for pruning passes."""

import pickle
from collections.abc import Collection
from typing import Literal

from hypothesis import given
from hypothesis.strategies import SearchStrategy

from ftree._lib.fields import require_function
from ftree.prune import Pass, replay
from ftree.testing.strategies import ONE, trees
from ftree.tree.edit import is_pruning_of
from ftree.tree.measure import n_leaves
from ftree.tree.nodes import Branch, Node, Tree

_REMEDY = "; prune.from_function makes such a pass of a function that rebuilds its tree"


def check_pass(
    pass_: Pass,
    *,
    given_trees: SearchStrategy[Tree] | None = None,
    exempt: Collection[Literal["pruning", "once"]] = (),
) -> None:
    """Check a pass: it returns a pruning, pruning twice is pruning once, its input stays, and equal subtrees are shared.

    A pass that cuts nothing must return its input; `prune.from_function` makes such a pass of a function that rebuilds its
    tree. If the pass has `decisions`, replaying them must give its result, and their scores must justify every cut. A pass
    that raises subtrees or recounts cases is `exempt` from "pruning". A pass whose second run has other counts, or looks at
    what the first one cut, is exempt from "once".

    >>> from ftree.prune import collapse
    >>> check_pass(collapse())
    """
    require_function("pass_", pass_)

    @ONE
    @given(trees() if given_trees is None else given_trees)
    def laws(tree: Tree) -> None:
        copy = pickle.loads(pickle.dumps(tree))  # noqa: S301  # made here
        pruned = pass_(tree)
        assert "pruning" in exempt or is_pruning_of(pruned, tree), "a pass returns a pruning of its input"
        assert n_leaves(pruned) <= n_leaves(tree), "a pass adds no leaf"
        assert pruned.schema == tree.schema, "a pass leaves the schema"
        assert pruned.missing == tree.missing, "a pass leaves the prediction rule"
        assert tree == copy, "pruning leaves its input unchanged"
        assert "once" in exempt or pass_(pruned) == pruned, "pruning twice is pruning once"
        assert pruned is tree or pruned != tree, "a pass that cuts nothing returns the same object" + _REMEDY
        assert "pruning" in exempt or _shares(pruned, tree), "untouched subtrees are shared" + _REMEDY
        decisions = getattr(pass_, "decisions", None)
        if decisions is not None:
            made = decisions(tree)
            assert replay(made, tree) == pruned, "replaying the decisions gives the answer"
            for one in made:
                assert (one.becomes is None) == (one.done == "kept"), "only a kept node has no replacement"
                compared = one.cut and one.threshold is not None
                assert not compared or one.tie or one.as_leaf < one.threshold, "no branch is cut against its scores"

    laws()


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
