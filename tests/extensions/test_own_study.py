"""A user's study: parts of their own, compared on the same folds with corrected tests. Source: Nadeau & Bengio 2003."""

import numpy as np
import pytest
from attrs import evolve
from scipy.stats import t as student

from ftree import ID3, Dataset, accuracy, grow, n_leaves, prune
from ftree.criteria import gain
from ftree.saving import from_json, to_json
from ftree.study import compare


def odds(children, impurity):
    """Gain, doubled where both children have cases of one class only."""
    return gain(children, impurity) * (1 + (np.asarray(children) > 0).all(axis=(-2, -1)))


OWN, agreeing = evolve(ID3, score=odds), prune.collapse()


def test_a_comparison_is_that_of_plain_loops():
    draw = np.random.default_rng(0)
    points = draw.uniform(size=(120, 3))
    data = Dataset.from_rows(points, (points[:, 0] + draw.normal(size=120) > 0.5).astype(int))
    told = compare({"usual": ID3, "own": (OWN, agreeing)}, {"points": data}, folds=5, seed=1, metrics=("accuracy", "leaves"))
    train, test = zip(*data.folds(5, seed=1), strict=True)
    trees = {"usual": [grow(rows) for rows in train], "own": [agreeing(grow(rows, OWN)) for rows in train]}
    for name, grown in trees.items():
        assert told[name, "points"]["accuracy"] == tuple(map(accuracy, grown, test))
        assert told[name, "points"]["leaves"] == tuple(map(n_leaves, grown))
    usual, own = (np.array(told[name, "points"]["accuracy"]) for name in trees)
    statistic = (usual - own).mean() / np.sqrt((1 / 5 + 1 / 4) * (usual - own).var(ddof=1))
    assert told.corrected_t_test("usual", "own").p_value == pytest.approx(2 * student.sf(abs(statistic), 4))


def test_own_parts_are_kept_in_json():
    assert from_json(to_json(OWN), parts=(odds,)) == OWN
