"""Pictures of numbers by matplotlib: curves, histograms, importances, impurities; and what such pictures share."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from statistics import fmean, median, stdev
from typing import Any, Literal
from unicodedata import east_asian_width

import numpy as np

from ftree._lib.fields import is_iterable, name_of
from ftree._lib.messages import how_to_install, imported, short_repr, type_of
from ftree.criteria.importances import importances
from ftree.criteria.impurity import checked
from ftree.show.looks import COLOURS, colour
from ftree.tree.formats import printable
from ftree.tree.nodes import Tree

# Shapes of points, so that colour alone does not distinguish curves and classes.
MARKERS = ("o", "^", "s", "D", "v", "P", "X", "*")
# Styles of lines, for those that have no markers.
LINES = ("-", "--", "-.", ":")
# Colours of points on white: without yellow, which is too pale for them.
_DARK = (*COLOURS[:6], COLOURS[7])
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
        raise ValueError(f"log must be '', 'x', 'y' or 'xy', got {short_repr(log)}.")
    ax = axes_or_new(ax, name="plot_curves", frame=False)
    for number, (name, curve) in enumerate(named.items()):
        mark = MARKERS[number % len(MARKERS)] if len(curve) <= _WITH_MARKERS else None
        look = {"color": colour(number), "marker": mark, "linestyle": LINES[number % len(LINES)]}
        ax.plot([plot_text(x) if isinstance(x, str) else x for x in curve], list(curve.values()), label=plot_text(name), **look)
    scales = {f"{axis}scale": "log" for axis in log}
    ax.set(xlabel=plot_text(xlabel), ylabel=plot_text(ylabel), **scales)
    if named is curves:
        ax.legend()
    return ax


def _by_name(curves: Any) -> Mapping[str, Mapping[Any, float]]:
    """Curves by name; a single one has none."""
    if not isinstance(curves, Mapping):
        raise TypeError(f"curves must be a dict from x to y, or a dict of such dicts by name, got {type_of(curves)}.")
    several = [isinstance(curve, Mapping) for curve in curves.values()]
    if any(several) and not all(several):
        raise TypeError("curves must be one dict from x to y, or dicts only, got a mixture of both.")
    named = curves if any(several) else {"": curves}
    if not all(named.values()):
        message = f"curves must have at least one point each, got curves of {[len(curve) for curve in named.values()]} points."
        raise ValueError(message)
    return named


def plot_histogram(
    values: Iterable[float], *, bins: Any = "auto", xlabel: str = "", ylabel: str = "values", ax: Any = None
) -> Any:
    """Draw how many values lie in each bin, with a line at their median, and return matplotlib's axes.

    `bins` is a number of bins, their edges, or the name of a rule of NumPy's.

    Raises an ImportError without matplotlib, a TypeError for what are no numbers, a ValueError for no value.

    >>> ax = plot_histogram([0.5, 0.75, 1.0, 1.0], bins=2, xlabel="accuracy", ylabel="trees")
    >>> [int(bar.get_height()) for bar in ax.patches], ax.get_legend().get_texts()[0].get_text()
    ([1, 3], 'median 0.875')
    """
    numbers = _numbers(values)
    ax = axes_or_new(ax, name="plot_histogram", frame=False)
    ax.hist(numbers, bins=bins, color=COLOURS[4], edgecolor="white")
    middle = median(numbers)
    ax.axvline(middle, color="black", linestyle="--", label=f"median {middle:.4g}")
    ax.set(xlabel=plot_text(xlabel), ylabel=plot_text(ylabel))
    ax.legend()
    return ax


def _numbers(values: Any) -> list[float]:
    try:
        numbers = list(map(float, values))
    except (TypeError, ValueError):
        raise TypeError(f"values must be a sequence of numbers, got {short_repr(values)}.") from None
    if not numbers:
        raise ValueError("values must be at least one number, got none.")
    return numbers


def plot_importances(of: Any, *, most: int = 20, label: str = "importance", ax: Any = None) -> Any:
    """Draw a bar for each feature, the largest at the top, and return matplotlib's axes.

    `of` is a tree, a forest, or a fitted estimator with `feature_importances_`; or a result of `importances` or
    `permutation_importances`, numbers by feature name. Several numbers for a feature are drawn as their mean, with a line of one
    standard deviation to each side. Features of no importance, and those beyond the `most` largest, are omitted, and the title
    says how many are shown. `label` names the axis of the bars.

    Raises an ImportError without matplotlib, a TypeError for anything else, a ValueError for an empty dict.

    >>> ax = plot_importances({"wind": 0.25, "sky": 0.75})
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['sky', 'wind']
    """
    values = {name: _several(value) for name, value in _importances(of).items()}
    listed = sorted(values, key=lambda name: -fmean(values[name]))
    shown = [name for name in listed if any(values[name])][:most] or listed[:most]
    ax = axes_or_new(ax, name="plot_importances", figsize=(6.4, 1.2 + 0.3 * len(shown)), frame=False)
    spread = [stdev(values[name]) if len(values[name]) > 1 else 0.0 for name in shown]
    means = [fmean(values[name]) for name in shown]
    lines = spread if any(spread) else None
    ax.barh(range(len(shown)), means, xerr=lines, color=COLOURS[0], ecolor="black", capsize=2)
    ax.set_yticks(range(len(shown)), [plot_text(name, 40) for name in shown])
    ax.invert_yaxis()
    bars = ", with a standard deviation" if lines else ""
    title = f"{len(shown)} of {len(listed)} features" if len(listed) > len(shown) else ""
    ax.set(xlabel=f"{label}{bars}", ylabel="feature", title=title)
    return ax


def _importances(of: Any) -> Mapping[str, Any]:
    """The importances of a tree or a model by the names of features."""
    if isinstance(of, Tree):
        return importances(of)
    if callable(getattr(of, "importances", None)):
        return dict(of.importances())
    if hasattr(of, "feature_importances_"):
        shares = [float(share) for share in of.feature_importances_]
        return dict(zip(getattr(of, "feature_names_in_", [f"x{number}" for number in range(len(shares))]), shares, strict=True))
    if not isinstance(of, Mapping):
        raise TypeError(f"of must be a tree, a model, or a dict from feature names to numbers, got {type_of(of)}.")
    if not of:
        raise ValueError(f"of must have at least one feature, got {short_repr(of)}.")
    return of


def _several(value: Any) -> list[float]:
    return list(map(float, value)) if isinstance(value, Sequence) else [float(value)]


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
    ax = axes_or_new(ax, name="plot_impurities", frame=False)
    first = np.arange(_TWO + 1)
    mixes = np.stack([first, _TWO - first], axis=1)
    for number, impurity in enumerate(listed):
        look = {"color": colour(number), "linestyle": LINES[number % len(LINES)], "label": plot_text(name_of(impurity), 30)}
        ax.plot(first / _TWO, checked(impurity, impurity(mixes), first.shape), **look)
    ax.set(xlabel="share of the first of two classes", ylabel="impurity", ylim=(0, None))
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
    corner_names = () if isinstance(classes, str) or not is_iterable(classes) else tuple(classes)
    if len(corner_names) != _CORNERS:
        raise ValueError(f"classes must be the names of three classes, got {short_repr(classes)}.")
    ax = axes_or_new(ax, name="plot_impurity_triangle")
    mixes = np.array([(a, b, _THREE - a - b) for a in range(_THREE + 1) for b in range(_THREE + 1 - a)])
    corners = np.array([(0, 0), (1, 0), (0.5, 3**0.5 / 2)])
    heights, (x, y) = checked(function, function(mixes), (len(mixes),)), (mixes / _THREE @ corners).T
    levels = np.linspace(heights.min(), heights.max(), 13)
    filled = ax.tricontourf(x, y, heights, levels=levels, cmap="cividis")
    for (at, height), below, name in zip(corners, (0.06, 0.06, -0.03), corner_names, strict=True):
        ax.text(at, height - below, f"only {plot_text(name, 20)}", ha="center")
    ax.set(aspect="equal", ylim=(-0.06, 0.95))
    ax.axis("off")
    ticks, shown = levels[::4], plot_text(name_of(impurity) if label is None else label)
    ax.figure.colorbar(filled, ax=ax, label=shown, ticks=ticks, format="%.4g")
    return ax


def _functions(name: str, given: Any) -> list[Callable[[Any], Any]]:
    listed = list(given) if is_iterable(given) else [given]
    if not listed:
        raise ValueError(f"{name} must be at least one impurity, such as entropy, got none.")
    for each in listed:
        if isinstance(each, type) or not callable(each):
            raise TypeError(f"{name} must be functions of class counts, such as entropy, got {short_repr(each)}.")
    return listed


# What pictures by matplotlib share.


def point_look(number: int) -> dict[str, str]:
    """The look of a single point for matplotlib: seven filled ones and seven hollow ones, and then from the start.

    >>> point_look(0) == point_look(14), point_look(7)["markerfacecolor"]
    (True, 'white')
    """
    rounds, place = divmod(number, len(_DARK))
    shade = _DARK[place]
    return {"color": shade, "marker": MARKERS[place], "markerfacecolor": "white" if rounds % 2 else shade}


def plot_text(text: object, most: int = 60) -> str:
    r"""A text that matplotlib shows letter by letter: on one line, cut with an ellipsis after `most` characters.

    Double-width characters, such as Chinese ones, count as two.

    >>> plot_text("physician fee freeze", 17), plot_text("$5 to $9"), plot_text("_id")
    ('physician fee fr…', '\\$5 to \\$9', ' _id')
    """
    line = printable(text)
    ends = list(accumulate(1 + (east_asian_width(character) in "WF") for character in line))
    cut = line if not ends or ends[-1] <= most else f"{line[: bisect_right(ends, most - 1)]}…"
    return (" " if cut.startswith("_") else "") + cut.replace("$", r"\$")


def axes_or_new(ax: Any, *, name: str, frame: bool = True, **options: Any) -> Any:
    """The axes given, or those of a new figure with the given options; `name` is the function that draws.

    Without a `frame`, they have lines at the left and at the bottom only.

    Raises an ImportError without matplotlib, a TypeError for anything that is not an Axes, such as a figure.
    """
    if ax is None:
        plt = imported("matplotlib.pyplot", f"matplotlib must be installed for {name}. {how_to_install('plot')}")
        ax = plt.subplots(layout="constrained", **options)[1]
    elif not hasattr(ax, "add_collection"):
        raise TypeError(f"ax must be one Axes of matplotlib, got {type_of(ax)}. Make one by plt.subplots()[1].")
    if not frame:
        ax.spines[["top", "right"]].set_visible(False)
    return ax
