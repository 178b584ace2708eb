"""Learning curves as pictures: mean scores by the number of training rows, with bands of their spread."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from ftree._lib.messages import short_repr
from ftree._lib.pyplot import axes_or_new
from ftree.study.spread import deviation_of
from ftree.study.trial import Trial

# Okabe & Ito 2008, "Color Universal Design": colours that colour-blind readers tell apart.
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
_MARKERS = "osD^vP"


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


def plot_learning_curves(
    curves: Mapping[str, Sequence[Trial]],
    *,
    metric: str | None = None,
    quantiles: tuple[float, float] | None = None,
    axes: Any = None,
) -> Any:
    """Draw mean scores against training sizes for each name, with a band, and return matplotlib's axes.

    A curve is what `learning_curve` returns. The band is a standard deviation of the repeats around their mean, or lies between
    two of their quantiles, such as (0.1, 0.9).

    Raises an ImportError without matplotlib, a TypeError for no dict, a ValueError for no curve.
    """
    first = _checked(curves)
    shown = metric or first
    axes = axes_or_new(axes, name="plot_learning_curves", layout="constrained")
    for number, (name, curve) in enumerate(curves.items()):
        look = {"color": _COLOURS[number % len(_COLOURS)], "marker": _MARKERS[number // len(_COLOURS) % len(_MARKERS)]}
        sizes, ends = [trial.size for trial in curve], [band(trial, metric=shown, quantiles=quantiles) for trial in curve]
        axes.fill_between(sizes, *zip(*ends, strict=True), color=look["color"], alpha=0.2, linewidth=0)
        axes.plot(sizes, [fmean(trial[shown]) for trial in curve], label=name, **look)
    described = "a standard deviation" if quantiles is None else f"quantiles {quantiles[0]:g} to {quantiles[1]:g}"
    axes.set(xlabel="training rows", ylabel=f"{shown} (band: {described})")
    axes.legend()
    return axes


def _checked(curves: Any) -> str:
    """The first metric of the first curve."""
    if not isinstance(curves, Mapping):
        message = f'curves must be a dict by names such as {{"ID3": learning_curve(...)}}, got {short_repr(curves)}.'
        raise TypeError(message)
    if not all(curves.values()) or not curves:
        sizes = [len(curve) for curve in curves.values()]
        message = f"curves must be at least one, each of at least one size, got curves of {sizes} sizes."
        raise ValueError(message)
    metrics: tuple[str, ...] = next(iter(curves.values()))[0].metrics
    return metrics[0]
