"""A user's script: parts of their own in policies and pruning; mypy and pyright must find nothing wrong with it."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen
from toolz import compose_left, pipe

from ftree import (
    C45,
    CART,
    CHAID,
    ID3,
    Branch,
    Dataset,
    Leaf,
    Node,
    Policy,
    Tree,
    accuracy,
    c45,
    c45_policy,
    cart,
    chaid,
    cross_validate,
    entropy,
    evolve,
    fold,
    from_dict,
    gain,
    gini,
    grow,
    id3,
    is_pruning_of,
    n_leaves,
    predict,
    prune,
    stop,
    to_dict,
)
from ftree.criteria import Frontier, any_of, compiled_impurity, hellinger, proportions, significance, twoing
from ftree.missing import surrogates
from ftree.prune import Decision, Measured
from ftree.splitters import (
    BestSplits,
    Measure,
    Runs,
    best_cuts,
    by_gain_ratio,
    by_score,
    c45_min_branch,
    cut_after,
    intervals,
    logistic,
    merging,
    multiway,
    oblique,
    one_value,
    per_feature,
    perceptrons,
    random_features,
    random_threshold,
    subset,
    threshold,
    two_sides,
)
from ftree.stop import max_depth, max_leaves, min_best_child, min_gain, min_rows, no_gain, not_significant, per_node, pure
from ftree.testing import check_export, check_impurity, check_pass, check_policy, check_rule, check_score
from ftree.tree import Multiway

Floats = npt.NDArray[np.float64]

WEATHER = Dataset.from_rows(
    [["sunny", 85.0], ["sunny", 80.0], ["overcast", 83.0], ["rainy", 70.0], ["rainy", 68.0], ["rainy", 65.0]] * 5,
    ["no", "no", "yes", "yes", "yes", "no"] * 5,
    features=["outlook", "temperature"],
    target="play",
)


# Stopping rules ---------------------------------------------------------------------------------------------------


def settled(frontier: Frontier) -> npt.NDArray[np.bool_]:
    """A rule of arrays."""
    return np.asarray(frontier.counts.max(axis=-1) >= 0.9 * frontier.weight)


def few_and_mixed(frontier):  # type: ignore[no-untyped-def]  # as users write it
    return (frontier.weight < 5) & (frontier.impurity > 0.9)


def deep(frontier: Frontier) -> bool:
    return frontier.depth > 3


COMPOSED = [
    CART.stop | settled,
    settled | CART.stop,
    ID3.stop & settled,
    settled & max_depth(3),
    ~(pure() | settled),
    ~pure() & ~min_rows(5),
    max_depth(6) | not_significant(0.05) | few_and_mixed,
    per_node(deep) | max_leaves(8),
    any_of(settled, deep, no_gain()),
    stop.not_(settled) | stop.all_of(min_best_child(2), min_gain(0.01)),
    stop.never | stop.always,
]
NARROW = ID3.stopping(settled).stopping(max_depth(2) | settled).stopping(lambda frontier: frontier.weight < 3)


# Impurities, scores and splitters ---------------------------------------------------------------------------------


def roots(counts: npt.ArrayLike) -> Floats:
    """An impurity."""
    shares = proportions(counts)
    return np.asarray((np.sqrt(shares).sum(axis=-1) - 1) * (shares.sum(axis=-1) > 0))


def loops(counts: Any) -> float:
    n, inner = counts.sum(), 0.0
    for count in counts:
        inner += (count / n) ** 0.5 if n > 0 else 0.0
    return inner - 1.0 if n > 0 else 0.0


def halved_gain(children: Any, impurity: Any) -> Any:
    """A score."""
    return gain(children, impurity) / 2


def evenness(children: Floats) -> Any:
    return -abs(children[..., 0, :].sum(axis=-1) - children[..., 1, :].sum(axis=-1))


@frozen
class Halves:
    """A splitter as a class."""

    kinds = ("numeric", "ordinal")

    def __call__(self, runs: Runs, measure: Measure) -> BestSplits:
        cut = best_cuts(runs, evenness)
        score = np.full(len(cut.score), -np.inf)
        for run in np.flatnonzero(cut.n_cuts):
            score[run] = measure(two_sides(runs, run, cut.below[run])[None])[0]
        return BestSplits(score, lambda run: cut_after(runs, run, cut.below[run]))


def least_tenth(weight: Floats, n_classes: int) -> Floats:
    return weight / (10 * n_classes)


# Policies ---------------------------------------------------------------------------------------------------------

POLICIES: list[Policy] = [
    ID3,
    C45,
    CART,
    CHAID,
    c45_policy(5),
    NARROW,
    Policy(),
    Policy(impurity=roots, splits=(multiway(), Halves()), stop=stop.pure() | stop.no_gain() | settled),
    Policy(
        impurity=gini,
        score=halved_gain,
        splits=[subset(min_cases=5), threshold(min_cases=c45_min_branch(2), mdl=True, at="observed")],
        choose=by_gain_ratio(),
        stop=pure() | (settled & max_depth(4)),
        missing=surrogates(at_most=3),
        priors=(0.5, 0.5),
        costs=[[0, 1], [2, 0]],
    ),
    Policy(stop=settled, choose=by_score(), missing="heaviest", impurity=lambda counts: entropy(counts) ** 0.5),
    evolve(ID3, impurity=gini).stopping(max_depth(6) | not_significant(0.05)),
    evolve(CART, impurity=compiled_impurity(loops)),
    evolve(CART, score=twoing, stop=max_leaves(4)),
    evolve(CART, score=hellinger),
    evolve(C45, splits=(subset(min_cases=2), C45.splits[1])),
    evolve(ID3, splits=(per_feature({"outlook": one_value()}, otherwise=(multiway(), threshold())),)),
    evolve(ID3, splits=(*ID3.splits, oblique(), oblique(by=logistic(ridge=0.1)), oblique(by=perceptrons(epochs=5)))),
    evolve(ID3, splits=(intervals(at_most=3), threshold(min_cases=least_tenth), Halves())),
    evolve(CHAID, splits=(merging(alpha_resplit=0.05, test=significance),)),
    evolve(CART, splits=(random_features(2, (subset(), random_threshold(seed=1)), seed=1),)),
]


# Pruning ----------------------------------------------------------------------------------------------------------


def shallow(tree: Tree) -> Tree:
    """A pass."""
    return prune.trim(max_depth(2) | settled)(tree)


@frozen
class Careful:
    """A pass with its own decisions."""

    limit: int = 3

    def __call__(self, tree: Tree) -> Tree:
        return prune.replay(self.decisions(tree), tree)

    def decisions(self, tree: Tree) -> tuple[Decision, ...]:
        return prune.trim(max_depth(self.limit)).decisions(tree)


def second_smallest(rows: Sequence[Measured]) -> Measured:
    """A choice of a tree."""
    return sorted(rows, key=lambda row: row.leaves)[1 if len(rows) > 1 else 0]


def pruned_trees() -> list[Tree]:
    train, held_out = WEATHER.split(0.6, seed=3)
    tree = grow(train, NARROW)
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
    by_toolz: Tree = pipe(tree, prune.reduced_error(held_out), prune.collapse(), shallow)
    left: Tree = compose_left(prune.purity(0.9), prune.snip([(0,)]), shallow)(grow(train))
    text: str = prune.explain(prune.compose(Careful(), prune.mdl()), tree, form="table") + prune.explain(shallow, tree)
    path = prune.cost_complexity_path(tree)
    validated = prune.cross_validated(WEATHER, partial(grow, policy=CART), folds=3)
    chosen = prune.select(validated, by=second_smallest)
    measured = prune.select(path, by=prune.within(0.01), on=held_out)
    assert text
    return [*(one(tree) for one in passes), composed(tree), by_toolz, left, chosen, measured]


def few(branch: Branch) -> Node:
    return branch if sum(branch.counts) >= 5 else Leaf(branch.counts)


def same(leaf: Leaf) -> Node:
    return leaf


def refolded(tree: Tree) -> Node:
    """The tree as rebuilt by a fold."""
    return fold(tree, same, lambda branch, below: few(Branch(branch.counts, branch.split, below)))


def depth(tree: Tree) -> int:
    return fold(tree, leaf=lambda _: 0, branch=lambda _, below: 1 + max(below))


def first_feature(tree: Tree) -> str:
    match tree.root:
        case Branch(_, Multiway(feature, _), _):
            return tree.schema.features[feature].name
        case Leaf() | Branch():
            return ""


def main() -> None:
    check_rule(settled)
    check_rule(few_and_mixed)
    check_impurity(roots)
    check_impurity(lambda counts: gini(counts) ** 0.5)
    check_policy(POLICIES[7])
    check_pass(shallow)
    check_pass(prune.from_function(refolded))
    check_pass(prune.from_branch_function(few))
    check_score(halved_gain)
    check_export(to_dict, exempt={"deep"})
    check_export(partial(to_dict, counts=True), from_=from_dict, exempt={"deep"})
    check_export(lambda tree: tree, predict=lambda tree, rows: [predict(tree, row) for row in rows], exempt={"deep"})
    for policy in POLICIES:
        tree = grow(WEATHER, policy)
        assert accuracy(tree, WEATHER) >= 0.5
        assert predict(tree, ["sunny", 70.0]) in ("no", "yes")
    for tree in pruned_trees():
        assert n_leaves(tree) >= 1
    assert is_pruning_of(shallow(grow(WEATHER)), grow(WEATHER))
    for learner in (id3, partial(c45, min_cases=3), partial(cart, by=second_smallest, folds=3), chaid):
        assert cross_validate(WEATHER, learner, folds=3)
    assert depth(grow(WEATHER)) >= 1
    assert first_feature(grow(WEATHER)) in ("", "outlook")


if __name__ == "__main__":
    main()
