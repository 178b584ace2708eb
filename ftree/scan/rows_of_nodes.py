"""The rows of small nodes, read into memory some nodes at a time, so that growth can continue in memory."""

from collections.abc import Iterator, Sequence

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array
from ftree.data.dataset import Dataset
from ftree.scan.arrivals import arrivals
from ftree.scan.part_dataset import dataset_of
from ftree.scan.parts import CountedParts, Part, SourceSummary, check_same_counts, joined_parts
from ftree.scan.routes import Routes
from ftree.scan.routes_of_tree import routes_of_tree
from ftree.tree.edit import subtree_at
from ftree.tree.nodes import Path, Tree

# The bytes that growth in memory takes for a cell, including the waiting rows of other nodes.
_BYTES_PER_CELL = 40


def most_rows_within(memory: int, summary: SourceSummary) -> int:
    """The number of rows for whose growth this many bytes suffice."""
    return memory // (_BYTES_PER_CELL * (len(summary.bins) + 1))


def rows_at(source: CountedParts, tree: Tree, paths: Sequence[Path], most_rows: int) -> Iterator[tuple[Path, Dataset]]:
    """The rows of each leaf with one of the paths, at most `most_rows` at a time; leaves with more cases must be excluded."""
    sizes = [sum(subtree_at(tree, path).root.counts) for path in paths]
    for group in _groups(sizes, most_rows):
        some = [paths[number] for number in group]
        routes = routes_of_tree(tree.root, some, source.summary, missing="ignore", unit=1.0)
        parts = source.fold(_RowsOf(routes, source.summary.numeric), _joined)
        for number, path in enumerate(some):
            dataset = _dataset(parts, number, source.summary)
            check_same_counts(np.array(dataset.class_counts()), np.array(subtree_at(tree, path).root.counts))
            yield path, dataset


def _groups(sizes: Sequence[float], most: int) -> Iterator[list[int]]:
    """Numbers of leaves in groups whose sizes add up to at most `most`; a larger leaf is alone."""
    group: list[int] = []
    total = 0.0
    for number, size in enumerate(sizes):
        if group and total + size > most:
            yield group
            group, total = [], 0.0
        group.append(number)
        total += size
    if group:
        yield group


@frozen(eq=False)
class _Rows:
    """The rows of a part in open nodes, and the node of each (n,)."""

    node: Array
    part: Part


@frozen(eq=False)
class _RowsOf:
    """The rows of the open nodes; no row is divided between nodes."""

    routes: Routes
    numeric: Array

    def __call__(self, part: Part) -> list[_Rows]:
        here = arrivals(self.routes, part, self.numeric)
        if here.node is None:
            row, node = here.entries.row, here.entries.node
        else:
            row = np.flatnonzero(here.node >= 0)
            node = here.node[row]
        return [_Rows(node, _taken(part, row))]


def _taken(part: Part, rows: Array) -> Part:
    weights = None if part.weights is None else part.weights[rows]
    return Part(part.codes[:, rows], part.numbers[:, rows], part.labels[rows], weights)


def _joined(one: list[_Rows], other: list[_Rows]) -> list[_Rows]:
    return one + other


def _dataset(found: Sequence[_Rows], number: int, summary: SourceSummary) -> Dataset:
    """The rows of one node as a dataset."""
    return dataset_of(joined_parts([_taken(each.part, np.flatnonzero(each.node == number)) for each in found]), summary)
