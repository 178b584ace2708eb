"""Pictures of studies: confusion, critical differences, learning curves, trade-offs, and the regions of a classifier."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, TypeAlias

import numpy as np
from attrs import evolve

from ftree._lib.arrays import Array
from ftree._lib.fields import as_tuple, require_whole_number
from ftree._lib.messages import joined, short_repr, type_of
from ftree.data.channels import numbers_of_rows
from ftree.data.dataset import Dataset, require_dataset
from ftree.routing.missing_rules import MissingRule
from ftree.routing.scoring import Classifier
from ftree.show.looks import COLOURS, GREY, SCALE, class_colours, colour, tinted
from ftree.show.plot_numbers import LINES, MARKERS, axes_or_new, plot_text, point_look
from ftree.study.confusion_matrix import Confusion
from ftree.study.cross_validation import Trial, deviation_of, standard_error_of
from ftree.study.predictions import Predictions
from ftree.study.significance import Friedman
from ftree.tree.nodes import Tree
from ftree.tree.schema import position

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
        raise TypeError(f"found must be a result of confusion, got {type_of(found)}.")
    n, names = len(found.classes), [plot_text(label, 20) for label in found.classes]
    side = min(1.8 + 0.55 * n, _LARGEST)
    ax = axes_or_new(ax, name="plot_confusion", figsize=(side + 0.9, side))
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


# The diagram of mean ranks with Nemenyi's critical difference (Demšar 2006, figure 1).


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
        raise TypeError(f"found must be a result of friedman or Comparison.friedman, got {type_of(found)}.")
    groups, n = found.groups(alpha), len(found.learners)
    top = _FIRST_GROUP + _GROUP * len(groups)
    ax = axes_or_new(ax, name="plot_critical_difference", figsize=(8, 1.4 + 0.3 * (top + n / 2)))
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


def band(trial: Trial, *, metric: str | None = None, quantiles: tuple[float, float] | None = None) -> tuple[float, float]:
    """The lower and upper end of a trial's spread: a standard deviation around the mean, or two quantiles of the scores.

    Raises a ValueError for quantiles that are not two numbers between 0 and 1 in order.

    >>> from ftree.study import FoldResult
    >>> trial = Trial(["accuracy"], [FoldResult(4, 2, [score]) for score in (0.5, 0.75, 1.0)])
    >>> band(trial), band(trial, quantiles=(0, 1))
    ((0.5, 1.0), (0.5, 1.0))
    """
    scores = trial[metric or trial.metrics[0]]
    if quantiles is None:
        spread = deviation_of(scores)
        return fmean(scores) - spread, fmean(scores) + spread
    if not (isinstance(quantiles, Sequence) and len(quantiles) == 2 and 0 <= quantiles[0] <= quantiles[1] <= 1):  # noqa: PLR2004  # two ends
        message = f"quantiles must be two numbers between 0 and 1 in order, such as (0.1, 0.9), got {short_repr(quantiles)}."
        raise ValueError(message)
    low, high = np.quantile(scores, quantiles).tolist()
    return low, high


def plot_learning_curve(
    curves: Mapping[str, Sequence[Trial]] | Sequence[Trial],
    *,
    metric: str | None = None,
    quantiles: tuple[float, float] | None = None,
    ax: Any = None,
) -> Any:
    """Draw mean scores against training sizes, with a band, for one curve or for a dict of them by name.

    Returns matplotlib's axes. A curve is a result of `learning_curve`. The band is a standard deviation of the repeats around
    their mean, or lies between two of their quantiles, such as (0.1, 0.9).

    Raises an ImportError without matplotlib, a TypeError for anything but curves or a dict of them, a ValueError without curves.

    >>> from ftree import ID3, datasets, study
    >>> plot_learning_curve(study.learning_curve(datasets.monks(1), ID3, sizes=[50, 100], repeats=2)).get_xlabel()
    'training rows'
    """
    named = _by_name(curves)
    shown = metric or next(iter(named.values()))[0].metrics[0]
    ax = axes_or_new(ax, name="plot_learning_curve", frame=False)
    for number, (name, curve) in enumerate(named.items()):
        look = {"color": colour(number), "marker": MARKERS[number % len(MARKERS)]}
        sizes, ends = [trial.size for trial in curve], [band(trial, metric=shown, quantiles=quantiles) for trial in curve]
        ax.fill_between(sizes, *zip(*ends, strict=True), color=look["color"], alpha=0.2, linewidth=0)
        ax.plot(sizes, [fmean(trial[shown]) for trial in curve], label=plot_text(name), **look)
    described = "a standard deviation" if quantiles is None else f"quantiles {quantiles[0]:g} to {quantiles[1]:g}"
    ax.set(xlabel="training rows", ylabel=f"{shown} (band: {described})")
    if isinstance(curves, Mapping):
        ax.legend()
    return ax


def _by_name(curves: Any) -> Mapping[str, Sequence[Trial]]:
    """Curves by name; a single one has none."""
    named = curves if isinstance(curves, Mapping) else {"": curves}
    for curve in named.values():
        if not isinstance(curve, Sequence) or not all(isinstance(trial, Trial) for trial in curve):
            example = 'learning_curve(...), or a dict such as {"ID3": learning_curve(...)}'
            raise TypeError(f"curves must be {example}, got {short_repr(curves)}.")
    if not all(named.values()) or not named:
        sizes = [len(curve) for curve in named.values()]
        raise ValueError(f"curves must be at least one, each of at least one size, got curves of {sizes} sizes.")
    return named


def plot_trade_off(trials: Mapping[str, Trial], *, against: str = "leaves", metric: str | None = None, ax: Any = None) -> Any:
    """Draw the mean score of each learner by one metric against another one, and return matplotlib's axes.

    `trials` is a dict by names, such as `{name: comparison[name, "votes"] for name in comparison.learners}`. Bars are one
    standard error to each side. `metric` is the first one of the trials unless it is named, and is drawn upwards.

    Raises an ImportError without matplotlib, a TypeError for what are no trials by name, a ValueError for none, a KeyError
    for a metric that was not measured.

    >>> from ftree import CART, ID3, datasets, study
    >>> found = study.compare({"ID3": ID3, "CART": CART}, {"monks": datasets.monks(1)}, folds=2, metrics=("accuracy", "leaves"))
    >>> ax = plot_trade_off({name: found[name, "monks"] for name in found.learners})
    >>> ax.get_xlabel(), [text.get_text() for text in ax.get_legend().get_texts()]
    ('leaves', ['ID3', 'CART'])
    """
    if not isinstance(trials, Mapping) or not all(isinstance(trial, Trial) for trial in trials.values()):
        raise TypeError(f'trials must be a dict by names such as {{"CART": cross_validate(...)}}, got {short_repr(trials)}.')
    if not trials:
        raise ValueError("trials must be at least one, got none.")
    upwards = metric or next(iter(trials.values())).metrics[0]
    ax = axes_or_new(ax, name="plot_trade_off", frame=False)
    for number, (name, trial) in enumerate(trials.items()):
        across, up = trial[against], trial[upwards]
        look = {"capsize": 2, "linestyle": "none", "elinewidth": 0.8, **point_look(number)}
        errors = standard_error_of(up), standard_error_of(across)
        ax.errorbar(fmean(across), fmean(up), *errors, label=plot_text(name, 30), **look)
    ax.set(xlabel=against, ylabel=upwards)
    ax.legend()
    return ax


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
    numbers = _plane(dataset, features)
    sides = [_places(dataset.columns[number], cells) for number in numbers]
    plane = _grid(dataset, numbers, sides)
    answers = Predictions(tree, plane, missing=missing)
    if not dataset.schema.has_classes and answers.predicted.ndim > 1:
        raise ValueError(f"tree must answer with labels or numbers, got one of {dataset.schema.response.kind}. Use plot_tree.")
    ax = axes_or_new(ax, name="plot_boundary")
    if len(sides) < _PLANE:  # of a target of numbers
        several: list[tuple[str, Any]] = [("the tree", tree), *(borders or {}).items()]
        means = [(name, Predictions(each, plane, missing=missing).predicted) for name, each in several]
        _draw_curves(ax, dataset, numbers[0], sides[0], means)
    elif dataset.schema.has_classes:
        shades = class_colours(answers.classes)
        _draw_regions(ax, [tinted(shade, 0.35) for shade in shades.values()], answers.predicted.reshape(cells, cells), *sides)
        _draw_rows(ax, dataset, numbers, shades)
        _draw_borders(ax, borders or {}, plane, *sides, missing=missing)
        ax.legend(title=plot_text(dataset.schema.target, 30))
    elif borders:
        raise ValueError(f"borders must be None for a regression tree, got {short_repr(borders)}.")
    else:
        _draw_surface(ax, dataset, numbers, answers.predicted.reshape(cells, cells), *sides)
    unknown = [feature.name for number, feature in enumerate(dataset.schema.features) if number not in numbers]
    title = f"unknown: {', '.join(unknown)}" if unknown else ""
    across, up, *_ = *(dataset.schema.features[number].name for number in numbers), dataset.schema.target
    ax.set(xlabel=plot_text(across), ylabel=plot_text(up), title=plot_text(title))
    for limit, side in zip((ax.set_xlim, ax.set_ylim), sides, strict=False):
        limit(side[0], side[-1])
    return ax


def _plane(dataset: Dataset, features: Sequence[str] | None) -> list[int]:
    """The numbers of the two features; of one, that of a curve."""
    known = dataset.schema.features
    numeric = [number for number, feature in enumerate(known) if feature.kind == "numeric"]
    wanted = numeric if features is None else [position(dataset.schema, name) for name in as_tuple(features)]
    fits = len(wanted) == _PLANE or (len(wanted) == 1 and not dataset.schema.has_classes)
    if not fits or not set(wanted) <= set(numeric):
        names = joined(repr(known[number].name) for number in numeric)
        got = "None" if features is None else short_repr(features)
        message = f"features must be the names of two numeric features, got {got}. The dataset's numeric features: {names}."
        raise ValueError(message)
    return wanted


def _places(column: Array, cells: int) -> Array:
    low, high = np.nanmin(column), np.nanmax(column)
    beyond = _MARGIN * (high - low or 1.0)
    return np.linspace(low - beyond, high + beyond, cells)


def _grid(dataset: Dataset, numbers: Sequence[int], sides: Sequence[Array]) -> Dataset:
    """A row for each point, from below, in which all other features are missing."""
    points = [side.ravel() for side in np.meshgrid(*sides)]
    n = len(points[0])
    columns = [
        np.full(n, np.nan if feature.kind == "numeric" else -1, dtype=column.dtype)
        for feature, column in zip(dataset.schema.features, dataset.columns, strict=True)
    ]
    for number, places in zip(numbers, points, strict=True):
        columns[number] = places
    further = [np.ones(n) for _ in dataset.further_targets]
    zeros = np.zeros(n, dtype=dataset.target_column.dtype)
    return evolve(dataset, columns=columns, target_column=zeros, weights=None, further_targets=further)


def _draw_regions(ax: Any, shades: list[str], codes: Array, x: Array, y: Array) -> None:
    from matplotlib.colors import ListedColormap  # noqa: PLC0415  # loaded when a picture is drawn

    look = {"cmap": ListedColormap(shades), "vmin": -0.5, "vmax": len(shades) - 0.5, "shading": "nearest", "rasterized": True}
    ax.pcolormesh(x, y, codes, **look)


def _draw_surface(ax: Any, dataset: Dataset, numbers: Sequence[int], means: Array, x: Array, y: Array) -> None:
    """The numbers of a plane and of the rows in the colours of drawn trees, with a bar of these."""
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415  # as above

    every = np.append(means.ravel(), numbers_of_rows(dataset))
    look = {"cmap": LinearSegmentedColormap.from_list("means", SCALE), "vmin": every.min(), "vmax": every.max()}
    ax.pcolormesh(x, y, means, shading="nearest", rasterized=True, **look)
    look |= {"c": numbers_of_rows(dataset), "s": 2 * _size(dataset), "edgecolor": "black", "linewidth": 0.5}
    rows = ax.scatter(*(dataset.columns[number] for number in numbers), **look)
    ax.figure.colorbar(rows, ax=ax, label=plot_text(dataset.schema.target, 30))


def _draw_curves(ax: Any, dataset: Dataset, number: int, x: Array, curves: Sequence[tuple[str, Array]]) -> None:
    """Numbers along a feature over the rows."""
    ax.scatter(dataset.columns[number], numbers_of_rows(dataset), s=_size(dataset), color=GREY, alpha=0.6, linewidth=0)
    for place, (name, means) in enumerate(curves):
        look = {"color": point_look(place)["color"], "linestyle": LINES[place % len(LINES)], "linewidth": 2.0}
        ax.plot(x, means, drawstyle="steps-mid", label=plot_text(name, 40), **look)
    ax.legend()


def _size(dataset: Dataset) -> float:
    """The size of a row's point: smaller for many rows."""
    return float(np.clip(4000 / max(len(dataset), 1), 5, 30))


def _draw_rows(ax: Any, dataset: Dataset, numbers: Sequence[int], shades: Any) -> None:
    across, up = (dataset.columns[number] for number in numbers)
    for code, label in enumerate(dataset.schema.classes):
        here = dataset.target_column == code
        look = {"color": shades[label], "marker": MARKERS[code % len(MARKERS)], "edgecolor": "black", "linewidth": 0.4}
        ax.scatter(across[here], up[here], s=_size(dataset), label=plot_text(label, 30), **look)


# The first of several lines has this grey, the last is black.
_PALEST = 0.85


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
            for code in sorted(set(codes.ravel().tolist()))[:-1]:  # the borders of the last label are drawn by then
                ax.contour(x, y, codes == code, levels=[0.5], **look)
        ax.plot([], [], color="black", linestyle=style, linewidth=2.0, label=plot_text(name, 40))
