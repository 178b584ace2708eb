"""A drawn tree
============

One sees where most cases go, which splits leave them mixed, and which leaves are pure: nodes have bars of class counts, and
branches are as wide as their share of the cases. `plot_tree` makes a figure, or draws on axes that it is given, as here.
"""

import sys
from typing import Any

from pictures import Place, picture
from weather import weather

from ftree import Tree, depth, grow, n_leaves, plot_tree


def draw(figure: Any, tree: Tree) -> None:
    plot_tree(tree, ax=figure.subplots()).set_title("14 days: when to play")


def main(folder: Place = None) -> None:
    tree = grow(weather())
    print(f"{tree}\n\nIts drawing is {n_leaves(tree)} leaves wide and {depth(tree)} questions deep.")
    picture("drawn_tree", folder, draw, tree, size=(8, 4.5))


if __name__ == "__main__":
    main(*sys.argv[1:2])
