"""Kernels of depth two and three equal their NumPy form, and counts of bits those of rows."""

from itertools import pairwise

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ftree import Dataset, multiway, one_value
from ftree.exact import costs, errors
from ftree.exact.archive import empty_archive
from ftree.exact.items import items_of
from ftree.exact.problem import problem_of
from ftree.exact.row_set import RowSet, all_rows
from ftree.exact.shallow import depth_three, depth_two, plain_depth_two
from ftree.missing import as_branch

SPLITTERS = (one_value(),), (one_value(), multiway())


@st.composite
def row_sets(draw):
    """All rows of a random table, or those with its first item."""
    random, n = np.random.default_rng(draw(st.integers(0, 2**32 - 1))), draw(st.integers(3, 90))
    columns = {f"w{i}": random.choice(list("abcd")[: random.integers(2, 5)], n) for i in range(draw(st.integers(1, 4)))}
    classes = "pqr"[: draw(st.integers(2, 3))]
    weights = draw(st.sampled_from([None, random.integers(1, 5, n), random.random(n) + 0.5]))
    labels = np.append(list(classes), random.choice(list(classes), n))[:n]
    made = Dataset.from_columns(
        {**columns, "class": labels}, target="class", kinds="nominal", classes=list(classes), weights=weights
    )
    objective = draw(st.sampled_from([errors(), costs((1 - np.eye(len(classes))) * np.arange(1, len(classes) + 1)[:, None])]))
    options = {"leaf_penalty": draw(st.sampled_from([0, 0.02])), "feature_costs": draw(st.sampled_from([None, {"w0": 0.01}]))}
    limits = {"min_leaf": draw(st.sampled_from([0, 1.5])), "most": 99, "missing": as_branch()}
    rows = all_rows(items_of(problem_of(made, draw(st.sampled_from(SPLITTERS)), objective=objective, **options, **limits)))
    return rows.part(0) if rows.items.n and draw(st.booleans()) else rows


def expected_counts(rows):
    """Rows with two items, by class, from the bits themselves."""
    items, (bits, starts) = rows.items, rows.rows()
    shifts = np.arange(64, dtype=np.uint64)
    has = ((bits[:, None, :] >> shifts[None, :, None]) & np.uint64(1)).astype(float)
    counts = np.zeros((items.problem.n_classes, items.n, items.n))
    for segment, (first, last) in enumerate(pairwise(starts)):
        own = has[first:last].reshape(-1, bits.shape[1])[:, : items.n]
        counts[items.of_class[segment]] += items.weight[segment] * (own.T @ own)
    return counts


@given(row_sets())
@settings(max_examples=30)
def test_counts_of_pairs_are_those_of_rows(rows):
    if rows.items.n:
        assert np.allclose(np.triu(rows.pairs()), np.triu(expected_counts(rows)))
        assert np.allclose(rows.triples()[0][:, 0], rows.pairs()[:, 0])


@given(row_sets())
@settings(max_examples=30)
def test_depth_two_is_that_of_the_numpy_form(rows):
    if rows.items.n:
        cost, _ = depth_two(rows)
        plain, _ = plain_depth_two(rows.items, rows.pairs(), rows.total)
        assert np.isclose(cost, plain)


@given(row_sets())
@settings(max_examples=20)
def test_depth_three_is_the_best_of_its_first_splits(rows):
    items = rows.items
    if items.n:
        n, two = len(items.splits), np.full((items.n, 2), np.inf)
        cost, chosen = depth_three(rows, np.arange(n), np.full(n, -np.inf), np.inf, two)
        for item in range(items.n_binary):
            part = rows.part(item)
            assert np.allclose(two[item], [depth_two(part)[0], depth_two(rows.others(part))[0]])
        assert (cost < np.inf) == (chosen >= 0)


def ones_in(words):
    """The number of ones in each word."""
    return np.unpackbits(words.view(np.uint8).reshape(len(words), 8), axis=1).sum(axis=1)


def parts_of(rows):
    """The rows, and those with and without each of the first items."""
    parts = [rows.part(item) for item in range(min(rows.items.n_binary, 4))]
    return [rows, *parts, *map(rows.others, parts)]


@given(row_sets(), st.floats(0, 20))
@settings(max_examples=20)
def test_the_bound_by_similar_rows_is_the_highest_and_none_costs_less(rows, known):
    items, sets = rows.items, parts_of(rows)
    archive = empty_archive(items)
    assume(len(items.splits))
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


@given(row_sets())
@settings(max_examples=20)
def test_counts_of_triples_are_those_of_the_rows_themselves_where_they_come_by_subtraction(rows):
    items = rows.items
    if items.n_binary:
        rows.triples()
        part = rows.part(0)
        given_counts, less = rows.others(part).triples_less()
        alone = RowSet(items, rows.mask & ~part.mask, rows.total - part.total)
        upper = np.triu(np.ones((items.n, items.n), dtype=bool))
        assert np.allclose((given_counts - less if len(less) else given_counts)[..., upper], alone.triples()[..., upper])
