"""Functions of arrays against loops over their items."""

from math import nextafter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from limits import memory_left

from ftree._lib import arrays
from ftree.tree import majority


def test_a_read_only_view_shares_its_numbers_and_leaves_the_array_as_it_was():
    numbers = np.arange(3)
    view = arrays.read_only(numbers)
    with pytest.raises(ValueError, match="read-only"):
        view += 1
    numbers[0] = 7
    assert view[0] == 7
    assert arrays.read_only(view) is view
    assert arrays.read_only("text") == "text"


entries = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.sampled_from([0.5, 1.0, 2.0])), max_size=9)


@given(entries, st.booleans(), st.booleans())
def test_each_entry_counts_once_for_each_feature_with_its_weight(drawn, weighted, two_features):
    cells, classes, weights = (
        np.array([each[place] for each in drawn], dtype=kind) for place, kind in enumerate((int, int, float))
    )
    wanted = [[0.0, 0.0] for _ in range(3)]
    for cell, label, weight in drawn:
        for own in {False: [cell], True: [cell, 2 - cell]}[two_features]:
            wanted[own][label] += weight if weighted else 1
    given_cells = np.array([cells, 2 - cells]) if two_features else cells
    assert arrays.class_counts_of_cells(given_cells, classes, weights if weighted else None, 3, 2).tolist() == wanted


def test_counts_that_find_no_room_are_refused_before_they_are_made():
    with (
        memory_left(2.0**30),
        pytest.raises(MemoryError, match=r"counts of 20,000,000 cells by 50 classes, 8 GB, got 1.07 GB. Use fewer"),
    ):
        arrays.class_counts_of_cells(np.zeros(1, int), np.zeros(1, int), None, 20_000_000, 50)


def test_missing_among_floats_is_nan_and_among_codes_below_0():
    assert arrays.missing_cells(np.array([0.0, -1.0, np.nan])).tolist() == [False, False, True]
    assert arrays.missing_cells(np.array([0, -1, 2], np.int8)).tolist() == [False, True, False]


@given(st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=4), min_size=1, max_size=4), st.booleans())
def test_the_first_score_that_ties_with_the_best_of_each_group_is_taken(groups, exact):
    starts = np.cumsum([0, *map(len, groups)])
    wanted = [
        int(start) + next(place for place, score in enumerate(group) if score >= max(group) - 2)
        for start, group in zip(starts, groups, strict=False)
    ]
    # Two steps are within the tolerance, three are not; of exact scores it is a share of the best one.
    scores = 1000 + np.concatenate(groups) * 4e-10 * (1000 if exact else 1)
    assert arrays.first_near_best(scores, starts[:-1], exact=exact).tolist() == wanted


@given(st.integers(0, 10), st.integers(1, 5), st.integers(0, 9))
def test_sums_of_rows_are_numpys_to_the_last_bit(k, n, seed):
    table = np.random.default_rng(seed).random((n, k))
    before = table.copy()
    assert arrays.row_sums(table).tolist() == table.sum(axis=1).tolist()
    assert (table == before).all()


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=9))
def test_a_run_starts_where_any_key_changes(pairs):
    keys = np.array(pairs, dtype=int).reshape(-1, 2).T
    wanted = [place for place, pair in enumerate(pairs) if place == 0 or pair != pairs[place - 1]]
    assert arrays.run_starts(*keys).tolist() == wanted
    assert arrays.run_starts(keys[0]).tolist() == [p for p in range(len(pairs)) if p == 0 or pairs[p][0] != pairs[p - 1][0]]


def test_a_part_alone_is_not_copied():
    part = np.arange(3)
    assert arrays.end_to_end([part]) is part
    assert arrays.end_to_end([part, part[:1]]).tolist() == [0, 1, 2, 0]


