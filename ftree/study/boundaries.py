"""A picture of what a classifier answers at each point of a plane, or of a line."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from attrs import evolve, frozen

from ftree._lib.arrays import Array
from ftree._lib.fields import as_tuple, require_whole_number
from ftree._lib.messages import joined, short_repr, type_of
from ftree.data.channels import numbers_of_rows
from ftree.data.dataset import Dataset, require_dataset
from ftree.routing.missing_rules import MissingRule
from ftree.routing.scoring import Classifier
from ftree.show.looks import GREY, SCALE, class_colours, tinted
from ftree.show.plot_numbers import LINES, MARKERS, axes_or_new, plot_text, point_look
from ftree.study.predictions import Predictions
from ftree.tree.nodes import Tree
from ftree.tree.schema import position

# The margin of the picture beyond the rows, as a share of their range.
_MARGIN = 0.04
_TWO = 2
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
    """Draw what a classifier answers at each point of a plane, and the dataset's rows, and return matplotlib's axes.

    A classifier is a tree, or a function of a dataset that returns a label for each row. `features` names two numeric features,
    the horizontal one first; it may be left out where the dataset has only two. All other features are missing in the plane, as
    the title says, so that the rule `missing` decides about them. The plane is asked at `cells` places in each direction.
    `borders` are further classifiers by name, such as the truth; a line shows where their label changes. Of a sequence of
    classifiers the first has the palest line.

    Of numbers or rates, the colours of the plane and of the rows go from blue by green to orange, and there are no borders.
    Of one feature, numbers are drawn as a curve over the rows, and those of `borders` as further curves.

    Raises an ImportError without matplotlib, a TypeError for borders without names, a ValueError for features that are not two
    numeric ones, a KeyError for a name that the dataset does not have.

    >>> from ftree import grow
    >>> points = Dataset.from_rows([[0, 0], [0, 1], [1, 1]], ["no", "yes", "yes"], features=["x", "y"])
    >>> ax = plot_boundary(grow(points), points)
    >>> ax.get_xlabel(), ax.get_ylabel(), [text.get_text() for text in ax.get_legend().get_texts()]
    ('x', 'y', ['no', 'yes'])
    """
    require_dataset(dataset)
    if borders is not None and not isinstance(borders, Mapping):
        raise TypeError(f'borders must be classifiers by name, such as {{"the truth": function}}, got {type_of(borders)}.')
    require_whole_number("cells", cells, 2, most=10_000)
    plane = _plane(dataset, features, cells)
    answers = Predictions(tree, plane.points, missing=missing)
    if answers.predicted.ndim > 1 or answers.predicted.dtype.kind not in "iuf":  # classes are numbered
        raise ValueError(f"tree must answer with a class or a number, got one of {dataset.schema.response.kind}. Use plot_tree.")
    ax, further = axes_or_new(ax, name="plot_boundary"), dict[str, Any](borders or {})
    if len(plane.sides) < _TWO:
        others = [(name, Predictions(each, plane.points, missing=missing).predicted) for name, each in further.items()]
        _draw_curves(ax, dataset, plane, [("the tree", answers.predicted), *others])
    elif dataset.schema.has_classes:
        _draw_classes(ax, dataset, plane, answers)
        _draw_borders(ax, further, plane, missing=missing)
        ax.legend(title=plot_text(dataset.schema.target, 30))
    elif further:
        raise ValueError(f"borders must be None for a regression tree, got {short_repr(borders)}.")
    else:
        _draw_surface(ax, dataset, plane, answers.predicted)
    _name_axes(ax, dataset, plane)
    return ax


@frozen(eq=False)
class _Plane:
    """The numbers of two features, or of one for a line; the places along each; and a row for each point, the first along x."""

    numbers: list[int]
    sides: list[Array]
    points: Dataset

    def grid(self, answers: Array) -> Array:
        """Answers for all points as a picture: rows from below."""
        return answers.reshape([len(side) for side in reversed(self.sides)])


def _plane(dataset: Dataset, features: Sequence[str] | None, cells: int) -> _Plane:
    """The plane of two features, or the line of one, divided into cells."""
    numbers = _numeric_features(dataset, features)
    sides = [_places(dataset, number, cells) for number in numbers]
    return _Plane(numbers, sides, _points(dataset, numbers, sides))


def _numeric_features(dataset: Dataset, features: Sequence[str] | None) -> list[int]:
    """The numbers of the two features; of one, that of a curve."""
    known = dataset.schema.features
    numeric = [number for number, feature in enumerate(known) if feature.kind == "numeric"]
    wanted = numeric if features is None else [position(dataset.schema, name) for name in as_tuple(features)]
    fits = len(wanted) == _TWO or (len(wanted) == 1 and not dataset.schema.has_classes)
    if not fits or not set(wanted) <= set(numeric):
        names = joined(repr(known[number].name) for number in numeric)
        got = "None" if features is None else short_repr(features)
        message = f"features must be the names of two numeric features, got {got}. The dataset's numeric features: {names}."
        raise ValueError(message)
    return wanted


def _places(dataset: Dataset, number: int, cells: int) -> Array:
    column = dataset.columns[number]
    known = column[~np.isnan(column)]
    if not len(known):
        name = short_repr(dataset.schema.features[number].name)
        raise ValueError(f"features must have a known number in some row, got {name} without one. Choose another feature.")
    low, high = known.min(), known.max()
    beyond = _MARGIN * (high - low or 1.0)
    return np.linspace(low - beyond, high + beyond, cells)


def _points(dataset: Dataset, numbers: Sequence[int], sides: Sequence[Array]) -> Dataset:
    """A row for each point, from below, where all other features are missing. The target is that of some row: none reads it."""
    points = [side.ravel() for side in np.meshgrid(*sides)]
    n = len(points[0])
    columns = [
        np.full(n, np.nan if feature.kind == "numeric" else -1, dtype=column.dtype)
        for feature, column in zip(dataset.schema.features, dataset.columns, strict=True)
    ]
    for number, places in zip(numbers, points, strict=True):
        columns[number] = places
    return evolve(dataset.take(np.zeros(n, np.intp)), columns=columns, weights=None)


def _name_axes(ax: Any, dataset: Dataset, plane: _Plane) -> None:
    """The names of the plane's features beside it, those of all others above it, and its ends."""
    names = [feature.name for feature in dataset.schema.features]
    unknown = [name for number, name in enumerate(names) if number not in plane.numbers]
    title = f"unknown: {', '.join(unknown)}" if unknown else ""
    across, up, *_ = *(names[number] for number in plane.numbers), dataset.schema.target
    ax.set(xlabel=plot_text(across), ylabel=plot_text(up), title=plot_text(title))
    for limit, side in zip((ax.set_xlim, ax.set_ylim), plane.sides, strict=False):
        limit(side[0], side[-1])


