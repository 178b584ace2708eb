"""Kernels of the search for optimal trees, one by one and as plain Python, against rows that are counted one by one."""

from itertools import combinations

import numpy as np
import pytest

from ftree._lib.jit import is_disabled
from ftree._lib.kernels.by_address import address_of, addresses
from ftree.exact.kernels import histograms, shallow, two_classes
from ftree.exact.kernels.bits import most_of_others, pair_counts
from ftree.exact.kernels.quarters import PAD, STRIDE, two_by_quarters
from ftree.exact.kernels.triples import pairs_with, subtract_triples, triple_counts
from ftree.exact.packing import rows_of_bits

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


def least_of_two(pairs, total, terms, kernel=shallow.depth_two):
    """The least cost of depth two, and its first split."""
    k, n = pairs.shape[:2]
    room = tuple(np.full(shape, 7, pairs.dtype) for shape in (n, n, (k, n), (4, k)))
    return kernel(pairs, total, terms, room)


def rooms_like(pairs, total):
    """Arrays that a kernel of depth three overwrites."""
    k, n = pairs.shape[:2]
    below = tuple(np.full(shape, 7, pairs.dtype) for shape in (n, n, (k, n), (4, k)))
    return np.zeros_like(pairs), np.full_like(pairs, 7), np.full_like(total, 7), np.full_like(total, 7), below


WAYS = addresses([address_of(shallow.depth_two, ())]) if is_disabled() else None


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

    two, room = np.empty((m, 2)), tuple(np.full(shape, 7, np.int32) for shape in ((m, 4 * STRIDE), (m, 2 * STRIDE), 4 * STRIDE))
    two_by_quarters(triples.astype(np.int32), pairs.astype(np.int32), total.astype(np.int32), penalty, two, room)
    assert two.tolist() == [[side(each), side(~each)] for each in has.T]


@pytest.mark.parametrize("n", [30, 700])
def test_triples_of_rows_in_words_are_those_of_rows(n):
    has, segments = some_rows(n, 6, k=3, share=0.6, seed=n)
    bits, starts, rows = as_words(has, segments, 3)
    of_class, weight = np.array([1, 0, 1]), np.array([1.0, 2.0, 0.5])
    expected = counted(has, of_class[segments], weights=weight[segments])
    pairs = np.zeros((2, 6, 6))
    for first, end in ((0, 4), (4, 6)):
        room = np.full(6, 7, np.uint64), np.full(len(bits), 7, np.uint64)
        pair_counts(bits, starts, of_class, weight, bits, first, end, room, pairs)
    assert np.array_equal(pairs, expected[0])
    room = np.empty_like(bits), np.zeros_like(starts), np.empty_like(rows), np.empty(len(bits), np.uint64)
    triples, untouched = np.zeros((6, 2, 6, 6 + PAD)), np.full((6, 2, 6, 6 + PAD), -1.0)
    for first, end in ((0, 3), (3, 6)):
        triple_counts(bits, starts, rows, of_class, weight, first, end, (*room, np.empty((2, 64), np.uint64)), triples)
    assert np.array_equal(triples, expected[1])
    triple_counts(bits, starts, rows, of_class, weight, 0, 6, (*room, np.empty((2, 64), np.uint64)), untouched)
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
    pairs, triples, _ = counted(has, labels)
    own = np.zeros_like(pairs)
    pairs_with(triples, pairs, item, own)
    assert np.array_equal(own, counted(has[has[:, item]], labels[has[:, item]])[0])


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
    """A formula for k classes, and the cost of class counts without a penalty."""
    step, none = 0.125, np.zeros((1, 1))
    if name == "errors":
        return None, lambda counts: float((counts * np.array([1.0, 2.0, 1.5])[:k]).sum() - (counts * [1.0, 2.0, 1.5][:k]).max())
    if name == "matrix":
        return (shallow.MATRIX, none[0], LOSS[:k], step), lambda counts: np.rint(float((counts @ LOSS[:k]).min()) / step) * step
    if name == "table of logs":
        logs = np.round(n_log_n(np.arange(200)) / step) * step
        return (shallow.LOGS, logs, none, step), lambda counts: logs[int(counts.sum())] - logs[counts.astype(int)].sum()
    if name == "logs":
        return (
            shallow.LOGS,
            none[0, :0],
            none,
            step,
        ), lambda counts: np.rint((n_log_n(counts.sum()) - n_log_n(counts).sum()) / step) * step
    raise ValueError(name)


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
    if form == "joint":
        if k != 2:
            return
        formula, cost = form_of("matrix", 2)
        whole = np.bincount(labels, minlength=2) + 1
        table = np.array([[0 if a + b == 0 else np.inf if a + b < least else cost(np.array([a, b])) + penalty
                           for b in range(whole[1])] for a in range(whole[0])]).ravel()  # fmt: skip
        formula = shallow.JOINT, table, np.full((1, 1), whole[1]), 0.125
    else:
        formula, cost = form_of(form, k)
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
    terms = 4, np.array([4, 7] if wide else [4]), np.array([1.0, 2.0, 1.5])[:k], prices, penalty, least, formula
    costs = [leaf(everything), *divided(everything, one)]
    found, chosen = least_of_two(pairs, total, terms)
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
        terms = n_items + 2, np.array([n_items + 2]), np.ones(2), np.zeros(n_items + 2), penalty, 0.0, None
        found = least_of_two(pairs.astype(np.int32), total.astype(np.int32), terms, two_classes.depth_two)
        assert found == (min(costs), int(np.argmin(costs)) - 1)


