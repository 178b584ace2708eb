"""The nodes of a tree in arrays, as growth collects them, and the tree made from them."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from ftree._lib.progress import Progress, is_watched
from ftree._lib.progress import progress as showing
from ftree.data.dataset import Dataset
from ftree.growth.assemble import Assembly
from ftree.growth.checkpoint import Checkpoint
from ftree.growth.counted_table import CountedTable, table_summary, watched
from ftree.growth.engine_choice import EngineChoice, check_engine_choice, started
from ftree.growth.engines.fused import stop_limits
from ftree.growth.levels import Growth, Level, levels, terms_of
from ftree.growth.number_bins import Ends
from ftree.growth.reports import Reports, collected, keep_levels
from ftree.growth.start_tree import resumed_nodes, start_nodes
from ftree.policy import Policy
from ftree.prune.trim import trim
from ftree.routing.all_routes import all_routes
from ftree.routing.moved_thresholds import at_values, values_of_columns
from ftree.routing.recount import at_observed
from ftree.routing.rule_names import as_prediction_rule
from ftree.splitters import all_splitters, threshold
from ftree.splitters.missing_hooks import hook
from ftree.stop import leaf_limit, max_leaves
from ftree.tree.build import new_tree
from ftree.tree.nodes import Path, Tree
from ftree.tree.prediction_rule import PredictionRule


def grown_parts(
    table: Dataset | CountedTable,
    policy: Policy,
    start: Tree | None = None,
    at: Path | None = None,
    *,
    trace: "Callable[[Level], Any] | None" = None,
    engine: "EngineChoice" = "auto",
    n_jobs: int | None = None,
    progress: bool | None = None,
    saved: Checkpoint | None = None,
) -> Assembly:
    """The nodes of the tree of a prepared table, with the thresholds of the search, and with all leaves."""
    check_engine_choice(engine, n_jobs)
    summary = table_summary(table)
    terms, above = terms_of(policy, summary), start_nodes(start, at, summary.schema)
    if saved is not None:
        above = resumed_nodes(saved.load(policy), counted=not summary.gaps())
    with _shown(table, progress) as line, started(watched(table, line), policy, terms, engine, n_jobs) as (first, able):
        # A trace gets every level; without one, small nodes may be grown to the end at once.
        limits = stop_limits(policy.stop) if trace is None else None
        growth = Growth(summary.schema.features, policy, terms, able, limits)
        save = None if saved is None else partial(keep_levels, saved, policy, summary.schema)
        return collected(levels(growth, first, above), Reports(summary.n_cases, line if line.stream else None, trace, save))


def tree_of(parts: Assembly, table: Dataset | CountedTable, policy: Policy) -> Tree:
    """The tree of these parts, with the policy's rule for missing values."""
    return new_tree(table_summary(table).schema, parts.root(), missing=prediction_rule(policy))


def finished(parts: Assembly, table: Dataset | CountedTable, policy: Policy, ends: Ends | None) -> Tree:
    """The completed tree of these parts. Thresholds move before nodes are made, if all splits are in arrays."""
    observed = _uses_observed_thresholds(policy)
    if observed and ends is None and isinstance(table, Dataset):
        moved = parts.at_values(values_of_columns(table.columns))
        if moved is not None:
            return _trimmed(tree_of(moved, table, policy), policy)
    tree = tree_of(parts, table, policy)
    return completed(tree, table, policy, ends) if observed or ends is not None else _trimmed(tree, policy)


def completed(tree: Tree, table: Dataset | CountedTable, policy: Policy, ends: Ends | None) -> Tree:
    """The tree with its thresholds at the ends of bins, or at observed values, and trimmed to its maximum number of leaves."""
    if ends is not None:
        tree = at_values(tree, ends)
    if _uses_observed_thresholds(policy):
        tree = at_observed(tree, table) if isinstance(table, Dataset) else table.at_observed(tree)
    return _trimmed(tree, policy)


def _trimmed(tree: Tree, policy: Policy) -> Tree:
    """The tree trimmed to the policy's maximum number of leaves."""
    limit = leaf_limit(policy.stop)
    return tree if limit is None else trim(max_leaves(limit), impurity=policy.impurity)(tree)


def is_complete(policy: Policy, ends: Ends | None) -> bool:
    """Whether `completed` does not change the trees of a policy."""
    return ends is None and not _uses_observed_thresholds(policy) and leaf_limit(policy.stop) is None


def _shown(table: Dataset | CountedTable, progress: Any) -> AbstractContextManager[Progress]:
    """The progress line: by default for a table that is not in memory, after a second, if a person watches."""
    if progress is None:
        return showing(shown=is_watched() and not isinstance(table, Dataset), patience=1.0)
    return showing(shown=progress)


def _uses_observed_thresholds(policy: Policy) -> bool:
    return any(isinstance(splitter, threshold) and splitter.at == "observed" for splitter in all_splitters(policy.splits))


def prediction_rule(policy: Policy) -> PredictionRule | None:
    """The prediction rule that belongs to the policy for missing values; None if it has none."""
    named = hook(policy.missing, "predict")
    rule = None if named is None else as_prediction_rule(named)
    return None if rule == _ALL_ROUTES else rule


_ALL_ROUTES = all_routes()
