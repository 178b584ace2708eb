"""The search follows some splits, then all; its cache compares row sets."""

import numpy as np
import pytest
from attrs import evolve
from drawn_problems import problem_for

from ftree import Dataset
from ftree.exact.listed.branch_and_bound import BranchAndBound, DeepNode
from ftree.exact.listed.items import items_of
from ftree.exact.listed.ranked_trees import best_listed
from ftree.exact.listed.row_set import all_rows
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


@pytest.mark.parametrize("upper", [np.inf, 1.0])
@pytest.mark.parametrize(("deepest", "widths"), [(0, []), (3, []), (4, [1, 4, 12]), (5, [1, 4, 12])])
def test_a_search_begins_with_the_best_split_then_four_of_each_node_then_all(deepest, widths, upper):
    """Also if it is for a tree that costs less than any: then no bound that it reports is above this cost."""
    told = []
    found = best_listed(words_search().items.problem, deepest, upper, report=told.append)
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
    assert not search._needs_first(evolve(node, three=np.full(n, 99.0 + len(rows.mask) * 64)), 0, [part], 9.0)
    search.cache.put(part, 3, (1.0, None))
    assert not search._needs_first(node, 0, [part], 9.0)
