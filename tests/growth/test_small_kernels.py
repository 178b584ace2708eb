"""Short kernels of growth, one by one and as plain Python, by worked numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree._lib.arrays import TIE
from ftree._lib.jit import is_disabled
from ftree.growth.kernels import choose_and_describe, find_surrogates, stored_columns
from ftree.growth.kernels.cell_splits import bit_of, lowest, without_lowest
from ftree.growth.kernels.records import FEATURE, GUARD, MANY, FeatureScores

pytestmark = [
    pytest.mark.in_python,
    pytest.mark.skipif(not is_disabled(), reason="plain Python is what this looks at; tests/_lib runs such files"),
]


def chosen_by_ratio(gains, information, *, many=(), slack=1e-3, unsure=()):
    """The feature that one node gets, whether it is in doubt, and the features that may be chosen there."""
    n = len(gains)
    options, cut = np.zeros((n, 7)), np.zeros((2, n, 1), int)
    options[list(many), MANY], cut[1, list(unsure)] = 1, 1
    score, features = np.array([gains, information])[:, :, None], np.ones((6, n), int)
    splits, doubt, rivals = choose_and_describe.choose_by_gain_ratio(FeatureScores(score, cut), features, options, slack)
    assert rivals.all() == rivals.any() == doubt[0], "a node in doubt needs all features"
    return int(splits[FEATURE, 0]), bool(doubt[0])


def test_the_best_gain_ratio_wins_among_the_gains_that_are_not_below_the_mean():
    assert chosen_by_ratio([0.1, 0.2, 0.6], [0.01, 0.4, 1.0]) == (2, False), "the mean is 0.3"
    assert chosen_by_ratio([0.1, 0.5, 0.6], [0.01, 0.4, 1.0]) == (1, False)
    assert chosen_by_ratio([0.2995, 0.6, 0.0], [0.1, 1.0, 1.0]) == (0, False), "the slack is 0.001"
    assert chosen_by_ratio([0.2985, 0.6, 0.0015], [0.1, 1.0, 1.0]) == (1, False)
    assert chosen_by_ratio([0.2, 0.3, 9.0], [0.1, 1.0, 90.0], many=[2]) == (1, False), "without features of many values"
    assert chosen_by_ratio([0.2, 0.3, 9.0], [0.1, 1.0, 1.0], many=[2]) == (2, False), "which are chosen all the same"
    assert chosen_by_ratio([-np.inf, 0.3, 0.3], [1.0, 0.5, 0.5]) == (1, False), "the first of equals"
    assert chosen_by_ratio([-np.inf, -np.inf], [1.0, 1.0]) == (-1, False)
    assert chosen_by_ratio([0.0, 0.0], [1.0, 0.0]) == (-1, False), "a ratio of 0 is no split"
    assert chosen_by_ratio([0.3, 0.3], [0.5, 0.25], unsure=[0]) == (1, True)
    assert chosen_by_ratio([0.3, np.nan], [0.5, 0.25])[1]
    assert chosen_by_ratio([0.2, 0.3 - 1e-3], [1.0, 1.0], many=[1], slack=-(0.1 - 1e-3) + GUARD / 2)[1], "the mean is close"
    assert chosen_by_ratio([0.3, 0.3 + TIE], [1.0, 1.0])[1], "within a rounding error of a tie"
    assert chosen_by_ratio([0.3, 0.3 + 2 * TIE], [1.0, 1.0]) == (1, False)
    assert chosen_by_ratio([0.3, 0.3 + TIE / 4], [1.0, 1.0]) == (0, False)


def test_a_ratio_is_the_gain_per_bit_of_a_gain_that_is_large_enough():
    assert choose_and_describe._ratio(-np.inf, 1.0, -np.inf) == (-np.inf, 0.0)
    assert choose_and_describe._ratio(0.2, 1.0, 0.3) == (-np.inf, 0.0)
    assert choose_and_describe._ratio(0.3, 0.0, 0.3) == (0.0, 0.0)
    assert choose_and_describe._ratio(0.3, 0.5, 0.3) == (0.6, pytest.approx(GUARD * 1.6 / 0.5))
    assert choose_and_describe._ratio(0.3, 1e-9, 0.3)[1] == TIE / 2


def test_packed_numbers_keep_their_order_and_tell_whether_bits_were_lost():
    column, into = np.array([1.0, -2.0, 0.5, np.nan, -0.0]), np.empty(5, np.uint64)
    classes = np.array([1, 0, 1, 0, 1])
    assert stored_columns.packed_keys(column, classes, 4, 1, into) is np.False_
    assert np.argsort(into).tolist() == [1, 4, 2, 0, 3]
    assert [int(each) & 15 for each in into] == [2 * row + label for row, label in enumerate(classes)]
    assert stored_columns.packed_keys(np.array([0.1, np.nan]), classes, 4, 1, into), "0.1 has bits to the last place"
    assert not stored_columns.packed_keys(np.array([np.nan]), classes, 4, 1, into)


def test_numbers_whose_lowest_bits_were_lost_are_sorted_by_the_column():
    numbers = np.array([0, 1, 2], np.uint64) << np.uint64(1)
    stored_columns._sort(np.array([3.0, 1.0, 2.0]), numbers, np.uint64(15), 1)
    assert numbers.tolist() == [2, 4, 0]


@given(st.lists(st.integers(0, 130)))
def test_members_of_a_set_are_visited_from_the_lowest_on_and_once_modulo_64(members):
    kept, found = np.uint64(0), []
    for member in members:
        kept |= bit_of(member)
    while kept:
        found.append(int(lowest(kept)))
        kept = without_lowest(kept)
    assert found == sorted({member % 64 for member in members})


def test_codes_are_cut_where_most_weight_agrees():
    values, tally = np.array([9.0, 1.0, 2.0, 4.0, 8.0]), np.zeros((4, 2))
    for code, (one, two) in enumerate([(2.0, 2.0), (5.0, 0.0), (0.0, 0.0), (1.0, 6.0)]):
        tally[code] = one, two
    codes = np.uint64(0b1111)
    found = find_surrogates._cut_of_codes(codes, 8.0, 8.0, tally, values, 1)
    # From 2 to 8: seven of the first side are below, and six of the second above; the empty code in between counts for nothing.
    assert found == (13.0, False, 5.0)
    assert not tally.any(), "the table is left empty"
    tally[0], tally[1] = (0.0, 4.0), (3.0, 0.0)
    assert find_surrogates._cut_of_codes(np.uint64(0b11), 3.0, 4.0, tally, values, 1) == (7.0, True, 1.5)
    tally[0] = 4.0, 4.0
    assert find_surrogates._cut_of_codes(np.uint64(0b1), 4.0, 4.0, tally, values, 1)[0] == -1
