"""A user's splitter: cut a number between the two halves of its cases, whatever their classes."""

import numpy as np
from attrs import evolve, frozen

from ftree import ID3, Dataset, grow
from ftree.splitters import ORDERED, BestSplits, best_cuts, cut_after, multiway, two_sides
from ftree.testing import check_policy, check_splitter


def evenness(children):
    """Minus the difference in cases between two children, (..., 2, K) to (...)."""
    sizes = children.sum(axis=-1)
    return -np.abs(sizes[..., 0] - sizes[..., 1])


@frozen
class median_cut:
    """Finds the cut of each run (a feature at a node), and scores it by the policy's score; -inf where there is none."""

    kinds = ORDERED

    def __call__(self, runs, measure):
        even = best_cuts(runs, evenness)
        scores = np.full(len(even.score), -np.inf)
        for run in np.flatnonzero(even.score > -np.inf):
            scores[run] = measure(two_sides(runs, run, even.below[run])[None])[0]
        return BestSplits(scores, lambda run: cut_after(runs, run, even.below[run]))


def test_it_and_policies_with_it_keep_the_laws():
    check_splitter(median_cut(), exempt={"best"})
    check_policy(evolve(ID3, splits=(multiway(), median_cut())))


def test_it_cuts_in_the_middle():
    data = Dataset.from_rows([[1.0], [2.0], [3.0], [4.0]], ["yes", "no", "no", "no"])
    assert grow(data, evolve(ID3, splits=(median_cut(),))).root.split.at == 2.5
    assert grow(data).root.split.at == 1.5
