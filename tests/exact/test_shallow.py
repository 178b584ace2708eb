"""Kernels of depth two and three equal their NumPy form, and counts of bits those of rows."""

from unittest.mock import patch

import numpy as np
import pytest
from attrs import evolve
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ftree import Dataset, multiway, one_value
from ftree.exact import costs, entropy, errors
from ftree.exact import formula as formula_module
from ftree.exact import items as items_module
from ftree.exact.archive import empty_archive
from ftree.exact.formula import formula_of
from ftree.exact.items import items_of
from ftree.exact.packing import bits_of_items, narrowed, places_of_rows, rows_of_bits
from ftree.exact.problem import problem_of
from ftree.exact.row_set import RowSet, all_rows
from ftree.exact.shallow import depth_three, depth_two, leaf_costs, plain_depth_two
from ftree.missing import as_branch

pytestmark = pytest.mark.in_python

SPLITTERS = (one_value(),), (one_value(), multiway()), (multiway(),)


@st.composite
def row_sets(draw, *, objectives=True):
    """All rows of a random table, or those with its first item."""
    random, n = np.random.default_rng(draw(st.integers(0, 2**32 - 1))), draw(st.integers(3, 90))
    columns = {f"w{i}": random.choice(list("abcd")[: random.integers(2, 5)], n) for i in range(draw(st.integers(1, 4)))}
    classes = "pqr"[: draw(st.integers(2, 3))]
    weights = draw(st.sampled_from([None, random.integers(1, 5, n), random.random(n) + 0.5]))
    labels = np.append(list(classes), random.choice(list(classes), n))[:n]
    made = Dataset.from_columns(
        {**columns, "class": labels}, target="class", kinds="nominal", classes=list(classes), weights=weights
    )
    k = len(classes)
    by_class, by_both = np.arange(1, k + 1)[:, None], 1 + np.arange(k * k).reshape(k, k) % 3
    counting = [errors(), costs((1 - np.eye(k)) * by_class)]
    others = [entropy(), costs((1 - np.eye(k)) * by_both), lambda counts: np.asarray(counts).min(axis=-1)]
    objective = draw(st.sampled_from([*counting, *(others if objectives else [])]))
    options = {
        "leaf_penalty": draw(st.sampled_from([0, 0.02])),
        "feature_costs": draw(st.sampled_from([None, {"w0": 0.01}, dict.fromkeys(columns, 0.02)])),
    }
    limits = {"min_leaf": draw(st.sampled_from([0, 1.5])), "most": 99, "missing": as_branch()}
    rows = all_rows(items_of(problem_of(made, draw(st.sampled_from(SPLITTERS)), objective=objective, **options, **limits)))
    return rows.part(0) if rows.items.n and draw(st.booleans()) else rows


def rows_with_items(rows):
    """Which rows have which items (n, M), and the segment of each row, from the bits themselves."""
    items, (bits, starts, _) = rows.items, rows.rows()
    shifts = np.arange(64, dtype=np.uint64)
    has = ((bits[:, None, :] >> shifts[None, :, None]) & np.uint64(1)).astype(bool).reshape(-1, bits.shape[1])
    return has[:, : items.n], np.repeat(np.arange(len(starts) - 1), 64 * np.diff(starts))


def expected_counts(rows):
    """Rows with two items, by class, the second not before the first."""
    items, (has, segments) = rows.items, rows_with_items(rows)
    counts = np.zeros((items.problem.n_classes, items.n, items.n))
    for segment in range(len(items.of_class)):
        own = has[segments == segment].astype(float)
        counts[items.of_class[segment]] += items.weight[segment] * (own.T @ own)
    return np.triu(counts)


def expected_triples(rows):
    """Rows with three items, by the last, the class, and the two before it."""
    items, (has, segments) = rows.items, rows_with_items(rows)
    counts = np.zeros((items.n, items.problem.n_classes, items.n, items.n))
    for segment in range(len(items.of_class)):
        own = has[segments == segment].astype(float)
        counts[:, items.of_class[segment]] += items.weight[segment] * np.einsum("ra,ri,rj->aij", own, own, own)
    return before_the_last(counts)


