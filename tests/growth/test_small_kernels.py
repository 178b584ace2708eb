"""Short kernels of growth, one by one and as plain Python, by worked numbers."""

from types import SimpleNamespace

import numpy as np
import pytest

from ftree._lib.jit import is_disabled
from ftree._lib.kernels.by_address import address_of, addresses
from ftree._lib.kernels.room import room_in
from ftree._lib.ties import TIE
from ftree.growth.criterion_codes import EXACT, GUARD, MANY
from ftree.growth.kernels import best_splits, presort, steps, surrogates
from ftree.growth.kernels.buffers import search_buffers
from ftree.growth.split_arrays import MULTIWAY, SUBSET

pytestmark = [
    pytest.mark.in_python,
    pytest.mark.skipif(not is_disabled(), reason="plain Python is what this looks at; tests/_lib runs such files"),
]


def test_steps_are_numbered_and_called_by_their_numbers():
    numbers = [number for name, number in vars(steps).items() if name.isupper() and name not in {"N_STEPS", "SCORE_RUN"}]
    assert sorted(numbers) == list(range(steps.N_STEPS))
    seen = []
    table = addresses([address_of(lambda *given, name=name: seen.append((name, given)), ()) for name in "ab"])
    steps.search_some(table, 1, 2, 3, 4, 5, "search", "buffers", "scores", "splits")
    assert seen in ([], [("b", (2, 3, 4, 5, "search", "buffers", "scores", "splits"))])


def chosen_by_ratio(gains, information, *, many=(), slack=1e-3, unsure=()):
    """The feature that one node gets, whether it is in doubt, and the features that may be chosen there."""
    n = len(gains)
    options, doubted = np.zeros((n, 7)), np.zeros((n, 1), bool)
    options[list(many), MANY], doubted[list(unsure)] = 1, True
    scores = SimpleNamespace(score=np.array(gains)[:, None], information=np.array(information)[:, None], unsure=doubted)
    features, measure = SimpleNamespace(options=options), SimpleNamespace(slack=slack)
    chosen, doubt, rivals = np.full(1, 9), np.zeros(1, bool), np.zeros((n, 1), bool)
    best_splits.choose_by_gain_ratio(scores, np.ones((1, 2)), features, measure, chosen, doubt, rivals)
    assert rivals.all() == rivals.any() == doubt[0], "a node in doubt needs all features"
    return int(chosen[0]), bool(doubt[0])


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
    assert best_splits._ratio(-np.inf, 1.0, -np.inf) == (-np.inf, 0.0)
    assert best_splits._ratio(0.2, 1.0, 0.3) == (-np.inf, 0.0)
    assert best_splits._ratio(0.3, 0.0, 0.3) == (0.0, 0.0)
    assert best_splits._ratio(0.3, 0.5, 0.3) == (0.6, pytest.approx(GUARD * 1.6 / 0.5))
    assert best_splits._ratio(0.3, 1e-9, 0.3)[1] == TIE / 2


@pytest.mark.parametrize(
    ("way", "exact", "absent", "k", "n_scores"),
    [
        (SUBSET, 9, 5, 3, 32),  # all divisions of five values
        (SUBSET, 4, 5, 3, 16),  # of up to four values
        (SUBSET, 1, 5, 3, 3),
        (SUBSET, 9, 5, 2, 3),  # two classes need no division but by order
        (MULTIWAY, 9, 5, 3, 3),
    ],
)
def test_there_is_room_for_the_score_of_each_division(way, exact, absent, k, n_scores):
    options = np.zeros((1, 7))
    options[0, EXACT] = exact
    features = SimpleNamespace(way=np.array([way]), options=options, absent=np.array([absent]), coded=[0], base=np.array([0, 18]))
    cuts, run, coded = search_buffers(features, 3, k)
    assert len(run.scores) == n_scores
    n = len(cuts.rough)
    assert [each.shape for each in cuts] == [(k,)] * 5 + [(k + 1, n), (n,), (n,), (n,)]
    assert [each.shape for each in run] == [(3,), (3, k), (3,), (3,), (3,), (n_scores,), (k,), (k,)]
    assert [each.shape for each in coded] == [(1,), (2,), (k,), (18,), (18,)]
    assert coded.begin[0] == 0


def test_packed_numbers_keep_their_order_and_tell_whether_bits_were_lost():
    column, into = np.array([1.0, -2.0, 0.5, np.nan, -0.0]), np.empty(5, np.uint64)
    classes = np.array([1, 0, 1, 0, 1])
    assert presort.packed(column, classes, 4, 1, into) is np.False_
    assert np.argsort(into).tolist() == [1, 4, 2, 0, 3]
    assert [int(each) & 15 for each in into] == [2 * row + label for row, label in enumerate(classes)]
    assert presort.packed(np.array([0.1, np.nan]), classes, 4, 1, into), "0.1 has bits to the last place"
    assert not presort.packed(np.array([np.nan]), classes, 4, 1, into)


def test_sorting_gives_back_the_memory_that_it_takes():
    block = np.empty(2**12, np.uint8)
    room = room_in(block, 128, len(block))
    numbers = np.array([0, 1, 2], np.uint64) << np.uint64(1)
    presort._sort(np.array([3.0, 1.0, 2.0]), numbers, np.uint64(15), 1, room)
    assert numbers.tolist() == [2, 4, 0]
    assert room.free.tolist() == [128, 4096, 128]


def test_codes_are_cut_where_most_weight_agrees():
    values, tally = np.array([9.0, 1.0, 2.0, 4.0, 8.0]), np.zeros((4, 2))
    for code, (one, two) in enumerate([(2.0, 2.0), (5.0, 0.0), (0.0, 0.0), (1.0, 6.0)]):
        tally[code] = one, two
    codes = np.uint64(0b1111)
    found = surrogates._cut_of_codes(codes, 8.0, 8.0, tally, values, 1)
    # From 2 to 8: seven of the first side are below, and six of the second above; the empty code in between counts for nothing.
    assert found == (13.0, False, 5.0)
    assert not tally.any(), "the table is left empty"
    tally[0], tally[1] = (0.0, 4.0), (3.0, 0.0)
    assert surrogates._cut_of_codes(np.uint64(0b11), 3.0, 4.0, tally, values, 1) == (7.0, True, 1.5)
    tally[0] = 4.0, 4.0
    assert surrogates._cut_of_codes(np.uint64(0b1), 4.0, 4.0, tally, values, 1)[0] == -1
