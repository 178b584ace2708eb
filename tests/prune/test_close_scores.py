"""Scores are compared but for rounding: a ten-billionth of the larger one, and near zero a distance of 1e-12."""

import numpy as np
import pytest

from ftree.prune.compare import at_most, at_most_each, same, same_each


@pytest.mark.parametrize("size", [0.1, 1.0, 1e9])
@pytest.mark.parametrize(("beyond", "equal"), [(0.9e-10, True), (1.2e-10, False)])
def test_scores_are_equal_within_a_share_of_their_size(size, beyond, equal):
    one, other = size, size * (1 + beyond)
    assert same(one, other) == same(-one, -other) == same(other, one) == equal
    assert at_most(other, one) == equal
    assert at_most(one, other)


@pytest.mark.parametrize(("beyond", "equal"), [(0.9e-12, True), (1.1e-12, False)])
def test_scores_near_zero_are_equal_within_a_distance(beyond, equal):
    assert same(0.0, beyond) == same(beyond, 0.0) == at_most(beyond, 0.0) == equal


@pytest.mark.parametrize(
    ("one", "other"), [(0.0, 1e-12), (0.0, 1.1e-12), (1.0, 1 + 0.9e-10), (1.0, 1 + 1.2e-10), (-3.0, -3.0), (2.0, -2.0)]
)
def test_scores_in_arrays_are_compared_as_single_ones(one, other):
    ones, others = np.array([one, other]), np.array([other, one])
    assert same_each(ones, others).tolist() == [same(one, other), same(other, one)]
    assert at_most_each(ones, others).tolist() == [at_most(one, other), at_most(other, one)]
