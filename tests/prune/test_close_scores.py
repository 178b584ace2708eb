"""Scores are compared but for rounding: a ten-billionth of the larger one, and near zero a distance of 1e-12."""

import pytest

from ftree.prune.compare import at_most, same


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
