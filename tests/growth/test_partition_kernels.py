"""Kernels that move and count entries, as plain Python (NUMBA_DISABLE_JIT=1), against loops over rows."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree._lib.jit import is_disabled
from ftree.criteria import entropy, gain, gini, misclassification
from ftree.growth.kernels import cell_splits, partition, weighted_cuts
from ftree.growth.kernels.records import FLAGS, MULTIWAY, NONE
from ftree.growth.kernels.sorted_cuts import bits_of

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
    number, new_rows, nodes = np.full(n, -1), np.full((2, len(expected)), -1), np.stack([ends - sizes, ends])
    given = kind, np.array(first_child), nodes, child, np.array(position), np.stack([classes, origin])
    partition.renumber(0, len(sizes), *given, number, new_rows)
    assert new_rows.tolist() == [classes[expected].tolist(), origin[expected].tolist()]
    assert number[expected].tolist() == list(range(len(expected)))


@given(st.lists(st.lists(st.integers(0, 2), max_size=5), min_size=1, max_size=4), st.integers(2, 3), st.booleans(), st.data())
def test_classes_of_children_are_counted_by_weight(children, n_classes, weighted, data):
    children = [[label % n_classes for label in own] for own in children]
    classes = np.array([label for own in children for label in own], dtype=int)
    weights = np.array([data.draw(st.sampled_from([0.5, 1.0, 2.0])) for _ in classes]) if weighted else NO_WEIGHTS
    position = np.cumsum([0, *map(len, children)])
    totals = np.zeros((len(children), n_classes))
    partition.count_classes(0, len(children), position, classes[None], weights, totals)
    each = weights if weighted and len(classes) else np.ones(len(classes))
    wanted = [np.bincount(classes[low:high], each[low:high], n_classes).tolist() for low, high in pairwise(position)]
    assert totals.tolist() == wanted


@given(st.lists(st.integers(-1, 2), min_size=1, max_size=8), st.booleans())
def test_children_weigh_what_their_known_entries_do(child, weighted):
    child = np.array(child)
    weights = np.arange(1, len(child) + 1) / 2 if weighted else NO_WEIGHTS
    heavy = np.zeros(3)
    partition.weigh(0, 1, np.array([MULTIWAY]), np.array([0, 3]), np.array([[0], [len(child)]]), child, weights, heavy)
    each = weights if weighted else np.ones(len(child))
    sums = [each[child == v].sum() for v in range(3)]
    assert heavy.tolist() == (sums if (child >= 0).any() else [1, 1, 1])


def test_rows_of_codes_move_word_by_word_and_those_without_a_number_stay_behind():
    words = np.arange(8, dtype=np.uint64).reshape(4, 2)
    new = np.zeros((3, 2), np.uint64)
    partition.move_coded(0, 2, words, new, np.array([MULTIWAY, NONE]), np.array([[0, 3], [3, 4]]), np.array([2, -1, 0, 1]))
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
        found = weighted_cuts._weighted_again(keys, 0, n, SHIFT, weights, lefts, total, total.sum(), 1, enough, 1e-9)
        assert (found[0], found[2]) == (first, score(first) < enough + 1e-9)
        assert found[1] == pytest.approx(score(first))
        beyond = weighted_cuts._weighted_again(keys, 0, n, SHIFT, weights, lefts, total, total.sum(), 1, enough - 0.7531, 1e-9)
        earlier = next(place for place in cuts if score(place) > enough - 0.7531 - 1e-9)
        assert (beyond[0], beyond[2]) == (earlier, score(earlier) < enough - 0.7531 + 1e-9)
    assert weighted_cuts._weighted_again(keys, 0, n, SHIFT, weights, lefts, total, total.sum(), 1, 1e9, 1e-9) == (0, 1e9, True)


@given(st.floats(1e-6, 1e9))
def test_an_estimate_of_x_log_x_is_within_its_bound(x):
    assert weighted_cuts.about(x) == pytest.approx(x * np.log2(x), abs=weighted_cuts.OFF / 4 * x + 1e-15)
    assert weighted_cuts.about(0.0) == weighted_cuts.exactly(0.0) == 0.0
    assert weighted_cuts.exactly(x) == x * np.log2(x)


@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=5), st.sampled_from([0, 1, 2]))
def test_cells_of_values_have_the_impurity_of_each_value_times_its_rows(cells, impurity):
    counts = np.array(cells)
    table = np.arange(200) * np.log2(np.maximum(np.arange(200), 1))
    left, present, rows = cell_splits._impurity_left(0, counts.size, 3, counts.ravel(), impurity, table)
    function = (entropy, gini, misclassification)[impurity]
    assert left == pytest.approx(sum(own.sum() * float(function(own)) for own in counts))
    assert (present, rows) == ((counts.sum(axis=1) > 0).sum(), counts.sum())
    totals = np.array([counts.sum(axis=0) + 2.0])
    tally = np.append(counts.ravel(), [2, 2, 2])  # the last cells are those of missing values
    whole, n = cell_splits._impurity_of_known(0, counts.size, rows, tally, totals, impurity, table)
    assert whole == pytest.approx(counts.sum() * float(function(counts.sum(axis=0))))
    assert n == counts.sum() + 6


@given(st.lists(st.lists(st.integers(0, 9), min_size=2, max_size=2), min_size=1, max_size=5))
def test_cells_of_two_classes_side_by_side_have_the_entropy_of_each_value_times_its_rows(cells):
    counts = np.array(cells)
    table = np.arange(200) * np.log2(np.maximum(np.arange(200), 1))
    left, present, rows = cell_splits._entropy_left_of_two(np.uint64(0), np.uint64(counts.size), counts.ravel(), table)
    assert left == pytest.approx(sum(own.sum() * float(entropy(own)) for own in counts))
    assert (present, rows) == ((counts.sum(axis=1) > 0).sum(), counts.sum())


@st.composite
def cells_of_rows(draw):
    """Counts of rows by code and class, the last code being that of missing values, behind other cells; and where they begin."""
    k, n, seed = draw(st.integers(2, 3)), draw(st.integers(1, 20)), draw(st.integers(0, 2**16))
    random, values = np.random.default_rng(seed), draw(st.integers(1, 4))
    labels, weights = random.integers(0, k, n), random.integers(1, 9, n) / draw(st.sampled_from([1, 8]))
    counts, at = np.zeros((values + 1, k)), draw(st.integers(0, 5))
    np.add.at(counts, (random.integers(0, values + 1, n), labels), weights)
    return counts, at, np.append(np.full(at, 9.0), counts.ravel()), np.stack([np.ones(k), counts.sum(axis=0)])


def gain_of_known(children, whole, function):
    """The gain of children times the share of the known; -inf for fewer than two with cases."""
    own = [child for child in children if child.sum()]
    return float(gain(np.array(own), function)) * sum(map(np.sum, own)) / whole if len(own) > 1 else -np.inf


@given(cells_of_rows(), st.sampled_from([0, 1, 2]))
def test_a_split_into_all_values_is_scored_by_their_cells(case, impurity):
    counts, at, tally, totals = case
    table = np.arange(2000) * np.log2(np.maximum(np.arange(2000), 1))
    whole = (tally * 8).astype(np.int64)  # counts of rows are whole numbers
    found = cell_splits.multiway_gain_of_cells(1, at, len(counts) - 1, whole, totals * 8, impurity, table)
    expected = gain_of_known(counts[:-1], counts.sum(), (entropy, gini, misclassification)[impurity])
    assert found == (pytest.approx(expected), (counts[:-1].sum(axis=1) > 0).sum())


@given(cells_of_rows(), st.sampled_from([0, 1]))
def test_splits_of_weighted_rows_are_scored_by_their_cells(case, impurity):
    counts, at, tally, totals = case
    own = counts[:-1]
    found, present = cell_splits.gain_of_cells(tally, at, len(own), totals, 1, impurity)
    assert found == pytest.approx(gain_of_known(own, counts.sum(), (entropy, gini)[impurity]))
    assert present == (own.sum(axis=1) > 0).sum()
