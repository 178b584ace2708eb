"""The cache of a search compares row sets, and keeps a limited number of answers."""

import numpy as np

from ftree import Dataset, one_value
from ftree.exact import cache as cache_module
from ftree.exact import errors, row_set
from ftree.exact.cache import Cache
from ftree.exact.items import items_of
from ftree.exact.problem import problem_of
from ftree.exact.row_set import RowSet, all_rows
from ftree.exact.search import Search
from ftree.missing import as_branch

TABLE = Dataset.from_rows([[a, b] for a in "abc" for b in "xyz"] * 9, list("pqppqqpqp") * 9, kinds="nominal")
OPTIONS = {"leaf_penalty": 0, "feature_costs": None, "min_leaf": 0, "most": 99, "missing": as_branch()}


def rows_of_table():
    return all_rows(items_of(problem_of(TABLE, (one_value(),), objective=errors(), **OPTIONS)))


def test_rows_are_found_by_another_way_and_others_are_not_though_their_hashes_are_equal(monkeypatch):
    monkeypatch.setattr(cache_module, "hash", lambda _: 0, raising=False)
    rows = rows_of_table()
    cache = Cache(rows.items)
    one, two = rows.part(0).part(3), rows.part(3).part(0)
    cache.put(one, 2, "answer")
    assert np.array_equal(one.mask, two.mask)
    assert cache.get(two, 2) == "answer"
    assert cache.get(two, 3) is None
    assert cache.get(rows.others(rows.part(0)), 2) is None


def test_the_oldest_answer_is_dropped_beyond_a_limit(monkeypatch):
    monkeypatch.setattr(cache_module, "_MOST", 2)
    rows = rows_of_table()
    cache = Cache(rows.items)
    for depth in (1, 2, 3):
        cache.put(rows, depth, depth)
    assert [cache.get(rows, depth) for depth in (1, 2, 3)] == [None, 2, 3]


def test_counts_are_the_same_however_little_work_one_call_does(monkeypatch):
    rows = rows_of_table()
    pairs, triples = rows.pairs(), rows.triples()
    monkeypatch.setattr(row_set, "_MOST_WORDS", 1)
    again = RowSet(rows.items, rows.mask, rows.total)
    assert np.array_equal(again.pairs(), pairs)
    assert np.array_equal(again.triples(), triples)


def words_search(**options):
    """A search among words that tell little of the class."""
    random = np.random.default_rng(0)
    columns = {f"w{number}": random.choice(list("abc"), 60) for number in range(4)}
    table = Dataset.from_columns({**columns, "class": random.choice(list("pq"), 60)}, target="class", kinds="nominal")
    return Search(items_of(problem_of(table, (one_value(),), objective=errors(), **OPTIONS)), **options)


def test_a_narrow_pass_keeps_nothing_of_trees_deeper_than_three():
    search = words_search()
    for width, deepest in ((1, 3), (4, 3), (None, 5)):
        search.run(all_rows(search.items), 5, width)
        assert max(search.archives) == max(depth for _, depth in search.known.answers) == deepest
        assert search.bound <= search.best[0]


def test_a_pass_tells_of_the_splits_that_it_follows_at_the_root():
    told = []
    search = words_search(report=told.append)
    for width, places in ((1, [0, 1]), (4, [0, 1, 2, 3, 4]), (None, list(range(12)))):
        search.run(all_rows(search.items), 4, width)
        words = [line.split() for line in told]
        assert [(int(each[0]), each[1:6]) for each in words] == [
            (place, ["of", "12", "first", "splits:", "cost"]) for place in places
        ]
        costs, bounds = [float(each[6].strip(",")) for each in words], [float(each[-1]) for each in words]
        assert costs == sorted(costs, reverse=True)
        assert bounds == sorted(bounds)
        assert max(bounds) <= min(costs)
        told.clear()
    assert search.bound == search.best[0]