def before_the_last(triples):
    """Counts by the last of three items, without the others."""
    items = np.arange(len(triples))
    i, j = items[None, :, None], items[None, None, :]
    return (triples[..., : len(items)] * ((i < j) & (j < items[:, None, None]))[:, None]).astype(float)


@given(row_sets())
@settings(max_examples=30)
def test_counts_of_items_pairs_and_triples_are_those_of_rows(rows):
    if rows.items.n:
        expected = expected_counts(rows)
        assert np.array_equal(rows.counts(), np.diagonal(expected, axis1=1, axis2=2))
        assert np.array_equal(rows.pairs(), expected)
        assert np.array_equal(before_the_last(rows.triples()), expected_triples(rows))
        assert not rows.triples()[..., rows.items.n :].any()


@given(st.data(), st.lists(st.integers(1, 150), min_size=1, max_size=3), st.integers(1, 3))
@settings(max_examples=20)
def test_bits_are_the_items_of_rows_and_a_mask_leaves_no_gaps(data, sizes, n):
    random = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    share, first = data.draw(st.sampled_from([0.05, 0.5, 1.0])), np.append(0, np.cumsum(sizes))
    items, kept = random.random((n, first[-1])) < 0.5, random.random(first[-1]) < share
    bits, starts = in_words(items, first)
    assert np.array_equal(unpacked(bits, starts, first), items)
    rows = rows_of_bits(bits)
    assert np.array_equal(rows, rows_of_items(bits))
    narrow, begin, selected = narrowed(rows, starts, in_words(kept[None], first)[0][:, 0], n)
    assert np.array_equal(selected, rows_of_bits(narrow))
    expected, words = in_words(items[:, kept], np.append(0, np.cumsum(kept))[first])
    assert np.array_equal(narrow, expected)
    assert np.array_equal(begin, words)


def rows_of_items(bits):
    """Words of items, for each row of words of rows; a plain twin of `rows_of_bits`."""
    by_row = np.unpackbits(bits.view(np.uint8).reshape(*bits.shape, 8), axis=2, bitorder="little").transpose(0, 2, 1)
    by_row = by_row.reshape(-1, bits.shape[1])
    padded = np.pad(by_row, ((0, 0), (0, -bits.shape[1] % 64)))
    return np.ascontiguousarray(np.packbits(padded, axis=1, bitorder="little")).view(np.uint64)


