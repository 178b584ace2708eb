"""A user's boosting of weighted trees. Source: Zhu, Zou, Rosset & Hastie 2009 (SAMME)."""

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from ftree import CART, Dataset, accuracy, grow, predict
from ftree.stop import max_depth

STUMPS = CART.stopping(max_depth(1))


def samme(dataset, policy, rounds):
    """Trees with the weights of their votes."""
    weights, trees, classes = np.ones(len(dataset)) / len(dataset), [], len(dataset.schema.classes)
    labels = dataset.labels
    for _ in range(rounds):
        tree = grow(dataset.with_weights(weights * len(dataset)), policy)
        wrong = predict(tree, dataset) != labels
        error = np.clip(weights[wrong].sum(), 1e-9, 1 - 1e-9)
        vote = np.log((1 - error) / error) + np.log(classes - 1)
        if vote <= 0:
            break
        trees.append((vote, tree))
        weights = weights * np.exp(vote * wrong)
        weights /= weights.sum()
    return trees


def vote(trees, dataset):
    votes = sum(w * (predict(tree, dataset)[:, None] == np.array(dataset.schema.classes)) for w, tree in trees)
    return np.array(dataset.schema.classes)[votes.argmax(axis=1)]


def sample():
    points = np.random.default_rng(0).integers(0, 256, (300, 2)) / 256
    columns = {"x": points[:, 0], "y": points[:, 1], "class": np.floor(points.sum(axis=1) * 1.5).astype(int)}
    return Dataset.from_columns(columns), points


def test_its_errors_and_votes_are_those_of_scikit_learn():
    data, points = sample()
    labels = data.labels
    theirs = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=12, random_state=0).fit(points, labels)
    trees = samme(data, STUMPS, 12)
    assert [weight for weight, _ in trees] == pytest.approx(theirs.estimator_weights_)
    errors = [1 / (1 + np.exp(weight) / (len(data.schema.classes) - 1)) for weight, _ in trees]
    assert errors == pytest.approx(theirs.estimator_errors_)
    assert (vote(trees, data) == theirs.predict(points)).all()


def test_stumps_together_know_what_none_of_them_does():
    data, _ = sample()
    right = data.labels == vote(samme(data, STUMPS, 40), data)
    assert right.mean() > accuracy(grow(data, STUMPS), data) + 0.2
