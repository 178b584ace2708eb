"""A user's honest trees: one half of the rows chooses the splits, the other one counts. Source: Athey & Imbens 2016."""

import numpy as np
import pytest
from hypothesis import given

from ftree import ID3, Dataset, accuracy, apply, grow, predict_proba, recount
from ftree.testing import datasets, schemas


def halves(dataset):
    rows = np.arange(len(dataset))
    return dataset.take(rows[::2]), dataset.take(rows[1::2])


def honest(dataset, policy=ID3):
    """A learner: the tree of every second row, with the counts of the others."""
    chooses, counts = halves(dataset)
    return recount(grow(chooses, policy), counts)


# Of numbers, since a value that only one half has would follow several routes.
TABLES = schemas(kinds=("numeric",)).flatmap(lambda schema: datasets(schema=schema, min_rows=2))


@given(TABLES)
def test_leaves_are_those_of_one_half_and_their_probabilities_those_of_the_other(dataset):
    (chooses, counts), tree = halves(dataset), honest(dataset)
    assert list(apply(tree, dataset)) == list(apply(grow(chooses), dataset))
    leaf, proba = apply(tree, counts), predict_proba(tree, counts)
    for row in range(len(counts)):
        assert proba[row] == pytest.approx(np.array(counts.take(leaf == leaf[row]).class_counts()) / (leaf == leaf[row]).sum())


def test_they_do_not_believe_in_noise():
    draw = np.random.default_rng(0)
    data = Dataset.from_columns({"noise": draw.uniform(size=400), "class": draw.integers(0, 2, 400)})
    assert accuracy(grow(data), data) == 1
    assert accuracy(honest(data), halves(data)[0]) < 0.6
