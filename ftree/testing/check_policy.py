"""The battery for growth policies, and so for splitters and choices between features."""

from collections.abc import Collection, Hashable
from typing import Any, Literal

import numpy as np
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree.data.dataset import Dataset
from ftree.growth.grow import grow
from ftree.growth.levels import Level
from ftree.policy import Policy
from ftree.routing.all_routes import all_routes
from ftree.routing.predict import predict
from ftree.routing.recount import recount
from ftree.routing.route import arrivals
from ftree.stop import leaf_limit, never
from ftree.testing.strategies import ONE, datasets
from ftree.tree.fold import leaves
from ftree.tree.measure import depth
from ftree.tree.nodes import Branch, preorder
from ftree.tree.schema import Schema


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
        for node in preorder(tree):
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
        assert recount(tree, dataset).root == tree.root, "splitters count what goes to the children of their splits"
        ends = [a.rows for a in arrivals(tree.root, dataset.columns, np.ones(len(dataset)), all_routes()) if a.ends]
        assert sorted(np.concatenate(ends)) == list(range(len(dataset))), "every case reaches exactly one leaf"
        assert all(sum(leaf.counts) for leaf in leaves(tree)), "no leaf is without a case"
        trimmed = leaf_limit(policy.stop) is not None
        assert trimmed or len(levels) == 1 + depth(tree), "the trace has every level"
        if "apart" not in exempt:
            full, clear = grow(dataset, evolve(policy, stop=never)), _unambiguous(dataset)
            assert list(predict(full, clear)) == _labels(clear), "right where points have one label only"

    with_gaps()
    without_gaps()


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
