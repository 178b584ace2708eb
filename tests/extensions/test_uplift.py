"""A user's score for effects of a treatment: divergence of treated and others. Source: Rzepakowski & Jaroszewicz 2012."""

import numpy as np
from attrs import evolve

from ftree import ID3, Dataset, grow, predict_counts
from ftree.testing import check_score


def uplift_gain(children, _):
    """Gain in squared distance of the answers of the treated and the others; classes are (treatment, answer), two of each."""
    groups = np.asarray(children, dtype=float).reshape(*np.shape(children)[:-1], 2, 2)
    below, above = distance(groups), distance(groups.sum(axis=-3))
    cases = groups.sum(axis=(-2, -1))
    share = cases / np.maximum(cases.sum(axis=-1, keepdims=True), 1e-300)
    return np.maximum((share * below).sum(axis=-1) - above, 0)


def distance(groups):
    cases = groups.sum(axis=-1)
    yes = groups[..., 1] / np.maximum(cases, 1e-300)
    return np.where((cases > 0).all(axis=-1), 2 * (yes[..., 0] - yes[..., 1]) ** 2, 0.0)


def test_it_keeps_the_laws_of_scores():
    check_score(uplift_gain, n_classes=4, exempt={"symmetric"})


def test_it_finds_who_answers_to_the_treatment_and_not_who_buys_anyway():
    draw = np.random.default_rng(0)
    rich, young, treated = draw.integers(0, 2, (3, 2000))
    buys = draw.uniform(size=2000) < 0.2 + 0.5 * rich + 0.25 * young * treated
    columns = {"rich": rich.astype(str), "young": young.astype(str)}
    data = Dataset.from_columns(columns | {"class": 2 * treated + buys})
    tree = grow(data, evolve(ID3, score=uplift_gain).stopping(lambda frontier: frontier.depth >= 1))
    others, treated_ = predict_counts(tree, ["1", "1"]).reshape(2, 2)
    assert tree.root.split.features == (1,)
    assert 0.15 < treated_[1] / treated_.sum() - others[1] / others.sum() < 0.35
