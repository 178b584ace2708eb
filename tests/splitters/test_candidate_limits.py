"""Splitters list candidates without limits on children's sizes only: a list cannot keep them."""

import re

import numpy as np
import pytest

from ftree.splitters import DistinctValues, multiway, threshold
from ftree.tree import Multiway, Threshold

THREE = DistinctValues(1, "size", np.array([1.0, 2.0, 4.0]), np.array([5, 1, 3]))


@pytest.mark.parametrize(
    ("splitter", "message"),
    [
        (threshold(min_cases=5), "min_cases must not be set where candidates are listed, got 5 for threshold(min_cases=5)"),
        (threshold(mdl=True), "mdl must not be set where candidates are listed, got True for threshold(mdl=True)"),
        (multiway(min_cases=5), "min_cases must not be set where candidates are listed, got 5 for multiway(min_cases=5)"),
        (multiway(empty=True), "empty must not be set where candidates are listed, got True for multiway(empty=True)"),
    ],
    ids=["min_cases", "mdl", "multiway, min_cases", "empty"],
)
def test_a_splitter_with_limits_lists_no_candidates(splitter, message):
    with pytest.raises(ValueError, match=rf"^{re.escape(message)}\. optimal takes min_leaf\.$"):
        splitter.candidates(THREE)


def test_candidates_are_between_neighbouring_values_or_at_the_lower_one():
    assert threshold().candidates(THREE) == [Threshold(1, 1.5), Threshold(1, 3.0)]
    assert threshold(at="observed").candidates(THREE) == [Threshold(1, 1.0), Threshold(1, 2.0)]
    assert multiway().candidates(DistinctValues(0, "sky", np.array([0, 2]), np.array([1, 1]))) == [Multiway(0, (0, 2))]
    assert multiway().candidates(DistinctValues(0, "sky", np.array([2]), np.array([1]))) == []
