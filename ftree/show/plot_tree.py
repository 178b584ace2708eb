"""A tree as a matplotlib picture: tested expressions, class counts, and the numbers of cases in the branches."""

from typing import Any

from ftree._lib.fields import require_boolean
from ftree._lib.pyplot import axes_or_new
from ftree.show.plot_layout import placed
from ftree.show.plot_nodes import add_legend, draw_nodes, figure_size, frame
from ftree.tree.nodes import Tree, check_tree


def plot_tree(tree: Tree, *, leaf_charts: bool = False, ax: Any = None) -> Any:
    """Draw a tree, and return matplotlib's axes.

    A node has the expression that its split tests, or its label, the class counts, and a bar of them. The width of a branch is
    proportional to its cases. Long names are shortened. In a tree too large for readable text, the nodes are bars. With
    `leaf_charts`, all leaves stand on one line, each above a chart of its class distribution, as partykit draws them.

    Raises an ImportError without matplotlib, a TypeError for anything but a Tree, for `leaf_charts` that is neither True nor
    False, and for an `ax` that is not an Axes.

    >>> from ftree import grow, datasets
    >>> plot_tree(grow(datasets.weather())).get_legend().get_title().get_text()
    'play'
    """
    check_tree(tree)
    require_boolean("leaf_charts", leaf_charts)
    nodes = placed(tree.root)
    ax = axes_or_new(ax, name="plot_tree", figsize=figure_size([nodes], leaf_charts=leaf_charts), layout="constrained")
    frame(ax, [nodes], leaf_charts=leaf_charts)
    draw_nodes(ax, tree.schema, nodes, leaf_charts=leaf_charts)
    add_legend(ax, tree.schema)
    return ax
