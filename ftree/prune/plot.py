"""Plotting the error along a path of trees, as rpart's plotcp does."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ftree._lib.messages import short_repr
from ftree._lib.pyplot import axes_or_new
from ftree.prune.select import Measured, one_standard_error
from ftree.tree.formats import format_number


def plot(curves: Mapping[str, Sequence[Measured]], *, against: Literal["alpha", "leaves"] = "leaves", axes: Any = None) -> Any:
    """Draw a curve of errors for each name, against alpha or against leaves, and return matplotlib's axes.

    A curve named "cross-validated" has bars of one standard error, and dotted lines show the limit of the
    one-standard-error rule and the tree that it chooses. All curves are of one path; its trees are equally far apart, the
    largest first.

    Raises an ImportError without matplotlib, a ValueError for no curve, for curves of different paths, or for a path
    without alphas drawn against alpha.
    """
    longest = _checked(curves, against)
    axes = axes_or_new(axes, name="plot")
    places = range(len(longest))
    for name, rows in curves.items():
        errors = [row.error for row in rows]
        if name == "cross-validated":
            bars = axes.errorbar(places, errors, [row.standard_error for row in rows], label=name, marker=".", capsize=2)
            best = min(rows, key=lambda row: row.error)
            axes.axhline(best.error + best.standard_error, linestyle=":", color=bars.lines[0].get_color())
            axes.axvline(list(rows).index(one_standard_error(rows)), linestyle=":", color=bars.lines[0].get_color())
        else:
            axes.plot(places, errors, label=name, marker=".")
    every = max(len(longest) // 12, 1)
    labels = [str(row.leaves) if against == "leaves" else format_number(row.alpha or 0.0, decimals=4) for row in longest]
    axes.set_xticks(list(places)[::every], labels[::every], rotation=0 if against == "leaves" else 45)
    axes.set(xlabel=against, ylabel="share of errors")
    axes.legend()
    return axes


def _checked(curves: Mapping[str, Sequence[Measured]], against: str) -> Sequence[Measured]:
    """The rows of the first curve."""
    if against not in ("alpha", "leaves"):
        message = f"against must be 'alpha' or 'leaves', got {short_repr(against)}."
        raise ValueError(message)
    if not isinstance(curves, Mapping):
        message = f'curves must be a dict by names such as {{"training": measured(path, dataset)}}, got {short_repr(curves)}.'
        raise TypeError(message)
    first = next(iter(curves.values()), ())
    if not first:
        message = f"curves must be at least one curve of at least one tree, got {[len(rows) for rows in curves.values()]} trees."
        raise ValueError(message)
    if any([row.leaves for row in rows] != [row.leaves for row in first] for rows in curves.values()):
        message = f"curves must be of one path, got curves of {[len(rows) for rows in curves.values()]} trees with other leaves."
        raise ValueError(message)
    if against == "alpha" and any(row.alpha is None for row in first):
        message = f"against must be 'leaves' for a path without alphas, got {short_repr(against)}."
        raise ValueError(message)
    return first
