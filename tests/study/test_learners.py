"""Learners: policies, passes, functions, estimators of others, forests."""

import pickle
from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from ftree import CART, ID3, Dataset, Policy, accuracy, cross_validate, evolve, grow, predict_proba, prune, stop
from ftree.splitters import random_features
from ftree.study import Forest, Predictions, bagging, design_matrix, learn, metrics, random_forest

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
    alone = DecisionTreeClassifier(random_state=0).fit(design_matrix(rows), [rows.schema.classes[code] for code in rows.labels])
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


RANDOM = np.random.default_rng(0)
POINTS = RANDOM.uniform(size=(120, 4)).round(3)
BORDER = Dataset.from_rows(
    POINTS, [bool(noisy) for noisy in (POINTS[:, 0] + POINTS[:, 1] > 1) ^ (RANDOM.uniform(size=120) < 0.1)]
)
EASY = Dataset.from_rows([["a", 1.0], ["b", 2.0]] * 10, ["no", "yes"] * 10)


@pytest.mark.parametrize("forest", [bagging, random_forest])
def test_the_seed_decides_the_forest(forest):
    one, other = forest(BORDER, n_trees=3, seed=1), forest(BORDER, n_trees=3, seed=1)
    assert one == other
    assert one != forest(BORDER, n_trees=3, seed=2)
    assert len(set(one.trees)) == 3
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301  # our own bytes


def test_bagging_learns_from_bootstrap_samples():
    random = np.random.default_rng(5)
    samples = [BORDER.take(random.integers(120, size=120)) for _ in range(3)]
    assert bagging(BORDER, ID3, n_trees=3, seed=5).trees == tuple(grow(sample, ID3) for sample in samples)


@pytest.mark.parametrize(("asked", "drawn"), [(None, 2), (1, 1), (3, 3)])
def test_a_random_forest_draws_features_for_each_tree_of_a_bootstrap_sample(asked, drawn):
    random, trees = np.random.default_rng(5), []
    for _ in range(2):
        sample = BORDER.take(random.integers(120, size=120))
        splits = (random_features(drawn, ID3.splits, seed=int(random.integers(2**63))),)
        trees.append(grow(sample, evolve(ID3, splits=splits)))
    assert random_forest(BORDER, ID3, n_trees=2, n_features=asked, seed=5).trees == tuple(trees), "by default the root of four"


def test_votes_are_counted_and_probabilities_averaged():
    forest = bagging(BORDER, n_trees=5)
    votes = forest.votes(BORDER)
    assert (votes.sum(axis=1) == 5).all()
    assert forest(BORDER).tolist() == [forest.schema.classes[code] for code in votes.argmax(axis=1)]
    mean = np.mean([predict_proba(tree, BORDER) for tree in forest.trees], axis=0)
    assert np.array_equal(forest.predict_proba(BORDER), mean)
    assert forest.n_leaves > forest.depth > 1


def test_a_forest_is_less_sure_of_its_errors_than_its_policy_where_classes_are_noisy():
    alone = cross_validate(BORDER, CART, folds=3, metrics="log_loss").mean
    trial = cross_validate(BORDER, partial(random_forest, n_trees=10), folds=3, metrics=("log_loss", "auc", "leaves"))
    assert trial.mean < alone
    assert min(trial["auc"]) > 0.7


@pytest.mark.parametrize(
    ("ask", "error", "wanted"),
    [
        (lambda: bagging(EASY, n_trees=0), ValueError, "n_trees must be a whole number from 1, got 0"),
        (lambda: bagging([1]), TypeError, "dataset must be a Dataset"),
        (lambda: bagging(EASY, "CART"), TypeError, "learner must be"),
        (lambda: bagging(EASY, lambda _: [1]), TypeError, "tree must be a Tree"),
        (lambda: random_forest(EASY, n_trees=0), ValueError, "n_trees must be a whole number from 1, got 0"),
        (lambda: random_forest(EASY, n_features=0), ValueError, "whole number of features from 1"),
        (lambda: random_forest(EASY, grow), TypeError, "policy must be a Policy such as CART, got a function"),
        (lambda: Forest([]), ValueError, "trees must be at least one tree, all of one schema, got 0"),
        (lambda: Forest([grow(EASY), grow(BORDER)]), ValueError, "all of one schema, got 2"),
    ],
)
def test_a_forest_that_cannot_grow_is_refused(ask, error, wanted):
    with pytest.raises(error, match=wanted):
        ask()
