"""A drawn tree: class distributions as bars in every node, conditions on the edges.

One learns how far a fold goes: the layout, a width and how far from the left the node of each path stands, is one. A
branch sets its children's drawings side by side and stands above their middle. `draw` takes any tree of moderate size.
"""

import sys
from itertools import accumulate, cycle
from typing import Any

from pictures import COLOURS, Place, picture
from weather import weather

from ftree import Leaf, Node, Tree, depth, fold, grow, majority
from ftree.criteria import proportions
from ftree.tree.describe import condition, tested_expression


def layout(tree: Tree) -> tuple[float, dict[tuple[int, ...], tuple[float, Node]]]:
    def branch(node: Node, below: Any) -> Any:
        *lefts, width = accumulate((width for width, _ in below), initial=0.0)
        kids = enumerate(zip(lefts, below, strict=True))
        placed = {(kid, *way): (left + x, each) for kid, (left, (_, nodes)) in kids for way, (x, each) in nodes.items()}
        return width, {(): ((placed[(0,)][0] + placed[(len(below) - 1,)][0]) / 2, node), **placed}

    return fold(tree, lambda leaf: (1.0, {(): (0.5, leaf)}), branch)


def draw(tree: Tree, axes: Any, *, title: str = "") -> None:
    width, nodes = layout(tree)
    for way, (x, node) in nodes.items():
        if way:
            above, parent = nodes[way[:-1]]
            words = condition(tree.schema, parent.split, way[-1]).removeprefix(tested_expression(tree.schema, parent.split))
            axes.plot([above, x], [0.78 - len(way), 0.2 - len(way)], color="0.5", zorder=0)
            axes.text((above + x) / 2, 0.49 - len(way), words.strip(" ="), ha="center", va="center", backgroundcolor="white")
        draw_node(axes, tree, node, x, -len(way))
    axes.set(xlim=(0, width), ylim=(-depth(tree) - 0.3, 0.3), title=title, frame_on=False, xticks=(), yticks=())
    axes.legend(title=tree.schema.target)


def draw_node(axes: Any, tree: Tree, node: Node, x: float, y: float) -> None:
    leaf, shares = isinstance(node, Leaf), 0.8 * proportions(node.counts)
    words = tree.schema.classes[majority(node.counts)] if leaf else f"{tested_expression(tree.schema, node.split)}?"
    axes.text(x, y + 0.08, words, ha="center", va="bottom", weight="bold" if leaf else "normal")
    parts = zip(tree.schema.classes, shares, accumulate(shares, initial=x - 0.4), cycle(COLOURS), strict=False)
    for label, share, left, colour in parts:
        axes.barh(y, share, 0.12, left, color=colour, label=None if y else label)
    axes.text(x, y - 0.08, " : ".join(map("{:g}".format, node.counts)), ha="center", va="top", color="0.3", fontsize="small")


def main(folder: Place = None) -> None:
    tree = grow(weather())
    print(f"{tree}\n\nIts drawing is {layout(tree)[0]:g} leaves wide and {depth(tree)} questions deep.")
    picture("drawn_tree", folder, lambda figure: draw(tree, figure.subplots(), title="14 days: when to play"), size=(7.5, 5))


if __name__ == "__main__":
    main(*sys.argv[1:2])
