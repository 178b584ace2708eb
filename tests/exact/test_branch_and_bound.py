"""The search follows some splits, then all; its cache compares row sets, and its archive bounds similar ones."""

from itertools import product

import numpy as np
import pytest
from attrs import evolve
from drawn_problems import (
    WIDE,
    by_numpy,
    conjunctions,
    least_of_proper_trees,
    objectives,
    parts_of,
    problem_for,
    row_sets,
    tables,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ftree import Dataset
from ftree.exact.listed.best_tree import best_listed
from ftree.exact.listed.bounds import empty_archive, four_leaves, of_sides, weight_outside
from ftree.exact.listed.branch_and_bound import BranchAndBound, DeepNode
from ftree.exact.listed.items import items_of
from ftree.exact.listed.row_set import all_rows
from ftree.exact.listed.shallow_trees import best_depth_two
from ftree.exact.listed.solutions import Cache
from ftree.splitters import one_value

TABLE = Dataset.from_rows([[a, b] for a in "abc" for b in "xyz"] * 9, list("pqppqqpqp") * 9, kinds="nominal")


def rows_of_table():
    return all_rows(items_of(problem_for(TABLE, (one_value(),))))


def test_rows_are_found_by_another_way_and_others_are_not_though_their_hashes_are_equal():
    rows = rows_of_table()
    cache = Cache(rows.items)
    one, two, other = rows.part(0).part(3), rows.part(3).part(0), rows.others(rows.part(0))
    cache.put(one, 2, "answer")
    assert np.array_equal(one.mask, two.mask)
    assert cache.get(two, 2) == "answer"
    assert cache.get(two, 3) is None
    cache.answers = {(hash(other.mask.tobytes()), depth): kept for (_, depth), kept in cache.answers.items()}
    assert cache.get(other, 2) is None


def test_the_oldest_answer_is_dropped_beyond_a_limit():
    rows = rows_of_table()
    cache = Cache(rows.items, most=2)
    for depth in (1, 2, 3):
        cache.put(rows, depth, depth)
    assert [cache.get(rows, depth) for depth in (1, 2, 3)] == [None, 2, 3]


def words_search(**options):
    """A search among words that tell little of the class."""
    random = np.random.default_rng(0)
    columns = {f"w{number}": random.choice(list("abc"), 60) for number in range(4)}
    table = Dataset.from_columns({**columns, "class": random.choice(list("pq"), 60)}, target="class", kinds="nominal")
    return BranchAndBound(items_of(problem_for(table, (one_value(),))), **options)


@pytest.mark.parametrize(("deepest", "widths"), [(0, []), (3, []), (4, [2, 5, 12]), (5, [2, 5, 12])])
def test_a_search_begins_with_the_best_split_then_four_of_each_node_then_all(deepest, widths):
    told = []
    found = best_listed(words_search().items.problem, deepest, np.inf, report=told.append)
    words = [line.split() for line in told]
    places = [int(each[0]) for each in words]
    assert places == [place for width in widths for place in range(width)]
    assert {tuple(each[1:6]) for each in words} <= {("of", "12", "first", "splits:", "cost")}
    costs, bounds = [float(each[6].strip(",")) for each in words], [float(each[-1]) for each in words]
    assert costs == sorted(costs, reverse=True)
    assert bounds == sorted(bounds)
    assert max(bounds, default=0) <= min(costs, default=0)
    assert found.proved


def test_first_children_are_needed_unless_they_are_known_or_bounds_exclude_them():
    rows = all_rows(words_search().items)
    search, part = BranchAndBound(rows.items), rows.part(0)
    none, n = np.zeros((rows.items.n, 2)), rows.items.n_splits
    node = DeepNode(rows, 4, none, none, np.zeros(n))
    assert search._needs_first(node, 0, [part], 9.0)
    assert not search._needs_first(node, 0, [part], 0.0)
    assert not search._needs_first(evolve(node, by_first=np.full(n, 99.0 + len(rows.mask) * 64)), 0, [part], 9.0)
    search.cache.put(part, 3, (1.0, None))
    assert not search._needs_first(node, 0, [part], 9.0)


def ones_in(words):
    """The number of ones in each word."""
    return np.unpackbits(words.view(np.uint8).reshape(len(words), 8), axis=1).sum(axis=1)


@given(row_sets(others=False), st.floats(0, 20))
@settings(max_examples=20)  # the plain twin looks at every tree
def test_the_bound_by_similar_rows_is_the_highest_and_none_costs_less(rows, known):
    items, sets = rows.items, parts_of(rows)
    archive, plain = empty_archive(items), empty_archive(by_numpy(rows).items)
    assume(items.n_splits and all(best_depth_two(part)[0] < np.inf for part in sets))
    for number, part in enumerate(sets):
        for each in (archive, plain):
            each.add(part, best_depth_two(part)[0], np.full(items.n_splits, best_depth_two(part)[0] + number), np.inf)
    segment = np.repeat(np.arange(len(items.weight)), np.diff(items.starts))
    weight = (items.weight * items.cost_weights[items.of_class])[segment]
    for part in sets:
        lost = [float(ones_in(other.mask & ~part.mask) @ weight) for other in sets]
        bounds = [best_depth_two(other)[0] - less for other, less in zip(sets, lost, strict=True)]
        least, by_first = archive.bound(part, known)
        assert least == max(known, *bounds)
        assert plain.bound(part, known)[0] == least
        assert np.array_equal(plain.bound(part, known)[1], by_first)
        assert np.all(by_first == -np.inf) if least == known else by_first.min() >= least
        if items.bounds_similar and part.total.any():
            assert max(bounds) <= best_depth_two(part)[0]


@given(tables(missing=False, most=12) | conjunctions(), st.data())
@settings(max_examples=25)  # the plain twin looks at every tree
def test_no_tree_costs_less_than_its_lower_bounds(table, data):
    splitters = data.draw(st.sampled_from([(one_value(),), WIDE]))
    options = {
        "objective": data.draw(st.sampled_from(objectives(table))),
        "leaf_penalty": data.draw(st.sampled_from([0, 0.01, 0.03, 0.3])),
    }
    problem = problem_for(table, splitters, min_leaf=data.draw(st.sampled_from([0, 0.3 * table.n_cases])), **options)
    items, least = items_of(problem), least_of_proper_trees(problem)
    assume(items.n_binary and items.n_splits <= 6)
    rows, everything = all_rows(items), range(len(table))
    with_items = [(problem.child_of(item, everything) != items.flipped[item]) for item in range(items.n_binary)]
    sides = [[tuple(np.flatnonzero(side).tolist()) for side in (own, ~own)] for own in with_items]
    everything = tuple(everything)
    # Equivalent points, and the four leaves of a tree deeper than two.
    if items.weights is not None:
        assert rows.always_wrong[1] + problem.penalty <= least(everything, 3)
    assert np.all(four_leaves(rows) <= [least(everything, 3, 4, number) for number in range(items.n_splits)])
    two, three = (np.array([[least(side, depth) for side in each] for each in sides]) for depth in (2, 3))
    assert np.all(of_sides(rows, np.resize(two, (items.n, 2)))[: items.n_binary] <= three)
    # A part of the rows saves at most the weight of the others.
    parts = [rows.part(item) for item in range(items.n_binary)]
    pairs = [
        (part, own)
        for first, each in zip(parts, sides, strict=True)
        for part, own in zip((first, rows.others(first)), each, strict=True)
    ]
    for (part, own), number in product(pairs, range(items.n_splits)):
        outside = weight_outside(rows, part)
        assert least(everything, 3, 0, number) - outside <= least(own, 3, 4, number) or outside == np.inf
