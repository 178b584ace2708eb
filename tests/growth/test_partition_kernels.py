"""Kernels that move and count entries, as plain Python (NUMBA_DISABLE_JIT=1), against loops over rows."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree._lib.jit import is_disabled
from ftree._lib.kernels.room import room_in
from ftree.criteria.impurity import entropy, gini, misclassification
from ftree.criteria.scores import gain
from ftree.growth.kernels import partition, scan_counts, scan_weighted
from ftree.growth.kernels.keys import FLAGS, bits_of
from ftree.growth.split_arrays import MULTIWAY, NONE, THRESHOLD

pytestmark = [
    pytest.mark.in_python,
    pytest.mark.skipif(not is_disabled(), reason="plain Python is what this looks at; tests/_lib runs such files"),
]

SHIFT = 2 + FLAGS
FRESH = bits_of(SHIFT)[1]
NO_WEIGHTS, NO_COPIES = np.empty(0), np.empty((0, 3), np.int64)


@st.composite
def sorted_nodes(draw, arity):
    """The keys of a node in the order of a feature, and the child of each row; -1 has no answer, if there are many children."""
    n = draw(st.integers(1, 24))
    rows = draw(st.permutations(range(n)))
    fresh = [True, *(draw(st.booleans()) for _ in range(n - 1))]
    labels = [draw(st.integers(0, 2)) for _ in range(n)]
    child = np.array([draw(st.integers(0 if arity == 2 else -1, arity - 1)) for _ in range(n)])
    keys = np.array([row << SHIFT | FRESH * new | labels[row] for row, new in zip(rows, fresh, strict=True)])
    return keys, child


def numbered(child, arity):
    """New numbers of rows, in order within each child, and where each child begins."""
    sizes = [int((child == number).sum()) for number in range(arity)]
    starts = np.cumsum([0, *sizes])
    number = np.full(len(child), -1)
    for v in range(arity):
        number[child == v] = starts[v] + np.arange(sizes[v])
    return number, starts


def moved(keys, child, number, arity):
    """The keys of each child: a key is fresh if another value has occurred since the last key of that child."""
    below, value, latest = [[] for _ in range(arity)], 0, [None] * arity
    for key in keys.tolist():
        row, value = key >> SHIFT, value + bool(key & FRESH)
        v = child[row]
        if v >= 0:
            below[v].append(number[row] << SHIFT | (key & ((1 << SHIFT) - 1) & ~FRESH) | (FRESH if latest[v] != value else 0))
            latest[v] = value
    return [key for own in below for key in own]


@given(sorted_nodes(2), st.integers(1, 5))
def test_keys_in_two_children_are_fresh_where_another_value_begins_however_few_are_looked_up_ahead(node, ahead):
    keys, child = node
    number, starts = numbered(child, 2)
    into = np.zeros(len(keys), np.int64)
    partition._move_in_two(keys, into, 0, len(keys), 0, starts[1], number, SHIFT, np.empty(ahead, np.uint64))
    assert into.tolist() == moved(keys, child, number, 2)


@given(st.integers(2, 4).flatmap(lambda arity: st.tuples(st.just(arity), sorted_nodes(arity))))
def test_keys_in_many_children_are_fresh_where_another_value_begins(drawn):
    arity, (keys, child) = drawn
    number, starts = numbered(child, arity)
    into, latest = np.zeros(starts[-1], np.int64), np.full(arity, -1)
    partition._move_in_many(keys, into, 0, len(keys), child, number, NO_COPIES, SHIFT, starts[:-1].copy(), latest)
    assert into.tolist() == moved(keys, child, number, arity)


@given(st.integers(2, 4), st.data())
def test_entries_get_numbers_in_order_within_each_child_and_take_their_classes_along(arity, data):
    sizes = data.draw(st.lists(st.integers(1, 8), min_size=1, max_size=3))
    kind = np.array([data.draw(st.sampled_from([MULTIWAY, NONE])) for _ in sizes])
    ends = np.cumsum(sizes)
    n = int(ends[-1])
    child = np.array(data.draw(st.lists(st.integers(-1, arity - 1), min_size=n, max_size=n)))
    classes, origin = np.arange(n) % 3, np.arange(n) + 100
    expected = []
    first_child, position = [0], [0]
    for j, end in enumerate(ends):
        if kind[j] != NONE:
            own = [[i for i in range(end - sizes[j], end) if child[i] == v] for v in range(arity)]
            expected += [i for each in own for i in each]
            position += np.cumsum([position[-1], *map(len, own)])[1:].tolist()
        first_child.append(first_child[-1] + (arity if kind[j] != NONE else 0))
    number, new_classes, new_origin = np.full(n, -1), np.full(len(expected), -1), np.full(len(expected), -1)
    nodes = SimpleNamespace(start=ends - sizes, end=ends)
    moves = kind, np.array(first_child), child, number, np.array(position), None, None
    entries = SimpleNamespace(classes=classes, origin=origin)
    block = np.empty(2**10, np.uint8)
    room = room_in(block, 0, len(block))
    partition.renumber(0, len(sizes), nodes, moves, entries, new_classes, new_origin, room)
    assert room.free.tolist() == [0, len(block), 0]
    assert new_origin.tolist() == origin[expected].tolist()
    assert new_classes.tolist() == classes[expected].tolist()
    assert number[expected].tolist() == list(range(len(expected)))


@given(st.lists(st.lists(st.integers(0, 2), max_size=5), min_size=1, max_size=4), st.integers(2, 3), st.booleans(), st.data())
def test_classes_of_children_are_counted_by_weight(children, n_classes, weighted, data):
    children = [[label % n_classes for label in own] for own in children]
    classes = np.array([label for own in children for label in own], dtype=int)
    weights = np.array([data.draw(st.sampled_from([0.5, 1.0, 2.0])) for _ in classes]) if weighted else NO_WEIGHTS
    position = np.cumsum([0, *map(len, children)])
    totals = np.zeros((len(children), n_classes))
    partition.count_classes(0, len(children), position, classes, weights, totals)
    each = weights if weighted and len(classes) else np.ones(len(classes))
    wanted = [np.bincount(classes[low:high], each[low:high], n_classes).tolist() for low, high in pairwise(position)]
    assert totals.tolist() == wanted


@given(st.lists(st.integers(-1, 2), min_size=1, max_size=8), st.booleans())
def test_children_weigh_what_their_known_entries_do(child, weighted):
    child = np.array(child)
    weights = np.arange(1, len(child) + 1) / 2 if weighted else NO_WEIGHTS
    heavy = np.zeros(3)
    partition.weigh(0, 1, np.array([MULTIWAY]), np.array([0, 3]), np.array([0]), np.array([len(child)]), child, weights, heavy)
    each = weights if weighted else np.ones(len(child))
    sums = [each[child == v].sum() for v in range(3)]
    assert heavy.tolist() == (sums if (child >= 0).any() else [1, 1, 1])


def test_rows_of_codes_move_word_by_word_and_those_without_a_number_stay_behind():
    words = np.arange(8, dtype=np.uint64).reshape(4, 2)
    new = np.zeros((3, 2), np.uint64)
    partition.move_coded(
        0, 2, words, new, np.array([MULTIWAY, NONE]), np.array([0, 3]), np.array([3, 4]), np.array([2, -1, 0, 1])
    )
    assert new.tolist() == [[4, 5], [0, 0], [0, 1]]


@given(st.lists(st.tuples(st.integers(0, 1), st.booleans()), min_size=2, max_size=12))
def test_a_cut_of_weighted_rows_is_found_again_with_its_exact_score(rows):
    labels, fresh = np.array(rows).T
    n, k = len(rows), 2
    keys = np.arange(n) << SHIFT | fresh * FRESH | labels
    weights = np.arange(1, n + 1) / 4
    ones = np.eye(k)[labels] * weights[:, None]
    total = ones.sum(axis=0)
    cuts = [place for place in range(1, n) if fresh[place]]

    def score(place):
        left, right = ones[:place].sum(axis=0), ones[place:].sum(axis=0)
        return sum((side**2).sum() / side.sum() for side in (left, right))

    lefts = np.empty((k + 1, 1))
    for enough in [score(place) for place in cuts]:
        first = next(place for place in cuts if score(place) >= enough - 1e-9)
        found = scan_weighted._weighted_again(keys, 0, n, SHIFT, weights, lefts, total, total.sum(), 1, enough, 1e-9)
        assert (found[0], found[2]) == (first, score(first) < enough + 1e-9)
        assert found[1] == pytest.approx(score(first))
        beyond = scan_weighted._weighted_again(keys, 0, n, SHIFT, weights, lefts, total, total.sum(), 1, enough - 0.7531, 1e-9)
        earlier = next(place for place in cuts if score(place) > enough - 0.7531 - 1e-9)
        assert (beyond[0], beyond[2]) == (earlier, score(earlier) < enough - 0.7531 + 1e-9)
    assert scan_weighted._weighted_again(keys, 0, n, SHIFT, weights, lefts, total, total.sum(), 1, 1e9, 1e-9) == (0, 1e9, True)


@given(st.floats(1e-6, 1e9))
def test_an_estimate_of_x_log_x_is_within_its_bound(x):
    assert scan_weighted.about(x) == pytest.approx(x * np.log2(x), abs=scan_weighted.OFF / 4 * x + 1e-15)
    assert scan_weighted.about(0.0) == scan_weighted.exactly(0.0) == 0.0
    assert scan_weighted.exactly(x) == x * np.log2(x)


@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=5), st.sampled_from([0, 1, 2]))
def test_cells_of_values_have_the_impurity_of_each_value_times_its_rows(cells, impurity):
    counts = np.array(cells)
    table = np.arange(200) * np.log2(np.maximum(np.arange(200), 1))
    left, present, rows = scan_counts._impurity_left(0, counts.size, 3, counts.ravel(), impurity, table)
    function = (entropy, gini, misclassification)[impurity]
    assert left == pytest.approx(sum(own.sum() * float(function(own)) for own in counts))
    assert (present, rows) == ((counts.sum(axis=1) > 0).sum(), counts.sum())
    totals = np.array([counts.sum(axis=0) + 2.0])
    tally = np.append(counts.ravel(), [2, 2, 2])  # the last cells are those of missing values
    whole, n = scan_counts._impurity_of_known(0, counts.size, rows, tally, totals, impurity, table)
    assert whole == pytest.approx(counts.sum() * float(function(counts.sum(axis=0))))
    assert n == counts.sum() + 6


@given(st.lists(st.lists(st.integers(0, 9), min_size=2, max_size=2), min_size=1, max_size=5))
def test_cells_of_two_classes_side_by_side_have_the_entropy_of_each_value_times_its_rows(cells):
    counts = np.array(cells)
    table = np.arange(200) * np.log2(np.maximum(np.arange(200), 1))
    left, present, rows = scan_counts._entropy_left_of_two(np.uint64(0), np.uint64(counts.size), counts.ravel(), table)
    assert left == pytest.approx(sum(own.sum() * float(entropy(own)) for own in counts))
    assert (present, rows) == ((counts.sum(axis=1) > 0).sum(), counts.sum())


@st.composite
def cells_of_rows(draw):
    """The cells of three features of some rows, as the kernels that score them take them, and counts by code for each."""
    k, n, seed = draw(st.integers(2, 3)), draw(st.integers(1, 20)), draw(st.integers(0, 2**16))
    random, absent = np.random.default_rng(seed), np.array([draw(st.integers(1, 4)) for _ in range(3)])
    labels, weights = random.integers(0, k, n), random.integers(1, 9, n) / draw(st.sampled_from([1, 8]))
    counts = []
    for values in absent:
        counts.append(np.zeros((values + 1, k)))  # the last code is that of missing values
        np.add.at(counts[-1], (random.integers(0, values + 1, n), labels), weights)
    coded, numbers = np.array(draw(st.permutations(range(3)))), np.array(draw(st.permutations(range(3))))
    cells = [counts[coded[g]].ravel() for g in numbers]
    begin = np.cumsum([0, *map(len, cells)])[:-1]
    features = SimpleNamespace(coded=coded, absent=absent, way=np.array([MULTIWAY, THRESHOLD, MULTIWAY]))
    totals = np.stack([np.ones(k), counts[0].sum(axis=0)])
    return features, numbers, begin, np.concatenate(cells), totals, counts


def gain_of_known(children, whole, function):
    """The gain of children times the share of the known; -inf for fewer than two with cases."""
    own = [child for child in children if child.sum()]
    return float(gain(np.array(own), function)) * sum(map(np.sum, own)) / whole if len(own) > 1 else -np.inf


def empty_scores():
    return SimpleNamespace(score=np.full((3, 2), 7.0), cut=np.full((3, 2), -1))


@given(cells_of_rows(), st.sampled_from([0, 1, 2]), st.integers(1, 3))
def test_features_that_are_live_are_scored_by_the_cells_of_all_values(case, impurity, n_live):
    features, numbers, begin, tally, totals, counts = case
    tally, totals, scores = (tally * 8).astype(np.int64), totals * 8, empty_scores()  # counts of rows are whole numbers
    table = np.arange(2000) * np.log2(np.maximum(np.arange(2000), 1))
    scan_counts.multiway_gains(1, n_live, (numbers, begin, None, tally, None), features, totals, impurity, table, scores)
    live = [int(features.coded[g]) for g in numbers[:n_live]]
    for f in range(3):
        scored = f in live and features.way[f] == MULTIWAY
        expected = gain_of_known(counts[f][:-1], counts[f].sum(), (entropy, gini, misclassification)[impurity])
        assert scores.score[f, 1] == (pytest.approx(expected) if scored else 7)
        assert scores.cut[f, 1] == ((counts[f][:-1].sum(axis=1) > 0).sum() if scored else -1)
    assert (scores.score[:, 0] == 7).all()


@given(cells_of_rows(), st.sampled_from([0, 1]), st.integers(1, 3))
def test_features_of_weighted_rows_are_scored_by_cells_and_entropies_estimated(case, impurity, n_live):
    features, numbers, begin, tally, totals, counts = case
    function, scores, near = (entropy, gini)[impurity], empty_scores(), 20 * scan_weighted.OFF
    buffers, left, total = (numbers, begin, None, None, tally), np.empty(totals.shape[1]), np.empty(totals.shape[1])
    scan_counts.weighted_gains(1, n_live, buffers, features, totals, impurity, left, total, scores)
    live = [int(features.coded[g]) for g in numbers[:n_live]]
    for f in range(3):
        own, whole = counts[f][:-1], counts[f].sum()
        expected = gain_of_known(own, whole, function)
        if features.way[f] == THRESHOLD:
            cuts = [gain_of_known([own[:at].sum(axis=0), own[at:].sum(axis=0)], whole, function) for at in range(1, len(own))]
            expected = max(cuts, default=-np.inf) if impurity == 0 else 7
        assert scores.score[f, 1] == (pytest.approx(expected, abs=near) if f in live else 7)
