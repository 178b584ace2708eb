"""Reduced-error pruning of a noisy table
======================================

Needs ``pip install 'ftrees[plot]'``. See that a fully grown tree fits flipped labels, and that pruning on other rows, as
noisy as the first, leaves the few leaves of the formula. The label is a formula of four features; four more are
irrelevant, and one label in five is flipped. The picture shows errors along the pruning path: they rise on the training
rows and fall on rows without noise.
"""

import matplotlib.pyplot as plt
import numpy as np

import ftree as ft


def truth(rows: int, seed: int) -> ft.Dataset:
    """Random rows of eight yes-or-no features a to h, labelled (a and b) or (c and d)."""
    columns = np.random.default_rng(seed).random((8, rows)) < 0.5
    a, b, c, d, *_ = columns
    return ft.Dataset.from_columns({**dict(zip("abcdefgh", columns, strict=True)), "class": (a & b) | (c & d)})


growing, pruning = (ft.datasets.noisy_labels(truth(500, seed), 0.2, seed=seed + 1) for seed in (1, 3))
new = truth(2000, 5)
path = list(ft.prune.reduced_error(pruning, order="best_first").path(ft.grow(growing)))
for name, tree in [("grown", path[0]), ("pruned", path[-1])]:
    print(f"{name:6} {ft.n_leaves(tree):3} leaves, accuracy {ft.accuracy(tree, new):.1%} on rows without noise")
print(f"The pruned tree says: {ft.dnf(path[-1], label=True)}\nThe formula was:      (a and b) or (c and d)")

tables = {"growing rows": growing, "pruning rows": pruning, "truth": new}
ax = ft.study.plot_path({name: ft.prune.measured(path, rows) for name, rows in tables.items()})
ax.set(xlabel="leaves (pruning goes to the right)", title="Errors along the pruning path")
plt.show()
