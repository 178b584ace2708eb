"""Attribute-value-class counts of a level from the compiled engine's columns, for a search that has no kernels."""

import numpy as np

from ftree._lib.memory import require_memory
from ftree.criteria.counts import Avc
from ftree.growth.engines.numba_state import State
from ftree.growth.kernels import level_counts


def counted(state: State) -> Avc:
    """Attribute-value-class counts of all open nodes; features are shared among threads."""
    fixed, (m, n_features) = state.fixed, (len(state.nodes.start), len(state.fixed.values))
    given, work = (fixed.features, state.entries, state.nodes), int(state.sizes.sum()) * n_features
    codes = int(fixed.features.absent[fixed.features.coded].max(initial=-1)) + 1
    tallies = np.zeros((fixed.threads.n, codes * fixed.n_classes))
    present = np.zeros((m, n_features), np.int64)

    def count(first: int, last: int, worker: int) -> None:
        for feature in range(first, last):
            level_counts.count_present(feature, *given, tallies[worker], present)

    fixed.threads.share(count, n_features, work)
    sizes = present.ravel()
    offset = (np.cumsum(sizes) - sizes).reshape(m, n_features)
    total = int(sizes.sum())
    require_memory(8.0 * total * (fixed.n_classes + 3), f"counts of {total:,} values by {fixed.n_classes} classes", _REMEDY)
    value, counts = np.empty(total), np.zeros(total * fixed.n_classes, np.float64 if len(state.entries.weights) else np.int64)

    def fill(first: int, last: int, worker: int) -> None:
        for feature in range(first, last):
            values = fixed.values[feature].astype(np.float64, copy=False)
            level_counts.fill_counts(feature, values, *given, offset, tallies[worker], value, counts)

    fixed.threads.share(fill, n_features, work)
    node, feature = (np.repeat(each, sizes) for each in np.divmod(np.arange(m * n_features), max(n_features, 1)))
    return Avc(node, feature, value, counts.reshape(total, fixed.n_classes))


_REMEDY = "Use fewer classes or distinct values: bin a numeric target, by quartiles for instance, and round numeric features."
