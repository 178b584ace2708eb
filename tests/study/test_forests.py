"""Forests: seeded bootstrap samples, votes and mean probabilities."""

import pickle
from functools import partial

import numpy as np
import pytest

from ftree import CART, ID3, Dataset, Leaf, Tree, accuracy, cross_validate, evolve, grow, predict_proba
from ftree.splitters import random_features
from ftree.study import Forest, bagging, random_forest
from ftree.study.learners import learn

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


def test_a_hundred_trees_of_cart_grow_unless_told_otherwise():
    rows = EASY.take([0, 1, 2, 3])
    assert bagging(rows) == bagging(rows, CART, n_trees=100, seed=0)
    assert random_forest(rows) == random_forest(rows, CART, n_trees=100, seed=0)


def test_one_feature_alone_has_a_root_of_one_and_equal_votes_go_to_the_first_class():
    alone = Dataset.from_rows([["a"], ["b"]] * 10, ["no", "yes"] * 10)
    assert random_forest(alone, n_trees=1).depth == 1
    leaf, other = (Tree(alone.schema, Leaf(counts)) for counts in [(1, 0), (0, 1)])
    assert Forest([leaf])([["a"]]) == ["no"]
    assert Forest([other, leaf])([["a"]]) == ["no"]
    assert Forest([other, leaf, other])([["a"]]) == ["yes"]
    sizes = Forest([leaf, Tree(alone.schema, grow(alone).root)])
    assert (sizes.n_leaves, sizes.depth) == (3, 1)


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


def test_a_forest_of_all_features_is_bagging():
    drawn = random_forest(EASY, n_trees=3, n_features=2, seed=1)
    assert accuracy(drawn, EASY) == 1
    assert learn(partial(random_forest, n_trees=1), EASY).depth == 1


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


def test_a_forest_answers_in_the_form_of_the_rows():
    forest, table = bagging(EASY, n_trees=3), EASY.to_pandas()
    names = [feature.name for feature in EASY.schema.features]
    one, *_ = rows = [[row[name] for name in names] for row in EASY.rows()]
    assert forest(rows) == forest(EASY).tolist()
    assert forest(one) == forest(dict(zip(names, one, strict=True))) == forest(rows)[0]
    assert forest(table).tolist() == forest(rows)
    assert forest(table).index.equals(table.index)
    np.testing.assert_array_equal(forest.votes(one), forest.votes(rows)[0])
    np.testing.assert_array_equal(forest.predict_proba(one), forest.predict_proba(rows)[0])
