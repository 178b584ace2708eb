"""A start tree for growth by the native library: which of a table's rows are at each of its leaves, and what its nodes count."""

from typing import Any

import numpy as np
from attrs import frozen

from ftree import native
from ftree._lib.arrays import Array, Floats, offsets
from ftree._lib.random_numbers import child_keys
from ftree.growth.depth_first.table_columns import NEW_VALUE, SHIFT, TableColumns
from ftree.growth.split_arrays import Cuts
from ftree.growth.start import StartNodes
from ftree.routing.flat import flat
from ftree.routing.reach import leaf_numbers
from ftree.tree.nodes import Branch, level_order


@frozen(eq=False)
class StartRows:
    """The nodes of a start tree, level by level: splits and counts (S, Q); the leaves that are open, and their keys (L, n)."""

    splits: Cuts
    counts: Floats
    open: Array
    keys: Array
    fractions: Floats


def start_rows(table: TableColumns, start: StartNodes) -> StartRows | None:
    """The rows of a table at the leaves of a start tree; None if a split has no answer for one."""
    root: Any = start.nodes[0]
    nodes, _ = level_order(root)
    tree, n = flat(root), len(table.labels)
    leaf = leaf_numbers(tree, table.dataset.columns, n)
    if (leaf < 0).any():
        return None
    free = np.array([start.or_free(node) is None for node in nodes])
    counts = _counts(table, leaf, tree.arity, tree.first_child)
    kept, at = np.flatnonzero(free[leaf]), leaf[free[leaf]]
    rows = kept[np.argsort(at, kind="stable")].astype(np.int32)
    keys = np.stack([rows, *(_keys_of_leaves(column, leaf, free) for column in table.keys[1:])])
    sizes = np.where(free, np.bincount(leaf, minlength=len(free)), 0)
    begin, own = offsets(sizes), np.flatnonzero(sizes)
    depth, key = _depths_and_keys(tree.arity, tree.first_child)
    open_ = native.filled(native.OPEN, low=begin[:-1][own], high=begin[1:][own], node=own, depth=depth[own], key=key[own])
    splits = Cuts.of([node.split if isinstance(node, Branch) else None for node in nodes])
    return StartRows(splits, counts, open_, keys, table.fractions[rows] if len(table.fractions) else table.fractions)


def _keys_of_leaves(column: Array, leaf: Array, free: Array) -> Array:
    """A sorted column, leaf after leaf; a value is new in its leaf if it is another than that before."""
    value, at = np.cumsum((column & NEW_VALUE) != 0), leaf[column >> SHIFT]
    kept = np.flatnonzero(free[at])
    order = kept[np.argsort(at[kept], kind="stable")]
    value, at = value[order], at[order]
    is_new = np.ones(len(order), np.int32)
    is_new[1:] = (value[1:] != value[:-1]) | (at[1:] != at[:-1])
    keys: Array = column[order] & ~NEW_VALUE | is_new * NEW_VALUE
    return keys


def _counts(table: TableColumns, leaf: Array, arity: Array, first: Array) -> Floats:
    """The counts (S, Q) of all nodes, given the leaf of each row."""
    n, own = len(arity), np.ones(len(leaf))
    for factor in (table.times, table.fractions):
        own = own * factor if len(factor) else own
    added = table.channels * own[:, None] if len(table.channels) else np.eye(len(table.totals))[table.labels] * own[:, None]
    counts: Floats = np.stack([np.bincount(leaf, channel, n).astype(np.float64) for channel in added.T], axis=1)
    for node in np.flatnonzero(arity)[::-1].tolist():  # children come after their parents
        counts[node] = counts[first[node] : first[node] + arity[node]].sum(axis=0)
    return counts


def _depths_and_keys(arity: Array, first: Array) -> tuple[Array, Array]:
    depth, key = np.zeros(len(arity), np.int64), np.zeros(len(arity), np.uint64)
    for node in np.flatnonzero(arity).tolist():
        below = slice(first[node], first[node] + arity[node])
        depth[below], key[below] = depth[node] + 1, child_keys(key[node], np.arange(arity[node]))
    return depth, key
