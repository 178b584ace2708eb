"""Search in a k-d tree
====================

One learns that a k-d tree is a tree grown by another policy: cut the widest side of a box at its median. A search leaves out
every box further away than the nearest point so far, so among more points it visits hardly more boxes.
"""

import sys
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
from pictures import picture

from ftree.neighbors import KdTree, kd_tree, plot_kd_tree
from ftree.show import plot_curves

SIZES, LEAF_SIZE = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000), 16


def visits(size: int, *, features: int = 3) -> float:  # on average, of so many points of the unit cube
    points, queries = np.split(np.random.default_rng(size).random((size + 300, features)), [size])
    return float(kd_tree(points, leaf_size=LEAF_SIZE).visits(queries, 1).mean())


def draw(figure: Any, tree: KdTree, query: Any, counted: dict[int, float]) -> None:
    left, right = figure.subplots(1, 2)
    plot_kd_tree(tree, query, ax=left)
    left.set_title("Only cells that the circle touches can have\na point that is nearer to the cross")
    curves = {"cells visited, on average": counted, "log2 of the number of cells": {n: log2(n / LEAF_SIZE) for n in SIZES}}
    plot_curves(curves, xlabel="points in three dimensions", ylabel="cells", log="x", ax=right)
    right.set_title("Cells visited to find the nearest point")


def main(folder: str | Path | None = None) -> None:
    counted = {size: visits(size) for size in SIZES}
    for size in SIZES:
        print(f"{size:7,} points in about {size / LEAF_SIZE:5,.0f} cells or more: {counted[size]:.1f} visited")
    tree = kd_tree(np.random.default_rng(3).random((90, 2)), leaf_size=6)
    picture("kd_search", folder, draw, tree, np.array([0.29, 0.46]), counted, size=(11.5, 6.4))


if __name__ == "__main__":
    main(*sys.argv[1:2])
