"""Bins of a sample: at most the requested number, about equally full, and a frequent number has its own bin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree.scan.bins import Bins, bins_of_sample

numbers = st.lists(st.integers(-4, 4).map(float) | st.floats(-9, 9) | st.just(np.nan), max_size=40)


@given(numbers, st.integers(2, 20), st.booleans())
def test_a_sample_has_at_most_so_many_bins_and_each_frequent_number_one_of_its_own(sample, most, whole):
    bins = bins_of_sample(np.array(sample, dtype=float), most, whole=whole)
    assert bins.n <= most
    known = np.array(sample)[~np.isnan(sample)]
    codes, fair = bins.codes(known), len(known) / max(most // 3, 1)
    for number in set(known.tolist()):
        together = set(known[codes == bins.codes(np.array([number]))[0]].tolist())
        if most > 5 and (known == number).sum() >= fair:
            assert together == {number}
    # A third of the edges divides the numbers evenly: between two of them are at most a fair share plus the cases of one value.
    if most > 5 and len(known):
        largest = max((known == number).sum() for number in set(known.tolist()))
        assert np.bincount(codes).max() <= fair + largest


@given(numbers, st.integers(2, 20))
def test_few_numbers_have_a_bin_each_and_where_they_are_all_there_are_it_is_known_to_have_no_other(sample, most):
    values = np.unique(np.array(sample, dtype=float)[~np.isnan(sample)])
    whole = bins_of_sample(np.array(sample, dtype=float), most, whole=True)
    if len(values) < most:
        assert whole.edges.tolist() == values.tolist()
        assert whole.single.tolist() == [True] * (len(values) + 1)  # nothing lies above the last edge
    some = bins_of_sample(np.array(sample, dtype=float), most)
    if 2 * len(values) < most:
        assert len(set(some.codes(values).tolist())) == len(values)
        assert some.single[some.codes(values)].all()
        assert not some.single[-1]


@given(st.lists(st.floats(-5, 5), max_size=6, unique=True), numbers)
def test_a_bin_has_the_numbers_above_an_edge_and_up_to_the_next(edges, sample):
    bins = Bins(np.array(sorted(edges), dtype=float))
    assert bins.n == len(edges) + 1
    assert bins.upper.tolist() == [*sorted(edges), np.inf]
    wanted = [bins.n if np.isnan(number) else sum(edge < number for edge in edges) for number in sample]
    assert bins.codes(np.array(sample, dtype=float)).tolist() == wanted


@pytest.mark.parametrize("edge", [0.0, 1.0, -5e-324, 1e300])
def test_a_bin_between_neighbouring_floats_has_one_number_only(edge):
    below = np.nextafter(edge, -np.inf)
    assert Bins(np.array([below, edge])).single.tolist() == [False, True, False]
    assert Bins(np.array([np.nextafter(below, -np.inf), edge])).single.tolist() == [False, False, False]
    assert Bins(np.array([])).single.tolist() == [False]
