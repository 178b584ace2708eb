"""Nodes that other libraries give by numbers."""

import pytest

from ftree.exchange.others.readers import from_links
from ftree.tree import Threshold


@pytest.mark.parametrize("links", [[(0, 1), ()], [(1, 1), ()], [(1, 2), (2, 0), ()]])
def test_a_node_below_itself_or_two_others_is_refused(links):
    with pytest.raises(ValueError, match=r"Each node must be below at most one other, got node \d twice"):
        from_links(links.__getitem__, lambda _: Threshold(0, 0.5), lambda _: (1, 1))
