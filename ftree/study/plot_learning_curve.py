"""Learning curves as pictures: mean scores by the number of training rows, with bands of their spread."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from ftree._lib.messages import short_repr
from ftree._lib.pyplot import axes_or_new
from ftree.show.palette import MARKERS, colour
from ftree.show.plot_text import plot_text
from ftree.study.spread import deviation_of
from ftree.study.trial import Trial


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

    >>> from ftree import ID3
    >>> from ftree.datasets import monks
    >>> from ftree.study import learning_curve
    >>> plot_learning_curve(learning_curve(monks(1), ID3, sizes=[50, 100], repeats=2)).get_xlabel()
    'training rows'
    """
    named = _by_name(curves)
    shown = metric or next(iter(named.values()))[0].metrics[0]
    ax = axes_or_new(ax, name="plot_learning_curve", layout="constrained")
    for number, (name, curve) in enumerate(named.items()):
        look = {"color": colour(number), "marker": MARKERS[number % len(MARKERS)]}
        sizes, ends = [trial.size for trial in curve], [band(trial, metric=shown, quantiles=quantiles) for trial in curve]
        ax.fill_between(sizes, *zip(*ends, strict=True), color=look["color"], alpha=0.2, linewidth=0)
        ax.plot(sizes, [fmean(trial[shown]) for trial in curve], label=plot_text(name), **look)
    described = "a standard deviation" if quantiles is None else f"quantiles {quantiles[0]:g} to {quantiles[1]:g}"
    ax.set(xlabel="training rows", ylabel=f"{shown} (band: {described})")
    ax.spines[["top", "right"]].set_visible(False)
    if isinstance(curves, Mapping):
        ax.legend()
    return ax


def _by_name(curves: Any) -> Mapping[str, Sequence[Trial]]:
    """Curves by name; a single one has none."""
    named = curves if isinstance(curves, Mapping) else {"": curves}
    for curve in named.values():
        if not isinstance(curve, Sequence) or not all(isinstance(trial, Trial) for trial in curve):
            example = 'learning_curve(...), or a dict such as {"ID3": learning_curve(...)}'
            message = f"curves must be {example}, got {short_repr(curves)}."
            raise TypeError(message)
    if not all(named.values()) or not named:
        sizes = [len(curve) for curve in named.values()]
        message = f"curves must be at least one, each of at least one size, got curves of {sizes} sizes."
        raise ValueError(message)
    return named
