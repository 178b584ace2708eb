"""The battery for paths of prunings, such as those of weakest links."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis.strategies import SearchStrategy

from ftree._lib.fields import require_function
from ftree.criteria.impurity import Impurity, misclassification
from ftree.prune import PathStep
from ftree.testing.laws import NEAR, equal, law, trying
from ftree.testing.strategies import trees
from ftree.tree.edit import is_pruning_of
from ftree.tree.fold import fold, leaves
from ftree.tree.measure import n_leaves
from ftree.tree.nodes import Branch, Counts, Leaf, Tree


def check_path(
    path: Callable[[Tree], Iterable[Tree | PathStep]],
    *,
    risk: Impurity = misclassification,
    given_trees: SearchStrategy[Tree] | None = None,
) -> None:
    """Check a path: from a tree to prunings of it, the largest first, each a smaller pruning of the one before.

    If it gives steps with alphas, these increase from 0, and leaves, risk and cp are those of the tree, with risks added up leaf
    by leaf. Each tree is then the smallest of the best prunings for its alpha, and remains best up to the next alpha.

    >>> from ftree.prune import cost_complexity_path
    >>> check_path(cost_complexity_path)
    """
    require_function("path", path)

    @trying()
    @given(trees() if given_trees is None else given_trees)
    def laws(tree: Tree) -> None:
        steps = list(path(tree))
        grown = [step.tree if isinstance(step, PathStep) else step for step in steps]
        law("a path has a tree", bool(grown), tree=tree.root)
        for larger, smaller in pairwise([tree, *grown]):
            law("each tree is a pruning of the one before", is_pruning_of(smaller, larger), got=smaller.root, of=larger.root)
        law("consecutive trees differ", all(a != b for a, b in pairwise(grown)), got=[one.root for one in grown], tree=tree.root)
        if all(isinstance(step, PathStep) for step in steps):
            _check_steps(tree, steps, risk)

    laws()


def _check_steps(tree: Tree, steps: Sequence[Any], risk: Impurity) -> None:
    def of_leaf(counts: Counts) -> float:
        return float(risk(np.array(counts, dtype=np.float64))) * sum(counts) / (sum(tree.root.counts) or 1)

    alphas = [step.alpha for step in steps]
    law("alphas increase from 0", alphas[0] == 0 and all(a < b for a, b in pairwise(alphas)), got=alphas, tree=tree.root)
    equal("the last tree is a leaf", steps[-1].leaves, 1, tree=tree.root)
    whole = of_leaf(tree.root.counts)
    for step, after in zip(steps, [*alphas[1:], 2 * alphas[-1] + 1], strict=True):
        equal("a step has the leaves of its tree", step.leaves, n_leaves(step.tree), tree=step.root)
        equal("a step has the risk of its leaves", step.risk, sum(of_leaf(leaf.counts) for leaf in leaves(step.tree)), step=step)
        equal("cp is alpha over the risk of the root", step.cp, step.alpha / whole if whole else 0.0, step=step)
        for alpha in (step.alpha, (step.alpha + after) / 2):
            least, size = _cheapest(tree, of_leaf, alpha)
            cost = step.risk + alpha * step.leaves
            law(f"no pruning is cheaper at alpha = {alpha}", cost <= least + NEAR, got=cost, wanted=least, tree=tree.root)
            equal(f"of the cheapest at alpha = {alpha} it is the smallest", step.leaves, size, tree=tree.root)


def _cheapest(tree: Tree, of_leaf: Callable[[Counts], float], alpha: float) -> tuple[float, int]:
    """The least cost of any pruning, and the leaves of the smallest pruning with that cost."""

    def alone(leaf: Leaf) -> tuple[float, int]:
        return of_leaf(leaf.counts) + alpha, 1

    def better(branch: Branch, below: Sequence[tuple[float, int]]) -> tuple[float, int]:
        cut, kept = of_leaf(branch.counts) + alpha, sum(cost for cost, _ in below)
        return (cut, 1) if cut <= kept + NEAR else (kept, sum(size for _, size in below))

    return fold(tree, alone, better)
