"""Kernels one by one, as plain Python (NUMBA_DISABLE_JIT=1), against their definitions on small arrays."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sizes import sized
from test_compiled_engine import table as mixed_table

from ftree import grow
from ftree._lib.arrays import TIE
from ftree._lib.jit import is_disabled
from ftree.criteria import entropy, gain, gain_ratio, gini, misclassification
from ftree.criteria.impurity_kernels import native
from ftree.growth.kernels import find_surrogates, grow_subtrees, records, run_splits, sorted_cuts, weighted_cuts
from ftree.growth.kernels.partition import share_on_grid, sum_and_first_largest, weigh
from ftree.growth.kernels.radix_sort import sort_by_digits
from ftree.growth.kernels.records import (
    ENTROPY,
    FLAGS,
    GAIN,
    GAIN_RATIO,
    GINI,
    GUARD,
    MISCLASSIFICATION,
    MULTIWAY,
    NONE,
    OWN,
    PLACE,
    SUBSET,
    CriterionTables,
    FoundSurrogates,
    Run,
)
from ftree.growth.kernels.sorted_cuts import bits_of, key_type, most_entries
from ftree.growth.kernels.stored_columns import few_values, sort_column

pytestmark = [
    pytest.mark.in_python,
    pytest.mark.skipif(not is_disabled(), reason="machine code has one tie only; tests/_lib runs this file as Python"),
]

# Wide enough for many cuts of a small table to be ties.
TIES = [TIE, 0.01, 0.2, 0.4]
IMPURITIES = {ENTROPY: entropy, GINI: gini, MISCLASSIFICATION: misclassification, OWN: gini}
NO_WEIGHTS = np.empty(0)
NEVER = -99.0  # a score below all others
TABLE = np.arange(200) * np.log2(np.maximum(np.arange(200), 1))  # n log2 n


def squares(counts):
    """Gini, written as a user would."""
    n = counts.sum()
    return 1.0 - ((counts / n) ** 2).sum() if n > 0 else 0.0


# Rows in the order of a feature: the class of each, and whether its value differs from the previous one.
runs = st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=2, max_size=20)
# Gains that rise step by step: each of the first cuts ties with the next ones, and not with the best.
rising = st.lists(st.tuples(st.integers(0, 2), st.just(value=True)), min_size=12, max_size=20).map(sorted)


def listed(rows):
    """Keys of such rows, the positions of the cuts, and class counts of both sides of each."""
    rows[0] = rows[0][0], True
    labels, fresh = np.array(rows).T
    assume(fresh[1:].any())
    shift, n_classes = 2 + FLAGS, max(2, labels.max() + 1)
    keys = (np.arange(len(rows)) << shift | fresh * bits_of(shift)[1] | labels).astype(np.int32)
    cuts = np.flatnonzero(fresh)[1:]
    return keys, shift, np.eye(n_classes)[labels], cuts


@pytest.mark.parametrize(("way", "impurity"), [*product(["counted", "weighted"], [ENTROPY, GINI]), ("own", OWN)])
@given(runs | rising, st.sampled_from([*TIES, "up to the first"]), st.integers(1, 4))
def test_the_first_cut_within_a_tie_of_the_best_is_taken_by_each_kernel(way, impurity, rows, tie, room):
    keys, shift, ones, cuts = listed(rows)
    n, k = ones.shape
    weights = np.array([0.5, 1.0, 2.0, 2.0**-20, 99.0])[np.arange(n) % 5] if way == "weighted" else np.ones(n)
    below = (ones * weights[:, None]).cumsum(axis=0)
    total, whole = below[-1], below[-1].astype(np.int64)
    gains = gain(np.stack([below[cuts - 1], total - below[cuts - 1]], axis=1), IMPURITIES[impurity])
    if is_border := tie == "up to the first":
        assume(way != "own" and gains[0] < gains.max() - 1e-6)
        tie = gains.max() - gains[0]
    left, place, count = np.zeros(k, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    table, unit = records.whole_table(n)
    with pytest.MonkeyPatch.context() as patch:
        for module in (sorted_cuts, weighted_cuts):
            patch.setattr(module, "TIE", tie)
        run = keys, 0, n, shift
        if way == "weighted":
            found = weighted_cuts.weighted_cut(
                *run, weights, np.zeros(k), np.empty((k + 1, room)), np.empty(room), place, total, impurity
            )
        elif way == "own":
            found = sorted_cuts.own_cut(*run, NO_WEIGHTS, np.zeros(k), np.zeros(k), total, native(squares).entry)
        elif impurity == ENTROPY:
            found = sorted_cuts.entropy_cut(*run, left, whole, table, np.diff(table), unit, place, count)
        else:
            found = sorted_cuts.gini_cut(*run, left, whole, place, count)
    if is_border:  # rounding decides whether the first cut ties with the best
        assert found[2]
        return
    near = abs(gains - (gains.max() - tie)).min() < 4 * GUARD
    assert near or not found[2]
    assert found[2] or near or found[1] == cuts[np.argmax(gains >= gains.max() - tie)]
    assert found[0] == pytest.approx(gains[list(cuts).index(found[1])], abs=2 * TIE)


def run_of(counts, n_scores=0):
    """Counts of values in rows as a search holds them: with cases, order and shares of rows, room for scores and two sides."""
    counts, order = np.array(counts, float), np.arange(len(counts))
    n, scores = len(order), np.empty(max(len(order), n_scores))
    return Run(order.copy(), counts, counts.sum(axis=1), order, np.empty(n), scores, np.empty(3), np.empty(3))


def measure_by(impurity, score, factors=NO_WEIGHTS, table=NO_WEIGHTS):
    """A measure of runs, which need no table of whole numbers."""
    nothing = np.empty(0, np.int64)
    own = native(squares).entry
    return CriterionTables(impurity, score, score == GAIN, np.nan, factors, nothing, nothing, np.inf, table, own)


some_counts = st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3).filter(any), min_size=2, max_size=7)


some_factors = st.one_of(st.just([]), st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=3, max_size=3)).map(np.array)


@given(
    some_counts,
    some_factors,
    st.sampled_from([0, 2, 5, 99]),
    st.sampled_from(TIES),
    st.sampled_from([GAIN, GAIN_RATIO]),
    st.sampled_from([ENTROPY, GINI, MISCLASSIFICATION, OWN]),
)
def test_values_are_cut_where_the_score_is_the_first_within_a_tie_of_the_best(counts, factors, least, tie, score, impurity):
    assume(impurity != OWN or not len(factors))
    counts = np.array(counts, float)
    below = counts.cumsum(axis=0)[:-1]
    sides = np.stack([below, counts.sum(axis=0) - below], axis=1)
    altered = sides * factors if len(factors) else sides
    scores = (gain if score == GAIN else gain_ratio)(altered, IMPURITIES[impurity])
    scores[sides.sum(axis=2).min(axis=1) < least] = -np.inf
    for table in (NO_WEIGHTS,) if len(factors) else (TABLE, NO_WEIGHTS):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(run_splits, "TIE", tie)
            measure = measure_by(impurity, score, factors, table)
            found, cut, unsure, n_cuts = run_splits.best_cut(run_of(counts), len(counts), least, measure)
        assert n_cuts == np.isfinite(scores).sum()
        if not n_cuts:
            assert (found, cut, unsure) == (-np.inf, 0, False)
            continue
        near = abs(scores - (scores.max() - tie)).min() < 4 * GUARD
        assert near or not unsure
        assert unsure or near or cut == 1 + np.argmax(scores >= scores.max() - tie)
        assert found == pytest.approx(scores[cut - 1], abs=1e-9)


@given(some_counts, st.sampled_from([GAIN, GAIN_RATIO]), st.sampled_from(sorted(IMPURITIES)))
def test_a_split_into_all_values_has_its_score(counts, score, impurity):
    counts = np.array(counts, float)
    found, unsure = run_splits.multiway_score(run_of(counts), len(counts), 0.0, measure_by(impurity, score))
    assert not unsure
    assert found == pytest.approx((gain if score == GAIN else gain_ratio)(counts, IMPURITIES[impurity]), abs=1e-9)


@given(
    some_counts,
    some_factors,
    st.sampled_from([0, 2, 5]),
    st.sampled_from(TIES),
    st.sampled_from([GAIN, GAIN_RATIO]),
    st.booleans(),
)
def test_every_division_of_few_values_is_tried_or_each_cut_in_the_order_of_each_class(counts, factors, least, tie, score, few):
    counts, n = np.array(counts, float), len(counts)
    inside = np.array([(1, *others) for others in product((1, 0), repeat=n - 1)][1:], bool)
    if not few:
        places = np.argsort(np.argsort(counts.T / counts.sum(axis=1), axis=1, kind="stable"), axis=1)
        inside = np.array([place < cut for place in places for cut in range(1, n)])
    sides = np.array([[counts[side].sum(axis=0), counts[~side].sum(axis=0)] for side in inside])
    scores = (gain if score == GAIN else gain_ratio)(sides * factors if len(factors) else sides)
    scores[sides.sum(axis=2).min(axis=1) < least] = NEVER
    orders, run = scores.reshape(1 if few else 3, -1), run_of(counts, 2**n)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_splits, "TIE", tie)
        measure = measure_by(ENTROPY, score, factors)
        found, n_inside, unsure, *_ = run_splits.best_of_run(SUBSET, run, n, least, n * few, measure)
    if scores.max() == NEVER:
        assert (found, unsure) == (-np.inf, False)
        return
    least_tied = orders.max(axis=1, keepdims=True) - tie
    cuts = np.argmax(orders >= least_tied, axis=1) + len(orders[0]) * np.arange(len(orders))
    taken = scores[cuts]
    near = min(abs(orders - least_tied).min(), abs(taken - (taken.max() - tie)).min()) < 4 * GUARD
    assert near or not unsure
    if not near:
        assert found == pytest.approx(scores.max() if few else taken.max(), abs=1e-9)
        assert set(run.order[:n_inside]) == set(np.flatnonzero(inside[cuts[np.argmax(taken >= taken.max() - tie)]]))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=3), st.sampled_from(sorted(IMPURITIES)), st.booleans())
def test_a_loss_is_the_impurity_times_the_cases(counts, impurity, by_table):
    table = TABLE if by_table else NO_WEIGHTS
    counts = np.array(counts, float)
    found, n = run_splits.loss_of(counts, measure_by(impurity, GAIN, table=table)), counts.sum()
    assert found == pytest.approx((n * IMPURITIES[impurity](counts), n, 1.0), abs=1e-9)


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75]), min_size=1, max_size=20))
def test_equal_shares_stay_in_their_order(shares):
    order = np.arange(len(shares))
    run_splits.merge_sort(order, len(shares), np.array(shares), np.empty(len(shares)))
    assert order.tolist() == np.argsort(shares, kind="stable").tolist()


@given(st.lists(st.one_of(st.integers(-40, 40).map(float), st.just(np.nan), st.just(-0.0)), max_size=60), st.integers(1, 64))
def test_columns_of_few_values_are_numbered_in_their_order(cells, most):
    column = np.array(cells, float)
    values = np.unique(column[~np.isnan(column)])
    found = few_values(column, most)
    assert (found is None) == (len(values) > most)
    if found is not None:
        assert found[0].tolist() == values.tolist()
        expected = np.where(np.isnan(column), len(values), np.searchsorted(values, np.nan_to_num(column)))
        assert found[1].tolist() == expected.tolist()


def test_keys_of_31_or_62_bits_number_entries_above_the_class_and_the_flags():
    assert (most_entries(np.dtype(np.int32), 4), most_entries(np.dtype(np.int64), 4)) == (2**27, 2**58)
    assert (key_type(2**27, 4), key_type(2**27 + 1, 4)) == (np.int32, np.int64)
    assert bits_of(4) == (3, 8, 4)


def test_shares_are_rounded_down_and_the_first_largest_gets_the_rest():
    assert sum_and_first_largest(np.array([9.0, 1.0, 3.0, 3.0]), 1, 3) == (7.0, 1)
    assert share_on_grid(1.0, 0.7, 0.25) == 0.5


def test_children_whose_cases_all_miss_the_value_are_equal():
    kind, first_child, heavy = np.array([MULTIWAY, NONE, MULTIWAY]), np.array([0, 3, 3, 5]), np.zeros(5)
    nodes, child = np.array([[0, 2, 3], [2, 3, 6]]), np.array([-1, -1, -1, 1, 1, -1])
    weigh(0, 3, kind, first_child, nodes, child, np.array([1.0, 1, 1, 0.5, 2, 4]), heavy)
    assert heavy.tolist() == [1, 1, 1, 0, 2.5]


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5), st.data(), st.permutations([1, 2]))
def test_keys_of_some_nodes_are_gathered_and_numbered_anew(sizes, data, in_order):
    ends, shift = np.cumsum(sizes), 4
    nodes, n = np.stack([ends - sizes, ends]), ends[-1]
    chosen = data.draw(st.lists(st.sampled_from(range(len(sizes))), unique=True, min_size=1).map(sorted))
    kept = np.concatenate([np.arange(*nodes[:, k]) for k in chosen])
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    # Two sorted features, each node's entries in an order of its own, and a coded one.
    order = np.array(
        [np.concatenate([random.permutation(np.arange(e - s, e)) for s, e in zip(sizes, ends, strict=True)]) for _ in "12"]
    )
    bits, features = random.integers(0, 1 << shift, (2, n)), np.zeros((6, 3), np.int64)
    features[PLACE] = 0, -1, -2
    begin, keys, own = np.cumsum([0, *np.array(sizes)[chosen]]), np.zeros((3, len(kept)), np.int64), features.copy()
    given = np.array(chosen), begin, nodes, (order << shift) | bits, shift, np.array(in_order), features
    grow_subtrees.gather_keys(*given, keys, own)
    assert own[PLACE].tolist() == [0, *(-1 - in_order.index(feature) for feature in (1, 2))]
    for feature in (1, 2):
        lane = keys[-1 - own[PLACE, feature]]
        assert (lane >> shift).tolist() == np.searchsorted(kept, order[feature - 1][kept]).tolist()
        assert (lane % (1 << shift)).tolist() == bits[feature - 1][kept].tolist()


@given(st.lists(st.tuples(st.integers(1, 8), st.integers(4, 8)), min_size=1, max_size=6), st.integers(1, 3))
def test_surrogates_stand_in_the_order_of_agreement_and_agree_with_more_than_the_larger_child(candidates, room):
    which, sides, figures = np.full((2, 2, room), -1), np.zeros((2, 2, room), np.uint64), np.zeros((3, 2, room))
    for feature, (agreed, largest) in enumerate(candidates):
        told = feature, agreed, 8, largest, feature % 2, feature / 2, feature + 1, feature + 2
        find_surrogates._insert(1, *told, FoundSurrogates(np.zeros(2), which, sides, figures))
    better = [(agreed, feature, largest) for feature, (agreed, largest) in enumerate(candidates) if agreed > largest]
    agreed, features, largest = np.array(sorted(better, key=lambda each: -each[0])[:room], float).reshape(-1, 3).T
    n = len(features)
    assert (which[0, 0] == -1).all()
    assert which[0, 1].tolist() == [*features, *[-1] * (room - n)]
    expected = [features % 2, features + 1, features + 2, features / 2, agreed / 8, (agreed - largest) / (8 - largest)]
    for values, wanted in zip((which[1], *sides, *figures), expected, strict=True):
        assert values[1, :n] == pytest.approx(wanted)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=6))
def test_each_code_follows_most_of_its_rows_where_two_rows_go_each_way(rows):
    tally = np.array(rows, float)
    left, right = tally.sum(axis=0)
    agreed, *sides = find_surrogates._sides_of_codes(np.uint64(2 ** len(rows) - 1), left, right, 2.0, tally.copy())
    sides = np.array([[int(side) >> code & 1 for code in range(len(rows))] for side in sides])
    assert sides[int(left < right), tally.any(axis=1) & (tally[:, 0] == tally[:, 1])].all(), "undecided ones, the larger child"
    assert (sides.sum(axis=0) == tally.any(axis=1)).all()
    assert np.trace(sides @ tally) == tally.max(axis=1).sum()
    assert agreed == (np.trace(sides @ tally) if (sides @ tally).sum(axis=1).min() >= 2 else -1)


@given(st.floats(1e-6, 1e9))
def test_an_estimate_of_x_log_x_is_within_its_bound(x):
    assert weighted_cuts.about(x) == pytest.approx(x * np.log2(x), abs=weighted_cuts.OFF / 4 * x + 1e-15)
    assert weighted_cuts.about(0.0) == weighted_cuts.exactly(0.0) == 0.0
    assert weighted_cuts.exactly(x) == x * np.log2(x)


@pytest.mark.parametrize("bits", [9, 10, 12])
@pytest.mark.parametrize("at_once", [False, True], ids=["by levels", "whole subtrees"])
def test_keys_of_too_many_entries_are_wider_from_the_start_or_from_when_there_are(bits, at_once):
    """Sixty rows of three classes take 10 bits; copies of those with missing values take more."""
    data = mixed_table(60, gaps=True)
    tree = grow(data, engine="plain")
    with sized(bits=bits, few=0):
        assert grow(data, engine="compiled", trace=None if at_once else lambda _: None) == tree


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(2**50, 2**50 + 99), min_size=1), st.sampled_from([0, 2**63]))
def test_digits_sort_numbers_unless_too_many_are_alike(listed, far):
    numbers = np.array([*listed, far], np.uint64)
    done = sort_by_digits(numbers, np.empty_like(numbers))
    assert numbers.tolist() == sorted([*listed, far]) or not done


def test_numbers_that_are_too_close_together_for_digits_are_compared():
    random = np.random.default_rng(0)
    column = np.append(1 + random.random(1300) * 1e-9, 1e300)
    numbers = column.view(np.uint64).copy()
    assert not sort_by_digits(numbers, np.empty_like(numbers))
    keys = np.empty(1301, np.int32)
    sort_column(column, np.zeros(1301, np.int32), 2, keys, np.empty((2, 1301), np.uint64))
    assert (column[keys >> 2] == np.sort(column)).all()
