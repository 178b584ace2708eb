"""A tree as a matplotlib picture, and two trees with their differences."""

from collections.abc import Sequence
from importlib import import_module
from math import inf
from typing import Any, TypeAlias

import numpy as np

from ftree._lib.arrays import Floats
from ftree._lib.fields import is_finite, is_iterable, require_boolean
from ftree._lib.messages import short_repr, type_of
from ftree.show.compare_trees import ComparedTrees
from ftree.show.looks import GREY, IN_LEGEND, looks_of, tinted
from ftree.show.outline import OutlineNode, outline
from ftree.show.plot_numbers import axes_or_new, plot_text
from ftree.show.tidy_layout import columns, tidy
from ftree.tree.describe import answered
from ftree.tree.nodes import Tree, tree_of


def plot_tree(
    tree: Tree, *, max_depth: int | None = None, leaf_charts: bool = False, fontsize: float | None = None, ax: Any = None
) -> Any:
    """Draw a tree, and return matplotlib's axes.

    A node has the expression that its split tests, or its label, the class counts, and a bar of them. The width of a branch is
    proportional to its cases. Long names are shortened. In a tree too large for readable text, the nodes are bars, unless there
    is a `fontsize` in points, with which a new figure grows. `max_depth` closes branches at that depth. With `leaf_charts`, all
    leaves stand on one line, each above a chart of its class distribution, as partykit draws them.

    Raises an ImportError without matplotlib, a TypeError for anything but a Tree, for `leaf_charts` that is neither True nor
    False, and for an `ax` that is not an Axes; a ValueError for a depth that is no whole number, or a font of no size.

    >>> from ftree import grow, datasets
    >>> plot_tree(grow(datasets.weather())).get_legend().get_title().get_text()
    'play'
    """
    tree = tree_of(tree)
    require_boolean("leaf_charts", leaf_charts)
    if fontsize is not None and not (is_finite(fontsize) and fontsize > 0):
        raise ValueError(f"fontsize must be a number of points above 0, got {short_repr(fontsize)}.")
    nodes = outline(tree, max_depth=max_depth)
    spots = spots_of(nodes, leaf_charts=leaf_charts)
    size = figure_size(nodes, across(spots), leaf_charts=leaf_charts, fontsize=fontsize)
    ax = axes_or_new(ax, name="plot_tree", figsize=size)
    frame(ax, nodes, across(spots), leaf_charts=leaf_charts)
    draw_nodes(ax, nodes, spots, leaf_charts=leaf_charts, fontsize=fontsize)
    add_legend(ax, answered(tree.schema), nodes)
    return ax


Shown: TypeAlias = Sequence[OutlineNode]
Spot: TypeAlias = tuple[float, float]
# Sizes in nodes (across) and levels (down).
WIDTH, HEIGHT, BAR = 0.9, 0.46, 0.1
# Inches for a node and for a level of a new figure, and the maximum of both sides.
_LEAF, _LEVEL, _LARGEST = 1.4, 1.15, 60.0
# Characters of a line of text in a node, and the width of a character as a share of the font size.
_CHARACTERS, _CHARACTER = 17, 0.58
# Sizes of fonts in points; a text that would need a smaller font is omitted.
_SMALLEST, _LARGEST_FONT = 4.0, 9.0
# The width in points of a branch that all cases follow, and the height of its condition above a node.
_WIDEST, _UP = 9.0, 0.33
# Points of the curve of a branch.
_CURVE = np.linspace(0, 1, 16)
# Inches for a legend beside a new figure, and for each of its lines.
_LEGEND, _LINE = 1.8, 0.22


def figure_size(nodes: Shown, wide: float, *, leaf_charts: bool = False, fontsize: float | None = None) -> tuple[float, float]:
    """The size in inches of a figure for a number of nodes side by side, and the legend beside them."""
    down = 1 + _depth(nodes) + (CHART + GAP) * leaf_charts
    entries = min(len(nodes[0].looks.legend()), IN_LEGEND) + 2
    scale, most = (1.0, _LARGEST) if fontsize is None else (fontsize / _LARGEST_FONT, inf)
    high = max(scale * _LEVEL * down + 0.6, _LINE * entries)
    return min(max(scale * _LEAF * wide, 3.0) + _LEGEND, most), min(high, most)


