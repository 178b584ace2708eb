"""Curves as a picture: numbers against numbers, for one curve or several by name."""

from collections.abc import Mapping
from typing import Any, Literal

from ftree._lib.messages import short_repr, type_of
from ftree._lib.pyplot import axes_or_new
from ftree.show.palette import LINES, MARKERS, colour
from ftree.show.plot_text import plot_text

# Points of a longer curve would touch, and hide the line.
_WITH_MARKERS = 30
_SCALES = ("", "x", "y", "xy")


def plot_curves(
    curves: Mapping[str, Mapping[Any, float]] | Mapping[Any, float],
    *,
    xlabel: str = "",
    ylabel: str = "",
    log: Literal["", "x", "y", "xy"] = "",
    ax: Any = None,
) -> Any:
    """Draw points joined by lines, for one curve or for a dict of them by name, and return matplotlib's axes.

    A curve is a dict from x to y. Where its x are texts, they are equally far apart. `log` names the axes that have a
    logarithmic scale. Curves differ in colour, marker and line style.

    Raises an ImportError without matplotlib, a TypeError for what is no dict, a ValueError for no curve, for a curve without
    points, or another scale.

    >>> ax = plot_curves({"tree": {10: 0.5, 20: 0.75}, "neighbours": {10: 0.75, 20: 0.75}}, xlabel="rows", ylabel="accuracy")
    >>> [line.get_ydata().tolist() for line in ax.lines], ax.get_xlabel()
    ([[0.5, 0.75], [0.75, 0.75]], 'rows')
    """
    named = _by_name(curves)
    if log not in _SCALES:
        message = f"log must be '', 'x', 'y' or 'xy', got {short_repr(log)}."
        raise ValueError(message)
    ax = axes_or_new(ax, name="plot_curves", layout="constrained")
    for number, (name, curve) in enumerate(named.items()):
        mark = MARKERS[number % len(MARKERS)] if len(curve) <= _WITH_MARKERS else None
        look = {"color": colour(number), "marker": mark, "linestyle": LINES[number % len(LINES)]}
        ax.plot([plot_text(x) if isinstance(x, str) else x for x in curve], list(curve.values()), label=plot_text(name), **look)
    scales = {f"{axis}scale": "log" for axis in log}
    ax.set(xlabel=plot_text(xlabel), ylabel=plot_text(ylabel), **scales)
    ax.spines[["top", "right"]].set_visible(False)
    if named is curves:
        ax.legend()
    return ax


def _by_name(curves: Any) -> Mapping[str, Mapping[Any, float]]:
    """Curves by name; a single one has none."""
    if not isinstance(curves, Mapping):
        message = f"curves must be a dict from x to y, or a dict of such dicts by name, got {type_of(curves)}."
        raise TypeError(message)
    several = [isinstance(curve, Mapping) for curve in curves.values()]
    if any(several) and not all(several):
        message = "curves must be one dict from x to y, or dicts only, got a mixture of both."
        raise TypeError(message)
    named = curves if any(several) else {"": curves}
    if not all(named.values()):
        message = f"curves must have at least one point each, got curves of {[len(curve) for curve in named.values()]} points."
        raise ValueError(message)
    return named
