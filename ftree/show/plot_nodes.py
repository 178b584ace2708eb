"""The nodes of a tree on matplotlib's axes: boxes with bars of class counts and texts, and branches between them."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ftree.show.palette import GREY, IN_LEGEND, class_colours, mixed
from ftree.show.plot_layout import Placed
from ftree.show.plot_leaf_charts import CHART, GAP, draw_leaf_charts, rectangles
from ftree.show.plot_text import plot_text
from ftree.tree.describe import describe_condition, tested_expression
from ftree.tree.formats import format_number
from ftree.tree.nodes import Branch, Leaf, majority
from ftree.tree.schema import Schema

Spot: TypeAlias = tuple[float, float]
# Sizes in leaves (across) and levels (down).
WIDTH, HEIGHT, BAR = 0.9, 0.46, 0.1
# Inches for a leaf and for a level of a new figure, and the maximum of both sides.
_LEAF, _LEVEL, _LARGEST = 1.5, 1.15, 40.0
# Characters of a line of text in a node, and the width of a character as a share of the font size.
_CHARACTERS, _CHARACTER = 17, 0.58
# Sizes of fonts in points; a text that would need a smaller font is omitted.
_SMALLEST, _LARGEST_FONT = 4.0, 9.0
# The width in points of a branch that all cases follow, and the height of its condition above a node.
_WIDEST, _UP = 9.0, 0.36
# Counts are listed up to this number of classes; for more classes, the number of cases is shown.
_FEW = 4
# Inches for a legend beside a new figure, and for each of its lines.
_LEGEND, _LINE = 1.8, 0.22


def figure_size(trees: Sequence[Sequence[Placed]], *, leaf_charts: bool = False) -> tuple[float, float]:
    """The size in inches of a figure for trees side by side, and the legend beside them."""
    across = sum(_leaves(nodes) for nodes in trees)
    down = 1 + max(nodes[-1].depth for nodes in trees) + (CHART + GAP) * leaf_charts
    entries = min(len(trees[0][0].node.counts), IN_LEGEND) + 2
    high = max(_LEVEL * down + 0.6, _LINE * entries)
    return min(max(_LEAF * across, 3.0) + _LEGEND, _LARGEST), min(high, _LARGEST)


def frame(ax: Any, trees: Sequence[Sequence[Placed]], *, leaf_charts: bool = False) -> None:
    """Give the axes the limits of trees side by side, and remove their lines."""
    ax.set_axis_off()
    across = sum(_leaves(nodes) for nodes in trees)
    lowest = -max(nodes[-1].depth for nodes in trees) - HEIGHT - (CHART + GAP) * leaf_charts
    ax.set(xlim=(-0.5 - 0.1 * leaf_charts, across - 0.5), ylim=(lowest, HEIGHT))


def draw_nodes(
    ax: Any,
    schema: Schema,
    nodes: Sequence[Placed],
    *,
    left: float = 0.0,
    marked: Sequence[bool] | None = None,
    leaf_charts: bool = False,
) -> None:
    """Draw branches, boxes, bars and texts of a tree whose first leaf is at `left`; nodes that are not marked are pale.

    With `leaf_charts`, all leaves stand on the lowest level, each above a chart of its class distribution.
    """
    low = -nodes[-1].depth
    spots = [(left + each.x, low if leaf_charts and isinstance(each.node, Leaf) else -each.depth) for each in nodes]
    strong = [True] * len(nodes) if marked is None else marked
    size = font_size(ax)
    _draw_branches(ax, nodes, spots)
    _draw_boxes(ax, spots, strong)
    _draw_bars(ax, schema, nodes, spots, strong, high=BAR if size >= _SMALLEST else HEIGHT)
    if leaf_charts:
        corners = [(x - WIDTH / 2, y - HEIGHT / 2 - GAP) for x, y in spots]
        draw_leaf_charts(ax, schema, nodes, corners, WIDTH, size if size >= _SMALLEST else 0)
    if size >= _SMALLEST:
        _write(ax, schema, nodes, spots, strong, size)


def add_legend(ax: Any, schema: Schema) -> None:
    """Show the colour of each class to the right of the axes, where no node stands."""
    from matplotlib.patches import Patch  # noqa: PLC0415  # loaded when a picture is drawn

    shades = list(class_colours(schema.classes).items())
    handles = [Patch(color=shade, label=plot_text(label, 30)) for label, shade in shades[:IN_LEGEND]]
    if len(shades) > IN_LEGEND:
        handles.append(Patch(color="none", label=f"… {len(shades) - IN_LEGEND} more classes"))
    place = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "borderaxespad": 0.0}
    ax.legend(handles=handles, title=plot_text(schema.target, 30), frameon=False, **place)


def font_size(ax: Any) -> float:
    """The size in points of a font whose lines fit into a node."""
    low, high = ax.get_xlim()
    points = 72 * ax.get_window_extent().width / ax.figure.dpi / (high - low) * WIDTH
    return min(float(points) / (_CHARACTERS * _CHARACTER), _LARGEST_FONT)


def _draw_branches(ax: Any, nodes: Sequence[Placed], spots: Sequence[Spot]) -> None:
    """Lines between nodes, as wide as the share of cases that follow them: slanted for one level, and vertical below."""
    from matplotlib.collections import LineCollection  # noqa: PLC0415  # loaded when a picture is drawn

    total = sum(nodes[0].node.counts) or 1
    lines = []
    for each, (x, y) in zip(nodes[1:], spots[1:], strict=True):
        above = spots[each.parent]
        lines.append([above, (x, max(above[1] - 1, y)), (x, y)])
    widths = [0.8 + _WIDEST * sum(each.node.counts) / total for each in nodes[1:]]
    ax.add_collection(LineCollection(lines, linewidths=widths, colors=mixed(GREY, 0.5), capstyle="butt", zorder=1))


def _draw_boxes(ax: Any, spots: Sequence[Spot], strong: Sequence[bool]) -> None:
    from matplotlib.collections import PolyCollection  # noqa: PLC0415  # loaded when a picture is drawn

    x, y = np.array(spots).T
    boxes = rectangles(x - WIDTH / 2, y - HEIGHT / 2, WIDTH, HEIGHT)
    edges = ["#404040" if mark else mixed(GREY, 0.4) for mark in strong]
    ax.add_collection(PolyCollection(boxes, facecolors="white", edgecolors=edges, linewidths=0.8, zorder=2))


def _draw_bars(
    ax: Any, schema: Schema, nodes: Sequence[Placed], spots: Sequence[Spot], strong: Sequence[bool], *, high: float
) -> None:
    """At the foot of each node, a bar with a part for each class."""
    from matplotlib.collections import PolyCollection  # noqa: PLC0415  # loaded when a picture is drawn

    shades = list(class_colours(schema.classes).values())
    parts: list[tuple[float, float, float]] = []
    colours: list[str] = []
    for each, (x, y), mark in zip(nodes, spots, strong, strict=True):
        left, total = x - WIDTH / 2, sum(each.node.counts)
        for count, shade in zip(each.node.counts, shades, strict=True):
            if count:
                parts.append((left, y - HEIGHT / 2, WIDTH * count / total))
                colours.append(shade if mark else mixed(shade, 0.4))
                left += WIDTH * count / total
    lefts, lows, widths = np.array(parts).reshape(-1, 3).T
    ax.add_collection(PolyCollection(rectangles(lefts, lows, widths, high), facecolors=colours, zorder=3))


def _write(ax: Any, schema: Schema, nodes: Sequence[Placed], spots: Sequence[Spot], strong: Sequence[bool], size: float) -> None:
    """The texts of nodes, and the conditions on the branches to them."""
    place = {"ha": "center", "va": "center", "zorder": 4}
    white = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85}
    for each, (x, y), mark in zip(nodes, spots, strong, strict=True):
        shade, weight = "black" if mark else GREY, "bold" if isinstance(each.node, Leaf) else "normal"
        ax.text(x, y + 0.11, plot_text(_title(schema, each), _CHARACTERS), size=size, weight=weight, color=shade, **place)
        ax.text(x, y - 0.04, plot_text(_counts(each), _CHARACTERS), size=0.85 * size, color=shade, **place)
        above = nodes[each.parent].node if each.parent >= 0 else None
        if isinstance(above, Branch):
            told = plot_text(_answer(schema, above, each.child), _CHARACTERS + 3)
            aside, above_it = spots[each.parent]
            on_branch = x + _UP * (aside - x) * (above_it - y <= 1)
            ax.text(on_branch, y + _UP, told, size=0.85 * size, color=shade, bbox=white, **place)


def _title(schema: Schema, each: Placed) -> str:
    if isinstance(each.node, Branch):
        return tested_expression(schema, each.node.split)
    return str(schema.classes[majority(each.seen.counts)])


def _counts(each: Placed) -> str:
    counts = each.node.counts
    if len(counts) <= _FEW:
        return " | ".join(format_number(count, decimals=1) for count in counts)
    return f"{format_number(sum(counts), decimals=1)} cases"


def _answer(schema: Schema, branch: Branch, child: int) -> str:
    """The condition on a branch, without the name, which the node above shows."""
    told = describe_condition(schema, branch.split.conditions[child])
    return told.removeprefix(f"{tested_expression(schema, branch.split)} ").removeprefix("= ")


def _leaves(nodes: Sequence[Placed]) -> int:
    return sum(isinstance(each.node, Leaf) for each in nodes)