def frame(ax: Any, nodes: Shown, wide: float, *, leaf_charts: bool = False) -> None:
    """Give the axes the limits of a number of nodes side by side, and remove their lines."""
    ax.set_axis_off()
    lowest = -_depth(nodes) - HEIGHT - (CHART + GAP) * leaf_charts
    ax.set(xlim=(-0.5 - 0.1 * leaf_charts, wide - 0.5), ylim=(lowest, HEIGHT))


def across(spots: Sequence[Spot]) -> float:
    """How many nodes side by side are as wide as a tree whose first node is at 0."""
    return max(x for x, _ in spots) + 1


def spots_of(nodes: Shown, *, left: float = 0, leaf_charts: bool = False) -> list[Spot]:
    """The middles of nodes, the leftmost at `left`; with `leaf_charts`, all leaves stand on the lowest level.

    >>> from ftree import datasets, grow
    >>> spots_of(outline(grow(datasets.weather()), max_depth=1))
    [(1.0, 0), (0.0, -1), (1.0, -1), (2.0, -1)]
    """
    middles = (columns if leaf_charts else tidy)([each.below for each in nodes], [1.0] * len(nodes))
    down = (-_depth(nodes) if leaf_charts and not each.below else -each.depth for each in nodes)
    return [(left + middle - 0.5, y) for middle, y in zip(middles, down, strict=True)]


def draw_nodes(
    ax: Any,
    nodes: Shown,
    spots: Sequence[Spot],
    *,
    marked: Sequence[bool] | None = None,
    leaf_charts: bool = False,
    fontsize: float | None = None,
) -> None:
    """Draw branches, boxes, bars and texts of a tree; nodes that are not marked are pale.

    With `leaf_charts`, each leaf stands above a chart of its class distribution.
    """
    strong = [True] * len(nodes) if marked is None else marked
    size, least = (font_size(ax), _SMALLEST) if fontsize is None else (fontsize, 0.0)
    _draw_branches(ax, nodes, spots)
    _draw_boxes(ax, spots, strong)
    _draw_bars(ax, nodes, spots, strong, high=BAR if size >= least else HEIGHT)
    if leaf_charts:
        corners = [(x - WIDTH / 2, y - HEIGHT / 2 - GAP) for x, y in spots]
        draw_leaf_charts(ax, nodes, corners, WIDTH, size if size >= least else 0)
    if size >= least:
        _write(ax, nodes, spots, strong, size)


def add_legend(ax: Any, name: str, nodes: Shown) -> None:
    """Show what the colours of nodes stand for to the right of the axes, where no node stands."""
    from matplotlib.patches import Patch  # noqa: PLC0415  # loaded when a picture is drawn

    keys = nodes[0].looks.legend()
    handles = [Patch(color=shade, label=plot_text(label, 30)) for shade, label in keys[:IN_LEGEND]]
    if len(keys) > IN_LEGEND:
        handles.append(Patch(color="none", label=f"… {len(keys) - IN_LEGEND} more classes"))
    place = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "borderaxespad": 0.0}
    ax.legend(handles=handles, title=plot_text(name, 30), frameon=False, **place)


def font_size(ax: Any) -> float:
    """The size in points of a font whose lines fit into a node."""
    low, high = ax.get_xlim()
    points = 72 * ax.get_window_extent().width / ax.figure.dpi / (high - low) * WIDTH
    return min(float(points) / (_CHARACTERS * _CHARACTER), _LARGEST_FONT)


def _draw_branches(ax: Any, nodes: Shown, spots: Sequence[Spot]) -> None:
    """Curves between levels, where no node stands, as wide as the share of cases that follow them; vertical below."""
    total = nodes[0].cases or 1
    lines, gap = [], 1 - HEIGHT
    for each, (x, y) in zip(nodes[1:], spots[1:], strict=True):
        start, low = spots[each.parent]
        curve = np.stack([start + (x - start) * (3 * _CURVE**2 - 2 * _CURVE**3), low - HEIGHT / 2 - gap * _CURVE], axis=1)
        lines.append([*curve, (x, y + HEIGHT / 2)])
    widths = [0.8 + _WIDEST * each.cases / total for each in nodes[1:]]
    _add(ax, "LineCollection", lines, linewidths=widths, colors=tinted(GREY, 0.5), capstyle="butt", zorder=1)


