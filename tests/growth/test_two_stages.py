"""Growing in two stages: amounts of memory as text, and leaves that continue from rows in memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree import Branch, Leaf
from ftree.growth.other_ways import leaves_to_grow, with_subtrees
from ftree.scan.source import bytes_of
from ftree.testing import trees
from ftree.tree import walk


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("1B", 1),
        ("2kB", 2000),
        ("3 MB", 3_000_000),
        ("1.25GB", 1_250_000_000),
        ("2TB", 2 * 10**12),
        (1, 1),
        (2.5e9, 2_500_000_000),
        (2**63 - 1025, 2**63 - 1025),
    ],
)
def test_bytes_are_a_number_or_written_with_a_unit(written, number):
    assert bytes_of(written) == number


@pytest.mark.parametrize("wrong", [0, 0.5, -1, 2**63, "0B", "0.5B", "5", "GB", "5gb", "5 G", "1e3B", "5GBs", True, None])
def test_other_texts_and_numbers_below_1_or_too_large_are_refused(wrong):
    with pytest.raises(ValueError, match='memory must be a number of bytes, or a text such as "500MB", got'):
        bytes_of(wrong)


@given(trees(), st.integers(0, 20), st.booleans())
def test_leaves_go_on_that_have_few_cases_and_more_than_one_class_if_pure_ones_are_done(tree, most, pure_too):
    wanted = [
        path
        for path, node in walk(tree)
        if isinstance(node, Leaf) and sum(node.counts) <= most and sum(n > 0 for n in node.counts) >= (1 if pure_too else 2)
    ]
    assert leaves_to_grow(tree, most, pure_too=pure_too) == wanted


@given(trees(), st.data())
def test_subtrees_stand_where_their_leaves_were_and_all_else_stays(tree, data):
    ends = [path for path, node in walk(tree) if isinstance(node, Leaf)]
    chosen = data.draw(st.sets(st.sampled_from(ends)))
    new = {path: Leaf([count + 1 for count in dict(walk(tree))[path].counts]) for path in chosen}
    before, after = dict(walk(tree)), dict(walk(with_subtrees(tree.root, new)))
    assert list(before) == list(after)
    for path, node in after.items():
        if path in new:
            assert node is new[path]
        else:
            assert (node.counts, isinstance(node, Branch)) == (before[path].counts, isinstance(before[path], Branch))
