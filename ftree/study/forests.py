"""Bagging and random forests: trees of bootstrap samples that vote, made from the library's own values."""

from math import isqrt
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Floats
from ftree._lib.fields import as_tuple, require_whole_number
from ftree._lib.messages import type_of
from ftree._lib.random_numbers import generator_of
from ftree.data.dataset import Dataset, require_dataset
from ftree.data.in_kind import labels_in_kind
from ftree.data.rows import columns_of
from ftree.policy import CART, Policy
from ftree.routing.predict import predict, predict_proba
from ftree.splitters import random_features
from ftree.study.learners import Learner, learn
from ftree.tree import measure
from ftree.tree.nodes import Tree, check_tree
from ftree.tree.schema import Schema


@frozen(repr=False)
class Forest:
    """Trees of one schema that vote; calling it with rows, as `predict` takes them, returns a label for each row.

    Raises a ValueError for an empty sequence or for trees of different schemas, a TypeError for anything that is not a tree.

    >>> from ftree import CART, grow
    >>> from ftree.datasets import weather
    >>> Forest([grow(weather()), grow(weather(), CART)])([["sunny", "hot", "high", False]])
    ['no']
    >>> Forest([grow(weather())])({"outlook": "overcast"})
    'yes'
    """

    trees: tuple[Tree, ...] = field(converter=as_tuple)

    def __attrs_post_init__(self) -> None:
        """Check that the trees have one schema."""
        for tree in self.trees:
            check_tree(tree)
        if len({tree.schema for tree in self.trees}) != 1:
            message = f"trees must be at least one tree, all of one schema, got {len(self.trees)} trees."
            raise ValueError(message)

    def __call__(self, rows: Any) -> Any:
        """The label with the most votes for each row, in the form of the rows; ties go to the first class."""
        codes = self.votes(rows).argmax(axis=-1)
        classes = self.schema.classes
        return labels_in_kind(rows, self.schema.target, classes, codes) if codes.ndim else classes[codes]

    def votes(self, rows: Any) -> Floats:
        """The number of trees that vote for each class, for each row, (n, K), or for one row, (K,)."""
        *_, single = columns_of(self.schema, rows)
        place = {label: number for number, label in enumerate(self.schema.classes)}
        several = [rows] if single else rows
        ballots = np.array([[place[label] for label in predict(tree, several)] for tree in self.trees])
        votes: Floats = (ballots[..., None] == np.arange(len(place))).sum(axis=0, dtype=np.float64)
        return votes[0] if single else votes

    def predict_proba(self, rows: Any) -> Floats:
        """The mean of the trees' probabilities for each row, (n, K), or for one row, (K,)."""
        mean: Floats = np.mean([predict_proba(tree, rows) for tree in self.trees], axis=0)
        return mean

    @property
    def schema(self) -> Schema:
        """The schema of all its trees."""
        return self.trees[0].schema

    @property
    def n_leaves(self) -> int:
        """Number of leaves of all trees."""
        return sum(map(measure.n_leaves, self.trees))

    @property
    def depth(self) -> int:
        """Depth of the deepest tree."""
        return max(map(measure.depth, self.trees))

    def __repr__(self) -> str:
        """The forest's size, since its trees would fill many screens."""
        return f"<Forest for {self.schema.target!r}: {len(self.trees)} trees, {self.n_leaves} leaves>"


def bagging(dataset: Dataset, learner: Learner = CART, *, n_trees: int = 100, seed: int = 0) -> Forest:
    """A forest of trees, each trained on a sample of the dataset's size, drawn at random with replacement.

    Raises a ValueError for a number of trees below 1, a TypeError for an invalid learner.

    Source: Breiman 1996.

    >>> data = Dataset.from_rows([["a"], ["b"]] * 10, ["no", "yes"] * 10)
    >>> forest = bagging(data, n_trees=5)
    >>> forest, forest([["a"], ["b"]])
    (<Forest for 'class': 5 trees, 10 leaves>, ['no', 'yes'])
    """
    require_dataset(dataset)
    require_whole_number("n_trees", n_trees, 1)
    random, n = generator_of(seed), len(dataset)
    return Forest(tuple(learn(learner, dataset.take(random.integers(n, size=n))) for _ in range(n_trees)))


def random_forest(
    dataset: Dataset, policy: Policy = CART, *, n_trees: int = 100, n_features: int | None = None, seed: int = 0
) -> Forest:
    """Bagging in which each node is split by one of `n_features` random features, by default the square root of their number.

    Raises a ValueError for a number of trees or of features below 1, a TypeError for anything that is not a policy.

    Source: Breiman 2001.

    >>> data = Dataset.from_rows([["a", 1], ["b", 2]] * 10, ["no", "yes"] * 10)
    >>> random_forest(data, n_trees=3)
    <Forest for 'class': 3 trees, 6 leaves>
    """
    require_dataset(dataset)
    require_whole_number("n_trees", n_trees, 1)
    if not isinstance(policy, Policy):
        message = f"policy must be a Policy such as CART, got {type_of(policy)}."
        raise TypeError(message)
    n = n_features if n_features is not None else max(isqrt(len(dataset.schema.features)), 1)
    random, n_rows = generator_of(seed), len(dataset)

    def tree() -> Tree:
        sample = dataset.take(random.integers(n_rows, size=n_rows))
        drawn = random_features(n, policy.splits, seed=int(random.integers(2**63)))  # other features in each tree
        return learn(evolve(policy, splits=(drawn,)), sample)  # type: ignore[no-any-return]  # a policy grows a tree

    return Forest(tuple(tree() for _ in range(n_trees)))
