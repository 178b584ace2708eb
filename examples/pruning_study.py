"""Pruning methods compared on repeated splits
===========================================

Needs ``pip install 'ftrees[plot]'``. Compare pruning methods: on noisy tables a fraction of the leaves is as accurate,
whatever the method. Each of ten random divisions gives every method the same training rows; hollow marks are trees that
were chosen by held-out rows.
"""

import matplotlib.pyplot as plt

import ftree as ft
from ftree.study import compare, holdout, plot_trade_off


def reduced_error(dataset: ft.Dataset) -> ft.Tree:
    """Prune with a third of the rows, which growing does not see."""
    growing, rest = dataset.split(2 / 3, seed=0)
    return ft.prune.reduced_error(rest)(ft.grow(growing, ft.CART))


methods = {
    "none": ft.CART,
    "pessimistic": (ft.CART, ft.prune.pessimistic()),
    "error-based": (ft.CART, ft.prune.error_based()),
    "minimum error": (ft.CART, ft.prune.minimum_error(m=8)),
    "chi-squared": (ft.CART, ft.prune.chi_squared(0.01)),
    "MDL": (ft.CART, ft.prune.mdl()),
    "reduced error*": reduced_error,
}
robots = ft.datasets.noisy_labels(ft.datasets.monks(1), 0.1, seed=0)
comparison = compare(methods, {"noisy robots": robots}, folds=holdout(0.6, repeats=10, seed=0), metrics=("accuracy", "leaves"))
print(comparison)
plot_trade_off({name: comparison[name, "noisy robots"] for name in methods})
plt.show()
