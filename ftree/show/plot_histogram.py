"""A histogram of numbers, with their median."""

from collections.abc import Iterable
from statistics import median
from typing import Any

from ftree._lib.messages import short_repr
from ftree._lib.pyplot import axes_or_new
from ftree.show.palette import COLOURS
from ftree.show.plot_text import plot_text


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
    ax = axes_or_new(ax, name="plot_histogram", layout="constrained")
    ax.hist(numbers, bins=bins, color=COLOURS[4], edgecolor="white")
    middle = median(numbers)
    ax.axvline(middle, color="black", linestyle="--", label=f"median {middle:.4g}")
    ax.set(xlabel=plot_text(xlabel), ylabel=plot_text(ylabel))
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend()
    return ax


def _numbers(values: Any) -> list[float]:
    try:
        numbers = list(map(float, values))
    except (TypeError, ValueError):
        message = f"values must be a sequence of numbers, got {short_repr(values)}."
        raise TypeError(message) from None
    if not numbers:
        message = "values must be at least one number, got none."
        raise ValueError(message)
    return numbers
