"""The nodes of a whole tree, made from arrays at the end of growth."""

import numpy as np
import pytest

from ftree import Branch, Leaf
from ftree.criteria import Frontier
from ftree.growth import assemble
from ftree.growth.assemble import at_values, check_room, distinct_leaves, root_of
from ftree.growth.engines.engine import GrownSubtrees
from ftree.growth.split_arrays import Cuts
from ftree.tree import Intervals, Multiway, Threshold

TREE = Branch(
    (3, 3),
    Multiway(0, (0, 1, 2)),
    [
        Branch((2, 1), Threshold(1, 0.5), [Leaf((2, 0)), Leaf((0, 1))]),
        Leaf((0, 1)),
        Branch((1, 1), Threshold(1, 2.5), [Leaf((1, 0)), Leaf((0, 1))]),
    ],
)


def level(counts, splits):
    return Frontier(
        0, np.array(counts), splits=splits, n_children=np.array([0 if split is None else split.n_children for split in splits])
    )


def grown():
    """The nodes of the tree: a level, then one whose third node an engine has grown to the end, with two leaves below."""
    subtrees = GrownSubtrees(
        np.array([2]),
        np.array([2, 3, 4]),
        np.array([[1, 1], [1, 0], [0, 1]]),
        Cuts.of([Threshold(1, 2.5), None, None]),
        np.array([3, 0, 0]),
    )
    middle = level([[2, 1], [0, 1]], [Threshold(1, 0.5), None])
    return [level([[3, 3]], Cuts.of([TREE.split])), subtrees, middle, level([[2, 0], [0, 1]], [None, None])]


def test_nodes_are_found_by_their_positions_where_an_engine_has_grown_some_to_the_end():
    assert root_of(grown()) == TREE
    assert root_of([level([[2, 1]], [None])]) == Leaf((2, 1))


def test_thresholds_move_where_all_splits_have_an_array_form():
    values = [None, np.array([0.0, 2.0])]
    moved = root_of(at_values(grown(), values))
    assert [child.split.at for child in moved.children[::2]] == [0.0, 2.0]
    assert root_of(grown()) == TREE, "the levels are as before"
    assert at_values([*grown()[:-1], level([[2, 0], [0, 1]], [Intervals(1, (0.5,)), None])], values) is None


def test_memory_is_asked_for_every_copy_of_every_count(monkeypatch):
    asked = []
    monkeypatch.setattr(assemble, "has_room", lambda needed: asked.append(needed) or needed < 1e12)
    check_room(1000, 3, copies=4)
    root_of(grown())
    assert asked == [8 * 4 * 1000 * 3, 8 * 4 * 8 * 2]
    with pytest.raises(MemoryError) as caught:
        check_room(10**15, 1000, copies=5)
    assert str(caught.value).startswith(
        "Memory must have room for 1,000,000,000,000,000 nodes with counts of 1,000 classes, 4e+10 GB, got "
    )
    assert str(caught.value).endswith(
        " GB. Stop earlier, as max_depth does, or use fewer classes: bin a numeric target, for instance by quartiles."
    )


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
