"""Rows as points in space, and their scalings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ftree import Dataset, Feature, Schema
from ftree.points import points_of, standard, training_points, unit_range, unscaled, weighted_features

MIXED = Schema([Feature("age", "numeric"), Feature("sky", "nominal", ("grey", "blue"))], "ill", ("no", "yes"))
NUMERIC = Schema([Feature("age", "numeric"), Feature("size", "numeric")], "ill", ("no", "yes"))


def test_points_are_floats_where_all_features_are_numeric_and_raw_values_otherwise():
    points, single = points_of(NUMERIC, [[20, 1], [60, 2]])
    assert (points.dtype, points.tolist(), single) == (np.float64, [[20.0, 1.0], [60.0, 2.0]], False)
    points, single = points_of(MIXED, [20, "blue"])
    assert (points.dtype, points.tolist(), single) == (object, [[20, "blue"]], True)


@pytest.mark.parametrize(
    ("schema", "rows"), [(NUMERIC, [[1, 2], [3, None], [None, 4]]), (MIXED, [[1, "grey"], [3, None], [None, "grey"]])]
)
def test_a_point_without_a_value_is_refused_with_its_first_gap(schema, rows):
    name = schema.features[1].name
    with pytest.raises(ValueError, match=f"^A row must have a value of every feature, got none for '{name}' in row 1. Omit"):
        points_of(schema, rows)


def test_only_rows_with_a_weight_are_trained_on():
    data = Dataset.from_rows([[1, 2], [3, 4], [5, 6]], ["a", "b", "a"], weights=[0, 0.5, 2])
    rows, points = training_points(data)
    assert rows == data.take([1, 2])
    assert points.tolist() == [[3, 4], [5, 6]]
    whole = data.take([0, 1, 2])
    assert training_points(Dataset(whole.schema, whole.columns, whole.target_column))[1].tolist() == [[1, 2], [3, 4], [5, 6]]


def test_without_a_row_that_counts_nothing_is_trained_on():
    data = Dataset.from_rows([[1], [2]], ["a", "b"], weights=[0, 0])
    with pytest.raises(ValueError, match=r"^dataset must have a row with a weight above 0, got 2 rows without one\.$"):
        training_points(data)


def test_standard_points_have_mean_0_and_deviation_1_others_run_from_0_to_1_and_constants_become_0():
    points = np.array([[1.0, 0.1, 0.25], [2.0, 0.1, 0.5], [6.0, 0.1, 0.75]])
    scaled = standard(points)(points)
    assert scaled.mean(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)
    assert scaled.std(axis=0) == pytest.approx([1, 0, 1])
    assert unit_range(points)(points).T.tolist() == [[0, 0.2, 1], [0, 0, 0], [0, 0.5, 1]]
    assert standard(points).factor == pytest.approx([1 / points[:, 0].std(), 1, 1 / points[:, 2].std()])


@given(arrays(float, (5, 1), elements=st.sampled_from([-1.0, 0.0, 1.0, 2.0, 3.5])), st.integers(-1070, 320))
def test_a_scaling_does_not_depend_on_the_unit(points, exponent):
    """But for numbers that differ by less than 1e-300, which are one."""
    small = np.ldexp(points, exponent)
    for scaling in (standard, unit_range):
        scaled = scaling(small)(small)
        if np.ptp(small) > 1e-300:
            assert scaled == pytest.approx(scaling(points)(points))
        else:
            assert np.abs(scaled).max() < 1e-290


def test_weights_multiply_what_another_scaling_gives():
    points = np.array([[1.0, 5.0], [3.0, 25.0]])
    assert weighted_features([2, 0])(points)(points).tolist() == [[2, 0], [6, 0]]
    assert weighted_features([2, 3], after=unit_range)(points)(points).tolist() == [[0, 0], [2, 3]]
    assert weighted_features([2, 3]) == weighted_features((2, 3), after=unscaled)


def test_what_cannot_be_scaled_is_refused():
    for weights in ((1, -0.5), (-1, 1), (1, np.inf), (np.nan, 1)):
        with pytest.raises(ValueError, match=r"^weights must be finite numbers from 0, one for each feature, got \("):
            weighted_features(weights)
    with pytest.raises(ValueError, match=r"^weights must be 1 numbers, one for each feature, got 2\.$"):
        weighted_features([1, 2])(np.array([[1.0]]))
    for scaling in (standard, unit_range):
        with pytest.raises(ValueError, match=r"^points must be at least one to learn a scaling from, got none\.$"):
            scaling(np.zeros((0, 2)))
        with pytest.raises(ValueError, match=r"^A scaling's features must be numeric, got features of other kinds\. Use"):
            scaling(np.array([["a"]], dtype=object))
        with pytest.raises(ValueError, match=r"^Numbers to scale must be below 1e\+100, got 1e\+100\. Divide them beforehand\.$"):
            scaling(np.array([[-1e100], [1.0]]))
    assert unscaled(np.array([["a"]], dtype=object))(np.array([["b"]], dtype=object)).tolist() == [["b"]]
