"""The tree that the native library grows, if it knows the policy, from the first of two forms of a table that fits."""

from typing import TYPE_CHECKING, Any

from toolz import concat

from ftree._lib.machine import ThreadPool
from ftree._lib.waiting import Progress
from ftree.data.dataset import Dataset
from ftree.growth.depth_first.growing_parts import is_plain_threshold
from ftree.growth.depth_first.table_columns import table_columns
from ftree.growth.depth_first.table_growth import grown_table
from ftree.growth.settings import SearchSettings
from ftree.growth.split_arrays import GrownTree
from ftree.policy import Policy
from ftree.splitters import random_features, random_threshold

if TYPE_CHECKING:
    from ftree.growth.start import StartNodes


def grown_depth_first(
    dataset: Dataset, policy: Policy, settings: SearchSettings, threads: ThreadPool, line: Progress, start: "StartNodes | None"
) -> GrownTree | None:
    """All nodes of the tree; None if the library does not know the policy or the table."""
    if start is None:
        grown = _drawn(dataset, policy, settings, threads) or _presorted(dataset, policy, settings, threads, line)
        if grown is not None:
            return grown
    columns = table_columns(dataset, policy, settings, threads)
    if columns is None:
        return None
    if start is None:
        return grown_table(columns, policy, settings, threads, line)
    from ftree.growth.depth_first.table_start import start_rows  # noqa: PLC0415  # few trees grow from others

    rows = start_rows(columns, start)
    return None if rows is None else grown_table(columns, policy, settings, threads, line, rows)


def _drawn(dataset: Dataset, policy: Policy, settings: SearchSettings, threads: ThreadPool) -> GrownTree | None:
    if not any(isinstance(splitter, (random_features, random_threshold)) for splitter in policy.splits):
        return None
    from ftree.growth.depth_first.drawn_trees import drawn_tree  # noqa: PLC0415  # few policies draw

    return drawn_tree(dataset, policy, settings, threads)


def _presorted(
    dataset: Dataset, policy: Policy, settings: SearchSettings, threads: ThreadPool, line: Progress
) -> GrownTree | None:
    if not cuts_only(dataset, settings):
        return None
    from ftree.growth.depth_first.presorted_growth import grown_presorted  # noqa: PLC0415  # others do without it

    return grown_presorted(dataset, policy, settings, threads, line)


def cuts_only(dataset: Dataset, settings: SearchSettings) -> bool:
    """Whether gains choose between thresholds with least sizes in cases, at most one for each kind of feature."""
    kinds = {feature.kind for feature in dataset.schema.features}
    own: list[list[Any]] = [[each for each in settings.splitters if kind in each.kinds] for kind in kinds]
    listed = list(concat(own))
    return bool(listed) and all(map(is_plain_threshold, listed)) and settings.is_by_gain and max(map(len, own)) == 1
