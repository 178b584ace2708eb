"""Requested bins: with `threshold(bins=...)`, growth uses only the end of each number's bin.

A bin ends at a value in the data, and has the values above the end of the bin before it. So a row goes the same way by its
number and by the end of its bin, if a threshold is the end of a bin.
"""

from typing import TypeAlias

import numpy as np
from attrs import evolve

from ftree._lib.arrays import Array, Floats, run_starts
from ftree._lib.fields import name_of
from ftree.data.dataset import Dataset
from ftree.policy import Policy
from ftree.splitters import all_splitters, threshold

# The ends of the bins of each feature, None for one without numbers.
Ends: TypeAlias = tuple[Floats | None, ...]
# Ends that are closer than this share of the largest number would be equal except for rounding when thresholds move to them.
_NEAR = 4e-12


def bins_of(policy: Policy) -> int | None:
    """The number of bins that a policy requests, None for none.

    Raises a ValueError unless all its splitters of numbers request the same number.

    >>> from ftree import ID3, multiway
    >>> bins_of(ID3), bins_of(evolve(ID3, splits=(multiway(), threshold(bins=255))))
    (None, 255)
    """
    every = [splitter for splitter in all_splitters(policy.splits) if "numeric" in splitter.kinds]
    asking = {splitter.bins for splitter in every if isinstance(splitter, threshold) and splitter.bins is not None}
    most = max(asking, default=None)
    for splitter in every if asking else ():
        if not hasattr(splitter, "parts") and getattr(splitter, "bins", None) != most:
            message = f"splits must have threshold(bins={most}) for all numeric features, got {name_of(splitter)}."
            raise ValueError(message)
    return most


def ends_of_bins(values: Floats, cases: Array, most: int) -> Floats:
    """The ends of at most `most` bins with about equally many cases each, given distinct values in order and their cases.

    A bin ends at the first value up to which a whole number of shares of the cases lies; the last end is the largest value.

    >>> ends_of_bins(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1, 1, 1, 1]), 2).tolist()
    [2.0, 4.0]
    """
    if len(values) > most:
        upto = np.cumsum(cases)
        values = values[np.unique(np.append(np.searchsorted(upto, ranks(upto[-1].item(), most)), len(values) - 1))]
    largest = np.abs(values).max(initial=0.0)
    ends: Floats = values[np.append(np.diff(values) > _NEAR * largest, True)] if len(values) else values
    return ends


def ranks(total: float, most: int) -> list[float]:
    """The number of cases up to the end of each bin but the last, exact for whole numbers.

    >>> ranks(10, 4)
    [3, 5, 8]
    """
    # Python's whole numbers do not overflow.
    return [-(-total * number // most) if isinstance(total, int) else total * number / most for number in range(1, most)]


def in_bins(dataset: Dataset, most: int) -> tuple[Dataset, Ends]:
    """The rows with each number replaced by the end of its bin, and the ends of each feature's bins, None without numbers."""
    pairs = zip(dataset.schema.features, dataset.columns, strict=True)
    ends = tuple(_ends(column, dataset.weights, most) if feature.kind == "numeric" else None for feature, column in pairs)
    columns = [column if own is None else binned(column, own) for column, own in zip(dataset.columns, ends, strict=True)]
    return evolve(dataset, columns=columns), ends


def binned(numbers: Floats, ends: Floats) -> Floats:
    """The end of each number's bin, NaN for NaN.

    >>> binned(np.array([0.5, np.nan, 2.0]), np.array([1.0, 2.0])).tolist()
    [1.0, nan, 2.0]
    """
    own: Floats = np.append(ends, np.nan)[np.searchsorted(ends, numbers)]
    return own


def _ends(column: Floats, weights: Array | None, most: int) -> Floats:
    known = ~np.isnan(column)
    numbers, own = column[known].astype(np.float64), None if weights is None else weights[known]
    if own is None:
        numbers = np.sort(numbers)
    else:
        order = np.argsort(numbers, kind="stable")
        numbers, own = numbers[order], own[order]
    starts = run_starts(numbers)
    cases = np.diff(np.append(starts, len(numbers))) if own is None else np.add.reduceat(own, starts) if len(starts) else own
    return ends_of_bins(numbers[starts], cases, most)
