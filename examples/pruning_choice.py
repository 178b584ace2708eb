"""Pruning methods ranked on ten tables
====================================

One learns to choose with care: seven ways to prune CART's tree get the same ten folds of ten tables. Mean ranks by leaves differ
significantly, those by accuracy hardly. Bars join methods that do not differ at 5 %. Where no file of the votes is at hand, the
third of the MONK's problems takes their place.
"""

import sys
from functools import partial
from typing import Any

from nearby import VOTES
from pictures import Place, picture

from ftree import CART, Dataset, cart, prune
from ftree.datasets import agrawal, balance_scale, gaussian_clusters, led, monks, noisy_labels, tic_tac_toe, waveform
from ftree.study import Friedman, compare, plot_critical_difference, stratified

FOLDS = 10
METHODS = {
    "none": CART,
    "pessimistic": (CART, prune.pessimistic()),
    "error-based": (CART, prune.error_based()),
    "minimum error": (CART, prune.minimum_error(m=4)),
    "chi-squared": (CART, prune.chi_squared(0.05)),
    "MDL": (CART, prune.mdl()),
    "one-SE": partial(cart, folds=5),
}


def tables() -> dict[str, Dataset]:
    return {
        **({"votes": Dataset.read(VOTES)} if VOTES.exists() else {"monks 3": monks(3)}),
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


def draw_both(figure: Any, accuracy: Friedman, leaves: Friedman) -> None:
    for ax, ranks, title in zip(figure.subplots(2), (accuracy, leaves), ("accuracy", "leaves"), strict=True):
        plot_critical_difference(ranks, ax=ax).set_title(f"Mean ranks by {title}", fontsize="medium")


def main(folder: Place = None) -> None:
    comparison = compare(METHODS, tables(), folds=stratified(FOLDS, seed=0), metrics=("accuracy", "leaves"))
    ranks = [comparison.friedman(metric) for metric in comparison.metrics]
    print(comparison, *ranks, sep="\n\n")
    picture("pruning_choice", folder, draw_both, *ranks, size=(9, 5))


if __name__ == "__main__":
    main(*sys.argv[1:2])
