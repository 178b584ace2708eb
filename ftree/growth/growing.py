"""`grow`: preparing a table, growing the nodes of its tree by one of two paths, and making the tree of them.

`grown_nodes` chooses the path; both grow the same nodes. The native library grows depth first (`growth/depth_first`). Level by
level (`growth/levels`), growth is an unfold whose step takes the open nodes of one level to those of the next: the engine
counts, the search gives each node its best split, the stopping rule closes nodes, and the engine advances to the children of
the others. In the end the tree is there in arrays. Its nodes are made all at once, those of a large tree when somebody first
asks for them.
After SLIQ (Mehta, Agrawal & Rissanen 1996) and RainForest (Gehrke, Ramakrishnan & Ganti 1998).
"""

from collections.abc import Callable
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

from attrs import evolve

from ftree import prune
from ftree._lib.fields import name_of
from ftree._lib.machine import ThreadPool, thread_pool
from ftree._lib.messages import short_repr
from ftree._lib.objects import cached_by_identity
from ftree._lib.waiting import Progress, progress_of_wait
from ftree.criteria.frontier import Frontier
from ftree.data.changes import as_grown
from ftree.data.dataset import Dataset
from ftree.growth.assemble import GrownNodes, at_values, grown_arrays
from ftree.growth.depth_first.table_columns import table_columns
from ftree.growth.depth_first.table_growth import grown_table
from ftree.growth.depth_first.what_c_knows import known_limits, knows_presorted, knows_table
from ftree.growth.given_table import (
    CountedTable,
    Ends,
    EngineChoice,
    Prepared,
    TableOrCounted,
    check_engine_choice,
    fitting_limits,
    is_native,
    prepared_table,
    require_table,
    watched,
)
from ftree.growth.settings import SearchSettings, search_settings
from ftree.growth.split_arrays import GrownTree
from ftree.policy import ID3, Policy
from ftree.routing.counting import at_observed, for_target, recount, values_of_columns
from ftree.routing.counting import at_values as with_thresholds_at
from ftree.splitters import all_parts, random_features, random_threshold, threshold
from ftree.splitters.missing_policies import prediction_rule
from ftree.stop import leaf_limit, max_leaves
from ftree.tree.nodes import Tree, new_tree
from ftree.tree.schema import Schema
from ftree.tree.splits.split import with_observed

if TYPE_CHECKING:
    from ftree.growth.start import GrownFrom, StartNodes


