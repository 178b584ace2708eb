"""A user's extremely randomized trees: random features, and a random cut of each. Source: Geurts, Ernst & Wehenkel 2006."""

import numpy as np
from attrs import evolve, frozen

from ftree import CART, Branch, Dataset, grow, predict_proba
from ftree.splitters import ORDERED, BestSplits, cut_after, two_sides
from ftree.testing import check_policy, check_splitter


@frozen
class random_cuts:
    """A cut between two values at random, of one of two features at random."""

    seed: int
    kinds = ORDERED

    def __call__(self, runs, measure):
        below = runs.start + (runs.draws(self, self.seed) * np.maximum(runs.size - 1, 0)).astype(int)
        scores = np.full(len(below), -np.inf)
        drawn = runs.draws(self, self.seed + 1) < 0.5
        for run in np.flatnonzero((runs.size > 1) & (drawn | (np.bincount(runs.node)[runs.node] == 1))):
            scores[run] = measure(two_sides(runs, run, below[run])[None])[0]
        return BestSplits(scores, lambda run: cut_after(runs, run, below[run]))


def test_it_and_policies_with_it_keep_the_laws():
    check_splitter(random_cuts(3), exempt={"best"})
    check_policy(evolve(CART, splits=(*CART.splits[:1], random_cuts(3))), exempt={"best", "apart"})


def test_cuts_lie_anywhere_and_a_forest_of_them_learns():
    draw = np.random.default_rng(0)
    points = draw.uniform(size=(200, 4))
    data = Dataset.from_rows(points, (points[:, 0] > 0.5).astype(int))
    trees = [grow(data, evolve(CART, splits=(random_cuts(seed),))) for seed in range(30)]
    assert 0.35 < np.mean([tree.root.split.at for tree in trees if isinstance(tree.root, Branch)]) < 0.65
    assert np.mean([predict_proba(tree, [0.9, 0.5, 0.5, 0.5])[1] for tree in trees]) > 0.7
