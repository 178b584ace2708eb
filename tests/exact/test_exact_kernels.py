"""Kernels of the search for optimal trees, one by one and as plain Python, against rows that are counted one by one."""

from itertools import combinations

import numpy as np
import pytest

from ftree._lib.jit import is_disabled
from ftree.exact.cells import rows_of_bits
from ftree.exact.kernels.bits import most_of_others, pair_counts, pairs_with, subtract_pairs, subtract_triples, triple_counts
from ftree.exact.kernels.depth_two import ERRORS, JOINT, LOGS, MATRIX, by_pairs, by_triples, leaf_costs
from ftree.exact.kernels.histograms import BOUND, EXACT, INSIDE, MASS, OUTSIDE, divided_in_two, pairs_of_rows
from ftree.exact.kernels.two_classes import PAD, by_quarters, of_two_classes

pytestmark = [
    pytest.mark.in_python,
    pytest.mark.skipif(not is_disabled(), reason="plain Python is what this looks at; tests/_lib runs such files"),
]


def some_rows(n, m, *, k=2, share=0.5, seed=0):
    """Which rows have which items (n, M), and their classes, in order; the last item has few rows."""
    random = np.random.default_rng(seed)
    has = random.random((n, m)) < share
    has[:, -1] &= random.random(n) < 0.1
    wanted = (has[:, 0] ^ has[:, 1 % m]) * (k - 1) + has[:, 2 % m]
    labels = np.where(random.random(n) < 0.3, random.integers(0, k, n), wanted % k)
    return has, np.sort(labels)


def counted(has, labels, k=2, weights=None):
    """Class counts of pairs (K, M, M), the second item not before the first, and of triples (M, K, M, M + 16) by the last."""
    own = np.eye(k)[labels] * (1 if weights is None else weights[:, None])
    n = has.shape[1]
    pairs = np.triu(np.einsum("rk,ri,rj->kij", own, has, has))
    items = np.arange(n)
    before = (items[:, None] < items)[None] & (items < items[:, None, None])
    triples = np.einsum("rk,ra,ri,rj->akij", own, has, has, has) * before[:, None]
    return pairs, np.pad(triples, ((0, 0), (0, 0), (0, 0), (0, PAD))), own.sum(axis=0)


