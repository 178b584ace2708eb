"""`TreeClassifier` and `TreeRegressor`: grow by a policy, prune by a pass, and predict, behind scikit-learn's interface."""

from typing import Any, Self, cast

import attrs
import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from ftree._lib.arrays import Array, Floats
from ftree._lib.fields import known_arguments
from ftree.criteria.costs import by_threshold
from ftree.criteria.importances import importances
from ftree.criteria.impurity import Impurity, proportions
from ftree.data.dataset import Dataset
from ftree.estimator.policy_and_pass import (
    DEFAULT_POLICY,
    PolicyOrLearner,
    check_settings,
    grown,
    impurity_of,
    n_targets,
    parts_of_each,
    policy_and_pass,
    whole_and_nested,
    with_parts,
)
from ftree.estimator.training_sets import (
    checked_table,
    class_factors,
    random_numbers,
    split_off_pruning_set,
    times,
    training_data,
)
from ftree.exchange.others.scikit_learn import sklearn_arrays
from ftree.prune.weakest_links import cost_complexity_path
from ftree.routing.flat import flat
from ftree.routing.leaves_of_rows import leaf_ranks
from ftree.routing.missing_rules import heaviest, rule_for
from ftree.routing.predict import answers_of_rows, counts_of_rows, label_numbers
from ftree.routing.reach import Reached, reach
from ftree.tree.fold import depth, n_leaves
from ftree.tree.nodes import Leaf, PredictionRule, Tree, checked_tree, preorder
from ftree.tree.response import numbers

# Parameters whose parts are parameters as well.
_COMPOSED = ("policy", "prune")


