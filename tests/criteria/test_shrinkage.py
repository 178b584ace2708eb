"""Hierarchical shrinkage: leaves drawn towards the nodes above them, with as many cases as before."""

import numpy as np
import pytest
from hypothesis import given

from ftree import Leaf, grow, leaves, n_leaves
from ftree.criteria import shrunken
from ftree.datasets import weather
from ftree.testing import trees


@given(trees())
def test_a_weight_of_0_changes_no_probability_and_a_large_one_makes_leaves_as_the_root(tree):
    root = np.array(tree.root.counts, dtype=float)
    for weight, wanted in ((0.0, None), (1e12, root / root.sum() if root.sum() else root)):
        for own, made in zip(leaves(tree), leaves(shrunken(tree, weight)), strict=True):
            before, after = np.array(own.counts, dtype=float), np.array(made.counts)
            assert after.sum() == pytest.approx(before.sum(), abs=1e-6)
            assert after == pytest.approx(before if wanted is None else before.sum() * wanted, abs=1e-5)


def test_other_arguments_are_refused():
    weather_tree = grow(weather())
    assert n_leaves(shrunken(weather_tree, 3)) == n_leaves(weather_tree)
    assert sum(shrunken(weather_tree, 3).root.counts) == pytest.approx(14)
    with pytest.raises(ValueError, match="weight must be a finite number of at least 0, got -1"):
        shrunken(weather_tree, -1)
    with pytest.raises(TypeError, match="tree must be a Tree"):
        shrunken(Leaf((1, 2)), 1)
