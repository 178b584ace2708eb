"""Oblique splits
==============

Needs ``pip install 'ftrees[plot]'``. See oblique splits: each is a line in any direction. Thresholds approximate a
slanting boundary by a staircase, and need more steps the more points there are; two sums describe a stripe exactly.
"""

import matplotlib.pyplot as plt
import numpy as np

import ftree as ft
from ftree.splitters import oblique


def stripe(rows: int, seed: int) -> ft.Dataset:
    """Points of the unit square, and whether they lie in a slanting stripe."""
    x, y = np.random.default_rng(seed).random((2, rows))
    return ft.Dataset.from_columns({"x": x, "y": y, "inside": abs(x + y - 1) < 0.2}, target="inside")


points, new = stripe(500, seed=0), stripe(5000, seed=1)
policies = {"thresholds": ft.ID3, "sums": ft.evolve(ft.ID3, splits=(*ft.ID3.splits, oblique()))}
_, axes = plt.subplots(1, 2, figsize=(10, 5), sharey=True, layout="constrained")
for ax, (name, policy) in zip(axes, policies.items(), strict=True):
    tree = ft.grow(points, policy)
    title = f"{name}: {ft.n_leaves(tree)} leaves,\naccuracy {ft.accuracy(tree, new):.1%} on new points"
    ft.plot_boundary(tree, points, ax=ax).set(title=title, aspect="equal")
print(f"The stripe in sums:\n{tree}")
plt.show()
