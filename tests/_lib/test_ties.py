"""Ties: equal but for rounding errors, the first one wins."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ftree._lib.arrays import first_largest, least_as_large
from ftree.tree import majority


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=5))
def test_the_majority_of_counts_is_the_first_largest_of_an_array(counts):
    assert majority(counts) == first_largest(np.array(counts))


def test_a_rounding_error_does_not_decide():
    assert first_largest(np.array([0.3, 0.1 + 0.2])) == 0
    assert first_largest(np.array([-0.3, -0.1 - 0.2])) == 0
    assert least_as_large(1.0) < 1.0
