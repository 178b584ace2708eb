"""Impurities as pictures: curves over the mixes of two classes, a triangle over those of three."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ftree._lib.arrays import Array
from ftree._lib.fields import name_of
from ftree._lib.messages import short_repr
from ftree._lib.pyplot import axes_or_new
from ftree.show.palette import LINES, colour
from ftree.show.plot_text import plot_text

# Cases of a mix: two classes make so many points of a curve, three so many rows of a triangle.
_TWO, _THREE, _CORNERS = 200, 60, 3


def plot_impurities(impurities: Iterable[Callable[[Any], Any]], *, ax: Any = None) -> Any:
    """Draw impurities of two classes against the share of the first one, and return matplotlib's axes.

    An impurity is a function of class counts (n, 2) that returns n numbers, such as `entropy` and `gini`.

    Raises an ImportError without matplotlib, a TypeError for what are no functions, a ValueError for none.

    >>> from ftree import entropy, gini
    >>> ax = plot_impurities([entropy, gini])
    >>> [float(line.get_ydata().max()) for line in ax.lines], [text.get_text() for text in ax.get_legend().get_texts()]
    ([1.0, 0.5], ['entropy', 'gini'])
    """
    listed = _functions("impurities", impurities)
    ax = axes_or_new(ax, name="plot_impurities", layout="constrained")
    first = np.arange(_TWO + 1)
    mixes = np.stack([first, _TWO - first], axis=1)
    for number, impurity in enumerate(listed):
        look = {"color": colour(number), "linestyle": LINES[number % len(LINES)], "label": plot_text(name_of(impurity), 30)}
        ax.plot(first / _TWO, impurity(mixes), **look)
    ax.set(xlabel="share of the first of two classes", ylabel="impurity", ylim=(0, None))
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend()
    return ax


def plot_impurity_triangle(
    impurity: Callable[[Any], Any], *, classes: Sequence[str] = ("A", "B", "C"), label: str | None = None, ax: Any = None
) -> Any:
    """Draw an impurity of three classes as colours of a triangle, one class in each corner, and return matplotlib's axes.

    An impurity is a function of class counts (n, 3) that returns n numbers. `label` names the scale of colours; None is the
    function's name.

    Raises an ImportError without matplotlib, a TypeError for what is no function, a ValueError for another number of classes.

    >>> from ftree import entropy
    >>> ax = plot_impurity_triangle(entropy)
    >>> [text.get_text() for text in ax.texts]
    ['only A', 'only B', 'only C']

    """
    (function,) = _functions("impurity", [impurity])
    if isinstance(classes, str) or len(classes) != _CORNERS:
        message = f"classes must be the names of three classes, got {short_repr(classes)}."
        raise ValueError(message)
    ax = axes_or_new(ax, name="plot_impurity_triangle", layout="constrained")
    mixes, corners = _mixes_of_three(), np.array([(0, 0), (1, 0), (0.5, 3**0.5 / 2)])
    heights, (x, y) = np.asarray(function(mixes)), (mixes / _THREE @ corners).T
    levels = np.linspace(heights.min(), heights.max(), 13)
    filled = ax.tricontourf(x, y, heights, levels=levels, cmap="cividis")
    for (at, height), below, name in zip(corners, (0.06, 0.06, -0.03), classes, strict=True):
        ax.text(at, height - below, f"only {plot_text(name, 20)}", ha="center")
    ax.set(aspect="equal", ylim=(-0.06, 0.95))
    ax.axis("off")
    ticks, shown = levels[::4], plot_text(name_of(impurity) if label is None else label)
    ax.figure.colorbar(filled, ax=ax, label=shown, ticks=ticks, format="%.4g")
    return ax


def _mixes_of_three() -> Array:
    """Mixes of three classes, equal thirds among them, one in each row."""
    return np.array([(a, b, _THREE - a - b) for a in range(_THREE + 1) for b in range(_THREE + 1 - a)])


def _functions(name: str, given: Any) -> list[Callable[[Any], Any]]:
    listed = list(given) if isinstance(given, Iterable) else [given]
    if not listed:
        message = f"{name} must be at least one impurity, such as entropy, got none."
        raise ValueError(message)
    for each in listed:
        if not callable(each):
            message = f"{name} must be functions of class counts, such as entropy, got {short_repr(each)}."
            raise TypeError(message)
    return listed
