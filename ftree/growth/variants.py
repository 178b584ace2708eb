"""Several ways to count missing values in the runs of a level: each is searched, and the best split of all is taken."""

from collections.abc import Callable, Sequence

import numpy as np

from ftree._lib.arrays import Array
from ftree.criteria.counts import Avc
from ftree.splitters import BestSplits, Runs, Splitter, Translate, best_of
from ftree.splitters.best import first_best
from ftree.tree.splits.protocol import Split


def best_variant(
    variants: Sequence[tuple[Runs, Translate]], splitters: Sequence[Splitter], measure: Callable[[Array], Array]
) -> tuple[Runs, BestSplits]:
    """The first runs, and the best split of each run in any of them; the first of equal ones."""
    found = [best_of(runs, splitters, measure) for runs, _ in variants]
    scores = np.array([each.score for each in found])
    which = first_best(scores)

    def build(run: int) -> tuple[Split, Array]:
        translated: Translate = variants[which[run]][1]
        return translated(run, *found[which[run]].build(run))

    return variants[0][0], BestSplits(scores.max(axis=0), build)


def missing_counts(avc: Avc, runs: Runs) -> Array:
    """Class counts of the cases whose value is missing, of each run of known values, (runs, K)."""
    counts = np.zeros((len(runs.start), avc.counts.shape[1]), dtype=avc.counts.dtype)
    missing, n = np.isnan(avc.value), len(runs.features)
    number = {key: run for run, key in enumerate((runs.node * n + runs.feature).tolist())}
    keys = (avc.node[missing] * n + avc.feature[missing]).tolist()
    for key, row in zip(keys, avc.counts[missing], strict=True):
        if key in number:  # otherwise no value is known
            counts[number[key]] = row
    return counts
