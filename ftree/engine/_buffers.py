"""Arrays that the search writes to again and again, so that it makes none for a node."""

from typing import Any, NamedTuple

import numpy as np

from ftree._jit import compiled
from ftree.engine._weigh import at_once


class CutBuffers(NamedTuple):
    """For a search of sorted keys: counts (K,) and weights (K,) of classes, and the next cuts with their estimates.

    `left`, `right` are whole numbers, `each`, `others`, `shares` floats; `lefts` (K + 1, n), `rough`, `at`, `count` (n,) are for
    the next n cuts.
    """

    left: Any
    right: Any
    each: Any
    others: Any
    shares: Any
    lefts: Any
    rough: Any
    at: Any
    count: Any


class RunBuffers(NamedTuple):
    """For the values present in a node, in rows: each one's code or first key (n,) and class counts (n, K).

    Then, for their search: an order of the rows, a share and a score of each (n,), class counts of two sides (K,).
    """

    values: Any
    counts: Any
    order: Any
    share: Any
    scores: Any
    left: Any
    right: Any


class TallyBuffers(NamedTuple):
    """For counting one coded feature: its number (1,), a 0 and the number of its cells (2,), the cells."""

    only: Any
    begin: Any
    cells: Any


@compiled
def cut_buffers(n_classes):
    """Buffers for cuts of sorted keys."""
    n = at_once(n_classes)
    left, right = np.zeros(n_classes, np.int64), np.zeros(n_classes, np.int64)
    each, others, shares = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    lefts, rough, at, count = np.empty((n_classes + 1, n)), np.empty(n), np.empty(n, np.int64), np.empty(n, np.int64)
    return CutBuffers(left, right, each, others, shares, lefts, rough, at, count)


@compiled
def run_buffers(n, n_classes):
    """Buffers for n values."""
    left, right = np.empty(n_classes), np.empty(n_classes)
    return RunBuffers(
        np.empty(n, np.int64), np.empty((n, n_classes)), np.empty(n, np.int64), np.empty(n), np.empty(n), left, right
    )


@compiled
def tally_buffers(base):
    """Buffers for any one of the coded features, whose cells begin at `base`."""
    most = 0
    for g in range(len(base) - 1):
        most = max(most, base[g + 1] - base[g])
    return TallyBuffers(np.zeros(1, np.int64), np.zeros(2, np.int64), np.empty(most))
