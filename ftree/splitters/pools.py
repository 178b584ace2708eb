"""Pooling values: the parts of a run with which CHAID starts to merge, if there are many values."""

import numpy as np

from ftree._lib.arrays import Array
from ftree.splitters.base import Runs


def pooled(runs: Runs, most: Array) -> Array:
    """The division of each run's values into at most `most` parts, as small as possible: single values if they are few."""
    run = runs.run_of_row()
    own = np.arange(len(run)) - runs.start[run]
    shared = np.where((runs.kind == "nominal")[run], _by_rarity(runs, most), _by_weight(runs, most))
    part = np.where((runs.size > most)[run], shared, own)
    _, first, number = np.unique(run * len(run) + part, return_index=True, return_inverse=True)
    starts: Array = first[number]
    return starts


def _by_rarity(runs: Runs, most: Array) -> Array:
    """The part of each row: a value's rank by weight; the rarest values share the last part."""
    run = runs.run_of_row()
    order = np.lexsort((-runs.counts.sum(axis=1), run))
    place = np.empty_like(order)
    place[order] = np.arange(len(run)) - runs.start[run]
    shared: Array = np.minimum(place, most[run] - 1)
    return shared


def _by_weight(runs: Runs, most: Array) -> Array:
    """The part of each row, of `most` parts of equal weight: the part that contains the middle of the row's cases."""
    run, weight = runs.run_of_row(), runs.counts.sum(axis=1)
    upto = np.cumsum(weight)
    before = upto - weight
    place = before + upto - 2 * before[runs.start][run]
    part: Array = (place * most[run] // (2 * runs.weight[run])).astype(np.intp)
    return part
