"""Hierarchical shrinkage: estimates by plain recursion along each path."""

import re
from math import inf, nan

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import Leaf, Schema, Tree
from ftree.prune import shrunk
from ftree.routing import weighted
from ftree.testing import trees
from ftree.tree import preorder


@given(trees(), st.sampled_from([0, 0.5, 4]))
def test_shrinking_moves_each_estimate_towards_the_one_above(tree, strength):
    """The estimate changes at each step by what the shares change, divided by 1 + strength / the cases above."""

    def estimated(node, above=None, shares_above=None, cases=0):
        shares = np.array(node.counts) / sum(node.counts) if any(node.counts) else shares_above
        moved = (
            shares
            if above is None or shares is None
            else above + (shares - shares_above) / (1 + strength / cases if cases else 1)
        )
        yield node, moved
        for child in getattr(node, "children", ()):
            yield from estimated(child, moved, shares, sum(node.counts))

    found = shrunk(evolve(tree, missing=weighted()), strength)
    assert found.missing == weighted()
    for node, (was, estimate) in zip(preorder(found), estimated(tree.root), strict=True):
        assert getattr(node, "split", None) == getattr(was, "split", None)
        assert node.counts == pytest.approx(estimate * sum(was.counts) if any(was.counts) else was.counts)


def test_what_is_no_strength_and_no_tree_is_refused():
    for wrong in (-1, -1e-9, inf, nan, "1", True):
        with pytest.raises(ValueError, match=rf"^strength must be a finite number from 0, got {re.escape(repr(wrong))}\.$"):
            shrunk(Tree(Schema((), "k", ("no", "yes")), Leaf((1, 2))), wrong)
