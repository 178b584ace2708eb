"""Lines in the plane where the label of a classifier changes."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ftree._lib.arrays import Array
from ftree._lib.messages import type_of
from ftree.data.dataset import Dataset
from ftree.routing.rule_names import Missing
from ftree.routing.scoring import Classifier
from ftree.show.palette import LINES
from ftree.show.plot_text import plot_text
from ftree.study.predictions import Predictions
from ftree.tree.nodes import Tree

Borders: TypeAlias = Mapping[str, Tree | Classifier | Sequence[Tree | Classifier]]
# The first of several lines has this grey, the last is black.
_PALEST = 0.85


def check_borders(borders: Any) -> None:
    """Raise a TypeError for anything but None or a dict of classifiers by name.

    >>> check_borders({"the truth": lambda dataset: dataset["y"]})
    """
    if borders is not None and not isinstance(borders, Mapping):
        message = f'borders must be classifiers by name, such as {{"the truth": function}}, got {type_of(borders)}.'
        raise TypeError(message)


def draw_borders(ax: Any, borders: Borders, plane: Dataset, x: Array, y: Array, *, missing: Missing | None = None) -> None:
    """Draw a line for each classifier on axes of matplotlib; `plane` has a row for each pair of y and x, x first."""
    for number, (name, given) in enumerate(borders.items()):
        several = list(given) if isinstance(given, Sequence) else [given]
        style = LINES[(number + 1) % len(LINES)] if len(several) == 1 else "-"  # dashed, unless grey tells them apart
        for place, classifier in enumerate(several):
            last = place == len(several) - 1
            shade = str(_PALEST * (1 - (place + 1) / len(several)))
            codes = Predictions(classifier, plane, missing=missing).predicted.reshape(len(y), len(x))
            look = {"colors": shade, "linestyles": style, "linewidths": 2.0 if last else 0.8}
            _draw_changes(ax, codes, x, y, look)
        ax.plot([], [], color="black", linestyle=style, linewidth=2.0, label=plot_text(name, 40))


def _draw_changes(ax: Any, codes: Array, x: Array, y: Array, look: dict[str, Any]) -> None:
    """A contour around the places of each label but the last one, whose borders are drawn by then."""
    for code in sorted(set(codes.ravel().tolist()))[:-1]:
        ax.contour(x, y, codes == code, levels=[0.5], **look)
