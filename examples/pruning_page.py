"""A page with a slider along the pruning path
===========================================

One sees how small a tree can become before it is less accurate: the accuracy on held-out boards is shown beside the slider. The
page opens in any browser and needs no network. The drawing, a second file, is what a notebook shows.

.. image:: ../pictures/pruning_page.png
   :alt: A tree beside a slider, the accuracy along the pruning path, and the reasons of each cut
"""

import sys
from pathlib import Path

from ftree import CART, Dataset, Tree, draw, grow, page, prune
from ftree.datasets import noisy_labels, tic_tac_toe

Place = str | Path | None


def boards() -> tuple[Dataset, Dataset]:
    """Boards to grow on, of which one in ten has a wrong label, and boards to measure on."""
    training, held_out = tic_tac_toe().split(0.6, seed=0)
    return noisy_labels(training, 0.1, seed=1), held_out


def path_of_trees() -> tuple[Tree, tuple[prune.Measured, ...]]:
    training, held_out = boards()
    tree = grow(training, CART)
    return tree, prune.measured(prune.cost_complexity_path(tree), held_out)


def main(folder: Place = None) -> None:
    tree, path = path_of_trees()
    for step in path:
        print(f"from alpha {step.alpha:.4f} on: {step.leaves:3} leaves, accuracy {100 * (1 - step.error):.1f} %")
    best = prune.select(path, by=prune.lowest_error)
    print(f"\nThe best one: {best!r}")
    if folder is None:
        print("\nFor the page, name a folder: python examples/pruning_page.py build/pictures")
        return
    Path(folder).mkdir(parents=True, exist_ok=True)
    page(tree, path=path).save(Path(folder) / "pruning_page.html")
    draw(best).save(Path(folder) / "pruning_page.svg")
    print(f"\nPage and drawing: {folder}/pruning_page.html, pruning_page.svg")


if __name__ == "__main__":
    main(*sys.argv[1:2])
