"""Kernels one by one, as plain Python (NUMBA_DISABLE_JIT=1), against their definitions on small arrays."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ftree._lib.jit import is_disabled
from ftree._lib.kernels.callback import native
from ftree._lib.kernels.room import room_in
from ftree._lib.kernels.shares import share_on_grid, sum_and_first_largest
from ftree._lib.ties import TIE
from ftree.criteria.impurity import entropy, gini, misclassification
from ftree.criteria.scores import gain, gain_ratio
from ftree.growth.criterion_codes import ENTROPY, GAIN, GAIN_RATIO, GINI, GUARD, MISCLASSIFICATION
from ftree.growth.engines.numba_search import most_values
from ftree.growth.kernels import grow_subtrees, scan, scan_weighted, steps, surrogates, value_counts
from ftree.growth.kernels.buffers import RunBuffers
from ftree.growth.kernels.keys import FLAGS, bits_of, key_type, most_entries
from ftree.growth.kernels.node_arrays import N_NOTED, GrownNodes, add_leaves
from ftree.growth.kernels.partition import weigh
from ftree.growth.kernels.presort import few_values
from ftree.growth.kernels.records import Entries
from ftree.growth.kernels.surrogates import FoundSurrogates
from ftree.growth.split_arrays import MULTIWAY, NONE, THRESHOLD

pytestmark = [
    pytest.mark.in_python,
    pytest.mark.skipif(not is_disabled(), reason="machine code has one tie only; tests/_lib runs this file as Python"),
]

# Wide enough for many cuts of a small table to be ties.
TIES = [TIE, 0.01, 0.1]
IMPURITIES = {ENTROPY: entropy, GINI: gini, MISCLASSIFICATION: misclassification}
NO_WEIGHTS = np.empty(0)
TABLE = np.arange(200) * np.log2(np.maximum(np.arange(200), 1))  # n log2 n


def squares(counts):
    """Gini, written as a user would."""
    n = counts.sum()
    return 1.0 - ((counts / n) ** 2).sum() if n > 0 else 0.0


# Rows in the order of a feature: the class of each, and whether its value differs from the previous one.
runs = st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=2, max_size=20)


def listed(rows):
    """Keys of such rows, the positions of the cuts, and class counts of both sides of each."""
    rows[0] = rows[0][0], True
    labels, fresh = np.array(rows).T
    assume(fresh[1:].any())
    shift, n_classes = 2 + FLAGS, max(2, labels.max() + 1)
    keys = (np.arange(len(rows)) << shift | fresh * bits_of(shift)[1] | labels).astype(np.int32)
    cuts = np.flatnonzero(fresh)[1:]
    return keys, shift, np.eye(n_classes)[labels], cuts


@given(
    runs,
    st.sampled_from(TIES),
    st.integers(1, 4),
    st.sampled_from(["counted", "weighted", "own"]),
    st.sampled_from([ENTROPY, GINI]),
)
def test_the_first_cut_within_a_tie_of_the_best_is_taken_by_each_kernel(rows, tie, room, way, impurity):
    keys, shift, ones, cuts = listed(rows)
    n, k = ones.shape
    weights = np.array([0.5, 1.0, 2.0])[np.arange(n) % 3] if way == "weighted" else np.ones(n)
    below = (ones * weights[:, None]).cumsum(axis=0)
    total, whole = below[-1], below[-1].astype(np.int64)
    gains = gain(np.stack([below[cuts - 1], total - below[cuts - 1]], axis=1), IMPURITIES[GINI if way == "own" else impurity])
    left, place, count = np.zeros(k, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    table, unit = scan.whole_table(n)
    with pytest.MonkeyPatch.context() as patch:
        for module in (scan, scan_weighted):
            patch.setattr(module, "TIE", tie)
        run = keys, 0, n, shift
        if way == "weighted":
            found = scan_weighted.weighted_cut(
                *run, weights, np.zeros(k), np.empty((k + 1, room)), np.empty(room), place, total, impurity
            )
        elif way == "own":
            found = scan.own_cut(*run, NO_WEIGHTS, np.zeros(k), np.zeros(k), total, native(squares).address)
        elif impurity == ENTROPY:
            found = scan.entropy_cut(*run, left, whole, table, np.diff(table), unit, place, count)
        else:
            found = scan.gini_cut(*run, left, whole, place, count)
    near = abs(gains - (gains.max() - tie)).min() < 4 * GUARD
    assert near or not found[2]
    assert found[2] or near or found[1] == cuts[np.argmax(gains >= gains.max() - tie)]
    assert found[0] == pytest.approx(gains[list(cuts).index(found[1])], abs=2 * TIE)


def run_of(counts, n_scores=0):
    """Counts of values in rows as a search holds them, with room for scores of more divisions than there are rows."""
    counts, n = np.array(counts, float), len(counts)
    scores = np.empty(max(n, n_scores))
    return RunBuffers(np.arange(n), counts, counts.sum(axis=1), np.arange(n), np.empty(n), scores, np.empty(3), np.empty(3))


some_counts = st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3).filter(any), min_size=2, max_size=7)


some_factors = st.one_of(st.just([]), st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=3, max_size=3)).map(np.array)


@given(
    some_counts,
    some_factors,
    st.sampled_from([0, 2, 5, 99]),
    st.sampled_from(TIES),
    st.sampled_from([GAIN, GAIN_RATIO]),
    st.sampled_from([ENTROPY, GINI, MISCLASSIFICATION]),
)
def test_values_are_cut_where_the_score_is_the_first_within_a_tie_of_the_best(counts, factors, least, tie, score, impurity):
    counts = np.array(counts, float)
    below = counts.cumsum(axis=0)[:-1]
    sides = np.stack([below, counts.sum(axis=0) - below], axis=1)
    altered = sides * factors if len(factors) else sides
    scores = (gain if score == GAIN else gain_ratio)(altered, IMPURITIES[impurity])
    scores[sides.sum(axis=2).min(axis=1) < least] = -np.inf
    for table in (NO_WEIGHTS,) if len(factors) else (TABLE, NO_WEIGHTS):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(value_counts, "TIE", tie)
            given = least, factors, impurity, score, table
            found, cut, unsure, n_cuts = value_counts.best_cut(run_of(counts), len(counts), *given)
        assert n_cuts == np.isfinite(scores).sum()
        if not n_cuts:
            assert (found, cut, unsure) == (-np.inf, 0, False)
            continue
        near = abs(scores - (scores.max() - tie)).min() < 4 * GUARD
        assert near or not unsure
        assert unsure or near or cut == 1 + np.argmax(scores >= scores.max() - tie)
        assert found == pytest.approx(scores[cut - 1], abs=1e-9)


@given(some_counts, st.sampled_from([GAIN, GAIN_RATIO]), st.sampled_from([ENTROPY, GINI, MISCLASSIFICATION]))
def test_a_split_into_all_values_has_its_score(counts, score, impurity):
    counts, least = np.array(counts, float), 0.0
    given = run_of(counts), len(counts), least, NO_WEIGHTS
    found, unsure = value_counts.multiway_score(*given, impurity, score, NO_WEIGHTS)
    assert not unsure
    assert found == pytest.approx((gain if score == GAIN else gain_ratio)(counts, IMPURITIES[impurity]), abs=1e-9)
    own, unsure = value_counts.multiway_score(*given, native(squares).address, score, NO_WEIGHTS)
    assert not unsure
    assert own == pytest.approx((gain if score == GAIN else gain_ratio)(counts, gini), abs=1e-9)


@given(some_counts, some_factors, st.sampled_from([0, 2, 5]), st.sampled_from(TIES), st.sampled_from([GAIN, GAIN_RATIO]))
def test_every_division_in_two_is_tried_where_values_are_few(counts, factors, least, tie, score):
    counts, n = np.array(counts, float), len(counts)
    inside = np.array([(1, *others) for others in product((1, 0), repeat=n - 1)][1:], bool)
    sides = np.array([[counts[side].sum(axis=0), counts[~side].sum(axis=0)] for side in inside])
    scores = (gain if score == GAIN else gain_ratio)(sides * factors if len(factors) else sides)
    scores[sides.sum(axis=2).min(axis=1) < least] = -np.inf
    run = run_of(counts, 2**n)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(value_counts, "TIE", tie)
        found, n_inside, unsure = value_counts.best_subset(run, n, least, n, factors, ENTROPY, score, NO_WEIGHTS)
    if not np.isfinite(scores).any():
        assert (found, unsure) == (-np.inf, False)
        return
    near = abs(scores - (scores.max() - tie)).min() < 4 * GUARD
    assert near or not unsure
    assert found == pytest.approx(scores.max(), abs=1e-9)
    if not near:
        assert set(run.order[:n_inside]) == set(np.flatnonzero(inside[np.argmax(scores >= scores.max() - tie)]))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=3), st.sampled_from(list(IMPURITIES)), st.booleans())
def test_a_loss_is_the_impurity_times_the_cases(counts, impurity, by_table):
    table = TABLE if by_table else NO_WEIGHTS
    counts = np.array(counts, float)
    loss, n = value_counts.loss_of(counts, NO_WEIGHTS, impurity, table)
    assert n == counts.sum()
    assert loss == pytest.approx(n * IMPURITIES[impurity](counts), abs=1e-9)
    assert value_counts.any_loss_of(counts, NO_WEIGHTS, impurity, table) == (loss, n, 1.0)
    own = value_counts.any_loss_of(counts, NO_WEIGHTS, native(squares).address, table)
    assert own == pytest.approx((n * gini(counts), n, 1.0), abs=1e-9)


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75]), min_size=1, max_size=20))
def test_equal_shares_stay_in_their_order(shares):
    order = np.arange(len(shares))
    value_counts.merge_sort(order, len(shares), np.array(shares), np.empty(len(shares)))
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


@pytest.mark.parametrize(
    ("place", "way", "fast", "most"),
    [
        ((0, 1), (MULTIWAY, THRESHOLD), True, 8),  # codes: as many as the feature has
        ((-1, 1), (THRESHOLD, THRESHOLD), True, 6),  # sorted, in one pass
        ((-1, 1), (THRESHOLD, THRESHOLD), False, 6),
        ((-1, -2), (THRESHOLD, MULTIWAY), True, 5),  # sorted, by values: as many as the largest node has rows
        ((-1, -2), (NONE, MULTIWAY), False, 5),
        ((-1, -2), (MULTIWAY, NONE), False, 5),
        ((-1, -2), (NONE, THRESHOLD), True, 1),
    ],
)
def test_buffers_have_room_for_the_values_of_the_largest_node(place, way, fast, most):
    in_order, coded = (np.flatnonzero(kind) for kind in (np.array(place) < 0, np.array(place) >= 0))
    fixed = SimpleNamespace(
        features=(np.array(way), np.array([7, 5]), in_order, coded), measure=SimpleNamespace(fast=fast, table=np.ones(9))
    )
    entries = SimpleNamespace(weights=NO_WEIGHTS)
    assert most_values(SimpleNamespace(fixed=fixed, entries=entries, sizes=np.array([4, 2]))) == most


def test_a_level_is_noted_as_leaves_and_refused_where_it_has_no_room():
    grown = GrownNodes(np.full((3, 2), np.nan), np.full((N_NOTED, 3), 9), np.zeros(0, np.int64))
    add_leaves(grown, 0, np.array([[3.0, 1.0]]))
    add_leaves(grown, 1, np.array([[2.0, 0.0], [1.0, 1.0]]))
    assert grown.counts.tolist() == [[3, 1], [2, 0], [1, 1]]
    assert grown.noted.tolist() == [[0, 0, 0], [-1, -1, -1], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
    with pytest.raises(MemoryError):
        add_leaves(grown, 3, np.array([[2.0, 0.0]]))


def test_shares_are_rounded_down_and_the_first_largest_gets_the_rest():
    assert sum_and_first_largest(np.array([9.0, 1.0, 3.0, 3.0]), 1, 3) == (7.0, 1)
    assert share_on_grid(1.0, 0.7, 0.25) == 0.5


def test_children_whose_cases_all_miss_the_value_are_equal():
    kind, first_child, heavy = np.array([MULTIWAY, NONE, MULTIWAY]), np.array([0, 3, 3, 5]), np.zeros(5)
    start, end, child = np.array([0, 2, 3]), np.array([2, 3, 6]), np.array([-1, -1, -1, 1, 1, -1])
    weigh(0, 3, kind, first_child, start, end, child, np.array([1.0, 1, 1, 0.5, 2, 4]), heavy)
    assert heavy.tolist() == [1, 1, 1, 0, 2.5]


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5), st.data(), st.booleans(), st.booleans(), st.permutations([1, 2]))
def test_entries_of_some_nodes_are_gathered_and_numbered_anew(sizes, data, weighted, shared, in_order):
    ends, shift = np.cumsum(sizes), 4
    nodes, n = SimpleNamespace(start=ends - sizes, end=ends), ends[-1]
    chosen = data.draw(st.lists(st.sampled_from(range(len(sizes))), unique=True, min_size=1).map(sorted))
    kept = np.concatenate([np.arange(nodes.start[k], nodes.end[k]) for k in chosen])
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    # Two sorted features, each node's entries in an order of its own, and a coded one.
    order = np.array(
        [np.concatenate([random.permutation(np.arange(e - s, e)) for s, e in zip(sizes, ends, strict=True)]) for _ in "12"]
    )
    bits = random.integers(0, 1 << shift, (2, n))
    times, fractions = (random.integers(1, 9, n) / 8 if given else NO_WEIGHTS for given in (weighted, shared))
    columns = random.integers(0, 9, (n, 1)), random.integers(0, 3, n), random.permutation(n)
    entries = Entries(np.array([0, -1, -2]), (order << shift) | bits, *columns, times, fractions, NO_WEIGHTS)
    features = SimpleNamespace(in_order=np.array(in_order), shift=shift)
    block = np.empty(2**14, np.uint8)
    found, begin = grow_subtrees.gathered(np.array(chosen), nodes, entries, features, room_in(block, 0, len(block)))
    assert begin.tolist() == [0, *np.cumsum(np.array(sizes)[chosen])]
    assert found.place.tolist() == [0, *(-1 - in_order.index(feature) for feature in (1, 2))]
    for feature in (1, 2):
        lane = found.keys[-1 - found.place[feature]]
        assert (lane >> shift).tolist() == np.searchsorted(kept, order[feature - 1][kept]).tolist()
        assert (lane % (1 << shift)).tolist() == bits[feature - 1][kept].tolist()
    assert len(found.keys) == 3, "there is one row to spare"
    for name in ("codes", "classes", "origin"):
        assert np.array_equal(getattr(found, name), getattr(entries, name)[kept])
    whole, part = times[kept] if weighted else times, fractions[kept] if shared else fractions
    product = whole * part if weighted and shared else whole if weighted else part
    for name, expected in (("times", whole), ("fractions", part), ("weights", product)):
        assert np.array_equal(getattr(found, name), expected)


@given(st.lists(st.tuples(st.integers(1, 8), st.integers(4, 8)), min_size=1, max_size=6), st.integers(1, 3))
def test_surrogates_stand_in_the_order_of_agreement_and_agree_with_more_than_the_larger_child(candidates, room):
    floats, words = np.zeros((2, room)), np.zeros((2, room), np.uint64)
    copies = [each.copy() for each in (floats, floats, words, words, floats, floats)]
    found = FoundSurrogates(np.zeros(1), np.zeros(2), np.full((2, room), -1), *copies)
    for feature, (agreed, largest) in enumerate(candidates):
        surrogates._insert(1, feature, agreed, 8, largest, feature % 2, feature / 2, feature + 1, feature + 2, found)
    better = [(agreed, feature, largest) for feature, (agreed, largest) in enumerate(candidates) if agreed > largest]
    agreed, features, largest = np.array(sorted(better, key=lambda each: -each[0])[:room], float).reshape(-1, 3).T
    n = len(features)
    assert (found.feature[0] == -1).all()
    assert found.feature[1].tolist() == [*features, *[-1] * (room - n)]
    expected = [features % 2, features / 2, features + 1, features + 2, agreed / 8, (agreed - largest) / (8 - largest)]
    for name, values in zip(FoundSurrogates._fields[3:], expected, strict=True):
        assert getattr(found, name)[1, :n] == pytest.approx(values)


def test_steps_are_numbered_one_after_the_other():
    numbers = [number for name, number in vars(steps).items() if name.isupper() and name not in {"N_STEPS", "SCORE_RUN"}]
    assert sorted(numbers) == list(range(steps.N_STEPS))
