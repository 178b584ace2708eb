"""Decision regions of trees in a plane
====================================

One learns what a threshold means: each one cuts a rectangle in two, so a round boundary becomes a staircase. A shallow tree
underfits, a deep one fits single points. The picture shows both, and one between.
"""

import sys
from typing import Any

import numpy as np
from pictures import Place, one_legend, picture

from ftree import ID3, Dataset, Tree, accuracy, grow, n_leaves, plot_boundary, stop

DEPTHS, RADIUS = (2, 4, 20), 0.35


def in_disc(points: Dataset) -> Any:
    return (points["x"] - 0.5) ** 2 + (points["y"] - 0.5) ** 2 < RADIUS**2


def disc(points: int, *, seed: int, slips: float = 0.06) -> Dataset:
    """Points of the unit square, labelled by whether they lie in a disc; a few labels are flipped."""
    rng = np.random.default_rng(seed)
    x, y = rng.random((2, points))
    inside = (x - 0.5) ** 2 + (y - 0.5) ** 2 < RADIUS**2
    return Dataset.from_columns({"x": x, "y": y, "inside": inside ^ (rng.random(points) < slips)}, target="inside")


def draw(figure: Any, points: Dataset, trees: list[Tree], tried: list[float]) -> None:
    for ax, tree, depth, share in zip(figure.subplots(1, 3, sharey=True), trees, DEPTHS, tried, strict=True):
        plot_boundary(tree, points, borders={"the true boundary": in_disc}, ax=ax)
        title = f"Depth at most {depth}: {n_leaves(tree)} leaves,\naccuracy {share:.0%} on new points"
        ax.set(title=title, aspect="equal")
        ax.label_outer()
    one_legend(figure, title="inside")


def main(folder: Place = None) -> None:
    points, new = disc(300, seed=0), disc(3000, seed=1, slips=0)
    trees = [grow(points, ID3.stopping(stop.max_depth(depth))) for depth in DEPTHS]
    tried = [accuracy(tree, new) for tree in trees]
    for tree, share in zip(trees, tried, strict=True):
        print(f"{n_leaves(tree):2} leaves: accuracy {accuracy(tree, points):.1%} on these points, {share:.1%} on new ones")
    print(f"\n{trees[0]}")
    picture("boundary", folder, draw, points, trees, tried, size=(12, 5.6))


if __name__ == "__main__":
    main(*sys.argv[1:2])
