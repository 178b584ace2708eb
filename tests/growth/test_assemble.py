"""The nodes of a whole tree, made from arrays at the end of growth."""

import gc

import numpy as np
import pytest

from ftree import Branch, Leaf, Multiway, Threshold
from ftree.growth import assemble
from ftree.growth.assemble import Assembly, check_room, distinct_leaves
from ftree.growth.split_arrays import Cuts

TREE = Branch(
    (3, 3),
    Multiway(0, (0, 1, 2)),
    [
        Branch((2, 1), Threshold(1, 0.5), [Leaf((2, 0)), Leaf((0, 1))]),
        Leaf((0, 1)),
        Branch((1, 1), Threshold(1, 2.5), [Leaf((1, 0)), Leaf((0, 1))]),
    ],
)


def parts():
    """The nodes of the tree in three parts, the first of them in another order."""
    listed, none = Assembly(), np.zeros(0, int)
    listed.add(np.array([2, 1]), np.array([[0, 1], [2, 1]]), [None, Threshold(1, 0.5)], np.array([0, 2]), np.array([9, 4]))
    listed.add(none, np.zeros((0, 2), int), [], none, none)
    listed.add(np.array([0]), np.array([[3, 3]]), Cuts.of([TREE.split]), np.array([3]), np.array([1]))
    rest = np.array([[1, 1], [2, 0], [0, 1], [1, 0], [0, 1]])
    splits = Cuts.of([Threshold(1, 2.5), *[None] * 4])
    listed.add(np.arange(3, 8), rest, splits, np.array([2, 0, 0, 0, 0]), np.array([6, 0, 0, 0, 0]))
    return listed


def test_nodes_are_found_by_their_positions_whatever_the_order_of_parts():
    listed = parts()
    assert listed.root() == TREE
    assert (listed.size, len(listed.parts)) == (8, 3), "a part without nodes is none"


def test_a_copy_grows_independently():
    listed = parts()
    other = listed.copy()
    assert (other.size, other.root()) == (8, TREE)
    other.add(np.array([8]), np.array([[1, 0]]), [None], np.array([0]), np.array([0]))
    assert (other.size, listed.size, len(listed.parts)) == (9, 8, 3)


def test_thresholds_move_where_all_splits_are_in_arrays():
    values = [None, np.array([0.0, 2.0])]
    assert parts().at_values(values) is None, "one part has objects"
    listed = Assembly()
    for place, counts, splits, sizes, first in parts().parts:
        listed.add(place, counts, Cuts.of(splits), sizes, first)
    moved = listed.at_values(values)
    assert [child.split.at for child in moved.root().children[::2]] == [0.0, 2.0]
    assert listed.root() == TREE
    listed.add(
        np.array([8]), np.array([[1, 0]]), Cuts.of([None]).replaced(np.array([True]), [TREE.split]), *np.zeros((2, 1), int)
    )
    assert listed.at_values(values) is None


def test_memory_is_asked_for_every_copy_of_every_count(monkeypatch):
    asked = []
    monkeypatch.setattr(assemble, "has_room", lambda needed: asked.append(needed) or needed < 1e12)
    check_room(1000, 3, copies=4)
    parts().root()
    assert asked == [8 * 4 * 1000 * 3, 8 * 4 * 8 * 2]
    with pytest.raises(MemoryError) as caught:
        check_room(10**15, 1000, copies=5)
    assert str(caught.value).startswith(
        "Memory must have room for 1,000,000,000,000,000 nodes with counts of 1,000 classes, 4e+10 GB, got "
    )
    assert str(caught.value).endswith(
        " GB. Stop earlier, as max_depth does, or use fewer classes: bin a numeric target, for instance by quartiles."
    )


@pytest.mark.parametrize(("enough", "moved"), [(8, [1]), (9, [])])
def test_many_nodes_are_out_of_reach_of_the_garbage_collector(enough, moved, monkeypatch):
    seen = []
    monkeypatch.setattr(assemble, "_MANY_NODES", enough)
    monkeypatch.setattr(assemble, "move_to_oldest_generation", lambda: seen.append(1))
    assert parts().root() == TREE
    assert seen == moved
    assert gc.isenabled()


@pytest.mark.parametrize(
    ("counts", "shared"),
    [
        ([[2, 1], [0, 3], [2, 1], [0, 3], [1, 2]], 3),
        ([[2, 1], [2, 255], [2, 1], [2, 255]], 2),
        ([[2, 1], [2, 256], [2, 1], [2, 256], [256, 2]], 4),
        ([[2, 1.5], [2, 1.5], [2, 1], [2, 1], [1, 2]], 4),
        ([[1, 0, 0], [0, 31, 0], [0, 31, 0], [0, 32, 0], [0, 32, 0]], 4),
        ([[1] * 16, [0] * 16, [1] * 16, [2] * 16, [2] * 16], 4),
        ([[1] * 17, [0] * 17, [1] * 17, [0] * 17], 4),
    ],
)
def test_equal_leaves_of_few_cases_are_one_object_where_there_are_many(counts, shared, monkeypatch):
    """The counts of a leaf must fit in 16 bits together: 8 for each of two classes, 5 for three, 1 for sixteen."""
    rows = np.array(counts)
    for enough, n in ((len(counts), shared), (len(counts) + 1, len(counts))):
        monkeypatch.setattr(assemble, "_MANY_NODES", enough)
        leaves, which = distinct_leaves(rows)
        assert [leaves[number].counts for number in which] == [tuple(row) for row in counts]
        assert len(leaves) == n
