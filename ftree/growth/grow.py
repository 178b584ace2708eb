"""Growing is an unfold over levels: a pure step takes the open nodes of one level to those of the next.

In a step the engine counts, the search gives each node its best split, the stopping rule closes nodes, and the
engine advances to the children of the others. When none is open, all nodes are made at once.
After SLIQ (Mehta, Agrawal & Rissanen 1996) and RainForest (Gehrke, Ramakrishnan & Ganti 1998).
"""

import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from attrs import evolve, frozen

from ftree._lib.arrays import Array, missing_cells
from ftree._lib.progress import progress as showing
from ftree.criteria.costs import factors
from ftree.criteria.frontier import Frontier
from ftree.criteria.impurity import checked
from ftree.criteria.predicate import ask
from ftree.data.dataset import Dataset
from ftree.growth.assemble import Assembly
from ftree.growth.engines.fused import GrownSubtrees, StopLimits, stop_limits
from ftree.growth.engines.numpy_engine import Missing, plain
from ftree.growth.engines.protocol import Engine, Sided, Start, is_fused
from ftree.growth.search import Terms, criterion_of, search, search_at_once
from ftree.growth.split_arrays import Cuts
from ftree.policy import ID3, Policy
from ftree.prune.trim import trim
from ftree.routing.recount import at_observed
from ftree.splitters import all_splitters, many_valued, threshold
from ftree.splitters.random_numbers import child_keys
from ftree.splitters.surrogates import splits_to_back, surrogates
from ftree.stop import before_the_search, leaf_limit, max_leaves
from ftree.tree.build import grown
from ftree.tree.nodes import Tree
from ftree.tree.schema import Feature
from ftree.tree.splits import Split, arity


@frozen(eq=False)
class Level:
    """A finished level: its depth, the counts of its nodes (m, K), and for each its split, or None for a leaf.

    `gain` has what each split took off the impurity (bits for entropy); it is NaN where no split was looked for. `keys`
    number the nodes by the way to each, for what is drawn at random.
    """

    depth: int
    counts: Array
    splits: Sequence[Split | None]
    gain: Array
    keys: Array


Named: TypeAlias = Literal["auto", "plain", "compiled"]
Choice: TypeAlias = "Named | Start"

# Cells (rows times features) from which compiled growth is worth loading numba for, about half a second, and once it is.
_LARGE, _LOADED = 200_000, 5_000
# The compiled engine numbers rows in 32 bits, with room for rows that go to several children.
_MOST_ROWS = 2**30


def grow(
    dataset: Dataset,
    policy: Policy = ID3,
    *,
    trace: Callable[[Level], Any] | None = None,
    engine: Choice = "auto",
    n_jobs: int | None = None,
    progress: bool = False,
) -> Tree:
    """Grow a tree; same data and policy, same tree, whatever the order of rows, the engine and the number of threads.

    `trace` is called with each finished level, root first. `engine` is "plain" (numpy), "compiled" (which loads numba,
    and leaves to numpy the policies that it has no kernel for, such as those with surrogates), "auto" (compiled where the
    table is large), or a function that starts one.
    `n_jobs` is how many threads the compiled engine may use, all processors by default; `progress` shows a line.

    Raises a TypeError for something that is no dataset or policy, a ValueError for data without a case, an unknown
    engine or a number of threads below 1.

    >>> xor = Dataset.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], kinds="nominal")
    >>> grow(xor)
    <Tree for 'class': 1 nodes, 1 leaves>
    >>> from ftree.stop import never
    >>> grow(xor, evolve(ID3, stop=never))
    <Tree for 'class': 7 nodes, 4 leaves>
    """
    if trace is not None and not callable(trace):
        message = f"trace is a function that is called with each finished level; {trace!r} came."
        raise TypeError(message)
    table = _checked(dataset, policy)
    _check_choice(engine, n_jobs)
    terms, parts = terms_of(policy, table), Assembly()
    # Whoever traces sees every level; else small nodes may be grown to the end at once.
    limits = stop_limits(policy.stop) if trace is None else None
    with showing(shown=progress) as line, _started(table, policy, terms, engine, n_jobs) as first:
        for level, finished in _levels(table.schema.features, policy, terms, first, limits):
            _list(parts, level, finished)
            if progress:
                line.level(level.depth, *_what_is_open(level, _cases(table)))
            if trace is not None:
                trace(evolve(level, splits=tuple(level.splits)))
    del first  # its columns take more room than the nodes that are made now
    tree = grown(table.schema, parts.root())
    if _observed(policy):
        tree = at_observed(tree, table)
    limit = leaf_limit(policy.stop)
    return tree if limit is None else trim(max_leaves(limit), impurity=policy.impurity)(tree)


