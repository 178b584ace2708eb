"""The curve of errors along a path of prunings, as a plot."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ftree._lib.fields import require_one_of
from ftree._lib.messages import short_repr
from ftree.prune.path_choice import Measured, one_standard_error
from ftree.show.pictures import MARKERS, axes_or_new, colour, plot_text
from ftree.tree.formats import format_number


def plot_path(
    curves: Mapping[str, Sequence[Measured]], *, against: Literal["alpha", "cp", "leaves"] = "leaves", ax: Any = None
) -> Any:
    """Draw a curve of error rates, mean costs or mean losses for each name, against alpha, cp or leaves; return the axes.

    A curve named "cross-validated" has bars of one standard error. Dotted lines show the limit of the
    one-standard-error rule and the tree that it chooses. All curves describe one path; its trees are drawn at equal distances,
    the largest first. `cp` is alpha as a share of the root's risk, as in `cp_table`.

    Raises an ImportError without matplotlib, a ValueError without curves, for curves of different paths, or for a path
    without alphas drawn against alpha.

    >>> from ftree import datasets, grow, prune
    >>> path = prune.measured(prune.cost_complexity_path(grow(datasets.monks(1))), datasets.monks(1))
    >>> ax = plot_path({"training": path})
    >>> ax.get_ylabel()
    'error rate'
    """
    longest = _checked(curves, against)
    ax = axes_or_new(ax, name="plot_path", frame=False)
    for number, (name, rows) in enumerate(curves.items()):
        look = {"color": colour(number), "marker": MARKERS[number % len(MARKERS)], "markersize": 4, "label": plot_text(name)}
        errors = [row.error for row in rows]
        if name == "cross-validated":
            ax.errorbar(range(len(rows)), errors, [row.standard_error for row in rows], capsize=2, **look)
            _draw_choice(ax, rows, colour(number))
        else:
            ax.plot(range(len(rows)), errors, **look)
    every = max(len(longest) // 12, 1)
    labels = [_label(row, against) for row in longest]
    ax.set_xticks(list(range(len(longest)))[::every], labels[::every], rotation=0 if against == "leaves" else 45)
    kind = longest[0].tree.schema.response.kind
    ax.set(xlabel=against, ylabel="error rate" if longest[0].deviation is None else _MEANS.get(kind, "mean loss"))
    ax.legend()
    return ax


def _label(row: Measured, against: str) -> str:
    """What stands below a tree."""
    if against == "leaves":
        return str(row.leaves)
    return format_number(row.alpha or 0.0, decimals=4) if against == "alpha" else f"{row.cp or 0.0:.2g}"


# What errors are in a tree of each kind; of classes, where they have costs.
_MEANS = {"classes": "mean cost", "numbers": "mean squared error", "events": "mean deviance"}


def _draw_choice(ax: Any, rows: Sequence[Measured], shade: str) -> None:
    """Dotted lines for the limit of the one-standard-error rule, and for the tree that it chooses."""
    best = min(rows, key=lambda row: row.error)
    ax.axhline(best.error + best.standard_error, linestyle=":", color=shade, label="lowest error + 1 standard error")
    ax.axvline(
        list(rows).index(one_standard_error(rows)), linestyle="--", color=shade, label="chosen by the one-standard-error rule"
    )


def _checked(curves: Mapping[str, Sequence[Measured]], against: str) -> Sequence[Measured]:
    """The rows of the first curve."""
    require_one_of("against", against, ("alpha", "cp", "leaves"))
    if not isinstance(curves, Mapping):
        raise TypeError(f'curves must be a dict such as {{"training": measured(path, dataset)}}, got {short_repr(curves)}.')
    first = next(iter(curves.values()), ())
    if not first:
        message = f"curves must be at least one curve of at least one tree, got {[len(rows) for rows in curves.values()]} trees."
        raise ValueError(message)
    if any([row.leaves for row in rows] != [row.leaves for row in first] for rows in curves.values()):
        raise ValueError(
            f"curves must be of one path, got curves of {[len(rows) for rows in curves.values()]} trees with different leaves."
        )
    if against != "leaves" and any(row.alpha is None for row in first):
        raise ValueError(f"against must be 'leaves' for a path without alphas, got {short_repr(against)}.")
    return first
