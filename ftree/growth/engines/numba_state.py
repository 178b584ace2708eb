"""The positions of a table's rows while the compiled engine grows a tree: records for kernels, and their meaning.

A kernel identifies a value by its code, or, in a sorted feature, by the position of a key in its row, or by a row of the
table that has it; this file converts such numbers to values.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from attrs import define, field, frozen

from ftree._lib.arrays import Array, midpoint, run_starts
from ftree._lib.threads import ThreadPool
from ftree.growth.engines.fused import Criterion, SurrogateSearch
from ftree.growth.engines.protocol import MissingRows
from ftree.growth.kernels.buffers import SearchBuffers
from ftree.growth.kernels.records import CriterionTables, Entries, Features, Nodes, Sharing
from ftree.growth.kernels.surrogates import SurrogateTables
from ftree.growth.split_arrays import THRESHOLD, Cuts


@frozen(eq=False)
class Fixed:
    """The constants of a growth: values, the criterion, the storage of features, tables, threads.

    `values` has those of a coded feature by code, NaN last, those of a sorted one by row: its column. `gaps` says whether any
    row has a missing value of a coded feature.
    """

    values: tuple[Array, ...]
    criterion: Criterion
    n_classes: int
    missing: MissingRows
    features: Features
    gaps: bool
    measure: CriterionTables
    sharing: Sharing
    threads: ThreadPool
    surrogates: SurrogateSearch | None
    surrogate_tables: SurrogateTables


@define(eq=False)
class Spare:
    """Room to move columns into: a block of codes, and for each thread the number of a row of keys; the buffers of threads."""

    codes: Array
    rows: list[int]
    buffers: dict[int, SearchBuffers] = field(factory=dict, init=False)


@frozen(eq=False)
class State:
    """The entries of the open nodes; those of node j are from `nodes.start[j]` to `nodes.end[j]` in every column."""

    fixed: Fixed
    entries: Entries
    nodes: Nodes
    spare: Spare

    @property
    def sizes(self) -> Array:
        """The number of entries of each open node."""
        sizes: Array = self.nodes.end - self.nodes.start
        return sizes

    def counts(self, exact: Array) -> Array:
        """Class counts as the engine returns them: whole numbers if rows have no weights."""
        return exact if len(self.entries.weights) else exact.astype(np.int64)

    def rows_of(self, features: Array, at: Array) -> Array:
        """The numbers that identify values: codes themselves; for sorted features the rows whose keys are at `at`."""
        place = self.entries.place[features]
        found, lane = at.copy(), np.flatnonzero(place < 0)
        found[lane] = self.entries.origin[self.entries.keys[-1 - place[lane], at[lane]] >> self.fixed.features.shift]
        return found

    def values_of(self, feature: int, entries: slice) -> Array:
        """The values of a feature for a range of entries, as floats, NaN where missing."""
        values, place = self.fixed.values[feature], int(self.entries.place[feature])
        found: Array = values[self.entries.codes[entries, place] if place >= 0 else self.entries.origin[entries]]
        return found.astype(np.float64, copy=False) if found.dtype.kind == "f" else np.where(found < 0, np.nan, found)

    def cuts(self, kind: Array, feature: Array, sides: tuple[Array, Array], first: Array, listed: Array, lower: Array) -> Cuts:
        """Splits, given the numbers that identify the values on both sides of each threshold, and the values that others list."""
        thresholds, is_sorted = kind == THRESHOLD, self.entries.place < 0
        at, codes = np.zeros(len(kind)), listed
        if thresholds.any():
            at = midpoint(*(self._values(feature, side, thresholds) for side in sides))
        if len(listed) and is_sorted.any():
            which = np.repeat(feature, np.diff(first))
            codes = self._values(which, listed, is_sorted[which]).astype(np.int64)
        return Cuts(kind.astype(np.int8), feature.astype(np.int32), at, first, codes, lower)

    def _values(self, features: Array, found: Array, wanted: Array) -> Array:
        """The wanted values, each of a feature, given the numbers that identify them; other numbers stay unchanged."""
        values = found.astype(np.float64)
        for feature, places in by_feature(features, wanted):
            values[places] = self.fixed.values[feature][found[places]]
        return values


def by_feature(features: Array, wanted: Array) -> Iterator[tuple[int, Array]]:
    """The wanted nodes of each feature."""
    nodes = np.flatnonzero(wanted)
    nodes = nodes[np.argsort(features[nodes], kind="stable")]
    starts = run_starts(features[nodes]).tolist()
    for start, end in pairwise([*starts, len(nodes)]):
        yield int(features[nodes[start]]), nodes[start:end]


def product(times: Array, fractions: Array) -> Array:
    """Weights of entries: whole row weights times shares of a row; empty if all are 1."""
    if len(times) and len(fractions):
        return times * fractions
    return times.astype(np.float64) if len(times) else fractions