def in_words(items, first):
    starts = np.append(0, np.cumsum(-(-np.diff(first) // 64)))
    padded = np.zeros((len(items) + 1, 64 * starts[-1]), dtype=bool)
    padded[:, places_of_rows(starts, first)] = [*items, np.ones(items.shape[1], dtype=bool)]
    return bits_of_items(padded[:-1], padded[-1]), starts


def unpacked(bits, starts, first):
    """The items (M, n) of bits; a plain twin of `bits_of_items`, the other way round."""
    rows = [(starts[s], row) for s in range(len(first) - 1) for row in range(first[s + 1] - first[s])]
    words, shifts = (
        np.array(each, dtype=np.int64) for each in ([s + row // 64 for s, row in rows], [row % 64 for _, row in rows])
    )
    return ((bits[words].T >> shifts.astype(np.uint64)) & np.uint64(1)).astype(bool)


@given(row_sets())
@settings(max_examples=40)
def test_depth_two_is_that_of_the_numpy_form(rows):
    if rows.items.n:
        assert depth_two(rows) == plain_depth_two(rows.items, rows.pairs(), rows.total)


def plain_two(rows):
    return plain_depth_two(rows.items, rows.pairs(), rows.total)[0]


def plain_depth_three(rows, order, bound, upper):
    """The least cost and its first split by the NumPy form of depth two; where none is below `upper`, a bound on all, and -1."""
    items, best, least = rows.items, (upper, -1), np.inf
    for number in order.tolist():
        parts = [rows.part(item) for item in items.items_of(number)]
        parts += [rows.others(part) for part in parts if number < items.n_binary]
        cost = bound[number] if bound[number] >= best[0] else items.prices[number] + sum(map(plain_two, parts))
        best, least = ((cost, number) if cost < best[0] else best), min(least, cost)
    return best if best[1] >= 0 else (least, -1)


@given(row_sets(), st.sampled_from([0, None]))
@settings(max_examples=40)
def test_depth_two_by_every_formula_is_that_of_the_numpy_form(rows, most):
    """With room for n log n of all cases only, or for no table, where small tables have one of all pairs of counts."""
    room = 1 + int(rows.items.problem.weights.sum()) if most is None else most
    with patch.object(formula_module, "_MOST", room + (most is None)):
        rows.items = evolve(rows.items, formula=formula_of(rows.items.problem))
    if rows.items.n:
        assert depth_two(rows) == plain_depth_two(rows.items, rows.pairs(), rows.total)


@given(row_sets(), st.sampled_from([formula_module._MOST, 0]), st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_formulas_cost_leaves_as_objectives_do(rows, most, seed):
    items = rows.items
    with patch.object(formula_module, "_MOST", most):
        changed = evolve(items, formula=formula_of(items.problem))
    counts = np.random.default_rng(seed).random((9, len(rows.total))) * rows.total
    whole = (items.problem.weights == np.round(items.problem.weights)).all()
    counts = (np.round(counts) if whole else counts).astype(items.dtype)
    given_costs = leaf_costs(changed, counts)
    if not items.simple:
        assert given_costs == pytest.approx(items.problem.leaf_costs(counts), rel=1e-9, abs=1e-9)
        assert (changed.formula is None) == (items.weights is not None or not changed.has_kernels)


@given(row_sets(), st.data())
@settings(max_examples=25)
def test_depth_three_is_the_best_of_its_first_splits(rows, data):
    items = rows.items
    if items.n:
        n, two = len(items.splits), np.full((items.n, 2), np.inf)
        order = np.array(data.draw(st.permutations(range(n))))
        assert depth_three(rows, order, np.full(n, -np.inf), np.inf, two) == plain_depth_three(rows, order, np.zeros(n), np.inf)
        for item in range(items.n):
            part = rows.part(item)
            assert two[item, 0] == plain_two(part)
            assert two[item, 1] == (plain_two(rows.others(part)) if item < items.n_binary else np.inf)


@given(row_sets(), st.data())
@settings(max_examples=25)
def test_depth_three_passes_over_splits_whose_bound_is_not_below_the_best_cost(rows, data):
    items = rows.items
    if items.n:
        n, whole = len(items.splits), float(rows.total.sum())
        order = np.array(data.draw(st.permutations(range(n))))
        bound = np.array(data.draw(st.lists(st.sampled_from([0.0, 0.2, 0.5, 9.0]), min_size=n, max_size=n))) * whole
        upper = data.draw(st.sampled_from([0.1, 0.3, 1.0, np.inf])) * whole
        costs = np.array([plain_depth_three(rows, np.array([split]), np.zeros(n), np.inf)[0] for split in range(n)])
        bound = np.minimum(bound, costs)
        cost, chosen = depth_three(rows, order, bound, upper, np.empty((items.n, 2)))
        least, expected = plain_depth_three(rows, order, bound, upper)
        assert chosen == expected
        assert cost == least if chosen >= 0 else least <= cost <= costs.min()


@given(row_sets(objectives=False))
@settings(max_examples=20)
def test_errors_that_every_tree_makes_are_those_of_rows_that_no_split_tells_apart(rows):
    items, (bits, *_) = rows.items, rows.rows()
    has, segments = rows_with_items(rows)
    wrong = ((bits[:, None, -2] >> np.arange(64, dtype=np.uint64)[None]) & np.uint64(1)).ravel().astype(bool)
    each = (items.cost_weights[items.of_class] * items.weight)[segments] * wrong
    with_item, of_all = rows.always_wrong()
    assert np.allclose(with_item, each @ has)
    assert np.isclose(of_all, each.sum())


def test_triples_are_counted_where_their_counts_have_room(monkeypatch):
    random = np.random.default_rng(0)
    table = Dataset.from_columns({"w": random.choice(list("abcde"), 50), "class": random.choice(list("pq"), 50)}, target="class")
    items = items_of(problem_of(table, (one_value(),), objective=errors(), **NOTHING_ELSE))
    n_bytes = items.buffer().nbytes
    for most, fits in ((n_bytes, True), (n_bytes - 1, False)):
        monkeypatch.setattr(items_module, "_MOST_BYTES", most)
        assert items.counts_triples == fits


NOTHING_ELSE = {"leaf_penalty": 0, "feature_costs": None, "min_leaf": 0, "most": 99, "missing": as_branch()}


def ones_in(words):
    """The number of ones in each word."""
    return np.unpackbits(words.view(np.uint8).reshape(len(words), 8), axis=1).sum(axis=1)


def parts_of(rows):
    """The rows, and those with and without each of the first items."""
    parts = [rows.part(item) for item in range(min(rows.items.n_binary, 4))]
    return [rows, *parts, *map(rows.others, parts)]


@given(row_sets(objectives=False), st.floats(0, 20))
@settings(max_examples=20)
def test_the_bound_by_similar_rows_is_the_highest_and_none_costs_less(rows, known):
    items, sets = rows.items, parts_of(rows)
    archive = empty_archive(items)
    assume(len(items.splits) and all(depth_two(part)[0] < np.inf for part in sets))
    for number, part in enumerate(sets):
        archive.add(part, depth_two(part)[0], np.full(len(items.splits), depth_two(part)[0] + number))
    segment = np.repeat(np.arange(len(items.weight)), np.diff(items.starts))
    weight = (items.weight * items.cost_weights[items.of_class])[segment]
    for part in sets:
        lost = [float(ones_in(other.mask & ~part.mask) @ weight) for other in sets]
        bounds = [depth_two(other)[0] - less for other, less in zip(sets, lost, strict=True)]
        least, by_first = archive.bound(part, known)
        assert least == max(known, *bounds)
        assert np.all(by_first == -np.inf) if least == known else by_first.min() >= least
        if items.bounds_similar:
            assert max(bounds) <= depth_two(part)[0]


def test_bounds_by_similar_rows_are_lower_by_the_cases_that_those_have_more():
    table = Dataset.from_columns({"w": list("aabbc"), "class": list("pqppq")}, target="class", weights=[1, 2, 3, 4, 5])
    rows = all_rows(items_of(problem_of(table, (one_value(),), objective=errors(), **NOTHING_ELSE)))
    archive, by_first = empty_archive(rows.items), np.arange(20.0, 20.0 + len(rows.items.splits))
    archive.add(rows, 18.0, by_first)
    for part in parts_of(rows):
        more = 15.0 - float(part.total.sum())
        least, found = archive.bound(part, 0.0)
        assert least == 18 - more
        assert (found == by_first - more).all()
        assert archive.bound(part, least) == (least, -np.inf)


def test_bounds_are_kept_of_the_last_1024_row_sets():
    table = Dataset.from_columns({"w": list("aabbc"), "class": list("pqppq")}, target="class")
    rows = all_rows(items_of(problem_of(table, (one_value(),), objective=errors(), **NOTHING_ELSE)))
    archive = empty_archive(rows.items)
    assert archive.bound(rows, 3.0) == (3.0, -np.inf)
    for number in range(1027):
        archive.add(rows, 2000.0 - number, 2000.0 - number)
        assert archive.bound(rows, 3.0)[0] == 2000 - max(number - 1023, 0), "the highest that is left"


@given(row_sets())
@settings(max_examples=20)
def test_counts_of_triples_are_those_of_the_rows_themselves_where_they_come_by_subtraction(rows):
    items = rows.items
    if items.n_binary:
        rows.triples()
        part = rows.part(0)
        counted = RowSet(items, rows.mask & ~part.mask, rows.total - part.total).triples()
        assert np.allclose(before_the_last(rows.others(part).triples()), before_the_last(counted))
        for item in range(items.n):
            assert np.array_equal(rows.part(item).pairs(), RowSet(items, rows.part(item).mask, rows.total).pairs())
