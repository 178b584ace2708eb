"""Layouts: parents stand above their children, mirrored trees are mirrored, and in columns each subtree has its own range."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree.show.tidy_layout import columns, tidy
from ftree.testing import trees
from ftree.tree.nodes import level_order


@given(trees(max_leaves=30), st.data())
def test_in_a_tidy_layout_parents_stand_above_the_middle_and_mirrored_trees_are_mirrored(tree, data):
    below = level_order(tree.root)[1]
    widths = data.draw(st.lists(st.integers(1, 9), min_size=len(below), max_size=len(below)))
    middles = tidy(below, widths)
    for number, kids in enumerate(below):
        if kids:
            assert middles[number] == pytest.approx((middles[kids[0]] + middles[kids[-1]]) / 2)
            assert all(one < other for one, other in pairwise(middles[kids.start : kids.stop]))
    assert min(middle - width / 2 for middle, width in zip(middles, widths, strict=True)) == pytest.approx(0)
    order = mirrored(below)
    back = {number: place for place, number in enumerate(order)}
    ends = [sorted(back[kid] for kid in below[number]) for number in order]
    other = tidy([range(end[0], end[-1] + 1) if end else range(0) for end in ends], [widths[number] for number in order])
    span = max(middle + width / 2 for middle, width in zip(middles, widths, strict=True))
    assert [span - other[back[number]] for number in range(len(below))] == pytest.approx(middles)


def mirrored(below):
    """The numbers of the nodes level by level from right to left."""
    order = [0]
    for number in order:
        order += reversed(below[number])
    return order


@given(trees(max_leaves=30), st.data())
def test_in_columns_each_subtree_has_its_own_range(tree, data):
    below = level_order(tree.root)[1]
    widths = data.draw(st.lists(st.integers(1, 9), min_size=len(below), max_size=len(below)))
    middles = columns(below, widths)
    lefts = [middle - width / 2 for middle, width in zip(middles, widths, strict=True)]
    rights = [middle + width / 2 for middle, width in zip(middles, widths, strict=True)]
    for number in reversed(range(len(below))):
        kids = below[number]
        assert all(rights[one] <= lefts[other] + 1e-9 for one, other in pairwise(kids))
        lefts[number] = min([lefts[number], *(lefts[kid] for kid in kids)])
        rights[number] = max([rights[number], *(rights[kid] for kid in kids)])


def test_a_subtree_moves_under_its_sibling_where_there_is_room():
    """A wide level under one child does not push a shallow sibling away."""
    below = [range(1, 3), range(3, 6), range(0), range(0), range(0), range(0)]
    assert tidy(below, [10] * 6) == [20, 15, 25, 5, 15, 25]
