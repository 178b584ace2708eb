"""What a tree sees of a plane: regions with edges along the axes.

One learns what a threshold means: each one cuts a rectangle in two, so a round boundary becomes a staircase. Few
cuts are too coarse, many follow single points; the picture shows both, and one between.
"""

import sys
from typing import Any

import numpy as np
from pictures import COLOURS, Place, picture

from ftree import ID3, Dataset, Tree, accuracy, grow, n_leaves, predict, stop

DEPTHS, RADIUS, TURN = (2, 4, 20), 0.35, np.linspace(0, 2 * np.pi, 100)


def disc(points: int, *, seed: int, slips: float = 0.06) -> Dataset:
    """Points of the unit square, labelled by whether they lie in a disc; a few labels slip to the other side."""
    rng = np.random.default_rng(seed)
    x, y = rng.random((2, points))
    inside = (x - 0.5) ** 2 + (y - 0.5) ** 2 < RADIUS**2
    return Dataset.from_columns({"x": x, "y": y, "inside": inside ^ (rng.random(points) < slips)}, target="inside")


def regions(tree: Tree, side: int = 200) -> Any:
    """The tree's answer in the middle of each cell of a grid over the unit square, row by row from below."""
    y, x = (np.mgrid[:side, :side] + 0.5) / side
    return np.array(predict(tree, np.column_stack([x.ravel(), y.ravel()]))).reshape(side, side)


def draw(figure: Any, points: Dataset, trees: list[Tree], tried: list[float]) -> None:
    (x, y), inside = points.columns, points.labels == 1
    for axes, tree, depth, share in zip(figure.subplots(1, 3, sharey=True), trees, DEPTHS, tried, strict=True):
        axes.contourf(regions(tree), levels=[-0.5, 0.5, 1.5], extent=(0, 1, 0, 1), colors=COLOURS[:2], alpha=0.3)
        for side, colour, mark, name in [(~inside, COLOURS[0], "o", "outside"), (inside, COLOURS[1], "^", "inside")]:
            axes.scatter(x[side], y[side], s=16, color=colour, marker=mark, edgecolor="black", linewidth=0.3, label=name)
        axes.plot(0.5 + RADIUS * np.cos(TURN), 0.5 + RADIUS * np.sin(TURN), "k--", label="the true boundary")
        title = f"At most {depth} questions: {n_leaves(tree)} leaves,\n{share:.0%} right on new points"
        axes.set(title=title, xlabel="x", aspect="equal")
    figure.axes[0].set_ylabel("y")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)


def main(folder: Place = None) -> None:
    points, new = disc(300, seed=0), disc(3000, seed=1, slips=0)
    trees = [grow(points, ID3.stopping(stop.max_depth(depth))) for depth in DEPTHS]
    tried = [accuracy(tree, new) for tree in trees]
    for tree, share in zip(trees, tried, strict=True):
        print(f"{n_leaves(tree):2} leaves: right on {accuracy(tree, points):.1%} of these points, {share:.1%} of new ones")
    print(f"\n{trees[0]}")
    picture("boundary", folder, draw, points, trees, tried, size=(12, 4.9))


if __name__ == "__main__":
    main(*sys.argv[1:2])
