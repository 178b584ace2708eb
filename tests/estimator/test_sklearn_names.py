"""scikit-learn's names for parameters mean here what they mean there; numbers of nodes and sparse tables do too."""

from math import inf, nan

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from ftree import CART, ID3, Leaf, draw, entropy, evolve, gini, misclassification, page, prune, rules, stop, text
from ftree.criteria import dkm
from ftree.estimator import DEFAULT_POLICY, TreeClassifier, TreeRegressor
from ftree.exchange import from_sklearn, to_c, to_dict, to_onnx, to_pmml, to_python, to_sklearn, to_sql
from ftree.show import to_dot, to_mermaid
from ftree.tree import preorder

X, Y = load_wine(return_X_y=True)
NAMES = [
    {"max_depth": 2},
    {"max_depth": 3, "criterion": "entropy"},
    {"max_depth": 2, "criterion": "log_loss"},
    {"min_samples_split": 40},
    {"min_samples_split": 0.3},
    {"min_samples_leaf": 12},
    {"min_weight_fraction_leaf": 0.1},
    {"min_weight_fraction_leaf": 0.02, "min_samples_leaf": 5},
    {"min_samples_leaf": 0.1, "min_samples_split": 30},
    {"min_impurity_decrease": 0.05},
    {"min_impurity_decrease": 0.05, "class_weight": "balanced"},
    {"min_impurity_decrease": 0.05, "class_weight": {0: 1, 1: 9, 2: 4}},
    {"max_leaf_nodes": 4},
    {"ccp_alpha": 0.02},
    {"ccp_alpha": 0.05, "criterion": "entropy", "class_weight": {0: 1, 1: 2, 2: 1}},
    {"ccp_alpha": 0.0, "max_depth": 2},
]


@pytest.mark.parametrize("names", NAMES, ids=str)
def test_a_name_grows_the_tree_that_it_grows_there(names):
    ours, theirs = TreeClassifier(**names).fit(X, Y), DecisionTreeClassifier(**names, random_state=0).fit(X, Y)
    # Of equal splits they take theirs at random, so rows may lie elsewhere; sizes and classes of leaves are the same.
    np.testing.assert_allclose(leaf_counts(ours.tree), leaf_counts(from_sklearn(theirs)))


def leaf_counts(tree):
    return sorted(node.counts for node in preorder(tree) if isinstance(node, Leaf))


def test_the_policy_and_the_pass_show_what_names_mean():
    model = TreeClassifier(criterion="entropy", max_depth=3, max_leaf_nodes=5, ccp_alpha=0.1).fit(X, Y)
    assert model.policy_.impurity is entropy
    assert model.policy_.stop == DEFAULT_POLICY.stop | stop.max_depth(3) | stop.max_leaves(5)
    assert model.prune_ == prune.cost_complexity(0.1, risk=entropy)
    plain = TreeClassifier(ID3, prune=prune.pessimistic()).fit(X, Y)
    assert (plain.policy_, plain.prune_) == (ID3, prune.pessimistic())
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize(("given", "drawn"), [("sqrt", 3), ("log2", 3), (2, 2), (0.9, 11), (0.001, 1), (np.int64(4), 4)])
def test_random_features_are_as_many_as_there_and_drawn_by_the_seed(given, drawn):
    (splitter,) = TreeClassifier(max_features=given).fit(X, Y).policy_.splits
    assert splitter.n == drawn
    one, same, other = (TreeClassifier(max_features=2, random_state=seed).fit(X, Y).tree for seed in (1, 1, 2))
    assert one == same != other


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"max_depth": 3, "policy": CART},
            r"Give max_depth or policy, since both say the same, got max_depth=3 and policy",
        ),
        ({"ccp_alpha": 0.1, "prune": prune.mdl()}, r"Give ccp_alpha or prune, .*, got ccp_alpha=0.1 and prune=mdl"),
        (
            {"criterion": "giny"},
            r"criterion must be one of 'gini', 'entropy', 'log_loss', or the impurity .* got 'giny'",
        ),
        ({"min_samples_leaf": True}, r"min_samples_leaf must be a whole number from 1 or .* got True"),
        ({"max_features": 14}, r"max_features must be 'sqrt', 'log2', a number from 1 to 13 or a share .* got 14"),
    ],
    ids=str,
)
def test_a_name_that_says_the_same_twice_or_nothing_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        TreeClassifier(**wrong).fit(X, Y)