# The parameters are fields, so that the constructor of each class has the names that scikit-learn lists.
@attrs.define(slots=False, eq=False, repr=False)
class TreeEstimator(BaseEstimator):
    """An estimator of scikit-learn with a policy and a pass; `TreeClassifier` and `TreeRegressor` have their parameters."""

    policy: Any = attrs.field(default=None)
    prune: Any = attrs.field(default=None, kw_only=True)
    missing: Any = attrs.field(default=None, kw_only=True)
    holdout: float | None = attrs.field(default=None, kw_only=True)
    kinds: Any = attrs.field(default=None, kw_only=True)
    random_state: Any = attrs.field(default=0, kw_only=True)
    n_jobs: int | None = attrs.field(default=None, kw_only=True)
    criterion: str | None = attrs.field(default=None, kw_only=True)
    max_depth: int | None = attrs.field(default=None, kw_only=True)
    min_samples_split: float | None = attrs.field(default=None, kw_only=True)
    min_samples_leaf: float | None = attrs.field(default=None, kw_only=True)
    min_weight_fraction_leaf: float | None = attrs.field(default=None, kw_only=True)
    min_impurity_decrease: float | None = attrs.field(default=None, kw_only=True)
    max_leaf_nodes: int | None = attrs.field(default=None, kw_only=True)
    max_features: float | str | None = attrs.field(default=None, kw_only=True)
    ccp_alpha: float | None = attrs.field(default=None, kw_only=True)
    policy_: PolicyOrLearner = attrs.field(init=False)
    prune_: Any = attrs.field(init=False)  # a pass, or with `holdout` a function from the pruning set to a pass
    n_features_in_: int = attrs.field(init=False)
    feature_names_in_: Array = attrs.field(init=False)  # only if columns have names

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow and prune a tree for a table (n, d), labels or numbers (n,), and sample weights (n,)."""
        check_settings(self)
        data = training_data(self, X, y, sample_weight)
        factors, rng = self._class_factors(data), random_numbers(self.random_state)
        pruning_set = None
        if self.holdout is not None:
            data, pruning_set = split_off_pruning_set(data, self.holdout, rng)
        training_set = times(data, factors)
        self.policy_, self.prune_ = policy_and_pass(self, training_set, rng)
        tree = grown(training_set, self.policy_, self.n_jobs)
        one = self.prune_ if pruning_set is None else self.prune_(times(pruning_set, factors))
        self._tree = tree if one is None else checked_tree(one(tree), one)
        self._arrays: Any = None
        return self

    def apply(self, X: Any) -> Array:
        """The number of the leaf that each row reaches, (n,), counted depth-first from the root, as scikit-learn counts.

        A row without an answer at a split goes to the child with the most cases.
        """
        numbers = np.array([number for number, node in enumerate(preorder(self.tree)) if isinstance(node, Leaf)])
        leaves: Array = numbers[leaf_ranks(self._reached(X), heaviest())]
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

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """The alphas at which pruning cuts the tree, and the impurity of the leaves at each, by the policy's impurity.

        They are `ccp_alphas` and `impurities`, as scikit-learn's trees have them; equal alphas are listed once. They are the
        alphas of `prune.cost_complexity(alpha, risk=gini)`, of numbers `prune.cost_complexity(alpha)`. The tree is grown from
        all rows, and the estimator is unchanged.
        """
        unpruned: Any = clone(self)
        unpruned.set_params(prune=None, ccp_alpha=None, holdout=None).fit(X, y, sample_weight)
        path = list(cost_complexity_path(unpruned.tree, risk=impurity_of(unpruned.policy_, unpruned.tree.schema)))
        n = n_targets(unpruned.tree.schema)
        return Bunch(
            ccp_alphas=np.array([step.alpha / n for step in path]), impurities=np.array([step.risk / n for step in path])
        )

    @property
    def tree(self) -> Tree:
        """The fitted tree."""
        check_is_fitted(self)
        return self._tree

    @property
    def tree_(self) -> Any:
        """The arrays of the fitted tree as scikit-learn's trees have them: `children_left`, `threshold` and so on.

        `impurity` is the policy's, as in `feature_importances_`. Raises an AttributeError for splits that are not thresholds, and
        for several targets, since these arrays cannot hold them: read `tree` there.
        """
        tree = self.tree
        if n_targets(tree.schema) > 1:
            raise AttributeError("tree_ has arrays of one target only; the tree itself is `tree`.")
        if self._arrays is None:  # made once, since loops read them again and again
            try:
                self._arrays = sklearn_arrays(tree, self._impurity)
            except TypeError as error:
                raise AttributeError(f"tree_ has arrays of thresholds only; the tree itself is `tree`. {error}") from error
        return self._arrays

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's share of the decrease in the policy's impurity, of numbers in squared errors, (d,).

        A function that grows trees does not tell its impurity; there it is the decrease in entropy.
        """
        return np.array(list(importances(self.tree, impurity=self._impurity).values()))

    # Parameters ------------------------------------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002  # scikit-learn's signature
        """The parameters by name; with `deep`, also the parts of the policy and the pass, as `policy__stop`."""
        own: dict[str, Any] = super().get_params(deep=False)
        return own | parts_of_each({name: self._composed(name) for name in _COMPOSED}) if deep else own

    def set_params(self, **params: Any) -> Self:
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
        """The tables that it accepts: with missing values, with text, and sparse ones."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.sparse = True
        return tags

    def _class_factors(self, data: Dataset) -> Floats:
        """What multiplies the weights of each class's rows, (K,), or of all rows with numbers, (1,)."""
        return class_factors(None, data)

    def _reached(self, X: Any) -> Reached:
        """The rows of a table at the leaves of the tree."""
        return reach(self.tree, checked_table(self, X, reset=False))

    @property
    def _impurity(self) -> Impurity:
        return impurity_of(self.policy_, self.tree.schema)

    def _rule(self) -> PredictionRule:
        return rule_for(self._tree, self.missing)


