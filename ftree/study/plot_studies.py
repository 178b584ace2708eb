"""Pictures of studies: confusion, critical differences, learning curves and trade-offs."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from ftree._lib.messages import short_repr, type_of
from ftree.show.looks import COLOURS, colour
from ftree.show.plot_numbers import MARKERS, axes_or_new, plot_text, point_look
from ftree.study.confusion_matrix import Confusion
from ftree.study.cross_validation import Trial
from ftree.study.score_summaries import deviation_of, standard_error_of
from ftree.study.significance import Friedman

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

    Raises a TypeError for anything but a trial, a ValueError for quantiles that are not two numbers between 0 and 1 in order.

    >>> from ftree.study import FoldResult
    >>> trial = Trial(["accuracy"], [FoldResult(4, 2, [score]) for score in (0.5, 0.75, 1.0)])
    >>> band(trial), band(trial, quantiles=(0, 1))
    ((0.5, 1.0), (0.5, 1.0))
    """
    if not isinstance(trial, Trial):
        raise TypeError(f"trial must be a result of cross_validate, or one of learning_curve, got {type_of(trial)}.")
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
