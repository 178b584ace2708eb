"""A user's honest trees: one half of the rows chooses the splits, the other one counts. Source: Athey & Imbens 2016."""

import numpy as np
from hypothesis import given

from ftree import ID3, Dataset, accuracy, grow, recount
from ftree.testing import datasets


def honest(dataset, policy=ID3):
    """A learner: the tree of every second row, with the counts of the others."""
    rows = np.arange(len(dataset))
    return recount(grow(dataset.take(rows[::2]), policy), dataset.take(rows[1::2]))


@given(datasets(min_rows=2))
def test_splits_are_those_of_one_half_and_counts_those_of_the_other(dataset):
    rows = np.arange(len(dataset))
    tree = honest(dataset)
    assert tree.root.counts == tuple(dataset.take(rows[1::2]).class_counts())
    assert getattr(tree.root, "split", None) == getattr(grow(dataset.take(rows[::2])).root, "split", None)


def test_they_do_not_believe_in_noise():
    draw = np.random.default_rng(0)
    data = Dataset.from_columns({"noise": draw.uniform(size=400), "class": draw.integers(0, 2, 400)})
    assert accuracy(grow(data), data) == 1
    assert accuracy(honest(data), data.take(np.arange(0, 400, 2))) < 0.6
