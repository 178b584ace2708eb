"""Arrays that the search reuses instead of allocating, so that its kernels need not count references."""

from typing import Any, NamedTuple

import numpy as np

from ftree._lib.jit import inlined_section
from ftree.growth.criterion_codes import EXACT
from ftree.growth.kernels.records import Features
from ftree.growth.kernels.scan_weighted import at_once
from ftree.growth.split_arrays import SUBSET


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
    """For the values present in a node, in rows: each one's code or first key (n,), class counts (n, K) and cases (n,).

    Then, for their search: an order of the rows and a share of each (n,), a score for each row or division, class counts of two
    sides (K,).
    """

    values: Any
    counts: Any
    sizes: Any
    order: Any
    share: Any
    scores: Any
    left: Any
    right: Any


class CodedBuffers(NamedTuple):
    """For counting coded features of a node: their columns among the codes (coded,), the first cell of each (coded + 1,).

    Then the number of each class among the counted ones (K,), and the cells: rows by feature, code and class in `whole`,
    their weights in `parts`.
    """

    numbers: Any
    begin: Any
    ranks: Any
    whole: Any
    parts: Any


class SearchBuffers(NamedTuple):
    """All buffers of a search; each thread has its own."""

    cuts: Any
    run: Any
    coded: Any


def search_buffers(features: Features, n: int, k: int) -> SearchBuffers:
    """Buffers for a search of nodes with up to n values, by k classes."""
    m, n_coded, cells = at_once(k), len(features.coded), features.base[-1]
    each, others, shares, left, right = np.empty(k), np.empty(k), np.empty(k), np.empty(k), np.empty(k)
    lefts, rough, at, count = np.empty((k + 1, m)), np.empty(m), np.empty(m, np.int64), np.empty(m, np.int64)
    values, counts, order = np.empty(n, np.int64), np.empty((n, k)), np.empty(n, np.int64)
    numbers, begin, n_scores = np.empty(n_coded, np.int64), np.zeros(n_coded + 1, np.int64), n
    if k > 2:  # noqa: PLR2004  # with two classes, no divisions are listed
        for f in np.flatnonzero(features.way == SUBSET).tolist():
            n_scores = max(n_scores, 1 << int(min(features.options[f, EXACT], features.absent[f])))
    return SearchBuffers(
        CutBuffers(np.zeros(k, np.int64), np.zeros(k, np.int64), each, others, shares, lefts, rough, at, count),
        RunBuffers(values, counts, np.empty(n), order, np.empty(n), np.empty(n_scores), left, right),
        CodedBuffers(numbers, begin, np.empty(k, np.int64), np.empty(cells, np.int64), np.empty(cells)),
    )


@inlined_section
def is_fast(measure, weights):
    """Whether thresholds of sorted features are found in one pass, for which rows that are counted need a table."""
    return measure.fast and (len(weights) > 0 or len(measure.table) > 0)