def _draw_boxes(ax: Any, spots: Sequence[Spot], strong: Sequence[bool]) -> None:
    x, y = np.array(spots).T
    boxes = rectangles(x - WIDTH / 2, y - HEIGHT / 2, WIDTH, HEIGHT)
    edges = ["#404040" if mark else tinted(GREY, 0.4) for mark in strong]
    _add(ax, "PolyCollection", boxes, facecolors="white", edgecolors=edges, linewidths=0.8, zorder=2)


def _draw_bars(ax: Any, nodes: Shown, spots: Sequence[Spot], strong: Sequence[bool], *, high: float) -> None:
    """At the foot of each node, the bar of its answer."""
    parts: list[tuple[float, float, float]] = []
    colours: list[str] = []
    for each, (x, y), mark in zip(nodes, spots, strong, strict=True):
        for shade, start, length in each.looks.bar(each.node.counts):
            parts.append((x + (start - 0.5) * WIDTH, y - HEIGHT / 2, WIDTH * length))
            colours.append(shade if mark else tinted(shade, 0.4))
    lefts, lows, widths = np.array(parts).reshape(-1, 3).T
    _add(ax, "PolyCollection", rectangles(lefts, lows, widths, high), facecolors=colours, zorder=3)


def _write(ax: Any, nodes: Shown, spots: Sequence[Spot], strong: Sequence[bool], size: float) -> None:
    """The texts of nodes, and above them the conditions of their branches."""
    place = {"ha": "center", "va": "center", "zorder": 4}
    white = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85}
    for each, (x, y), mark in zip(nodes, spots, strong, strict=True):
        shade, weight = "black" if mark else GREY, "normal" if each.below else "bold"
        ax.text(x, y + 0.11, plot_text(each.heading, _CHARACTERS), size=size, weight=weight, color=shade, **place)
        ax.text(x, y - 0.04, plot_text(each.figures, _CHARACTERS), size=0.85 * size, color=shade, **place)
        if each.parent >= 0:
            ax.text(x, y + _UP, plot_text(each.short, _CHARACTERS + 3), size=0.85 * size, color=shade, bbox=white, **place)
        if each.hidden:
            ax.text(x, y - _UP, each.more, size=0.85 * size, style="italic", color=GREY, **place)


def _depth(nodes: Shown) -> int:
    return max(each.depth for each in nodes)


# The height of a chart in levels, and of the gap between it and the leaf above.
CHART, GAP = 0.9, 0.08


def draw_leaf_charts(ax: Any, nodes: Shown, corners: Sequence[tuple[float, float]], width: float, size: float) -> None:
    """Draw a chart for each leaf, with its upper left corner at the node's corner; `size` of the font, or 0 for no text."""
    leaves = [(each, corner) for each, corner in zip(nodes, corners, strict=True) if not each.below]
    left, top = np.array([corner for _, corner in leaves]).T
    low = top - CHART
    _draw_frames(ax, left, low, width)
    parts = [(number, *part) for number, (each, _) in enumerate(leaves) for part in each.looks.chart(each.node.counts)]
    places = np.array([(number, *sides) for number, _, *sides in parts]).reshape(-1, 5)
    leaf, (start, bottom, wide, high) = places[:, 0].astype(np.intp), places[:, 1:].T
    bars = rectangles(left[leaf] + width * start, low[leaf] + CHART * bottom, width * wide, CHART * high)
    _add(ax, "PolyCollection", bars, facecolors=[shade for _, shade, *_ in parts], zorder=3)
    if size:
        _write_scale(ax, nodes[0].looks.ends, float(left.min()), float(low[0]), size)


