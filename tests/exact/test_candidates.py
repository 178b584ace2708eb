"""Candidate splits of splitters, and rows that none of them tells apart."""

import numpy as np
import pytest
from drawn_problems import BINARY, WIDE, every_second, problem_for

from ftree import Dataset, optimal
from ftree.exact import quantile_cuts
from ftree.exact.candidates import and_missing, candidates_of
from ftree.splitters import DistinctValues, as_branch, as_value, multiway, one_value, subset, threshold
from ftree.tree import IsMissing, Multiway, Subset, Threshold, WithDefault


def test_a_splitter_of_ones_own_lists_candidates():
    table = Dataset.from_rows([[1], [2], [3]], ["p", "q", "q"], kinds="numeric")
    assert optimal(table, splitters=(every_second(),)).tree.root.split == Threshold(0, 1.0)


def test_each_cut_of_a_column_with_gaps_is_listed_with_the_missing_on_either_side():
    cut = Threshold(0, 1.5)
    assert list(and_missing(0, [cut], missing=True)) == [*(WithDefault(cut, default_child=c) for c in (0, 1)), IsMissing(0)]


def test_candidates_of_splitters():
    column = DistinctValues(0, "x", np.array([0, 1, 2]), np.array([1, 1, 1]))
    pair, single, none = (DistinctValues(0, "x", column.values[:n], column.cases[:n]) for n in (2, 1, 0))
    assert [split.members for split in one_value().candidates(column)] == [(0,), (0, 2), (0, 1)]
    assert [split.members for split in subset().candidates(column)] == [(0, 1), (0, 2), (0,)]
    assert one_value().candidates(pair) == subset().candidates(pair) == [Subset(0, (0,))]
    assert multiway().candidates(column) == [Multiway(0, (0, 1, 2))]
    for empty in (single, none):
        assert [each.candidates(empty) for each in (*WIDE, subset(), quantile_cuts(3))] == [[]] * 5
    assert [split.at for split in threshold().candidates(column)] == [0.5, 1.5]
    assert [split.at for split in threshold(at="observed").candidates(column)] == [0.0, 1.0]
    assert [split.at for split in quantile_cuts(9).candidates(column)] == [0.5, 1.5]


def test_rows_without_weight_are_no_rows():
    table = Dataset.from_rows([[1.0, "a"], [2.0, "a"], [3.0, "b"], [9.0, "c"]], list("pqpq"), weights=[1, 2, 1, 0])
    for missing in (as_branch(), as_value()):
        kept, whole = (problem_for(each, WIDE, missing=missing) for each in (table.take([0, 1, 2]), table))
        assert kept.splits == whole.splits
        assert len(whole.dataset) == 3


@pytest.mark.parametrize(
    ("number", "cuts"), [(1, [3.5]), (2, [2.5, 5.5]), (3, [1.5, 3.5, 6.5]), (8, [each + 0.5 for each in range(8)])]
)
def test_so_many_thresholds_divide_the_cases_evenly(number, cuts):
    column = DistinctValues(0, "x", np.arange(9), np.ones(9))
    assert [split.at for split in quantile_cuts(number).candidates(column)] == cuts


def test_as_many_thresholds_as_there_are_cuts_are_all_cuts_whatever_cases_lie_between():
    column = DistinctValues(0, "x", np.arange(3), np.array([1, 1, 9]))
    assert [split.at for split in quantile_cuts(2).candidates(column)] == [0.5, 1.5]


def test_splits_are_in_the_order_of_columns_also_where_a_cheaper_one_replaces_another():
    table = Dataset.from_rows([[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]], list("pqqp"), kinds="nominal")
    listed = candidates_of(table, (one_value(),), 9, {0: 0.2, 2: 0.1})
    assert listed.column.tolist() == [1, 2]
    assert listed.prices.tolist() == [0.0, 0.1]


def test_rows_are_told_apart_by_any_number_of_features():
    """70 features of two values make more groups than a whole number of 64 bits can count at once."""
    random = np.random.default_rng(0)
    columns = {f"b{number}": random.choice(list("01"), 40) for number in range(70)}
    table = Dataset.from_columns({**columns, "class": random.choice(list("pq"), 40)}, target="class")
    listed = candidates_of(table, BINARY, 100)
    rows = np.column_stack(table.columns)
    assert len(set(listed.alike.tolist())) == len(np.unique(rows, axis=0))
    assert optimal(table, max_depth=2).proved
