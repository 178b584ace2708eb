"""A user's growth policy for missing values, with the prediction rule of its trees. CONTRIBUTING has the recipe."""

import numpy as np
from attrs import evolve, frozen

from ftree import CART, Dataset, grow, predict_counts
from ftree.routing import stop_here
from ftree.testing import check_missing


@frozen
class evenly:
    """Cases with a missing value go to all children in equal parts, and do not lower any score."""

    predict = stop_here()

    def shares(self, sizes):
        return np.full(len(sizes), 1 / len(sizes))

    def discount(self, known):
        return np.ones_like(known)


def test_it_keeps_the_laws_of_ours():
    check_missing(evenly())


def test_it_decides_growth_and_prediction():
    data = Dataset.from_rows([["a"], ["b"], ["b"], ["b"], [None]], ["no", "yes", "yes", "yes", "yes"])
    tree = grow(data, evolve(CART, missing=evenly()))
    assert [child.counts for child in tree.root.children] == [(1, 0.5), (0, 3.5)]
    assert predict_counts(tree, [None]).tolist() == [1, 4]
