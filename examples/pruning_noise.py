"""Reduced-error pruning of a noisy table
======================================

The label is a formula of four features; four more say nothing, and one label in five is flipped. One learns that a tree grown
out fits the flipped labels, and that pruning on other rows, as noisy as the first, leaves the few leaves of the formula. The
picture shows errors along the pruning path: they rise on the training rows and fall on rows without noise.
"""

import sys
from typing import Any

import numpy as np
from pictures import Place, picture

from ftree import Dataset, Tree, accuracy, dnf, grow, n_leaves, prune
from ftree.datasets import noisy_labels


def truth(rows: int, *, seed: int) -> Dataset:
    """Random rows of eight yes-or-no features a to h, labelled (a and b) or (c and d)."""
    columns = np.random.default_rng(seed).random((8, rows)) < 0.5
    a, b, c, d, *_ = columns
    return Dataset.from_columns({**dict(zip("abcdefgh", columns, strict=True)), "class": (a & b) | (c & d)})


def experiment() -> tuple[dict[str, Dataset], list[Tree]]:
    """The three tables, and the trees along the pruning path: the cut that saves most errors first."""
    growing, pruning = (noisy_labels(truth(500, seed=seed), 0.2, seed=seed + 1) for seed in (1, 3))
    tables = {"growing rows": growing, "pruning rows": pruning}
    path = prune.reduced_error(tables["pruning rows"], order="best_first").path(grow(tables["growing rows"]))
    return {**tables, "truth": truth(2000, seed=5)}, list(path)


def draw(figure: Any, tables: dict[str, Dataset], path: list[Tree]) -> None:
    ax = prune.plot_path({name: prune.measured(path, rows) for name, rows in tables.items()}, ax=figure.subplots())
    ax.set(xlabel="leaves (pruning goes to the right)", title="Errors along the pruning path")
    ax.legend(title="errors on the")


def main(folder: Place = None) -> None:
    tables, path = experiment()
    print(f"{tables['growing rows']}\n\nLeaves, and accuracy on the {', the '.join(tables)}:")
    for name, tree in [("grown", path[0]), ("pruned", path[-1])]:
        print(f"  {name:6} {n_leaves(tree):3}" + "".join(f"{accuracy(tree, rows):8.1%}" for rows in tables.values()))
    print(f"\nThe pruned tree says: {dnf(path[-1], label=True)}\nThe formula was:      (a and b) or (c and d)")
    picture("pruning_noise", folder, draw, tables, path, size=(8, 4.8))


if __name__ == "__main__":
    main(*sys.argv[1:2])
