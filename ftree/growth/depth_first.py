"""Depth-first growth by the native library. Here: trees of presorted tables, whose values are all known.

One thread begins with the root. While another is idle, it hands over its largest open node. A choice that rounding could decide
is left to the search in NumPy.
"""

from collections.abc import Sequence

import numpy as np

from ftree._lib.arrays import midpoint
from ftree._lib.machine import ThreadPool, thread_pool
from ftree._lib.waiting import Progress
from ftree.data.dataset import Dataset
from ftree.growth.engine_choice import EngineChoice, is_native
from ftree.growth.engines.engine import EngineSetup, GrownTree
from ftree.growth.engines.plain_engine import plain
from ftree.growth.grown_parts import grown_parts, joined_nodes
from ftree.growth.levels import Growth, StartNodes, step
from ftree.growth.native_codes import NONE, THRESHOLD
from ftree.growth.presort import presort
from ftree.growth.presorted_table import PresortedTable, Subtree
from ftree.growth.search import SearchSettings
from ftree.growth.split_arrays import Cuts
from ftree.growth.table_columns import table_columns
from ftree.growth.table_growth import grown_table
from ftree.policy import Policy


def grown_depth_first(
    dataset: Dataset,
    policy: Policy,
    settings: SearchSettings,
    engine: EngineChoice,
    n_jobs: int | None,
    line: Progress,
    *,
    start: StartNodes | None = None,
) -> GrownTree | None:
    """All nodes of the tree, if the library knows the policy, and should grow the tree; else None."""
    if not is_native(engine):
        return None
    growth = Growth(dataset.schema.features, policy, settings)
    with thread_pool(n_jobs) as threads:
        presorted = presort(dataset, policy, settings, threads) if start is None else None
        if presorted is not None:
            return _grown_from_sorted(presorted, growth, threads, line)
        columns = table_columns(dataset, policy, settings, threads)
        if columns is None or start is None:
            return None if columns is None else grown_table(columns, growth, threads, line)
        from ftree.growth.table_start import start_rows  # noqa: PLC0415  # few trees grow from others

        rows = start_rows(columns, start)
        return None if rows is None else grown_table(columns, growth, threads, line, rows)


def _grown_from_sorted(presorted: PresortedTable, growth: Growth, threads: ThreadPool, line: Progress) -> GrownTree:
    def advance(part: Subtree) -> None:
        if part.grow(presorted):
            _decide(presorted, growth, part)

    parts = grown_parts(
        presorted.root(), advance, threads, line, n_rows=len(presorted.dataset), n_features=len(presorted.features)
    )
    return _joined(presorted, parts)


def _decide(presorted: PresortedTable, growth: Growth, part: Subtree) -> None:
    """Divide the node that was opened last as the search in NumPy does, or make it a leaf."""
    low, high, *_ = part.open[part.n_open - 1].item()
    level, _ = step(growth, plain(presorted.dataset.take(presorted.rows(0, low, high)), EngineSetup()))
    cuts = Cuts.of(level.splits)
    if cuts.kind[0] != THRESHOLD:
        part.close()
        return
    number = int(np.searchsorted(presorted.features, cuts.feature[0]))
    rows = presorted.rows(number, low, high)
    right = presorted.dataset.columns[cuts.feature[0]][rows] > cuts.at[0]
    n_left = len(rows) - int(np.count_nonzero(right))
    presorted.part(low, high, right, number)
    left = np.bincount(presorted.dataset.target_column[rows[:n_left]], minlength=part.counts.shape[1])
    part.divide(low + n_left, (number, int(rows[n_left - 1]), int(rows[n_left])), left)


def _joined(presorted: PresortedTable, parts: Sequence[Subtree]) -> GrownTree:
    """All nodes, with the thresholds between the rows that the library notes."""
    nodes, counts, _ = joined_nodes(parts)
    number, at = np.ascontiguousarray(nodes["feature"]), np.zeros(len(nodes))
    below, above = (np.ascontiguousarray(nodes[side]) for side in ("below", "above"))  # rows next to thresholds
    feature = np.where(number >= 0, presorted.features[number], -1).astype(np.int32)
    for f, column in enumerate(presorted.dataset.columns):
        (cut,) = (feature == f).nonzero()
        at[cut] = midpoint(*(column[rows[cut]].astype(np.float64, copy=False) for rows in (below, above)))
    kind, no_codes = np.where(feature >= 0, THRESHOLD, NONE).astype(np.int8), np.zeros(len(nodes) + 1, np.int64)
    return GrownTree(counts, Cuts(kind, feature, at, no_codes, np.zeros(0, np.int64)), nodes["first"].astype(np.int64))
