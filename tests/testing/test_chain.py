"""The chain for tests of depth."""

from ftree import n_leaves
from ftree.testing import chain


def test_a_chain_has_the_depth_asked_for():
    tree = chain(5)
    assert n_leaves(tree) == 6
    assert sum(tree.root.counts) == 6
    assert tree.root.counts == (3, 3)
