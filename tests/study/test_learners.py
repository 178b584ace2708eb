"""Learners: policies, passes, functions, estimators of others, forests."""

from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from ftree import CART, ID3, Dataset, Policy, accuracy, grow, prune, stop
from ftree.study import Predictions, design_matrix, learn, metrics

MIXED = Dataset.from_rows(
    [["a", 1.0, "S"], ["b", 2.0, "L"], [None, None, None], ["c", 4.0, "M"]],
    ["no", "yes", "yes", "no"],
    kinds={"x1": "numeric", "x2": ("S", "M", "L")},
)


def test_a_pass_prunes_the_tree_of_ID3_and_a_tuple_that_of_its_learner():
    stump = prune.trim(stop.max_depth(1))
    assert learn(stump, MIXED) == stump(grow(MIXED))
    assert learn((CART, stump), MIXED) == stump(grow(MIXED, CART))
    assert learn((partial(grow, policy=CART), stump, prune.collapse()), MIXED) == prune.collapse()(stump(grow(MIXED, CART)))
    assert learn((ID3, lambda tree: tree), MIXED) == grow(MIXED)


def test_numbers_stay_values_in_order_are_places_and_others_are_one_column_each():
    gap = np.nan
    wanted = [[1, 0, 0, 1, 0], [0, 1, 0, 2, 2], [0, 0, 0, gap, gap], [0, 0, 1, 4, 1]]
    assert np.array_equal(design_matrix(MIXED), wanted, equal_nan=True)
    assert design_matrix(Dataset.from_rows([[], []], [0, 1])).shape == (2, 0)


def test_an_estimator_is_fitted_to_a_copy_and_answers_as_by_itself():
    estimator = DecisionTreeClassifier(random_state=0)
    rows = MIXED.complete()
    classifier = learn(estimator, rows)
    alone = DecisionTreeClassifier(random_state=0).fit(design_matrix(rows), rows.labels.tolist())
    assert not hasattr(estimator, "tree_")
    assert repr(classifier) == f"FittedEstimator(estimator={classifier.estimator!r})"
    assert classifier(MIXED) == alone.predict(design_matrix(MIXED)).tolist()
    assert np.array_equal(classifier.predict_proba(rows), alone.predict_proba(design_matrix(rows)))
    answers = Predictions(classifier, rows)
    assert (metrics.leaves(answers), metrics.depth(answers)) == (alone.get_n_leaves(), alone.get_depth())
    assert accuracy(classifier, rows) == 1


def test_an_estimator_that_is_no_tree_has_no_leaves_and_one_without_probabilities_no_log_loss():
    rows = MIXED.complete()
    answers = Predictions(learn(LinearSVC(), rows), rows)
    assert np.isnan([metrics.leaves(answers), metrics.depth(answers)]).all()
    assert np.isnan([answers.classifier.n_leaves, answers.classifier.depth]).all()
    assert answers.classifier.predict_proba is None
    with pytest.raises(TypeError, match="predict_proba"):
        metrics.log_loss(answers)
    assert metrics.brier(Predictions(learn(LogisticRegression(), rows), rows)) < 1


@pytest.mark.parametrize("learner", ["ID3", 3, None, (), ("ID3",), (ID3, "prune"), (ID3, prune.pessimistic(), "prune")])
def test_what_is_no_learner_is_refused(learner):
    with pytest.raises(
        TypeError, match="learner must be a Policy such as ID3, a function from a dataset to a tree, or an estimator, got"
    ):
        learn(learner, MIXED)


@pytest.mark.parametrize("learner", [Policy, prune.pessimistic, LinearRegression])
def test_a_learner_without_its_parentheses_is_refused(learner):
    with pytest.raises(TypeError, match=rf"got the class {learner.__name__}. Write {learner.__name__}\(...\)"):
        learn(learner, MIXED)
