"""The nodes of a tree as JSON: columns in level order, which allow any depth and exclude nodes inside themselves.

Children of a node follow those of the previous node: with `n_children`, a reader needs no other link.
"""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

from ftree._lib.fields import LARGEST
from ftree._lib.gc_pause import gc_paused
from ftree._lib.messages import short_repr
from ftree.exchange.json_checks import items, members, whole_numbers
from ftree.exchange.json_splits import splits_of_plain, splits_to_plain
from ftree.tree.build import new_branches, new_leaves, set_children
from ftree.tree.nodes import Branch, Leaf, Node, level_order
from ftree.tree.splits.protocol import Split, is_split


@gc_paused()
def nodes_to_plain(root: Node) -> dict[str, Any]:
    """Nodes as columns: the number of children of each, its counts by class, and the splits by their types.

    >>> from ftree import Leaf, Threshold
    >>> nodes_to_plain(Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1)))))["n_children"]
    [2, 0, 0]
    """
    nodes, below = level_order(root)
    return {
        "n_children": list(map(len, below)),
        "counts": list(map(list, zip(*[node.counts for node in nodes], strict=True))),
        "splits": splits_to_plain([(number, node.split) for number, node in enumerate(nodes) if isinstance(node, Branch)]),
    }


@gc_paused()
def nodes_of_plain(plain: Any, n_classes: int, types: Sequence[type]) -> Node:
    """The root of such columns; `types` are the split types allowed.

    Raises a ValueError for anything but the columns of a tree.
    """
    n_children, counts, splits = members(plain, "nodes", ["n_children", "counts", "splits"])
    listed = whole_numbers(n_children, "n_children", max(len(items(n_children, "n_children")), 1))
    _check_shape(listed)
    rows = _rows_of_counts(counts, n_classes, len(listed))
    split_of = splits_of_plain(splits, [number for number, n in enumerate(listed) if n], types)
    for number, split in split_of.items():
        _check_arity(number, split, listed[number])
    return _assembled(listed, rows, list(split_of.values()))


def _check_shape(n_children: list[int]) -> None:
    """Check that each node but the root is a child of an earlier one: enough children must be announced before it."""
    promised = list(accumulate(n_children, initial=1))
    if promised[-1] != len(n_children) or any(total <= number for number, total in enumerate(promised[:-1])):
        wanted = "the numbers of children of a tree's nodes in level order"
        message = f"n_children must be {wanted}, got {short_repr(n_children)} for {len(n_children)} nodes."
        raise ValueError(message)


def _rows_of_counts(plain: Any, n_classes: int, n: int) -> list[tuple[float, ...]]:
    """The counts of each node, with the same requirements as those of a `Leaf`."""
    columns = [items(each, "The counts of a class", n) for each in items(plain, "counts", n_classes)]
    for column in columns:
        if not (set(map(type, column)) <= {int, float} and min(column) >= 0 and max(column) <= LARGEST):
            message = f"counts must be finite numbers from 0, one for each node, got {short_repr(column)}."
            raise ValueError(message)
    rows: list[tuple[float, ...]] = list(zip(*columns, strict=True))
    if not rows or sum(map(max, columns)) > LARGEST:
        return [Leaf(row).counts for row in rows or [()]]  # the constructor says what is wrong with them
    return rows


def _check_arity(number: int, split: Split, n: int) -> None:
    if not is_split(split) or split.n_children != n:
        message = f"The split of node {number} must be a split with {n} children, as n_children says, got {short_repr(split)}."
        raise ValueError(message)


def _assembled(n_children: list[int], rows: list[tuple[float, ...]], splits: list[Split]) -> Node:
    """The root. All nodes are made first, and branches then get their children, so nothing recurses."""
    branches = new_branches([row for row, n in zip(rows, n_children, strict=True) if n], splits)
    leaves = new_leaves(row for row, n in zip(rows, n_children, strict=True) if not n)
    next_branch, next_leaf = iter(branches), iter(leaves)
    nodes: list[Node] = [next(next_branch) if n else next(next_leaf) for n in n_children]
    ends = accumulate([1, *(n for n in n_children if n)])
    set_children(branches, [tuple(nodes[start:end]) for start, end in pairwise(ends)])
    return nodes[0]
