"""A user's boosting of weighted trees. Source: Zhu, Zou, Rosset & Hastie 2009 (SAMME)."""

import numpy as np

from ftree import CART, Dataset, accuracy, grow, predict
from ftree.stop import max_depth


def samme(dataset, policy, rounds):
    """Trees with the weights of their votes."""
    weights, trees, classes = np.ones(len(dataset)) / len(dataset), [], len(dataset.schema.classes)
    labels = np.array(dataset.schema.classes)[dataset.labels]
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


def test_stumps_together_know_what_none_of_them_does():
    draw = np.random.default_rng(0)
    points = draw.uniform(size=(300, 2))
    data = Dataset.from_columns({"x": points[:, 0], "y": points[:, 1], "class": np.floor(points.sum(axis=1) * 1.5).astype(int)})
    stumps = CART.stopping(max_depth(1))
    trees = samme(data, stumps, 40)
    right = np.array(data.schema.classes)[data.labels] == vote(trees, data)
    assert len(trees) > 10
    assert right.mean() > accuracy(grow(data, stumps), data) + 0.2