VALUES = {
    "max_depth": [-1, 0, 1, 1.0, 2.5, np.int64(2), "1"],
    "min_samples_split": [-1, 0, 1, 2, 0.0, 0.1, 1.0, 1.5, nan],
    "min_samples_leaf": [-1, 0, 1, 0.0, 0.1, 1.0, 1.5, nan, 999],
    "min_weight_fraction_leaf": [-0.1, 0, 0.0, 0.5, 0.6, 1, nan],
    "min_impurity_decrease": [-1, 0, 0.0, 0.5, 1, inf, nan],
    "max_leaf_nodes": [-1, 0, 1, 2, 2.0, np.int64(3), inf],
    "max_features": [-1, 0, 1, 0.0, 0.1, 1.0, 1.5, "sqrt", "auto", nan],
    "ccp_alpha": [-1, 0, 0.0, 0.5, 2, inf, nan],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in VALUES.items() for value in values], ids=str)
@pytest.mark.parametrize(("ours", "theirs"), [(TreeClassifier, DecisionTreeClassifier), (TreeRegressor, DecisionTreeRegressor)])
def test_a_value_is_refused_if_scikit_learn_refuses_it(name, value, ours, theirs):
    try:
        theirs(**{name: value}).fit(X, Y)
    except ValueError:
        with pytest.raises(ValueError, match=f"^{name} must be "):
            ours(**{name: value}).fit(X, Y)
    else:
        ours(**{name: value}).fit(X, Y)


@pytest.mark.parametrize("sparse", [csr_matrix, csr_array])
def test_a_sparse_table_is_as_good_as_a_full_one(sparse):
    table = np.where(np.median(X, axis=0) < X, X, 0)
    model, full = TreeClassifier(max_depth=3).fit(sparse(table), Y), TreeClassifier(max_depth=3).fit(table, Y)
    assert model.tree == full.tree
    assert (model.predict(sparse(table)) == full.predict(table)).all()


def test_the_arrays_are_those_of_scikit_learn_and_leaves_index_them():
    ours, theirs = TreeClassifier(max_depth=2).fit(X, Y), DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, Y)
    assert ours.tree_.children_left.tolist() == theirs.tree_.children_left.tolist()
    np.testing.assert_allclose(ours.tree_.impurity, theirs.tree_.impurity, atol=1e-12)
    assert ours.tree_ is ours.tree_
    leaves = ours.apply(X)
    assert set(ours.tree_.children_left[leaves]) == {-1}
    assert (leaves == theirs.apply(X)).all()


def test_arrays_that_cannot_be_are_refused_by_name():
    model = TreeClassifier().fit([["a"], ["b"], ["c"]], [0, 1, 1])
    with pytest.raises(AttributeError, match="tree_ has arrays of thresholds only; the tree itself is `tree`"):
        _ = model.tree_
    assert not hasattr(model, "tree_")


def test_several_targets_have_no_arrays():
    model = TreeRegressor(max_depth=1).fit(X, X[:, :2])
    with pytest.raises(AttributeError, match=r"^tree_ has arrays of one target only; the tree itself is `tree`\."):
        _ = model.tree_
    assert not hasattr(model, "tree_")


@pytest.mark.parametrize("impurity", [gini, entropy, misclassification, dkm, lambda counts: counts.min(axis=-1) / 9])
def test_the_arrays_have_the_impurity_of_the_policy(impurity):
    """So scikit-learn's sums over the arrays are the shares that the estimator reports."""
    model = TreeClassifier(evolve(DEFAULT_POLICY, impurity=impurity, stop=stop.max_depth(3))).fit(X, Y)
    counts = [node.counts for node in preorder(model.tree)]
    np.testing.assert_allclose(model.tree_.impurity, impurity(np.array(counts)))
    np.testing.assert_allclose(model.tree_.compute_feature_importances(), model.feature_importances_)
    once = model.tree_
    assert model.fit(X, Y[::-1]).tree_ is not once


READERS = [draw, page, rules, text, to_c, to_dict, to_dot, to_mermaid, to_onnx, to_pmml, to_python, to_sklearn, to_sql]


@pytest.mark.parametrize("read", READERS)
def test_what_reads_a_tree_reads_a_fitted_classifier(read):
    model = TreeClassifier(max_depth=2).fit(X, Y)
    assert str(read(model)) == str(read(model.tree))
    with pytest.raises(NotFittedError):
        read(TreeClassifier())


def test_a_classifier_of_ours_is_no_tree_of_theirs():
    message = "model must be a fitted DecisionTreeClassifier .* The tree of a TreeClassifier is its `tree`"
    with pytest.raises(TypeError, match=message):
        from_sklearn(TreeClassifier(max_depth=2).fit(X, Y))


def test_names_that_fit_did_not_see_are_warned_of_as_there(frame_of_wine):
    model = TreeClassifier(max_depth=2, criterion="gini").fit(X, Y)
    assert model.policy_.impurity is gini
    with pytest.warns(UserWarning, match="X has feature names, but TreeClassifier was fitted without feature names"):
        answers = model.predict(frame_of_wine)
    assert (answers == model.predict(X)).all()


@pytest.fixture
def frame_of_wine():
    return load_wine(as_frame=True).data
