"""The routes of a finished tree, with some of its leaves open."""

from collections.abc import Sequence

import numpy as np
from attrs import evolve

from ftree._lib.arrays import Array
from ftree.growth.engines.protocol import MissingRows
from ftree.growth.engines.sharing import as_rule
from ftree.routing.shares import shares_of
from ftree.scan.parts import SourceSummary
from ftree.scan.routes import END, Routes, root_routes
from ftree.tree.nodes import Branch, Node, Path


def routes_of_tree(root: Node, paths: Sequence[Path], summary: SourceSummary, *, missing: MissingRows, unit: float) -> Routes:
    """Routes to the nodes with the given paths, which are open in this order; the tree's counts divide rows without an answer."""
    routes = root_routes(unit)
    level: list[tuple[Path, Node]] = [((), root)]
    wanted, on_the_way = set(paths), {path[:depth] for path in paths for depth in range(len(path))}
    place: dict[Path, int] = {(): 0}
    while any(path in on_the_way for path, _ in level):
        splits = [node.split if path in on_the_way and isinstance(node, Branch) else None for path, node in level]
        going = [(path, node) for (path, node), split in zip(level, splits, strict=True) if split is not None]
        below = [((*path, number), child) for path, node in going for number, child in enumerate(node.children)]  # type: ignore[union-attr]
        shares = [shares_of(as_rule(missing), _sizes(node)) for _, node in going]
        first = len(routes.feature)
        routes = routes.below(splits, summary, np.concatenate(shares))
        place |= {path: first + number for number, (path, _) in enumerate(below)}
        level = below
    opened = np.full(len(routes.feature), END)
    opened[[place[path] for path in paths if path in wanted]] = np.arange(len(paths))
    return evolve(routes, open=opened)


def _sizes(node: Node) -> Array:
    return np.array([sum(child.counts) for child in node.children], dtype=np.float64)  # type: ignore[union-attr]  # a branch
