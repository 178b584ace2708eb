"""Importances of features as bars, the largest first."""

from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import Any

from ftree._lib.messages import short_repr, type_of
from ftree._lib.pyplot import axes_or_new
from ftree.show.palette import COLOURS
from ftree.show.plot_text import plot_text


def plot_importances(
    importances: Mapping[str, float | Sequence[float]], *, most: int = 20, label: str = "importance", ax: Any = None
) -> Any:
    """Draw a bar for each feature, the largest at the top, and return matplotlib's axes.

    `importances` is a result of `importances` or `permutation_importances`: numbers by feature name. Several numbers for a
    feature are drawn as their mean, with a line of one standard deviation to each side. Features beyond the `most` largest
    are omitted, and the axis says how many. `label` names the axis of the bars.

    Raises an ImportError without matplotlib, a TypeError for anything but a dict, a ValueError for an empty dict.

    >>> ax = plot_importances({"wind": 0.25, "sky": 0.75})
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['sky', 'wind']
    """
    _check(importances)
    values = {name: _several(value) for name, value in importances.items()}
    listed = sorted(values, key=lambda name: -fmean(values[name]))
    shown = listed[:most]
    ax = axes_or_new(ax, name="plot_importances", figsize=(6.4, 1.2 + 0.3 * len(shown)), layout="constrained")
    spread = [stdev(values[name]) if len(values[name]) > 1 else 0.0 for name in shown]
    means = [fmean(values[name]) for name in shown]
    lines = spread if any(spread) else None
    ax.barh(range(len(shown)), means, xerr=lines, color=COLOURS[0], ecolor="black", capsize=2)
    ax.set_yticks(range(len(shown)), [plot_text(name, 40) for name in shown])
    ax.invert_yaxis()
    left_out = f", {len(listed) - len(shown)} smaller ones left out" if len(listed) > len(shown) else ""
    bars = ", with a standard deviation" if lines else ""
    ax.set(xlabel=f"{label}{bars}", ylabel=f"feature{left_out}")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _check(importances: Any) -> None:
    if not isinstance(importances, Mapping):
        message = f"importances must be a dict from feature names to numbers, got {type_of(importances)}."
        raise TypeError(message)
    if not importances:
        message = f"importances must have at least one feature, got {short_repr(importances)}."
        raise ValueError(message)


def _several(value: Any) -> list[float]:
    return list(map(float, value)) if isinstance(value, Sequence) else [float(value)]
