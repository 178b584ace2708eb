"""Checks for paths of prunings, such as those of weakest links, and for choices of one of their trees."""

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ftree._lib.fields import require_function
from ftree.criteria.impurity import Impurity, misclassification
from ftree.prune import PathStep
from ftree.prune.path_choice import Measured, PathChoice
from ftree.testing.laws import NEAR, check_stateless, equal, law, require_exempt
from ftree.testing.pass_laws import check_deep, doubled
from ftree.testing.strategies import trees
from ftree.tree.edit import is_pruning_of
from ftree.tree.fold import fold, leaves, n_leaves
from ftree.tree.nodes import Branch, Leaf, Tree
from ftree.tree.response import Counts
from ftree.tree.schema import Schema


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
    seen = list[Tree]()

    def laws(tree: Tree) -> None:
        seen.append(tree)
        steps = list(path(tree))
        grown = [step.tree if isinstance(step, PathStep) else step for step in steps]
        law("a path has a tree", bool(grown), tree=tree.root)
        for larger, smaller in pairwise([tree, *grown]):
            law("each tree is a pruning of the one before", is_pruning_of(smaller, larger), got=smaller.root, of=larger.root)
        law("consecutive trees differ", all(a != b for a, b in pairwise(grown)), got=[one.root for one in grown], tree=tree.root)
        if all(isinstance(step, PathStep) for step in steps):
            _check_steps(tree, steps, risk)

    drawn = doubled(trees()) if given_trees is None else given_trees
    check_stateless(path, laws, lambda own, tree: [getattr(step, "tree", step) for step in own(tree)], tree=drawn)
    check_deep(lambda tree: list(path(tree)), seen)


def _check_steps(tree: Tree, steps: Sequence[Any], risk: Impurity) -> None:
    def of_leaf(counts: Counts) -> float:
        if not tree.schema.has_classes:
            return tree.schema.response.risk(counts) / (tree.root.counts[0] or 1)
        return float(risk(np.array(counts, dtype=np.float64))) * sum(counts) / (sum(tree.root.counts) or 1)

    alphas = [step.alpha for step in steps]
    law("alphas increase from 0", alphas[0] == 0 and all(a < b for a, b in pairwise(alphas)), got=alphas, tree=tree.root)
    equal("the last tree is a leaf", steps[-1].leaves, 1, tree=tree.root)
    whole = of_leaf(tree.root.counts)
    for step, following in zip(steps, [*alphas[1:], 2 * alphas[-1] + 1], strict=True):
        equal("a step has the leaves of its tree", step.leaves, n_leaves(step.tree), tree=step.root)
        equal("a step has the risk of its leaves", step.risk, sum(of_leaf(leaf.counts) for leaf in leaves(step.tree)), step=step)
        equal("cp is alpha over the risk of the root", step.cp, step.alpha / whole if whole else 0.0, step=step)
        for alpha in (step.alpha, (step.alpha + following) / 2):
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


_ChoiceLaw: TypeAlias = Literal["order", "smallest"]


def check_path_choice(
    choice: PathChoice,
    *,
    oracle: Callable[[list[tuple[int, float, float]]], int] | None = None,
    exempt: Collection[_ChoiceLaw] = (),
) -> None:
    """Check a choice of one tree of a path: it returns one of the rows, whatever their order, and no other is clearly better.

    Two laws can be `exempt`. "order": the order of the rows does not matter. "smallest": no tree with as few errors has fewer
    leaves.

    `oracle` gives the right choice: from each tree's leaves, error and standard error to the number of the tree.

    >>> from ftree.prune import within
    >>> check_path_choice(within(0.1))
    """
    require_function("choice", choice)
    require_exempt(exempt, _ChoiceLaw)

    def laws(rows: list[Measured], random: Any) -> None:
        chosen = choice(rows)
        _check_chosen(chosen, rows, exempt)
        if "order" not in exempt:
            order = random.sample(rows, len(rows))
            found = choice(order)
            law("the order of the rows does not matter", _like(found, chosen), got=found, rows=order, exempt="order")
        if oracle is not None:
            wanted = rows[oracle([(row.leaves, row.error, row.standard_error) for row in rows])]
            law("a choice is that of the oracle", _like(chosen, wanted), got=chosen, wanted=wanted, rows=rows)

    check_stateless(choice, laws, lambda own, rows, **_: own(rows).leaves, rows=_rows(), random=st.randoms(use_true_random=False))


def _check_chosen(chosen: Measured, rows: list[Measured], exempt: Collection[_ChoiceLaw]) -> None:
    """The choice is a row, and among the rows with as few errors it has the fewest leaves."""
    law("a choice returns one of the rows", any(chosen is row for row in rows), got=chosen, rows=rows)
    for row in () if "smallest" in exempt else rows:
        better = (row.error, row.leaves) != (chosen.error, chosen.leaves)
        better = better and row.error <= chosen.error and row.leaves <= chosen.leaves
        text = "no smaller tree has as few errors, and none of its size fewer"
        law(text, not better, got=chosen, exempt="smallest", better=row, rows=rows)


def _like(one: Measured, other: Measured) -> bool:
    return (one.leaves, one.error) == (other.leaves, other.error)


@st.composite
def _rows(draw: DrawFn) -> list[Measured]:
    """Measured trees with decreasing numbers of leaves, as on a path; errors are hundredths, many of them near each other."""
    sizes = sorted(draw(st.sets(st.integers(1, 20), min_size=1, max_size=6)), reverse=True)
    tree = draw(trees(schema=Schema((), "class", ("a", "b")), max_leaves=1))
    cases = draw(st.sampled_from([20.0, 100.0, 1000.0]))
    errors = st.integers(0, 40) | st.integers(10, 13)
    return [Measured(size, draw(errors) / 100, cases, tree) for size in sizes]
