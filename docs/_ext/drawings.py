"""Drawings of trees on pages: each build makes them again, so that they are what `draw` makes now."""

import os
from pathlib import Path

from sphinx.application import Sphinx

from ftree import C45, CART, Tree, datasets, draw, grow, prune, stop

DOCS = Path(__file__).parents[1]
PUBLISHED = Path(os.environ.get("FTREE_SHARED", DOCS.parents[1] / "shared")) / "uci"


def drawn(_: Sphinx) -> None:
    """Write the drawings; that of the votes stays as it is where their file is not at hand."""
    write("pictures/weather_tree.svg", grow(datasets.weather()))
    write("pictures/monks_tree.svg", prune.error_based()(grow(datasets.monks(3, part="train"), CART)))  # the README's
    write("pictures/cars_tree.svg", grow(datasets.auto_mpg(numeric=True), CART.stopping(stop.max_depth(2))))
    if PUBLISHED.is_dir():
        write("tutorials/votes_tree.svg", pruned_votes())


def write(path: str, tree: Tree) -> None:
    text = draw(tree).text
    if (DOCS / path).read_text(encoding="utf-8") != text:
        (DOCS / path).write_text(text, encoding="utf-8")


def pruned_votes() -> Tree:
    """The tree of the first tutorial."""
    training, held_out = datasets.fetch("house-votes", cache=PUBLISHED).split(0.5, seed=0)
    pruning_set, _ = held_out.split(0.5, seed=0)
    return prune.reduced_error(pruning_set)(grow(training, C45))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", drawn)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
