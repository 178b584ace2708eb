"""The study of docs/pruning.md: pruning methods compared on twenty random divisions of each table.

python benchmarks/pruning_study.py [PICTURE.png] [TABLE.csv ...]
"""

import sys
from statistics import fmean
from time import perf_counter
from typing import Any

import numpy as np

from ftree import CART, Dataset, accuracy, datasets, grow, n_leaves, prune
from ftree.criteria import pearson
from ftree.study import FoldResult, Trial, plot_trade_off

REPEATS, METRICS = 20, ("accuracy (%)", "leaves", "milliseconds")


def truth(rows: int, seed: int) -> Dataset:
    """Random rows of eight yes-or-no features a to h, labelled (a and b) or (c and d)."""
    columns = np.random.default_rng(seed).random((8, rows)) < 1 / 2
    a, b, c, d, *_ = columns
    return Dataset.from_columns({**dict(zip("abcdefgh", columns, strict=True)), "class": (a & b) | (c & d)})


def methods(rows: Dataset, rest: Dataset, cart: Any) -> dict[str, Any]:
    """The methods by name; a star is for one that is given a tree that was not grown on the rest."""
    return {"none": prune.compose(), "pessimistic": prune.pessimistic(), "error-based": prune.error_based(collapse=True),
            "with raising": prune.error_based(collapse=True, raise_with=rows), "minimum error": prune.minimum_error(m=8),
            "critical value": prune.critical_value(10, score=pearson), "chi-squared": prune.chi_squared(0.01),
            "MDL": prune.mdl(values=rows), "reduced error*": prune.reduced_error(rest),
            "lowest error*": lambda tree: prune.select(prune.cost_complexity_path(tree), by=prune.lowest_error, on=rest),
            "one-SE": lambda _: prune.select(prune.cross_validated(rows, cart), by=prune.one_standard_error)}  # fmt: skip


def study(dataset: Dataset) -> dict[str, Trial]:
    """The scores of each method on all divisions of a table."""
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


def draw(found: dict[str, dict[str, Trial]], file: str) -> None:
    """A panel for each table, without the trees that are not pruned, which would squeeze the others."""
    import matplotlib.pyplot as plt  # noqa: PLC0415  # only the picture needs it

    figure, axes = plt.subplots(2, -(-len(found) // 2), figsize=(11, 8.4), layout="constrained")
    for ax, (name, trials) in zip(axes.flat, found.items(), strict=False):
        none = trials.pop("none")
        plot_trade_off(trials, ax=ax).set_title(f"{name}\n(unpruned: {fmean(none['leaves']):.0f} leaves, {none.mean:.1f} %)")
    figure.savefig(file, dpi=120)


def main(file: str = "", *paths: str) -> None:
    """Print a line for each table and method; draw them into a file."""
    tables = {"formula": datasets.noisy_labels(truth(600, seed=1), 0.2, seed=2), "endgames": datasets.tic_tac_toe()}
    found = {name: study(rows) for name, rows in (tables | {path: Dataset.read_csv(path) for path in paths}).items()}
    for name, trials in found.items():
        for method, trial in trials.items():
            print(name, f"{method:13}", *[f"{fmean(trial[by]):.1f} {by}" for by in METRICS], f"+- {trial.standard_error:.1f}")
    if file:
        draw(found, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