def step(
    features: Sequence[Feature], policy: Policy, terms: Terms, engine: Engine, above: Level | None, *, others: Array | None = None
) -> tuple[Level, Engine]:
    """Take one level to the next: decide a split or None for each open node, and advance the engine.

    `others` marks those of the level's nodes that the engine has, when it has not all of them.

    >>> from ftree import ID3
    >>> data = Dataset.from_rows([["a"], ["b"]], ["no", "yes"])
    >>> level, _ = step(data.schema.features, ID3, terms_of(ID3, data), plain(data, "ignore"), None)
    >>> tuple(level.splits), level.gain.tolist()
    ((Multiway(feature=0, values=(0, 1)),), [1.0])
    """
    counts = engine.totals()
    depth, keys = (above.depth + 1, _keys_below(above)) if above else (0, np.zeros(1, dtype=np.uint64))
    keys = keys if others is None else keys[others]
    frontier = Frontier(depth, counts, checked(policy.impurity, policy.impurity(terms.altered(counts)), counts.shape[:-1]), keys)
    worth = ~ask(before_the_search(policy.stop), frontier)
    gain = np.full(len(counts), np.nan)
    if not worth.any():
        return Level(depth, counts, (None,) * len(counts), gain, keys), engine
    open_nodes = evolve(frontier, **{name: getattr(frontier, name)[worth] for name in ("counts", "impurity", "keys")})
    searched = _searched(open_nodes, engine.keep(worth), features, terms)
    gain[worth] = searched.gain
    splits = _still_open(searched.splits, ask(policy.stop, searched), worth)
    if terms.gaps:
        splits = _backed(splits, engine, features, policy, terms.gaps)
    return Level(depth, counts, splits, gain, keys), engine.advance(splits)


def _backed(
    splits: Sequence[Split | None], engine: Engine, features: Sequence[Feature], policy: Policy, gaps: Collection[int]
) -> tuple[Split | None, ...]:
    """The splits, those of features with gaps with their surrogates."""
    if not isinstance(engine, Sided) or not isinstance(policy.missing, surrogates):
        message = f"Surrogates need an engine that counts sides, as the plain one does; {type(engine).__name__} does not."
        raise TypeError(message)
    asked = splits_to_back(splits, gaps)
    found = policy.missing(asked, engine.sides(asked), features)
    return tuple(split if backed is None else backed for split, backed in zip(splits, found, strict=True))


def terms_of(policy: Policy, table: Dataset) -> Terms:
    """What the policy says of splits, for a table with its class counts."""
    weighed = policy.priors is not None or policy.costs is not None
    altered = factors(table.class_counts(), policy.priors, policy.costs) if weighed else None
    many = many_valued(table.schema.features, _cases(table))
    return Terms(policy.splits, policy.impurity, policy.score, policy.choose, altered, _to_be_backed(policy, table), many)


def _to_be_backed(policy: Policy, table: Dataset) -> frozenset[int]:
    """The features whose splits are to have surrogates."""
    if not isinstance(policy.missing, surrogates):
        return frozenset()
    return frozenset(
        number for number, column in enumerate(table.columns) if policy.missing.everywhere or missing_cells(column).any()
    )


def _keys_below(above: Level) -> Array:
    """Keys of all children of a level, one node's after another's."""
    widths = _arities(above.splits)
    parents = np.repeat(above.keys, widths)
    return child_keys(parents, np.arange(len(parents)) - np.repeat(np.cumsum(widths) - widths, widths))


def _searched(open_nodes: Frontier, engine: Engine, features: Sequence[Feature], terms: Terms) -> Frontier:
    if is_fused(engine):
        return search_at_once(open_nodes, engine, features, terms)
    return search(open_nodes, engine.count(), features, terms, joint=engine.joint)


def _still_open(splits: Sequence[Split | None], closed: Array, worth: Array) -> Sequence[Split | None]:
    """The splits of all nodes, None for those that are closed or were not worth a search."""
    if isinstance(splits, Cuts):
        return splits.without(closed).among(worth)
    found = iter(None if stopped else split for split, stopped in zip(splits, closed.tolist(), strict=True))
    return tuple(next(found) if searched else None for searched in worth.tolist())


def _levels(
    features: Sequence[Feature], policy: Policy, terms: Terms, engine: Engine, limits: StopLimits | None
) -> Iterator[tuple[Level, GrownSubtrees | None]]:
    """Each level without the nodes that the engine has grown to the end, and these."""
    level, depth = None, 0
    while level is None or _any_split(level.splits):
        finished = engine.finish(depth, limits) if limits is not None and is_fused(engine) else None
        others = None if finished is None else _others(engine, finished)
        if others is not None and not others.any():
            nothing = engine.totals()[:0]
            yield Level(depth, nothing, (), nothing.sum(axis=1), np.zeros(0, dtype=np.uint64)), finished
            return
        level, engine = step(features, policy, terms, engine if others is None else engine.keep(others), level, others=others)
        yield level, finished
        depth += 1


