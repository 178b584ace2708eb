"""Class counts of rows at every node, in worked cases; `test_one_way_down.py` has the law."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree import Branch, Dataset, Feature, Leaf, Schema, Tree, recount
from ftree.routing import heaviest
from ftree.routing.counting import count_cases
from ftree.testing import datasets, trees
from ftree.tree import Threshold, level_order

SCHEMA = Schema([Feature("x", "numeric")], "label", ("no", "maybe", "yes"))


@given(st.data())
def test_counts_of_a_branch_are_the_sum_of_its_childrens(data):
    tree = data.draw(trees())
    dataset = data.draw(datasets(schema=tree.schema, missing=True, weighted=True, min_rows=0))
    for as_known in (False, True):
        counts = count_cases(tree.root, dataset, as_known=as_known)
        assert counts[0] == pytest.approx(dataset.class_counts())
        for here, kids in zip(counts, level_order(tree.root)[1], strict=True):
            assert not kids or here == tuple(map(sum, zip(*counts[kids.start : kids.stop], strict=True)))


def test_shares_of_rows_without_an_answer_by_the_trees_cases_and_by_the_known_rows():
    root = Branch((4, 0, 0), Threshold(0, 1.0), (Leaf((1, 0, 0)), Leaf((3, 0, 0))))
    data = Dataset(SCHEMA, [np.array([0.0, np.nan])], [0, 2], weights=[1, 8])
    assert count_cases(root, data) == [(1, 0, 8), (1, 0, 2), (0, 0, 6)]
    assert count_cases(root, data, rule=heaviest()) == [(1, 0, 8), (1, 0, 0), (0, 0, 8)]
    assert count_cases(root, data, as_known=True) == [(1, 0, 8), (1, 0, 8), (0, 0, 0)]


def test_a_row_without_an_answer_is_shared_equally_where_no_case_went():
    empty = Branch((0, 0, 0), Threshold(0, 1.0), (Leaf((0, 0, 0)), Leaf((0, 0, 0))))
    lost = Dataset(SCHEMA, [np.array([np.nan])], [2])
    for as_known in (False, True):
        assert count_cases(empty, lost, as_known=as_known) == [(0, 0, 1), (0, 0, 0.5), (0, 0, 0.5)]


def test_a_recounted_tree_has_integers_where_the_tree_had_whole_floats():
    tree = Tree(SCHEMA, Branch((2.0, 0.0, 0.0), Threshold(0, 1.0), (Leaf((1.0, 0, 0)), Leaf((1.0, 0, 0)))))
    again = recount(tree, Dataset(SCHEMA, [np.array([0.0, 2.0])], [0, 0]))
    assert again == tree
    assert repr(again.root).startswith("Branch(counts=(2, 0, 0)")
