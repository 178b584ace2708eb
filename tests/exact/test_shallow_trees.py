"""The native library finds the trees of depth two and three of the NumPy form, which is its specification."""

import numpy as np
import pytest
from attrs import evolve
from drawn_problems import by_numpy, nominal, nominal_of_numbers, problem_for, row_sets
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ftree import Dataset, native
from ftree.exact import class_bits, costs, errors
from ftree.exact.listed.items import items_of
from ftree.exact.listed.leaf_formulas import LeafKind, n_log2_n_by_series
from ftree.exact.listed.row_set import all_rows
from ftree.exact.listed.shallow_trees import best_depth_three, best_depth_two, plain_depth_two
from ftree.exact.task import problem_counts
from ftree.splitters import multiway, one_value


@given(row_sets())
def test_depth_two_is_that_of_the_numpy_form(rows):
    if rows.items.n:
        plain = plain_depth_two(rows.items, rows.pairs(), rows.total)
        assert best_depth_two(rows) == best_depth_two(by_numpy(rows)) == plain


def test_a_split_that_leaves_all_cases_together_is_not_the_first_one():
    """It would cost as much as the one below it, which comes later."""
    table = Dataset.from_rows([[one, other] for one in "abc" for other in "defgh"], list("pqpqp") * 3, kinds="nominal")
    rows = all_rows(items_of(problem_for(table, (multiway(),)))).part(0)
    assert best_depth_two(rows) == best_depth_two(by_numpy(rows)) == (0.0, 1)


def of_classes(classes, weight=None):
    """A function of random numbers that makes a table of these classes, with multiples of a weight."""

    def made(random):
        table = nominal(random, classes=classes)
        assume(len(table.schema.classes) == len(classes))
        return evolve(table, weights=weight and weight * random.integers(1, 10, len(table)))

    return made


# Problems in which leaves cost by each kind of formula; bits of fractional weights by a series.
BY_FORMULA = [
    (of_classes("pqr"), errors(), LeafKind.ERRORS),
    (of_classes("pq", 1), class_bits(), LeafKind.JOINT),
    (of_classes("pqr", 1), class_bits(), LeafKind.LOGS),
    (of_classes("pq", 0.1), class_bits(), LeafKind.LOGS),
    (of_classes("pqr", 0.1), class_bits(), LeafKind.LOGS),
    (of_classes("pqrs", 0.1), costs((1 - np.eye(4)) * np.sqrt(np.arange(1, 17)).reshape(4, 4)), LeafKind.MATRIX),
    (lambda random: nominal_of_numbers(random.normal(size=60), random), errors(), LeafKind.SQUARES),
]


def leaf_cost_in_c(items, counts):
    """The cost of a leaf: that of a tree of depth two without items."""
    k, cost = len(counts), np.empty(1)
    no_splits, room = (np.zeros(1, np.int64), np.empty(0)), (np.empty((k, 0)), np.empty((2, 0)), np.empty((4, k)))
    native.call("depth_two", np.empty((k, 0, 0)), counts, *no_splits, *items.terms[2:], *room, cost)
    return cost[0]


@pytest.mark.parametrize(("table_by", "objective", "kind"), BY_FORMULA)
@given(st.integers(0, 2**32 - 1))
def test_each_kind_of_formula_gives_the_leaves_and_the_tree_of_the_numpy_form(table_by, objective, kind, seed):
    random = np.random.default_rng(seed)
    problem = problem_for(table_by(random), (one_value(),), objective=objective)
    rows = all_rows(items_of(problem))
    assert rows.items.formula.kind is kind
    assert best_depth_two(rows) == best_depth_two(by_numpy(rows))
    # By a finer step, no last bit is rounded away; only sums of listed logarithms need theirs, to be exact.
    listed = kind is LeafKind.LOGS and rows.items.formula.table.size
    items = rows.items if listed else items_of(evolve(problem, step=problem.step * 2.0**-30))
    for _ in range(20 * items.is_native):
        chosen = (random.random(len(problem.alike)) < random.random())[problem.alike]
        counts = problem_counts(problem.dataset.target_column[chosen], problem.weights[chosen], problem.n_classes)
        assert leaf_cost_in_c(items, counts) == items.leaf_costs(counts)


def test_the_list_of_problems_has_each_kind_of_formula():
    assert {kind for _, _, kind in BY_FORMULA} == set(LeafKind)


