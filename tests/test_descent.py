"""Cases in lists go where cases in arrays go, and so do rows of many splits at once."""

from unittest.mock import patch

import numpy as np
import pytest
from attrs import evolve
from hypothesis import assume, given
from hypothesis import strategies as st

from ftree import CART, ID3, Branch, Dataset, grow, prune
from ftree.prune.descent import FEW, Descent, together
from ftree.split import Threshold, child_of, child_of_few, children_of, features_of
from ftree.testing import datasets, trees
from ftree.tree import preorder

LISTS, ARRAYS = 10**6, 0


@st.composite
def branches_and_cases(draw):
    """The branches of a tree, and cases with gaps, some of them in fractions."""
    tree = draw(trees())
    dataset = draw(datasets(schema=tree.schema, missing=True, weighted=draw(st.booleans())))
    if draw(st.booleans()):
        dataset = evolve(dataset, weights=np.arange(1, len(dataset) + 1) / 7)
    branches = [node for node in preorder(tree) if isinstance(node, Branch)]
    assume(branches)
    return branches, dataset


def going(dataset, few):
    """The way down with so many cases, at most, in lists."""
    with patch("ftree.prune.descent.FEW", few):
        return Descent.of(dataset)


@given(branches_and_cases())
def test_a_few_rows_are_answered_as_columns_are(drawn):
    branches, dataset = drawn
    cells, rows = going(dataset, FEW).cells, list(range(len(dataset)))[::2]
    for branch in branches:
        columns = [dataset.columns[feature][rows] for feature in features_of(branch.split)]
        assert list(child_of_few(branch.split, cells, rows)) == child_of(branch.split, *columns).tolist()


@given(branches_and_cases(), st.integers(1, 4))
def test_many_splits_at_once_answer_as_each_by_itself(drawn, size):
    branches, dataset = drawn
    rows = np.arange(size * len(branches)) % len(dataset)
    splits = [branch.split for branch in branches]
    each = [
        child_of(split, *(dataset.columns[feature][here] for feature in features_of(split)))
        for split, here in zip(splits, np.split(rows, len(splits)), strict=True)
    ]
    together_ = children_of(splits, np.full(len(splits), size), dataset.columns, rows)
    assert together_.tolist() == np.concatenate(each).tolist()


@given(branches_and_cases(), st.booleans())
def test_a_few_cases_are_divided_and_counted_as_many_are(drawn, own):
    branches, dataset = drawn
    none = (0,) * len(dataset.schema.classes)
    for branch in branches:
        told = []
        for few in (LISTS, ARRAYS):
            with patch("ftree.prune.descent.FEW", few):
                descent = Descent.of(dataset)
                groups, known = descent.divided(branch, descent.everything, own=own)
                assert isinstance(groups[0][0], list) == (few == LISTS or not len(groups[0][0]))
                counts = [descent.counted(group, none) for group in groups]
                listed = [sorted(zip(*map(list, group), strict=True)) for group in groups]
                told.append((listed, known, counts, descent.counted(together(groups), branch.counts)))
        assert told[0] == told[1]


@pytest.mark.parametrize("few", [LISTS, 3, ARRAYS])
@given(datasets(missing=True, weighted=True), st.sampled_from([CART, ID3]), st.booleans())
def test_a_tree_is_raised_alike_however_its_cases_are_looked_at(few, dataset, policy, collapse):
    tree, pass_ = grow(dataset, policy), prune.error_based(raising=dataset, collapse=collapse)
    with patch("ftree.prune.descent.FEW", few):
        other = pass_.decisions(tree)
    assert repr(other) == repr(pass_.decisions(tree))


@pytest.mark.parametrize("kind", [">f8", ">f4", "f4", "f2"])
def test_columns_of_all_sizes_and_orders_give_plain_numbers(kind):
    data = Dataset.from_columns({"x": [1.0, 0.5, 2.0], "y": ["a", "b", "a"]}, target="y")
    other = evolve(data, columns=[np.array([1.0, 9, 0.5, 9, 2.0], dtype=kind)[::2]])
    assert list(Descent.of(other).cells[0]) == [1.0, 0.5, 2.0]
    assert child_of_few(Threshold(0, 0.5), Descent.of(other).cells, [0, 1]) == [True, False]
