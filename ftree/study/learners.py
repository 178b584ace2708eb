"""Learners: anything that makes a classifier from a dataset; scikit-learn's estimators, bagging and random forests as such."""

from collections.abc import Callable, Hashable
from copy import deepcopy
from functools import partial
from math import isqrt
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from attrs import evolve, field, frozen
from toolz import compose_left

from ftree._lib.arrays import Floats
from ftree._lib.fields import as_tuple, require_whole_number
from ftree._lib.messages import short_repr, type_of
from ftree._lib.random_numbers import generator_of
from ftree.data.dataset import Dataset, require_dataset
from ftree.data.rows import columns_of, labels_in_kind
from ftree.data.values import Column
from ftree.growth.growing import grow
from ftree.policy import CART, ID3, Policy
from ftree.prune.compositions import PassWithDecisions
from ftree.routing.predict import predict, predict_proba
from ftree.splitters import random_features
from ftree.tree.fold import depth, n_leaves
from ftree.tree.nodes import Tree, check_tree
from ftree.tree.schema import Feature, Schema

# A function from a dataset to a tree, or to another classifier: a function of a dataset that returns a label for each row.
LearningFunction: TypeAlias = Callable[[Dataset], Any]


@runtime_checkable
class Estimator(Protocol):
    """A learner with scikit-learn's methods `fit` and `predict`."""

    def fit(self, X: Any, y: Any) -> Any:  # noqa: N803  # scikit-learn's names
        """Learn from points (n, D) and their labels (n,)."""
        ...

    def predict(self, X: Any) -> Any:  # noqa: N803  # as above
        """A label for each point."""
        ...


# Anything that makes a classifier from a dataset: a policy, a function, a pass, an estimator, or a tuple of a learner and passes.
Learner: TypeAlias = Policy | LearningFunction | PassWithDecisions | Estimator | tuple[Any, ...]


def learn(learner: Learner, dataset: Dataset) -> Any:
    """The tree, or other classifier, that a learner makes from a dataset.

    A learner is one of
    - a policy, by which a tree is grown,
    - a function from a dataset to a tree or to another classifier,
    - a pass of `ftree.prune`, which prunes ID3's tree,
    - a tuple of a learner and the passes that prune its tree, such as `(CART, prune.pessimistic())`,
    - an object with `fit` and `predict`, such as an estimator of scikit-learn; it is fitted to `design_matrix(dataset)`.

    Raises a TypeError for anything else.

    >>> from ftree import prune
    >>> data = Dataset.from_rows([["a"], ["b"]], [0, 1])
    >>> learn(ID3, data) == learn(grow, data) == learn((ID3, prune.collapse()), data)
    True
    """
    return learning_function(learner)(dataset)


def learning_function(learner: Any) -> LearningFunction:
    """A learner as a function of a dataset.

    Raises a TypeError for anything that is not a learner, and for a learner's class, whose parentheses were forgotten.

    >>> learning_function("ID3")
    Traceback (most recent call last):
    TypeError: learner must be a Policy such as ID3, a function from a dataset to a tree, or an estimator, got 'ID3'.
    """
    wanted = "learner must be a Policy such as ID3, a function from a dataset to a tree, or an estimator"
    if isinstance(learner, type) and (learner is Policy or isinstance(learner, (PassWithDecisions, Estimator))):
        raise TypeError(f"{wanted}, got the class {learner.__name__}. Write {learner.__name__}(...), with parentheses.")
    if isinstance(learner, Policy):
        return partial(grow, policy=learner)
    if isinstance(learner, tuple) and learner and all(map(callable, learner[1:])):
        return compose_left(learning_function(learner[0]), *learner[1:])  # type: ignore[no-any-return]  # toolz has no types
    if isinstance(learner, PassWithDecisions):
        return compose_left(partial(grow, policy=ID3), learner)  # type: ignore[no-any-return]  # as above
    if isinstance(learner, Estimator):
        return partial(_fitted, learner)
    if not callable(learner):
        raise TypeError(f"{wanted}, got {short_repr(learner)}.")
    function: LearningFunction = learner
    return function


def design_matrix(dataset: Dataset) -> Floats:
    """A dataset's features as numbers (n, D), for learners that accept only numbers.

    A numeric feature is one column, an ordinal one the column of its values' positions, both NaN where missing. A nominal
    feature has a column for each value in the schema (one-hot), all 0 where missing. D is thus the same for all rows of a table.

    >>> data = Dataset.from_rows([["a", 5.0], ["b", None]], [0, 1], kinds={"x1": "numeric"})
    >>> design_matrix(data).tolist()
    [[1.0, 0.0, 5.0], [0.0, 1.0, nan]]
    """
    require_dataset(dataset)
    blocks = [_numbers(feature, column) for feature, column in zip(dataset.schema.features, dataset.columns, strict=True)]
    return np.hstack([np.zeros((len(dataset), 0)), *blocks])


