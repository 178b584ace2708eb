"""One score against another one, a point for each learner: accuracy against leaves, say."""

from collections.abc import Mapping
from statistics import fmean
from typing import Any

from ftree._lib.messages import short_repr
from ftree._lib.pyplot import axes_or_new
from ftree.show.palette import point_look
from ftree.show.plot_text import plot_text
from ftree.study.spread import standard_error_of
from ftree.study.trial import Trial


def plot_trade_off(trials: Mapping[str, Trial], *, against: str = "leaves", metric: str | None = None, ax: Any = None) -> Any:
    """Draw the mean score of each learner by one metric against another one, and return matplotlib's axes.

    `trials` is a dict by names, such as `{name: comparison[name, "votes"] for name in comparison.learners}`. Bars are one
    standard error to each side. `metric` is the first one of the trials unless it is named, and is drawn upwards.

    Raises an ImportError without matplotlib, a TypeError for what are no trials by name, a ValueError for none, a KeyError
    for a metric that was not measured.

    >>> from ftree import CART, ID3
    >>> from ftree.datasets import monks
    >>> from ftree.study import compare
    >>> found = compare({"ID3": ID3, "CART": CART}, {"monks": monks(1)}, folds=2, metrics=("accuracy", "leaves"))
    >>> ax = plot_trade_off({name: found[name, "monks"] for name in found.learners})
    >>> ax.get_xlabel(), [text.get_text() for text in ax.get_legend().get_texts()]
    ('leaves', ['ID3', 'CART'])
    """
    if not isinstance(trials, Mapping) or not all(isinstance(trial, Trial) for trial in trials.values()):
        message = f'trials must be a dict by names such as {{"CART": cross_validate(...)}}, got {short_repr(trials)}.'
        raise TypeError(message)
    if not trials:
        message = "trials must be at least one, got none."
        raise ValueError(message)
    upwards = metric or next(iter(trials.values())).metrics[0]
    ax = axes_or_new(ax, name="plot_trade_off", layout="constrained")
    for number, (name, trial) in enumerate(trials.items()):
        across, up = trial[against], trial[upwards]
        look = {"capsize": 2, "linestyle": "none", "elinewidth": 0.8, **point_look(number)}
        errors = standard_error_of(up), standard_error_of(across)
        ax.errorbar(fmean(across), fmean(up), *errors, label=plot_text(name, 30), **look)
    ax.set(xlabel=against, ylabel=upwards)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend()
    return ax
