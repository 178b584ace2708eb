"""A part of scikit-learn's own tests of its trees, run with `TreeClassifier` in the place of `DecisionTreeClassifier`.

Left out are tests of regressors, of several targets, of attributes and arguments that it does not have (`n_classes_`,
`splitter`), of the sides to which missing values go, and of splits without a gain (`test_xor`).
"""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.tree.tests import test_tree as theirs

from ftree import C45, CART, CHAID, ID3
from ftree.estimator import DEFAULT_POLICY, TreeClassifier
from ftree.stop import min_best_child

ALONE = """arrayrepr behaviour_constant_feature_after_splits classification_toy
classification_tree_missing_values_toy decision_path_hardcoded deterministic_pickle different_bitness_pickle
different_endianness_pickle error importances iris max_leaf_nodes max_leaf_nodes_max_depth
memory_layout min_samples_leaf min_samples_split numerical_stability only_constant_features pickle probability
prune_single_node_tree pure_set realloc sample_weight arrays_persist criterion_copy splitting_with_missing_values unbalanced_iris
weighted_classification_toy"""
NAMED = "1d_input decision_path public_apply_all_trees"


@pytest.fixture(autouse=True)
def in_its_place(monkeypatch):
    monkeypatch.setattr(theirs, "DecisionTreeClassifier", TreeClassifier)
    for name in ("CLF_TREES", "ALL_TREES"):
        monkeypatch.setattr(theirs, name, {"ours": TreeClassifier})
    monkeypatch.setattr(theirs, "REG_TREES", {})


def one_of(name):
    """The test of that name; not all versions of scikit-learn have each of them."""
    return getattr(theirs, f"test_{name}", None) or pytest.skip("another version of scikit-learn")


@pytest.mark.parametrize("name", ALONE.split())
def test_scikit_learns_tests_of_trees_pass(name):
    one_of(name)()


@pytest.mark.parametrize("name", NAMED.split())
def test_scikit_learns_tests_of_a_named_tree_pass(name):
    one_of(name)("ours")


@pytest.mark.parametrize("policy", [DEFAULT_POLICY, C45, CART, CHAID, ID3], ids=["default", "C45", "CART", "CHAID", "ID3"])
def test_class_weights_count_under_every_policy(policy):
    """As scikit-learn's check, which gives a classifier a least leaf by a name that stands in place of a policy."""
    points, labels = make_blobs(centers=3, random_state=0, cluster_std=20)
    model = TreeClassifier(policy.stopping(min_best_child(0.01)), class_weight={0: 1000, 1: 0.0001, 2: 0.0001})
    assert np.mean(model.fit(points[:50], labels[:50]).predict(points[50:]) == 0) > 0.87
