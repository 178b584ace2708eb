"""The steps of a level of growth: kernels that others call by their address, so that each table compiles only those it needs."""

from typing import Any, NamedTuple

from numba import boolean, float64, int64, types

from ftree._lib.jit import alloc_free
from ftree._lib.kernels.by_address import caller

call, call_for_number = caller(), caller(int64)
call_for_best = caller(types.Tuple((float64, int64, boolean, int64)))  # type: ignore[no-untyped-call]

# Steps as row numbers of the table of addresses.
FIND_COUNTED, CHOOSE, ROUTE, COUNT_SIZES, SHARE_OUT, RENUMBER, NUMBER_COPIES, COUNT_COPIES = range(8)
MOVE_SHARES, MOVE_SORTED, MOVE_CODED, FIND_SURROGATES = range(8, 12)
N_STEPS = 12
# The kernels that find the best split of a run are in a table by the kind of splits; the next row is the one that scores a run.
SCORE_RUN = 4


class Steps(NamedTuple):
    """Addresses: the steps (12, 2), zeros if a table does not need one; kernels that score features; those that describe splits.

    Then those that score by values (5, 2), zeros if a table does not need one.
    """

    steps: Any
    scorers: Any
    describers: Any
    by_values: Any


@alloc_free
def score(scorers, number, first, last, first_node, last_node, search, buffers, scores):
    """Score some features in some nodes by one of the kernels that score."""
    call(scorers, number, (first, last, first_node, last_node, search, buffers, scores))


@alloc_free
def describe(describers, number, first, last, search, cut, buffers, splits):
    """Describe the splits of some nodes by one of the kernels that describe."""
    call(describers, number, (first, last, search, cut, buffers, splits))
