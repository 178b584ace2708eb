"""A confusion matrix as a picture: numbers on shades that show the share of the true class."""

from typing import Any

import numpy as np

from ftree._lib.messages import type_of
from ftree._lib.pyplot import axes_or_new
from ftree.show.plot_text import plot_text
from ftree.study.confusion_matrix import Confusion

# Above this share the shade is so dark that white text is easier to read.
_DARK = 0.55
# The largest side of a new figure in inches; up to this number of classes, cells have numbers and all classes names.
_LARGEST, _WITH_NUMBERS = 18.0, 30


def plot_confusion(found: Confusion, *, ax: Any = None) -> Any:
    """Draw a confusion matrix, rows by true class, and return matplotlib's axes.

    Each cell has its number of rows (or their weight), on a shade that shows its share of the rows of the true class.
    Beyond 30 classes, cells have shades only, and only some classes are named.

    Raises an ImportError without matplotlib, a TypeError for anything but a result of `confusion`.

    >>> ax = plot_confusion(Confusion(("no", "yes"), ((3, 1), (0, 4))))
    >>> ax.get_xlabel(), ax.get_ylabel(), [text.get_text() for text in ax.texts]
    ('predicted', 'true', ['3', '1', '0', '4'])
    """
    if not isinstance(found, Confusion):
        message = f"found must be a result of confusion, got {type_of(found)}."
        raise TypeError(message)
    n, names = len(found.classes), [plot_text(label, 20) for label in found.classes]
    side = min(1.8 + 0.55 * n, _LARGEST)
    ax = axes_or_new(ax, name="plot_confusion", figsize=(side + 0.9, side), layout="constrained")
    counts = np.array(found.counts, dtype=np.float64)
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
    shown = ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    if n <= _WITH_NUMBERS:
        for (row, column), share in np.ndenumerate(shares):
            shade = "white" if share > _DARK else "black"
            ax.text(column, row, f"{counts[row, column]:g}", ha="center", va="center", color=shade)
    every = -(-n // _WITH_NUMBERS)
    ax.set_xticks(range(0, n, every), names[::every], rotation=45 if max(map(len, names)) > 4 else 0, ha="center")  # noqa: PLR2004  # longer names would overlap
    ax.set_yticks(range(0, n, every), names[::every])
    ax.set(xlabel="predicted", ylabel="true")
    ax.figure.colorbar(shown, ax=ax, label="share of the true class", shrink=0.8)
    return ax
