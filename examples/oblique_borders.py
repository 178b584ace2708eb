"""Oblique splits
==============

One learns that an oblique split is a line in any direction. Thresholds approximate a slanting boundary by a staircase, and need
more steps the more points there are; two sums describe a stripe exactly. Rotated XOR shows the limit of greedy search: three
sums describe it, but the first one alone gains nothing, so the search prefers to cut off corners.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve
from pictures import one_legend, picture

from ftree import ID3, Branch, Dataset, Leaf, Oblique, Tree, accuracy, grow, n_leaves, oblique, plot_boundary

POLICIES = {"thresholds": ID3, "sums": evolve(ID3, splits=(*ID3.splits, oblique()))}
SHAPES = {"stripe": lambda x, y: abs(x + y - 1) < 0.2, "turned XOR": lambda x, y: (x + y > 1) ^ (x > y)}


def table(shape: str, rows: int, *, seed: int) -> Dataset:
    x, y = np.random.default_rng(seed).random((2, rows))
    return Dataset.from_columns({"x": x, "y": y, "inside": SHAPES[shape](x, y)}, target="inside")


def by_hand(dataset: Dataset) -> Tree:  # turned XOR in three sums
    no, yes = Leaf((1, 0)), Leaf((0, 1))
    sides = [Branch((1, 1), Oblique((1, -1), 0), pair) for pair in [(no, yes), (yes, no)]]
    return Tree(dataset.schema, Branch((2, 2), Oblique((1, 1), 1), sides))


def draw(figure: Any, known: dict[str, Dataset], trees: dict[str, Tree], shares: list[float]) -> None:
    for ax, (name, tree), share in zip(figure.subplots(1, 5, sharey=True), trees.items(), shares, strict=True):
        plot_boundary(tree, known[name.split(",")[0]], ax=ax)
        ax.set(title=f"{name}:\n{n_leaves(tree)} leaves, accuracy\n{share:.1%} on new points", aspect="equal")
        ax.label_outer()
    one_legend(figure, title="inside")


def main(folder: str | Path | None = None) -> None:
    known = {name: table(name, 500, seed=0) for name in SHAPES}
    trees = {f"{name}, {kind}": grow(known[name], policy) for name in SHAPES for kind, policy in POLICIES.items()}
    trees["turned XOR, by hand"] = by_hand(known["turned XOR"])
    shares = [accuracy(tree, table(name.split(",")[0], 5000, seed=1)) for name, tree in trees.items()]
    for (name, tree), share in zip(trees.items(), shares, strict=True):
        print(f"{name:22} {n_leaves(tree):3} leaves, accuracy {share:.1%} on new points")
    print(f"\nThe stripe in sums:\n{trees['stripe, sums']}")
    picture("oblique_borders", folder, draw, known, trees, shares, size=(15, 5))


if __name__ == "__main__":
    main(*sys.argv[1:2])
