"""The classifier itself: its training, its predictions, and its properties."""

import importlib
import sys

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from ftree import C45, CART, ID3, Dataset, c45, grow, prune, stop
from ftree.estimator import DEFAULT_POLICY, TreeClassifier

X, Y = make_classification(200, 6, n_informative=4, n_classes=3, flip_y=0.2, random_state=0)
SKY = np.array([["sunny", 20], ["rainy", 18], [None, 25], ["sunny", np.nan], ["rainy", 30]], dtype=object)
PLAY = np.array(["play", "stay", "stay", "play", "NA"])


def dataset(labels=Y, **options):
    return Dataset.from_columns({**{f"x{i}": column for i, column in enumerate(X.T)}, "class": labels}, **options)


@pytest.mark.parametrize("policy", [ID3, C45, CART])
def test_it_grows_the_tree_that_grow_grows(policy):
    assert TreeClassifier(policy).fit(X, Y).tree == grow(dataset(), policy)


def test_a_function_that_learns_is_a_policy():
    assert TreeClassifier(c45).fit(X, Y).tree == c45(dataset())


def test_a_pass_prunes():
    assert TreeClassifier(C45, prune=prune.error_based()).fit(X, Y).tree == prune.error_based()(grow(dataset(), C45))


def test_text_and_missing_values_are_taken_as_they_are():
    one = TreeClassifier(ID3).fit(SKY, PLAY)
    assert [feature.kind for feature in one.tree.schema.features] == ["nominal", "numeric"]
    assert one.predict([["sunny", 15], ["rainy", 18], ["foggy", 40]]).tolist()[:2] == ["play", "stay"]
    assert one.classes_.tolist() == ["NA", "play", "stay"]


def test_a_list_of_rows_is_an_array_of_objects():
    assert TreeClassifier(ID3).fit(SKY.tolist(), PLAY.tolist()).tree == TreeClassifier(ID3).fit(SKY, PLAY).tree


def test_the_rule_for_missing_values_answers():
    shares = [TreeClassifier(ID3, missing=rule).fit(SKY, PLAY).predict_proba([["sunny", None]]) for rule in ("heaviest", "stop")]
    assert np.allclose(shares[0], [[0, 1, 0]])
    assert np.allclose(shares[1], [[0, 0.8, 0.2]])


def test_class_weights_multiply_sample_weights():
    weights = np.random.default_rng(0).integers(1, 4, size=200)
    weighed = TreeClassifier(class_weight={0: 2, 1: 1, 2: 3}).fit(X, Y, weights)
    assert weighed.tree == TreeClassifier().fit(X, Y, weights * np.array([2, 1, 3])[Y]).tree


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from([0, 1, 2, 0.5, 9])), min_size=3, max_size=30))
def test_balanced_class_weights_multiply_sample_weights_as_in_scikit_learn(drawn):
    labels, weights = map(np.array, zip(*drawn, strict=True))
    assume(len(set(labels[weights > 0].tolist())) > 1)
    ours, theirs = (make(class_weight="balanced") for make in (TreeClassifier, DecisionTreeClassifier))
    counts, value = (
        ours.fit(labels[:, None], labels, weights).tree.root.counts,
        theirs.fit(labels[:, None], labels, weights).tree_.value,
    )
    assert np.allclose(np.array(counts) / sum(counts), value[0, 0] / value[0, 0].sum(), atol=1e-4)


def test_weights_that_sum_to_one_are_as_good_as_others():
    """Stopping rules compare numbers of cases; AdaBoost's weights sum to 1."""
    shares = TreeClassifier(C45).fit(X, Y, np.full(200, 1 / 200))
    assert shares.get_n_leaves() == TreeClassifier(C45).fit(X, Y).get_n_leaves() > 1


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.zeros(200), "sample_weight must be above zero in at least one row"),
        (np.ones(3), "sample_weight must be one number for each of the 200 rows, got ndarray of shape"),
        (np.full(200, -1.0), "weights must be finite numbers from 0, got -1.0 in row 0"),
    ],
)
def test_wrong_weights_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        TreeClassifier().fit(X, Y, weights)


