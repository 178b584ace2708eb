"""k nearest neighbours: one, many, edited
=======================================

Needs ``pip install 'ftrees[plot]'``. See what k does. With one neighbour, the boundary follows every outlier; with
many, it is smoother. Editing (Wilson 1972) drops the outliers, so that one neighbour is enough again. Accuracy is
measured on 2,000 new points.
"""

import matplotlib.pyplot as plt
import numpy as np

import ftree as ft
from ftree.neighbors import edited, knn


def clouds(n: int, seed: int) -> ft.Dataset:
    """Points of two normal distributions, 2.5 standard deviations apart."""
    x, y = np.random.default_rng(seed).normal(size=(2, 2 * n))
    return ft.Dataset.from_columns({"x": x + np.repeat([-1.25, 1.25], n), "y": y, "class": np.repeat(["first", "second"], n)})


points, new = clouds(50, seed=1), clouds(1000, seed=2)
ways = {"1 neighbour": knn(points), "15 neighbours": knn(points, k=15), "1 neighbour, edited": knn(edited(points))}
_, axes = plt.subplots(1, 3, figsize=(12, 4.4), sharey=True, layout="constrained")
for ax, (name, classify) in zip(axes, ways.items(), strict=True):
    told = f"{name}: {len(classify.dataset)} points stored,\naccuracy {ft.accuracy(classify, new):.1%} on new points"
    print(told.replace("\n", " "))
    ft.plot_boundary(classify, classify.dataset, ax=ax).set(title=told, aspect="equal")
plt.show()
