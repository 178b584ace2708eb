"""A user's study: parts of their own, compared on the same folds with corrected tests. Source: Nadeau & Bengio 2003."""

import numpy as np
from attrs import evolve

from ftree import ID3, Dataset, prune
from ftree.criteria import gain
from ftree.exchange import from_json, to_json
from ftree.study import compare


def odds(children, impurity):
    """Gain, doubled where both children have cases of one class only."""
    return gain(children, impurity) * (1 + (np.asarray(children) > 0).all(axis=(-2, -1)))


def agreeing(tree):
    return prune.collapse()(tree)


def test_own_parts_are_compared_and_kept_in_json():
    draw = np.random.default_rng(0)
    points = draw.integers(0, 5, (120, 3)).astype(float)
    data = Dataset.from_rows(points, (points[:, 0] + draw.integers(0, 2, 120) > 3).astype(int))
    learners = {"usual": ID3, "own": (evolve(ID3, score=odds), agreeing)}
    told = compare(learners, {"points": data}, folds=5, seed=1)
    assert told == compare(learners, {"points": data}, folds=5, seed=1)
    assert "own" in str(told)
    assert from_json(to_json(evolve(ID3, score=odds)), parts=(odds,)) == evolve(ID3, score=odds)
