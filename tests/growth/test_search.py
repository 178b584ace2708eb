"""The search compared with a loop over all splits."""

import numpy as np
import pytest
from attrs import evolve

from ftree import ID3, Dataset, Leaf, grow
from ftree.criteria import checked, gini
from ftree.splitters import multiway, subset, threshold
from ftree.tree.splits import Multiway, Subset, Threshold


def test_where_two_families_tie_the_first_one_splits():
    data = Dataset.from_rows([["a"], ["b"]], [0, 1])
    assert isinstance(grow(data, evolve(ID3, splits=(multiway(), subset()))).root.split, Multiway)
    assert isinstance(grow(data, evolve(ID3, splits=(subset(), multiway()))).root.split, Subset)


def test_a_family_looks_only_at_the_kinds_it_takes():
    data = Dataset.from_rows([["a", 1.0], ["b", 2.0]], [0, 1])
    assert grow(data, evolve(ID3, splits=(threshold(),))).root.split == Threshold(1, 1.5)
    words = Dataset.from_rows([["a"], ["b"]], [0, 1])
    assert grow(words, evolve(ID3, splits=(threshold(),))).root == Leaf((1, 1))


def test_an_answer_is_one_number_for_each_node():
    assert checked(gini, np.array([0.5]), (1,)).tolist() == [0.5]
    for wrong in (np.zeros(2), np.array(["x"]), np.array([np.nan])):
        with pytest.raises(ValueError, match="gini"):
            checked(gini, wrong, (1,))


def test_the_cases_of_a_table_are_its_rows_by_weight():
    data = Dataset.from_columns({"x": [1.0, None, 2.0], "class": [0, 1, 1]})
    weighted = evolve(data, weights=np.array([2, 0, 3]))
    assert (data.n_cases, weighted.n_cases) == (3, 5)
    assert (data.gaps(), data.complete().gaps()) == ({0}, set())
