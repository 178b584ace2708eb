"""`TreeClassifier`: grow by a policy, prune by a pass, and predict, behind scikit-learn's interface."""

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import Bunch

from ftree._lib.arrays import Array, Floats
from ftree._lib.objects import cached_by_identity
from ftree.criteria.impurity import gini, proportions
from ftree.criteria.scores import importances
from ftree.estimator import fitting
from ftree.estimator.tree_estimator import TreeEstimator
from ftree.exchange.others.scikit_learn import to_sklearn
from ftree.prune.weakest_links import cost_complexity_path
from ftree.routing.reach import counts_of_rows, label_numbers

# scikit-learn's form of a tree by the criterion of its impurities, made once, since loops read its arrays again and again.
_ARRAYS = {name: cached_by_identity(partial(to_sklearn, criterion=name)) for name in ("gini", "entropy")}


class TreeClassifier(ClassifierMixin, TreeEstimator):
    """A classifier of scikit-learn that grows a tree by a policy and prunes it by a pass.

    - `policy` is a `Policy`, or a function from a `Dataset` to a `Tree`, such as `ftree.c45`. None is `DEFAULT_POLICY`.
    - scikit-learn's names say the same in place of a policy: `criterion`, `max_depth`, `min_samples_split`, `min_samples_leaf`,
      `min_impurity_decrease`, `max_leaf_nodes` and `max_features`; `ccp_alpha` stands in place of a pass. Sizes are of cases,
      so a row of weight 2 counts twice. After `fit`, `policy_` and `prune_` show what they mean.
    - `prune` is a pass such as `prune.pessimistic()`; None does not prune. With `holdout=0.25`, a quarter of the cases of
      each class is held back for pruning, and `prune` is a function from that pruning set to a pass: `prune.reduced_error`.
    - `missing` is the prediction rule for missing values; None uses the tree's own rule. Growth follows `policy.missing`.
    - `kinds` are kinds of features that must not be inferred, as in `Dataset.from_frame`: "nominal" for all, or
      `{"x0": "nominal"}`. Columns of arrays are named x0, x1, ...
    - `class_weight` is None, "balanced" or a mapping of labels to weights, which multiply sample weights.
    - `random_state` decides which cases are held back, and draws features for `max_features`.
    - `n_jobs` is the number of threads that a policy grows with; None and -1 use one for each processor.

    Tables are arrays, lists of rows, sparse matrices (which are filled), and frames whose columns keep their kinds. Text and
    missing values need no preparation.
    Parts of the policy and the pass are parameters: `set_params(policy__stop=...)`, `{"prune__alpha": [...]}` in a grid.

    After `fit`: `tree` is the `Tree`; `tree_` has the arrays of scikit-learn's trees, if all splits are thresholds; `classes_`,
    `n_features_in_`, `feature_names_in_` and `feature_importances_` are as scikit-learn's trees have them.

    Raises, in `fit`, a ValueError or a TypeError for whatever scikit-learn, the policy or the pass refuses, and a ValueError
    for one of scikit-learn's names beside `policy=` or `prune=`, which say the same.

    >>> from ftree import ID3, prune
    >>> rows, labels = [["sunny", 20], ["rainy", 18], ["rainy", 25], ["sunny", 12]], ["play", "stay", "stay", "play"]
    >>> print(TreeClassifier(ID3, prune=prune.pessimistic()).fit(rows, labels).tree)
    x0 = rainy: stay (2.0)
    x0 = sunny: play (2.0)
    >>> print(TreeClassifier(max_depth=1).fit(rows, labels).policy_.stop)
    pure() | no_gain() | min_best_child(0.01) | max_depth(1)
    """

    classes_: Array

    def __init__(  # noqa: PLR0913  # each parameter is a name that scikit-learn lists
        self,
        policy: Any = None,
        *,
        prune: Any = None,
        missing: Any = None,
        holdout: float | None = None,
        kinds: Any = None,
        class_weight: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        criterion: str | None = None,
        max_depth: int | None = None,
        min_samples_split: float | None = None,
        min_samples_leaf: float | None = None,
        min_impurity_decrease: float | None = None,
        max_leaf_nodes: int | None = None,
        max_features: float | str | None = None,
        ccp_alpha: float | None = None,
    ) -> None:
        self.policy = policy
        self.prune = prune
        self.missing = missing
        self.holdout = holdout
        self.kinds = kinds
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.max_leaf_nodes = max_leaf_nodes
        self.max_features = max_features
        self.ccp_alpha = ccp_alpha

    def predict(self, X: Any) -> Array:
        """The label of each row, (n,)."""
        numbers = label_numbers(self._reached(X), self._rule())
        labels: Array = self.classes_[numbers]
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """The share of each class in each row's prediction, in the order of `classes_`, (n, K)."""
        return proportions(counts_of_rows(self._reached(X), self._rule()))

    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithms of `predict_proba`, (n, K)."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """The alphas at which pruning cuts the tree, and the impurity of the leaves at each, by the policy's impurity.

        They are `ccp_alphas` and `impurities`, as scikit-learn's trees have them; equal alphas are listed once. They are the
        alphas of `prune.cost_complexity(alpha, risk=gini)`. The tree is grown from all rows, and the estimator is unchanged.
        """
        unpruned: Any = clone(self)
        unpruned.set_params(prune=None, ccp_alpha=None, holdout=None).fit(X, y, sample_weight)
        path = list(cost_complexity_path(unpruned.tree, risk=fitting.impurity_of(unpruned.policy_)))
        return Bunch(ccp_alphas=np.array([step.alpha for step in path]), impurities=np.array([step.risk for step in path]))

    @property
    def tree_(self) -> Any:
        """The arrays of the fitted tree as scikit-learn's trees have them: `children_left`, `threshold` and so on.

        Raises an AttributeError for splits that are not thresholds, since these arrays cannot hold them: read `tree` there.
        """
        criterion = "gini" if fitting.impurity_of(self.policy_) is gini else "entropy"
        try:
            return _ARRAYS[criterion](self.tree).tree_
        except TypeError as error:
            raise AttributeError(f"tree_ has arrays of thresholds only; the tree itself is `tree`. {error}") from error

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's share of the decrease in the policy's impurity, (d,)."""
        return np.array(list(importances(self.tree, impurity=fitting.impurity_of(self.policy_)).values()))
