"""The diagram of mean ranks with Nemenyi's critical difference (Demšar 2006, figure 1)."""

from typing import Any

from ftree._lib.messages import type_of
from ftree._lib.pyplot import axes_or_new
from ftree.show.palette import COLOURS
from ftree.show.plot_text import plot_text
from ftree.study.friedman import Friedman

_BLUE, _ORANGE = COLOURS[0], COLOURS[5]
# Distances in lines of text.
_FIRST_GROUP, _GROUP, _BAR = 0.35, 0.3, 0.8
# The overhang of a group's line beyond its learners, as a share of the axis.
_BEYOND = 0.006


def plot_critical_difference(found: Friedman, *, alpha: float = 0.05, ax: Any = None) -> Any:
    """Draw learners on an axis of mean ranks, the best on the right, and return matplotlib's axes.

    Thick lines join learners that do not differ at the level alpha; the bar above the axis is the critical difference.

    Raises an ImportError without matplotlib, a TypeError for anything but a result of `friedman`, and a ValueError for an alpha
    that is not between 0 and 1.

    Source: Demšar 2006.

    >>> ax = plot_critical_difference(Friedman(("a", "b", "c"), (1.2, 1.9, 2.9), n_datasets=10))
    >>> len(ax.texts) > 3
    True
    """
    if not isinstance(found, Friedman):
        message = f"found must be a result of friedman or Comparison.friedman, got {type_of(found)}."
        raise TypeError(message)
    groups, n = found.groups(alpha), len(found.learners)
    top = _FIRST_GROUP + _GROUP * len(groups)
    ax = axes_or_new(ax, name="plot_critical_difference", figsize=(8, 1.4 + 0.3 * (top + n / 2)), layout="constrained")
    _draw_axis(ax, found, alpha)
    rank_of = dict(zip(found.learners, found.mean_ranks, strict=True))
    for number, group in enumerate(groups):
        ranks = [rank_of[name] for name in group]
        height = _FIRST_GROUP + _GROUP * number
        ends = [min(ranks) - _BEYOND * (n - 1), max(ranks) + _BEYOND * (n - 1)]
        ax.plot(ends, [height, height], color=_BLUE, linewidth=4, solid_capstyle="butt")
    _draw_names(ax, found, top)
    ax.set(xlim=(n + 0.02, 0.98), ylim=(top + (n + 1) // 2 + 0.2, -_BAR - 0.7))
    return ax


def _draw_axis(ax: Any, found: Friedman, alpha: float) -> None:
    n, difference = len(found.learners), found.critical_difference(alpha)
    ax.set_axis_off()
    ax.plot([1, n], [0, 0], color="black", linewidth=1)
    for rank in range(1, n + 1):
        ax.plot([rank, rank], [0, -0.15], color="black", linewidth=1)
        ax.text(rank, -0.2, str(rank), ha="center", va="bottom")
    bar = min(difference, n - 1)  # a longer bar would leave the axis
    ax.plot([n, n - bar], [-_BAR - 0.15] * 2, color=_ORANGE, linewidth=2, marker="|", markersize=8)
    shown = f"critical difference {difference:.2f} (alpha {alpha:g})"
    ax.text(n, -_BAR - 0.3, shown, ha="left", va="bottom", color=_ORANGE)


def _draw_names(ax: Any, found: Friedman, top: float) -> None:
    """Names with lines to their ranks: the better half on the right, the others on the left, the extreme ones first."""
    n = len(found.learners)
    ranked = sorted(zip(found.mean_ranks, found.learners, strict=True), key=lambda pair: pair[0])
    half = n // 2
    sides = [(1, "left", ranked[:half]), (n, "right", ranked[half:][::-1])]
    for end, aligned, names in sides:
        for line, (rank, name) in enumerate(names):
            height = top + line + 0.3
            ax.plot([rank, rank, end], [0, height, height], color="black", linewidth=0.8)
            ax.annotate(
                f"{plot_text(name)}  {rank:.2f}" if end != 1 else f"{rank:.2f}  {plot_text(name)}",
                (end, height),
                xytext=(4 if end == 1 else -4, 0),
                textcoords="offset points",
                ha=aligned,
                va="center",
            )
