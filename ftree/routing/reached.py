"""Rows of any form at the leaves that they reach: the first step of predictions, counts and leaf numbers."""

from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array
from ftree.data.rows import columns_to_route
from ftree.routing.flat import flat
from ftree.tree.nodes import Tree
from ftree.tree.splits.protocol import UNKNOWN, Columns


@frozen(eq=False)
class Reached:
    """The columns of n rows in the codes of a tree, and the node where each ends, -1 without an answer at some split.

    `single` says whether one row was given instead of several.
    """

    tree: Tree
    columns: Columns = field(repr=False)
    n_rows: int
    single: bool
    leaf: Array = field(repr=False)

    def unanswered(self) -> Array:
        """The numbers of the rows without an answer."""
        return np.flatnonzero(self.leaf == UNKNOWN)

    def columns_at(self, rows: Array) -> Columns:
        """The columns of some rows."""
        return tuple(column[rows] for column in self.columns)


def reach(tree: Tree, rows: Any) -> Reached:
    """Send rows down a tree.

    Raises a ValueError for rows of another length and for infinity, a KeyError for a column that the rows lack.

    >>> from ftree import Dataset, grow
    >>> reach(grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"])), [["rainy"], ["snowy"]]).leaf.tolist()
    [1, -1]
    """
    columns, n, single, refuse_infinity = columns_to_route(tree.schema, rows)
    return Reached(tree, columns, n, single, flat(tree.root).leaf_numbers(columns, n, refuse_infinity))