def _draw_frames(ax: Any, left: Floats, low: Floats, width: float) -> None:
    """The frames of all charts, with a dotted line at one half."""
    pale = tinted(GREY, 0.6)
    frames = rectangles(left, low, width, CHART)
    _add(ax, "PolyCollection", frames, facecolors="none", edgecolors=pale, linewidths=0.6, zorder=3)
    ends = [np.stack([x, low + CHART / 2], axis=-1) for x in (left, left + width)]
    _add(ax, "LineCollection", list(np.stack(ends, axis=1)), colors=pale, linewidths=0.6, linestyles=":", zorder=2)


def _add(ax: Any, kind: str, shapes: Any, **look: Any) -> None:
    """Add shapes as a collection of matplotlib, which is loaded when a picture is drawn."""
    ax.add_collection(getattr(import_module("matplotlib.collections"), kind)(shapes, **look))


def rectangles(left: Floats, low: Floats, wide: Floats | float, high: Floats | float) -> Any:  # matplotlib declares no arrays
    """The corners of rectangles, (n, 4, 2).

    >>> rectangles(np.zeros(1), np.zeros(1), 2, 1).tolist()
    [[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]]]
    """
    across = np.stack([left, left + wide, left + wide, left], axis=-1)
    up = np.stack([low, low, low + high, low + high], axis=-1)
    return np.stack([across, up], axis=-1)


def _write_scale(ax: Any, ends: Sequence[str], left: float, low: float, size: float) -> None:
    """The scale of charts, to the left of the first one."""
    for share, end in zip((0.0, 0.5, 1.0), ends, strict=False):
        look = {"size": 0.85 * size, "color": GREY, "ha": "right", "va": "center"}
        ax.text(left - 0.03, low + share * CHART, end, **look)


def plot_differences(compared: ComparedTrees, *, names: Sequence[str] = ("one", "other"), ax: Any = None) -> Any:
    """Draw two compared trees side by side, and return matplotlib's axes.

    Nodes that differ, and all nodes below a difference of structure, have strong colours; common nodes are pale. `names` stand
    above the trees.

    Raises an ImportError without matplotlib, a TypeError for anything but a result of `compare_trees`, a ValueError for other
    than two names.

    >>> from ftree import collapse_at, compare_trees, datasets, grow
    >>> tree = grow(datasets.weather())
    >>> [text.get_text() for text in plot_differences(compare_trees(tree, collapse_at(tree, (2,)))).texts][-1]
    'other'
    """
    if not isinstance(compared, ComparedTrees):
        raise TypeError(f"compared must be a result of compare_trees, got {type_of(compared)}.")
    both_names = () if isinstance(names, str) or not is_iterable(names) else tuple(names)
    if len(both_names) != 2:  # noqa: PLR2004  # one and the other
        raise ValueError(f"names must be the names of the two trees, got {short_repr(names)}.")
    looks = looks_of(compared.one, compared.other)
    trees = [outline(tree, looks=looks) for tree in (compared.one, compared.other)]
    first = across(spots_of(trees[0]))
    both = spots_of(trees[0]), spots_of(trees[1], left=first)
    wide, deeper = across(both[1]), max(trees, key=_depth)
    ax = axes_or_new(ax, name="plot_differences", figsize=figure_size(deeper, wide))
    frame(ax, deeper, wide)
    for nodes, spots, name in zip(trees, both, both_names, strict=True):
        draw_nodes(ax, nodes, spots, marked=_marked(nodes, compared))
        ax.text(spots[0][0], HEIGHT / 2 + 0.13, plot_text(name), ha="center", va="center", weight="bold")
    add_legend(ax, answered(compared.one.schema), trees[0])
    return ax


def _marked(nodes: Shown, compared: ComparedTrees) -> list[bool]:
    """Which nodes stand out."""
    marks = [""] * len(nodes)
    for each in compared.differences:
        at = 0
        for child in each.path:
            at = nodes[at].below[child]
        marks[at] = each.kind
    for number, node in enumerate(nodes[1:], 1):
        if marks[node.parent] not in ("", "counts"):
            marks[number] = marks[node.parent]
    return [bool(mark) for mark in marks]
