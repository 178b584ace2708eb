"""Two trees side by side in a matplotlib picture, with strong colours where they differ and pale ones elsewhere."""

from collections.abc import Sequence
from typing import Any

from ftree._lib.messages import type_of
from ftree._lib.pyplot import axes_or_new
from ftree.show.compare_trees import ComparedTrees
from ftree.show.plot_layout import Placed, placed
from ftree.show.plot_nodes import HEIGHT, add_legend, draw_nodes, figure_size, frame
from ftree.show.plot_text import plot_text
from ftree.tree.nodes import Leaf


def plot_differences(compared: ComparedTrees, *, names: Sequence[str] = ("one", "other"), ax: Any = None) -> Any:
    """Draw two compared trees side by side, and return matplotlib's axes.

    Nodes that differ, and all nodes below a difference of structure, have strong colours; common nodes are pale. `names` stand
    above the trees.

    Raises an ImportError without matplotlib, a TypeError for anything but a result of `compare_trees`.

    >>> from ftree import collapse_at, compare_trees, datasets, grow
    >>> tree = grow(datasets.weather())
    >>> [text.get_text() for text in plot_differences(compare_trees(tree, collapse_at(tree, (2,)))).texts][-1]
    'other'
    """
    if not isinstance(compared, ComparedTrees):
        message = f"compared must be a result of compare_trees, got {type_of(compared)}."
        raise TypeError(message)
    trees = [placed(tree.root) for tree in (compared.one, compared.other)]
    ax = axes_or_new(ax, name="plot_differences", figsize=figure_size(trees), layout="constrained")
    frame(ax, trees)
    left = 0
    for nodes, name in zip(trees, names, strict=True):
        draw_nodes(ax, compared.one.schema, nodes, left=left, marked=_marked(nodes, compared))
        ax.text(left + nodes[0].x, HEIGHT / 2 + 0.13, plot_text(name), ha="center", va="center", weight="bold")
        left += sum(isinstance(each.node, Leaf) for each in nodes)
    add_legend(ax, compared.one.schema)
    return ax


def _marked(nodes: Sequence[Placed], compared: ComparedTrees) -> list[bool]:
    """Which nodes stand out."""
    places = {(each.parent, each.child): number for number, each in enumerate(nodes)}
    marks = [""] * len(nodes)
    for each in compared.differences:
        at = 0
        for child in each.path:
            at = places[at, child]
        marks[at] = each.kind
    for number, node in enumerate(nodes[1:], 1):
        if marks[node.parent] not in ("", "counts"):
            marks[number] = marks[node.parent]
    return [bool(mark) for mark in marks]