# Of classes: a colour for each, on the plane and its rows.


def _draw_classes(ax: Any, dataset: Dataset, plane: _Plane, answers: Predictions) -> None:
    from matplotlib.colors import ListedColormap  # noqa: PLC0415  # loaded when a picture is drawn

    shades = class_colours(answers.classes)
    pale = ListedColormap([tinted(shade, 0.35) for shade in shades.values()])
    look = {"cmap": pale, "vmin": -0.5, "vmax": len(shades) - 0.5, "shading": "nearest", "rasterized": True}
    ax.pcolormesh(*plane.sides, plane.grid(answers.predicted), **look)
    across, up = (dataset.columns[number] for number in plane.numbers)
    for code, label in enumerate(dataset.schema.classes):
        here = dataset.target_column == code
        look = {"color": shades[label], "marker": MARKERS[code % len(MARKERS)], "edgecolor": "black", "linewidth": 0.4}
        ax.scatter(across[here], up[here], s=_size(dataset), label=plot_text(label, 30), **look)


# The first of several lines has this grey, the last is black.
_PALEST = 0.85


def _draw_borders(ax: Any, borders: _Borders, plane: _Plane, *, missing: MissingRule | None) -> None:
    """Lines where the labels of other classifiers change."""
    for number, (name, given) in enumerate(borders.items()):
        several = list(given) if isinstance(given, Sequence) else [given]
        style = LINES[(number + 1) % len(LINES)] if len(several) == 1 else "-"  # dashed, unless grey tells them apart
        for place, classifier in enumerate(several):
            last = place == len(several) - 1
            shade = str(_PALEST * (1 - (place + 1) / len(several)))
            codes = plane.grid(Predictions(classifier, plane.points, missing=missing).predicted)
            look = {"colors": shade, "linestyles": style, "linewidths": 2.0 if last else 0.8}
            for code in sorted(set(codes.ravel().tolist()))[:-1]:  # the borders of the last label are drawn by then
                ax.contour(*plane.sides, codes == code, levels=[0.5], **look)
        ax.plot([], [], color="black", linestyle=style, linewidth=2.0, label=plot_text(name, 40))


# Of numbers: a scale of colours on the plane and its rows, or curves along one feature.


def _draw_surface(ax: Any, dataset: Dataset, plane: _Plane, means: Array) -> None:
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415  # as above

    every = np.append(means, numbers_of_rows(dataset))
    look = {"cmap": LinearSegmentedColormap.from_list("means", SCALE), "vmin": every.min(), "vmax": every.max()}
    ax.pcolormesh(*plane.sides, plane.grid(means), shading="nearest", rasterized=True, **look)
    look |= {"c": numbers_of_rows(dataset), "s": 2 * _size(dataset), "edgecolor": "black", "linewidth": 0.5}
    rows = ax.scatter(*(dataset.columns[number] for number in plane.numbers), **look)
    ax.figure.colorbar(rows, ax=ax, label=plot_text(dataset.schema.target, 30))


def _draw_curves(ax: Any, dataset: Dataset, plane: _Plane, curves: Sequence[tuple[str, Array]]) -> None:
    ax.scatter(dataset.columns[plane.numbers[0]], numbers_of_rows(dataset), s=_size(dataset), color=GREY, alpha=0.6, linewidth=0)
    for place, (name, means) in enumerate(curves):
        look = {"color": point_look(place)["color"], "linestyle": LINES[place % len(LINES)], "linewidth": 2.0}
        ax.plot(plane.sides[0], means, drawstyle="steps-mid", label=plot_text(name, 40), **look)
    ax.legend()


def _size(dataset: Dataset) -> float:
    """The size of a row's point: smaller for many rows."""
    return float(np.clip(4000 / max(len(dataset), 1), 5, 30))
