"""A user's learners against a control, on several tables, by Holm's p-values. Sources: Demšar 2006, section 3.2.2; Holm 1979."""

from functools import partial

import numpy as np
import pytest
from scipy.stats import norm, rankdata

from ftree import CART, accuracy, datasets, grow, stop
from ftree.study import compare

TABLES = [datasets.noisy_labels(datasets.gaussian_clusters(150, seed=seed), 0.15, seed=seed) for seed in range(10)]


def guess(train):
    """A tree of labels in another order."""
    return grow(train.with_labels(np.random.default_rng(0).permutation(train.labels), classes=train.schema.classes), CART)


def test_holms_p_values_against_a_control_are_those_of_plain_loops():
    shorter = {str(depth): partial(grow, policy=CART.stopping(stop.max_depth(depth))) for depth in (1, 3)}
    learners = {"whole": partial(grow, policy=CART), "guess": guess, **shorter}
    found = compare(learners, TABLES, folds=3).friedman().post_hoc("whole")
    folds = [list(table.folds(3, seed=0)) for table in TABLES]
    right = [[np.mean([accuracy(learn(train), test) for train, test in each]) for each in folds] for learn in learners.values()]
    first, *ranks = rankdata(-np.array(right), axis=0).mean(axis=1)
    p_values = [2 * norm.sf(abs(first - rank) / np.sqrt(4 * 5 / (6 * len(TABLES)))) for rank in ranks]
    steps = np.sort(p_values) * [3, 2, 1]
    adjusted = np.minimum(np.maximum.accumulate(steps), 1)[np.argsort(np.argsort(p_values))]
    assert [test.adjusted for test in found] == pytest.approx(adjusted)
    assert [test.other for test in found if test.adjusted < 0.05] == ["1"]