def test_leaves_cost_their_errors_and_a_penalty_where_they_have_a_case_and_too_few_are_refused():
    terms = 0, np.array([0]), np.array([1.0, 2.0]), np.zeros(0), 0.5, 3.0, None
    counts = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 1.0], [1.0, 2.0], [4.0, 0.0]])
    assert shallow.leaf_costs(counts, terms).tolist() == [0.0, np.inf, 2.5, 1.5, 0.5]


def test_depth_three_examines_splits_in_order_and_passes_over_those_whose_bound_is_not_below_the_best():
    has, labels = some_rows(60, 4, k=2, seed=9)
    child = np.random.default_rng(5).integers(0, 3, 60)
    has = np.column_stack([has, *(child == each for each in range(3))])
    pairs, triples, total = counted(has, labels)
    prices = np.array([0.0, 0.5, 0.25, 1.0, 0.125])
    terms = 4, np.array([4, 7]), np.ones(2), prices, 0.5, 0.0, None

    def below(rows):
        return least_of_two(*(counted(has[rows], labels[rows])[place] for place in (0, 2)), terms)[0]

    sides = np.array([[below(each), below(~each)] for each in has.T.astype(bool)])
    costs = [*sides[:4].sum(axis=1) + prices[:4], sides[4:, 0].sum() + prices[4]]
    order, none = np.array([3, 1, 4, 0, 2]), np.full(5, -np.inf)
    two = np.full((7, 2), -1.0)

    def three(order, bound, upper):
        return shallow.depth_three(triples, pairs, total, terms, WAYS, order, bound, upper, two, rooms_like(pairs, total))

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
FIRST, COLUMN = np.array([0, 5, 9]), np.array([0, 0, 0, 0, 0, 1, 1])
LOW, HIGH = np.array([0, 0, 0, 1, 1, 5, 5]), np.array([1, 2, 3, 2, 3, 6, 7])
LADDERS, LADDER = np.array([[0, 3], [3, 5], [5, 7]]), np.array([0, 0, 0, 1, 1, 2, 2])
LAYOUT = FIRST, COLUMN, LOW, HIGH, LADDERS, LADDER


def rows_in_cells(n=50):
    random = np.random.default_rng(3)
    cells = np.column_stack([1 + random.integers(0, 4, n), 6 + random.integers(0, 3, n)])
    wanted = (cells[:, 0] > 2) ^ (cells[:, 1] == 7)
    labels = np.where(random.random(n) < 0.2, random.integers(0, 2, n), wanted)
    has = (cells[:, COLUMN] > LOW) & (cells[:, COLUMN] <= HIGH)
    return cells, labels, random.integers(1, 4, n).astype(float), has


def test_pairs_of_intervals_are_counted_by_joint_histograms():
    cells, labels, weights, has = rows_in_cells()
    rows = np.arange(0, 50, 2)
    pairs = np.zeros((2, 7, 7))
    scratch = np.zeros((2, 9, 9)), np.full((9, 9), 7.0), np.full(9, 7.0)
    histograms.pairs_of_rows((cells, labels, weights), LAYOUT, rows, pairs, *scratch)
    assert np.array_equal(pairs, counted(has[rows], labels[rows], weights=weights[rows])[0])


def test_rows_stand_in_the_order_of_their_cells_and_each_cell_has_its_place():
    cells = np.array([[9, 3], [9, 1], [9, 3], [9, 2], [9, 1]])
    ordered, starts = np.full(6, -1), np.full(7, 9)
    histograms._by_cell(cells, np.array([0, 1, 2, 4]), 1, 0, 4, ordered, starts)
    assert ordered.tolist() == [1, 4, 0, 2, -1, -1]
    assert starts.tolist() == [0, 0, 2, 2, 4, 4, 9]