@known_arguments
@attrs.define(slots=False, eq=False, repr=False)
class TreeClassifier(ClassifierMixin, TreeEstimator):
    """A classifier of scikit-learn that grows a tree by a policy and prunes it by a pass.

    - `policy` is a `Policy`, or a function from a `Dataset` to a `Tree`, such as `ftree.c45`. None is `DEFAULT_POLICY`.
    - scikit-learn's names say the same in place of a policy: `criterion`, `max_depth`, `min_samples_split`, `min_samples_leaf`,
      `min_weight_fraction_leaf`, `min_impurity_decrease`, `max_leaf_nodes` and `max_features`; `ccp_alpha` stands in place of a
      pass. Sizes are of cases, so a row of weight 2 counts twice. After `fit`, `policy_` and `prune_` show what they mean.
    - `prune` is a pass such as `prune.pessimistic()`; None does not prune. With `holdout=0.25`, a quarter of the cases of
      each class is held back for pruning, and `prune` is a function from that pruning set to a pass: `prune.reduced_error`.
    - `missing` is the prediction rule for missing values; None uses the tree's own rule. Growth follows `policy.missing`.
    - `kinds` are kinds of features that must not be inferred, as in `Dataset.from_frame`: "nominal" for all, or
      `{"x0": "nominal"}`. Columns of arrays are named x0, x1, ...
    - `class_weight` is None, "balanced" or a mapping of labels to weights, which multiply sample weights.
    - `random_state` decides which cases are held back, and draws features for `max_features`.
    - `n_jobs` is the number of threads that a policy grows with; None and -1 use one for each processor.
    - `threshold` is the probability from which `predict` gives the second of two classes; None gives the class with the most
      cases. `ftree.study.threshold` chooses one.

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
    pure() | no_gain() | max_depth(1)
    """

    class_weight: Any = attrs.field(default=None, kw_only=True)
    threshold: float | None = attrs.field(default=None, kw_only=True)
    classes_: Array = attrs.field(init=False)

    def predict(self, X: Any) -> Array:
        """The label of each row, (n,)."""
        reached = self._reached(X)
        if self.threshold is None:
            numbers = label_numbers(reached, self._rule())
        else:
            numbers = by_threshold(self.threshold, len(self.classes_)).labels(counts_of_rows(reached, self._rule()))
        labels: Array = self.classes_[numbers]
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """The share of each class in each row's prediction, in the order of `classes_`, (n, K)."""
        return proportions(counts_of_rows(self._reached(X), self._rule()))

    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithms of `predict_proba`, (n, K)."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _class_factors(self, data: Dataset) -> Floats:
        """Those of `class_weight`. Raises a ValueError for them, and for a threshold that is none for these classes."""
        if self.threshold is not None:
            by_threshold(self.threshold, len(data.schema.classes))
        return class_factors(self.class_weight, data)


@known_arguments
class TreeRegressor(RegressorMixin, TreeEstimator):
    """A regressor of scikit-learn that grows a regression tree by a policy, and prunes it by a pass.

    Its parameters, tables and attributes are those of `TreeClassifier`, except those about classes; `criterion` is
    "squared_error". A holdout is a share of all cases. Sums are exact, so the order of rows changes no tree.

    Raises, in `fit`, a ValueError or a TypeError for whatever scikit-learn, the policy or the pass refuses, and a ValueError
    for one of scikit-learn's names beside `policy=`, which say the same.

    >>> rows, numbers = [["sunny", 20], ["rainy", 18], ["rainy", 25], ["sunny", 12]], [3.5, 1.0, 1.5, 3.0]
    >>> TreeRegressor(max_depth=1).fit(rows, numbers).predict(rows).tolist()
    [3.25, 1.25, 1.25, 3.25]
    """

    def __sklearn_tags__(self) -> Any:
        """Several targets are accepted too."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def predict(self, X: Any) -> Floats:
        """The number of each row, (n,): the mean of the leaf that it reaches; of targets (n, K), the mean of each."""
        return answers_of_rows(self._reached(X), cast("numbers", self.tree.schema.response), self._rule())


def paths_to_leaves(tree: Tree, leaves: Array) -> csr_matrix:
    """The nodes on the paths to leaves, given by number, as a sparse matrix (n, nodes) of ones.

    >>> from ftree import Branch, Feature, Schema
    >>> from ftree.tree import Threshold
    >>> twig = Branch((1, 2), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 2))))
    >>> tree = Tree(Schema([Feature("x", "numeric")], "class", (0, 1)), twig)
    >>> paths_to_leaves(tree, np.array([1, 2])).toarray().tolist(), paths_to_leaves(tree, np.array([2])).toarray().tolist()
    ([[1, 1, 0], [1, 0, 1]], [[1, 0, 1]])
    """
    distinct, which = np.unique(leaves, return_inverse=True)
    nodes = flat(tree)
    parents, row = np.append(0, np.repeat(np.arange(len(nodes.arity)), nodes.arity)), np.arange(len(distinct))
    here, found = np.argsort(nodes.preorder)[distinct], list[tuple[Array, Array]]()
    while len(row):  # from the leaves up
        found.append((row, nodes.preorder[here]))
        inner = here > 0
        row, here = row[inner], parents[here[inner]]
    rows, columns = map(np.concatenate, zip(*found, strict=True))
    of_each_leaf = csr_matrix((np.ones(len(rows), np.int64), (rows, columns)), shape=(len(distinct), len(parents)))
    return of_each_leaf[which]