def grow(
    dataset: "Dataset | CountedTable | Any",
    policy: Policy = ID3,
    *,
    target: str | int | None = None,
    start: "GrownFrom | None" = None,
    trace: "Callable[[Frontier], Any] | None" = None,
    engine: "EngineChoice" = "auto",
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Tree:
    """Grow a tree from a dataset by a policy, ID3 by default.

    `dataset` may also be a source of `ftree.scan`, whose rows are not in memory, or, with a `target`, a table: what
    `Dataset.from_frame` takes, such as a data frame, or the path of a file that `Dataset.read` reads.

    The same data and policy grow the same tree, whatever the order of rows, the engine and the number of threads.

    - `target` is the name or number of the column of classes in such a table: `grow(frame, target="tip")` is
      `grow(Dataset.from_frame(frame, "tip"))`.
    - `start` is a tree from whose leaves growth continues, or a pair of a tree and the path of the only leaf that grows. The
      start's splits stay, in the schema of the dataset, whose features have the same names; its counts become those of the
      dataset. A leaf without cases stays a leaf. Depths, random numbers and fractions of cases continue from each leaf. So
      growing with an earlier `stop`, and then from that tree, grows the tree of the later `stop`. Rules about the whole tree
      include the start: `max_leaves` counts all leaves, and may cut branches of the start; `threshold(at="observed")` moves its
      thresholds as well.
    - `trace` is a function that is called with each finished level, a read-only `Frontier`, the root's first; gains are NaN for
      the start's splits.
    - `engine` is "auto" (the native library if it is installed, else NumPy), "plain" (NumPy), "compiled" (the native library),
      or a function that starts your own engine. Of policies that the library does not know, such as `CHAID` or your own impurity
      in NumPy, it counts, and NumPy searches.
    - `n_jobs` is the number of threads of the library; None uses one for each processor.
    - `progress` shows a line on the standard error stream with the level, open nodes and the share of finished cases, and,
      for a source, the rows read in this scan and the bytes read in all. None shows it after a second in a terminal or a
      notebook, after five seconds elsewhere; False shows none.

    Raises a TypeError for an argument of a wrong type; a ValueError for a dataset without cases, an unknown engine, an `n_jobs`
    of 0, a start that does not fit the dataset, or a path to a branch; an IndexError for a path that leaves the start;
    an ImportError for "compiled" where the library is not installed.

    Source: Mehta, Agrawal & Rissanen 1996 (SLIQ); Gehrke, Ramakrishnan & Ganti 1998 (RainForest).

    >>> xor = Dataset.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], kinds="nominal")
    >>> grow(xor)
    <Tree for 'class': 1 node, 1 leaf>
    >>> from ftree.stop import never
    >>> grow(xor, evolve(ID3, stop=never))
    <Tree for 'class': 7 nodes, 4 leaves>
    >>> from ftree import Branch, Leaf
    >>> from ftree.tree import Multiway
    >>> by_hand = Tree(xor.schema, Branch((2, 2), Multiway(0, (0, 1)), [Leaf((1, 1)), Leaf((1, 1))]))
    >>> grow(xor, start=by_hand)
    <Tree for 'class': 7 nodes, 4 leaves>
    """
    if target is not None:
        dataset = dataset_of(dataset, target)
    if trace is not None and not callable(trace):
        raise TypeError(f"trace must be a function of a finished level, got {short_repr(trace)}.")
    require_table(dataset)
    if (other := as_grown(dataset)) is not dataset:
        options: Any = {"trace": trace, "engine": engine, "n_jobs": n_jobs, "progress": progress}
        tree = grow(other, policy, start=start_for(start, dataset.schema, other.schema), **options)
        return with_answers(tree, cast("Dataset", dataset))
    given = prepared_table(dataset, policy)
    trace_at_ends = trace if trace is None or given.ends is None else partial(_trace_at_ends, trace, given.ends)
    nodes_of = partial(grown_nodes, engine=engine, n_jobs=n_jobs, progress=progress)
    if getattr(given.table, "memory", None) is None:  # only a source of `ftree.scan` may have a limit
        return finished(nodes_of(given.table, policy, start, trace=trace_at_ends), given, policy)
    if trace is not None:
        message = f"trace must be None with a source's memory, got {name_of(trace)}. Small nodes are not grown level by level."
        raise ValueError(message)
    source: Any = given.table
    tree = source.grown_within_memory(policy, start, partial(_grown, nodes_of))
    return completed(tree, given, policy)


def start_for(start: Any, schema: Schema, other: Schema) -> Any:
    """A tree of a schema's response from which growth continues, or such a tree and a path, for another target."""
    tree, *path = start if isinstance(start, tuple) and start else (start,)
    if not isinstance(tree, Tree) or tree.schema.response.kind != schema.response.kind:
        return start  # growth tells what is wrong with it
    return (for_target(tree, other), *path) if path else for_target(tree, other)


def with_answers(tree: Tree, dataset: Dataset) -> Tree:
    """A tree that grew by another response, with the answers of the dataset's."""
    return recount(for_target(tree, dataset.schema), dataset)


def dataset_of(table: Any, target: str | int) -> Dataset:
    """The dataset of a table, or of the file at a path, with a target.

    >>> dataset_of({"age": [20, 60], "ill": [False, True]}, "ill")
    Dataset of 2 rows: age numeric -> ill: False 1, True 1
    """
    if isinstance(table, Dataset):
        got = f"{short_repr(target)} for a Dataset, which has the target {short_repr(table.schema.target)}"
        raise TypeError(f"target must be given for a table or a file only, got {got}.")
    return Dataset.read(table, target=target) if isinstance(table, (str, PathLike)) else Dataset.from_frame(table, target)


def _grown(nodes_of: Callable[..., GrownNodes], table: TableOrCounted, policy: Policy, *start: Any, **options: Any) -> Tree:
    """The tree of a prepared table, with the thresholds of the search and all leaves, for `grown_within`, which grows several."""
    return grown_tree(nodes_of(table, policy, *start, **options), table, policy)


def _trace_at_ends(trace: "Callable[[Frontier], Any]", ends: Ends, level: Frontier) -> None:
    trace(evolve(level, splits=tuple(None if split is None else with_observed(split, ends) for split in level.splits)))


# The nodes of a growth, and the tree made from them


def grown_nodes(
    table: TableOrCounted,
    policy: Policy,
    start: "GrownFrom | None" = None,
    *,
    trace: "Callable[[Frontier], Any] | None" = None,
    engine: "EngineChoice" = "auto",
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> GrownNodes:
    """The nodes of the tree of a prepared table, with the thresholds of the search, and with all leaves.

    The native library grows a dataset's tree depth first, if it knows the policy, and if neither a `trace` nor another engine is
    given; `growth/depth_first` says how. All other trees grow level by level, by a source's own engine, yours, or `plain`.
    """
    check_engine_choice(engine, n_jobs)
    policy = fitting_limits(policy, table)
    settings, above = search_settings(policy, table), _start_nodes(start, table.schema)
    if trace is None and isinstance(table, Dataset) and is_native(engine):
        with progress_of_wait(shown=progress) as line, thread_pool(n_jobs) as threads:
            grown = _grown_depth_first(table, policy, settings, above, threads, line)
        if grown is not None:
            return grown
    from ftree.growth.levels import Growth, levels, started  # noqa: PLC0415  # the native library grows most trees

    finished_levels = list[Frontier]()
    with progress_of_wait(shown=progress) as line, started(watched(table, line), policy, settings, engine, n_jobs) as first:
        for level in levels(Growth(table.schema.features, policy, settings), first, above):
            finished_levels.append(level)
            done = 1.0 - float(level.weight[level.open].sum() / table.n_cases)
            line.level(level.depth, int(level.open.sum()), done)
            if trace is not None:
                trace(evolve(level, splits=tuple(level.splits)))
    return finished_levels


def _grown_depth_first(
    dataset: Dataset, policy: Policy, settings: SearchSettings, start: "StartNodes | None", threads: ThreadPool, line: Progress
) -> GrownTree | None:
    """All nodes of the tree, by the first form of the table that the native library knows; None if it knows none."""
    limits, rows = known_limits(policy, settings), None
    if limits is None:
        return None
    if start is None:
        if any(isinstance(splitter, (random_features, random_threshold)) for splitter in policy.splits):
            from ftree.growth.depth_first.drawn_trees import drawn_tree  # noqa: PLC0415  # few policies draw

            if (drawn := drawn_tree(dataset, policy, settings, threads)) is not None:
                return drawn
        if knows_presorted(dataset, policy, settings, limits):
            from ftree.growth.depth_first.presorted_growth import grown_presorted  # noqa: PLC0415  # others do without it

            return grown_presorted(dataset, policy, settings, limits, threads, line)
    if not knows_table(dataset, policy, settings):
        return None
    columns = table_columns(dataset, policy, settings, limits, threads)
    if start is not None:
        from ftree.growth.depth_first.table_start import start_rows  # noqa: PLC0415  # few trees grow from others

        if (rows := start_rows(columns, start)) is None:
            return None
    return grown_table(columns, policy, settings, threads, line, rows)


def _start_nodes(start: "GrownFrom | None", schema: Schema) -> "StartNodes | None":
    if start is None:
        return None
    from ftree.growth.start import start_nodes  # noqa: PLC0415  # few trees grow from others

    return start_nodes(start, schema)


def finished(grown: GrownNodes, given: Prepared, policy: Policy) -> Tree:
    """The completed tree of these nodes. Thresholds move before nodes are made, if all splits are in arrays."""
    table, observed = given.table, _uses_observed_thresholds(policy)
    if observed and given.ends is None and isinstance(table, Dataset):
        moved = at_values(grown, values_of_columns(table.columns))
        if moved is not None:
            return _trimmed(grown_tree(moved, table, policy), policy)
    return completed(grown_tree(grown, table, policy), given, policy)


def grown_tree(grown: GrownNodes, table: TableOrCounted, policy: Policy) -> Tree:
    """The tree of these nodes, with the policy's rule for missing values."""
    nodes = grown_arrays(grown, None if table.schema.has_classes else table.schema.response)
    root = nodes.root() if len(nodes.counts) < _FEW_NODES else nodes
    return new_tree(table.schema, root, missing=prediction_rule(policy.missing))


def completed(tree: Tree, given: Prepared, policy: Policy) -> Tree:
    """The tree with its thresholds at the ends of bins, or at observed values, and trimmed to its maximum number of leaves."""
    if given.ends is not None:
        tree = with_thresholds_at(tree, given.ends)
    if _uses_observed_thresholds(policy):
        tree = at_observed(tree, given.table) if isinstance(given.table, Dataset) else given.table.at_observed(tree)
    return _trimmed(tree, policy)


def _trimmed(tree: Tree, policy: Policy) -> Tree:
    """The tree trimmed to the policy's maximum number of leaves."""
    limit = leaf_limit(policy.stop)
    return tree if limit is None else prune.trim(max_leaves(limit), impurity=policy.impurity)(tree)


def is_complete(policy: Policy, given: Prepared) -> bool:
    """Whether `completed` does not change the trees of a policy."""
    return given.ends is None and not _uses_observed_thresholds(policy) and leaf_limit(policy.stop) is None


@cached_by_identity
def _uses_observed_thresholds(policy: Policy) -> bool:
    return any(isinstance(splitter, threshold) and splitter.at == "observed" for splitter in all_parts(policy.splits))


# A tree of fewer nodes is made of objects at once, which takes less time than its flat form from arrays.
_FEW_NODES = 1000