def _others(engine: Engine, finished: GrownSubtrees) -> Array:
    """Which nodes are not finished."""
    others = np.ones(len(engine.totals()), dtype=bool)
    others[finished.node] = False
    return others


def _any_split(splits: Sequence[Split | None]) -> bool:
    return bool(splits.kind.any()) if isinstance(splits, Cuts) else any(split is not None for split in splits)


def _list(parts: Assembly, level: Level, finished: GrownSubtrees | None) -> None:
    """List a level's nodes, and behind them those below the finished ones of the level; then comes the next level."""
    n, begin = len(level.counts), parts.size
    place = np.arange(n)
    if finished is not None:
        parts.add(begin + finished.place, finished.counts, finished.cuts, finished.cuts.arity, begin + finished.first)
        place = np.delete(np.arange(n + len(finished.node)), finished.node)
    sizes = _arities(level.splits)
    behind = parts.size + n
    parts.add(begin + place, level.counts, level.splits, sizes, behind + np.cumsum(sizes) - sizes)


def _arities(splits: Sequence[Split | None]) -> Array:
    """How many children each node has."""
    if isinstance(splits, Cuts):
        return splits.arity
    return np.array([0 if split is None else arity(split) for split in splits], dtype=np.int64)


def _what_is_open(level: Level, total: float) -> tuple[int, float]:
    """How many nodes go on, and the share of the cases that do not."""
    goes_on = np.array([split is not None for split in level.splits], dtype=bool)
    return int(goes_on.sum()), 1.0 - float(level.counts[goes_on].sum() / total)


@contextmanager
def _started(table: Dataset, policy: Policy, terms: Terms, choice: Choice, n_jobs: int | None) -> Iterator[Engine]:
    """The engine at the root; threads, if there are any, end with the growth."""
    missing: Missing = "heaviest" if policy.missing == "heaviest" else "ignore"
    if callable(choice):
        yield choice(table, missing)
        return
    enough = _LOADED if "ftree.growth.engines.numba_engine" in sys.modules else _LARGE
    large = choice == "compiled" or (choice == "auto" and len(table) * len(table.columns) >= enough)
    fits = large and not terms.gaps and len(table) < _MOST_ROWS
    criterion = criterion_of(table.schema.features, terms, len(table.schema.classes)) if fits else None
    if criterion is None:
        yield plain(table, missing)
        return
    # Loaded here, since it loads numba, which small tables do without.
    from ftree._lib.threads import thread_pool  # noqa: PLC0415
    from ftree.growth.engines.numba_engine import compiled  # noqa: PLC0415

    with thread_pool(n_jobs) as threads:
        yield compiled(table, missing, criterion, threads)


def _observed(policy: Policy) -> bool:
    return any(isinstance(family, threshold) and family.at == "observed" for family in all_splitters(policy.splits))


def _check_choice(engine: Choice, n_jobs: int | None) -> None:
    if not callable(engine) and engine not in get_args(Named):
        message = f"engine is one of {get_args(Named)}, or a function that starts one; it came as {engine!r}."
        raise ValueError(message)
    if n_jobs is not None and (not isinstance(n_jobs, int) or isinstance(n_jobs, bool) or n_jobs < 1):
        message = f"n_jobs is a number of threads from 1, or None for as many as there are processors; it came as {n_jobs!r}."
        raise ValueError(message)


def _cases(dataset: Dataset) -> float:
    """The weight of all rows."""
    return len(dataset) if dataset.weights is None else sum(dataset.class_counts())


def _checked(dataset: Dataset, policy: Policy) -> Dataset:
    if not isinstance(dataset, Dataset):
        message = f"grow takes a Dataset, made by Dataset.from_rows, from_columns or read_csv; a {type(dataset).__name__} came."
        raise TypeError(message)
    if not isinstance(policy, Policy):
        message = f"A policy is a Policy such as ID3, or attrs.evolve(ID3, stop=...); a {type(policy).__name__} came."
        raise TypeError(message)
    if not _cases(dataset):
        message = f"grow needs at least one row with a weight above 0; the dataset has {len(dataset)} rows."
        raise ValueError(message)
    weights = dataset.weights
    # Rows that weigh nothing would still have gaps, and values for thresholds to stand at.
    rows = dataset if weights is None or weights.all() else dataset.take(weights > 0)
    return rows.missing_as_value() if policy.missing == "as_value" else rows
