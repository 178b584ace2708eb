"""Pictures of neighbours: the cells of a k-d tree that a search looks into, and the points nearest to a query."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ftree._lib.arrays import Array
from ftree._lib.messages import short_repr, type_of
from ftree.data.dataset import Dataset, require_dataset
from ftree.neighbors.indices import distances
from ftree.neighbors.kdtree import Cell, Cut, KdNode, KdTree
from ftree.neighbors.nearest_neighbours import knn
from ftree.show.pictures import COLOURS, axes_or_new, plot_text

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
        raise TypeError(f"tree must be a KdTree, as kd_tree(points) makes it, got {type_of(tree)}.")
    at = None if query is None else np.asarray(query, dtype=np.float64)
    if tree.points.shape[1] != _PLANE or (at is not None and at.shape != (_PLANE,)):
        got = f"{tree.points.shape[1]} and a query {short_repr(query)}"
        raise ValueError(f"tree and query must have two coordinates to be drawn, got {got}.")
    ax = axes_or_new(ax, name="plot_kd_tree")
    nearest = -1.0 if at is None else tree.nearest(at[None], 1)[0].item()
    boxes = [(np.array(cell.low), np.array(cell.high)) for cell in _cells(tree.root)]
    near = [at is not None and tree.metric(at, at.clip(low, high)) <= nearest for low, high in boxes]
    for wanted, shade, label in [(True, COLOURS[1], "cell that can have a nearer point"), (False, _PALE, "other cell")]:
        chosen = [box for box, inside in zip(boxes, near, strict=True) if inside == wanted]
        for number, (low, high) in enumerate(chosen):  # one entry of the legend stands for all boxes of a kind
            named = {} if number else {"label": "cell" if at is None else label}
            ax.fill_between([low[0], high[0]], low[1], high[1], alpha=0.6, facecolor=shade, edgecolor="#666666", **named)
    ax.scatter(*tree.points.T, s=10, color=COLOURS[0], label="point", zorder=3)
    if at is not None:
        _draw_query(ax, tree, at, nearest)
    ax.set(aspect="equal", xlabel="first coordinate", ylabel="second coordinate")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=3, frameon=False, fontsize="small")
    return ax


def _cells(root: KdNode) -> Iterator[Cell]:
    """The leaves of the k-d tree, in order."""
    stack = [root]
    while stack:
        part = stack.pop()
        if isinstance(part, Cut):
            stack += [part.above, part.below]
        else:
            yield part


def _draw_query(ax: Any, tree: KdTree, at: Any, nearest: float) -> None:
    """The query, and the line of all places as far from it as its nearest point, a circle or what the metric makes of it."""
    sides = [np.linspace(center - 1.1 * nearest, center + 1.1 * nearest, _GRID) for center in at]
    if nearest > 0:
        plane = np.stack(np.meshgrid(*sides), axis=-1)
        ax.contour(*sides, distances(tree.metric, plane, at), levels=[nearest], colors="black")
        ax.plot([], [], color="black", label="as far as the nearest")
    ax.plot(*at, "kx", label="query")


# A pair of pictures, each of side 1, takes this much room, with its texts and the gaps between.
_WIDE, _HIGH, _BETWEEN = 2.7, 1.6, 1.15
_RIGHT, _WRONG = COLOURS[2], COLOURS[5]


def plot_nearest(
    classifier: knn,
    dataset: Dataset,
    *,
    shape: tuple[int, int],
    rows: Sequence[int] | None = None,
    columns: int = 3,
    ax: Any = None,
) -> Any:
    """Draw rows as pictures, each beside the nearest row that is remembered, with both labels, and return matplotlib's axes.

    `shape` is the height and width of a picture, whose pixels are the features in order. `rows` are numbers of rows of the
    dataset; by default the first twelve. `columns` is the number of pairs in a line.

    Raises an ImportError without matplotlib, a TypeError for another classifier, a ValueError for another number of features
    than pixels, for no row, or for less than one column.

    >>> bits = Dataset.from_rows([[0, 1, 0, 1], [1, 0, 1, 0]], ["right", "left"])
    >>> ax = plot_nearest(knn(bits), bits, shape=(2, 2))
    >>> [text.get_text() for text in ax.texts]
    ['right', 'answer: right', 'left', 'answer: left']
    """
    shown = _checked(classifier, dataset, shape, rows, columns)
    asked = dataset.take(shown)
    near = classifier.nearest(asked)[1][:, 0]
    pixels, known = _pixels(asked), _pixels(classifier.dataset)
    truths = asked.labels.tolist()
    ends = {"vmin": float(known.min()), "vmax": float(known.max()) or 1.0, "cmap": "gray_r"}
    ax = axes_or_new(ax, name="plot_nearest")
    for number, (truth, answer) in enumerate(zip(truths, classifier(asked), strict=True)):
        x, y = number % columns * _WIDE, -(number // columns) * _HIGH
        told, shade = ("answer", _RIGHT) if answer == truth else ("wrong", _WRONG)
        _draw_one(ax, pixels[number].reshape(shape), (x, y), f"{truth}", "black", ends)
        _draw_one(ax, known[near[number]].reshape(shape), (x + _BETWEEN, y), f"{told}: {answer}", shade, ends)
    lines = -(-len(shown) // columns)
    ax.set(xlim=(-0.1, min(columns, len(shown)) * _WIDE), ylim=(-(lines - 1) * _HIGH - 0.1, _HIGH), aspect="equal")
    ax.axis("off")
    return ax


def _draw_one(ax: Any, pixels: Array, corner: tuple[float, float], told: str, shade: str, ends: dict[str, Any]) -> None:
    """One picture in a frame, with a text above."""
    x, y = corner
    ax.imshow(pixels, extent=(x, x + 1, y, y + 1), **ends)
    ax.plot([x, x + 1, x + 1, x, x], [y, y, y + 1, y + 1, y], color=shade, linewidth=0.8)
    ax.text(x + 0.5, y + 1.08, plot_text(told, 18), ha="center", color=shade)


def _pixels(dataset: Dataset) -> Array:
    return np.column_stack([np.asarray(column, dtype=np.float64) for column in dataset.columns])


def _checked(classifier: Any, dataset: Any, shape: Any, rows: Any, columns: int) -> list[int]:
    """The numbers of the rows to draw."""
    if not isinstance(classifier, knn):
        raise TypeError(f"classifier must be one of nearest neighbours, as knn(dataset) makes it, got {type_of(classifier)}.")
    require_dataset(dataset)
    if np.prod(shape) != len(dataset.columns):
        raise ValueError(f"shape must have a pixel for each of {len(dataset.columns)} features, got {short_repr(shape)}.")
    shown = list(range(min(len(dataset), 12)) if rows is None else rows)
    if not shown or columns < 1:
        raise ValueError(f"rows and columns must be at least one, got {len(shown)} rows in {columns} columns.")
    return shown
