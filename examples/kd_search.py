"""Search in a k-d tree
====================

One learns that a k-d tree is a tree grown by another policy: cut the widest side of a box at its median. A search leaves out
every box further away than the nearest point so far, so among more points it looks into hardly more boxes.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from pictures import COLOURS, picture

from ftree.neighbors import Cell, Cut, KdTree, kd_tree

SIZES, LEAF_SIZE = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000), 16


def cells(part: Cell | Cut) -> Iterator[Cell]:
    if isinstance(part, Cut):
        yield from cells(part.below)
        yield from cells(part.above)
    else:
        yield part


def visits(size: int, *, features: int = 3) -> float:  # on average, of so many points of the unit cube
    points, queries = np.split(np.random.default_rng(size).random((size + 300, features)), [size])
    return float(kd_tree(points, leaf_size=LEAF_SIZE).visits(queries, 1).mean())


def draw(figure: Any, tree: KdTree, query: Any, counted: dict[int, float]) -> None:
    left, right = figure.subplots(1, 2)
    distance, turn = tree.nearest(query[None], 1)[0].item(), np.linspace(0, 2 * np.pi, 100)
    for low, high in ((cell.low, cell.high) for cell in cells(tree.root)):
        look = {"color": COLOURS[1] if tree.metric(query, query.clip(low, high)) <= distance else "0.85", "edgecolor": "0.4"}
        left.fill_between([low[0], high[0]], low[1], high[1], alpha=0.6, **look)
    left.plot(query[0] + distance * np.cos(turn), query[1] + distance * np.sin(turn), color="black")
    left.scatter(*tree.points.T, s=8, color=COLOURS[0])
    left.plot(*query, "kx")
    title = "Only cells that the circle touches can have\na point that is nearer to the cross"
    left.set(aspect="equal", xlabel="first feature", ylabel="second feature", title=title)
    right.semilogx(SIZES, list(counted.values()), marker="o", color=COLOURS[0], label="cells looked into, on average")
    right.semilogx(SIZES, np.log2(SIZES) - np.log2(LEAF_SIZE), "--", color=COLOURS[2], label="log2 of the number of cells")
    right.set(xlabel="points in three dimensions", ylabel="cells", title="Cells looked into to find the nearest")
    right.legend(frameon=False)


def main(folder: str | Path | None = None) -> None:
    counted = {size: visits(size) for size in SIZES}
    for size in SIZES:
        print(f"{size:7,} points in about {size / LEAF_SIZE:5,.0f} cells or more: {counted[size]:.1f} looked into")
    tree = kd_tree(np.random.default_rng(3).random((90, 2)), leaf_size=6)
    picture("kd_search", folder, draw, tree, np.array([0.29, 0.46]), counted, size=(11.5, 5.4))


if __name__ == "__main__":
    main(*sys.argv[1:2])
