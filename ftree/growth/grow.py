"""Growing a tree level by level: an unfold whose step takes the open nodes of one level to those of the next.

In a step the engine counts, the search gives each node its best split, the stopping rule closes nodes, and the
engine advances to the children of the others. When no node is open, all nodes are built at once.
After SLIQ (Mehta, Agrawal & Rissanen 1996) and RainForest (Gehrke, Ramakrishnan & Ganti 1998).
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from attrs import evolve

from ftree._lib.arrays import read_only
from ftree._lib.messages import short_repr
from ftree._lib.progress import Progress
from ftree._lib.progress import progress as showing
from ftree.data.dataset import Dataset
from ftree.growth.assemble import Assembly
from ftree.growth.counted_table import CountedTable
from ftree.growth.engine_choice import EngineChoice, check_engine_choice, started
from ftree.growth.engines.fused import GrownSubtrees, stop_limits
from ftree.growth.finish_in_memory import grown_within
from ftree.growth.levels import Growth, Level, levels, numbers_of_children, terms_of
from ftree.growth.prepared_table import prepared_table, require_policy
from ftree.growth.start_tree import start_nodes
from ftree.growth.table_summary import summary_of
from ftree.policy import ID3, Policy
from ftree.prune.trim import trim
from ftree.routing.all_routes import all_routes
from ftree.routing.recount import at_observed
from ftree.routing.rule_names import as_prediction_rule
from ftree.splitters import all_splitters, threshold
from ftree.splitters.missing_hooks import hook
from ftree.stop import leaf_limit, max_leaves
from ftree.tree.build import new_tree
from ftree.tree.nodes import Path, Tree
from ftree.tree.prediction_rule import PredictionRule


def grow(
    dataset: "Dataset | CountedTable",
    policy: Policy = ID3,
    *,
    start: Tree | None = None,
    at: Path | None = None,
    trace: "Callable[[Level], Any] | None" = None,
    engine: "EngineChoice" = "auto",
    n_jobs: int | None = None,
    progress: bool = False,
    memory: int | str | None = None,
) -> Tree:
    """Grow a tree of a dataset by a policy, ID3 by default.

    `dataset` may also be a source of `ftree.scan`, whose rows are not in memory.

    The same data and policy grow the same tree, whatever the order of rows, the engine and the number of threads.

    - `start` is a tree whose leaves growth goes on from, and `at` the path of the only leaf that does. The start's splits stay,
      in the schema of the dataset, whose features have the same names; its counts become those of the dataset. A leaf without
      a case stays a leaf. All that depends on a node's place goes on from where it stands: depths, random numbers, fractions
      of cases. So growing with an earlier `stop`, and then from that tree, grows the tree of the later `stop`. Rules about the
      whole tree include the start: `max_leaves` counts all leaves, and may cut branches of the start;
      `threshold(at="observed")` moves its thresholds as well.
    - `trace` is a function that is called with each finished `Level`, the root's first, in read-only arrays; gains are NaN for
      the start's splits.
    - `engine` is "plain" (NumPy), "compiled" (Numba), "auto" (compiled for a large table), or a function that starts an
      engine of your own. For policies without kernels, such as `CHAID` or an impurity of your own in NumPy, the compiled
      engine counts, and NumPy searches; splits of several features, and surrogates without kernels, grow in the plain engine.
    - `n_jobs` is the number of threads of the compiled engine; None takes one for each processor.
    - `memory` is for a source: nodes are grown in memory once their rows fit into so many bytes, as 2 * 10**9 or "2GB".
    - `progress` shows a line on the terminal that tells level, open nodes and the share of finished cases.

    Raises a TypeError for an argument of a wrong type, and a ValueError for data without a case, an unknown engine, a number of
    threads below 1, a start that does not fit the dataset, or a path to a branch. A path that leaves the start is an IndexError.

    Source: Mehta, Agrawal & Rissanen 1996 (SLIQ); Gehrke, Ramakrishnan & Ganti 1998 (RainForest).

    >>> xor = Dataset.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], kinds="nominal")
    >>> grow(xor)
    <Tree for 'class': 1 nodes, 1 leaves>
    >>> from ftree.stop import never
    >>> grow(xor, evolve(ID3, stop=never))
    <Tree for 'class': 7 nodes, 4 leaves>
    >>> from ftree import Branch, Leaf, Multiway
    >>> by_hand = Tree(xor.schema, Branch((2, 2), Multiway(0, (0, 1)), [Leaf((1, 1)), Leaf((1, 1))]))
    >>> grow(xor, start=by_hand)
    <Tree for 'class': 7 nodes, 4 leaves>
    """
    if trace is not None and not callable(trace):
        message = f"trace must be a function that takes a finished level, got {short_repr(trace)}."
        raise TypeError(message)
    if memory is not None:
        options: dict[str, Any] = {"trace": trace, "engine": engine, "n_jobs": n_jobs, "progress": progress}
        return grown_within(memory, dataset, policy, start, at, partial(grow, **options))
    require_policy(policy)
    # A dataset first: asking whether an object has a protocol's methods takes 16 microseconds, a fiftieth of a small growth.
    if isinstance(dataset, Dataset) or not isinstance(dataset, CountedTable):
        table: Dataset | CountedTable = prepared_table(dataset, policy)
    else:
        table = dataset.prepared(policy)
    check_engine_choice(engine, n_jobs)
    summary = summary_of(table) if isinstance(table, Dataset) else table.table_summary()
    terms, above = terms_of(policy, summary), start_nodes(start, at, summary.schema)
    with showing(shown=progress) as line, started(table, policy, terms, engine, n_jobs) as (first, able):
        # Whoever traces sees every level; else small nodes may be grown to the end at once.
        limits = stop_limits(policy.stop) if trace is None else None
        growth = Growth(summary.schema.features, policy, terms, able, limits)
        parts = _collected(levels(growth, first, above), line if progress else None, summary.n_cases, trace)
    del first  # its columns take more room than the nodes that are made now
    tree = new_tree(summary.schema, parts.root(), missing=_prediction_rule(policy))
    if isinstance(table, Dataset) and _uses_observed_thresholds(policy):
        tree = at_observed(tree, table)
    limit = leaf_limit(policy.stop)
    return tree if limit is None else trim(max_leaves(limit), impurity=policy.impurity)(tree)


def _collected(
    found: Iterable[tuple[Level, GrownSubtrees | None]],
    line: Progress | None,
    total: float,
    trace: "Callable[[Level], Any] | None",
) -> Assembly:
    """The nodes of all levels, each level reported when it is finished; `total` is the number of cases."""
    parts = Assembly()
    for level, finished in found:
        _collect(parts, level, finished)
        if line is not None:
            line.level(level.depth, *_what_is_open(level, total))
        if trace is not None:
            arrays = {name: read_only(getattr(level, name)) for name in ("counts", "gain", "keys")}
            trace(evolve(level, splits=tuple(level.splits), **arrays))
    return parts


def _collect(parts: Assembly, level: Level, finished: GrownSubtrees | None) -> None:
    """Add a level's nodes to the parts of the tree, and behind them the subtrees that the engine has grown to the end."""
    n, begin = len(level.counts), parts.size
    place = np.arange(n)
    if finished is not None:
        parts.add(begin + finished.place, finished.counts, finished.cuts, finished.cuts.arity, begin + finished.first)
        place = np.delete(np.arange(n + len(finished.node)), finished.node)
    sizes = numbers_of_children(level.splits)
    behind = parts.size + n
    parts.add(begin + place, level.counts, level.splits, sizes, behind + np.cumsum(sizes) - sizes)


def _what_is_open(level: Level, total: float) -> tuple[int, float]:
    """Number of nodes that are split, and the share of the cases in finished leaves."""
    goes_on = np.array([split is not None for split in level.splits], dtype=bool)
    return int(goes_on.sum()), 1.0 - float(level.counts[goes_on].sum() / total)


def _uses_observed_thresholds(policy: Policy) -> bool:
    return any(isinstance(splitter, threshold) and splitter.at == "observed" for splitter in all_splitters(policy.splits))


def _prediction_rule(policy: Policy) -> PredictionRule | None:
    """The rule that belongs to the policy for missing values; None for that of trees that have none."""
    named = hook(policy.missing, "predict")
    rule = None if named is None else as_prediction_rule(named)
    return None if rule == _ALL_ROUTES else rule


_ALL_ROUTES = all_routes()
