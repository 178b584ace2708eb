"""Pruning methods ranked on ten tables
====================================

Needs ``pip install 'ftrees[plot]'``. Choose a pruning method with care: seven ways to prune CART's tree get the same
ten folds of ten tables. Mean ranks by leaves differ significantly, those by accuracy hardly. Bars join methods that do
not differ at 5 %.
"""

from functools import partial

import matplotlib.pyplot as plt

import ftree as ft
from ftree.datasets import agrawal, balance_scale, gaussian_clusters, led, monks, noisy_labels, tic_tac_toe, waveform
from ftree.study import compare, plot_critical_difference, stratified

FOLDS = 10
methods = {
    "none": ft.CART,
    "pessimistic": (ft.CART, ft.prune.pessimistic()),
    "error-based": (ft.CART, ft.prune.error_based()),
    "minimum error": (ft.CART, ft.prune.minimum_error(m=4)),
    "chi-squared": (ft.CART, ft.prune.chi_squared(0.05)),
    "MDL": (ft.CART, ft.prune.mdl()),
    "one-SE": partial(ft.cart, folds=5),
}
tables = {
    "monks 3": monks(3),
    "tic-tac-toe": tic_tac_toe(),
    "balance scale": balance_scale(),
    "monks 1": monks(1),
    "monks 2": monks(2),
    "monks 3, noisy": noisy_labels(monks(3), 0.05, seed=0),
    "led, noisy": led(500, noise=0.1, seed=0),
    "waveform": waveform(500, seed=0),
    "agrawal 2, noisy": noisy_labels(agrawal(500, function=2, seed=0), 0.1, seed=1),
    "clusters": gaussian_clusters(500, seed=0),
}
comparison = compare(methods, tables, folds=stratified(FOLDS, seed=0), metrics=("accuracy", "leaves"))
print(comparison)

_, axes = plt.subplots(2, figsize=(9, 5), layout="constrained")
for ax, metric in zip(axes, ("accuracy", "leaves"), strict=True):
    ranks = comparison.friedman(metric)
    print(f"\nBy {metric}:\n{ranks}")
    plot_critical_difference(ranks, ax=ax).set_title(f"Mean ranks by {metric}", fontsize="medium")
plt.show()
