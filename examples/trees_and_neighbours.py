"""Trees and nearest neighbours compared
=====================================

One learns that irrelevant features mislead nearest neighbours, since each adds to the distance, and that a tree ignores them. A
tree stores a few splits, neighbours store every row. The picture has accuracy, size and speed.
"""

import sys
from pathlib import Path
from statistics import fmean, median
from timeit import repeat
from typing import Any

import numpy as np
from pictures import picture

from ftree import CART, Dataset, accuracy, grow, n_leaves, stop
from ftree.neighbors import knn
from ftree.show import plot_curves

USELESS, SIZES = (0, 1, 2, 4, 8, 16, 32), (100, 300, 1000, 3000, 10000)
CAREFUL = CART.stopping(stop.min_best_child(5) | stop.max_depth(8))
LEARNERS = {"tree": lambda dataset: grow(dataset, CAREFUL), "5 neighbours": lambda dataset: knn(dataset, k=5)}


def table(rows: int, useless: int, *, seed: int) -> Dataset:
    points = np.random.default_rng(seed).random((rows, 2 + useless))
    inside = ((points[:, :2] - 0.5) ** 2).sum(axis=1) < 0.12  # a disc in the first two features; the others are chance
    return Dataset.from_rows(points, inside.tolist())


def measured(learn: Any) -> tuple[list[float], list[int], list[float]]:  # for each of USELESS, SIZES, and SIZES
    tries = [[(table(300, n, seed=seed), table(500, n, seed=seed + 50)) for seed in range(3)] for n in USELESS]
    shares = [100 * fmean(accuracy(learn(known), new) for known, new in pairs) for pairs in tries]
    models, asked = [learn(table(rows, 2, seed=1)) for rows in SIZES], table(1000, 2, seed=2)
    kept = [5 * len(model.dataset) if isinstance(model, knn) else 6 * n_leaves(model) - 4 for model in models]  # numbers
    return shares, kept, [1e3 * median(repeat(lambda each=model: accuracy(each, asked), number=1)) for model in models]


def draw(figure: Any, found: dict[str, Any]) -> None:
    xs, sides = (
        [tuple(map(str, USELESS)), SIZES, SIZES],
        ["accuracy on new rows (%)", "numbers stored", "ms for 1000 predictions"],
    )
    for part, ax in enumerate(figure.subplots(1, 3)):
        curves = {name: dict(zip(xs[part], figures[part], strict=True)) for name, figures in found.items()}
        below = "training rows" if part else "irrelevant features besides the two"
        plot_curves(curves, xlabel=below, ylabel=sides[part], log="xy" if part else "", ax=ax)


def main(folder: str | Path | None = None) -> None:
    found = {name: measured(learn) for name, learn in LEARNERS.items()}
    for name, (shares, kept, spent) in found.items():
        told = f"of {SIZES} rows {kept} numbers stored; {', '.join(f'{ms:.1f}' for ms in spent)} ms for 1000 predictions"
        print(f"{name}: with {USELESS} irrelevant features accuracy {', '.join(f'{share:.0f} %' for share in shares)};\n  {told}")
    picture("trees_and_neighbours", folder, draw, found, size=(13, 4.2))


if __name__ == "__main__":
    main(*sys.argv[1:2])
