"""Charts under the leaves of a plotted tree: the share of each class as a bar, as in R's partykit (Hothorn & Zeileis 2015)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ftree._lib.arrays import Floats
from ftree.show.palette import GREY, class_colours, mixed
from ftree.show.plot_layout import Placed
from ftree.tree.nodes import Counts, Leaf
from ftree.tree.schema import Schema

# The height of a chart in levels, and of the gap between it and the leaf above.
CHART, GAP = 0.9, 0.08
# The share of its width that a bar fills.
_FILLED = 0.8


def draw_leaf_charts(
    ax: Any, schema: Schema, nodes: Sequence[Placed], corners: Sequence[tuple[float, float]], width: float, size: float
) -> None:
    """Draw a chart for each leaf, with its upper left corner at the node's corner; `size` of the font, or 0 for no text."""
    leaves = [(each.node, corner) for each, corner in zip(nodes, corners, strict=True) if isinstance(each.node, Leaf)]
    left, top = np.array([corner for _, corner in leaves]).T
    low = top - CHART
    _draw_frames(ax, left, low, width)
    _draw_bars(ax, list(class_colours(schema.classes).values()), [leaf.counts for leaf, _ in leaves], left, low, width)
    if size:
        _write_scale(ax, float(left.min()), float(low[0]), size)


def _draw_frames(ax: Any, left: Floats, low: Floats, width: float) -> None:
    """The frames of all charts, with a dotted line at one half."""
    from matplotlib.collections import LineCollection, PolyCollection  # noqa: PLC0415  # loaded when a picture is drawn

    pale = mixed(GREY, 0.6)
    frames = rectangles(left, low, width, CHART)
    ax.add_collection(PolyCollection(frames, facecolors="none", edgecolors=pale, linewidths=0.6, zorder=3))
    ends = [np.stack([x, low + CHART / 2], axis=-1) for x in (left, left + width)]
    ax.add_collection(LineCollection(list(np.stack(ends, axis=1)), colors=pale, linewidths=0.6, linestyles=":", zorder=2))


def _draw_bars(ax: Any, shades: list[str], listed: Sequence[Counts], left: Floats, low: Floats, width: float) -> None:
    """A bar for each class of each leaf with cases."""
    from matplotlib.collections import PolyCollection  # noqa: PLC0415  # loaded when a picture is drawn

    counts = np.array(listed, dtype=np.float64)
    leaf, label = np.nonzero(counts)
    each, shares = width / len(shades), counts[leaf, label] / counts.sum(axis=1)[leaf]
    start = left[leaf] + (label + (1 - _FILLED) / 2) * each
    bars = rectangles(start, low[leaf], _FILLED * each, CHART * shares)
    ax.add_collection(PolyCollection(bars, facecolors=[shades[number] for number in label], zorder=3))


def rectangles(left: Floats, low: Floats, wide: Floats | float, high: Floats | float) -> Any:  # matplotlib declares no arrays
    """The corners of rectangles, (n, 4, 2).

    >>> rectangles(np.zeros(1), np.zeros(1), 2, 1).tolist()
    [[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]]]
    """
    across = np.stack([left, left + wide, left + wide, left], axis=-1)
    up = np.stack([low, low, low + high, low + high], axis=-1)
    return np.stack([across, up], axis=-1)


def _write_scale(ax: Any, left: float, low: float, size: float) -> None:
    """The scale of shares, to the left of the first chart."""
    for share in (0.0, 0.5, 1.0):
        look = {"size": 0.85 * size, "color": GREY, "ha": "right", "va": "center"}
        ax.text(left - 0.03, low + share * CHART, f"{share:g}", **look)
