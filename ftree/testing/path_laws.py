"""The batteries for paths of prunings, such as those of weakest links, and for choices of one of their trees."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ftree._lib.fields import require_function
from ftree.criteria.impurity import Impurity, misclassification
from ftree.data.dataset import Dataset
from ftree.prune import PathStep
from ftree.prune.path_errors import Measured, cross_validated
from ftree.prune.select import PathChoice, measured, select
from ftree.prune.weakest_links import cost_complexity_path
from ftree.testing.laws import NEAR, equal, law, trying, way_down
from ftree.testing.strategies import datasets, trees
from ftree.tree.edit import is_pruning_of
from ftree.tree.fold import fold, leaves, n_leaves
from ftree.tree.nodes import Branch, Counts, Leaf, Node, Tree
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


_Law: TypeAlias = Literal["order", "smallest"]


def check_path_choice(
    choice: PathChoice, *, oracle: Callable[[list[tuple[int, float, float]]], int] | None = None, exempt: Collection[_Law] = ()
) -> None:
    """Check a choice of one tree of a path: it returns one of the rows, whatever their order, and no other is clearly better.

    The errors by which it chooses are those of the trees' predictions, which the battery counts row by row. Two laws can be
    `exempt`. "order": the order of the rows does not matter. "smallest": no tree with as few errors has fewer leaves.

    `oracle` gives the right choice: from each tree's leaves, error and standard error to the number of the tree.

    >>> from ftree.prune import within
    >>> check_path_choice(within(0.1))
    """
    require_function("choice", choice)

    @trying()
    @given(_rows(), st.randoms(use_true_random=False))
    def chooses(rows: list[Measured], random: Any) -> None:
        _check_chosen(choice, rows, exempt)
        order = random.sample(rows, len(rows))
        if "order" not in exempt:
            law("the order of the rows does not matter", _like(choice(order), choice(rows)), got=choice(order), rows=order)
        if oracle is not None:
            wanted = rows[oracle([(row.leaves, row.error, _standard_error(row)) for row in rows])]
            law("a choice is that of the oracle", _like(choice(rows), wanted), got=choice(rows), wanted=wanted, rows=rows)

    @trying(fewer=2)
    @given(_trees_with_cases())
    def measures(drawn: tuple[Tree, Dataset]) -> None:
        _check_measured(choice, *drawn)

    chooses()
    measures()


def _check_chosen(choice: PathChoice, rows: list[Measured], exempt: Collection[_Law]) -> None:
    """The choice is a row, and among the rows with as few errors it has the fewest leaves."""
    chosen = choice(rows)
    law("a choice returns one of the rows", any(chosen is row for row in rows), got=chosen, rows=rows)
    equal("a standard error is that of a proportion", chosen.standard_error, _standard_error(chosen), row=chosen)
    for row in () if "smallest" in exempt else rows:
        better = (row.error, row.leaves) != (chosen.error, chosen.leaves)
        better = better and row.error <= chosen.error and row.leaves <= chosen.leaves
        law("no smaller tree has as few errors, and none of its size fewer", not better, got=chosen, better=row, rows=rows)


def _check_measured(choice: PathChoice, tree: Tree, dataset: Dataset) -> None:
    """The errors of a path are those that counting finds, measured at once or fold by fold."""
    path = list(cost_complexity_path(tree))
    wanted = [_error(step.tree, dataset) for step in path]
    rows = measured(path, dataset)
    equal("an error is the share of the cases that a tree predicts wrongly", [row.error for row in rows], wanted, tree=tree.root)
    folds = cross_validated(dataset, lambda _: tree, folds=2)
    equal("if all folds grow one tree, its errors are those on all cases", [row.error for row in folds], wanted, tree=tree.root)
    kept = [[(row.leaves, row.alpha, row.cp) for row in found] for found in (rows, folds)]
    equal("leaves, alpha and cp are those of the path", kept, [[(step.leaves, step.alpha, step.cp) for step in path]] * 2)
    law("select returns the tree that is chosen", select(path, by=choice, on=dataset) == choice(rows).tree, rows=rows)


def _error(tree: Tree, dataset: Dataset) -> float:
    """The share of cases outside the majority class of their leaf, or of its nearest ancestor with cases if it has none."""
    weights = np.ones(len(dataset)) if dataset.weights is None else np.asarray(dataset.weights, dtype=np.float64)
    wrong = [node.counts.index(max(node.counts)) != label for node, label in _ends(tree, dataset)]
    return float(weights[np.array(wrong)].sum() / weights.sum())


def _ends(tree: Tree, dataset: Dataset) -> Iterator[tuple[Node, int]]:
    """The node that predicts for each row, and the class of the row."""
    for row, label in enumerate(dataset.labels.tolist()):
        way = way_down(tree, [column[[row]] for column in dataset.columns])
        yield next((node for node in reversed(way) if any(node.counts)), tree.root), label


def _standard_error(row: Measured) -> float:
    return float((max(row.error * (1 - row.error), 0) / row.cases) ** 0.5)


def _like(one: Measured, other: Measured) -> bool:
    return (one.leaves, one.error) == (other.leaves, other.error)


@st.composite
def _trees_with_cases(draw: DrawFn) -> tuple[Tree, Dataset]:
    """A tree, and at least two rows that each have an answer at every split on their path."""
    tree = draw(trees(max_leaves=8))
    dataset = draw(datasets(schema=tree.schema, min_rows=2, weighted=draw(st.booleans())))
    ways = [way_down(tree, [column[[row]] for column in dataset.columns]) for row in range(len(dataset))]
    ends = [row for row, way in enumerate(ways) if isinstance(way[-1], Leaf)]
    return (tree, dataset.take(ends)) if len(ends) > 1 else (Tree(tree.schema, _leaf(tree)), dataset)


def _leaf(tree: Tree) -> Node:
    node = tree.root
    while isinstance(node, Branch):
        node = node.children[0]
    return node


@st.composite
def _rows(draw: DrawFn) -> list[Measured]:
    """Measured trees with decreasing numbers of leaves, as on a path; errors are hundredths."""
    sizes = sorted(draw(st.sets(st.integers(1, 20), min_size=1, max_size=6)), reverse=True)
    tree = draw(trees(schema=Schema((), "class", ("a", "b")), max_leaves=1))
    cases = draw(st.sampled_from([20.0, 100.0, 1000.0]))
    return [Measured(size, draw(st.integers(0, 40)) / 100, cases, tree) for size in sizes]
