"""Batteries of laws for parts of your own: rules, impurities, passes and policies."""

import pickle
from collections.abc import Collection, Hashable
from typing import Any, Literal

import numpy as np
from attrs import evolve
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ftree.criteria.frontier import Frontier
from ftree.criteria.impurity import Impurity
from ftree.criteria.predicate import StoppingRule, ask
from ftree.criteria.scores import gain
from ftree.data.dataset import Dataset
from ftree.growth.grow import grow
from ftree.growth.levels import Level
from ftree.policy import Policy
from ftree.prune import (
    Pass,
    replay,
)
from ftree.routing.all_routes import all_routes
from ftree.routing.predict import predict
from ftree.routing.route import arrivals
from ftree.stop import (
    all_of,
    any_of,
    leaf_limit,
    never,
    not_,
)
from ftree.testing.strategies import ONE, datasets, frontiers, rules, trees
from ftree.tree.edit import is_pruning_of
from ftree.tree.fold import leaves, unfold, walk
from ftree.tree.measure import depth, n_leaves
from ftree.tree.nodes import Branch, Leaf, Node, Tree
from ftree.tree.schema import Feature, Schema
from ftree.tree.splits import (
    Threshold,
)


def check_rule(rule: StoppingRule) -> None:
    """Check a rule: it returns one boolean for each node, alike for a level and for single nodes, and obeys De Morgan.

    >>> from ftree.stop import chi_squared, max_depth
    >>> check_rule(max_depth(3) | chi_squared(0.05))
    """

    @ONE
    @given(frontiers(), rules())
    def laws(frontier: Frontier, other: StoppingRule) -> None:
        answers = ask(rule, frontier)
        assert answers.tolist() == [bool(ask(rule, node)) for node in frontier.nodes()], "a level's answer is its nodes' answers"
        assert ask(not_(not_(rule)), frontier).tolist() == answers.tolist(), "not not is nothing"
        neither = ask(all_of(not_(rule), not_(other)), frontier)
        assert ask(not_(any_of(rule, other)), frontier).tolist() == neither.tolist(), "not any_of is all_of not"

    laws()


def check_impurity(impurity: Impurity, *, concave: bool = True) -> None:
    """Check an impurity: it broadcasts, is 0 for pure and empty nodes, and never negative; if concave, gains are not.

    >>> from ftree import entropy
    >>> check_impurity(lambda counts: entropy(counts) ** 0.5)
    """
    counted = st.integers(1, 4).flatmap(
        lambda k: st.lists(st.lists(st.integers(0, 9), min_size=k, max_size=k), min_size=1, max_size=4)
    )

    @ONE
    @given(counted)
    @example([[1, 1], [1, 0]])  # it finds most impurities that are not concave
    def laws(nodes: list[list[int]]) -> None:
        level = np.asarray(impurity(np.array(nodes)))
        assert level.shape == (len(nodes),), "an impurity is one number for each node"
        assert np.allclose(level, [impurity(np.array(node)) for node in nodes]), "a level's answer is its nodes' answers"
        assert np.isfinite(level).all(), "an impurity is finite"
        assert (level >= 0).all(), "an impurity is never negative"
        one_class = [sum(1 for count in node if count) <= 1 for node in nodes]
        assert np.allclose(level[one_class], 0), "the impurity of a pure or empty node is 0"
        assert not concave or gain(np.array(nodes), impurity) >= 0, "gain is never negative for a concave impurity"

    laws()


def check_pass(
    pass_: Pass,
    *,
    given_trees: SearchStrategy[Tree] | None = None,
    exempt: Collection[Literal["pruning", "once"]] = (),
) -> None:
    """Check a pass: it returns a pruning, pruning twice is pruning once, its input stays, and equal subtrees are shared.

    A pass that cuts nothing must return its input. If the pass has `decisions`, replaying them must give its result, and
    their scores must justify every cut. A pass that raises subtrees or recounts cases is `exempt` from "pruning". A pass
    whose second run has other counts, or looks at what the first one cut, is exempt from "once".

    >>> from ftree.prune import collapse
    >>> check_pass(collapse())
    """

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
        assert pruned is tree or pruned != tree, "a pass that cuts nothing returns the same object"
        assert "pruning" in exempt or _shares(pruned, tree), "untouched subtrees are shared"
        decisions = getattr(pass_, "decisions", None)
        if decisions is not None:
            made = decisions(tree)
            assert replay(made, tree) == pruned, "replaying the decisions gives the answer"
            for one in made:
                assert (one.becomes is None) == (one.done == "kept"), "only a kept node has no replacement"
                compared = one.cut and one.threshold is not None
                assert not compared or one.tie or one.as_leaf < one.threshold, "no branch is cut against its scores"

    laws()


