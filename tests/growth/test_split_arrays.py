"""Splits and leaves of many nodes as arrays: they are the splits, and stand for the leaves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sizes import sized

from ftree import Leaf
from ftree.growth.assemble import distinct_leaves
from ftree.growth.split_arrays import Cuts
from ftree.testing import schemas, splits
from ftree.tree.response import whole_numbers
from ftree.tree.splits import Multiway, Subset, Threshold

some_splits = st.none() | st.builds(Threshold, st.integers(0, 3), st.floats(-5, 5)) | st.builds(
    Multiway, st.integers(0, 3), st.sets(st.integers(0, 5), min_size=1)
) | st.builds(Subset, st.integers(0, 3), st.sets(st.integers(0, 5), min_size=1)) | schemas().flatmap(splits)  # fmt: skip


@pytest.mark.parametrize("many", [0, 5000], ids=["shared", "each for itself"])
@given(listed=st.lists(some_splits, max_size=8))
def test_splits_as_arrays_are_the_splits(many, listed):
    with sized(many_splits=many):
        check_cuts(listed)


def spread(listed, mask):
    """The splits at the nodes that a mask marks, None at the others."""
    splits_left = iter(listed)
    return [next(splits_left) if marked else None for marked in mask]


def check_cuts(given_splits):
    cuts = Cuts.of(given_splits)
    assert list(cuts) == cuts[:] == [cuts[node] for node in range(len(cuts))] == given_splits
    assert [cuts[node - len(cuts)] for node in range(len(cuts))] == given_splits
    assert list(Cuts.of(spread([], np.zeros(len(cuts), bool))).beginning_with(cuts)) == given_splits
    assert cuts.present() == [split for split in given_splits if split is not None]
    assert cuts.arity.tolist() == [0 if split is None else split.n_children for split in given_splits]
    assert hash(tuple(cuts)) == hash(tuple(given_splits))


def test_equal_splits_of_a_large_tree_are_one_object():
    with sized(many_splits=2):
        one, other, same = Cuts.of([Multiway(1, (0, 3)), Multiway(2, (0, 3)), Multiway(1, (0, 3))])
        assert one is same
        assert one == same != other
        far = Cuts.of([Multiway(1, (0, 40)), Multiway(1, (0, 40))])  # codes beyond what numbers have bits for
        assert far[0] == far[1] == Multiway(1, (0, 40))
        assert list(far) == list(far[:])


rows_of_counts = st.integers(1, 20).flatmap(lambda k: st.lists(st.lists(st.integers(0, 70), min_size=k, max_size=k), min_size=1))


@given(rows_of_counts, st.booleans())
def test_distinct_leaves_stand_for_all_leaves(counts, halves):
    given_counts = np.array(counts) / (2 if halves else 1)
    with sized(many_nodes=0):
        made, which = distinct_leaves(given_counts)
    leaves = [made[number] for number in which.tolist()]
    assert set(which.tolist()) == set(range(len(made)))
    assert leaves == [Leaf(row) for row in given_counts]
    assert list(map(repr, leaves)) == [repr(Leaf(whole_numbers(row))) for row in given_counts]