def as_words(has, labels, n_segments):
    """Bits (W, M) of rows in segments, where each segment begins, and the same by row."""
    first = np.array([np.searchsorted(labels, segment) for segment in range(n_segments + 1)])
    starts = np.append(0, np.cumsum(-(-np.diff(first) // 64)))
    bits = np.zeros((starts[-1], has.shape[1]), np.uint64)
    for row, segment in enumerate(labels):
        word, place = divmod(row - first[segment], 64)
        bits[starts[segment] + word] |= has[row].astype(np.uint64) << np.uint64(place)
    return bits, starts, rows_of_bits(bits)


def terms_of(wide, prices, costs, penalty=0.0, least=0.0, *, kind=ERRORS):
    """The last arguments of kernels."""
    return np.array(wide), np.array(prices), np.array([penalty, least, 0.125, kind]), np.atleast_2d(costs)


@pytest.mark.parametrize(("n", "m"), [(9, 3), (40, 5), (90, 19)])
@pytest.mark.parametrize("penalty", [0.0, 1.5])
def test_sides_of_items_cost_their_two_best_quarters(n, m, penalty):
    has, labels = some_rows(n, m, seed=m)
    pairs, triples, total = counted(has, labels)

    def errors(rows):
        return np.bincount(labels[rows], minlength=2).min()

    def leaf(rows):
        return errors(rows) + penalty * rows.any()

    def quarter(rows):
        return min(leaf(rows), *(errors(rows & each) + errors(rows & ~each) + 2 * penalty for each in has.T))

    def side(rows):
        return min(leaf(rows), *(quarter(rows & each) + quarter(rows & ~each) for each in has.T))

    two = by_quarters(triples.astype(np.int32), pairs.astype(np.int32), total.astype(np.int32), penalty)
    assert two.tolist() == [[side(each), side(~each)] for each in has.T]


@pytest.mark.parametrize("n", [30, 700])
def test_triples_of_rows_in_words_are_those_of_rows(n):
    has, segments = some_rows(n, 6, k=3, share=0.6, seed=n)
    bits, starts, rows = as_words(has, segments, 3)
    of_class, weight = np.array([1, 0, 1]), np.array([1.0, 2.0, 0.5])
    expected = counted(has, of_class[segments], weights=weight[segments])
    pairs = np.zeros((2, 6, 6))
    for first, end in ((0, 4), (4, 6)):
        pair_counts(bits, starts, of_class, weight, bits, first, end, pairs)
    assert np.array_equal(pairs, expected[0])
    triples, untouched = np.zeros((6, 2, 6, 6 + PAD)), np.full((6, 2, 6, 6 + PAD), -1.0)
    for first, end in ((0, 3), (3, 6)):
        triple_counts(bits, starts, rows, of_class, weight, first, end, triples)
    assert np.array_equal(triples, expected[1])
    triple_counts(bits, starts, rows, of_class, weight, 0, 6, untouched)
    items = np.arange(6 + PAD)
    before = (items[:6, None] < items) & (items < items[:6, None, None])
    assert np.array_equal(untouched, np.where(before[:, None], expected[1], -1)), "no other place is written"


def test_counts_of_the_rows_outside_a_part_are_the_differences_and_no_other_place_is_written():
    has, labels = some_rows(50, 5)
    whole, part = counted(has, labels)[1], counted(has[::2], labels[::2])[1]
    rest = np.full_like(whole, -1)
    subtract_triples(whole, part, rest)
    items = np.arange(5 + PAD)
    before = (items[:5, None] < items) & (items < items[:5, None, None])
    assert np.array_equal(rest, np.where(before[:, None], counted(has[1::2], labels[1::2])[1], -1))


@pytest.mark.parametrize("item", range(5))
def test_pairs_among_the_rows_with_an_item_come_from_triples(item):
    has, labels = some_rows(50, 5)
    pairs, triples, total = counted(has, labels)
    own, rest, others = np.zeros_like(pairs), np.zeros_like(pairs), np.empty(2)
    pairs_with(triples, pairs, item, own)
    assert np.array_equal(own, counted(has[has[:, item]], labels[has[:, item]])[0])
    subtract_pairs(pairs, total, item, own, rest, others)
    without, _, cases = counted(has[~has[:, item]], labels[~has[:, item]])
    assert np.array_equal(rest, without)
    assert np.array_equal(others, cases)


def test_the_highest_bound_by_another_row_set_is_found_where_rows_outside_the_mask_are_far_apart():
    full, one, none = ~np.uint64(0), np.uint64(1), np.uint64(0)
    mask = np.array([full] * 70 + [none] * 60 + [full])
    other = mask.copy()
    other[[66, 69, 75, 129]] = [full, full, one, np.uint64(7)]  # four rows outside of the mask, in the second block of words
    last = mask.copy()
    last[130] = none
    weight, starts, class_weights = np.array([2.0, 5.0]), np.array([0, 130, 131]), np.array([2.0, 5.0])
    totals, total = np.array([[4484.0, 64.0], [4480.0, 0.0]]), np.array([4480.0, 64.0])

    def bound(least, best, totals=totals):
        return most_of_others(np.array([other, last]), totals, np.array(least), weight, starts, class_weights, mask, total, best)

    assert bound([20.0, 9.0], 0.0) == (12.0, 0)
    assert bound([20.0, 15.0], 0.0) == (15.0, 1)
    assert bound([20.0, 12.0], 0.0) == (12.0, 0), "of equal bounds the first counts"
    assert bound([20.0, 9.0], 12.0) == (12.0, -1), "a bound that is known already is none"
    assert bound([20.0, 9.0], 11.5) == (12.0, 0)
    assert bound([8.0, -1.0], 0.0) == (0.0, -1)
    # With the class counts of the mask itself, only the rows themselves tell what is outside.
    assert bound([20.0, 9.0], 0.0, np.array([total, total])) == (12.0, 0)
    assert bound([9.0, 0.5], 0.0, np.array([total, total])) == (1.0, 0)
    assert bound([8.0, 0.5], 0.0, np.array([total, total])) == (0.5, 1)


LOSS = np.array([[0.0, 2.0, 3.0], [1.0, 0.0, 4.0], [2.5, 1.0, 0.0]])


def n_log_n(numbers):
    return numbers * np.log2(np.maximum(numbers, 1))


def form_of(name, k):
    """The kind and the array of a formula for k classes, and the cost of class counts without a penalty."""
    step, weights = 0.125, np.array([1.0, 2.0, 1.5])[:k]
    if name == "errors":
        return ERRORS, weights, lambda counts: float((counts * weights).sum() - (counts * weights).max())
    if name == "matrix":
        return MATRIX, LOSS[:k], lambda counts: np.rint(float((counts @ LOSS[:k]).min()) / step) * step
    if name == "table of logs":
        logs = np.round(n_log_n(np.arange(200)) / step) * step
        return LOGS, logs[None], lambda counts: logs[int(counts.sum())] - logs[counts.astype(int)].sum()
    return LOGS, np.zeros((1, 0)), lambda counts: np.rint((n_log_n(counts.sum()) - n_log_n(counts).sum()) / step) * step


def price_of(rows, labels, cost, penalty, least, k):
    counts = np.bincount(labels[rows], minlength=k).astype(float)
    return 0.0 if not rows.any() else np.inf if rows.sum() < least else cost(counts) + penalty


@pytest.mark.parametrize(("penalty", "least"), [(0.0, 0.0), (0.75, 3.0)])
@pytest.mark.parametrize("form", ["errors", "matrix", "table of logs", "logs", "joint"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("wide", [False, True], ids=["two children", "three children as well"])
@pytest.mark.parametrize("n", [60, 7], ids=["many rows", "few, so that some children have none"])
def test_depth_two_is_the_least_cost_of_all_trees(form, k, wide, penalty, least, n):
    has, labels = some_rows(n, 4, k=k, seed=k)
    kind, array, cost = form_of("matrix" if form == "joint" else form, k)
    if form == "joint":
        if k != 2:
            return
        counts = np.moveaxis(np.indices(np.bincount(labels, minlength=2) + 1), 0, -1)
        cases, own = counts.sum(axis=-1), np.apply_along_axis(cost, -1, counts) + penalty
        kind, array = JOINT, np.where(cases == 0, 0.0, np.where(cases < least, np.inf, own))
    child = np.random.default_rng(5).integers(0, 3, n) if wide else np.zeros(n, int)
    parts = [child == each for each in range(3)] if wide else []
    has = np.column_stack([has, *parts])
    prices = np.array([0.0, 0.5, 0.25, 1.0, *([0.125] if wide else [])])

    def leaf(rows):
        return price_of(rows, labels, cost, penalty, least, k)

    def divisions(number):
        return [has[:, number], ~has[:, number]] if number < 4 else parts

    def divided(rows, below):
        return [price + sum(below(rows & part) for part in divisions(number)) for number, price in enumerate(prices)]

    def one(rows):
        return min(leaf(rows), *divided(rows, leaf))

    everything = np.ones(n, bool)
    pairs, _, total = counted(has, labels, k)
    terms = terms_of([4, 7] if wide else [4], prices, array, penalty, least, kind=kind)
    costs = [leaf(everything), *divided(everything, one)]
    found, chosen = by_pairs(pairs, total, *terms)
    assert found == pytest.approx(min(costs), abs=1e-12)
    assert chosen == np.argmin(np.array(costs) > min(costs) + 1e-12) - 1


@pytest.mark.parametrize("penalty", [0.0, 1.5])
def test_depth_two_by_errors_in_whole_numbers_is_the_least_cost_of_all_trees(penalty):
    for seed, n_items in ((1, 2), (2, 3), (3, 6)):
        has, labels = some_rows(40, n_items, seed=seed)
        has = np.column_stack([has, np.zeros(40, bool), np.ones(40, bool)])
        pairs, _, total = counted(has, labels)

        def leaf(rows, labels=labels):
            return np.bincount(labels[rows], minlength=2).min() + penalty * rows.any()

        def one(rows, has=has, leaf=leaf):
            return min(leaf(rows), *(leaf(rows & each) + leaf(rows & ~each) for each in has.T))

        costs = [leaf(np.ones(40, bool)), *(one(each) + one(~each) for each in has.T[:-2])]
        found = of_two_classes(pairs.astype(np.int32), total.astype(np.int32), penalty)
        assert found == (min(costs), int(np.argmin(costs)) - 1)


def test_leaves_cost_their_errors_and_a_penalty_where_they_have_a_case_and_too_few_are_refused():
    terms = terms_of([0], [], [1.0, 2.0], penalty=0.5, least=3.0)
    counts = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 1.0], [1.0, 2.0], [4.0, 0.0]])
    assert leaf_costs(counts, *terms[2:]).tolist() == [0.0, np.inf, 2.5, 1.5, 0.5]


def test_depth_three_examines_splits_in_order_and_passes_over_those_whose_bound_is_not_below_the_best():
    has, labels = some_rows(60, 4, k=2, seed=9)
    child = np.random.default_rng(5).integers(0, 3, 60)
    has = np.column_stack([has, *(child == each for each in range(3))])
    pairs, triples, total = counted(has, labels)
    prices = np.array([0.0, 0.5, 0.25, 1.0, 0.125])
    terms = terms_of([4, 7], prices, np.ones(2), penalty=0.5)

    def below(rows):
        return by_pairs(*(counted(has[rows], labels[rows])[place] for place in (0, 2)), *terms)[0]

    sides = np.array([[below(each), below(~each)] for each in has.T.astype(bool)])
    costs = [*sides[:4].sum(axis=1) + prices[:4], sides[4:, 0].sum() + prices[4]]
    order, none = np.array([3, 1, 4, 0, 2]), np.full(5, -np.inf)
    two = np.full((7, 2), -1.0)

    def three(order, bound, upper):
        return by_triples(triples, pairs, total, order, bound, upper, two, *terms)

    found = three(order, none, np.inf)
    best = min(order, key=costs.__getitem__)
    assert found == (costs[best], best)
    assert np.array_equal(two, np.where(np.arange(7)[:, None] < [7, 4], sides, -1))
    assert three(order, none, min(costs)) == (min(costs), -1)
    assert three(order, np.array(costs), min(costs) + 0.25) == (min(costs), best)
    two[:], bound = -1, np.where(np.arange(5) == best, -np.inf, 99.0)
    assert three(order, bound, 50.0) == (min(costs), best)
    skipped = [item for item in range(7) if not (item == best if best < 4 else item >= 4)]
    assert (two[skipped] == -1).all(), "splits whose bound is too high are not examined"
    bound = np.array([7.5, 7.0, 8.0, 9.0, 7.25])
    assert three(order, bound, 7.0) == (7.0, -1)
    assert three(order[::-1], bound, 6.0) == (7.0, -1)


# Two columns of four and of three cells, each after an empty one; items are x <= 0, 1, 2, 0 < x <= 1, 2, and y <= 0, 1.
FIRST = np.array([0, 5, 9])
COLUMN, LOW, HIGH = np.array([0, 0, 0, 0, 0, 1, 1]), np.array([0, 0, 0, 1, 1, 5, 5]), np.array([1, 2, 3, 2, 3, 6, 7])
INTERVALS = np.column_stack([COLUMN, LOW, HIGH, [0, 0, 0, 3, 3, 5, 5], [3, 3, 3, 5, 5, 7, 7]])


def rows_in_cells(n=50):
    random = np.random.default_rng(3)
    cells = np.column_stack([1 + random.integers(0, 4, n), 6 + random.integers(0, 3, n)])
    wanted = (cells[:, 0] > 2) ^ (cells[:, 1] == 7)
    labels = np.where(random.random(n) < 0.2, random.integers(0, 2, n), wanted)
    has = (cells[:, COLUMN] > LOW) & (cells[:, COLUMN] <= HIGH)
    return np.column_stack([cells, labels]), labels, random.integers(1, 4, n).astype(float), has


def test_pairs_of_intervals_are_counted_by_joint_histograms():
    cells, labels, weights, has = rows_in_cells()
    rows = np.arange(0, 50, 2)
    pairs = np.zeros((2, 7, 7))
    pairs_of_rows(cells, weights, FIRST, INTERVALS, rows, pairs)
    assert np.array_equal(pairs, counted(has[rows], labels[rows], weights=weights[rows])[0])


@pytest.mark.parametrize("with_mass", [False, True])
@pytest.mark.parametrize("best", [np.inf, 20.0, 12.0])
@pytest.mark.parametrize("order", [[[4, 0, 2, 1, 3], [6, 5]], [[0, 1, 2, 3, 4], [5, 6]], [[2, 0, 1], [4, 3], [5, 6]]])
def test_splits_by_intervals_cost_two_trees_of_depth_two(with_mass, best, order):
    cells, labels, weights, has = rows_in_cells()
    rows, prices = np.arange(50)[5:], np.array([0.5, 0.0, 0.25, 1.0, 0.0, 0.5, 0.0])
    has, labels_of, weights_of = has[rows], labels[rows], weights[rows]
    pairs, *_ = counted(has, labels_of, weights=weights_of)
    terms = terms_of([7], prices, np.ones(2), penalty=0.5)

    def below(chosen):
        counts = counted(has[chosen], labels_of[chosen], weights=weights_of[chosen])
        return by_pairs(counts[0], counts[2], *terms)[0]

    sides = np.array([[below(each), below(~each)] for each in has.T])
    costs, state = sides.sum(axis=1) + prices, np.zeros((7, 5))
    state[:, MASS] = np.diagonal(pairs, axis1=1, axis2=2).sum(axis=0) if with_mass else -1
    for items in map(np.array, order):
        found, chosen = divided_in_two(cells, weights, FIRST, INTERVALS, rows, pairs, items, best, state, *terms[1:])
        least = min(costs[items])
        assert (found, chosen) == ((least, items[np.argmin(costs[items])]) if least < best else (best, -1))
        best = found
    exact = state[:, EXACT] == 1
    assert exact.any()
    assert with_mass or exact.all()
    assert np.array_equal(state[exact][:, [INSIDE, OUTSIDE]], sides[exact])
    assert np.array_equal(state[exact, BOUND], costs[exact])
    assert (state[:, [INSIDE, OUTSIDE]] <= sides).all()
    assert (state[:, BOUND] <= costs).all()
    assert (state[~exact, BOUND] >= best).all()


def test_every_pair_of_items_has_one_place():
    """A plain check of the helper: pairs and triples stand in the order of items."""
    has, labels = some_rows(30, 4)
    pairs, triples, total = counted(has, labels)
    for i, j in combinations(range(4), 2):
        assert pairs[:, i, j].tolist() == np.bincount(labels[has[:, i] & has[:, j]], minlength=2).tolist()
        assert not pairs[:, j, i].any()
    assert triples[3, :, 0, 2].tolist() == np.bincount(labels[has[:, 0] & has[:, 2] & has[:, 3]], minlength=2).tolist()
    assert total.sum() == 30
