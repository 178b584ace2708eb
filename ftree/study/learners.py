"""Learners: anything that makes a classifier from a dataset; and scikit-learn's estimators as such."""

from collections.abc import Callable, Hashable
from copy import deepcopy
from functools import partial
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from attrs import field, frozen
from toolz import compose_left

from ftree._lib.arrays import Floats
from ftree._lib.messages import short_repr
from ftree.data.bins_and_one_hot import numeric_columns
from ftree.data.channels import numbers_of_rows
from ftree.data.dataset import Dataset, require_dataset
from ftree.growth.growing import grow
from ftree.policy import ID3, Policy
from ftree.prune.compositions import PassWithDecisions
from ftree.tree.schema import Schema

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
    - an object with `fit` and `predict`, such as an estimator of scikit-learn; it is fitted to `design_matrix(dataset)`, and to
      one label or number for each row.

    Raises a TypeError for anything else, a ValueError for an estimator if rows have no one answer.

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
    blocks = [numeric_columns(feature, column) for feature, column in zip(dataset.schema.features, dataset.columns, strict=True)]
    return np.hstack([np.zeros((len(dataset), 0)), *blocks])


def _fitted(estimator: Any, dataset: Dataset) -> "FittedEstimator":
    """A copy of an estimator, fitted to the design matrix of a dataset, with its weights if it has any.

    Events with exposure are fitted as rates, with the exposure as weight. Raises a ValueError for rows that have no one answer,
    such as several numbers.
    """
    response = dataset.schema.response
    of_events = response.kind == "events"
    if response.further_targets and not (of_events or response.row_features):
        raise ValueError(f"dataset must have rows with one label or number each for an estimator, got {response.kind}.")
    exposures = dataset.further_targets if of_events else ()
    copied, known = deepcopy(estimator), [each for each in (dataset.weights, *exposures) if each is not None]
    weights = {"sample_weight": np.multiply.reduce(known)} if known else {}
    copied.fit(design_matrix(dataset), np.array(numbers_of_rows(dataset)), **weights)
    return FittedEstimator(dataset.schema, copied)


@frozen(eq=False)
class FittedEstimator:
    """A classifier of datasets made from a fitted estimator: calling it returns a label, or a number, for each row."""

    schema: Schema = field(repr=False)
    estimator: Any

    def __call__(self, dataset: Dataset) -> list[Hashable]:
        """The labels of rows, or their numbers."""
        codes = np.asarray(self.estimator.predict(design_matrix(dataset.recoded(self.schema))))
        return [self.schema.classes[code] for code in codes] if self.schema.has_classes else codes.tolist()

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
