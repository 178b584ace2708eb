"""Pruning methods compared on repeated splits
===========================================

One learns that on noisy tables a fraction of the leaves is as accurate, whatever the method.
"""

import sys
from time import perf_counter
from typing import Any

import numpy as np
from pictures import LOOKS, Place, one_legend, picture
from pruning_noise import truth

from ftree import CART, Dataset, accuracy, datasets, grow, n_leaves, pearson, prune

REPEATS = 20


def methods(rows: Dataset, rest: Dataset, cart: Any) -> dict[str, Any]:  # a star: for a tree that was not grown on the rest
    return {"none": prune.compose(), "pessimistic": prune.pessimistic(), "error-based": prune.error_based(collapse=True),
            "with raising": prune.error_based(collapse=True, raise_with=rows), "minimum error": prune.minimum_error(m=8),
            "critical value": prune.critical_value(10, score=pearson), "chi-squared": prune.chi_squared(0.01),
            "MDL": prune.mdl(values=rows), "reduced error*": prune.reduced_error(rest),
            "lowest error*": lambda tree: prune.select(prune.cost_complexity_path(tree), by=prune.lowest_error, on=rest),
            "one-SE": lambda _: prune.select(prune.cross_validated(rows, cart), by=prune.one_standard_error)}  # fmt: skip


def study(name: str, dataset: Dataset) -> dict[str, Any]:
    runs: dict[str, Any] = {}
    for seed in range(REPEATS):
        rows, test = dataset.split(0.6, seed=seed)
        growing, rest = rows.split(2 / 3, seed=seed)
        whole, part = grow(rows, CART), grow(growing, CART)
        for method, pass_ in methods(rows, rest, lambda some: grow(some, CART)).items():
            start, tree, end = perf_counter(), pass_(part if "*" in method else whole), perf_counter()
            runs.setdefault(method, []).append((1000 * (end - start), n_leaves(tree), 100 * accuracy(tree, test)))
    for method, run in runs.items():
        runs[method] = (*np.mean(run, axis=0), np.std(run, axis=0)[2] / (len(run) - 1) ** 0.5)
        print("{:13} {:14} {:6.1f} ms {:6.1f} leaves {:5.1f} +- {:.1f} % right".format(name, method, *runs[method]))
    return runs


def draw(figure: Any, found: dict[str, Any]) -> None:
    for ax, (name, table) in zip(figure.subplots(2, -(-len(found) // 2)).flat, found.items(), strict=False):
        _, leaves, right, error = table.pop("none")  # it would squeeze the others
        for look, (method, (_, *spot, deviation)) in zip(LOOKS, table.items(), strict=False):
            ax.errorbar(*spot, deviation, label=method, capsize=2, linestyle="none", **look)
        ax.set(title=f"{name}\n(unpruned: {leaves:.0f} leaves, {right:.1f} ± {error:.1f} %)", xlabel="leaves", ylabel="right (%)")
    one_legend(figure, ncols=5, title="hollow: chosen by rows that the tree was not grown on")


def main(folder: Place = None, *paths: str) -> None:
    tables = {"formula": datasets.noisy_labels(truth(600, seed=1), 0.2, seed=2), "endgames": datasets.tic_tac_toe()}
    tables |= {path.split("/")[-1]: Dataset.read_csv(path) for path in paths}
    picture("pruning_study", folder, draw, {name: study(name, rows) for name, rows in tables.items()}, size=(11, 8.4))


if __name__ == "__main__":
    main(*sys.argv[1:])
