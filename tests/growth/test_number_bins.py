"""Bins of numbers: their ends, the values of rows, and splitters that must agree."""

import numpy as np
import pytest
from attrs import evolve

from ftree import CART, ID3, Dataset
from ftree.data.dataset import rows_with_weight
from ftree.growth.given_table import (
    bins_of,
    ends_of_bins,
    in_requested_bins,
    prepared_dataset,
    ranks,
)
from ftree.splitters import intervals, multiway, oblique, per_feature, threshold


def test_bins_hold_equally_many_cases_as_far_as_values_allow():
    values = np.arange(1.0, 7.0)
    assert ends_of_bins(values, np.ones(6, int), 3).tolist() == [2, 4, 6]
    assert ends_of_bins(values, np.ones(6, int), 6).tolist() == [1, 2, 3, 4, 5, 6]
    assert ends_of_bins(values, np.ones(6, int), 7).tolist() == [1, 2, 3, 4, 5, 6]
    assert ends_of_bins(values, np.ones(6, int), 1).tolist() == [6]
    assert ends_of_bins(values, np.array([9, 1, 1, 1, 1, 1]), 2).tolist() == [1, 6], "half of the cases have the first value"
    assert ends_of_bins(values, np.array([0.5, 0.25, 0.25, 0.5, 0.25, 0.25]), 2).tolist() == [3, 6]
    assert ends_of_bins(values, np.array([1, 1, 1, 1, 1, 9]), 2).tolist() == [6], "half of the cases have the last value"
    assert ends_of_bins(np.zeros(0), np.zeros(0, int), 2).tolist() == []


def test_ends_nearer_than_rounding_are_one_of_which_the_larger_stays():
    for largest in (1.0, -1.0, 1e6):
        near, apart = largest * (1 - 3e-12), largest * (1 - 5e-12)
        some = np.sort([near, largest])
        assert ends_of_bins(some, np.ones(2, int), 2).tolist() == [some[1]]
        some = np.sort([apart, largest])
        assert ends_of_bins(some, np.ones(2, int), 2).tolist() == some.tolist()
    assert ends_of_bins(np.array([0.0, 3e-12]), np.ones(2, int), 2).tolist() == [0.0, 3e-12], "relative to the largest number"


def test_the_weights_of_equal_numbers_add_up():
    table = Dataset.from_columns({"x": [3.0, 1.0, 2.0, 1.0], "y": [0, 1, 0, 1]}, target="y", weights=[1.5, 1.5, 1.5, 1.5])
    assert in_requested_bins(table, 2)[1][0].tolist() == [1, 3]


def test_shares_of_cases_are_rounded_up_and_exact():
    assert ranks(10, 4) == [3, 5, 8]
    assert ranks(10, 1) == []
    assert ranks(10.0, 4) == [2.5, 5.0, 7.5]
    assert ranks(10**19 + 1, 2) == [5 * 10**18 + 1], "beyond 64 bits"


@pytest.mark.parametrize(
    ("weights", "ends"), [(None, [2.0, 4.0]), ([6, 1, 1, 1, 1], [1.0, 4.0]), ([0.6, 0.1, 0.1, 0.1, 0.1], [1.0, 4.0])]
)
def test_a_table_in_bins_by_its_cases(weights, ends):
    columns = {"c": list("ababa"), "x": [1.0, 4.0, None, 2.0, 3.0], "y": [0, 1, 0, 1, 0]}
    table = Dataset.from_columns(columns, target="y", weights=weights)
    found, own = in_requested_bins(table, 2)
    assert own[0] is None
    assert own[1].tolist() == ends
    assert found["c"].tolist() == table["c"].tolist()
    wanted = [float("nan") if x is None else min(end for end in ends if end >= x) for x in columns["x"]]
    assert np.array_equal(found.columns[1], wanted, equal_nan=True)
    assert (found.schema, found.weights is None) == (table.schema, weights is None)
    assert in_requested_bins(evolve(table, columns=[table.columns[0], np.full(5, np.nan)]), 2)[1][1].tolist() == []


def test_single_precision_is_binned_as_its_doubles_are():
    numbers = np.array([0.1, 0.2, 0.3, 0.4], np.float32)
    single = Dataset.from_columns({"x": numbers, "y": [0, 1, 0, 1]}, target="y")
    double = Dataset.from_columns({"x": numbers.astype(float), "y": [0, 1, 0, 1]}, target="y")
    (one,), (other,) = in_requested_bins(single, 2)[1], in_requested_bins(double, 2)[1]
    assert (one.dtype, one.tolist()) == (other.dtype, other.tolist())


def test_all_splitters_of_numbers_request_the_same_bins():
    assert bins_of(ID3) is None
    asked = evolve(CART, splits=(multiway(), threshold(bins=8)))
    assert bins_of(asked) == 8
    assert bins_of(evolve(CART, splits=(threshold(bins=8), threshold(bins=8, mdl=True)))) == 8
    assert bins_of(evolve(CART, splits=(per_feature({"x": threshold(bins=8)}, otherwise=[threshold(bins=8)]),))) == 8
    for splits, most, named in (
        ((threshold(bins=8), threshold(bins=9)), 9, "threshold(bins=8)"),
        ((threshold(bins=8), threshold()), 8, "threshold()"),
        ((threshold(bins=8), intervals()), 8, "intervals()"),
        ((threshold(bins=8), oblique()), 8, repr(oblique())),
    ):
        with pytest.raises(ValueError, match="numeric") as caught:
            bins_of(evolve(CART, splits=splits))
        assert str(caught.value) == f"splits must have threshold(bins={most}) for all numeric features, got {named}."


def test_growth_gets_the_rows_with_a_weight_in_bins():
    table = Dataset.from_columns({"x": [1.0, 2.0, 3.0, 4.0], "y": [0, 1, 0, 1]}, target="y", weights=[1, 0, 2, 1])
    plain, ends = prepared_dataset(table, ID3)
    assert (plain["x"].tolist(), plain.weights.tolist(), ends) == ([1, 3, 4], [1, 2, 1], None)
    found, (ends,) = prepared_dataset(table, evolve(ID3, splits=(threshold(bins=2),)))
    assert (found["x"].tolist(), ends.tolist()) == ([3, 3, 4], [3, 4])
    whole = evolve(table, weights=np.ones(4))
    assert rows_with_weight(whole) is whole
    bare = evolve(table, weights=None)
    assert rows_with_weight(bare) is bare
