"""Pruning methods compared on repeated splits
===========================================

One learns that on noisy tables a fraction of the leaves is as accurate, whatever the method.
"""

import sys
from statistics import fmean
from time import perf_counter
from typing import Any

from pictures import Place, one_legend, picture
from pruning_noise import truth

from ftree import CART, Dataset, accuracy, datasets, grow, n_leaves, pearson, prune
from ftree.study import FoldResult, Trial, plot_trade_off

REPEATS, METRICS = 20, ("accuracy (%)", "leaves", "milliseconds")


def methods(rows: Dataset, rest: Dataset, cart: Any) -> dict[str, Any]:  # a star: for a tree that was not grown on the rest
    return {"none": prune.compose(), "pessimistic": prune.pessimistic(), "error-based": prune.error_based(collapse=True),
            "with raising": prune.error_based(collapse=True, raise_with=rows), "minimum error": prune.minimum_error(m=8),
            "critical value": prune.critical_value(10, score=pearson), "chi-squared": prune.chi_squared(0.01),
            "MDL": prune.mdl(values=rows), "reduced error*": prune.reduced_error(rest),
            "lowest error*": lambda tree: prune.select(prune.cost_complexity_path(tree), by=prune.lowest_error, on=rest),
            "one-SE": lambda _: prune.select(prune.cross_validated(rows, cart), by=prune.one_standard_error)}  # fmt: skip


def study(dataset: Dataset) -> dict[str, Trial]:
    runs: dict[str, Any] = {}
    for seed in range(REPEATS):
        rows, test = dataset.split(0.6, seed=seed)
        growing, rest = rows.split(2 / 3, seed=seed)
        grown = [grow(rows, CART), grow(growing, CART)]
        for method, pass_ in methods(rows, rest, lambda some: grow(some, CART)).items():
            start, tree, end = perf_counter(), pass_(grown["*" in method]), perf_counter()
            scores = 100 * accuracy(tree, test), n_leaves(tree), 1000 * (end - start)
            runs.setdefault(method, []).append(FoldResult(len(rows), len(test), scores))
    return {method: Trial(METRICS, run) for method, run in runs.items()}


def draw(figure: Any, found: dict[str, dict[str, Trial]]) -> None:
    for ax, (name, trials) in zip(figure.subplots(2, -(-len(found) // 2)).flat, found.items(), strict=False):
        none = trials.pop("none")  # it would squeeze the others
        plot_trade_off(trials, ax=ax).set_title(f"{name}\n(unpruned: {fmean(none['leaves']):.0f} leaves, {none.mean:.1f} %)")
    one_legend(figure, ncols=5, title="hollow: chosen by rows that the tree was not grown on")


def main(folder: Place = None, *paths: str) -> None:
    tables = {"formula": datasets.noisy_labels(truth(600, seed=1), 0.2, seed=2), "endgames": datasets.tic_tac_toe()}
    found = {name: study(rows) for name, rows in (tables | {path: Dataset.read_csv(path) for path in paths}).items()}
    for name, trials in found.items():
        for method, trial in trials.items():
            print(name, f"{method:13}", *[f"{fmean(trial[by]):.1f} {by}" for by in METRICS], f"+- {trial.standard_error:.1f}")
    picture("pruning_study", folder, draw, found, size=(11, 8.4))


if __name__ == "__main__":
    main(*sys.argv[1:])
