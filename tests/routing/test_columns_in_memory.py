"""The state of columns in memory, as plain Python (NUMBA_DISABLE_JIT=1), and the contents of their copies."""

import numpy as np
import pytest

from ftree._lib.jit import is_disabled
from ftree.routing.in_memory import in_memory
from ftree.routing.kernels import columns

pytestmark = [
    pytest.mark.in_python,
    pytest.mark.skipif(not is_disabled(), reason="plain Python is what this looks at; tests/_lib runs such files"),
]

# Numbers side by side, one column of several, and rows of several: in single and in double precision.
LAYOUTS = {
    "a column": lambda kind: np.arange(6, dtype=kind).reshape(6, 1),
    "columns apart": lambda kind: np.asfortranarray(np.arange(18, dtype=kind).reshape(6, 3)),
    "columns side by side": lambda kind: np.arange(18, dtype=kind).reshape(6, 3),
    "some of the columns": lambda kind: np.arange(30, dtype=kind).reshape(6, 5)[:, 1:4],
    "backwards": lambda kind: np.arange(18, dtype=kind).reshape(6, 3)[::-1],
}


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_number_of_the_rows_is_looked_at_and_no_other(layout, kind):
    table = LAYOUTS[layout](kind)

    def state(begin=0, n=6):
        places = in_memory(table.T).joined().places
        return max(columns._state(places, f, begin, n) for f in range(places.shape[1]))

    assert state() == columns.KNOWN
    for row, column in np.ndindex(*table.shape):
        kept = table[row, column]
        for odd, wanted in ((np.nan, columns.GAPS), (np.inf, columns.INFINITE), (-np.inf, columns.INFINITE)):
            table[row, column] = odd
            assert state() == wanted
            assert state(row, 1) == wanted
            assert state(row + 1, 5 - row) == state(0, row) == columns.KNOWN, "rows after it, and before"
        table[row, column] = kept


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int8, np.int16, np.int32, np.int64])
def test_a_copy_has_the_numbers_of_the_rows_and_negative_codes_are_missing(kind):
    cells = np.full((2, 5), 77.0)
    given = [np.array([5, 0, -1, 3, 100], kind), np.arange(10, dtype=kind)[::2]]
    columns.copy_columns(in_memory(given).places, 1, 3, cells)
    missing = -1.0 if np.dtype(kind).kind == "f" else np.nan
    assert np.array_equal(cells, [[0, missing, 3, 77, 77], [2, 4, 6, 77, 77]], equal_nan=True)
