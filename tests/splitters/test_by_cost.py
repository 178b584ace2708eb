"""Features chosen by gain and cost: EG2, CS-ID3 and IDX, by worked numbers."""

import numpy as np
import pytest
from attrs import evolve

from ftree import ID3, grow
from ftree.datasets import weather
from ftree.splitters import Candidates, by_cost

CANDIDATES = Candidates(np.zeros(3, int), np.arange(3), np.array([1.0, 0.5, -np.inf]), lambda _: np.zeros(3), np.zeros(3, bool))


@pytest.mark.parametrize(
    ("choice", "figures"),
    [
        (by_cost([1, 3, 1]), [0.5, (2**0.5 - 1) / 4]),
        (by_cost([1, 3, 1], weight=0), [1.0, 2**0.5 - 1]),
        (by_cost([4, 1, 1], measure="CS-ID3"), [0.25, 0.25]),
        (by_cost([4, 1, 1], measure="IDX"), [0.25, 0.5]),
    ],
    ids=repr,
)
def test_figures_are_those_of_the_papers(choice, figures):
    assert choice(CANDIDATES) == pytest.approx([*figures, -np.inf])


def test_growth_avoids_dear_features_and_without_costs_changes_nothing():
    table = weather()
    assert grow(table, evolve(ID3, choose=by_cost([1, 1, 1, 1], measure="IDX"))) == grow(table, ID3)
    assert grow(table, evolve(ID3, choose=by_cost([100, 1, 1, 1]))).root.split.feature != grow(table, ID3).root.split.feature


def test_bad_costs_get_an_answer_at_the_door():
    with pytest.raises(ValueError, match="costs must be finite numbers above 0, one for each feature"):
        by_cost([1, 0])
    with pytest.raises(ValueError, match="measure must be one of 'EG2', 'CS-ID3', 'IDX', got 'ID3'"):
        by_cost([1], measure="ID3")
    with pytest.raises(ValueError, match="weight must be a probability"):
        by_cost([1], weight=2)
    with pytest.raises(ValueError, match="costs must be for all features, got 1"):
        grow(weather(), evolve(ID3, choose=by_cost([1])))