def _numbers(feature: Feature, column: Column) -> Floats:
    if feature.kind == "nominal":
        block = column[:, None] == np.arange(len(feature.values))
    else:
        block = (column if column.dtype.kind == "f" else np.where(column < 0, np.nan, column))[:, None]
    return np.asarray(block, dtype=np.float64)


def _fitted(estimator: Any, dataset: Dataset) -> "FittedEstimator":
    """A copy of an estimator, fitted to the design matrix of a dataset, with its weights if it has any."""
    copied = deepcopy(estimator)
    weights = {} if dataset.weights is None else {"sample_weight": np.array(dataset.weights)}
    copied.fit(design_matrix(dataset), np.array(dataset.labels), **weights)
    return FittedEstimator(dataset.schema, copied)


@frozen(eq=False)
class FittedEstimator:
    """A classifier of datasets made from a fitted estimator: calling it returns a label for each row."""

    schema: Schema = field(repr=False)
    estimator: Any

    def __call__(self, dataset: Dataset) -> list[Hashable]:
        """The labels of rows."""
        codes = np.asarray(self.estimator.predict(design_matrix(dataset.recoded(self.schema))))
        return [self.schema.classes[code] for code in codes]

    @property
    def predict_proba(self) -> Any:
        """A function of a dataset that returns probabilities (n, K) in the schema's order; None if the estimator has none."""
        return self._probabilities if hasattr(self.estimator, "predict_proba") else None

    @property
    def n_leaves(self) -> float:
        """Number of leaves; NaN for an estimator that is not a tree."""
        return float(self.estimator.get_n_leaves()) if hasattr(self.estimator, "get_n_leaves") else float("nan")

    @property
    def depth(self) -> float:
        """Depth; NaN for an estimator that is not a tree."""
        return float(self.estimator.get_depth()) if hasattr(self.estimator, "get_depth") else float("nan")

    def _probabilities(self, dataset: Dataset) -> Floats:
        probabilities = np.zeros((len(dataset), len(self.schema.classes)))
        probabilities[:, self.estimator.classes_] = self.estimator.predict_proba(design_matrix(dataset.recoded(self.schema)))
        return probabilities


@frozen(repr=False)
class Forest:
    """Trees of one schema that vote; calling it with rows, as `predict` takes them, returns a label for each row.

    Raises a ValueError for an empty sequence or for trees of different schemas, a TypeError for anything that is not a tree.

    >>> from ftree import CART, datasets, grow
    >>> Forest([grow(datasets.weather()), grow(datasets.weather(), CART)])([["sunny", "hot", "high", False]])
    ['no']
    >>> Forest([grow(datasets.weather())])({"outlook": "overcast"})
    'yes'
    """

    trees: tuple[Tree, ...] = field(converter=as_tuple)

    def __attrs_post_init__(self) -> None:
        """Check that the trees have one schema."""
        for tree in self.trees:
            check_tree(tree)
        if len({tree.schema for tree in self.trees}) != 1:
            raise ValueError(f"trees must be at least one tree, all of one schema, got {len(self.trees)} trees.")

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
        return sum(map(n_leaves, self.trees))

    @property
    def depth(self) -> int:
        """Depth of the deepest tree."""
        return max(map(depth, self.trees))

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
    require_dataset(dataset, of_classes="bagging")
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
    require_dataset(dataset, of_classes="random_forest")
    require_whole_number("n_trees", n_trees, 1)
    if not isinstance(policy, Policy):
        raise TypeError(f"policy must be a Policy such as CART, got {type_of(policy)}.")
    n = n_features if n_features is not None else max(isqrt(len(dataset.schema.features)), 1)
    random, n_rows = generator_of(seed), len(dataset)

    def tree() -> Tree:
        sample = dataset.take(random.integers(n_rows, size=n_rows))
        drawn = random_features(n, policy.splits, seed=int(random.integers(2**63)))  # other features in each tree
        return learn(evolve(policy, splits=(drawn,)), sample)  # type: ignore[no-any-return]  # a policy grows a tree

    return Forest(tuple(tree() for _ in range(n_trees)))