@given(st.floats(0, 1e300))
def test_the_series_is_the_product_with_the_logarithm(n):
    assert n_log2_n_by_series(np.array([n]))[0] == pytest.approx(n * np.log2(n) if n else 0, rel=1e-14, abs=1e-300)


def plain_two(rows):
    return plain_depth_two(rows.items, rows.pairs(), rows.total)[0]


def plain_depth_three(rows, order, bound, upper):
    """The least cost and its first split by the NumPy form of depth two; where none is below `upper`, a bound on all, and -1."""
    items, best, least = rows.items, (upper, -1), np.inf
    for number in order.tolist():
        parts = [rows.part(item) for item in items.items_of_split(number)]
        parts += [rows.others(part) for part in parts if number < items.n_binary]
        cost = bound[number] if bound[number] >= best[0] else items.prices[number] + sum(map(plain_two, parts))
        best, least = ((cost, number) if cost < best[0] else best), min(least, cost)
    return best if best[1] >= 0 else (least, -1)


def test_depth_three_by_an_objective_without_a_formula_is_found_in_numpy():
    table = nominal(np.random.default_rng(0), classes="pqr")
    own = problem_for(table, (one_value(),), objective=lambda counts: 2.0 * (counts.sum(axis=-1) - counts.max(axis=-1)))
    rows = all_rows(items_of(own))
    n = rows.items.n_splits
    assert rows.items.terms is None
    found = best_depth_three(rows, np.arange(n), np.full(n, -np.inf), np.inf)
    assert found[:2] == plain_depth_three(rows, np.arange(n), np.zeros(n), np.inf)


@given(row_sets(), st.data())
def test_depth_three_is_the_best_of_its_first_splits(rows, data):
    items = rows.items
    if items.n:
        n = items.n_splits
        order = np.array(data.draw(st.permutations(range(n))))
        *found, two = best_depth_three(rows, order, np.full(n, -np.inf), np.inf)
        assert tuple(found) == plain_depth_three(rows, order, np.zeros(n), np.inf)
        assert np.array_equal(two, best_depth_three(by_numpy(rows), order, np.full(n, -np.inf), np.inf).two)
        for item in range(items.n):
            part = rows.part(item)
            assert two[item, 0] == plain_two(part)
            assert two[item, 1] == (plain_two(rows.others(part)) if item < items.n_binary else -np.inf)


@settings(max_examples=60)  # few leaves decide
@given(st.integers(0, 2**32 - 1), st.integers(5, 40), st.sampled_from([0.0, 0.01, 0.04]))
def test_errors_of_two_classes_with_penalties_have_the_trees_of_the_numpy_form(seed, n, penalty):
    """All sides of items have few rows, so that a leaf may be better than a split, and have none."""
    table = nominal(np.random.default_rng(seed), n=n, features=3)
    assume(len(table.schema.classes) == len("pq"))
    rows = all_rows(items_of(problem_for(table, (one_value(),), leaf_penalty=penalty)))
    assert rows.items.short_counts
    order = np.arange(rows.items.n_splits)
    found, plain = (best_depth_three(each, order, np.full(len(order), -np.inf), np.inf) for each in (rows, by_numpy(rows)))
    assert best_depth_two(rows) == best_depth_two(by_numpy(rows))
    assert found[:2] == plain[:2]
    assert np.array_equal(found.two, plain.two)


@settings(max_examples=60)  # few draws have a split without gain among those that are divided
@given(row_sets(), st.data())
def test_depth_three_passes_over_splits_whose_bound_is_not_below_the_best_cost(rows, data):
    items = rows.items
    if items.n:
        n, whole = items.n_splits, float(rows.total.sum())
        order = np.array(data.draw(st.permutations(range(n))))
        bound = np.array(data.draw(st.lists(st.sampled_from([0.0, 0.2, 0.5, 9.0]), min_size=n, max_size=n))) * whole
        upper = data.draw(st.sampled_from([0.1, 0.3, 1.0, np.inf])) * whole
        costs = np.array([plain_depth_three(rows, np.array([split]), np.zeros(n), np.inf)[0] for split in range(n)])
        bound = np.minimum(bound, costs)
        cost, chosen, _ = best_depth_three(rows, order, bound, upper)
        assert best_depth_three(by_numpy(rows), order, bound, upper)[:2] == (cost, chosen)
        least, expected = plain_depth_three(rows, order, bound, upper)
        assert chosen == expected
        assert cost == least if chosen >= 0 else least <= cost <= costs.min()