@pytest.mark.parametrize(
    ("known", "inside", "outside"),
    [
        ({}, 0, 0),
        ({1: (3, 9)}, 3, 9 - 4),
        ({0: (1, 1), 1: (3, 9)}, 3, 5),  # the nearest before
        ({3: (9, 2)}, 9 - 6, 2),
        ({3: (9, 2), 4: (99, 99)}, 3, 2),  # the nearest after
        ({1: (3, 9), 3: (8, 7)}, 3, 7),
        ({1: (3, 9), 3: (10, 4)}, 4, 5),
        ({2: (50, 50)}, 0, 0),  # not by the item itself
        ({0: (7, 20), 5: (50, 50)}, 7, 20 - 8),  # nor by one of another ladder
    ],
)
def test_costs_are_bounded_by_those_of_neighbours_on_the_ladder(known, inside, outside):
    mass, two, is_known = np.array([2.0, 6, 10, 16, 20, 30]), np.zeros((6, 2)), np.zeros(6, bool)
    for item, costs in known.items():
        two[item], is_known[item] = costs, True
    assert histograms._between(mass, two, is_known, np.array([0, 5]), 2) == (inside, outside)
    mass, two, is_known = (np.concatenate([each[:1], each]) for each in (mass, two + 7, is_known))
    is_known[0], two[:] = True, two - 7
    assert histograms._between(mass, two, is_known, np.array([1, 6]), 3) == (inside, outside), "its first item may come later"


def test_a_window_of_rows_moves_and_counts_each_row_in_it_once(monkeypatch):
    cells, labels, weights, _ = rows_in_cells(12)
    ordered, hist, window, counted_rows = np.arange(12)[::-1].copy(), np.zeros((2, 9, 9)), np.zeros(2, np.int64), []
    count = histograms._count
    monkeypatch.setattr(histograms, "_count", lambda *given: (counted_rows.append(len(given[2])), count(*given)))
    moves = [(2, 5, 3), (2, 7, 2), (4, 9, 4), (3, 8, 2), (0, 3, 3), (3, 6, 3), (8, 12, 4), (8, 8, 0), (9, 11, 2)]
    for begin, end, n in moves:
        counted_rows.clear()
        histograms._move(hist, (cells, labels, weights), ordered, window, begin, end)
        expected = np.zeros((2, 9, 9))
        for row in ordered[begin:end]:
            for a, b in ((0, 0), (0, 1), (1, 1)):
                expected[labels[row], cells[row, a], cells[row, b]] += weights[row]
        assert np.array_equal(hist, expected)
        assert window.tolist() == [begin, end]
        assert sum(counted_rows) <= n or n == 0


@pytest.mark.parametrize("with_mass", [False, True])
@pytest.mark.parametrize("best", [np.inf, 20.0, 12.0])
def test_splits_by_intervals_cost_two_trees_of_depth_two(with_mass, best):
    cells, labels, weights, has = rows_in_cells()
    rows, prices = np.arange(50)[5:], np.array([0.5, 0.0, 0.25, 1.0, 0.0, 0.5, 0.0])
    has, labels_of, weights_of = has[rows], labels[rows], weights[rows]
    pairs, _, total = counted(has, labels_of, weights=weights_of)
    terms = 7, np.array([7]), np.ones(2), prices, 0.5, 0.0, None

    def below(chosen):
        counts = counted(has[chosen], labels_of[chosen], weights=weights_of[chosen])
        return least_of_two(counts[0], counts[2], terms)[0]

    sides = np.array([[below(each), below(~each)] for each in has.T])
    costs = sides.sum(axis=1) + prices
    mass = np.diagonal(pairs, axis1=1, axis2=2).sum(axis=0) if with_mass else np.zeros(0)
    scratch = np.full((2, 9, 9), 7.0), np.full((9, 9), 7.0), np.full(9, 7.0), np.zeros_like(pairs), np.zeros_like(pairs)
    scratch += np.full(2, 7.0), np.full(2, 7.0), np.full(45, 7), np.full(11, 7), np.full(2, 7), rooms_like(pairs, total)[-1]
    bound, two, known = np.zeros(7), np.full((7, 2), np.inf), np.zeros(7, bool)
    given = (cells, labels, weights), LAYOUT, rows, pairs, total, terms, WAYS
    for items in (np.array([4, 0, 2, 1, 3]), np.array([6, 5])):
        found, chosen = histograms.divided_in_two(*given, items, (bound, mass, known), best, two, scratch)
        least = min(costs[items])
        assert (found, chosen) == ((least, items[np.argmin(costs[items])]) if least < best else (best, -1))
        best = found
    assert known.any()
    assert with_mass or known.all()
    assert np.array_equal(two[known], sides[known])
    assert np.array_equal(bound[known], costs[known])
    assert (bound <= costs).all()
    assert (bound[~known] >= best).all()


def test_every_pair_of_items_has_one_place():
    """A plain check of the helper: pairs and triples stand in the order of items."""
    has, labels = some_rows(30, 4)
    pairs, triples, total = counted(has, labels)
    for i, j in combinations(range(4), 2):
        assert pairs[:, i, j].tolist() == np.bincount(labels[has[:, i] & has[:, j]], minlength=2).tolist()
        assert not pairs[:, j, i].any()
    assert triples[3, :, 0, 2].tolist() == np.bincount(labels[has[:, 0] & has[:, 2] & has[:, 3]], minlength=2).tolist()
    assert total.sum() == 30
