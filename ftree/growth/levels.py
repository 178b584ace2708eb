"""One level of growth: the search gives each open node its best split, the stopping rule closes nodes, the engine advances."""

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from attrs import evolve, frozen

from ftree._lib.arrays import Array, missing_cells
from ftree.criteria.costs import factors
from ftree.criteria.frontier import Frontier
from ftree.criteria.impurity import checked
from ftree.criteria.predicate import ask
from ftree.data.dataset import Dataset
from ftree.growth.engines.fused import GrownSubtrees, StopLimits
from ftree.growth.engines.protocol import Engine, Sided, is_fused
from ftree.growth.search import Terms, search, search_at_once
from ftree.growth.split_arrays import Cuts
from ftree.policy import Policy
from ftree.splitters import many_valued
from ftree.splitters.missing_hooks import hook
from ftree.splitters.random_numbers import child_keys
from ftree.stop import before_the_search
from ftree.tree.schema import Feature
from ftree.tree.splits.protocol import Split, arity


@frozen(eq=False)
class Level:
    """A finished level of growth: its depth, the class counts (m, K) of its m nodes, and each node's split or None for a leaf.

    `gain` (m,) is each split's gain (bits for entropy), NaN where no split was searched for. `keys` (m,) are numbers made
    of the path to each node, from which random splitters draw.
    """

    depth: int
    counts: Array
    splits: Sequence[Split | None]
    gain: Array
    keys: Array


def step(
    features: Sequence[Feature], policy: Policy, terms: Terms, engine: Engine, above: Level | None, *, others: Array | None = None
) -> tuple[Level, Engine]:
    """Decide a split, or None, for each open node of a level, and advance the engine to the next one.

    `others` (boolean) marks the nodes that are still in the engine, where it has grown some of them to the end.

    >>> from ftree import ID3
    >>> from ftree.growth.engines.numpy_engine import plain
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
) -> Sequence[Split | None]:
    """The splits, those of features with missing values as the policy backs them, such as with surrogates."""
    if not isinstance(engine, Sided):
        message = f"engine must count sides for surrogates, as the plain engine does, got {type(engine).__name__}."
        raise TypeError(message)
    backed: Sequence[Split | None] = hook(policy.missing, "back")(splits, engine, features, gaps)
    return backed


def terms_of(policy: Policy, table: Dataset) -> Terms:
    """What the search needs to know of a policy, for the classes and features of a table."""
    weighed = policy.priors is not None or policy.costs is not None
    altered = factors(table.class_counts(), policy.priors, policy.costs) if weighed else None
    many = many_valued(table.schema.features, n_cases(table))
    gaps, discount = _backed_features(policy, table), hook(policy.missing, "discount")
    variants = hook(policy.missing, "variants") if any(missing_cells(column).any() for column in table.columns) else None
    return Terms(policy.splits, policy.impurity, policy.score, policy.choose, altered, gaps, many, discount, variants)


def _backed_features(policy: Policy, table: Dataset) -> frozenset[int]:
    """Numbers of the features whose splits the policy backs, such as with surrogates."""
    if hook(policy.missing, "back") is None:
        return frozenset()
    everywhere = hook(policy.missing, "everywhere")
    return frozenset(number for number, column in enumerate(table.columns) if everywhere or missing_cells(column).any())


def _keys_below(above: Level) -> Array:
    """Keys of the children of a level, node after node."""
    widths = numbers_of_children(above.splits)
    parents = np.repeat(above.keys, widths)
    return child_keys(parents, np.arange(len(parents)) - np.repeat(np.cumsum(widths) - widths, widths))


def _searched(open_nodes: Frontier, engine: Engine, features: Sequence[Feature], terms: Terms) -> Frontier:
    if is_fused(engine) and terms.variants is None:
        return search_at_once(open_nodes, engine, features, terms)
    return search(open_nodes, engine.count(), features, terms, joint=engine.joint)


def _still_open(splits: Sequence[Split | None], closed: Array, worth: Array) -> Sequence[Split | None]:
    """The splits of all nodes, None for nodes that are closed or were not searched."""
    if isinstance(splits, Cuts):
        return splits.without(closed).among(worth)
    found = iter(None if stopped else split for split, stopped in zip(splits, closed.tolist(), strict=True))
    return tuple(next(found) if searched else None for searched in worth.tolist())


def levels(
    features: Sequence[Feature], policy: Policy, terms: Terms, engine: Engine, limits: StopLimits | None
) -> Iterator[tuple[Level, GrownSubtrees | None]]:
    """Each level, and the subtrees that the engine has grown to the end there, whose nodes the level leaves out."""
    level, depth = None, 0
    while level is None or _any_split(level.splits):
        finished = engine.finish(depth, limits) if limits is not None and is_fused(engine) else None
        others = None if finished is None else _unfinished(engine, finished)
        if others is not None and not others.any():
            nothing = engine.totals()[:0]
            yield Level(depth, nothing, (), nothing.sum(axis=1), np.zeros(0, dtype=np.uint64)), finished
            return
        level, engine = step(features, policy, terms, engine if others is None else engine.keep(others), level, others=others)
        yield level, finished
        depth += 1


def _unfinished(engine: Engine, finished: GrownSubtrees) -> Array:
    """Which nodes are not finished."""
    others = np.ones(len(engine.totals()), dtype=bool)
    others[finished.node] = False
    return others


def _any_split(splits: Sequence[Split | None]) -> bool:
    return bool(splits.kind.any()) if isinstance(splits, Cuts) else any(split is not None for split in splits)


def numbers_of_children(splits: Sequence[Split | None]) -> Array:
    """Number of children of each node, 0 for a leaf."""
    if isinstance(splits, Cuts):
        return splits.arity
    return np.array([0 if split is None else arity(split) for split in splits], dtype=np.int64)


def n_cases(dataset: Dataset) -> float:
    """Number of cases: the sum of the weights of all rows."""
    return len(dataset) if dataset.weights is None else sum(dataset.class_counts())
