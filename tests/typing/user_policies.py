"""A user's script: parts of their own in policies and pruning; mypy and pyright must find nothing wrong with it."""

from collections.abc import Sequence
from ctypes import CFUNCTYPE, POINTER, c_double, c_int64
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen
from toolz import compose_left, pipe

import ftree as ft
from ftree import linear, prune, splitters, stop
from ftree.criteria import Frontier, any_of, compiled_impurity, hellinger, proportions, significance, twoing
from ftree.missing import surrogates
from ftree.prune import Decision, Measured
from ftree.stop import max_depth, max_leaves, min_best_child, min_gain, min_rows, no_gain, not_significant, per_node, pure
from ftree.testing import check_export, check_impurity, check_pass, check_policy, check_rule, check_score
from ftree.tree import Multiway

Floats = npt.NDArray[np.float64]

WEATHER = ft.Dataset.from_rows(
    [["sunny", 85.0], ["sunny", 80.0], ["overcast", 83.0], ["rainy", 70.0], ["rainy", 68.0], ["rainy", 65.0]] * 5,
    ["no", "no", "yes", "yes", "yes", "no"] * 5,
    features=["outlook", "temperature"],
    target="play",
)


def settled(frontier: Frontier) -> npt.NDArray[np.bool_]:
    """A rule of arrays."""
    return np.asarray(frontier.counts.max(axis=-1) >= 0.9 * frontier.weight)


def few_and_mixed(frontier):  # type: ignore[no-untyped-def]  # as users write it
    return (frontier.weight < 5) & (frontier.impurity > 0.9)


def deep(frontier: Frontier) -> bool:
    return frontier.depth > 3


COMPOSED = [
    ft.CART.stop | settled,
    settled | ft.CART.stop,
    ft.ID3.stop & settled,
    settled & max_depth(3),
    ~(pure() | settled),
    ~pure() & ~min_rows(5),
    max_depth(6) | not_significant(0.05) | few_and_mixed,
    per_node(deep) | max_leaves(8),
    any_of(settled, deep, no_gain()),
    stop.not_(settled) | stop.all_of(min_best_child(2), min_gain(0.01)),
    stop.never | stop.always,
]
NARROW = ft.ID3.stopping(settled).stopping(max_depth(2) | settled).stopping(lambda frontier: frontier.weight < 3)


def roots(counts: npt.ArrayLike) -> Floats:
    """An impurity."""
    shares = proportions(counts)
    return np.asarray((np.sqrt(shares).sum(axis=-1) - 1) * (shares.sum(axis=-1) > 0))


def loops(counts: Any, n_classes: int) -> float:
    n, inner = sum(counts[:n_classes]), 0.0
    for count in counts[:n_classes]:
        inner += (count / n) ** 0.5 if n > 0 else 0.0
    return inner - 1.0 if n > 0 else 0.0


def halved_gain(children: Any, impurity: Any) -> Any:
    """A score."""
    return ft.gain(children, impurity) / 2


def evenness(children: Floats) -> Any:
    return -abs(children[..., 0, :].sum(axis=-1) - children[..., 1, :].sum(axis=-1))


@frozen
class Halves:
    """A splitter as a class."""

    kinds = ("numeric", "ordinal")

    def __call__(self, runs: splitters.Runs, measure: splitters.Measure) -> splitters.BestSplits:
        cut = splitters.best_cuts(runs, evenness)
        score = np.full(len(cut.score), -np.inf)
        for run in np.flatnonzero(cut.n_cuts):
            score[run] = measure(splitters.two_sides(runs, run, cut.below[run])[None])[0]
        return splitters.BestSplits(score, lambda run: splitters.cut_after(runs, run, cut.below[run]))


def least_tenth(weight: Floats, n_classes: int) -> Floats:
    return weight / (10 * n_classes)


POLICIES: list[ft.Policy] = [
    ft.ID3,
    ft.C45,
    ft.CART,
    ft.CHAID,
    ft.c45_policy(5),
    NARROW,
    ft.Policy(),
    ft.Policy(impurity=roots, splits=(splitters.multiway(), Halves()), stop=stop.pure() | stop.no_gain() | settled),
    ft.Policy(
        impurity=ft.gini,
        score=halved_gain,
        splits=[
            splitters.subset(min_cases=5),
            splitters.threshold(min_cases=splitters.c45_min_branch(2), mdl=True, at="observed"),
        ],
        choose=splitters.by_gain_ratio(),
        stop=pure() | (settled & max_depth(4)),
        missing=surrogates(at_most=3),
        priors=(0.5, 0.5),
        costs=[[0, 1], [2, 0]],
    ),
    ft.Policy(stop=settled, choose=splitters.by_score(), missing="heaviest", impurity=lambda counts: ft.entropy(counts) ** 0.5),
    ft.evolve(ft.ID3, impurity=ft.gini).stopping(max_depth(6) | not_significant(0.05)),
    ft.evolve(ft.CART, impurity=compiled_impurity(CFUNCTYPE(c_double, POINTER(c_double), c_int64)(loops))),
    ft.evolve(ft.CART, score=twoing, stop=max_leaves(4)),
    ft.evolve(ft.CART, score=hellinger),
    ft.evolve(ft.C45, splits=(splitters.subset(min_cases=2), ft.C45.splits[1])),
    ft.evolve(
        ft.ID3,
        splits=(
            splitters.per_feature({"outlook": splitters.one_value()}, otherwise=(splitters.multiway(), splitters.threshold())),
        ),
    ),
    ft.evolve(
        ft.ID3,
        splits=(
            *ft.ID3.splits,
            splitters.oblique(),
            splitters.oblique(by=splitters.logistic(ridge=0.1)),
            splitters.oblique(by=linear.perceptrons(epochs=5)),
        ),
    ),
    ft.evolve(ft.ID3, splits=(splitters.intervals(at_most=3), splitters.threshold(min_cases=least_tenth), Halves())),
    ft.evolve(ft.CHAID, splits=(splitters.merging(alpha_resplit=0.05, test=significance),)),
    ft.evolve(ft.CART, splits=(splitters.random_features(2, (splitters.subset(), splitters.random_threshold(seed=1)), seed=1),)),
]


