"""A user's choice by cases: a node is split once its best split leads by more than chance. Source: Domingos & Hulten 2000."""

import numpy as np
from attrs import evolve, frozen

from ftree import ID3, Dataset, grow
from ftree.testing import check_choice
from ftree.tree import Branch


@frozen
class surely_best:
    """The best candidate, if its lead over the second reaches Hoeffding's bound for the cases of the node; else none."""

    delta: float

    def __call__(self, candidates):
        node, score, counts = candidates.node, candidates.score, candidates.counts
        best, second = np.zeros((2, node.max() + 1))
        np.maximum.at(best, node, score)
        np.maximum.at(second, node, np.where(score < best[node], score, 0))
        bound = np.log2(max(counts.shape[1], 2)) * np.sqrt(np.log(1 / self.delta) / (2 * counts.sum(axis=1)))
        return np.where((best - second)[node] >= bound, score, -np.inf)


def test_it_keeps_the_laws_of_choices():
    check_choice(surely_best(1e-6))


def test_a_node_is_split_once_there_are_cases_enough():
    few = Dataset.from_columns({"good": list("aabb"), "bad": list("abab"), "class": list("nnyy")})
    policy = evolve(ID3, choose=surely_best(1e-6))
    assert not isinstance(grow(few, policy).root, Branch)
    assert isinstance(grow(few.take(np.tile(range(4), 50)), policy).root, Branch)
