"""The regions of a classifier in the plane of two numeric features, with the rows of a dataset as points."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from attrs import evolve

from ftree._lib.arrays import Array
from ftree._lib.messages import joined, short_repr, type_of
from ftree.data.dataset import Dataset, require_dataset
from ftree.routing.missing_rules import MissingRule
from ftree.routing.scoring import Classifier
from ftree.show.pictures import LINES, MARKERS, axes_or_new, class_colours, plot_text, tinted
from ftree.study.predictions import Predictions
from ftree.tree.nodes import Tree
from ftree.tree.schema import position

# The margin of the picture beyond the rows, as a share of their range.
_MARGIN = 0.04
_PLANE = 2
_Borders: TypeAlias = Mapping[str, Tree | Classifier | Sequence[Tree | Classifier]]


def plot_boundary(
    tree: Tree | Classifier,
    dataset: Dataset,
    *,
    features: Sequence[str] | None = None,
    missing: MissingRule | None = None,
    cells: int = 200,
    borders: _Borders | None = None,
    ax: Any = None,
) -> Any:
    """Draw the label that a classifier gives each point of a plane, and the dataset's rows, and return matplotlib's axes.

    A classifier is a tree, or a function of a dataset that returns a label for each row. `features` names two numeric features,
    the horizontal one first; it may be left out where the dataset has only two. All other features are missing in the plane,
    so that the rule `missing` decides about them. The plane is asked at `cells` places in each direction. `borders` are further
    classifiers by name, such as the truth; a line shows where their label changes. Of a sequence of classifiers the first
    has the palest line.

    Raises an ImportError without matplotlib, a TypeError for borders without names, a ValueError for features that are not two
    numeric ones, a KeyError for a name that the dataset does not have.

    >>> from ftree import grow
    >>> points = Dataset.from_rows([[0, 0], [0, 1], [1, 1]], ["no", "yes", "yes"], features=["x", "y"])
    >>> ax = plot_boundary(grow(points), points)
    >>> ax.get_xlabel(), ax.get_ylabel(), [text.get_text() for text in ax.get_legend().get_texts()]
    ('x', 'y', ['no', 'yes'])
    """
    require_dataset(dataset)
    _check_borders(borders)
    numbers = _plane(dataset, features)
    x, y = (_places(dataset.columns[number], cells) for number in numbers)
    plane = _grid(dataset, numbers, x, y)
    answers = Predictions(tree, plane, missing=missing)
    codes = answers.predicted.reshape(cells, cells)
    ax = axes_or_new(ax, name="plot_boundary", layout="constrained")
    shades = class_colours(answers.classes)
    _draw_regions(ax, [tinted(shade, 0.35) for shade in shades.values()], codes, x, y)
    _draw_rows(ax, dataset, numbers, shades)
    _draw_borders(ax, borders or {}, plane, x, y, missing=missing)
    across, up = (plot_text(dataset.schema.features[number].name) for number in numbers)
    ax.set(xlabel=across, ylabel=up, xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
    ax.legend(title=plot_text(dataset.schema.target, 30))
    return ax


def _plane(dataset: Dataset, features: Sequence[str] | None) -> list[int]:
    """The numbers of the two features."""
    known = dataset.schema.features
    numeric = [number for number, feature in enumerate(known) if feature.kind == "numeric"]
    wanted = numeric if features is None else [position(dataset.schema, name) for name in features]
    if len(wanted) != _PLANE or not set(wanted) <= set(numeric):
        names = joined(repr(known[number].name) for number in numeric)
        got = "None" if features is None else short_repr(features)
        message = f"features must be the names of two numeric features, got {got}. The dataset's numeric features: {names}."
        raise ValueError(message)
    return wanted


def _places(column: Array, cells: int) -> Array:
    low, high = np.nanmin(column), np.nanmax(column)
    beyond = _MARGIN * (high - low or 1.0)
    return np.linspace(low - beyond, high + beyond, cells)


def _grid(dataset: Dataset, numbers: Sequence[int], x: Array, y: Array) -> Dataset:
    """A row for each point, from below, in which all features but two are missing."""
    n = len(x) * len(y)
    columns = [
        np.full(n, np.nan if feature.kind == "numeric" else -1, dtype=column.dtype)
        for feature, column in zip(dataset.schema.features, dataset.columns, strict=True)
    ]
    columns[numbers[0]], columns[numbers[1]] = np.tile(x, len(y)), np.repeat(y, len(x))
    return evolve(dataset, columns=columns, labels=np.zeros(n, dtype=dataset.labels.dtype), weights=None)


def _draw_regions(ax: Any, shades: list[str], codes: Array, x: Array, y: Array) -> None:
    from matplotlib.colors import ListedColormap  # noqa: PLC0415  # loaded when a picture is drawn

    look = {"cmap": ListedColormap(shades), "vmin": -0.5, "vmax": len(shades) - 0.5, "shading": "nearest", "rasterized": True}
    ax.pcolormesh(x, y, codes, **look)


def _draw_rows(ax: Any, dataset: Dataset, numbers: Sequence[int], shades: Any) -> None:
    across, up = (dataset.columns[number] for number in numbers)
    size = float(np.clip(4000 / max(len(dataset), 1), 5, 30))
    for code, label in enumerate(dataset.schema.classes):
        here = dataset.labels == code
        look = {"color": shades[label], "marker": MARKERS[code % len(MARKERS)], "edgecolor": "black", "linewidth": 0.4}
        ax.scatter(across[here], up[here], s=size, label=plot_text(label, 30), **look)


# The first of several lines has this grey, the last is black.
_PALEST = 0.85


def _check_borders(borders: Any) -> None:
    """Raise a TypeError for anything but None or a dict of classifiers by name.

    >>> _check_borders({"the truth": lambda dataset: dataset["y"]})
    """
    if borders is not None and not isinstance(borders, Mapping):
        raise TypeError(f'borders must be classifiers by name, such as {{"the truth": function}}, got {type_of(borders)}.')


def _draw_borders(ax: Any, borders: _Borders, plane: Dataset, x: Array, y: Array, *, missing: MissingRule | None = None) -> None:
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
