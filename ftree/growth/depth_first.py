"""Depth-first growth by the native library: from presorted columns where it can, else from a table of any kinds of features."""

from typing import Any

from toolz import concat

from ftree._lib.machine import thread_pool
from ftree._lib.objects import is_exactly
from ftree._lib.waiting import Progress
from ftree.data.dataset import Dataset
from ftree.growth.engine_choice import EngineChoice, is_native
from ftree.growth.engines.engine import GrownTree
from ftree.growth.levels import Growth, StartNodes
from ftree.growth.search import SearchSettings
from ftree.growth.table_columns import table_columns
from ftree.growth.table_growth import grown_table
from ftree.policy import Policy
from ftree.splitters import threshold


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
        if start is None and cuts_only(dataset, settings):
            from ftree.growth.presorted_growth import grown_presorted  # noqa: PLC0415  # trees with other splits do without it

            grown = grown_presorted(dataset, growth, threads, line)
            if grown is not None:
                return grown
        columns = table_columns(dataset, policy, settings, threads)
        if columns is None or start is None:
            return None if columns is None else grown_table(columns, growth, threads, line)
        from ftree.growth.table_start import start_rows  # noqa: PLC0415  # few trees grow from others

        rows = start_rows(columns, start)
        return None if rows is None else grown_table(columns, growth, threads, line, rows)


def cuts_only(dataset: Dataset, settings: SearchSettings) -> bool:
    """Whether gains choose between thresholds with least sizes in cases, at most one for each kind of feature."""
    kinds = {feature.kind for feature in dataset.schema.features}
    own: list[list[Any]] = [[each for each in settings.splitters if kind in each.kinds] for kind in kinds]
    listed = list(concat(own))
    cuts = all(is_exactly(each, threshold) and not each.mdl and not callable(each.min_cases) for each in listed)
    return bool(listed) and cuts and settings.is_by_gain and max(map(len, own)) == 1
