"""Growing a tree level by level: an unfold whose step takes the open nodes of one level to those of the next.

In a step the engine counts, the search gives each node its best split, the stopping rule closes nodes, and the
engine advances to the children of the others. When no node is open any more, all nodes are built at once.
After SLIQ (Mehta, Agrawal & Rissanen 1996) and RainForest (Gehrke, Ramakrishnan & Ganti 1998).
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path as FilePath
from typing import Any

from attrs import evolve

from ftree._lib.fields import name_of
from ftree._lib.messages import short_repr
from ftree.data.dataset import Dataset
from ftree.growth.assemble import Assembly
from ftree.growth.checkpoint import Checkpoint, KeepsLevels
from ftree.growth.counted_table import CountedTable, prepared
from ftree.growth.engine_choice import EngineChoice
from ftree.growth.finish_in_memory import grown_within
from ftree.growth.grown_nodes import completed, finished, grown_parts, tree_of
from ftree.growth.levels import Level
from ftree.growth.number_bins import Ends
from ftree.policy import ID3, Policy
from ftree.tree.nodes import Path, Tree
from ftree.tree.splits.optional import at_observed as with_observed


def grow(
    dataset: "Dataset | CountedTable | Any",
    policy: Policy = ID3,
    *,
    target: str | int | None = None,
    look_ahead: int | None = None,
    start: Tree | None = None,
    at: Path | None = None,
    trace: "Callable[[Level], Any] | None" = None,
    engine: "EngineChoice" = "auto",
    n_jobs: int | None = None,
    progress: bool | None = None,
    memory: int | str | None = None,
    resume: "str | FilePath | None" = None,
) -> Tree:
    """Grow a tree from a dataset by a policy, ID3 by default.

    `dataset` may also be a source of `ftree.scan`, whose rows are not in memory, or, with a `target`, a table that
    `ftree.scan.survey` reads, such as the path or glob of Parquet files, or a query of DuckDB.

    The same data and policy grow the same tree, whatever the order of rows, the engine and the number of threads.

    - `target` is the name or number of the column of classes in such a table, which is surveyed first, with the defaults of
      `survey`: `grow("trips-*.parquet", target="tip")` is `grow(survey("trips-*.parquet", "tip"))`.
    - `look_ahead` is the number of levels that the choice of each split takes into account: each node gets the first split of a
      tree of that many levels that has the least impurity of all, and the last levels are such a tree. With 1, growth is greedy.
      This is `ftree.look_ahead` with the policy's splitters, and with its impurity times the cases of a leaf as the objective.
      `stop` must have a `max_depth()`; the arguments below must be left out with it, but for `n_jobs` and `progress`.
    - `start` is a tree from whose leaves growth continues, and `at` the path of the only leaf that grows. The start's splits
      stay, in the schema of the dataset, whose features have the same names; its counts become those of the dataset. A leaf
      without cases stays a leaf. Depths, random numbers and fractions of cases continue from each leaf. So growing with an
      earlier `stop`, and then from that tree, grows the tree of the later `stop`. Rules about the whole tree include the start:
      `max_leaves` counts all leaves, and may cut branches of the start; `threshold(at="observed")` moves its thresholds as well.
    - `trace` is a function that is called with each finished `Level`, the root's first, in read-only arrays; gains are NaN for
      the start's splits.
    - `engine` is "plain" (NumPy), "compiled" (Numba), "auto" (compiled for a large table), or a function that starts an
      user's engine. For policies without kernels, such as `CHAID` or your own impurity in NumPy, the compiled
      engine counts, and NumPy searches; splits of several features, and surrogates without kernels, grow in the plain engine.
    - `n_jobs` is the number of threads of the compiled engine; None uses one for each processor.
    - `memory` is for a source: nodes are grown in memory once their rows fit in this many bytes, such as 2 * 10**9 or "2GB".
    - `progress` shows a line on the standard error stream with the level, open nodes and the share of finished cases, and,
      for a source, the rows read in this scan and the bytes read in all. None shows it for a source that takes longer
      than a second, if the stream is a terminal or a notebook; False shows none.
    - `resume` is for a source: a file that keeps each finished level, and from which an interrupted growth
      continues. A growth that ends removes the file. It belongs to one growth: of one table, by one policy.

    Raises a TypeError for an argument of a wrong type; a ValueError for a dataset without cases, an unknown engine, a number of
    threads below 1, a start that does not fit the dataset, or a path to a branch; an IndexError for a path that leaves the start.

    Source: Mehta, Agrawal & Rissanen 1996 (SLIQ); Gehrke, Ramakrishnan & Ganti 1998 (RainForest).

    >>> xor = Dataset.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], kinds="nominal")
    >>> grow(xor)
    <Tree for 'class': 1 nodes, 1 leaves>
    >>> from ftree.stop import never
    >>> grow(xor, evolve(ID3, stop=never))
    <Tree for 'class': 7 nodes, 4 leaves>
    >>> from ftree.stop import max_depth
    >>> grow(xor, ID3.stopping(max_depth(2)), look_ahead=2)
    <Tree for 'class': 7 nodes, 4 leaves>
    >>> from ftree import Branch, Leaf, Multiway
    >>> by_hand = Tree(xor.schema, Branch((2, 2), Multiway(0, (0, 1)), [Leaf((1, 1)), Leaf((1, 1))]))
    >>> grow(xor, start=by_hand)
    <Tree for 'class': 7 nodes, 4 leaves>
    """
    if target is not None:
        dataset = _surveyed(dataset, target)
    if look_ahead is not None:
        others = {"start": start, "at": at, "trace": trace, "engine": engine, "memory": memory, "resume": resume}
        return _grown_ahead(dataset, policy, look_ahead, others)
    if trace is not None and not callable(trace):
        message = f"trace must be a function of a finished level, got {short_repr(trace)}."
        raise TypeError(message)
    table, ends = prepared(dataset, policy)
    saved = None if resume is None else _checkpoint(table, resume, start, at)
    moved = trace if trace is None or ends is None else partial(_trace_at_ends, trace, ends)
    grown = partial(grown_parts, engine=engine, n_jobs=n_jobs, progress=progress)
    if memory is None:
        tree = finished(grown(table, policy, start, at, trace=moved, saved=saved), table, policy, ends)
    elif trace is None:
        tree = grown_within(memory, table, policy, start, at, partial(_grown, grown), saved=saved)
        tree = completed(tree, table, policy, ends)
    else:
        message = f"trace must be None with memory, got {name_of(trace)}. With memory, small nodes are not grown level by level."
        raise ValueError(message)
    if saved is not None:
        saved.remove()
    return tree


def _surveyed(*arguments: Any) -> CountedTable:
    # From a room above, and imported here, since it is needed only for tables that nobody has surveyed.
    from ftree.scan import survey  # noqa: PLC0415

    return survey(*arguments)


def _grown_ahead(*arguments: Any) -> Tree:
    # Imported here, since few trees grow so.
    from ftree.growth.ahead import grown_ahead  # noqa: PLC0415

    return grown_ahead(*arguments)


def _grown(parts: Callable[..., Assembly], table: Dataset | CountedTable, policy: Policy, *start: Any, **options: Any) -> Tree:
    """The tree of a prepared table, with the thresholds of the search and all leaves; `parts` are those of `grown_parts`."""
    return tree_of(parts(table, policy, *start, **options), table, policy)


def _trace_at_ends(trace: "Callable[[Level], Any]", ends: Ends, level: Level) -> None:
    trace(evolve(level, splits=tuple(None if split is None else with_observed(split, ends) for split in level.splits)))


def _checkpoint(table: Dataset | CountedTable, resume: str | FilePath, start: Tree | None, at: Path | None) -> Checkpoint:
    if not isinstance(table, KeepsLevels):
        message = f"resume must be None for a table in memory, got {short_repr(resume)}."
        raise TypeError(message)
    if start is not None or at is not None:
        message = f"resume must be None with a start, got {short_repr(resume)}."
        raise ValueError(message)
    return table.checkpoint(resume)
