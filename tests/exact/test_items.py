"""Items as bits: the integers that counts are kept in, formulas of leaf costs, and limits of leaves."""

import numpy as np
import pytest
from attrs import evolve
from drawn_problems import NUMBERS, problem_for, row_sets
from hypothesis import given
from hypothesis import strategies as st

from ftree import Dataset, Leaf, optimal
from ftree.datasets import monks
from ftree.exact import Limits
from ftree.exact.listed.items import items_of
from ftree.exact.listed.leaf_formulas import COSTS, LeafKind
from ftree.exact.task import problem_counts
from ftree.splitters import one_value
from ftree.tree import preorder

TABLE = monks(3)


@pytest.mark.parametrize("weight", [1, 75, 4_970_000, 4_980_000])
def test_counts_of_every_size_have_the_same_optimum(weight):
    """432 rows: 4,970,000 times as many are counted in 32 bits, 4,980,000 times in doubles."""
    heavy = optimal(evolve(TABLE, weights=np.full(len(TABLE), weight)), max_depth=3)
    assert heavy.cost == weight * optimal(TABLE, max_depth=3).cost
    assert heavy.proved


@pytest.mark.parametrize(("least", "limits"), [(0, False), (1, False), (2, True), (5, True), (9, True)])
def test_leaves_are_limited_where_some_row_alone_is_too_little(least, limits):
    table = evolve(NUMBERS, weights=np.array([1, 5] * 4 + [1]))
    problem = problem_for(table, min_leaf=least)
    assert problem.limits_leaves == limits
    best = optimal(table, max_depth=3, limits=Limits(min_leaf=least)).tree
    assert min(sum(node.counts) for node in preorder(best) if isinstance(node, Leaf)) >= least


@given(row_sets(), st.integers(0, 2**32 - 1))
def test_formulas_cost_leaves_as_objectives_do(rows, seed):
    items = rows.items
    counts = np.random.default_rng(seed).random((9, len(rows.total))) * rows.total
    whole = (items.problem.weights == np.round(items.problem.weights)).all()
    counts = (np.round(counts) if whole else counts).astype(items.dtype)
    counts = counts[counts.sum(axis=1) >= items.weight.min()]  # a leaf has at least one row
    if not items.short_counts:
        assert items.leaf_costs(counts) == pytest.approx(items.problem.leaf_costs(counts), rel=1e-9, abs=1e-9)


@given(row_sets(others=False), st.integers(0, 2**32 - 1))
def test_errors_of_rows_are_sums_of_weights_in_the_search_as_in_its_definition(rows, seed):
    problem = rows.items.problem
    some = np.flatnonzero(np.random.default_rng(seed).random(len(problem.weights)) < 0.5)
    counts = problem_counts(problem.dataset.target_column[some], problem.weights[some], problem.n_classes)
    if not rows.items.short_counts:
        assert rows.items.leaf_costs(counts) == problem.leaf_costs(counts)


def test_each_kind_of_formula_has_its_costs():
    assert set(COSTS) == set(LeafKind)


def test_triples_are_counted_where_their_counts_have_room():
    random = np.random.default_rng(0)
    table = Dataset.from_columns({"w": random.choice(list("abcde"), 50), "class": random.choice(list("pq"), 50)}, target="class")
    items = items_of(problem_for(table, (one_value(),)))
    n_bytes = items.buffer().nbytes
    assert [evolve(items, most_bytes=most).counts_triples for most in (n_bytes, n_bytes - 1)] == [True, False]
