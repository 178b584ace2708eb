"""Search in a k-d tree
====================

Needs ``pip install 'ftrees[plot]'``. Grow a k-d tree by another policy: cut the widest side of a box at its median. A
search leaves out every box further away than the nearest point so far, so among more points it visits hardly more
boxes.
"""

from math import log2

import matplotlib.pyplot as plt
import numpy as np

from ftree.neighbors import kd_tree, plot_kd_tree
from ftree.show import plot_curves

random = np.random.default_rng(3)
sizes = (100, 300, 1_000, 3_000, 10_000, 30_000)
visited = {n: float(kd_tree(random.random((n, 3)), leaf_size=16).visits(random.random((300, 3)), 1).mean()) for n in sizes}
for n, cells in visited.items():
    print(f"{n:7,} points in about {n / 16:5,.0f} cells or more: {cells:.1f} visited on average")

_, (left, right) = plt.subplots(1, 2, figsize=(11.5, 5.4), layout="constrained")
plot_kd_tree(kd_tree(random.random((90, 2)), leaf_size=6), np.array([0.29, 0.46]), ax=left)
left.set_title("Only cells that the circle touches can have\na point that is nearer to the cross")
curves = {"cells visited, on average": visited, "log2 of the number of cells": {n: log2(n / 16) for n in sizes}}
plot_curves(curves, xlabel="points in three dimensions", ylabel="cells", log="x", ax=right)
plt.show()
