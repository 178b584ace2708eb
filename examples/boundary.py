"""Decision regions of trees in a plane
====================================

Needs ``pip install 'ftrees[plot]'``. See what a threshold means: each one cuts a rectangle in two, so a round boundary
becomes a staircase. A shallow tree underfits, a deep one fits single points. The picture shows both, and one between.
"""

import matplotlib.pyplot as plt
import numpy as np

import ftree as ft

random = np.random.default_rng(0)
x, y = random.random((2, 300))
flipped = random.random(300) < 0.06
points = ft.Dataset.from_columns(
    {"x": x, "y": y, "inside": ((x - 0.5) ** 2 + (y - 0.5) ** 2 < 0.35**2) ^ flipped}, target="inside"
)

_, axes = plt.subplots(1, 3, figsize=(12, 4.4), sharey=True, layout="constrained")
for ax, depth in zip(axes, (2, 4, 20), strict=True):
    tree = ft.grow(points, ft.ID3.stopping(ft.stop.max_depth(depth)))
    print(f"{ft.n_leaves(tree):2} leaves: accuracy {ft.accuracy(tree, points):.1%} on the points it was grown on")
    ft.plot_boundary(tree, points, ax=ax).set(title=f"Depth at most {depth}: {ft.n_leaves(tree)} leaves", aspect="equal")
plt.show()