@pytest.mark.parametrize("weights", [{0: -1, 1: 1, 2: 1}, {0: 0, 1: 0, 2: 0}])
def test_wrong_class_weights_are_refused(weights):
    with pytest.raises(ValueError, match="class_weight must be numbers from 0, above 0 for a class with cases"):
        TreeClassifier(class_weight=weights).fit(X, Y)


def test_cells_that_are_neither_text_nor_numbers_are_refused():
    with pytest.raises(TypeError, match=r"must be a table of strings and numbers.* got a dict"):
        TreeClassifier().fit(np.array([[{"a": 1}], [2]], dtype=object), [0, 1])


BLOBS, BLOB = make_classification(800, 6, n_informative=4, n_classes=3, flip_y=0.2, random_state=7)
BLOBS = BLOBS.astype(np.float32).astype(float)  # as their trees read numbers
# In small nodes, equal splits are frequent, and scikit-learn chooses between them at random.
SHALLOW = TreeClassifier(DEFAULT_POLICY.stopping(stop.min_rows(80)))
OURS = clone(SHALLOW).fit(BLOBS, BLOB)
THEIRS = DecisionTreeClassifier(random_state=0, min_samples_split=80).fit(BLOBS, BLOB)


def test_numbers_of_nodes_sizes_and_importances_are_theirs():
    assert (OURS.apply(BLOBS) == THEIRS.apply(BLOBS)).all()
    assert (OURS.decision_path(BLOBS) != THEIRS.decision_path(BLOBS)).nnz == 0
    assert (OURS.get_depth(), OURS.get_n_leaves()) == (THEIRS.get_depth(), THEIRS.get_n_leaves())
    assert np.allclose(OURS.feature_importances_, THEIRS.feature_importances_)
    assert np.allclose(TreeClassifier(c45).fit(X, Y).feature_importances_.sum(), 1)


def test_the_pruning_path_is_theirs():
    ours, theirs = (each.cost_complexity_pruning_path(BLOBS, BLOB) for each in (OURS, THEIRS))
    last_of_equals = np.flatnonzero(np.diff(theirs.ccp_alphas, append=np.inf) > 1e-9)
    assert np.allclose(ours.ccp_alphas, theirs.ccp_alphas[last_of_equals])
    assert np.allclose(ours.impurities, theirs.impurities[last_of_equals])


def test_a_row_without_an_answer_goes_to_the_largest_child():
    rows = np.where(np.random.default_rng(0).random(BLOBS.shape) < 0.3, np.nan, BLOBS)
    leaves = np.unique(OURS.apply(BLOBS))
    assert set(OURS.apply(rows)) <= set(leaves.tolist())
    counts = np.array(clone(SHALLOW).set_params(missing="heaviest").fit(BLOBS, BLOB).predict(rows))
    by_leaf = dict(zip(OURS.apply(BLOBS).tolist(), OURS.predict(BLOBS).tolist(), strict=True))
    assert [by_leaf[leaf] for leaf in OURS.apply(rows).tolist()] == counts.tolist()


def test_without_scikit_learn_an_error_names_the_extra(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("ftree.estimator")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sklearn.utils.validation", None)
    with pytest.raises(ImportError, match=r"pip install 'ftrees\[sklearn\]'"):
        importlib.import_module("ftree.estimator")


@pytest.mark.parametrize("policy", [type(ID3), DecisionTreeClassifier, 3, "C45"], ids=repr)
def test_a_policy_is_a_value_or_a_function_and_no_class(policy):
    with pytest.raises(TypeError, match=r"^policy must be a Policy such as ID3, or a function"):
        TreeClassifier(policy).fit(X, Y)


def test_paths_have_a_column_for_each_node_whatever_the_rows():
    one = TreeClassifier(ID3).fit([[0.0], [1.0], [2.0]], ["no", "yes", "maybe"])
    paths = one.decision_path([[0.0]])
    assert (paths.shape, paths.dtype, paths.toarray().tolist()) == ((1, 5), np.int64, [[1, 1, 0, 0, 0]])
    assert one.decision_path([[2.0], [0.0], [2.0]]).toarray().tolist() == [[1, 0, 1, 0, 1], [1, 1, 0, 0, 0], [1, 0, 1, 0, 1]]