def shallow(tree: ft.Tree) -> ft.Tree:
    """A pass."""
    return prune.trim(max_depth(2) | settled)(tree)


@frozen
class Careful:
    """A pass with its own decisions."""

    limit: int = 3

    def __call__(self, tree: ft.Tree) -> ft.Tree:
        return prune.replay(self.decisions(tree), tree)

    def decisions(self, tree: ft.Tree) -> tuple[Decision, ...]:
        return prune.trim(max_depth(self.limit)).decisions(tree)


def second_smallest(rows: Sequence[Measured]) -> Measured:
    """A choice of a tree."""
    return sorted(rows, key=lambda row: row.leaves)[1 if len(rows) > 1 else 0]


def pruned_trees() -> list[ft.Tree]:
    train, held_out = WEATHER.split(0.6, seed=3)
    tree = ft.grow(train, NARROW)
    passes: list[prune.Pass] = [
        prune.reduced_error(held_out, ties="keep", order="best_first"),
        prune.cost_complexity(0.01, risk=roots),
        prune.error_based(confidence=0.1, raise_with=train, collapse=True),
        prune.minimum_error(m=2, prior=(0.5, 0.5)),
        prune.critical_value(0.1, score=halved_gain, impurity=roots),
        prune.mdl(values=train),
        shallow,
        Careful(),
        prune.from_function(refolded),
        prune.from_branch_function(few),
    ]
    composed = prune.compose(prune.pessimistic(), shallow, Careful(2), lambda each: each)
    by_toolz: ft.Tree = pipe(tree, prune.reduced_error(held_out), prune.collapse(), shallow)
    left: ft.Tree = compose_left(prune.purity(0.9), prune.snip([(0,)]), shallow)(ft.grow(train))
    text: str = prune.explain(prune.compose(Careful(), prune.mdl()), tree, form="table") + prune.explain(shallow, tree)
    path = prune.cost_complexity_path(tree)
    validated = prune.cross_validated(WEATHER, partial(ft.grow, policy=ft.CART), folds=3)
    chosen = prune.select(validated, by=second_smallest)
    measured = prune.select(path, by=prune.within(0.01), on=held_out)
    assert text
    return [*(one(tree) for one in passes), composed(tree), by_toolz, left, chosen, measured]


def few(branch: ft.Branch) -> ft.Node:
    return branch if sum(branch.counts) >= 5 else ft.Leaf(branch.counts)


def same(leaf: ft.Leaf) -> ft.Node:
    return leaf


def refolded(tree: ft.Tree) -> ft.Node:
    """The tree as rebuilt by a fold."""
    return ft.fold(tree, same, lambda branch, below: few(ft.Branch(branch.counts, branch.split, below)))


def depth(tree: ft.Tree) -> int:
    return ft.fold(tree, leaf=lambda _: 0, branch=lambda _, below: 1 + max(below))


def first_feature(tree: ft.Tree) -> str:
    match tree.root:
        case ft.Branch(_, Multiway(feature, _), _):
            return tree.schema.features[feature].name
        case ft.Leaf() | ft.Branch():
            return ""


def main() -> None:
    check_rule(settled)
    check_rule(few_and_mixed)
    check_impurity(roots)
    check_impurity(lambda counts: ft.gini(counts) ** 0.5)
    check_policy(POLICIES[7])
    check_pass(shallow)
    check_pass(prune.from_function(refolded))
    check_pass(prune.from_branch_function(few))
    check_score(halved_gain)
    check_export(ft.to_dict, exempt={"deep"})
    check_export(partial(ft.to_dict, counts=True), from_=ft.from_dict, exempt={"deep"})
    check_export(lambda tree: tree, predict=lambda tree, rows: [ft.predict(tree, row) for row in rows], exempt={"deep"})
    for policy in POLICIES:
        tree = ft.grow(WEATHER, policy)
        assert ft.accuracy(tree, WEATHER) >= 0.5
        assert ft.predict(tree, ["sunny", 70.0]) in ("no", "yes")
    for tree in pruned_trees():
        assert ft.n_leaves(tree) >= 1
    assert ft.is_pruning_of(shallow(ft.grow(WEATHER)), ft.grow(WEATHER))
    for learner in (ft.id3, partial(ft.c45, min_cases=3), partial(ft.cart, by=second_smallest, folds=3), ft.chaid):
        assert ft.cross_validate(WEATHER, learner, folds=3)
    assert depth(ft.grow(WEATHER)) >= 1
    assert first_feature(ft.grow(WEATHER)) in ("", "outlook")


if __name__ == "__main__":
    main()