def check_policy(policy: Policy, *, exempt: Collection[Literal["apart"]] = ()) -> None:
    """Check a policy: counts add up, each case has one leaf, and row order, names and copies for weights do not matter.

    Without stopping, it must predict the label of every feature vector that has one label only. A policy that refuses some
    splits, as CHAID's and those with minimum sizes, is `exempt` from this law, "apart".

    >>> from ftree import ID3
    >>> check_policy(ID3)
    """

    @ONE
    @given(datasets(missing=True, weighted=True), st.randoms(use_true_random=False))
    def with_gaps(dataset: Dataset, random: Any) -> None:
        tree = grow(dataset, policy)
        assert tree.root.counts == dataset.class_counts(), "the root has every case"
        for _, node in walk(tree):
            if isinstance(node, Branch):
                sums = tuple(map(sum, zip(*(child.counts for child in node.children), strict=True)))
                assert node.counts == sums, "a branch's counts are the sum of its children's"
        times = np.asarray(dataset.weights)
        order = random.sample(range(len(dataset)), len(dataset))
        assert grow(dataset.take(order), policy) == tree, "rows in another order grow the same tree"
        copies = [row for row in range(len(dataset)) for _ in range(times[row])]
        assert grow(evolve(dataset, weights=None).take(copies), policy) == tree, "weight k equals k copies"
        assert grow(_renamed(dataset), policy).root == tree.root, "renaming changes names only"

    @ONE
    @given(datasets())
    def without_gaps(dataset: Dataset) -> None:
        levels: list[Level] = []
        tree = grow(dataset, policy, trace=levels.append)
        ends = [a.rows for a in arrivals(tree.root, dataset.columns, np.ones(len(dataset)), all_routes()) if a.ends]
        assert sorted(np.concatenate(ends)) == list(range(len(dataset))), "every case reaches exactly one leaf"
        assert all(sum(leaf.counts) for leaf in leaves(tree)), "no leaf is without a case"
        trimmed = leaf_limit(policy.stop) is not None
        assert trimmed or len(levels) == 1 + depth(tree), "the trace has every level"
        if "apart" not in exempt:
            full, clear = grow(dataset, evolve(policy, stop=never)), _unambiguous(dataset)
            assert predict(full, clear) == _labels(clear), "right where points have one label only"

    with_gaps()
    without_gaps()


def chain(depth: int) -> Tree:
    """A tree of any depth with one leaf on each level, for tests that trees may be deep.

    >>> chain(2).root.children[1]
    Branch(counts=(1, 1), split=Threshold(feature=0, at=1.5), children=(Leaf(counts=(0, 1)), Leaf(counts=(1, 0))))
    """

    def step(level: int) -> Any:
        counts = _alternating(level, depth)
        if level == depth:
            return Leaf(counts)
        return counts, Threshold(0, level + 0.5), [-1 - level, level + 1]

    def both(level: int) -> Any:
        return Leaf(_alternating(-1 - level, -1 - level)) if level < 0 else step(level)

    return Tree(Schema([Feature("x", "numeric")], "class", ("even", "odd")), unfold(0, both))


def _alternating(first: int, last: int) -> tuple[int, int]:
    """Numbers of even and of odd integers from the first to the last."""
    even = last // 2 - (first - 1) // 2
    return even, last - first + 1 - even


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


def _renamed(dataset: Dataset) -> Dataset:
    """The same dataset with other names of features, values and classes."""
    features = [evolve(f, name=f"new {f.name}", values=[f"new {value}" for value in f.values]) for f in dataset.schema.features]
    classes = [f"new {label}" for label in dataset.schema.classes]
    return evolve(dataset, schema=Schema(features, "new target", classes))


def _unambiguous(dataset: Dataset) -> Dataset:
    """The rows whose feature vector has one label only."""
    labels: dict[Hashable, set[int]] = {}
    points = list(zip(*(column.tolist() for column in dataset.columns), strict=True))
    for point, label in zip(points, dataset.labels.tolist(), strict=True):
        labels.setdefault(point, set()).add(label)
    return dataset.take(np.array([len(labels[point]) == 1 for point in points], dtype=bool))


def _labels(dataset: Dataset) -> list[Hashable]:
    return [dataset.schema.classes[code] for code in dataset.labels]
