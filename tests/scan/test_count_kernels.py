"""Kernels that count a part, one by one and as plain Python, by worked numbers."""

import numpy as np
import pytest

from ftree._lib.jit import is_disabled
from ftree.scan.kernels import bin_codes, count_part

pytestmark = [
    pytest.mark.in_python,
    pytest.mark.skipif(not is_disabled(), reason="plain Python is what this looks at; tests/_lib runs such files"),
]

CODES = np.array([[0, 1, 2, 3, 3], [5, 4, 3, 2, 1]], np.int64)  # the first feature misses code 3, the second code 6
LABELS, NODE = np.array([0, 1, 1, 0, 1]), np.array([0, 1, -1, 1, 0])
N_CODES, SHIFT, PLACES = np.array([3, 6]), np.array([0, 1]), np.array([0, 4, 8])


@pytest.mark.parametrize("weights", [np.zeros(0), np.array([2.0, 3.0, 5.0, 7.0, 11.0])], ids=["cases", "weights"])
def test_rows_count_by_their_weights_or_once(weights):
    each = weights if len(weights) else np.ones(5)
    totals, cells = np.zeros((2, 2)), np.zeros((2, 8, 2))
    count_part.count_totals(LABELS, weights, NODE, totals)
    assert totals.tolist() == [[each[0], each[4]], [each[3], each[1]]]
    count_part.count_cells(CODES, LABELS, weights, NODE, N_CODES, SHIFT, PLACES, cells)
    expected = np.zeros((2, 8, 2))
    for row, node, first, second in ((0, 0, 0, 6), (1, 1, 1, 6), (3, 1, 3, 5), (4, 0, 3, 4)):
        expected[node, [first, second], LABELS[row]] += each[row]
    assert np.array_equal(cells, expected)


@pytest.mark.parametrize("weights", [np.zeros(0), np.array([2.0, 3.0, 5.0, 7.0, 11.0])], ids=["cases", "weights"])
def test_rows_count_where_their_code_is_wanted(weights):
    cell, code = np.full((2, 8), -1), np.array([[0, 1], [-1, 2]])
    cell[0, 6], cell[1, 5] = 0, 1  # of the second feature: codes 4 and 5 in the first node, 2 and 3 in the second
    each, counts = weights if len(weights) else np.ones(5), np.zeros((3, 2))
    given = CODES, LABELS, weights, np.array([0, 0, 1, 1, 0]), N_CODES, SHIFT, PLACES, cell, code, 1
    count_part.count_codes(*given, counts)
    # The fourth row has code 2, which is not wanted, and the fifth none of the cells.
    assert counts.tolist() == [[0, each[1]], [each[0], 0], [0, each[2]]]
    row, number = np.full(5, -9), np.full(5, -9)
    assert count_part.wanted_rows(CODES, given[3], N_CODES, SHIFT, PLACES, cell, code, 1, row, number) == 3
    assert (row.tolist(), number.tolist()) == ([0, 1, 2, -9, -9], [1, 0, 2, -9, -9])
    assert count_part.wanted_rows(CODES, np.array([-1] * 5), N_CODES, SHIFT, PLACES, cell, code, 1, row, number) == 0
    nothing = np.array([[1, 6, 3, 2, 1]] * 2)
    assert count_part.wanted_rows(nothing, given[3], N_CODES, SHIFT, PLACES, cell, code, 1, row, number) == 1, "6 is missing"


def test_a_number_beyond_the_last_cell_counts_in_it_and_none_before_the_first():
    assert [bin_codes._cell(number, 2.0, 0.5, 4) for number in (-9.0, 2.0, 3.9, 4.0, 9.9, 10.0, 99.0)] == [0, 0, 0, 1, 3, 3, 3]
    assert bin_codes._cell(np.inf, 0.0, 0.0, 4) == 0
    edges, guide, codes = np.array([2.5, 4.0, 4.5, 8.0]), np.full(5, -1), np.full(7, -1)
    bin_codes.fill_guide(edges, 2.0, 0.5, guide)
    assert guide.tolist() == [0, 1, 3, 3, 4]
    bin_codes.bin_codes(np.array([-9.0, 2.5, 2.6, 4.0, 4.2, 99.0, np.nan]), edges, 2.0, 0.5, guide, codes)
    assert codes.tolist() == [0, 0, 1, 1, 2, 4, 5]
