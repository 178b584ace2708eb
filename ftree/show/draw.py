"""A tree as a picture in SVG: bars of class counts in every node, and branches as wide as the cases that follow them."""

from collections.abc import Iterator, Sequence

from ftree._lib.fields import require_boolean
from ftree.show.document import Document
from ftree.show.outline import OutlineNode, outline
from ftree.show.svg import framed
from ftree.show.svg_edges import LEVEL_GAP, bands, edge
from ftree.show.svg_legend import legend
from ftree.show.svg_nodes import NODE_HEIGHT, NodeLook, look_of, node
from ftree.show.tidy_layout import columns, tidy
from ftree.tree.nodes import Tree

# Between neighbours on a level, and under the legend.
_NODE_GAP, _LEGEND_GAP = 14.0, 14.0
# The maximum width of the legend of a narrower tree.
_LEGEND_WIDTH = 400.0


def draw(tree: Tree, *, max_depth: int | None = None, max_leaves: int | None = 1000, leaf_charts: bool = False) -> Document:
    """Draw a tree as SVG, which needs no other file or program: `draw(tree).save("tree.svg")` saves it, a notebook shows it.

    A node shows the expression that its split tests, or its label; a bar of its class counts; and the counts, or, if there are
    more than three classes, how many cases have the most frequent one. The width of a branch is proportional to its cases. Long
    texts are shortened; tooltips have the whole texts and all counts.

    `max_depth` closes branches at that depth, `max_leaves` those with the fewest cases; "… 3 more leaves" counts hidden
    leaves. Hundreds of leaves are easier to read with `max_leaves=50`, or as a `page`. Without limits (None), a tree 100,000 deep
    becomes a picture that no program opens. With `leaf_charts`, all leaves stand on one line, each as a chart of its class
    distribution, as partykit draws them.

    Raises a TypeError for anything but a Tree, and for `leaf_charts` that is neither True nor False; a ValueError for limits
    that are not whole numbers.

    >>> from ftree import datasets, grow
    >>> drawing = draw(grow(datasets.weather()))
    >>> drawing.text[:4], drawing.text.count("<title>")
    ('<svg', 18)
    """
    require_boolean("leaf_charts", leaf_charts)
    shown = outline(tree, max_depth=max_depth, max_leaves=max_leaves)
    looks = [look_of(tree.schema, shown, number, leaf_charts=leaf_charts) for number in range(len(shown))]
    middles = (columns if leaf_charts else tidy)([part.below for part in shown], [look.width + _NODE_GAP for look in looks])
    wide = max(middle + look.width / 2 for middle, look in zip(middles, looks, strict=True))
    key, key_width, above = legend(tree.schema, max(wide, _LEGEND_WIDTH))
    tops = [above + _LEGEND_GAP + top for top in _tops(shown, on_one_line=leaf_charts)]
    high = max(top + look.height for top, look in zip(tops, looks, strict=True))
    parts = [*key, *_edges(shown, looks, middles, tops), *_nodes(tree, looks, middles, tops)]
    return Document(framed(_title(tree, shown), parts, max(wide, key_width), high), "svg")


def _tops(shown: Sequence[OutlineNode], *, on_one_line: bool) -> list[float]:
    """The upper side of each node, relative to that of the root."""
    deepest = max(part.depth for part in shown)
    depths = [deepest if on_one_line and not part.below else part.depth for part in shown]
    return [depth * (NODE_HEIGHT + LEVEL_GAP) for depth in depths]


def _edges(
    shown: Sequence[OutlineNode], looks: Sequence[NodeLook], middles: Sequence[float], tops: Sequence[float]
) -> Iterator[str]:
    widths = bands(shown)
    for number, part in enumerate(shown[1:], 1):
        start, end = (middles[part.parent], tops[part.parent] + NODE_HEIGHT), (middles[number], tops[number])
        yield edge(part, looks[number].condition, widths[number], start, end)


def _nodes(tree: Tree, looks: Sequence[NodeLook], middles: Sequence[float], tops: Sequence[float]) -> list[str]:
    return [node(tree.schema, *placed) for placed in zip(looks, middles, tops, strict=True)]


def _title(tree: Tree, shown: Sequence[OutlineNode]) -> str:
    """The text for readers who do not see the picture."""
    hidden = sum(part.hidden for part in shown)
    leaves = hidden + sum(not part.below and not part.hidden for part in shown)
    more = f", of which {hidden} are not shown" if hidden else ""
    return f"Decision tree for {tree.schema.target} with {leaves} {'leaf' if leaves == 1 else 'leaves'}{more}"
