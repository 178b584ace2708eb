"""Rows of pixels as pictures, each beside the nearest row that a classifier remembers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ftree._lib.arrays import Array
from ftree._lib.messages import short_repr, type_of
from ftree._lib.pyplot import axes_or_new
from ftree.data.dataset import Dataset, require_dataset
from ftree.neighbors.knn import knn
from ftree.show.palette import COLOURS
from ftree.show.plot_text import plot_text

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
    truths = [asked.schema.classes[code] for code in asked.labels]
    ends = {"vmin": float(known.min()), "vmax": float(known.max()) or 1.0, "cmap": "gray_r"}
    ax = axes_or_new(ax, name="plot_nearest", layout="constrained")
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
        message = f"classifier must be one of nearest neighbours, as knn(dataset) makes it, got {type_of(classifier)}."
        raise TypeError(message)
    require_dataset(dataset)
    if np.prod(shape) != len(dataset.columns):
        message = f"shape must have a pixel for each of {len(dataset.columns)} features, got {short_repr(shape)}."
        raise ValueError(message)
    shown = list(range(min(len(dataset), 12)) if rows is None else rows)
    if not shown or columns < 1:
        message = f"rows and columns must be at least one, got {len(shown)} rows in {columns} columns."
        raise ValueError(message)
    return shown
