"""`TreeRegressor`: a tree of numbers behind scikit-learn's interface."""

from typing import Any, cast

import numpy as np
from sklearn.base import RegressorMixin

from ftree._lib.arrays import Floats
from ftree.criteria.scores import importances
from ftree.estimator.tree_estimator import TreeEstimator
from ftree.routing.reach import means_of_rows
from ftree.tree.response import numbers


class TreeRegressor(RegressorMixin, TreeEstimator):
    """A regressor of scikit-learn that grows a tree of numbers by a policy, and prunes it by a pass.

    Its parameters, tables and attributes are those of `TreeClassifier`, except those about classes, `max_leaf_nodes`, `ccp_alpha`
    and `tree_`; `criterion` is "squared_error". A holdout is a share of all cases. Sums are exact, so the order of rows changes
    no tree.

    Raises, in `fit`, a ValueError or a TypeError for whatever scikit-learn, the policy or the pass refuses, and a ValueError
    for one of scikit-learn's names beside `policy=`, which say the same.

    >>> rows, numbers = [["sunny", 20], ["rainy", 18], ["rainy", 25], ["sunny", 12]], [3.5, 1.0, 1.5, 3.0]
    >>> TreeRegressor(max_depth=1).fit(rows, numbers).predict(rows).tolist()
    [3.25, 1.25, 1.25, 3.25]
    """

    def __init__(  # noqa: PLR0913  # each parameter is a name that scikit-learn lists
        self,
        policy: Any = None,
        *,
        prune: Any = None,
        missing: Any = None,
        holdout: float | None = None,
        kinds: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        criterion: str | None = None,
        max_depth: int | None = None,
        min_samples_split: float | None = None,
        min_samples_leaf: float | None = None,
        min_impurity_decrease: float | None = None,
        max_features: float | str | None = None,
    ) -> None:
        self.policy = policy
        self.prune = prune
        self.missing = missing
        self.holdout = holdout
        self.kinds = kinds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.max_features = max_features

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's share of the decrease in squared errors, (d,)."""
        return np.array(list(importances(self.tree).values()))

    def predict(self, X: Any) -> Floats:
        """The number of each row, (n,): the mean of the leaf that it reaches."""
        return means_of_rows(self._reached(X), cast("numbers", self.tree.schema.response), self._rule())
