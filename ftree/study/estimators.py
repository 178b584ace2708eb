"""Estimators as learners: any object with `fit` and `predict`, such as scikit-learn's, which is not imported.

An estimator gets a matrix of numbers, with the numbers of the classes in the schema's order as labels.
"""

from collections.abc import Hashable
from copy import deepcopy
from typing import Any, Protocol, runtime_checkable

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Floats
from ftree.data.dataset import Dataset, require_dataset
from ftree.data.values import Column
from ftree.tree.schema import Feature, Schema


@runtime_checkable
class Estimator(Protocol):
    """A learner with scikit-learn's methods `fit` and `predict`."""

    def fit(self, X: Any, y: Any) -> Any:  # noqa: N803  # scikit-learn's names
        """Learn from points (n, D) and their labels (n,)."""
        ...

    def predict(self, X: Any) -> Any:  # noqa: N803  # as above
        """A label for each point."""
        ...


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


@frozen
class fitted:
    """The learner that fits a copy of an estimator to the design matrix of a dataset, with its weights if it has any."""

    estimator: Any

    def __call__(self, dataset: Dataset) -> "FittedEstimator":
        """Fit a copy, so that the estimator stays unchanged."""
        estimator = deepcopy(self.estimator)
        weights = {} if dataset.weights is None else {"sample_weight": np.array(dataset.weights)}
        estimator.fit(design_matrix(dataset), np.array(dataset.labels), **weights)
        return FittedEstimator(dataset.schema, estimator)


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