@given(st.lists(st.integers(0, 4), max_size=9), st.sampled_from([1, 1 << 16, 1 << 40]))
def test_distinct_keys_are_in_order_each_with_a_row_that_has_it(small, scale):
    keys = np.array(small, dtype=np.int64) * scale
    rows, which = arrays.distinct(keys)
    assert keys[rows].tolist() == sorted(set(keys.tolist()))
    assert keys[rows][which].tolist() == keys.tolist()


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_a_midpoint_is_not_below_the_lower_number_and_below_the_upper_one(one, other):
    lower, upper = min(one, other), max(one, other)
    for high in (upper, nextafter(lower, np.inf)):
        if lower < high < np.inf:
            middle = float(arrays.midpoint(np.array([lower]), np.array([high]))[0])
            assert lower <= middle < high
            assert middle in {lower, lower / 2 + high / 2}


@given(st.floats(1e-9, 1e12), st.integers(1, 50))
def test_sums_over_all_features_of_multiples_of_the_grid_are_exact(total, n_features):
    step = arrays.exact_unit(total, n_features)
    assert np.log2(step) % 1 == 0
    # All of them have at most 51 bits, and the grid is as fine as that allows.
    assert 2**50 < total * (n_features + 1) / step <= 2**51
    assert arrays.exact_unit(total) == arrays.exact_unit(total, 1)
    assert arrays.exact_unit(0.0) > 0


@given(st.lists(st.floats(0, 9), min_size=1, max_size=5), st.sampled_from([0.25, 2.0**-20]))
def test_fractions_are_the_nearest_multiples_of_the_grid_and_none_is_lost(weights, step):
    times, fractions = arrays.times_and_fractions(np.array(weights), step)
    assert times is None
    for weight, fraction in zip(weights, fractions.tolist(), strict=True):
        assert fraction == (max(round(weight / step), 1) * step if weight > 0 else 0)
    whole = np.array([0, 3])
    assert arrays.times_and_fractions(whole, step)[0] is whole
    assert arrays.times_and_fractions(whole, step)[1] is None
    assert arrays.times_and_fractions(None, step) == (None, None)


def test_rows_are_added_up_as_numpy_does_below_its_own_limit():
    assert arrays.MANY_IN_A_ROW <= 8, "from 8 numbers on, NumPy adds up in another order"


# Milliseconds since 1970, days, an outlier, neighbours among floats: the distances between them are small beside the largest.
DISTANCES = st.sampled_from([1.0, 2.0**-20, 1e-6, 0.1, 1e3, 1e14])
ORIGINS = st.sampled_from([0.0, 0.3, 1.7e12, 19_000.0, -5e8])


@given(ORIGINS, st.lists(st.one_of(DISTANCES, st.just(0.0)), min_size=2, max_size=9), st.data())
def test_a_midpoint_moves_to_a_value_from_its_lower_number_to_below_its_upper_one(origin, distances, data):
    values = np.unique(np.append(origin + np.cumsum(distances), np.nextafter(origin, np.inf)))
    low = data.draw(st.integers(0, len(values) - 2))
    high = data.draw(st.integers(low + 1, len(values) - 1))
    (moved,) = arrays.largest_up_to(values, np.array([arrays.midpoint(values[low], values[high])]))
    assert moved in values[low:high]


@pytest.mark.parametrize(("apart", "place", "moved"), [(7, 4, 0), (7, 5, 1), (7, 6, 1), (6, 3, 0), (6, 4, 0), (6, 5, 1)])
def test_a_value_just_above_a_threshold_is_its_equal_if_the_one_below_is_more_than_twice_as_far(apart, place, moved):
    values, unit = np.array([1.0, 1.0 + apart * 2.0**-50]), 2.0**-50
    assert arrays.largest_up_to(values, np.array([1.0 + place * unit])).tolist() == [values[moved]]


def test_where_no_value_is_known_a_threshold_stays():
    assert arrays.largest_up_to(np.zeros(0), np.array([0.5, 2.0])).tolist() == [0.5, 2.0]


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=5))
def test_the_majority_of_counts_is_the_first_largest_of_an_array(counts):
    assert majority(counts) == arrays.first_largest(np.array(counts))
    assert arrays.first_largest(np.array([-0.3, -0.1 - 0.2])) == 0, "a rounding error does not decide"
