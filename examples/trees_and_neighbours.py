"""Trees and nearest neighbours compared
=====================================

Needs ``pip install 'ftrees[plot]'``. See that irrelevant features mislead nearest neighbours, since each adds to the
distance, and that a tree ignores them. A tree stores a few splits, neighbours store every row.
"""

import matplotlib.pyplot as plt
import numpy as np

import ftree as ft
from ftree.neighbors import knn
from ftree.show import plot_curves


def disc(rows: int, irrelevant: int, seed: int) -> ft.Dataset:
    """Whether the first two features lie in a disc; the others are chance."""
    points = np.random.default_rng(seed).random((rows, 2 + irrelevant))
    return ft.Dataset.from_rows(points, (((points[:, :2] - 0.5) ** 2).sum(axis=1) < 0.12).tolist())


careful = ft.CART.stopping(ft.stop.min_best_child(5) | ft.stop.max_depth(8))
curves: dict[str, dict[str, float]] = {"tree": {}, "5 neighbours": {}}
for irrelevant in (0, 1, 2, 4, 8, 16, 32):
    known, new = disc(300, irrelevant, seed=0), disc(1000, irrelevant, seed=1)
    for name, learned in (("tree", ft.grow(known, careful)), ("5 neighbours", knn(known, k=5))):
        curves[name][str(irrelevant)] = 100 * ft.accuracy(learned, new)
        print(f"{irrelevant:2} irrelevant features, {name}: accuracy {curves[name][str(irrelevant)]:.1f} %")

plot_curves(curves, xlabel="irrelevant features besides the two", ylabel="accuracy on new rows (%)")
plt.show()
