"""The cells of a k-d tree in the plane, and those that a search looks into."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ftree._lib.messages import short_repr, type_of
from ftree._lib.pyplot import axes_or_new
from ftree.neighbors.kdtree import Cell, Cut, KdTree, Part
from ftree.neighbors.metric import distances
from ftree.show.palette import COLOURS

_PLANE, _GRID = 2, 200
_PALE = "#D9D9D9"


def plot_kd_tree(tree: KdTree, query: Sequence[float] | None = None, *, ax: Any = None) -> Any:
    """Draw the points of a plane and the cells of their k-d tree, and return matplotlib's axes.

    With a `query`, a point of the plane, a line shows all places as far from it as its nearest point is. Cells that the line
    encloses or touches are coloured: only they can have a nearer point.

    Raises an ImportError without matplotlib, a TypeError for what is no k-d tree, a ValueError for points that are not of two
    coordinates.

    >>> from ftree.neighbors import kd_tree
    >>> tree = kd_tree(np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 1.0], [6.0, 1.0]]), leaf_size=2)
    >>> [text.get_text() for text in plot_kd_tree(tree, (0.4, 0.1)).get_legend().get_texts()][:2]
    ['cell that can have a nearer point', 'other cell']

    Source: Friedman, Bentley & Finkel 1977.
    """
    if not isinstance(tree, KdTree):
        message = f"tree must be a KdTree, as kd_tree(points) makes it, got {type_of(tree)}."
        raise TypeError(message)
    at = None if query is None else np.asarray(query, dtype=np.float64)
    if tree.points.shape[1] != _PLANE or (at is not None and at.shape != (_PLANE,)):
        got = f"{tree.points.shape[1]} and a query {short_repr(query)}"
        message = f"tree and query must have two coordinates to be drawn, got {got}."
        raise ValueError(message)
    ax = axes_or_new(ax, name="plot_kd_tree", layout="constrained")
    nearest = -1.0 if at is None else tree.nearest(at[None], 1)[0].item()
    boxes = [(np.array(cell.low), np.array(cell.high)) for cell in _cells(tree.root)]
    near = [at is not None and tree.metric(at, at.clip(low, high)) <= nearest for low, high in boxes]
    for wanted, shade, label in [(True, COLOURS[1], "cell that can have a nearer point"), (False, _PALE, "other cell")]:
        chosen = [box for box, inside in zip(boxes, near, strict=True) if inside == wanted]
        _draw_cells(ax, chosen, shade, "cell" if at is None else label)
    ax.scatter(*tree.points.T, s=10, color=COLOURS[0], label="point", zorder=3)
    if at is not None:
        _draw_query(ax, tree, at, nearest)
    ax.set(aspect="equal", xlabel="first coordinate", ylabel="second coordinate")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=3, frameon=False, fontsize="small")
    return ax


def _cells(root: Part) -> Iterator[Cell]:
    """The leaves of the k-d tree, in order."""
    stack = [root]
    while stack:
        part = stack.pop()
        if isinstance(part, Cut):
            stack += [part.above, part.below]
        else:
            yield part


def _draw_cells(ax: Any, boxes: list[tuple[Any, Any]], shade: str, label: str) -> None:
    """One entry of the legend stands for all boxes of a kind."""
    for number, (low, high) in enumerate(boxes):
        named = {"label": label} if number == 0 else {}
        ax.fill_between([low[0], high[0]], low[1], high[1], alpha=0.6, facecolor=shade, edgecolor="#666666", **named)


def _draw_query(ax: Any, tree: KdTree, at: Any, nearest: float) -> None:
    """The query, and the line of all places as far from it as its nearest point, a circle or what the metric makes of it."""
    sides = [np.linspace(center - 1.1 * nearest, center + 1.1 * nearest, _GRID) for center in at]
    if nearest > 0:
        plane = np.stack(np.meshgrid(*sides), axis=-1)
        ax.contour(*sides, distances(tree.metric, plane, at), levels=[nearest], colors="black")
        ax.plot([], [], color="black", label="as far as the nearest")
    ax.plot(*at, "kx", label="query")
