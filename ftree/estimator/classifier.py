"""`TreeClassifier`: grow by a policy, prune by a pass, and predict, behind scikit-learn's interface."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.validation import check_is_fitted

from ftree._lib.arrays import Array, Floats
from ftree.criteria.importances import importances
from ftree.criteria.impurity import proportions
from ftree.estimator.holdout import divide
from ftree.estimator.inputs import checked_table, training_data
from ftree.estimator.learner import DEFAULT_POLICY, check_settings, grown, impurity_of, pruned
from ftree.estimator.node_numbers import numbers_of_leaves, paths_to_leaves
from ftree.estimator.parts import parts_of_each, whole_and_nested, with_parts
from ftree.estimator.weights import class_factors, times
from ftree.prune.weakest_links import cost_complexity_path
from ftree.routing.answers import class_counts, label_numbers
from ftree.routing.heaviest import heaviest
from ftree.routing.ranks import leaf_ranks
from ftree.routing.reached import Reached, reach
from ftree.routing.rule_names import rule_for
from ftree.tree.measure import depth, n_leaves
from ftree.tree.nodes import Tree
from ftree.tree.prediction_rule import PredictionRule

# Parameters whose parts are parameters as well.
_COMPOSED = ("policy", "prune")


class TreeClassifier(ClassifierMixin, BaseEstimator):
    """A classifier of scikit-learn that grows a tree by a policy and prunes it by a pass.

    - `policy` is a `Policy`, or a function from a `Dataset` to a `Tree`, such as `ftree.c45`. None is `DEFAULT_POLICY`.
    - `prune` is a pass such as `prune.pessimistic()`; None does not prune. With `holdout=0.25`, a quarter of the cases of
      each class is held back for pruning, and `prune` is a function from that pruning set to a pass: `prune.reduced_error`.
    - `missing` is the prediction rule for missing values; None uses the tree's own rule. Growth follows `policy.missing`.
    - `kinds` are kinds of features that must not be inferred, as in `Dataset.from_frame`: "nominal" for all, or
      `{"x0": "nominal"}`. Columns of arrays are named x0, x1, ...
    - `class_weight` is None, "balanced" or a mapping of labels to weights, which multiply sample weights.
    - `random_state` decides only which cases are held back.
    - `n_jobs` is the number of threads that a policy grows with; None and -1 use one for each processor.

    Tables are arrays, lists of rows, and frames whose columns keep their kinds. Text and missing values need no preparation.
    Parts of the policy and the pass are parameters: `set_params(policy__stop=...)`, `{"prune__alpha": [...]}` in a grid.

    After `fit`: `tree_` (also as `tree`) is the `Tree`; `classes_`, `n_features_in_`, `feature_names_in_` and
    `feature_importances_` are as scikit-learn's trees have them.

    Raises, in `fit`, a ValueError or a TypeError for whatever scikit-learn, the policy or the pass refuses.

    >>> from ftree import ID3, prune
    >>> rows, labels = [["sunny", 20], ["rainy", 18], ["rainy", 25], ["sunny", 12]], ["play", "stay", "stay", "play"]
    >>> print(TreeClassifier(ID3, prune=prune.pessimistic()).fit(rows, labels).tree)
    x0 = rainy: stay (2.0)
    x0 = sunny: play (2.0)
    """

    tree_: Tree
    classes_: Array
    n_features_in_: int
    feature_names_in_: Array  # only if columns have names

    def __init__(
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
    ) -> None:
        self.policy = policy
        self.prune = prune
        self.missing = missing
        self.holdout = holdout
        self.kinds = kinds
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    # Training --------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "TreeClassifier":
        """Grow and prune a tree for a table (n, d), labels (n,) and sample weights (n,)."""
        check_settings(self.prune, self.holdout, self.missing)
        data = training_data(self, X, y, sample_weight)
        factors = class_factors(self.class_weight, data)
        if self.holdout is None:
            self.tree_ = pruned(grown(times(data, factors), self.policy, self.n_jobs), self.prune)
            return self
        training_set, pruning_set = divide(data, self.holdout, check_random_state(self.random_state))
        tree = grown(times(training_set, factors), self.policy, self.n_jobs)
        self.tree_ = pruned(tree, self.prune(times(pruning_set, factors)))
        return self

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """The alphas at which pruning cuts the tree, and the impurity of the leaves at each, by the policy's impurity.

        They are `ccp_alphas` and `impurities`, as scikit-learn's trees have them; equal alphas are listed once. They are the
        alphas of `prune.cost_complexity(alpha, risk=gini)`. The tree is grown from all rows, and the estimator is unchanged.
        """
        unpruned: Any = clone(self)
        whole = unpruned.set_params(prune=None, holdout=None).fit(X, y, sample_weight).tree_
        path = list(cost_complexity_path(whole, risk=impurity_of(self.policy)))
        return Bunch(ccp_alphas=np.array([step.alpha for step in path]), impurities=np.array([step.risk for step in path]))

    # Prediction ------------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> Array:
        """The label of each row, (n,)."""
        numbers = label_numbers(self._reached(X), self._rule())
        labels: Array = self.classes_[numbers]
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """The share of each class in each row's prediction, in the order of `classes_`, (n, K)."""
        return proportions(class_counts(self._reached(X), self._rule()))

    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithms of `predict_proba`, (n, K)."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def apply(self, X: Any) -> Array:
        """The number of the leaf that each row reaches, (n,), counted depth-first from the root, as scikit-learn counts.

        A row without an answer at a split goes to the child with the most cases.
        """
        leaves: Array = numbers_of_leaves(self.tree)[leaf_ranks(self._reached(X), heaviest())]
        return leaves

    def decision_path(self, X: Any) -> Any:
        """The nodes on each row's path to the leaf of `apply`, a sparse matrix (n, nodes) of ones."""
        return paths_to_leaves(self.tree, self.apply(X))

    def get_depth(self) -> int:
        """The number of splits on the longest path to a leaf."""
        return depth(self.tree)

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        return n_leaves(self.tree)

    @property
    def tree(self) -> Tree:
        """The fitted tree, which is `tree_`."""
        check_is_fitted(self)
        return self.tree_

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's share of the decrease in the policy's impurity, (d,)."""
        return np.array(list(importances(self.tree, impurity=impurity_of(self.policy)).values()))

    # Parameters ------------------------------------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002  # scikit-learn's signature
        """The parameters by name; with `deep`, also the parts of the policy and the pass, as `policy__stop`."""
        own: dict[str, Any] = super().get_params(deep=False)
        return own | parts_of_each({name: self._composed(name) for name in _COMPOSED}) if deep else own

    def set_params(self, **params: Any) -> "TreeClassifier":
        """Set parameters, and parts of the policy and the pass: `set_params(policy__stop=max_depth(3))`.

        Raises a ValueError for a parameter or a part that does not exist.
        """
        own, nested = whole_and_nested(params)
        others = {f"{name}__{path}": part for name in nested if name not in _COMPOSED for path, part in nested[name].items()}
        super().set_params(**own, **others)  # raises an error for unknown names
        for name in _COMPOSED:
            if name in nested:
                setattr(self, name, with_parts(self._composed(name), nested[name]))
        return self

    def _composed(self, name: str) -> Any:
        """The policy or the pass."""
        value = getattr(self, name)
        return DEFAULT_POLICY if name == "policy" and value is None else value

    def __sklearn_tags__(self) -> Any:
        """The tables that it accepts: with missing values, and with text."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.categorical = True
        return tags

    def _reached(self, X: Any) -> Reached:
        """The rows of a table at the leaves of the tree."""
        return reach(self.tree, checked_table(self, X, reset=False))

    def _rule(self) -> PredictionRule:
        return rule_for(self.tree, self.missing)
